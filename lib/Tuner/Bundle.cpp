//===- Bundle.cpp - Compiled candidates, to be measured elsewhere ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Bundle.h"

#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <set>

using namespace lora;
using namespace lora::tuner;
using nlohmann::json;

static constexpr int kFormat = 1;

std::string tuner::hashText(std::string_view text) {
  std::string digits;
  for (uint8_t byte : sha256(std::as_bytes(std::span(text.data(), text.size())))) {
    digits += "0123456789abcdef"[byte >> 4];
    digits += "0123456789abcdef"[byte & 15];
  }
  return digits;
}

std::string tuner::typesOf(const KernelSpace &space, const TuneProblem &problem) {
  std::string text;
  for (const std::string &name : space.types) {
    if (!text.empty())
      text += '/';
    text += dtypeName(name == "W" ? problem.wType : problem.xType);
  }
  return text;
}

KernelRecord tuner::recordOf(const Bundle &bundle, const BundleKernel &kernel) {
  KernelRecord record;
  record.artefact = kernel.artefact;
  record.name = kernel.manifest.kernel;
  record.source = bundle.spaces[kernel.space].sourceHash;
  record.target = kernel.manifest.target;
  record.types = kernel.types;
  record.config = kernel.manifest.config;
  if (kernel.manifest.report) {
    record.registers = kernel.manifest.report->registers;
    record.spillBytes = kernel.manifest.report->spillBytes;
  }
  record.sharedBytes = kernel.manifest.sharedBytes;
  record.threads = kernel.manifest.threads;
  for (const auto &[program, version] : kernel.manifest.versions)
    record.versions += (record.versions.empty() ? "" : " ") + program + "=" + version;
  return record;
}

void Bundle::write(const std::string &folder) const {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error)
    throw Error(folder + ": cannot create the folder: " + error.message());
  json root = {{"format", kFormat}, {"target", target}, {"seed", seed}};
  for (const KernelSpace &space : spaces)
    root["spaces"].push_back(json::parse(space.toJson()));
  root["problems"] = json::array();
  for (const BundleProblem &entry : problems)
    root["problems"].push_back({{"key", entry.problem.key()},
                                {"space", entry.space},
                                {"allowed", entry.allowed},
                                {"pruned", entry.pruned}});
  root["kernels"] = json::object();
  PackIndex index;
  std::vector<std::string> code;
  for (const BundleKernel &kernel : kernels) {
    root["kernels"][kernel.artefact] = {{"space", kernel.space}, {"types", kernel.types}};
    PackKernel packed;
    packed.id = kernel.artefact;
    packed.kind = target == kEmulatorTarget ? CodeKind::Emulator : CodeKind::Cubin;
    packed.manifest = kernel.manifest;
    index.kernels.push_back(std::move(packed));
    code.push_back(kernel.code);
  }
  root["failures"] = json::array();
  for (const FailureRecord &failure : failures)
    root["failures"].push_back({{"stage", failure.stage},
                                {"artefact", failure.artefact},
                                {"kernel", failure.kernel},
                                {"config", failure.config},
                                {"reason", failure.reason},
                                {"command", failure.command}});
  std::string pack = packBytes(std::move(index), code), text = root.dump(1) + "\n";
  std::string packPath = folder + "/kernels.pack", jsonPath = folder + "/bundle.json";
  FileContent files[] = {{packPath, pack}, {jsonPath, text}};
  writeFiles(files);
}

static Bundle readBundle(const json &root, const Pack &pack, const std::string &where) {
  if (root.at("format") != kFormat)
    throw Error(where + ": expected format " + std::to_string(kFormat) + ", found " +
                root.at("format").dump());
  Bundle bundle;
  bundle.target = root.at("target").get<std::string>();
  bundle.seed = root.at("seed").get<uint64_t>();
  for (const json &space : root.at("spaces"))
    bundle.spaces.push_back(KernelSpace::fromJson(space.dump(), where));
  auto spaceOf = [&](const json &entry) {
    size_t space = entry.at("space").get<size_t>();
    if (space >= bundle.spaces.size())
      throw Error(where + ": space " + std::to_string(space) + " is not there");
    return space;
  };
  for (const json &entry : root.at("problems"))
    bundle.problems.push_back({TuneProblem::parse(entry.at("key").get<std::string>()),
                               spaceOf(entry), entry.at("allowed").get<size_t>(),
                               entry.at("pruned").get<std::map<std::string, size_t>>()});
  for (const PackKernel &packed : pack.index().kernels) {
    const json &entry = root.at("kernels").at(packed.id);
    std::span<const std::byte> code = pack.code(packed);
    bundle.kernels.push_back({packed.id, spaceOf(entry), entry.at("types").get<std::string>(),
                              std::string(reinterpret_cast<const char *>(code.data()), code.size()),
                              packed.manifest});
  }
  for (const json &entry : root.at("failures")) {
    FailureRecord failure;
    failure.stage = entry.at("stage").get<std::string>();
    failure.artefact = entry.at("artefact").get<std::string>();
    failure.kernel = entry.at("kernel").get<std::string>();
    failure.config = entry.at("config").get<std::string>();
    failure.reason = entry.at("reason").get<std::string>();
    failure.command = entry.at("command").get<std::string>();
    bundle.failures.push_back(std::move(failure));
  }
  return bundle;
}

Bundle Bundle::open(const std::string &folder) {
  std::string where = folder + "/bundle.json", text = readFile(where);
  Pack pack = Pack::open(folder + "/kernels.pack");
  try {
    return readBundle(json::parse(text), pack, where);
  } catch (const json::exception &error) {
    throw Error(where + ": " + error.what());
  }
}
