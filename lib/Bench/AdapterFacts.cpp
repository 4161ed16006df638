//===- AdapterFacts.cpp - What an adapter changes of a model --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/AdapterFacts.h"

#include "lora/Adapter/Adapter.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <array>
#include <string_view>

using namespace lora;

namespace {

struct ModulesOf {
  const char *projection;
  std::vector<std::string_view> modules;
};

const std::array<ModulesOf, 4> projectionModules = {{
    {"qkv", {"q_proj", "k_proj", "v_proj", "qkv_proj"}},
    {"o", {"o_proj"}},
    {"gate_up", {"gate_proj", "up_proj", "gate_up_proj"}},
    {"down", {"down_proj"}},
}};

} // namespace

AdapterFacts lora::readAdapterFacts(const std::string &directory) {
  Adapter adapter = Adapter::load(directory);
  AdapterFacts facts;
  for (const ModulesOf &entry : projectionModules) {
    bool isChanged = false;
    for (const AdapterModule &module : adapter.modules()) {
      std::string_view last = std::string_view(module.name).substr(module.name.rfind('.') + 1);
      if (std::find(entry.modules.begin(), entry.modules.end(), last) == entry.modules.end())
        continue;
      isChanged = true;
      facts.rank = std::max(facts.rank, module.rank);
    }
    if (isChanged)
      facts.projections.push_back(entry.projection);
  }
  if (facts.projections.empty())
    throw Error(directory + ": found none of q_proj, k_proj, v_proj, o_proj, gate_proj, up_proj, "
                            "down_proj, expected an adapter of one of them");
  return facts;
}
