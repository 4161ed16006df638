//===- Database.cpp - What tuning has found out ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Database.h"

#include "Sqlite.h"
#include "lora/Support/Error.h"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <random>
#include <sstream>

using namespace lora;
using namespace lora::tuner;

/// Marks the file as one of ours: "LTUN".
static constexpr int64_t kApplicationId = 0x4c54554e;

static const char *kSchemaText[] = {
    "CREATE TABLE meta(key TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE session(id INTEGER PRIMARY KEY, uid TEXT NOT NULL UNIQUE, started TEXT NOT NULL,"
    " command TEXT NOT NULL, seed INTEGER NOT NULL, shard TEXT NOT NULL, host TEXT NOT NULL,"
    " device TEXT NOT NULL, driver TEXT NOT NULL, clocks TEXT NOT NULL, clock TEXT NOT NULL,"
    " version TEXT NOT NULL)",
    "CREATE TABLE problem(id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, kernel TEXT NOT NULL,"
    " op TEXT NOT NULL, x TEXT NOT NULL, w TEXT NOT NULL, tokens INTEGER NOT NULL,"
    " hidden INTEGER NOT NULL, slices INTEGER NOT NULL, rank INTEGER NOT NULL,"
    " adapters INTEGER NOT NULL, add_inputs INTEGER NOT NULL, bytes REAL NOT NULL,"
    " allowed INTEGER, default_artefact TEXT)",
    "CREATE TABLE kernel(id INTEGER PRIMARY KEY, artefact TEXT NOT NULL UNIQUE,"
    " name TEXT NOT NULL, source TEXT NOT NULL, target TEXT NOT NULL, types TEXT NOT NULL,"
    " config TEXT NOT NULL, registers INTEGER NOT NULL, spill_bytes INTEGER NOT NULL,"
    " shared_bytes INTEGER NOT NULL, threads INTEGER NOT NULL, versions TEXT NOT NULL)",
    // Records are named by their session and their number in it, so that merging knows them again.
    "CREATE TABLE measurement(session INTEGER NOT NULL REFERENCES session, number INTEGER NOT NULL,"
    " problem INTEGER NOT NULL REFERENCES problem, kernel INTEGER NOT NULL REFERENCES kernel,"
    " round TEXT NOT NULL, us REAL NOT NULL, low REAL NOT NULL, high REAL NOT NULL,"
    " samples INTEGER NOT NULL, error REAL NOT NULL, seed INTEGER NOT NULL,"
    " PRIMARY KEY(session, number)) WITHOUT ROWID",
    "CREATE INDEX measurement_of_problem ON measurement(problem, kernel)",
    "CREATE TABLE failure(session INTEGER NOT NULL REFERENCES session, number INTEGER NOT NULL,"
    " problem INTEGER REFERENCES problem, stage TEXT NOT NULL, artefact TEXT NOT NULL,"
    " kernel TEXT NOT NULL, config TEXT NOT NULL, reason TEXT NOT NULL, command TEXT NOT NULL,"
    " PRIMARY KEY(session, number)) WITHOUT ROWID",
    "CREATE INDEX failure_of_problem ON failure(problem, artefact)",
    "CREATE TABLE pruned(problem INTEGER NOT NULL REFERENCES problem, source TEXT NOT NULL,"
    " reason TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY(problem, source, reason))",
    "CREATE TABLE search(session INTEGER NOT NULL REFERENCES session, number INTEGER NOT NULL,"
    " problem INTEGER NOT NULL REFERENCES problem, strategy TEXT NOT NULL,"
    " candidates_hash TEXT NOT NULL, candidates INTEGER NOT NULL, measured INTEGER NOT NULL,"
    " stop TEXT NOT NULL, PRIMARY KEY(session, number)) WITHOUT ROWID",
};

