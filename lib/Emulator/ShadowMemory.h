//===- ShadowMemory.h - What has happened to each byte of memory ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Thread.h"

#include "llvm/ADT/ArrayRef.h"

#include <array>
#include <atomic>
#include <memory>
#include <vector>

namespace lora::emulator {

/// What `thread` is told of an access: its op and thread, with the block if that is another one.
std::string describeOther(const Thread &thread, const Access &other);

/// The history of a few neighbouring bytes that were only ever accessed together.
struct Cell {
  Access writer;
  Access reader;
  /// Readers since the last write that are not ordered with each other nor with `reader`. There is
  /// one for a warp, so that those of a block always fit; of readers in many blocks, the oldest are
  /// forgotten.
  static constexpr size_t maxOtherReaders = 64;
  std::vector<Access> otherReaders;
  /// Asynchronous copies that may still read the bytes, and the latest of them.
  uint32_t pendingReads = 0;
  Access pendingReader;
  /// `reader` or one before it promised that nobody writes the bytes.
  bool promised = false;
};

/// The history of 16 aligned bytes: an access of up to 16 bytes lies in one line. Kept in cells of
/// the size of the smallest access so far, so that it is exact to the byte and yet costs one cell
/// for an access where all have one size. Functions take the offset of the access in the line and
/// its width, a power of two, and throw Error with what is wrong when the access is not allowed.
class Line {
public:
  static constexpr uint32_t size = 16;

  void reset(bool initialised);
  void read(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);
  /// A read that promises that nobody writes the bytes during the launch.
  void readOnly(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);
  void write(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);

  /// An asynchronous copy: its two ends when it is issued, and again when it is waited for.
  void startCopyFrom(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);
  void finishCopyFrom(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);
  void startCopyTo(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);
  void finishCopyTo(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);

  /// The bytes become an mbarrier, which only its own ops may touch.
  void makeMbarrier(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width);

  /// A store that the mbarrier with this number counts: when it is issued, and when the mbarrier
  /// was first waited for.
  void startCounted(const Thread &thread, uint32_t op, uint32_t mbarrier, uint32_t offset,
                    uint32_t width);
  void finishCounted(uint32_t offset, uint32_t width);

  /// Guards the line and the bytes it describes where blocks share them.
  class Lock {
  public:
    explicit Lock(Line &line) : line(line) {
      while (line.locked.test_and_set(std::memory_order_acquire)) {
      }
    }
    ~Lock() { line.locked.clear(std::memory_order_release); }
    Lock(const Lock &) = delete;
    Lock &operator=(const Lock &) = delete;

  private:
    Line &line;
  };

private:
  llvm::MutableArrayRef<Cell> cells(uint32_t offset, uint32_t width);
  void checkAccessible(const Thread &thread, uint32_t offset, uint32_t width);
  void checkWrite(const Thread &thread, uint32_t offset, uint32_t width);
  void setWriter(const Access &access, uint32_t offset, uint32_t width);

  std::atomic_flag locked;
  uint8_t cellSize = size;
  // One bit a byte.
  uint16_t written = 0;
  uint16_t inFlight = 0;
  uint16_t mbarrier = 0;
  Cell whole;
  /// Replaces `whole` when cellSize < size.
  std::unique_ptr<Cell[]> parts;
};

/// The lines of a buffer in global memory, made as they are touched. Thread-safe.
class ShadowMap {
public:
  ShadowMap(size_t lines, bool initialised);
  ~ShadowMap();
  Line &line(size_t index);

private:
  static constexpr size_t pageLines = 64;
  struct Page;
  std::vector<std::atomic<Page *>> pages;
  bool initialised;
};

} // namespace lora::emulator
