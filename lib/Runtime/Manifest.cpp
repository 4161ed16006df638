//===- Manifest.cpp - What a compiled kernel says about itself ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Manifest.h"

#include "lora/Runtime/Arguments.h"
#include "lora/Support/Error.h"
#include "lora/Support/Expression.h"

#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <set>
#include <sstream>

using namespace lora;
using nlohmann::json;

namespace {

/// The blocks of the largest cluster that any device can be asked for.
constexpr unsigned maxClusterSize = 16;

/// The names that the expressions of a manifest may use.
struct Names {
  std::set<std::string> integers;
  std::set<std::string> pointers;
};

[[noreturn]] void fail(std::string_view where, const std::string &field, const std::string &what) {
  throw Error(std::string(where) + ": field '" + field + "': " + what);
}

Names collectNames(const KernelManifest &manifest, std::string_view where) {
  Names names;
  std::set<std::string> seen;
  for (size_t i = 0; i < manifest.arguments.size(); ++i) {
    const KernelManifest::Argument &argument = manifest.arguments[i];
    std::string field = "arguments[" + std::to_string(i) + "]";
    if (argument.name.empty())
      fail(where, field + ".name", "expected a name, found an empty string");
    if (!seen.insert(argument.name).second)
      fail(where, field + ".name", "argument '" + argument.name + "' occurs twice");
    std::optional<ArgumentType> type = parseArgumentType(argument.type);
    if (!type)
      fail(where, field + ".type", "expected ptr, i32, i64 or f32, found '" + argument.type + "'");
    if (*type == ArgumentType::Pointer)
      names.pointers.insert(argument.name);
    else if (*type != ArgumentType::F32)
      names.integers.insert(argument.name);
  }
  for (const auto &[name, value] : manifest.config) {
    if (!seen.insert(name).second)
      fail(where, "config." + name, "an argument has the same name");
    names.integers.insert(name);
  }
  return names;
}

void checkExpression(const std::string &text, const std::string &field, const Names &names,
                     bool mayUsePointers, std::string_view where) {
  std::set<std::string> used;
  try {
    used = Expression::parse(text).names();
  } catch (const Error &error) {
    fail(where, field, error.what());
  }
  for (const std::string &name : used)
    if (!names.integers.count(name) && !(mayUsePointers && names.pointers.count(name)))
      fail(where, field,
           "'" + text + "' uses '" + name + "', which is no integer argument" +
               (mayUsePointers ? ", pointer" : "") + " or config name");
}

void checkRange(const std::string &field, int64_t value, int64_t low, int64_t high,
                std::string_view where) {
  if (value < low || value > high)
    fail(where, field,
         "expected " + std::to_string(low) + " to " + std::to_string(high) + ", found " +
             std::to_string(value));
}

void checkNotEmpty(const std::string &field, const std::string &value, std::string_view where) {
  if (value.empty())
    fail(where, field, "expected a name, found an empty string");
}

/// Reads the fields of one JSON object and knows which were asked for.
class ObjectReader {
public:
  ObjectReader(const json &object, std::string prefix, std::string_view where)
      : object(object), prefix(std::move(prefix)), where(where) {
    if (!object.is_object())
      throw Error(std::string(where) + ": " + describe() + "expected an object, found " +
                  object.type_name());
  }

  /// The field, or null when it is not there.
  const json *find(const char *name) {
    known.insert(name);
    auto found = object.find(name);
    return found == object.end() ? nullptr : &*found;
  }

  const json &get(const char *name) {
    if (const json *found = find(name))
      return *found;
    throw Error(std::string(where) + ": field '" + prefix + name + "' is missing");
  }

  std::string string(const char *name) { return toString(get(name), prefix + name); }

  int64_t integer(const char *name, int64_t low, int64_t high) {
    return toInteger(get(name), prefix + name, low, high);
  }

  unsigned count(const char *name) {
    return static_cast<unsigned>(integer(name, 0, std::numeric_limits<unsigned>::max()));
  }

  const json &array(const char *name) {
    const json &value = get(name);
    if (!value.is_array())
      fail(where, prefix + name, std::string("expected an array, found ") + value.type_name());
    return value;
  }

  const json &triple(const char *name) {
    const json &value = array(name);
    if (value.size() != 3)
      fail(where, prefix + name, "expected 3 entries, found " + std::to_string(value.size()));
    return value;
  }

  std::map<std::string, std::string> stringMap(const char *name) {
    std::map<std::string, std::string> result;
    for (const auto &[key, value] : objectField(name).items())
      result[key] = toString(value, prefix + name + "." + key);
    return result;
  }

  std::map<std::string, int64_t> integerMap(const char *name) {
    std::map<std::string, int64_t> result;
    for (const auto &[key, value] : objectField(name).items())
      result[key] = toInteger(value, prefix + name + "." + key, std::numeric_limits<int64_t>::min(),
                              std::numeric_limits<int64_t>::max());
    return result;
  }

  std::string toString(const json &value, const std::string &field) {
    if (!value.is_string())
      fail(where, field, std::string("expected a string, found ") + value.type_name());
    return value.get<std::string>();
  }

  int64_t toInteger(const json &value, const std::string &field, int64_t low, int64_t high) {
    if (!value.is_number_integer())
      fail(where, field, "expected an integer, found " + value.dump());
    bool tooLarge = value.is_number_unsigned() &&
                    value.get<uint64_t>() > uint64_t(std::numeric_limits<int64_t>::max());
    if (tooLarge || value.get<int64_t>() < low || value.get<int64_t>() > high)
      fail(where, field,
           "expected " + std::to_string(low) + " to " + std::to_string(high) + ", found " +
               value.dump());
    return value.get<int64_t>();
  }

