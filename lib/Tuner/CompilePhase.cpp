//===- CompilePhase.cpp - Candidates compiled to a bundle -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/CompilePhase.h"

#include "Votes.h"
#include "WorkerPool.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"
#include "lora/Target/Ptxas.h"
#include "lora/Target/TargetFacts.h"
#include "lora/Tuner/Tuner.h"

#include "llvm/Config/llvm-config.h"
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <unistd.h>

using namespace lora;
using namespace lora::tuner;
using nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// Problems that the same kernels can serve.
struct Class {
  size_t space = 0;
  std::string types;
  Config bound;
  std::vector<size_t> problems;

  auto key() const { return std::tie(space, types, bound); }
};

/// A kernel to compile.
struct Job {
  size_t space = 0;
  std::string types;
  Config config;
  std::string artefact;
};

std::vector<std::string> settingsOf(const Config &config) {
  std::vector<std::string> settings;
  for (const auto &[name, value] : config)
    settings.push_back(name + "=" + std::to_string(value));
  return settings;
}

std::vector<std::string> splitTypes(const std::string &types) {
  std::vector<std::string> names;
  for (size_t begin = 0; begin <= types.size();) {
    size_t end = std::min(types.find('/', begin), types.size());
    if (end > begin)
      names.push_back(types.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

std::string commandOf(const KernelSpace &space, const Job &job, const std::string &target) {
  std::string settings, types = job.types;
  for (const std::string &setting : settingsOf(job.config))
    settings += (settings.empty() ? "" : ",") + setting;
  std::replace(types.begin(), types.end(), '/', ',');
  return "lora-compile " + (space.file.empty() ? "--op=" + space.kernel : space.file) +
         " --arch=" + target + " --dtype=" + types + " --set=" + settings + " --report";
}

/// The outcome of a job that is in the cache.
struct Artefact {
  KernelManifest manifest;
  std::string code, failure;
};

std::optional<Artefact> readArtefact(const std::string &prefix) {
  Artefact artefact;
  if (fs::exists(prefix + ".failed")) {
    artefact.failure = readFile(prefix + ".failed");
    return artefact;
  }
  if (!fs::exists(prefix + ".json") || !fs::exists(prefix + ".cubin"))
    return std::nullopt;
  artefact.manifest = KernelManifest::load(prefix + ".json");
  artefact.code = readFile(prefix + ".cubin");
  return artefact;
}

/// Why a compiled kernel is not worth measuring, or nothing.
std::string resourceFailure(const KernelManifest &manifest, const TargetFacts &target) {
  if (!manifest.report)
    return "";
  if (manifest.report->spillBytes > 0)
    return "it spills " + std::to_string(manifest.report->spillBytes) + " bytes of registers";
  if (target.occupancy(manifest.threads, manifest.report->registers, manifest.sharedBytes) == 0)
    return "a block of " + std::to_string(manifest.threads) + " threads with " +
           std::to_string(manifest.report->registers) + " registers and " +
           std::to_string(manifest.sharedBytes) +
           " bytes of shared memory fits on no multiprocessor";
  return "";
}

/// Temporary files of children, some of which are killed, in a folder that goes away.
class TemporaryFolder {
public:
  explicit TemporaryFolder(fs::path where) : path(std::move(where)) {
    fs::create_directories(path);
    const char *known = std::getenv("TMPDIR");
    if (known)
      before = known;
    setenv("TMPDIR", path.c_str(), 1);
  }
  ~TemporaryFolder() {
    if (before)
      setenv("TMPDIR", before->c_str(), 1);
    else
      unsetenv("TMPDIR");
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }

private:
  fs::path path;
  std::optional<std::string> before;
};

/// What else than the kernel goes into the code.
std::string toolVersions(const CompilePhaseOptions &options) {
  std::string ptxas = options.target == kEmulatorTarget ? "none" : Ptxas().version();
  return "llvm " LLVM_VERSION_STRING " ptxas " + ptxas + " compiler " +
         hashText(readFile(options.worker));
}

class Compiler {
public:
  Compiler(const std::vector<KernelSpace> &spaces, const CompilePhaseOptions &options)
      : spaces(spaces), options(options), versions(toolVersions(options)) {
    std::error_code error;
    fs::create_directories(options.cache, error);
    if (error)
      throw Error(options.cache + ": cannot create the cache folder: " + error.message());
  }

  void name(Job &job) const {
    job.artefact = hashText(spaces[job.space].sourceHash + "\n" + configText(job.config) + "\n" +
                            job.types + "\n" + options.target + "\n" + versions)
                       .substr(0, 32);
  }

  std::string prefix(const Job &job) const { return options.cache + "/" + job.artefact; }

  /// Compiles what the cache does not have.
  void compile(const std::vector<Job> &jobs) const {
    std::vector<std::string> lines;
    std::vector<const Job *> missing;
    for (const Job &job : jobs) {
      if (readArtefact(prefix(job)))
        continue;
      const KernelSpace &space = spaces[job.space];
      missing.push_back(&job);
      lines.push_back(json({{"op", space.kernel},
                            {"file", space.file},
                            {"target", options.target},
                            {"types", splitTypes(job.types)},
                            {"set", settingsOf(job.config)},
                            {"output", prefix(job)}})
                          .dump());
    }
    if (options.progress)
      *options.progress << jobs.size() << " kernels, " << jobs.size() - missing.size()
                        << " of them in the cache" << std::endl;
    if (missing.empty())
      return;
    TemporaryFolder temporary(fs::absolute(options.cache) / ("tmp-" + std::to_string(getpid())));
    WorkerPool pool{
        {options.worker, "compile-worker"}, options.jobs, options.limit, options.interrupt};
    auto begin = std::chrono::steady_clock::now(), last = begin;
    size_t count = 0;
    bool all = pool.run(lines, [&](size_t index, const WorkerPool::Answer &answer) {
      ++count;
      std::string failure = answer.failure;
      if (failure.empty())
        failure = json::parse(answer.line).value("error", "");
      if (!failure.empty())
        writeFile(prefix(*missing[index]) + ".failed", failure);
      auto now = std::chrono::steady_clock::now();
      if (options.progress && now - last > std::chrono::seconds(5)) {
        last = now;
        double seconds = std::chrono::duration<double>(now - begin).count();
        *options.progress << count << " of " << lines.size() << " kernels compiled, "
                          << static_cast<int64_t>(seconds / double(count) *
                                                  double(lines.size() - count))
                          << " s left" << std::endl;
      }
    });
    if (!all)
      throw Error("interrupted; what was compiled is kept in " + options.cache);
  }

private:
  const std::vector<KernelSpace> &spaces;
  const CompilePhaseOptions &options;
  std::string versions;
};

} // namespace

Bundle tuner::compileBundle(const std::vector<KernelSpace> &spaces,
                            const std::vector<TuneProblem> &problems,
                            const CompilePhaseOptions &options) {
  const TargetFacts &target =
      findTarget(options.target == kEmulatorTarget ? "sm_90a" : options.target);
  Bundle bundle;
  bundle.target = options.target;
  bundle.seed = options.seed;
  bundle.spaces = spaces;
  std::vector<Class> classes;
  for (const TuneProblem &problem : problems) {
    size_t space = 0;
    while (space < spaces.size() && spaces[space].kernel != problem.kernel)
      ++space;
    if (space == spaces.size())
      throw Error("problem '" + problem.key() + "': there is no kernel '" + problem.kernel + "'");
    Class wanted{
        space, typesOf(spaces[space], problem), boundParameters(spaces[space], problem), {}};
    auto found = std::find_if(classes.begin(), classes.end(),
                              [&](const Class &known) { return known.key() == wanted.key(); });
    if (found == classes.end())
      found = classes.insert(classes.end(), wanted);
    found->problems.push_back(bundle.problems.size());
    bundle.problems.push_back({problem, space, 0, {}});
  }
  Compiler compiler(spaces, options);
  std::vector<Job> jobs;
  for (const Class &one : classes) {
    const KernelSpace &space = spaces[one.space];
    std::vector<Config> all = enumerate(space, one.bound);
    std::vector<Tiling> tilings;
    for (const Config &config : all)
      tilings.push_back(Tiling::of(config));
    std::set<Config> chosen;
    Votes votes(all.size());
    for (size_t index : one.problems) {
      BundleProblem &entry = bundle.problems[index];
      PrunedSpace ranked = prune(tilings, entry.problem, {});
      entry.allowed = all.size();
      entry.pruned = ranked.reasons;
      votes.add(ranked, options.mostKernels == 0);
      std::optional<Config> byDefault = defaultConfigFor(space, entry.problem);
      if (byDefault && brokenConstraint(space, *byDefault).empty())
        chosen.insert(*byDefault);
      if (options.interrupt && options.interrupt->load())
        throw Error("interrupted");
    }
    // A kernel that takes any rank has as much to choose from as one for each rank would.
    std::set<int32_t> ranks;
    for (size_t index : one.problems)
      ranks.insert(bundle.problems[index].problem.rank);
    for (size_t index : votes.choose(options.mostKernels * ranks.size(), options.seed))
      chosen.insert(all[index]);
    for (const Config &config : chosen) {
      Job job{one.space, one.types, config, ""};
      compiler.name(job);
      jobs.push_back(std::move(job));
    }
  }
  std::sort(jobs.begin(), jobs.end(),
            [](const Job &a, const Job &b) { return a.artefact < b.artefact; });
  jobs.erase(std::unique(jobs.begin(), jobs.end(),
                         [](const Job &a, const Job &b) { return a.artefact == b.artefact; }),
             jobs.end());
  if (jobs.empty())
    throw Error("no candidate is left after pruning");
  compiler.compile(jobs);
  for (const Job &job : jobs) {
    std::optional<Artefact> artefact = readArtefact(compiler.prefix(job));
    if (!artefact)
      throw Error(compiler.prefix(job) + ": expected what was compiled");
    const KernelSpace &space = spaces[job.space];
    FailureRecord failure;
    failure.stage = artefact->failure.empty() ? "resources" : "compile";
    failure.reason =
        artefact->failure.empty() ? resourceFailure(artefact->manifest, target) : artefact->failure;
    if (failure.reason.empty()) {
      bundle.kernels.push_back({job.artefact, job.space, job.types, std::move(artefact->code),
                                std::move(artefact->manifest)});
      continue;
    }
    failure.artefact = job.artefact;
    failure.kernel = space.kernel;
    failure.config = configText(job.config);
    failure.command = commandOf(space, job, options.target);
    bundle.failures.push_back(std::move(failure));
  }
  if (bundle.kernels.empty())
    throw Error("no candidate is left: " + bundle.failures.front().reason);
  return bundle;
}
