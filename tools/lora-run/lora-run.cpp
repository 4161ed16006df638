//===- lora-run.cpp - Run shrink and expand over real adapters -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "lora/Run/Run.h"

using namespace lora;

namespace {

/// What is not yet of the type that RunOptions has.
struct TypeNames {
  std::string x = "f16", weights;
};

} // namespace

static void addOptions(CLI::App &app, RunOptions &options, TypeNames &types) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  auto list = [](CLI::Option *option) { return option->delimiter(',')->allow_extra_args(false); };
  app.add_option("--adapter", options.adapters, "Directory of a PEFT adapter; once for each slot")
      ->allow_extra_args(false)
      ->required();
  list(app.add_option(
           "--module", options.modules,
           "Module, e.g. q_proj; several, such as q_proj,k_proj,v_proj, are the slices of "
           "one launch"))
      ->required();
  app.add_option("--layer", options.layer, "Layer of the modules (default: 0)")
      ->check(numberIn<int64_t>(0, most));
  app.add_option("--tokens", options.tokens,
                 "Tokens in the batch (default: those of the mapping file)")
      ->check(numberIn<int64_t>(1, most));
  app.add_option("--mapping", options.mapping,
                 "Which token uses which adapter: random, sorted, or a file with a slot, or -1 for "
                 "none, for each token")
      ->capture_default_str();
  app.add_option("--without", options.without,
                 "Fraction of the tokens without an adapter, unless a file says it (default: 0.1)")
      ->check(numberIn(0.0, 1.0));
  app.add_option("--seed", options.seed, "Seed of the mapping, x and y")
      ->check(numberIn<uint64_t>(0, std::numeric_limits<uint64_t>::max()))
      ->capture_default_str();
  app.add_option("--backend", options.backend,
                 "interpreter, emulator or gpu (default: gpu if there is one, else emulator)");
  app.add_option("--arch", options.target,
                 "Architecture to compile for (default: that of the GPU, else sm_90a)");
  app.add_option("--dtype", types.x, "Type of x and y: f16 or bf16")->capture_default_str();
  app.add_option("--weight-dtype", types.weights,
                 "Type of the weights (default: that of the adapters if it is f16 or bf16 for all, "
                 "else that of x)");
  list(
      app.add_option("--set-shrink", options.setShrink,
                     "Parameters of shrink in place of the default ones, e.g. BLOCK_M=16,WARPS=4"));
  list(app.add_option("--set-expand", options.setExpand, "The same for expand"));
  app.add_flag("!--no-add-inputs", options.addInputs, "Overwrite y rather than add to it");
}

static DType parseKernelType(const char *option, const std::string &name) {
  if (name != "f16" && name != "bf16")
    throw Error(std::string(option) + ": expected f16 or bf16, found '" + name + "'");
  return parseDType(name);
}

int main(int argc, char **argv) {
  RunOptions options;
  TypeNames types;
  CLI::App app("Run LoRA shrink and expand with the weights of PEFT adapters over a random batch,\n"
               "and compare the results with a float64 reference.",
               "lora-run");
  addOptions(app, options, types);
  return runTool(app, argc, argv, [&] {
    options.xType = parseKernelType("--dtype", types.x);
    if (!types.weights.empty())
      options.wType = parseKernelType("--weight-dtype", types.weights);
    RunReport report = runAdapters(options);
    std::cout << report.text();
    report.check();
  });
}
