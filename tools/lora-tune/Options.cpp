//===- Options.cpp - The command line of lora-tune ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"

#include "../CommandLine.h"

#include <thread>

using namespace lora;
using namespace lora::tuner;

static CLI::Option *list(CLI::Option *option) { return option->delimiter(','); }

static void addTuneOptions(CLI::App &app, TuneOptions &options) {
  constexpr int64_t most = std::numeric_limits<int32_t>::max();
  ProblemGrid &grid = options.grid;
  list(app.add_option("--models", grid.models,
                      "Models to tune for: names, or a config.json or its folder"));
  list(app.add_option("--shapes", grid.shapes,
                      "Shapes to tune for, as HIDDENxWIDTH+WIDTH..., e.g. 4096x4096+1024+1024"));
  list(app.add_option("--modules", grid.modules,
                      "Only these launches of the models: qkv, o, gate_up, down"));
  list(app.add_option("--tp-sizes", grid.tensorParallel, "GPUs that a model is divided over"))
      ->capture_default_str();
  list(app.add_option("--lora-ranks", grid.ranks, "Ranks"))->capture_default_str();
  list(app.add_option("--num-loras", grid.adapters, "Adapters in use"))->capture_default_str();
  list(app.add_option("--tokens", grid.tokens, "Tokens"))->capture_default_str();
  list(app.add_option("--dtype", grid.types,
                      "Types of activations and weights: f16, bf16, or two as f16/bf16"))
      ->capture_default_str();
  app.add_flag("!--no-add-inputs", grid.addInputs, "Overwrite y rather than add to it");
  list(app.add_option("--kernels", options.kernels,
                      "Kernels to tune: shrink, expand, shrink_expand, or files"))
      ->capture_default_str();
  app.add_option("--db", options.database, "Database; a run continues what it holds")
      ->capture_default_str();
  app.add_option(
      "-o,--output", options.output,
      "With --phase compile, the bundle to write. Otherwise what to export afterwards: a "
      ".json list, or a pack");
  app.add_option("--phase", options.phase,
                 "compile: only compile candidates, to a bundle; measure: only measure a bundle's");
  app.add_option("--bundle", options.bundle,
                 "Folder with compiled candidates (default: the database's name with .bundle)");
  app.add_option("BUNDLE", options.bundle, "The same, for --phase measure");
  list(app.add_option("--only", options.only,
                      "Measure only problems whose key contains these, e.g. 'shrink ',rank=16"));
  app.add_flag("--untuned", options.untuned,
               "Measure only problems that the database has no finished search of, also of other "
               "candidates");
  app.add_option("--artefact", options.artefact,
                 "Measure only candidates whose artefact begins with this");
  app.add_option("--budget", options.budget,
                 "Time after which no further problem is measured, e.g. 90s, 10m, 2h");
  app.add_option("--device", options.device,
                 "gpu, gpu:N, or model: estimates in the place of times, for trying things out")
      ->capture_default_str();
  app.add_option("--shard", options.shard,
                 "Measure part I of N, as I/N (default: as mpirun, srun or torchrun say)");
  app.add_option("--arch", options.target, "Architecture to compile for, or emulator")
      ->capture_default_str();
  app.add_option(
      "--cache", options.cache,
      "Folder of compiled kernels (default: lora-tune below $XDG_CACHE_HOME or ~/.cache)");
  app.add_flag("--exhaustive", options.search.exhaustive,
               "Compile and measure every candidate rather than search");
  app.add_flag("!--no-programmatic", options.programmatic,
               "Measure without programmatic dependent launch");
  app.add_option("--max-kernels", options.mostKernels,
                 "Most kernels to compile for each kind, type and rank; 0 for no limit")
      ->check(numberIn<int64_t>(0, most))
      ->capture_default_str();
  app.add_option("--max-candidates", options.mostCandidates, "Most candidates of a problem")
      ->check(numberIn<int64_t>(1, most))
      ->capture_default_str();
  app.add_option("--jobs", options.jobs, "Compilations at a time (default: one a core)")
      ->check(numberIn<int64_t>(1, 4096));
  app.add_option("--compile-limit", options.compileLimit, "Seconds that one compilation may take")
      ->check(numberIn<int64_t>(1, 86400))
      ->capture_default_str();
  app.add_option("--launch-limit", options.launchLimit,
                 "Seconds after which a kernel is taken never to end")
      ->check(numberIn<int64_t>(1, 86400))
      ->capture_default_str();
  app.add_option("--replays", options.replays, "Replays of a graph while searching")
      ->check(numberIn<int64_t>(1, 10000))
      ->capture_default_str();
  app.add_option("--final-replays", options.finalReplays, "Replays for the finalists")
      ->check(numberIn<int64_t>(1, 10000))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "Decides inputs and the search")->capture_default_str();
  app.add_flag("--quiet", options.quiet, "No progress");
}

