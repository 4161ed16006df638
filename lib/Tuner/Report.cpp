//===- Report.cpp - What a database says, for people ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Report.h"

#include "ReportLine.h"
#include "Sqlite.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/CostModel.h"
#include "lora/Tuner/Tuner.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

using namespace lora;
using namespace lora::tuner;

std::string tuner::number(double value, int digits) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

bool tuner::matches(const std::string &key, const std::vector<std::string> &filter) {
  return std::all_of(filter.begin(), filter.end(),
                     [&](const std::string &part) { return key.find(part) != std::string::npos; });
}

double tuner::bandwidthOf(Database &database) {
  Statement row = database.sqlite().prepare("SELECT clocks FROM session ORDER BY id LIMIT 1");
  double gigabytes = 0;
  if (row.step()) {
    std::string text = row.text(0);
    size_t place = text.find("copy ");
    if (place != std::string::npos)
      gigabytes = std::atof(text.c_str() + place + 5);
  }
  return gigabytes > 0 ? gigabytes * 1e9 : GpuFacts().memoryBandwidth;
}

ReportLine tuner::lineOf(const TunedPoint &point, double bandwidth) {
  ReportLine line{&point, *point.best(), 0, 0, point.byDefault, 0};
  line.time = point.times.at(line.best);
  line.floor = point.problem.bytes() / bandwidth * 1e6;
  if (line.byDefault)
    line.overDefault = point.times.at(*line.byDefault) / line.time;
  return line;
}

std::string tuner::showDatabase(Database &database, const ShowOptions &options) {
  TunedTimes times = TunedTimes::read(database);
  if (options.currentDefault)
    times.takeCurrentDefaults();
  double bandwidth = bandwidthOf(database);
  std::vector<ReportLine> lines;
  for (const TunedPoint &point : times.points)
    if (matches(point.problem.key(), options.filter))
      lines.push_back(lineOf(point, bandwidth));
  if (lines.empty())
    throw Error("no problem of the database matches --filter");
  auto value = [&](const ReportLine &line) {
    return options.sort == "us"      ? -line.time
           : options.sort == "floor" ? -line.time / line.floor
                                     : -line.overDefault;
  };
  if (options.sort != "key")
    std::stable_sort(lines.begin(), lines.end(),
                     [&](const ReportLine &a, const ReportLine &b) { return value(a) < value(b); });
  std::ostringstream text;
  text << "      us   floor  default  problem\n";
  double sum = 0, worst = 0;
  size_t known = 0, within = 0, shown = 0;
  for (const ReportLine &line : lines) {
    if (line.byDefault) {
      ++known;
      sum += std::log(line.overDefault);
      worst = std::max(worst, line.overDefault);
      within += line.overDefault <= 1.3;
    }
    if (options.limit && shown++ >= options.limit)
      continue;
    char columns[64];
    std::snprintf(columns, sizeof columns, "%8.2f %7.2f  %7s  ", line.time, line.floor,
                  line.byDefault ? (number(line.overDefault) + "x").c_str() : "-");
    text << columns << line.point->problem.key() << "\n";
    if (options.configs)
      text << "                          " << configText(times.kernels[line.best].config) << "\n";
  }
  text << lines.size() << " problems";
  if (known)
    text << "; the default configuration takes " << number(std::exp(sum / double(known)))
         << " times as long in the geometric mean, " << number(worst) << " times at worst, and at "
         << "most 1.3 times at " << within << " of " << known;
  text << "\n";
  return text.str();
}

static void table(std::ostringstream &text, Database &database, const std::string &title,
                  const std::string &query) {
  Statement rows = database.sqlite().prepare(query);
  bool any = false;
  while (rows.step()) {
    if (!any)
      text << title << "\n";
    any = true;
    text << " ";
    for (int column = 0; column < rows.columns(); ++column)
      text << " " << rows.text(column);
    text << "\n";
  }
}

std::string tuner::showSummary(Database &database) {
  std::ostringstream text;
  for (const char *key : {"device", "clock"})
    if (std::optional<std::string> value = database.meta(key))
      text << key << " " << *value << "\n";
  table(text, database, "sessions",
        "SELECT started, 'shard ' || shard, 'seed ' || seed, driver, clocks, (SELECT count(*) FROM "
        "measurement m WHERE m.session = s.id) || ' measurements', version FROM session s "
        "ORDER BY id");
  table(text, database, "problems",
        "SELECT kernel, x || '/' || w, 'rank ' || rank, count(*), (SELECT count(*) FROM search h "
        "JOIN problem q ON q.id = h.problem WHERE q.kernel = p.kernel AND q.x = p.x AND q.w = p.w "
        "AND q.rank = p.rank) || ' searched' FROM problem p GROUP BY kernel, x, w, rank "
        "ORDER BY kernel, x, w, rank");
  table(text, database, "searches",
        "SELECT strategy, count(*), printf('%.1f', avg(measured)) || ' of', printf('%.1f', "
        "avg(candidates)) || ' candidates measured:', stop FROM search GROUP BY strategy, stop "
        "ORDER BY strategy, stop");
  table(text, database, "pruned before compiling, over all problems",
        "SELECT sum(count), reason FROM pruned GROUP BY reason ORDER BY sum(count) DESC, reason");
  table(text, database, "failures",
        "SELECT count(*), stage, reason FROM failure GROUP BY stage, reason "
        "ORDER BY count(*) DESC, reason LIMIT 20");
  return text.str();
}