static std::string now() {
  std::time_t seconds = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&seconds, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

static std::string randomUid() {
  std::random_device device;
  std::ostringstream text;
  text << std::hex;
  for (int i = 0; i < 4; ++i)
    text << device();
  return text.str();
}

static Sqlite::Mode sqliteMode(Database::Mode mode) {
  return mode == Database::Mode::Create      ? Sqlite::Mode::Create
         : mode == Database::Mode::ReadWrite ? Sqlite::Mode::ReadWrite
                                             : Sqlite::Mode::ReadOnly;
}

Database::Database(const std::string &path, Mode mode)
    : database(std::make_unique<Sqlite>(path, sqliteMode(mode))) {
  if (mode == Mode::ReadOnly) {
    checkSchema();
    return;
  }
  // Readers and one writer at a time do not disturb each other, and a killed process loses nothing
  // that was committed.
  database->useWriteAheadLog();
  database->execute("PRAGMA synchronous=NORMAL");
  if (mode == Mode::Create)
    create();
  checkSchema();
}

Database::~Database() = default;
Database::Database(Database &&) noexcept = default;

static int64_t pragma(Sqlite &database, const char *name) {
  Statement statement = database.prepare(std::string("PRAGMA ") + name);
  return statement.step() ? statement.integer(0) : 0;
}

void Database::create() {
  Transaction transaction(*database);
  Statement tables = database->prepare("SELECT count(*) FROM sqlite_master");
  tables.step();
  if (tables.integer(0) > 0)
    return;
  for (const char *text : kSchemaText)
    database->execute(text);
  database->execute("PRAGMA application_id=" + std::to_string(kApplicationId));
  database->execute("PRAGMA user_version=" + std::to_string(kSchema));
  transaction.commit();
}

void Database::checkSchema() {
  if (pragma(*database, "application_id") != kApplicationId)
    throw Error("database '" + database->path() + "': it is not a tuning database");
  int64_t version = pragma(*database, "user_version");
  if (version != kSchema)
    throw Error("database '" + database->path() + "': schema " + std::to_string(version) +
                ": expected schema " + std::to_string(kSchema));
}

std::optional<std::string> Database::meta(const std::string &key) {
  Statement statement = database->prepare("SELECT value FROM meta WHERE key = ?");
  statement.bind(std::string_view(key));
  if (!statement.step())
    return std::nullopt;
  return statement.text(0);
}

/// Sets a value that all times of a file must share.
static void requireMeta(Database &database, const std::string &key, const std::string &value) {
  std::optional<std::string> known = database.meta(key);
  if (known && *known != value)
    throw Error("database '" + database.sqlite().path() + "': its times are of " + key + " '" +
                *known + "': expected '" + value + "', or another --db");
  if (!known)
    database.sqlite()
        .prepare("INSERT OR IGNORE INTO meta VALUES(?, ?)")
        .bind(std::string_view(key))
        .bind(std::string_view(value))
        .run();
}

void Database::startSession(const SessionRecord &record) {
  Transaction transaction(*database);
  requireMeta(*this, "device", record.device);
  requireMeta(*this, "clock", record.clock);
  std::string uid = randomUid();
  database
      ->prepare("INSERT INTO session(uid, started, command, seed, shard, host, device, driver, "
                "clocks, clock, version) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(std::string_view(uid))
      .bind(std::string_view(now()))
      .bind(std::string_view(record.command))
      .bind(static_cast<int64_t>(record.seed))
      .bind(std::string_view(record.shard))
      .bind(std::string_view(record.host))
      .bind(std::string_view(record.device))
      .bind(std::string_view(record.driver))
      .bind(std::string_view(record.clocks))
      .bind(std::string_view(record.clock))
      .bind(std::string_view(record.version))
      .run();
  session = database->lastRow();
  transaction.commit();
}

int64_t Database::problem(const TuneProblem &problem) {
  std::string key = problem.key();
  auto find = [&]() -> std::optional<int64_t> {
    Statement statement = database->prepare("SELECT id FROM problem WHERE key = ?");
    statement.bind(std::string_view(key));
    return statement.step() ? std::optional(statement.integer(0)) : std::nullopt;
  };
  if (std::optional<int64_t> id = find())
    return *id;
  database
      ->prepare("INSERT OR IGNORE INTO problem(key, kernel, op, x, w, tokens, hidden, slices, "
                "rank, adapters, add_inputs, bytes) VALUES(?,?,?,?,?,?,?,?,?,?,?,?)")
      .bind(std::string_view(key))
      .bind(std::string_view(problem.kernel))
      .bind(operationName(problem.operation))
      .bind(dtypeName(problem.xType))
      .bind(dtypeName(problem.wType))
      .bind(problem.tokens)
      .bind(problem.dispatchHidden())
      .bind(problem.slices())
      .bind(int64_t(problem.rank))
      .bind(int64_t(problem.adapters))
      .bind(int64_t(problem.addInputs))
      .bind(problem.bytes())
      .run();
  return find().value();
}

int64_t Database::kernel(const KernelRecord &kernel) {
  auto find = [&]() -> std::optional<int64_t> {
    Statement statement = database->prepare("SELECT id FROM kernel WHERE artefact = ?");
    statement.bind(std::string_view(kernel.artefact));
    return statement.step() ? std::optional(statement.integer(0)) : std::nullopt;
  };
  if (std::optional<int64_t> id = find())
    return *id;
  database
      ->prepare("INSERT OR IGNORE INTO kernel(artefact, name, source, target, types, config, "
                "registers, spill_bytes, shared_bytes, threads, versions) "
                "VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(std::string_view(kernel.artefact))
      .bind(std::string_view(kernel.name))
      .bind(std::string_view(kernel.source))
      .bind(std::string_view(kernel.target))
      .bind(std::string_view(kernel.types))
      .bind(std::string_view(configText(kernel.config)))
      .bind(kernel.registers)
      .bind(kernel.spillBytes)
      .bind(kernel.sharedBytes)
      .bind(kernel.threads)
      .bind(std::string_view(kernel.versions))
      .run();
  return find().value();
}

void Database::add(const MeasurementRecord &record) {
  database
      ->prepare("INSERT INTO measurement(session, number, problem, kernel, round, us, low, high, "
                "samples, error, seed) VALUES(?,?,?,?,?,?,?,?,?,?,?)")
      .bind(session)
      .bind(records++)
      .bind(record.problem)
      .bind(record.kernel)
      .bind(std::string_view(record.round))
      .bind(record.us)
      .bind(record.low)
      .bind(record.high)
      .bind(record.samples)
      .bind(record.error)
      .bind(static_cast<int64_t>(record.seed))
      .run();
}

void Database::add(const FailureRecord &record) {
  Statement insert = database->prepare(
      "INSERT INTO failure(session, number, problem, stage, artefact, kernel, config, reason, "
      "command) VALUES(?,?,?,?,?,?,?,?,?)");
  insert.bind(session).bind(records++);
  if (record.problem)
    insert.bind(*record.problem);
  else
    insert.bindNull();
  insert.bind(std::string_view(record.stage))
      .bind(std::string_view(record.artefact))
      .bind(std::string_view(record.kernel))
      .bind(std::string_view(record.config))
      .bind(std::string_view(record.reason))
      .bind(std::string_view(record.command))
      .run();
}

void Database::add(const SearchRecord &record) {
  database
      ->prepare(
          "INSERT INTO search(session, number, problem, strategy, candidates_hash, candidates, "
          "measured, stop) VALUES(?,?,?,?,?,?,?,?)")
      .bind(session)
      .bind(records++)
      .bind(record.problem)
      .bind(std::string_view(record.strategy))
      .bind(std::string_view(record.candidatesHash))
      .bind(record.candidates)
      .bind(record.measured)
      .bind(std::string_view(record.stop))
      .run();
}

void Database::setPruned(int64_t problem, const std::string &source, size_t allowed,
                         const std::map<std::string, size_t> &reasons) {
  Transaction transaction(*database);
  database->prepare("UPDATE problem SET allowed = ? WHERE id = ?")
      .bind(static_cast<int64_t>(allowed))
      .bind(problem)
      .run();
  Statement insert = database->prepare("INSERT OR REPLACE INTO pruned VALUES(?,?,?,?)");
  for (const auto &[reason, count] : reasons)
    insert.bind(problem)
        .bind(std::string_view(source))
        .bind(std::string_view(reason))
        .bind(static_cast<int64_t>(count))
        .run();
  transaction.commit();
}

void Database::setDefault(int64_t problem, const std::string &artefact) {
  database->prepare("UPDATE problem SET default_artefact = ? WHERE id = ?")
      .bind(std::string_view(artefact))
      .bind(problem)
      .run();
}

bool Database::hasSearch(int64_t problem, const std::string &strategy,
                         const std::optional<std::string> &candidatesHash) {
  Statement statement =
      database->prepare("SELECT candidates_hash FROM search WHERE problem = ? AND strategy = ?");
  statement.bind(problem).bind(std::string_view(strategy));
  while (statement.step())
    if (!candidatesHash || statement.text(0) == *candidatesHash)
      return true;
  return false;
}

std::map<std::string, std::optional<double>> Database::known(int64_t problem) {
  std::map<std::string, std::optional<double>> result;
  Statement times = database->prepare(
      "SELECT k.artefact, m.us FROM measurement m JOIN kernel k ON k.id = m.kernel "
      "WHERE m.problem = ? AND m.round = 'screen' ORDER BY m.session, m.number");
  times.bind(problem);
  while (times.step())
    result[times.text(0)] = times.real(1);
  Statement failures = database->prepare("SELECT artefact FROM failure WHERE problem = ?");
  failures.bind(problem);
  while (failures.step())
    result[failures.text(0)] = std::nullopt;
  return result;
}

Database::Failures Database::failures() {
  Failures result;
  Statement rows = database->prepare("SELECT stage, artefact, kernel, config, reason, command FROM "
                                     "failure WHERE problem IS NULL ORDER BY session, number");
  while (rows.step())
    result.push_back({std::nullopt, rows.text(0), rows.text(1), rows.text(2), rows.text(3),
                      rows.text(4), rows.text(5)});
  return result;
}

std::optional<std::string> Database::winner(int64_t problem) {
  Statement best = database->prepare(
      "SELECT k.artefact FROM measurement m JOIN kernel k ON k.id = m.kernel "
      "WHERE m.problem = ? AND m.round = 'final' ORDER BY m.us, m.session, m.number LIMIT 1");
  best.bind(problem);
  return best.step() ? std::optional(best.text(0)) : std::nullopt;
}

int64_t Database::merge(const std::string &path) {
  std::error_code ignored;
  if (std::filesystem::equivalent(path, database->path(), ignored))
    throw Error("database '" + path + "': it cannot be merged into itself");
  {
    Database other(path, Mode::ReadOnly);
    for (const char *key : {"device", "clock"})
      if (std::optional<std::string> value = other.meta(key))
        requireMeta(*this, key, *value);
  }
  database->prepare("ATTACH ? AS other").bind(std::string_view(path)).run();
  Transaction transaction(*database);
  const char *shared[] = {
      "INSERT OR IGNORE INTO session(uid, started, command, seed, shard, host, device, driver, "
      "clocks, clock, version) SELECT uid, started, command, seed, shard, host, device, driver, "
      "clocks, clock, version FROM other.session ORDER BY id",
      "INSERT OR IGNORE INTO problem(key, kernel, op, x, w, tokens, hidden, slices, rank, "
      "adapters, add_inputs, bytes, allowed, default_artefact) SELECT key, kernel, op, x, w, "
      "tokens, hidden, slices, "
      "rank, adapters, add_inputs, bytes, allowed, default_artefact FROM other.problem ORDER BY id",
      "INSERT OR IGNORE INTO kernel(artefact, name, source, target, types, config, registers, "
      "spill_bytes, shared_bytes, threads, versions) SELECT artefact, name, source, target, types, "
      "config, registers, spill_bytes, shared_bytes, threads, versions FROM other.kernel "
      "ORDER BY id",
      "INSERT OR IGNORE INTO pruned SELECT p.id, o.source, o.reason, o.count FROM other.pruned o "
      "JOIN other.problem q ON q.id = o.problem JOIN main.problem p ON p.key = q.key",
      "INSERT OR IGNORE INTO failure(session, number, problem, stage, artefact, kernel, config, "
      "reason, command) SELECT s.id, o.number, p.id, o.stage, o.artefact, o.kernel, o.config, "
      "o.reason, o.command FROM other.failure o JOIN other.session t ON t.id = o.session "
      "JOIN main.session s ON s.uid = t.uid LEFT JOIN other.problem q ON q.id = o.problem "
      "LEFT JOIN main.problem p ON p.key = q.key ORDER BY o.session, o.number",
      "INSERT OR IGNORE INTO search(session, number, problem, strategy, candidates_hash, "
      "candidates, "
      "measured, stop) SELECT s.id, o.number, p.id, o.strategy, o.candidates_hash, o.candidates, "
      "o.measured, o.stop FROM other.search o JOIN other.session t ON t.id = o.session "
      "JOIN main.session s ON s.uid = t.uid JOIN other.problem q ON q.id = o.problem "
      "JOIN main.problem p ON p.key = q.key ORDER BY o.session, o.number",
      "INSERT OR IGNORE INTO measurement(session, number, problem, kernel, round, us, low, high, "
      "samples, error, seed) SELECT s.id, o.number, p.id, k.id, o.round, o.us, o.low, o.high, "
      "o.samples, o.error, o.seed FROM other.measurement o "
      "JOIN other.session t ON t.id = o.session JOIN main.session s ON s.uid = t.uid "
      "JOIN other.problem q ON q.id = o.problem JOIN main.problem p ON p.key = q.key "
      "JOIN other.kernel l ON l.id = o.kernel JOIN main.kernel k ON k.artefact = l.artefact "
      "ORDER BY o.session, o.number"};
  for (const char *text : shared)
    database->execute(text);
  int64_t added = database->changes();
  transaction.commit();
  database->execute("DETACH other");
  return added;
}

Config tuner::parseConfig(const std::string &text) {
  Config config;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    size_t equals = word.find('=');
    try {
      if (equals == std::string::npos || equals == 0)
        throw std::invalid_argument(word);
      config[word.substr(0, equals)] = std::stoll(word.substr(equals + 1));
    } catch (const std::exception &) {
      throw Error("configuration '" + text + "': expected NAME=VALUE, found '" + word + "'");
    }
  }
  return config;
}