static CLI::App *addCommand(CLI::App &app, const char *name, const char *text,
                            std::string &database) {
  CLI::App *command = app.add_subcommand(name, text);
  command->add_option("--db", database, "Database")->capture_default_str();
  return command;
}

void tuner::addOptions(CLI::App &app, Options &options) {
  addTuneOptions(app, options.tune);
  app.require_subcommand(0, 1);

  CLI::App *command = addCommand(app, "export", "Write a list of kernels with rules, or a pack",
                                 options.exported.database);
  command
      ->add_option("-o,--output", options.exported.output,
                   "File to write: a list if it ends in .json, else a pack")
      ->required();
  command->add_option("--bundle", options.exported.bundle,
                      "Take the code of a pack from here rather than compile it");
  list(command->add_option("--also-types", options.exported.alsoTypes,
                           "Types that the same configurations serve, e.g. bf16/bf16"));
  command
      ->add_option("--tolerance", options.exported.dispatch.tolerance,
                   "How much slower than the best a kernel may be, if that saves kernels")
      ->check(numberIn(0.0, 10.0))
      ->capture_default_str();

  command = addCommand(app, "show", "List tuned problems", options.database);
  list(command->add_option("--filter", options.show.filter,
                           "Only problems whose key contains these, e.g. 'tokens=16 ',rank=8"));
  command->add_option("--sort", options.show.sort, "key, us, floor or default")
      ->check(CLI::IsMember({"key", "us", "floor", "default"}))
      ->capture_default_str();
  command->add_option("--limit", options.show.limit, "Most lines (default: all)");
  command->add_flag("--configs", options.show.configs, "Also show the best configurations");
  command->add_flag("--current-default", options.show.currentDefault,
                    "Compare with the default of this version, where it was measured, instead of "
                    "that of the measurement");
  command->add_flag("--summary", options.summary, "Sessions, searches, and what was left out");

  command =
      addCommand(app, "explain", "Say what was chosen for a problem, and why", options.database);
  list(command
           ->add_option("PROBLEM", options.show.filter,
                        "Parts of the problem's key, e.g. 'shrink ',tokens=16")
           ->required());

  command = addCommand(app, "merge", "Add what other databases hold", options.database);
  command->add_option("OTHER", options.merged, "Databases")->required();

  command = addCommand(app, "prune", "Remove what newer measurements replace", options.database);
  command = addCommand(app, "replay", "Compare guided searches with the times of exhaustive ones",
                       options.database);
  command->add_option("--seeds", options.replaySeeds, "Searches of each problem")
      ->check(numberIn<int64_t>(1, 10000))
      ->capture_default_str();
}

double tuner::parseBudget(const std::string &text) {
  if (text.empty())
    return 0;
  double value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  std::string unit(end, text.data() + text.size());
  double factor = unit.empty() || unit == "s" ? 1 : unit == "m" ? 60 : unit == "h" ? 3600 : 0;
  if (status != std::errc() || factor == 0 || !(value > 0))
    throw Error("--budget " + text + ": expected a time such as 90s, 10m or 2h");
  return value * factor;
}
