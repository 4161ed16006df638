//===- DispatchTable.cpp - Rules from measurements ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/DispatchTable.h"

#include "Sqlite.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Tuner.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <tuple>

using namespace lora;
using namespace lora::tuner;
using nlohmann::ordered_json;

/// What a kernel that was not measured at a point is taken to lose there, as a logarithm: so much
/// that it is only used where others would need many rules.
static const double kUnknownLoss = std::log(1.3);
/// Stands for shrink and expand after each other in the place of a single launch.
static constexpr size_t kPair = size_t(-1);

std::optional<size_t> TunedPoint::best() const {
  std::optional<size_t> fastest;
  for (auto [kernel, time] : times)
    if (!fastest || time < times.at(*fastest))
      fastest = kernel;
  return fastest;
}

/// Whether two kernels are the same configuration of different sources or compilers.
static bool isVersionOf(const KernelRecord &a, const KernelRecord &b) {
  return a.name == b.name && a.target == b.target && a.types == b.types && a.config == b.config;
}

TunedTimes TunedTimes::read(Database &database) {
  Sqlite &sqlite = database.sqlite();
  TunedTimes result;
  std::map<int64_t, size_t> kernels, points;
  std::map<std::string, size_t> artefacts;
  Statement kernelRows = sqlite.prepare(
      "SELECT id, artefact, name, source, target, types, config, registers, spill_bytes, "
      "shared_bytes, threads, versions FROM kernel ORDER BY name, types, config, target, id");
  while (kernelRows.step()) {
    KernelRecord record{
        kernelRows.text(1),     kernelRows.text(2),    kernelRows.text(3),
        kernelRows.text(4),     kernelRows.text(5),    parseConfig(kernelRows.text(6)),
        kernelRows.integer(7),  kernelRows.integer(8), kernelRows.integer(9),
        kernelRows.integer(10), kernelRows.text(11)};
    if (!result.kernels.empty() && isVersionOf(result.kernels.back(), record))
      result.kernels.back() = record;
    else
      result.kernels.push_back(record);
    kernels[kernelRows.integer(0)] = artefacts[record.artefact] = result.kernels.size() - 1;
  }
  Statement problemRows =
      sqlite.prepare("SELECT id, key, default_artefact FROM problem ORDER BY key");
  while (problemRows.step()) {
    points[problemRows.integer(0)] = result.points.size();
    result.points.push_back({TuneProblem::parse(problemRows.text(1)), {}, {}});
    auto byDefault = artefacts.find(problemRows.text(2));
    if (byDefault != artefacts.end())
      result.points.back().byDefault = byDefault->second;
  }
  // The final round counts more than the screening, the last time more than those before it.
  Statement timeRows = sqlite.prepare(
      "SELECT m.problem, m.kernel, m.us FROM measurement m JOIN session s ON s.id = m.session "
      "WHERE NOT EXISTS (SELECT 1 FROM failure "
      "f JOIN kernel k ON k.artefact = f.artefact WHERE f.problem = m.problem AND k.id = m.kernel) "
      "ORDER BY m.round = 'final', s.started, s.uid, m.number");
  size_t count = 0;
  for (; timeRows.step(); ++count)
    result.points[points.at(timeRows.integer(0))].times[kernels.at(timeRows.integer(1))] =
        timeRows.real(2);
  if (count == 0)
    throw Error("database '" + sqlite.path() + "': it has no measurement");
  for (TunedPoint &point : result.points)
    if (point.byDefault && !point.times.count(*point.byDefault))
      point.byDefault.reset();
  std::erase_if(result.points, [](const TunedPoint &point) { return point.times.empty(); });
  return result;
}

void TunedTimes::takeCurrentDefaults() {
  for (TunedPoint &point : points) {
    point.byDefault.reset();
    std::optional<Config> config = defaultParameters(point.problem);
    auto isDefault = [&](size_t kernel) {
      const Config &measured = kernels[kernel].config;
      return std::all_of(config->begin(), config->end(), [&](const auto &parameter) {
        auto found = measured.find(parameter.first);
        // A database may be older than a parameter, which then had its first value.
        return found == measured.end() || found->second == parameter.second;
      });
    };
    for (const auto &[kernel, time] : point.times)
      if (config && isDefault(kernel))
        point.byDefault = kernel;
  }
}

namespace {

/// Sizes that a rule has bounds for, besides the rank.
constexpr size_t kSizes = 4;
constexpr PackRange TunedRule::*kRanges[kSizes] = {&TunedRule::tokens, &TunedRule::hidden,
                                                   &TunedRule::adapters, &TunedRule::slices};

/// A point of one group of rules.
struct Sample {
  std::array<int64_t, kSizes> sizes;
  double best = 0;
  /// Logarithms of time over best.
  std::map<size_t, double> losses;

  bool knows(size_t kernel) const { return losses.count(kernel) > 0; }