std::string tuner::replaySearches(Database &database, size_t seeds) {
  TunedTimes times = TunedTimes::read(database);
  std::map<std::string, const TunedPoint *> points;
  for (const TunedPoint &point : times.points)
    points[point.problem.key()] = &point;
  Statement rows = database.sqlite().prepare(
      "SELECT DISTINCT p.key FROM search s JOIN problem p ON p.id = s.problem "
      "WHERE s.strategy = 'exhaustive' ORDER BY p.key");
  std::ostringstream text;
  double lossSum = 0, worst = 0;
  size_t searches = 0, measured = 0, possible = 0, problems = 0;
  GpuFacts facts;
  facts.memoryBandwidth = bandwidthOf(database);
  while (rows.step()) {
    auto found = points.find(rows.text(0));
    if (found == points.end())
      continue;
    const TunedPoint &point = *found->second;
    CostModel model(point.problem, facts);
    std::vector<std::tuple<double, std::string, size_t>> order;
    for (auto [kernel, time] : point.times)
      order.emplace_back(model.estimate(Tiling::of(times.kernels[kernel].config)),
                         times.kernels[kernel].artefact, kernel);
    std::sort(order.begin(), order.end());
    std::vector<Config> configs;
    std::vector<double> estimates;
    std::vector<size_t> first;
    for (const auto &[estimate, artefact, kernel] : order) {
      if (point.byDefault == kernel)
        first.push_back(configs.size());
      configs.push_back(times.kernels[kernel].config);
      estimates.push_back(estimate);
    }
    double best = point.times.at(*point.best()), lossOfPoint = 0;
    size_t measuredHere = 0;
    for (size_t seed = 0; seed < seeds; ++seed) {
      SearchOptions options;
      options.seed = seed;
      Search search(configs, estimates, first, options);
      double guided = 1e300;
      for (std::vector<size_t> batch; !(batch = search.next()).empty();)
        for (size_t candidate : batch) {
          double time = point.times.at(std::get<2>(order[candidate]));
          guided = std::min(guided, time);
          search.report(candidate, time);
        }
      double loss = guided / best - 1;
      lossSum += loss;
      lossOfPoint += loss;
      worst = std::max(worst, loss);
      measuredHere += search.measured();
      ++searches;
    }
    measured += measuredHere;
    possible += seeds * order.size();
    ++problems;
    text << number(100 * lossOfPoint / double(seeds)) << " % slower, "
         << number(double(measuredHere) / double(seeds), 1) << " of " << order.size()
         << " measured: " << point.problem.key() << "\n";
  }
  if (searches == 0)
    throw Error("database '" + database.sqlite().path() +
                "': it has no exhaustive search: run with --exhaustive first");
  text << problems << " problems, " << seeds << " seeds each: guided searches lose "
       << number(100 * lossSum / double(searches)) << " % in the mean, " << number(100 * worst)
       << " % at worst, and save " << number(100 * (1 - double(measured) / double(possible)), 1)
       << " % of the measurements\n";
  return text.str();
}

std::string tuner::pruneDatabase(Database &database) {
  Sqlite &sqlite = database.sqlite();
  Transaction transaction(sqlite);
  auto remove = [&](const char *query) {
    sqlite.execute(query);
    return std::to_string(sqlite.changes());
  };
  std::string measurements =
      remove("DELETE FROM measurement WHERE EXISTS (SELECT 1 FROM measurement n WHERE "
             "n.problem = measurement.problem AND n.kernel = measurement.kernel AND "
             "n.round = measurement.round AND (n.session, n.number) > (measurement.session, "
             "measurement.number))");
  std::string kernels =
      remove("DELETE FROM kernel WHERE id NOT IN (SELECT kernel FROM measurement)");
  std::string failures =
      remove("DELETE FROM failure WHERE EXISTS (SELECT 1 FROM failure n WHERE "
             "n.problem IS failure.problem AND n.artefact = failure.artefact "
             "AND n.stage = failure.stage AND (n.session, n.number) > (failure.session, "
             "failure.number))");
  transaction.commit();
  sqlite.execute("VACUUM");
  return "removed " + measurements + " measurements, " + kernels + " kernels and " + failures +
         " failures\n";
}
