//===- ShadowMemory.cpp - What has happened to each byte of memory --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShadowMemory.h"

#include "Block.h"
#include "lora/Support/Error.h"

namespace lora::emulator {

static uint16_t byteMask(uint32_t offset, uint32_t width) {
  return static_cast<uint16_t>(((1u << width) - 1) << offset);
}

Access Thread::access(uint32_t op) const {
  Access access;
  access.block = block->index();
  access.clock = clock;
  access.op = op;
  access.warp = static_cast<uint16_t>(warp->index);
  access.lanes = laneBit();
  return access;
}

bool Thread::knows(const Access &earlier) const {
  Access others = earlier;
  if (earlier.block == block->index() && !earlier.counted) {
    if (earlier.clock < warp->seen[earlier.warp])
      return true;
    if (earlier.warp == warp->index)
      others.lanes &= ~laneBit();
    if (others.lanes == 0)
      return true;
  }
  return (acquired && acquired->covers(others)) || (warp->known && warp->known->covers(others));
}

std::string describeOther(const Thread &thread, const Access &other) {
  std::string text = thread.block->ops()[other.op].describe() + " in thread " +
                     std::to_string(other.firstThread());
  if (other.block != thread.block->index())
    text += " of " + thread.block->describe(other.block);
  return text;
}

static void checkOrdered(const Thread &thread, const Access &earlier, const char *what) {
  if (earlier.happened() && !thread.knows(earlier))
    throw Error(std::string("race: not ordered after the ") + what + " of the same bytes by " +
                describeOther(thread, earlier));
}

void Line::reset(bool initialised) {
  cellSize = size;
  written = initialised ? 0xffff : 0;
  inFlight = 0;
  mbarrier = 0;
  whole = Cell();
  parts.reset();
}

llvm::MutableArrayRef<Cell> Line::cells(uint32_t offset, uint32_t width) {
  if (width < cellSize) {
    auto finer = std::make_unique<Cell[]>(size / width);
    for (uint32_t i = 0; i < size / width; ++i)
      finer[i] = cellSize == size ? whole : parts[i * width / cellSize];
    parts = std::move(finer);
    cellSize = static_cast<uint8_t>(width);
  }
  if (cellSize == size)
    return {&whole, 1};
  return {&parts[offset / cellSize], width / cellSize};
}

void Line::checkAccessible(const Thread &thread, uint32_t offset, uint32_t width) {
  if (!((inFlight | mbarrier) & byteMask(offset, width)))
    return;
  for (uint32_t byte = offset; byte < offset + width; ++byte) {
    const Cell &cell = cellSize == size ? whole : parts[byte / cellSize];
    if (inFlight & byteMask(byte, 1))
      throw Error("the bytes are in flight: not waited for since " +
                  describeOther(thread, cell.writer));
    if (mbarrier & byteMask(byte, 1))
      throw Error("the bytes are an mbarrier, of " + describeOther(thread, cell.writer));
  }
}

static void addReader(Cell &cell, const Thread &thread, uint32_t op) {
  const Access now = thread.access(op);
  auto merges = [&](const Access &reader) {
    return reader.block == now.block && reader.warp == now.warp && reader.clock == now.clock;
  };
  if (merges(cell.reader)) {
    cell.reader.lanes |= now.lanes;
    cell.reader.op = op;
    return;
  }
  // Whoever is ordered after this read is ordered after those that came before it.
  std::erase_if(cell.otherReaders, [&](const Access &reader) { return thread.knows(reader); });
  for (Access &reader : cell.otherReaders) {
    if (merges(reader)) {
      reader.lanes |= now.lanes;
      reader.op = op;
      return;
    }
  }
  if (cell.reader.happened() && !thread.knows(cell.reader)) {
    if (cell.otherReaders.size() == Cell::maxOtherReaders)
      cell.otherReaders.erase(cell.otherReaders.begin());
    cell.otherReaders.push_back(cell.reader);
  }
  cell.reader = now;
}

void Line::read(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  checkAccessible(thread, offset, width);
  const uint16_t mask = byteMask(offset, width);
  if ((written & mask) != mask)
    throw Error("reads bytes that nobody has written");
  for (Cell &cell : cells(offset, width)) {
    checkOrdered(thread, cell.writer, "write");
    addReader(cell, thread, op);
  }
}

void Line::readOnly(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  for (Cell &cell : cells(offset, width)) {
    if (cell.writer.happened())
      throw Error("read-only load of bytes that this launch writes, by " +
                  describeOther(thread, cell.writer));
    cell.promised = true;
  }
  read(thread, op, offset, width);
}

void Line::checkWrite(const Thread &thread, uint32_t offset, uint32_t width) {
  checkAccessible(thread, offset, width);
  for (const Cell &cell : cells(offset, width)) {
    if (cell.pendingReads != 0)
      throw Error("overwrites the source of an asynchronous copy in flight, of " +
                  describeOther(thread, cell.pendingReader));
    if (cell.promised)
      throw Error("writes bytes that are promised to be read-only by " +
                  describeOther(thread, cell.reader));
    checkOrdered(thread, cell.writer, "write");
    checkOrdered(thread, cell.reader, "read");
    for (const Access &reader : cell.otherReaders)
      checkOrdered(thread, reader, "read");
  }
}

void Line::setWriter(const Access &access, uint32_t offset, uint32_t width) {
  if (width == size && cellSize < size) {
    cellSize = size;
    parts.reset();
  }
  for (Cell &cell : cells(offset, width)) {
    cell.writer = access;
    cell.reader = Access();
    cell.otherReaders.clear();
    cell.pendingReads = 0;
  }
  written |= byteMask(offset, width);
}

void Line::write(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  checkWrite(thread, offset, width);
  setWriter(thread.access(op), offset, width);
}

void Line::startCopyFrom(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  read(thread, op, offset, width);
  for (Cell &cell : cells(offset, width)) {
    ++cell.pendingReads;
    cell.pendingReader = thread.access(op);
  }
}

void Line::finishCopyFrom(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  for (Cell &cell : cells(offset, width)) {
    --cell.pendingReads;
    addReader(cell, thread, op);
  }
}

void Line::startCopyTo(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  write(thread, op, offset, width);
  inFlight |= byteMask(offset, width);
}

void Line::finishCopyTo(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  inFlight &= static_cast<uint16_t>(~byteMask(offset, width));
  setWriter(thread.access(op), offset, width);
}

void Line::makeMbarrier(const Thread &thread, uint32_t op, uint32_t offset, uint32_t width) {
  write(thread, op, offset, width);
  mbarrier |= byteMask(offset, width);
}

void Line::startCounted(const Thread &thread, uint32_t op, uint32_t mbarrier, uint32_t offset,
                        uint32_t width) {
  checkWrite(thread, offset, width);
  Access access = thread.access(op);
  access.clock = mbarrier;
  access.counted = true;
  setWriter(access, offset, width);
  inFlight |= byteMask(offset, width);
}

void Line::finishCounted(uint32_t offset, uint32_t width) {
  inFlight &= static_cast<uint16_t>(~byteMask(offset, width));
}

struct ShadowMap::Page {
  std::array<Line, pageLines> lines;
};

ShadowMap::ShadowMap(size_t lines, bool initialised)
    : pages((lines + pageLines - 1) / pageLines), initialised(initialised) {}

ShadowMap::~ShadowMap() {
  for (std::atomic<Page *> &page : pages)
    delete page.load(std::memory_order_relaxed);
}

Line &ShadowMap::line(size_t index) {
  std::atomic<Page *> &slot = pages[index / pageLines];
  Page *page = slot.load(std::memory_order_acquire);
  if (!page) {
    auto fresh = std::make_unique<Page>();
    for (Line &line : fresh->lines)
      line.reset(initialised);
    if (slot.compare_exchange_strong(page, fresh.get(), std::memory_order_acq_rel))
      page = fresh.release();
  }
  return page->lines[index % pageLines];
}

} // namespace lora::emulator