  double lossOf(size_t kernel) const { return knows(kernel) ? losses.at(kernel) : kUnknownLoss; }
};

/// The largest integer that is nearer to `low` than to `high`, in factors.
int64_t boundary(int64_t low, int64_t high) {
  return static_cast<int64_t>(std::floor(std::sqrt(double(low) * double(high))));
}

/// Boxes of sizes, each with a kernel: a decision tree that is grown until the kernel of each leaf
/// is good enough for all of its points.
class Tree {
public:
  Tree(const std::vector<Sample> &samples, double tolerance, std::vector<TunedRule> &rules)
      : samples(samples), tolerance(std::log(1 + tolerance)), rules(rules) {}

  void grow(std::vector<size_t> members, const TunedRule &box) {
    auto [kernel, cost] = choose(members);
    double worst = 0;
    for (size_t member : members)
      worst = std::max(worst, samples[member].lossOf(kernel));
    // The mean must be better than the worst may be, or all would be as slow as is allowed.
    bool isGood = worst <= tolerance && cost <= tolerance / 3 * double(members.size());
    Split split;
    if (!isGood)
      split = bestSplit(members);
    if (split.size == kSizes) {
      TunedRule rule = box;
      rule.kernel = kernel;
      rules.push_back(rule);
      for (size_t member : members)
        chosen.emplace_back(member, kernel);
      return;
    }
    TunedRule low = box, high = box;
    (low.*kRanges[split.size]).high = split.boundary;
    (high.*kRanges[split.size]).low = split.boundary + 1;
    auto middle = std::stable_partition(members.begin(), members.end(), [&](size_t member) {
      return samples[member].sizes[split.size] <= split.boundary;
    });
    grow({members.begin(), middle}, low);
    grow({middle, members.end()}, high);
  }

  /// The samples, and the kernel that each got.
  std::vector<std::pair<size_t, size_t>> chosen;

private:
  struct Split {
    size_t size = kSizes;
    int64_t boundary = 0;
    double cost = 0;
  };

  /// The kernel that loses the least over some samples, and how much.
  std::pair<size_t, double> choose(const std::vector<size_t> &members) const {
    std::map<size_t, double> gains;
    for (size_t member : members)
      for (auto [kernel, loss] : samples[member].losses)
        gains[kernel] += kUnknownLoss - loss;
    std::pair<size_t, double> chosen{gains.begin()->first, -1e300};
    for (auto [kernel, gain] : gains)
      if (gain > chosen.second)
        chosen = {kernel, gain};
    return {chosen.first, kUnknownLoss * double(members.size()) - chosen.second};
  }

  Split bestSplit(const std::vector<size_t> &members) const {
    Split best;
    for (size_t size = 0; size < kSizes; ++size) {
      std::set<int64_t> values;
      for (size_t member : members)
        values.insert(samples[member].sizes[size]);
      for (auto value = values.begin(); std::next(value) != values.end(); ++value) {
        int64_t border = boundary(*value, *std::next(value));
        std::vector<size_t> low, high;
        for (size_t member : members)
          (samples[member].sizes[size] <= border ? low : high).push_back(member);
        double cost = choose(low).second + choose(high).second;
        if (best.size == kSizes || cost < best.cost - 1e-9)
          best = {size, border, cost};
      }
    }
    return best;
  }

  const std::vector<Sample> &samples;
  double tolerance;
  std::vector<TunedRule> &rules;
};

/// Points whose rules differ in nothing but sizes.
using Group = std::tuple<std::string, DType, DType, bool, int32_t>;

Group groupOf(const TuneProblem &problem) {
  return {problem.kernel, problem.xType, problem.wType, problem.addInputs, problem.rank};
}

/// The best times of all problems of an operation, by their keys without the kernel.
std::map<std::string, double> bestTimes(const TunedTimes &times, Operation operation) {
  std::map<std::string, double> result;
  for (const TunedPoint &point : times.points) {
    if (point.problem.operation != operation)
      continue;
    TuneProblem problem = point.problem;
    problem.kernel = "any";
    double time = point.times.at(*point.best());
    auto [place, isNew] = result.emplace(problem.key(), time);
    place->second = std::min(place->second, time);
  }
  return result;
}

/// The time of shrink and expand after each other, where both are known.
std::optional<double> pairTime(const std::map<std::string, double> &shrinks,
                               const std::map<std::string, double> &expands, TuneProblem problem) {
  problem.kernel = "any";
  problem.operation = Operation::Shrink;
  auto shrink = shrinks.find(problem.normalised().key());
  problem.operation = Operation::Expand;
  auto expand = expands.find(problem.normalised().key());
  if (shrink == shrinks.end() || expand == expands.end())
    return std::nullopt;
  return shrink->second + expand->second;
}

/// Gives the rules from `begin` on that stand for two launches a kernel of their group, if possible
/// one that the group uses anyway.
void namePairs(std::vector<TunedRule> &rules, size_t begin, const Sample &any) {
  size_t carrier = kPair;
  for (size_t i = begin; i < rules.size() && carrier == kPair; ++i)
    carrier = rules[i].kernel;
  if (carrier == kPair)
    carrier = any.losses.begin()->first;
  for (size_t i = begin; i < rules.size(); ++i)
    if (rules[i].kernel == kPair) {
      rules[i].kernel = carrier;
      rules[i].twoLaunches = true;
    }
}

} // namespace

