//===- Safetensors.cpp - Reader of the safetensors file format -----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Adapter/Safetensors.h"

#include "MappedFile.h"
#include "SafetensorsHeader.h"
#include "Text.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

using namespace lora;

static_assert(std::endian::native == std::endian::little, "safetensors data is little-endian");

namespace {

constexpr size_t lengthBytes = 8;
/// The limit of the reference implementation.
constexpr uint64_t maxHeaderBytes = 100'000'000;

struct TypeFacts {
  const char *name;
  uint64_t bits;
  std::optional<DType> type;
};

constexpr TypeFacts types[] = {
    {"F16", 16, DType::F16},          {"BF16", 16, DType::BF16},
    {"F32", 32, DType::F32},          {"F64", 64, std::nullopt},
    {"C64", 64, std::nullopt},        {"I64", 64, std::nullopt},
    {"U64", 64, std::nullopt},        {"I32", 32, std::nullopt},
    {"U32", 32, std::nullopt},        {"I16", 16, std::nullopt},
    {"U16", 16, std::nullopt},        {"I8", 8, std::nullopt},
    {"U8", 8, std::nullopt},          {"BOOL", 8, std::nullopt},
    {"F8_E4M3", 8, std::nullopt},     {"F8_E5M2", 8, std::nullopt},
    {"F8_E8M0", 8, std::nullopt},     {"F6_E2M3", 6, std::nullopt},
    {"F6_E3M2", 6, std::nullopt},     {"F4", 4, std::nullopt},
    {"F8_E4M3FNUZ", 8, std::nullopt}, {"F8_E5M2FNUZ", 8, std::nullopt},
};

std::string_view headerOf(const MappedFile &file) {
  const auto bytes = file.bytes();
  if (bytes.size() < lengthBytes)
    throw Error(file.path() + ": found " + std::to_string(bytes.size()) +
                " bytes, expected at least 8 for the header length");
  uint64_t length;
  std::memcpy(&length, bytes.data(), lengthBytes);
  if (length > maxHeaderBytes)
    throw Error(file.path() + ": header length: found " + std::to_string(length) +
                ", expected at most " + std::to_string(maxHeaderBytes));
  if (length > bytes.size() - lengthBytes)
    throw Error(file.path() + ": header length: found " + std::to_string(length) +
                ", expected at most the " + std::to_string(bytes.size() - lengthBytes) +
                " bytes that follow it");
  const std::string_view header(reinterpret_cast<const char *>(bytes.data()) + lengthBytes, length);
  if (!header.starts_with('{'))
    throw Error(file.path() + ": header: found " + inQuotes(header.substr(0, 1)) +
                " as its first byte, expected '{'");
  return header;
}

/// The product, or nothing when it does not fit.
std::optional<uint64_t> multiply(uint64_t a, uint64_t b) {
  uint64_t product;
  if (__builtin_mul_overflow(a, b, &product))
    return std::nullopt;
  return product;
}

const TypeFacts &typeOf(const std::string &where, const std::string &typeName) {
  for (const TypeFacts &facts : types)
    if (typeName == facts.name)
      return facts;
  throw Error(where + ": field 'dtype': found " + inQuotes(typeName) +
              ", expected a type of the format, such as F16, BF16 or F32");
}

/// Checks that shape, type and offsets of one tensor fit together and into `dataBytes`.
void checkSize(const std::string &where, const HeaderEntry &entry, const TypeFacts &facts,
               uint64_t dataBytes) {
  const std::string offsets = where + ": field 'data_offsets': found [" +
                              std::to_string(entry.begin) + ", " + std::to_string(entry.end) +
                              "], expected ";
  if (entry.begin > entry.end)
    throw Error(offsets + "the begin not beyond the end");
  if (entry.end > dataBytes)
    throw Error(offsets + "an end within the " + std::to_string(dataBytes) +
                " bytes after the header");
  std::optional<uint64_t> bits = facts.bits;
  for (const int64_t size : entry.shape)
    bits = bits ? multiply(*bits, static_cast<uint64_t>(size)) : bits;
  if (!bits)
    throw Error(where + ": field 'shape': found " + shapeText(entry.shape) +
                ", expected a size in bits below 2^64");
  if (*bits % 8 != 0)
    throw Error(where + ": field 'shape': found " + shapeText(entry.shape) + " of " +
                entry.typeName + ", expected a whole number of bytes");
  if (*bits / 8 != entry.end - entry.begin)
    throw Error(offsets + std::to_string(*bits / 8) + " bytes for shape " + shapeText(entry.shape) +
                " of " + entry.typeName);
}

std::string whereOf(const MappedFile &file, const HeaderEntry &entry) {
  return file.path() + ": tensor " + inQuotes(entry.name);
}

/// Checks that the tensors, sorted by offset, follow each other from 0 to `dataBytes`.
void checkTiling(const MappedFile &file, const std::vector<HeaderEntry> &entries,
                 uint64_t dataBytes) {
  uint64_t reached = 0;
  for (const HeaderEntry &entry : entries) {
    if (entry.begin != reached)
      throw Error(whereOf(file, entry) + ": field 'data_offsets': found a begin of " +
                  std::to_string(entry.begin) + ", expected " + std::to_string(reached) +
                  (entry.begin < reached ? " (it overlaps" : " (it leaves a gap after") +
                  " the tensor before it)");
    reached = entry.end;
  }
  if (reached != dataBytes)
    throw Error(file.path() + ": found " + std::to_string(dataBytes) +
                " bytes after the header, expected " + std::to_string(reached) +
                " by the tensors' offsets");
}

} // namespace

Safetensors Safetensors::open(const std::filesystem::path &path) {
  const auto file = std::make_shared<const MappedFile>(path);
  const std::string_view header = headerOf(*file);
  const auto data = file->bytes().subspan(lengthBytes + header.size());
  std::vector<HeaderEntry> entries = parseSafetensorsHeader(file->path(), header);
  std::sort(entries.begin(), entries.end(), [](const HeaderEntry &a, const HeaderEntry &b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });

  Safetensors result;
  result.all.reserve(entries.size());
  for (const HeaderEntry &entry : entries) {
    const std::string where = whereOf(*file, entry);
    const TypeFacts &facts = typeOf(where, entry.typeName);
    checkSize(where, entry, facts, data.size());
    result.all.push_back({entry.name, facts.type, entry.typeName, entry.shape,
                          data.subspan(entry.begin, entry.end - entry.begin), file});
  }
  checkTiling(*file, entries, data.size());
  std::sort(result.all.begin(), result.all.end(),
            [](const StoredTensor &a, const StoredTensor &b) { return a.name < b.name; });
  return result;
}

const StoredTensor *Safetensors::find(std::string_view name) const {
  const auto found = std::lower_bound(
      all.begin(), all.end(), name,
      [](const StoredTensor &tensor, std::string_view name) { return tensor.name < name; });
  return found != all.end() && found->name == name ? &*found : nullptr;
}
