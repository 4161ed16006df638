//===- lora-tune.cpp - Find the fastest configurations of kernels ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "Options.h"
#include "lora/Support/Files.h"
#include "lora/Tuner/Bundle.h"
#include "lora/Tuner/Launcher.h"
#include "lora/Tuner/Tuner.h"
#ifdef LORA_TUNE_COMPILER
#include "lora/PackBuilder/PackBuilder.h"
#include "lora/Tuner/CompilePhase.h"
#endif

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>
#include <unistd.h>

using namespace lora;
using namespace lora::tuner;

static std::atomic<bool> interrupted = false;

/// The first Ctrl-C ends the run in good order, the second one at once.
static void handleInterrupt(int signal) {
  if (interrupted.exchange(true)) {
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }
}

static std::string commandText(int argc, char **argv) {
  std::string text = "lora-tune";
  for (int i = 1; i < argc; ++i)
    text += std::string(" ") + argv[i];
  return text;
}

static std::string bundleOf(const TuneOptions &options) {
  return options.bundle.empty() ? options.database + ".bundle" : options.bundle;
}

#ifdef LORA_TUNE_COMPILER

static std::string defaultCache() {
  if (const char *folder = std::getenv("XDG_CACHE_HOME"); folder && *folder)
    return std::string(folder) + "/lora-tune";
  if (const char *home = std::getenv("HOME"); home && *home)
    return std::string(home) + "/.cache/lora-tune";
  throw Error("--cache: expected a folder, since neither XDG_CACHE_HOME nor HOME is set");
}

static void compilePhase(const TuneOptions &options, const std::string &folder) {
  std::vector<KernelSpace> spaces;
  for (const std::string &kernel : options.kernels)
    spaces.push_back(readSpace(kernel));
  CompilePhaseOptions compile;
  compile.target = options.target;
  compile.mostKernels = options.search.exhaustive ? 0 : options.mostKernels;
  compile.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  compile.limit = std::chrono::seconds(options.compileLimit);
  compile.cache = options.cache.empty() ? defaultCache() : options.cache;
  compile.seed = options.seed;
  compile.worker = std::filesystem::read_symlink("/proc/self/exe");
  compile.progress = options.quiet ? nullptr : &std::cerr;
  compile.interrupt = &interrupted;
  Bundle bundle = compileBundle(spaces, options.grid.problems(spaces), compile);
  bundle.write(folder);
  std::cout << folder << ": " << bundle.kernels.size() << " kernels for " << bundle.problems.size()
            << " problems; " << bundle.failures.size() << " candidates rejected\n";
}

static std::string buildFromList(const std::string &list) {
  std::string path =
      std::filesystem::temp_directory_path() / ("lora-tune-" + std::to_string(getpid()) + ".json");
  writeFile(path, list);
  try {
    std::string bytes = buildPack(path);
    std::filesystem::remove(path);
    return bytes;
  } catch (const Error &) {
    std::filesystem::remove(path);
    throw;
  }
}

#else

static void compilePhase(const TuneOptions &, const std::string &) {
  throw Error("--phase compile: this lora-tune was built without the compiler");
}

static std::string buildFromList(const std::string &) {
  throw Error("--output: this lora-tune was built without the compiler: expected --bundle, or a "
              "list that ends in .json");
}

#endif

static void checkAlsoTypes(const ExportOptions &options) {
  constexpr std::string_view known[] = {"f16/f16", "bf16/bf16", "f16/bf16", "bf16/f16"};
  for (const std::string &types : options.alsoTypes) {
    if (std::find(std::begin(known), std::end(known), types) == std::end(known))
      throw Error("--also-types " + types + ": expected two of f16 and bf16, as bf16/bf16");
    if (!options.bundle.empty() && !options.output.ends_with(".json"))
      throw Error("--also-types " + types +
                  ": the bundle has no code for it: expected no --bundle");
  }
}

static void exportPack(Database &database, const ExportOptions &options) {
  checkAlsoTypes(options);
  TunedTimes times = TunedTimes::read(database);
  DispatchTable table = DispatchTable::build(times, options.dispatch);
  std::string list = packList(times, table, options.alsoTypes);
  std::string bytes = list;
  if (!options.output.ends_with(".json"))
    bytes = options.bundle.empty() ? buildFromList(list)
                                   : packFromBundle(times, table, Bundle::open(options.bundle));
  writeFile(options.output, bytes);
  char text[120];
  std::snprintf(text, sizeof text,
                "%zu rules for %zu points; slower than the best by %.1f %% in "
                "the mean, %.1f %% at worst",
                table.rules.size(), table.points, 100 * table.meanLoss, 100 * table.worstLoss);
  std::cout << options.output << ": " << text;
  if (table.unknown)
    std::cout << "; " << table.unknown << " points get a kernel that was not measured there";
  std::cout << "\n";
}

