//===- PackBuilder.cpp - Packs from lists of kernels --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/PackBuilder/PackBuilder.h"

#include "lora/Compiler/Compiler.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

using namespace lora;
using nlohmann::json;

namespace {

struct PackTarget {
  CodeKind kind;
  std::string arch;
};

CodeKind parseCodeKind(const std::string &text) {
  for (CodeKind kind : {CodeKind::Cubin, CodeKind::Ptx, CodeKind::Emulator})
    if (text == codeKindName(kind))
      return kind;
  throw Error("kind: expected cubin, ptx or emulator, found '" + text + "'");
}

std::vector<PackTarget> readTargets(const json &list) {
  std::vector<PackTarget> targets;
  for (const json &entry : list)
    targets.push_back(
        {parseCodeKind(entry.at("kind").get<std::string>()), entry.at("arch").get<std::string>()});
  return targets;
}

void rejectOtherFields(const json &object, const std::set<std::string> &known) {
  for (const auto &[name, value] : object.items())
    if (!known.count(name))
      throw Error("unknown field '" + name + "'");
}

PackRange readRange(const json &entry, const char *name) {
  PackRange range;
  auto found = entry.find(name);
  if (found == entry.end())
    return range;
  range.low = found->at(0).get<int64_t>();
  if (found->size() > 1)
    range.high = found->at(1).get<int64_t>();
  return range;
}

const std::set<std::string> kBounds = {"tokens",   "hidden", "rank",
                                       "adapters", "slices", "two_launches"};

/// Collects the kernels of a pack.
class Builder {
public:
  explicit Builder(std::filesystem::path folder) : folder(std::move(folder)) {}

  void addEntry(const json &entry, size_t number, const std::vector<PackTarget> &targets);
  std::string bytes() { return packBytes(std::move(index), code); }

private:
  void addKernel(const json &entry, size_t number, const std::vector<PackTarget> &targets);
  void addRule(const std::string &id, const json &bounds);
  void addPtx(const json &entry, const std::vector<PackTarget> &targets);
  void add(std::string id, CodeKind kind, KernelManifest manifest, std::string bytes);

