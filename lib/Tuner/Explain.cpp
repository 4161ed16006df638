//===- Explain.cpp - Why a configuration is chosen ------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReportLine.h"
#include "Sqlite.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Report.h"

#include <algorithm>
#include <cmath>
#include <sstream>

using namespace lora;
using namespace lora::tuner;

namespace {

class Explanation {
public:
  explicit Explanation(Database &database)
      : database(database), times(TunedTimes::read(database)),
        table(DispatchTable::build(times, {})), bandwidth(bandwidthOf(database)) {}

  size_t addTuned(const std::vector<std::string> &filter);
  /// What is chosen for a problem that was not tuned.
  void addUntuned(const TuneProblem &problem);
  std::string text() const { return out.str(); }

private:
  void addMeasurement(const TunedPoint &point, size_t kernel, const std::string &what);
  void addPoint(const TunedPoint &point);
  const TunedRule *ruleFor(const TuneProblem &problem) const;
  static std::string ruleText(const TunedRule &rule);

  Database &database;
  TunedTimes times;
  DispatchTable table;
  double bandwidth;
  std::ostringstream out;
};

const TunedRule *Explanation::ruleFor(const TuneProblem &problem) const {
  std::string types =
      std::string(dtypeName(problem.xType)) + "/" + std::string(dtypeName(problem.wType));
  for (const TunedRule &rule : table.rules) {
    const KernelRecord &kernel = times.kernels[rule.kernel];
    auto adds = kernel.config.find("ADD_INPUTS");
    bool isSame = kernel.name == problem.kernel && kernel.types == types &&
                  (adds == kernel.config.end() || (adds->second != 0) == problem.addInputs);
    if (isSame && rule.tokens.contains(problem.tokens) &&
        rule.hidden.contains(problem.dispatchHidden()) && rule.rank.contains(problem.rank) &&
        rule.adapters.contains(problem.adapters) && rule.slices.contains(problem.slices()))
      return &rule;
  }
  return nullptr;
}

std::string Explanation::ruleText(const TunedRule &rule) {
  std::string text = "the rule for";
  auto add = [&](const char *name, const PackRange &range) {
    text += std::string(" ") + name + " " + std::to_string(range.low) + "..";
    if (range.high != PackRange().high)
      text += std::to_string(range.high);
  };
  add("tokens", rule.tokens);
  add("hidden", rule.hidden);
  add("rank", rule.rank);
  add("adapters", rule.adapters);
  add("slices", rule.slices);
  return text;
}

void Explanation::addMeasurement(const TunedPoint &point, size_t kernel, const std::string &what) {
  const KernelRecord &record = times.kernels[kernel];
  std::string config = configText(record.config), key = point.problem.key();
  Statement row = database.sqlite().prepare(
      "SELECT m.us, m.low, m.high, m.samples, m.error, m.round, m.seed, s.started, s.device, "
      "s.clock FROM measurement m JOIN kernel k ON k.id = m.kernel JOIN problem p ON "
      "p.id = m.problem JOIN session s ON s.id = m.session WHERE k.name = ? AND k.target = ? AND "
      "k.types = ? AND k.config = ? AND p.key = ? "
      "ORDER BY m.round = 'final' DESC, s.started DESC, s.uid DESC, m.number DESC LIMIT 1");
  row.bind(std::string_view(record.name))
      .bind(std::string_view(record.target))
      .bind(std::string_view(record.types))
      .bind(std::string_view(config))
      .bind(std::string_view(key));
  out << "  " << what << ": " << config << "\n";
  if (row.step())
    out << "    " << number(row.real(0)) << " us (quartiles " << number(row.real(1)) << " to "
        << number(row.real(2)) << ", " << row.integer(3) << " samples), " << row.text(5)
        << " round of " << row.text(7) << " on " << row.text(8) << ", clock " << row.text(9)
        << ", seed " << row.integer(6) << ", relative error " << row.real(4) << "\n";
  out << "    " << record.registers << " registers, " << record.sharedBytes
      << " bytes of shared memory, " << record.threads << " threads, kernel "
      << record.artefact.substr(0, 12) << "\n";
}

void Explanation::addPoint(const TunedPoint &point) {
  ReportLine line = lineOf(point, bandwidth);
  out << point.problem.key() << "\n";
  addMeasurement(point, line.best,
                 line.byDefault == line.best ? "best, which is the default" : "best");
  std::optional<size_t> second;
  for (auto [kernel, time] : point.times)
    if (kernel != line.best && (!second || time < point.times.at(*second)))
      second = kernel;
  auto slower = [&](size_t kernel) {
    return number(point.times.at(kernel) / line.time, 3) + " times as long";
  };
  if (second)
    addMeasurement(point, *second, "runner-up, " + slower(*second));
  if (line.byDefault && *line.byDefault != line.best)
    addMeasurement(point, *line.byDefault, "default, " + slower(*line.byDefault));
  out << "  roofline: " << number(line.floor) << " us for " << number(point.problem.bytes() / 1e6)
      << " MB at " << number(bandwidth / 1e12) << " TB/s; the best takes "
      << number(line.time / line.floor) << " times as long; " << point.times.size()
      << " configurations measured\n";
  const TunedRule *rule = ruleFor(point.problem);
  if (!rule)
    return;
  out << "  exported: " << ruleText(*rule) << " chooses ";
  if (rule->twoLaunches)
    out << "shrink and expand after each other\n";
  else if (rule->kernel == line.best)
    out << "the best\n";
  else if (point.times.count(rule->kernel))
    out << configText(times.kernels[rule->kernel].config) << ", " << slower(rule->kernel) << "\n";
  else
    out << configText(times.kernels[rule->kernel].config) << ", not measured here\n";
}

size_t Explanation::addTuned(const std::vector<std::string> &filter) {
  size_t count = 0;
  for (const TunedPoint &point : times.points)
    if (matches(point.problem.key(), filter)) {
      addPoint(point);
      ++count;
    }
  return count;
}

/// How far apart the sizes are that rules look at, in factors of two.
double distance(const TuneProblem &a, const TuneProblem &b) {
  auto factor = [](double x, double y) { return std::abs(std::log2(x / y)); };
  return factor(double(a.tokens), double(b.tokens)) +
         factor(double(a.dispatchHidden()), double(b.dispatchHidden())) + factor(a.rank, b.rank) +
         factor(a.adapters, b.adapters) + factor(double(a.slices()), double(b.slices()));
}

void Explanation::addUntuned(const TuneProblem &problem) {
  const TunedRule *rule = ruleFor(problem);
  if (!rule)
    throw Error("'" + problem.key() + "': it was not tuned, and no rule serves it");
  out << problem.key() << "\n  not tuned; " << ruleText(*rule) << " chooses "
      << (rule->twoLaunches ? "shrink and expand after each other"
                            : configText(times.kernels[rule->kernel].config))
      << "\n";
  const TunedPoint *nearest = nullptr;
  size_t count = 0;
  for (const TunedPoint &point : times.points) {
    if (ruleFor(point.problem) != rule)
      continue;
    ++count;
    if (!nearest || distance(point.problem, problem) < distance(nearest->problem, problem))
      nearest = &point;
  }
  if (!nearest)
    return;
  out << "  from " << count << " tuned problems, the nearest of which is\n";
  addPoint(*nearest);
}

} // namespace

std::string tuner::explainProblems(Database &database, const std::vector<std::string> &filter) {
  Explanation explanation(database);
  if (explanation.addTuned(filter) > 0)
    return explanation.text();
  std::string key;
  for (const std::string &part : filter)
    key += (key.empty() ? "" : " ") + part;
  std::optional<TuneProblem> problem;
  try {
    problem = TuneProblem::parse(key);
  } catch (const Error &) {
    throw Error("no problem of the database matches '" + key +
                "': show lists them; for other sizes expected a whole key as it lists them");
  }
  explanation.addUntuned(*problem);
  return explanation.text();
}
