//===- Tuner.cpp - Measuring the candidates of a bundle -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Tuner.h"

#include "Watchdog.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

using namespace lora;
using namespace lora::tuner;

using Clock = std::chrono::steady_clock;

static double secondsSince(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

std::string MeasureSummary::text() const {
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s", seconds);
  std::string result = std::to_string(done) + " problems tuned";
  if (alreadyDone)
    result += ", " + std::to_string(alreadyDone) + " were";
  result += " of " + std::to_string(problems) + "; " + std::to_string(measured) +
            " candidates measured, " + std::to_string(wrong) + " wrong, " + std::to_string(failed) +
            " failed; " + time;
  if (empty)
    result += "; " + std::to_string(empty) + " problems have no candidate";
  if (interrupted)
    result += "; interrupted, run again to continue";
  else if (outOfBudget)
    result += "; out of budget, run again to continue";
  return result;
}

namespace {

/// The command that checks a candidate again, on the same inputs.
std::string repeatCommand(const TuneProblem &problem, const BundleKernel &kernel,
                          const MeasureOptions &options) {
  return "lora-tune --phase measure " + options.bundlePath + " --only '" + problem.key() +
         "' --artefact " + kernel.artefact + " --seed " + std::to_string(options.seed) +
         " --db repeated.sqlite";
}

/// The search of one problem.
class ProblemTuner {
public:
  ProblemTuner(const Bundle &bundle, const BundleProblem &entry, const Candidates &candidates,
               Meter &meter, Database &database, const MeasureOptions &options,
               MeasureSummary &summary)
      : bundle(bundle), entry(entry), candidates(candidates), meter(meter), database(database),
        options(options), summary(summary), problem(database.problem(entry.problem)),
        known(database.known(problem)),
        watchdog(std::chrono::seconds(options.launchLimit), [this] { recordHang(); }) {}

  /// The kernels that won for similar problems are measured first.
  void run(const std::vector<std::string> &similarWinners);

  /// The artefact of the fastest, or nothing.
  std::string winner;
  double winnerTime = 0;

private:
  void recordHang();
  bool stopped() const { return options.interrupt && options.interrupt->load(); }
  /// Decides the inputs of a check: others in the finals, which are round 1, than in the screening.
  /// All candidates share a reference.
  uint64_t seedFor(uint64_t round) const { return 2 * options.seed + round; }
  void screen(const std::vector<size_t> &batch, Search &search);
  std::optional<double> check(size_t candidate, uint64_t seed);
  std::vector<std::optional<Timing>> time(const std::vector<size_t> &which, unsigned replays);
  void fail(size_t candidate, const std::string &stage, const std::string &reason);
  void finish(const Search &search);

  const Bundle &bundle;
  const BundleProblem &entry;
  const Candidates &candidates;
  Meter &meter;
  Database &database;
  const MeasureOptions &options;
  MeasureSummary &summary;
  int64_t problem;
  std::map<std::string, std::optional<double>> known;
  /// Relative errors and times of those that were measured now or before.
  std::map<size_t, double> errors;
  std::map<size_t, double> times;
  /// What is launched now, one of which is to blame if that does not end.
  std::vector<size_t> launched;
  Watchdog watchdog;
  /// The fastest so far, against which the clock is compared.
  std::optional<size_t> incumbent;
};

void ProblemTuner::fail(size_t candidate, const std::string &stage, const std::string &reason) {
  const BundleKernel &kernel = *candidates.kernels[candidate];
  FailureRecord failure;
  failure.problem = problem;
  failure.stage = stage;
  failure.artefact = kernel.artefact;
  failure.kernel = kernel.manifest.kernel;
  failure.config = configText(kernel.manifest.config);
  failure.reason = reason;
  failure.command = repeatCommand(entry.problem, kernel, options);
  database.add(failure);
  ++(stage == "wrong" ? summary.wrong : summary.failed);
  if (options.progress)
    *options.progress << stage << ": " << reason << ": " << failure.command << std::endl;
}

/// Called by the watchdog while this thread waits for the device.
void ProblemTuner::recordHang() {
  try {
    for (size_t candidate : launched)
      fail(candidate, "launch",
           "it did not end within " + std::to_string(options.launchLimit) +
               " s; everything measured is kept, run again to continue without it");
  } catch (const std::exception &) {
    // The process ends anyway; the candidate will then be tried again.
  }
}

/// The relative error of a result, or nothing if it is wrong or there is none.
std::optional<double> ProblemTuner::check(size_t candidate, uint64_t seed) {
  Watchdog::Scope watched(watchdog);
  launched = {candidate};
  try {
    Meter::Check result = meter.check(*candidates.kernels[candidate], seed);
    if (result.failure.empty())
      return result.error;
    fail(candidate, "wrong", result.failure);
  } catch (const Error &error) {
    fail(candidate, "launch", error.what());
    meter.requireWorking();
  }
  return std::nullopt;
}

/// Times candidates in turns; nothing for one that cannot be launched as often as that takes, which
/// is recorded.
std::vector<std::optional<Timing>> ProblemTuner::time(const std::vector<size_t> &which,
                                                      unsigned replays) {
  std::vector<const BundleKernel *> kernels;
  for (size_t candidate : which)
    kernels.push_back(candidates.kernels[candidate]);
  std::optional<Watchdog::Scope> watched(watchdog);
  launched = which;
  try {
    std::vector<Timing> timings = meter.time(kernels, replays);
    return {timings.begin(), timings.end()};
  } catch (const Error &error) {
    meter.requireWorking();
    if (which.size() == 1) {
      fail(which.front(), "launch", error.what());
      return {std::nullopt};
    }
  }
  watched.reset();
  // One of them is to blame.
  std::vector<std::optional<Timing>> alone;
  for (size_t candidate : which)
    alone.push_back(time({candidate}, replays).front());
  return alone;
}

void ProblemTuner::screen(const std::vector<size_t> &batch, Search &search) {
  std::vector<size_t> fresh;
  for (size_t candidate : batch) {
    auto before = known.find(candidates.kernels[candidate]->artefact);
    if (before != known.end()) {
      if (before->second) {
        times[candidate] = *before->second;
        if (!incumbent || times[candidate] < times[*incumbent])
          incumbent = candidate;
      }
      search.report(candidate, before->second);
      continue;
    }
    if (stopped())
      return;
    std::optional<double> error = check(candidate, seedFor(0));
    if (!error) {
      search.report(candidate, std::nullopt);
      continue;
    }
    errors[candidate] = *error;
    fresh.push_back(candidate);
  }
  if (fresh.empty())
    return;
  // The incumbent takes part, so that a change of the clocks since its first time cancels.
  std::vector<size_t> together = fresh;
  if (incumbent)
    together.push_back(*incumbent);
  std::vector<std::optional<Timing>> timings = time(together, options.screenReplays);
  double drift = 1;
  if (incumbent && timings.back() && timings.back()->median > 0)
    drift = times[*incumbent] / timings.back()->median;
  for (size_t i = 0; i < fresh.size(); ++i) {
    size_t candidate = fresh[i];
    if (!timings[i]) {
      search.report(candidate, std::nullopt);
      continue;
    }
    MeasurementRecord record;
    record.problem = problem;
    record.kernel = database.kernel(recordOf(bundle, *candidates.kernels[candidate]));
    record.us = timings[i]->median * drift;
    record.low = timings[i]->low * drift;
    record.high = timings[i]->high * drift;
    record.samples = meter.samples(options.screenReplays);
    record.error = errors[candidate];
    record.seed = seedFor(0);
    database.add(record);
    ++summary.measured;
    times[candidate] = record.us;
    search.report(candidate, record.us);
  }
  for (size_t candidate : fresh)
    if (times.count(candidate) && (!incumbent || times[candidate] < times[*incumbent]))
      incumbent = candidate;
}

/// Measures the fastest again, longer and on other inputs, together with the default.
void ProblemTuner::finish(const Search &search) {
  std::vector<std::pair<double, size_t>> order;
  for (auto [candidate, time] : times)
    order.emplace_back(time, candidate);
  std::sort(order.begin(), order.end());
  std::vector<size_t> finalists;
  for (auto [time, candidate] : order) {
    bool isClose = finalists.size() < options.finalists && time < order.front().first * 1.15;
    bool isDefault = candidates.byDefault && candidate == *candidates.byDefault;
    if (isClose || isDefault)
      finalists.push_back(candidate);
  }
  std::vector<size_t> good;
  for (size_t candidate : finalists) {
    std::optional<double> error = check(candidate, seedFor(1));
    if (!error)
      continue;
    errors[candidate] = *error;
    good.push_back(candidate);
  }
  if (good.empty())
    return;
  std::vector<std::optional<Timing>> timings = time(good, options.finalReplays);
  for (size_t i = 0; i < good.size(); ++i) {
    if (!timings[i])
      continue;
    MeasurementRecord record;
    record.problem = problem;
    record.kernel = database.kernel(recordOf(bundle, *candidates.kernels[good[i]]));
    record.round = "final";
    record.us = timings[i]->median;
    record.low = timings[i]->low;
    record.high = timings[i]->high;
    record.samples = meter.samples(options.finalReplays);
    record.error = errors[good[i]];
    record.seed = seedFor(1);
    database.add(record);
    if (winner.empty() || record.us < winnerTime) {
      winner = candidates.kernels[good[i]]->artefact;
      winnerTime = record.us;
    }
  }
  SearchRecord done;
  done.problem = problem;
  done.strategy = options.search.exhaustive ? "exhaustive" : "guided";
  done.candidatesHash = candidates.hash(options);
  done.candidates = static_cast<int64_t>(candidates.kernels.size());
  done.measured = static_cast<int64_t>(search.measured());
  done.stop = search.stopReason();
  database.add(done);
}

void ProblemTuner::run(const std::vector<std::string> &similarWinners) {
  std::vector<Config> configs;
  std::vector<size_t> first;
  if (candidates.byDefault)
    first.push_back(*candidates.byDefault);
  for (size_t i = 0; i < candidates.kernels.size(); ++i)
    configs.push_back(candidates.kernels[i]->manifest.config);
  for (const std::string &artefact : similarWinners)
    for (size_t i = 0; i < candidates.kernels.size(); ++i)
      if (candidates.kernels[i]->artefact == artefact)
        first.push_back(i);
  SearchOptions searchOptions = options.search;
  searchOptions.seed = options.seed;
  Search search(configs, candidates.estimates, first, searchOptions);
  meter.begin(entry.problem);
  while (!stopped()) {
    std::vector<size_t> batch = search.next();
    if (batch.empty())
      break;
    // Small batches keep what is lost with a killed process small.
    for (size_t begin = 0; begin < batch.size() && !stopped(); begin += options.search.batch)
      screen({batch.begin() + static_cast<int64_t>(begin),
              batch.begin() +
                  static_cast<int64_t>(std::min(begin + options.search.batch, batch.size()))},
             search);
  }
  if (!stopped())
    finish(search);
}

/// How far apart two problems are: in factors of two of their sizes.
double distance(const TuneProblem &a, const TuneProblem &b) {
  auto factor = [](double x, double y) {
    return std::abs(std::log2(std::max(x, 1.0) / std::max(y, 1.0)));
  };
  return factor(double(a.tokens), double(b.tokens)) + factor(double(a.hidden), double(b.hidden)) +
         factor(double(a.totalWidth()), double(b.totalWidth())) + factor(a.rank, b.rank) +
         0.5 * factor(a.adapters, b.adapters) + factor(double(a.slices()), double(b.slices()));
}

/// The winners of the problems most like this one, without repetition.
std::vector<std::string> similarWinners(const std::vector<std::pair<TuneProblem, std::string>> &won,
                                        const TuneProblem &problem) {
  constexpr size_t most = 4;
  std::vector<std::pair<double, size_t>> order;
  for (size_t i = 0; i < won.size(); ++i)
    if (won[i].first.kernel == problem.kernel && won[i].first.xType == problem.xType)
      order.emplace_back(distance(won[i].first, problem), i);
  std::sort(order.begin(), order.end());
  std::vector<std::string> result;
  for (auto [apart, index] : order) {
    if (result.size() == most)
      break;
    const std::string &artefact = won[index].second;
    if (std::find(result.begin(), result.end(), artefact) == result.end())
      result.push_back(artefact);
  }
  return result;
}

/// Says how far a run is.
class ProgressLine {
public:
  ProgressLine(std::ostream *out, size_t problems) : out(out), problems(problems) {}

  void step(const MeasureSummary &summary, const TuneProblem &problem, double best) {
    ++seen;
    if (!out || (secondsSince(last) < 2 && seen < problems))
      return;
    last = Clock::now();
    double left = secondsSince(begin) / double(seen) * double(problems - seen);
    char text[160];
    std::snprintf(text, sizeof text,
                  "%zu of %zu problems, %zu measured, %zu wrong, %zu failed, %.0f s left; ", seen,
                  problems, summary.measured, summary.wrong, summary.failed, left);
    *out << text << problem.key();
    if (best > 0) {
      std::snprintf(text, sizeof text, ": %.2f us", best);
      *out << text;
    }
    *out << std::endl;
  }

private:
  std::ostream *out;
  size_t problems, seen = 0;
  Clock::time_point begin = Clock::now(), last = begin;
};

} // namespace

MeasureSummary tuner::measureBundle(const Bundle &bundle, Meter &meter, Database &database,
                                    const MeasureOptions &options) {
  meter.requireTarget(bundle.target);
  GpuFacts facts = meter.facts();
  Clock::time_point begin = Clock::now();
  MeasureSummary summary;
  if (options.shard == 0) {
    std::set<std::string> known;
    Database::Failures recorded = database.failures();
    for (const FailureRecord &failure : recorded)
      known.insert(failure.artefact);
    for (const FailureRecord &failure : bundle.failures)
      if (!known.count(failure.artefact))
        database.add(failure);
  }
  std::vector<const BundleProblem *> own;
  size_t number = 0;
  for (const BundleProblem &entry : bundle.problems) {
    std::string key = entry.problem.key();
    bool isWanted = std::all_of(options.only.begin(), options.only.end(), [&](const auto &part) {
      return key.find(part) != std::string::npos;
    });
    if (isWanted && number++ % options.shards == options.shard)
      own.push_back(&entry);
  }
  if (own.empty() && number == 0)
    throw Error("no problem of the bundle matches --only");
  summary.problems = own.size();
  ProgressLine progress(options.progress, own.size());
  std::vector<std::pair<TuneProblem, std::string>> winners;
  std::string strategy = options.search.exhaustive ? "exhaustive" : "guided";
  for (const BundleProblem *entry : own) {
    if (options.interrupt && options.interrupt->load()) {
      summary.interrupted = true;
      break;
    }
    if (options.budget > 0 && secondsSince(begin) > options.budget) {
      summary.outOfBudget = true;
      break;
    }
    Candidates candidates = candidatesFor(bundle, *entry, facts, options.mostCandidates);
    candidates.keepOnly(options.artefact);
    if (candidates.kernels.empty()) {
      ++summary.empty;
      continue;
    }
    int64_t id = database.problem(entry->problem);
    if (database.hasSearch(id, strategy,
                           options.untuned ? std::nullopt
                                           : std::optional(candidates.hash(options)))) {
      ++summary.alreadyDone;
      if (std::optional<std::string> winner = database.winner(id))
        winners.emplace_back(entry->problem, *winner);
      continue;
    }
    database.setPruned(id, bundle.spaces[entry->space].sourceHash, entry->allowed, entry->pruned);
    if (candidates.byDefault)
      database.setDefault(id, candidates.kernels[*candidates.byDefault]->artefact);
    ProblemTuner tuner(bundle, *entry, candidates, meter, database, options, summary);
    tuner.run(similarWinners(winners, entry->problem));
    if (options.interrupt && options.interrupt->load()) {
      summary.interrupted = true;
      break;
    }
    ++summary.done;
    if (!tuner.winner.empty())
      winners.emplace_back(entry->problem, tuner.winner);
    progress.step(summary, entry->problem, tuner.winnerTime);
  }
  summary.seconds = secondsSince(begin);
  return summary;
}