  std::filesystem::path folder;
  PackIndex index;
  std::vector<std::string> code;
};

void Builder::add(std::string id, CodeKind kind, KernelManifest manifest, std::string bytes) {
  if (kind != CodeKind::Cubin)
    bytes += '\0';
  for (const auto &[program, version] : manifest.versions)
    index.versions[program] = version;
  index.kernels.push_back({std::move(id), kind, std::move(manifest)});
  code.push_back(std::move(bytes));
}

void Builder::addRule(const std::string &id, const json &bounds) {
  index.rules.push_back({id, readRange(bounds, "tokens"), readRange(bounds, "hidden"),
                         readRange(bounds, "rank"), readRange(bounds, "adapters"),
                         readRange(bounds, "slices"), bounds.value("two_launches", false)});
}

/// A kernel in the tile dialect, for each element type and target.
void Builder::addKernel(const json &entry, size_t number, const std::vector<PackTarget> &targets) {
  std::string op = entry.value("op", ""), file = entry.value("file", "");
  std::string source = file.empty() ? std::string(builtinKernel(op)) : readFile(folder / file);
  std::string name = file.empty() ? op + ".mlir" : file;
  for (const std::string &types : entry.at("types").get<std::vector<std::string>>()) {
    CompileOptions options;
    for (const auto &[parameter, value] : entry.at("set").items())
      options.settings.push_back(parameter + "=" + std::to_string(value.get<int64_t>()));
    options.types = {types.substr(0, types.find('/')), types.substr(types.find('/') + 1)};
    std::string id = std::to_string(number) + "-" + (file.empty() ? op : file) + "-" +
                     options.types[0] + "-" + options.types[1];
    for (const PackTarget &target : targets) {
      options.target = target.arch;
      Compilation compilation(source, name, options);
      compilation.run(target.kind == CodeKind::Cubin ? Phase::Cubin
                      : target.kind == CodeKind::Ptx ? Phase::Ptx
                                                     : Phase::Simt);
      const std::vector<char> &cubin = compilation.cubin().bytes;
      add(id, target.kind, compilation.manifest(),
          target.kind == CodeKind::Cubin ? std::string(cubin.begin(), cubin.end())
                                         : compilation.text());
    }
    if (!entry.contains("rules"))
      addRule(id, entry);
    else
      for (const json &bounds : entry.at("rules")) {
        rejectOtherFields(bounds, kBounds);
        addRule(id, bounds);
      }
  }
}

/// A kernel that is PTX from the beginning and has no rule. Files with the same symbol are the same
/// kernel for different targets. The emulator does not run PTX; its driver has a function of the
/// same meaning, which the code names.
void Builder::addPtx(const json &entry, const std::vector<PackTarget> &targets) {
  std::string text = readFile(folder / entry.at("ptx").get<std::string>());
  std::string manifestFile = entry.at("manifest").get<std::string>();
  json described = json::parse(readFile(folder / manifestFile));
  for (const PackTarget &target : targets) {
    described["target"] = target.arch;
    KernelManifest manifest = KernelManifest::fromJson(described.dump(), manifestFile);
    const std::string id = manifest.symbol;
    if (target.kind == CodeKind::Cubin) {
      Ptxas ptxas;
      Cubin cubin = ptxas.assemble(text, findTarget(target.arch));
      manifest.versions["ptxas"] = ptxas.version();
      add(id, target.kind, std::move(manifest), {cubin.bytes.begin(), cubin.bytes.end()});
      continue;
    }
    std::string code = target.kind == CodeKind::Ptx ? text : "builtin " + id;
    add(id, target.kind, std::move(manifest), std::move(code));
  }
}

void Builder::addEntry(const json &entry, size_t number, const std::vector<PackTarget> &all) {
  std::set<std::string> known = {"op",    "file", "ptx",   "manifest",
                                 "types", "set",  "kinds", "targets"};
  // Several rules for one kernel, or one whose bounds stand beside it.
  if (entry.contains("rules"))
    known.insert("rules");
  else
    known.insert(kBounds.begin(), kBounds.end());
  rejectOtherFields(entry, known);
  std::vector<PackTarget> targets;
  for (const PackTarget &target : entry.contains("targets") ? readTargets(entry["targets"]) : all) {
    const std::string kind(codeKindName(target.kind));
    if (!entry.contains("kinds") || entry["kinds"].get<std::set<std::string>>().count(kind))
      targets.push_back(target);
  }
  if (entry.contains("ptx"))
    addPtx(entry, targets);
  else
    addKernel(entry, number, targets);
}

std::string rangeText(const char *name, const PackRange &range) {
  std::string text = std::string(" ") + name + " " + std::to_string(range.low) + "..";
  return range.high == PackRange().high ? text : text + std::to_string(range.high);
}

} // namespace

std::string lora::buildPack(const std::string &listPath) {
  std::string text = readFile(listPath), where = listPath;
  try {
    const json root = json::parse(text);
    rejectOtherFields(root, {"targets", "kernels"});
    std::vector<PackTarget> targets = readTargets(root.at("targets"));
    Builder builder(std::filesystem::path(listPath).parent_path());
    const json &kernels = root.at("kernels");
    for (size_t i = 0; i < kernels.size(); ++i) {
      where = listPath + ": kernels[" + std::to_string(i) + "]";
      builder.addEntry(kernels[i], i, targets);
    }
    return builder.bytes();
  } catch (const json::exception &error) {
    throw Error(where + ": " + error.what());
  } catch (const Error &error) {
    throw Error(where + ": " + error.what());
  }
}

std::string lora::describePack(const Pack &pack) {
  std::string text;
  for (const auto &[program, version] : pack.index().versions)
    text += "built by " + program + " " + version + "\n";
  for (const PackKernel &kernel : pack.index().kernels) {
    // Also checks the code.
    size_t bytes = pack.code(kernel).size();
    text += "kernel " + kernel.id + ": " + std::string(codeKindName(kernel.kind)) + " for " +
            kernel.manifest.target + ", " + std::to_string(bytes) + " bytes";
    for (const auto &[name, value] : kernel.manifest.config)
      text += " " + name + "=" + std::to_string(value);
    text += "\n";
  }
  for (size_t i = 0; i < pack.index().rules.size(); ++i) {
    const PackRule &rule = pack.index().rules[i];
    text += "rule " + std::to_string(i) + ":" + rangeText("tokens", rule.tokens) +
            rangeText("hidden", rule.hidden) + rangeText("rank", rule.rank);
    if (rule.adapters != PackRange())
      text += rangeText("adapters", rule.adapters);
    if (rule.slices != PackRange())
      text += rangeText("slices", rule.slices);
    text +=
        std::string(" -> ") + (rule.twoLaunches ? "two launches, not " : "") + rule.kernel + "\n";
  }
  return text;
}