  void rejectOtherFields() {
    for (const auto &[name, value] : object.items())
      if (!known.count(name))
        throw Error(std::string(where) + ": unknown field '" + prefix + name + "'");
  }

private:
  std::string describe() const {
    return prefix.empty() ? "" : "field '" + prefix.substr(0, prefix.size() - 1) + "': ";
  }

  const json &objectField(const char *name) {
    const json &value = get(name);
    if (!value.is_object())
      fail(where, prefix + name, std::string("expected an object, found ") + value.type_name());
    return value;
  }

  const json &object;
  std::string prefix;
  std::string_view where;
  std::set<std::string> known;
};

json parseJson(std::string_view text, std::string_view where) {
  try {
    return json::parse(text);
  } catch (const json::parse_error &error) {
    throw Error(std::string(where) + ": not valid JSON at byte " + std::to_string(error.byte));
  }
}

KernelManifest::Argument readArgument(const json &value, size_t index, std::string_view where) {
  ObjectReader reader(value, "arguments[" + std::to_string(index) + "].", where);
  KernelManifest::Argument argument{reader.string("name"), reader.string("type")};
  reader.rejectOtherFields();
  return argument;
}

KernelManifest::Report readReport(const json &value, std::string_view where) {
  ObjectReader reader(value, "report.", where);
  KernelManifest::Report report{reader.count("registers"), reader.count("spillBytes"),
                                reader.count("stackBytes")};
  reader.rejectOtherFields();
  return report;
}

} // namespace

void KernelManifest::validate(std::string_view where) const {
  checkRange("format", format, 1, 1, where);
  checkNotEmpty("kernel", kernel, where);
  checkNotEmpty("symbol", symbol, where);
  checkNotEmpty("target", target, where);
  checkRange("threads", threads, 1, 1024, where);
  for (size_t i = 0; i < 3; ++i)
    checkRange("cluster[" + std::to_string(i) + "]", cluster[i], 1, maxClusterSize, where);
  if (cluster[0] * cluster[1] * cluster[2] > maxClusterSize)
    fail(where, "cluster", "expected at most " + std::to_string(maxClusterSize) + " blocks");
  checkRange("workspaceBytesPerGroup", workspaceBytesPerGroup, 0,
             std::numeric_limits<int64_t>::max(), where);
  checkRange("splitGroupSize", splitGroupSize, 1, std::numeric_limits<int64_t>::max(), where);
  Names names = collectNames(*this, where);
  for (size_t i = 0; i < 3; ++i)
    checkExpression(grid[i], "grid[" + std::to_string(i) + "]", names, false, where);
  for (size_t i = 0; i < assumptions.size(); ++i)
    checkExpression(assumptions[i], "assumptions[" + std::to_string(i) + "]", names, true, where);
}

std::string KernelManifest::toJson() const {
  nlohmann::ordered_json root;
  root["format"] = format;
  root["kernel"] = kernel;
  root["symbol"] = symbol;
  root["target"] = target;
  root["types"] = types;
  root["config"] = config;
  root["arguments"] = nlohmann::ordered_json::array();
  for (const Argument &argument : arguments)
    root["arguments"].push_back({{"name", argument.name}, {"type", argument.type}});
  root["grid"] = grid;
  root["assumptions"] = assumptions;
  root["threads"] = threads;
  root["sharedBytes"] = sharedBytes;
  root["cluster"] = cluster;
  root["workspaceBytesPerGroup"] = workspaceBytesPerGroup;
  root["splitGroupSize"] = splitGroupSize;
  if (report)
    root["report"] = {{"registers", report->registers},
                      {"spillBytes", report->spillBytes},
                      {"stackBytes", report->stackBytes}};
  root["versions"] = versions;
  return root.dump(2) + "\n";
}

KernelManifest KernelManifest::fromJson(std::string_view text, std::string_view where) {
  const json root = parseJson(text, where);
  ObjectReader reader(root, "", where);
  KernelManifest result;
  // First, because the other fields may differ in another format.
  result.format = static_cast<int>(reader.integer("format", 1, 1));
  result.kernel = reader.string("kernel");
  result.symbol = reader.string("symbol");
  result.target = reader.string("target");
  result.types = reader.stringMap("types");
  result.config = reader.integerMap("config");
  for (const json &argument : reader.array("arguments"))
    result.arguments.push_back(readArgument(argument, result.arguments.size(), where));
  const json &grid = reader.triple("grid");
  for (size_t i = 0; i < 3; ++i)
    result.grid[i] = reader.toString(grid[i], "grid[" + std::to_string(i) + "]");
  for (const json &assumption : reader.array("assumptions"))
    result.assumptions.push_back(reader.toString(
        assumption, "assumptions[" + std::to_string(result.assumptions.size()) + "]"));
  result.threads = reader.count("threads");
  result.sharedBytes = reader.count("sharedBytes");
  const json &cluster = reader.triple("cluster");
  for (size_t i = 0; i < 3; ++i)
    result.cluster[i] = static_cast<unsigned>(
        reader.toInteger(cluster[i], "cluster[" + std::to_string(i) + "]", 1, maxClusterSize));
  const int64_t unlimited = std::numeric_limits<int64_t>::max();
  result.workspaceBytesPerGroup = reader.integer("workspaceBytesPerGroup", 0, unlimited);
  result.splitGroupSize = reader.integer("splitGroupSize", 1, unlimited);
  if (const json *report = reader.find("report"))
    result.report = readReport(*report, where);
  result.versions = reader.stringMap("versions");
  reader.rejectOtherFields();
  result.validate(where);
  return result;
}

KernelManifest KernelManifest::load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw Error(path + ": cannot open: " + std::strerror(errno));
  std::ostringstream text;
  text << file.rdbuf();
  return fromJson(text.str(), path);
}
