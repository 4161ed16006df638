//===- Pack.cpp - Files of compiled kernels -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Pack/Pack.h"

#include "PackIndex.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lora;

static_assert(std::endian::native == std::endian::little, "packs are little-endian");

namespace {

constexpr char kMagic[8] = {'L', 'O', 'R', 'A', 'P', 'A', 'C', 'K'};
constexpr uint32_t kVersion = 1;
/// What cubins are aligned to in the file.
constexpr uint64_t kCodeAlignment = 64;

/// The first bytes of a pack.
struct Header {
  char magic[8];
  uint32_t version;
  uint32_t headerBytes;
  uint64_t fileBytes;
  uint64_t indexOffset;
  uint64_t indexBytes;
  Sha256 indexChecksum;
  /// The first bytes of the SHA-256 of all fields above.
  uint8_t headerChecksum[8];
};
static_assert(sizeof(Header) == 80);

void sealHeader(Header &header) {
  auto all = std::as_bytes(std::span(&header, 1));
  Sha256 checksum = sha256(all.first(offsetof(Header, headerChecksum)));
  std::copy_n(checksum.begin(), sizeof(header.headerChecksum), header.headerChecksum);
}

/// Bytes that are mapped, or owned.
class Bytes {
public:
  Bytes() = default;
  Bytes(const Bytes &) = delete;
  Bytes &operator=(const Bytes &) = delete;
  ~Bytes() {
    if (mapped)
      munmap(mapped, mappedSize);
  }

  void map(const std::string &path);
  void copy(std::span<const std::byte> from) { owned.assign(from.begin(), from.end()); }

  std::span<const std::byte> get() const {
    return mapped ? std::span(static_cast<const std::byte *>(mapped), mappedSize)
                  : std::span<const std::byte>(owned);
  }

private:
  void *mapped = nullptr;
  size_t mappedSize = 0;
  std::vector<std::byte> owned;
};

struct FileDescriptor {
  int number;
  ~FileDescriptor() {
    if (number >= 0)
      close(number);
  }
};

[[noreturn]] void failWithErrno(const std::string &what) {
  throw Error(what + ": " + std::strerror(errno));
}

void Bytes::map(const std::string &path) {
  FileDescriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
  struct stat status;
  if (file.number < 0 || fstat(file.number, &status) != 0)
    failWithErrno("pack '" + path + "': cannot open");
  if (!S_ISREG(status.st_mode))
    throw Error("pack '" + path + "': expected a file");
  if (status.st_size == 0)
    return;
  void *address =
      mmap(nullptr, static_cast<size_t>(status.st_size), PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED)
    failWithErrno("pack '" + path + "': cannot map");
  mapped = address;
  mappedSize = static_cast<size_t>(status.st_size);
}

Header readHeader(std::span<const std::byte> bytes, const std::string &where) {
  size_t known = std::min(bytes.size(), sizeof(kMagic));
  if (known == 0 || std::memcmp(bytes.data(), kMagic, known) != 0)
    throw Error(where + ": not a kernel pack");
  Header header;
  if (bytes.size() < sizeof(header))
    throw Error(where + ": truncated: " + std::to_string(bytes.size()) +
                " bytes, less than a header");
  std::memcpy(&header, bytes.data(), sizeof(header));
  if (header.version != kVersion)
    throw Error(where + ": format version " + std::to_string(header.version) +
                ": this library reads version " + std::to_string(kVersion));
  Header expected = header;
  sealHeader(expected);
  if (std::memcmp(&expected, &header, sizeof(header)) != 0 || header.headerBytes != sizeof(header))
    throw Error(where + ": damaged: the header does not match its checksum");
  if (header.fileBytes != bytes.size())
    throw Error(where + ": " + (bytes.size() < header.fileBytes ? "truncated" : "damaged") +
                ": expected " + std::to_string(header.fileBytes) + " bytes, found " +
                std::to_string(bytes.size()));
  if (header.indexOffset > bytes.size() || header.indexBytes > bytes.size() - header.indexOffset)
    throw Error(where + ": damaged: the index is outside of the file");
  return header;
}

uint64_t roundUp(uint64_t value, uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

} // namespace

struct Pack::State {
  std::string name;
  Bytes bytes;
  PackIndex index;
  /// For each kernel, whether its checksum was found to match.
  mutable std::vector<std::atomic<bool>> verified;

  void readIndex();
};

void Pack::State::readIndex() {
  const std::string where = "pack '" + name + "'";
  std::span<const std::byte> all = bytes.get();
  Header header = readHeader(all, where);
  auto text = all.subspan(header.indexOffset, header.indexBytes);
  if (sha256(text) != header.indexChecksum)
    throw Error(where + ": damaged: the index does not match its checksum");
  index = packIndexFromJson({reinterpret_cast<const char *>(text.data()), text.size()},
                            header.indexOffset, where);
  verified = std::vector<std::atomic<bool>>(index.kernels.size());
}

Pack Pack::open(const std::string &path) {
  auto state = std::make_shared<State>();
  state->name = path;
  state->bytes.map(path);
  state->readIndex();
  return Pack(std::move(state));
}

Pack Pack::fromMemory(std::span<const std::byte> bytes, std::string name) {
  auto state = std::make_shared<State>();
  state->name = std::move(name);
  state->bytes.copy(bytes);
  state->readIndex();
  return Pack(std::move(state));
}

const std::string &Pack::name() const { return shared->name; }
const PackIndex &Pack::index() const { return shared->index; }

std::span<const std::byte> Pack::code(const PackKernel &kernel) const {
  std::span<const std::byte> code = shared->bytes.get().subspan(kernel.offset, kernel.size);
  std::atomic<bool> &verified =
      shared->verified[static_cast<size_t>(&kernel - shared->index.kernels.data())];
  if (verified.load(std::memory_order_acquire))
    return code;
  std::string where =
      "pack '" + shared->name + "': kernel '" + kernel.id + "' for " + kernel.manifest.target;
  if (sha256(code) != kernel.checksum)
    throw Error(where + ": damaged: its code does not match its checksum");
  if (kernel.kind != CodeKind::Cubin && code.back() != std::byte(0))
    throw Error(where + ": damaged: its text does not end with a zero byte");
  verified.store(true, std::memory_order_release);
  return code;
}

std::string lora::packBytes(PackIndex index, std::span<const std::string> code) {
  std::string bytes(sizeof(Header), '\0');
  for (size_t i = 0; i < index.kernels.size(); ++i) {
    bytes.resize(roundUp(bytes.size(), kCodeAlignment));
    PackKernel &kernel = index.kernels[i];
    kernel.offset = bytes.size();
    kernel.size = code[i].size();
    kernel.checksum = sha256(std::as_bytes(std::span(code[i])));
    bytes += code[i];
  }
  bytes.resize(roundUp(bytes.size(), kCodeAlignment));
  std::string text = packIndexToJson(index);

  Header header = {};
  std::copy(std::begin(kMagic), std::end(kMagic), header.magic);
  header.version = kVersion;
  header.headerBytes = sizeof(header);
  header.indexOffset = bytes.size();
  header.indexBytes = text.size();
  header.fileBytes = bytes.size() + text.size();
  header.indexChecksum = sha256(std::as_bytes(std::span(text)));
  sealHeader(header);
  std::memcpy(bytes.data(), &header, sizeof(header));
  return bytes + text;
}
