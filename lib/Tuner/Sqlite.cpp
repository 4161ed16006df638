//===- Sqlite.cpp - A thin layer over SQLite ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Sqlite.h"

#include "lora/Support/Error.h"

#include <sqlite3.h>

#include <chrono>
#include <filesystem>
#include <thread>

using namespace lora;
using namespace lora::tuner;

void Statement::Finalize::operator()(sqlite3_stmt *statement) const { sqlite3_finalize(statement); }
void Sqlite::Close::operator()(sqlite3 *database) const { sqlite3_close_v2(database); }

static std::string reasonOf(sqlite3 *database, int status) {
  switch (status & 0xff) {
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return "it is locked by another process";
  case SQLITE_READONLY:
    return "it is read-only";
  case SQLITE_FULL:
    return "the disk is full";
  case SQLITE_NOTADB:
    return "it is not a tuning database";
  case SQLITE_CORRUPT:
    return "it is damaged";
  case SQLITE_CANTOPEN:
    return "it cannot be opened";
  case SQLITE_IOERR:
    return "reading or writing failed (is the disk full?)";
  default:
    return sqlite3_errmsg(database);
  }
}

Statement::Statement(sqlite3 *database, const std::string &path, std::string_view text)
    : database(database), path(path) {
  sqlite3_stmt *prepared = nullptr;
  int status =
      sqlite3_prepare_v2(database, text.data(), static_cast<int>(text.size()), &prepared, nullptr);
  statement.reset(prepared);
  check(status);
}

void Statement::check(int status) const {
  if (status != SQLITE_OK && status != SQLITE_ROW && status != SQLITE_DONE)
    throw Error("database '" + path + "': " + reasonOf(database, status));
}

Statement &Statement::bind(int64_t value) {
  check(sqlite3_bind_int64(statement.get(), next++, value));
  return *this;
}

Statement &Statement::bind(double value) {
  check(sqlite3_bind_double(statement.get(), next++, value));
  return *this;
}

Statement &Statement::bind(std::string_view value) {
  check(sqlite3_bind_text(statement.get(), next++, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT));
  return *this;
}

Statement &Statement::bindNull() {
  check(sqlite3_bind_null(statement.get(), next++));
  return *this;
}

bool Statement::step() {
  int status = sqlite3_step(statement.get());
  if (status == SQLITE_ROW)
    return true;
  sqlite3_reset(statement.get());
  sqlite3_clear_bindings(statement.get());
  next = 1;
  check(status);
  return false;
}

void Statement::run() {
  while (step())
    ;
}

int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement.get(), column);
}

double Statement::real(int column) const { return sqlite3_column_double(statement.get(), column); }

std::string Statement::text(int column) const {
  auto *bytes = reinterpret_cast<const char *>(sqlite3_column_text(statement.get(), column));
  return bytes ? std::string(bytes, size_t(sqlite3_column_bytes(statement.get(), column)))
               : std::string();
}

bool Statement::isNull(int column) const {
  return sqlite3_column_type(statement.get(), column) == SQLITE_NULL;
}

int Statement::columns() const { return sqlite3_column_count(statement.get()); }

std::string Statement::columnName(int column) const {
  return sqlite3_column_name(statement.get(), column);
}

Sqlite::Sqlite(std::string path, Mode mode, int waitMilliseconds)
    : file(std::move(path)), waitMilliseconds(waitMilliseconds) {
  if (std::filesystem::is_directory(file))
    throw Error("database '" + file + "': expected a file, found a folder");
  sqlite3 *opened = nullptr;
  int flags = mode == Mode::ReadOnly ? SQLITE_OPEN_READONLY
              : mode == Mode::Create ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
                                     : SQLITE_OPEN_READWRITE;
  int status = sqlite3_open_v2(file.c_str(), &opened, flags, nullptr);
  handle.reset(opened);
  if (status != SQLITE_OK)
    throw Error("database '" + file + "': " + reasonOf(opened, status));
  sqlite3_busy_timeout(opened, waitMilliseconds);
}

void Sqlite::useWriteAheadLog() {
  // Where two processes switch at a time, SQLite gives up at once lest they wait for each other.
  auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(waitMilliseconds);
  int status = SQLITE_OK;
  while ((status = sqlite3_exec(handle.get(), "PRAGMA journal_mode=WAL", nullptr, nullptr,
                                nullptr)) == SQLITE_BUSY &&
         std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (status != SQLITE_OK)
    throw Error("database '" + file + "': " + reasonOf(handle.get(), status));
}

int64_t Sqlite::lastRow() const { return sqlite3_last_insert_rowid(handle.get()); }
int64_t Sqlite::changes() const { return sqlite3_changes(handle.get()); }

void Transaction::commit() {
  database.execute("COMMIT");
  open = false;
}

Transaction::~Transaction() {
  if (!open)
    return;
  try {
    database.execute("ROLLBACK");
  } catch (const Error &) {
    // SQLite has rolled back by itself, which is what was wanted.
  }
}
