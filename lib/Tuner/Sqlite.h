//===- Sqlite.h - A thin layer over SQLite --------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace lora::tuner {

/// A prepared statement. Values are bound in their order; a step binds anew after it has ended.
class Statement {
public:
  Statement(sqlite3 *database, const std::string &path, std::string_view text);

  Statement &bind(int64_t value);
  Statement &bind(double value);
  Statement &bind(std::string_view value);
  Statement &bindNull();

  /// Runs to the next row; false at the end. Throws Error with the file and SQLite's reason.
  bool step();
  /// Runs to the end.
  void run();

  int64_t integer(int column) const;
  double real(int column) const;
  std::string text(int column) const;
  bool isNull(int column) const;
  int columns() const;
  std::string columnName(int column) const;

private:
  struct Finalize {
    void operator()(sqlite3_stmt *statement) const;
  };
  void check(int status) const;

  sqlite3 *database;
  const std::string &path;
  std::unique_ptr<sqlite3_stmt, Finalize> statement;
  int next = 1;
};

/// An open database file.
class Sqlite {
public:
  enum class Mode { Create, ReadWrite, ReadOnly };

  /// Waits up to `waitMilliseconds` for others that hold it. Throws Error with the path and
  /// SQLite's reason.
  Sqlite(std::string path, Mode mode, int waitMilliseconds = 30000);

  Statement prepare(std::string_view text) { return Statement(handle.get(), file, text); }
  void execute(std::string_view text) { prepare(text).run(); }
  /// Switches to a write-ahead log, with which readers and one writer do not disturb each other.
  void useWriteAheadLog();
  int64_t lastRow() const;
  int64_t changes() const;
  const std::string &path() const { return file; }

private:
  struct Close {
    void operator()(sqlite3 *database) const;
  };

  std::string file;
  int waitMilliseconds;
  std::unique_ptr<sqlite3, Close> handle;
};

/// Everything in the scope is written, or nothing, also when the process is killed.
class Transaction {
public:
  explicit Transaction(Sqlite &database) : database(database) {
    database.execute("BEGIN IMMEDIATE");
  }
  ~Transaction();
  void commit();

private:
  Sqlite &database;
  bool open = true;
};

} // namespace lora::tuner