static std::unique_ptr<Meter> makeMeter(const TuneOptions &options, const Shard &shard) {
  if (options.device == "model")
    return makeModelMeter();
  if (options.device == "gpu")
    return makeGpuMeter(shard.device.value_or(0), options.programmatic);
  int number = 0;
  const char *begin = options.device.data() + 4,
             *end = options.device.data() + options.device.size();
  bool isNumbered = options.device.starts_with("gpu:");
  if (!isNumbered || std::from_chars(begin, end, number).ptr != end || begin == end)
    throw Error("--device " + options.device + ": expected gpu, gpu:N or model");
  return makeGpuMeter(number, options.programmatic);
}

static void measurePhase(const TuneOptions &options, const std::string &folder,
                         const std::string &command) {
  double budget = parseBudget(options.budget);
  Shard shard = options.shard.empty() ? shardOfLauncher([](const char *name) {
    return static_cast<const char *>(std::getenv(name));
  })
                                      : parseShard(options.shard);
  Bundle bundle = Bundle::open(folder);
  std::unique_ptr<Meter> meter = makeMeter(options, shard);
  Database database(options.database, Database::Mode::Create);
  SessionRecord session;
  meter->describe(session);
  session.command = command;
  session.shard = shard.text();
  session.seed = options.seed;
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  session.host = host;
  session.version = LORA_VERSION;
  meter->requireTarget(bundle.target);
  database.startSession(session);
  MeasureOptions measure;
  measure.search = options.search;
  measure.mostCandidates =
      options.search.exhaustive ? std::numeric_limits<size_t>::max() : options.mostCandidates;
  measure.screenReplays = options.replays;
  measure.finalReplays = options.finalReplays;
  measure.shard = shard.index;
  measure.shards = shard.count;
  measure.budget = budget;
  measure.only = options.only;
  measure.launchLimit = options.launchLimit;
  measure.untuned = options.untuned;
  measure.artefact = options.artefact;
  measure.bundlePath = folder;
  measure.seed = options.seed;
  measure.progress = options.quiet ? nullptr : &std::cerr;
  measure.interrupt = &interrupted;
  MeasureSummary summary = measureBundle(bundle, *meter, database, measure);
  std::cout << options.database << ": " << summary.text() << "\n";
  if (summary.interrupted)
    throw Error("interrupted; everything measured is kept");
}

static void tune(const TuneOptions &options, const std::string &command) {
  std::signal(SIGINT, handleInterrupt);
  std::signal(SIGTERM, handleInterrupt);
  if (options.phase == "compile")
    return compilePhase(options, options.output.empty() ? bundleOf(options) : options.output);
  if (!options.phase.empty() && options.phase != "measure")
    throw Error("--phase " + options.phase + ": expected compile or measure");
  std::string folder = bundleOf(options);
  if (options.phase.empty())
    compilePhase(options, folder);
  measurePhase(options, folder, command);
  if (!options.output.empty()) {
    Database database(options.database, Database::Mode::ReadOnly);
    exportPack(database, {options.database, folder, options.output, {}, {}});
  }
}

static void runCommand(const CLI::App &app, const Options &options, const std::string &command) {
  auto open = [&](Database::Mode mode) { return Database(options.database, mode); };
  std::vector<CLI::App *> chosen = app.get_subcommands();
  std::string name = chosen.empty() ? "tune" : chosen.front()->get_name();
  if (name == "tune")
    return tune(options.tune, command);
  if (name == "export") {
    Database database(options.exported.database, Database::Mode::ReadOnly);
    return exportPack(database, options.exported);
  }
  if (name == "merge") {
    Database database = open(Database::Mode::Create);
    for (const std::string &other : options.merged)
      std::cout << other << ": " << database.merge(other) << " measurements added\n";
    return;
  }
  if (name == "prune") {
    Database database = open(Database::Mode::ReadWrite);
    std::cout << pruneDatabase(database);
    return;
  }
  Database database = open(Database::Mode::ReadOnly);
  if (name == "explain")
    std::cout << explainProblems(database, options.show.filter);
  else if (name == "replay")
    std::cout << replaySearches(database, options.replaySeeds);
  else
    std::cout << (options.summary ? showSummary(database) : showDatabase(database, options.show));
}

int main(int argc, char **argv) {
#ifdef LORA_TUNE_COMPILER
  // How this program starts itself to compile.
  if (argc == 2 && std::string_view(argv[1]) == "compile-worker")
    return runCompileWorker();
#endif
  Options options;
  CLI::App app("Find the fastest configurations of kernels for shapes of models on a GPU.\n"
               "Without a subcommand: compiles candidates, measures them, and keeps all results.",
               "lora-tune");
  addOptions(app, options);
  return runTool(app, argc, argv, [&] { runCommand(app, options, commandText(argc, argv)); });
}
