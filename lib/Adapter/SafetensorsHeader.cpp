//===- SafetensorsHeader.cpp - The JSON header of a safetensors file -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The header is parsed by events rather than into a tree: the depth and the kind of every value are
// known in advance, so a hostile header is refused at its first wrong event, before it costs
// memory, and a repeated key is seen, which a tree would silently drop.
//
//===----------------------------------------------------------------------===//

#include "SafetensorsHeader.h"

#include "Text.h"
#include "lora/Support/Error.h"

#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

using namespace lora;

namespace {

constexpr size_t maxDimensions = 64;

class HeaderParser final : public nlohmann::json_sax<nlohmann::json> {
public:
  explicit HeaderParser(const std::string &path) : path(path) {}

  std::vector<HeaderEntry> entries;

  bool null() override { return unexpected("null"); }
  bool boolean(bool value) override { return unexpected(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override { return unexpected(std::to_string(value)); }
  bool number_float(number_float_t, const string_t &text) override {
    return unexpected(inQuotes(text));
  }
  bool binary(binary_t &) override { return unexpected("binary data"); }

  bool number_unsigned(number_unsigned_t value) override {
    if (state != State::Array)
      return unexpected(std::to_string(value));
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
      fail(where() + ": found " + std::to_string(value) + ", expected at most 2^63 - 1");
    if (numbers.size() == maxDimensions)
      fail(where() + ": found more than " + std::to_string(maxDimensions) + " numbers");
    numbers.push_back(static_cast<int64_t>(value));
    return true;
  }

  bool string(string_t &value) override {
    if (state == State::Metadata)
      return true;
    if (state != State::Tensor || field != "dtype")
      return unexpected("the string " + inQuotes(value));
    entries.back().typeName = value;
    return true;
  }

  bool start_object(size_t) override {
    if (state == State::Start) {
      state = State::Names;
      return true;
    }
    if (state != State::Names)
      return unexpected("an object");
    if (name == "__metadata__") {
      state = State::Metadata;
      return true;
    }
    state = State::Tensor;
    entries.push_back({.name = name, .typeName = {}, .shape = {}});
    hasType = hasShape = hasOffsets = false;
    return true;
  }

  bool key(string_t &value) override {
    if (state == State::Names) {
      name = value;
      if (!names.insert(value).second)
        fail("tensor " + inQuotes(name) + ": found a second entry, expected one");
      return true;
    }
    if (state == State::Metadata)
      return true;
    field = value;
    bool *seen = value == "dtype"          ? &hasType
                 : value == "shape"        ? &hasShape
                 : value == "data_offsets" ? &hasOffsets
                                           : nullptr;
    if (!seen)
      fail(where() + ": found an unknown field, expected dtype, shape or data_offsets");
    if (*seen)
      fail(where() + ": found the field twice, expected it once");
    *seen = true;
    return true;
  }

  bool end_object() override {
    if (state == State::Tensor) {
      requireField(hasType, "dtype");
      requireField(hasShape, "shape");
      requireField(hasOffsets, "data_offsets");
    }
    state = State::Names;
    return true;
  }

  bool start_array(size_t) override {
    if (state != State::Tensor || field == "dtype")
      return unexpected("an array");
    state = State::Array;
    numbers.clear();
    return true;
  }

  bool end_array() override {
    state = State::Tensor;
    if (field == "shape") {
      entries.back().shape = numbers;
      return true;
    }
    if (numbers.size() != 2)
      fail(where() + ": found " + std::to_string(numbers.size()) + " numbers, expected 2");
    entries.back().begin = static_cast<uint64_t>(numbers[0]);
    entries.back().end = static_cast<uint64_t>(numbers[1]);
    return true;
  }

  bool parse_error(size_t position, const std::string &token,
                   const nlohmann::detail::exception &) override {
    fail("malformed JSON at byte " + std::to_string(position) + ": found " + inQuotes(token) +
         ", expected an object of tensors");
  }

private:
  /// What encloses the next value.
  enum class State { Start, Names, Metadata, Tensor, Array };

  const std::string &path;
  State state = State::Start;
  std::unordered_set<std::string> names;
  std::string name;
  std::string field;
  std::vector<int64_t> numbers;
  bool hasType = false;
  bool hasShape = false;
  bool hasOffsets = false;

  [[noreturn]] void fail(const std::string &what) const { throw Error(path + ": header: " + what); }

  std::string where() const {
    switch (state) {
    case State::Start:
      return "top level";
    case State::Names:
      return "tensor " + inQuotes(name);
    case State::Metadata:
      return "__metadata__";
    case State::Tensor:
    case State::Array:
      break;
    }
    return "tensor " + inQuotes(name) + ": field " + inQuotes(field);
  }

  const char *expectedValue() const {
    switch (state) {
    case State::Start:
    case State::Names:
      return "an object";
    case State::Metadata:
      return "a string";
    case State::Tensor:
      return field == "dtype" ? "a string" : "an array";
    case State::Array:
      break;
    }
    return "an unsigned integer";
  }

  bool unexpected(const std::string &found) const {
    fail(where() + ": found " + found + ", expected " + expectedValue());
  }

  void requireField(bool present, const char *required) const {
    if (!present)
      fail("tensor " + inQuotes(name) + ": found no field '" + required + "', expected one");
  }
};

} // namespace

std::vector<HeaderEntry> lora::parseSafetensorsHeader(const std::string &path,
                                                      std::string_view json) {
  HeaderParser parser(path);
  nlohmann::json::sax_parse(json.begin(), json.end(), &parser);
  return std::move(parser.entries);
}
