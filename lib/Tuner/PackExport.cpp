//===- PackExport.cpp - Packs of tuned kernels ----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Pack/Pack.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Bundle.h"
#include "lora/Tuner/DispatchTable.h"

#include <set>

using namespace lora;
using namespace lora::tuner;

std::string tuner::packFromBundle(const TunedTimes &times, const DispatchTable &table,
                                  const Bundle &bundle) {
  std::map<std::string, const BundleKernel *> compiled;
  for (const BundleKernel &kernel : bundle.kernels)
    compiled[kernel.artefact] = &kernel;
  PackIndex index;
  std::vector<std::string> code;
  std::set<size_t> packed;
  for (const TunedRule &rule : table.rules) {
    const KernelRecord &record = times.kernels[rule.kernel];
    auto found = compiled.find(record.artefact);
    if (found == compiled.end())
      throw Error("bundle: it has no " + record.name + " " + configText(record.config) +
                  ": expected the bundle that was measured");
    std::string id = record.name + "-" + record.artefact.substr(0, 12);
    if (packed.insert(rule.kernel).second) {
      PackKernel kernel;
      kernel.id = id;
      kernel.kind = bundle.target == kEmulatorTarget ? CodeKind::Emulator : CodeKind::Cubin;
      kernel.manifest = found->second->manifest;
      for (const auto &[program, version] : kernel.manifest.versions)
        index.versions[program] = version;
      index.kernels.push_back(std::move(kernel));
      code.push_back(found->second->code);
    }
    index.rules.push_back(
        {id, rule.tokens, rule.hidden, rule.rank, rule.adapters, rule.slices, rule.twoLaunches});
  }
  return packBytes(std::move(index), code);
}