DispatchTable DispatchTable::build(const TunedTimes &times, const DispatchOptions &options) {
  auto shrinks = bestTimes(times, Operation::Shrink);
  auto expands = bestTimes(times, Operation::Expand);
  std::map<Group, std::vector<Sample>> groups;
  for (const TunedPoint &point : times.points) {
    const TuneProblem &problem = point.problem;
    Sample sample;
    sample.sizes = {problem.tokens, problem.dispatchHidden(), problem.adapters, problem.slices()};
    sample.best = point.times.at(*point.best());
    std::optional<double> pair;
    if (problem.operation == Operation::ShrinkExpand && options.comparePair)
      pair = pairTime(shrinks, expands, problem);
    if (pair)
      sample.best = std::min(sample.best, *pair);
    for (auto [kernel, time] : point.times)
      sample.losses[kernel] = std::log(time / sample.best);
    if (pair)
      sample.losses[kPair] = std::log(*pair / sample.best);
    groups[groupOf(problem)].push_back(std::move(sample));
  }
  DispatchTable table;
  double sum = 0;
  for (const auto &[group, samples] : groups) {
    // The next smaller tuned rank of the same kernel and types bounds the ranks from below.
    TunedRule box;
    int32_t rank = std::get<4>(group), below = 0, largest = 0;
    for (const auto &[other, unused] : groups) {
      bool isSame =
          std::tie(std::get<0>(other), std::get<1>(other), std::get<2>(other),
                   std::get<3>(other)) ==
          std::tie(std::get<0>(group), std::get<1>(group), std::get<2>(group), std::get<3>(group));
      if (!isSame)
        continue;
      if (std::get<4>(other) < rank)
        below = std::max(below, std::get<4>(other));
      largest = std::max(largest, std::get<4>(other));
    }
    box.rank.low = below + 1;
    if (rank < largest)
      box.rank.high = rank;
    std::vector<size_t> members(samples.size());
    for (size_t i = 0; i < members.size(); ++i)
      members[i] = i;
    Tree tree(samples, options.tolerance, table.rules);
    size_t begin = table.rules.size();
    tree.grow(members, box);
    namePairs(table.rules, begin, samples.front());
    for (auto [sample, kernel] : tree.chosen) {
      double loss = samples[sample].lossOf(kernel);
      sum += loss;
      ++table.points;
      if (samples[sample].knows(kernel))
        table.worstLoss = std::max(table.worstLoss, std::exp(loss) - 1);
      else
        ++table.unknown;
    }
  }
  table.meanLoss = table.points ? std::exp(sum / double(table.points)) - 1 : 0;
  return table;
}

static ordered_json rangeJson(const PackRange &range) {
  if (range.high == PackRange().high)
    return ordered_json::array({range.low});
  return ordered_json::array({range.low, range.high});
}

static bool isUnbounded(const PackRange &range) {
  return range.low <= 0 && range.high == PackRange().high;
}

std::string tuner::packList(const TunedTimes &times, const DispatchTable &table,
                            const std::vector<std::string> &types) {
  // The boxes of a group do not overlap, so that the rules of a kernel can stand together.
  std::map<size_t, std::vector<const TunedRule *>> byKernel;
  for (const TunedRule &rule : table.rules)
    byKernel[rule.kernel].push_back(&rule);
  std::string target = times.kernels.empty() ? "sm_90a" : times.kernels.front().target;
  std::string text =
      "{\n  \"targets\": [{\"kind\": \"cubin\", \"arch\": \"" + target + "\"}],\n  \"kernels\": [";
  bool first = true;
  for (const auto &[index, rules] : byKernel) {
    const KernelRecord &kernel = times.kernels[index];
    ordered_json entry = {{"op", kernel.name}};
    entry["types"] = std::vector<std::string>{kernel.types};
    for (const std::string &other : types)
      if (other != kernel.types)
        entry["types"].push_back(other);
    entry["set"] = kernel.config;
    for (const TunedRule *rule : rules) {
      ordered_json bounds = ordered_json::object();
      auto add = [&](const char *name, const PackRange &range) {
        if (!isUnbounded(range))
          bounds[name] = rangeJson(range);
      };
      add("tokens", rule->tokens);
      add("hidden", rule->hidden);
      add("rank", rule->rank);
      add("adapters", rule->adapters);
      add("slices", rule->slices);
      if (rule->twoLaunches)
        bounds["two_launches"] = true;
      entry["rules"].push_back(std::move(bounds));
    }
    text += (first ? "\n    " : ",\n    ") + entry.dump();
    first = false;
  }
  return text + "\n  ]\n}\n";
}
