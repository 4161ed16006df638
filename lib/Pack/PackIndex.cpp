//===- PackIndex.cpp - The index of a pack as JSON ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackIndex.h"

#include "lora/Support/Error.h"

#include <nlohmann/json.hpp>

#include <set>

using namespace lora;
using nlohmann::json;

static constexpr std::pair<CodeKind, std::string_view> kKinds[] = {
    {CodeKind::Cubin, "cubin"}, {CodeKind::Ptx, "ptx"}, {CodeKind::Emulator, "emulator"}};

static constexpr std::pair<const char *, PackRange PackRule::*> kRanges[] = {
    {"tokens", &PackRule::tokens}, {"hidden", &PackRule::hidden}, {"rank", &PackRule::rank}};
/// Written only where they bound something.
static constexpr std::pair<const char *, PackRange PackRule::*> kOptionalRanges[] = {
    {"adapters", &PackRule::adapters}, {"slices", &PackRule::slices}};

std::string_view lora::codeKindName(CodeKind kind) {
  for (auto [known, name] : kKinds)
    if (known == kind)
      return name;
  return "unknown";
}

static CodeKind parseKind(const std::string &text) {
  for (auto [kind, name] : kKinds)
    if (name == text)
      return kind;
  throw Error("kind: expected cubin, ptx or emulator, found '" + text + "'");
}

static std::string toHex(const Sha256 &checksum) {
  std::string text;
  for (uint8_t byte : checksum) {
    text += "0123456789abcdef"[byte >> 4];
    text += "0123456789abcdef"[byte & 15];
  }
  return text;
}

static Sha256 fromHex(const std::string &text) {
  Sha256 checksum = {};
  bool valid = text.size() == 2 * checksum.size();
  for (size_t i = 0; valid && i < text.size(); ++i) {
    size_t digit = std::string_view("0123456789abcdef").find(text[i]);
    valid = digit != std::string_view::npos;
    if (valid)
      checksum[i / 2] = static_cast<uint8_t>(checksum[i / 2] << 4 | digit);
  }
  if (!valid)
    throw Error("sha256: expected 64 hexadecimal digits, found '" + text + "'");
  return checksum;
}

std::string lora::packIndexToJson(const PackIndex &index) {
  nlohmann::ordered_json root;
  root["versions"] = index.versions;
  root["kernels"] = nlohmann::ordered_json::array();
  for (const PackKernel &kernel : index.kernels)
    root["kernels"].push_back({{"id", kernel.id},
                               {"kind", codeKindName(kernel.kind)},
                               {"offset", kernel.offset},
                               {"size", kernel.size},
                               {"sha256", toHex(kernel.checksum)},
                               {"manifest", json::parse(kernel.manifest.toJson())}});
  root["rules"] = nlohmann::ordered_json::array();
  for (const PackRule &rule : index.rules) {
    nlohmann::ordered_json entry = {{"kernel", rule.kernel}};
    for (auto [name, member] : kRanges)
      entry[name] = {(rule.*member).low, (rule.*member).high};
    for (auto [name, member] : kOptionalRanges)
      if (rule.*member != PackRange())
        entry[name] = {(rule.*member).low, (rule.*member).high};
    if (rule.twoLaunches)
      entry["two_launches"] = true;
    root["rules"].push_back(std::move(entry));
  }
  return root.dump();
}

static PackKernel readKernel(const json &entry, uint64_t codeEnd, const std::string &where) {
  PackKernel kernel;
  kernel.id = entry.at("id").get<std::string>();
  kernel.kind = parseKind(entry.at("kind").get<std::string>());
  kernel.offset = entry.at("offset").get<uint64_t>();
  kernel.size = entry.at("size").get<uint64_t>();
  kernel.checksum = fromHex(entry.at("sha256").get<std::string>());
  if (kernel.size == 0 || kernel.offset > codeEnd || kernel.size > codeEnd - kernel.offset)
    throw Error("kernel '" + kernel.id + "': its code is outside of the file");
  kernel.manifest = KernelManifest::fromJson(entry.at("manifest").dump(), where);
  return kernel;
}

static PackRule readRule(const json &entry, const std::set<std::string> &ids) {
  PackRule rule;
  rule.kernel = entry.at("kernel").get<std::string>();
  if (!ids.count(rule.kernel))
    throw Error("a rule names the kernel '" + rule.kernel + "', which is not there");
  auto read = [&](const char *name) -> PackRange {
    return {entry.at(name).at(0).get<int64_t>(), entry.at(name).at(1).get<int64_t>()};
  };
  for (auto [name, member] : kRanges)
    rule.*member = read(name);
  for (auto [name, member] : kOptionalRanges)
    if (entry.contains(name))
      rule.*member = read(name);
  rule.twoLaunches = entry.value("two_launches", false);
  return rule;
}

PackIndex lora::packIndexFromJson(std::string_view text, uint64_t codeEnd,
                                  const std::string &where) {
  try {
    const json root = json::parse(text);
    PackIndex index;
    index.versions = root.at("versions").get<std::map<std::string, std::string>>();
    std::set<std::string> ids;
    for (const json &entry : root.at("kernels")) {
      index.kernels.push_back(readKernel(entry, codeEnd, "manifest"));
      ids.insert(index.kernels.back().id);
    }
    for (const json &entry : root.at("rules"))
      index.rules.push_back(readRule(entry, ids));
    return index;
  } catch (const json::exception &error) {
    throw Error(where + ": index: " + error.what());
  } catch (const Error &error) {
    throw Error(where + ": index: " + error.what());
  }
}
