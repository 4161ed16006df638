//===- Driver.h - CUDA devices, memory, streams and launches --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thin layer over the CUDA driver API. The driver is loaded at the first use, so that a program
// that links this starts on a machine without one.
//
// Objects are handles: a copy refers to the same stream, event, module or buffer, which is
// destroyed with its last copy. They may be used from any thread, and leave the context that was
// current in the thread as it was. Every function throws Error with the driver call that failed
// and the driver's name and text for the error.
//
//===----------------------------------------------------------------------===//

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

namespace lora {

/// The CUDA driver of this machine.
class Driver {
public:
  /// Whether load() succeeds.
  static bool available();

  /// Loads and initialises the driver, if that has not happened yet. Throws Error with the reason
  /// if libcuda.so.1 cannot be loaded, is too old, or finds no device.
  static void load();

  /// The CUDA version that the driver is for, e.g. 13000 for 13.0.
  static int version();
};

/// Bytes of device memory.
struct MemoryInfo {
  size_t free = 0;
  size_t total = 0;
};

/// A device, whose primary context is retained while any handle that depends on it lives.
class Device {
public:
  /// The number of devices.
  static int count();

  /// Throws Error if `ordinal` is not below count().
  explicit Device(int ordinal = 0);

  std::string name() const;
  /// E.g. 90 for compute capability 9.0.
  int computeCapability() const;
  int multiprocessors() const;
  /// The highest clock rates, in kHz; 0 if the driver does not tell.
  int clockRate() const;
  int memoryClockRate() const;
  /// Bytes of the L2 cache.
  size_t l2Bytes() const;
  MemoryInfo memory() const;

  struct State;
  const State &state() const { return *shared; }

private:
  std::shared_ptr<const State> shared;
};

/// A stream that does not wait for the default stream.
class Stream {
public:
  explicit Stream(const Device &device);

  /// Waits until all work given to the stream is done.
  void synchronize();

  const Device &device() const { return owner; }
  /// The CUstream.
  void *handle() const { return stream.get(); }

private:
  Device owner;
  std::shared_ptr<void> stream;
};

/// A point in a stream whose time is taken.
class Event {
public:
  explicit Event(const Device &device);

  void record(Stream &stream);
  /// Waits until the work before the recorded point is done.
  void synchronize();
  /// Milliseconds from `start` to this event. Both must be recorded and reached.
  float millisecondsSince(const Event &start) const;

private:
  Device owner;
  std::shared_ptr<void> event;
};

/// Device memory, aligned to at least 256 bytes, not initialised.
class DeviceBuffer {
public:
  DeviceBuffer(const Device &device, size_t size);

  uint64_t address() const { return reinterpret_cast<uint64_t>(memory.get()); }
  /// Bytes.
  size_t size() const { return bytes; }

  /// Copies the whole buffer after the work in the stream and waits for it. Throws Error if the
  /// host memory is not of size() bytes.
  void upload(std::span<const std::byte> from, Stream &stream);
  void download(std::span<std::byte> to, Stream &stream) const;
  /// The same for the bytes from `offset` on. Throws Error if they reach beyond the buffer.
  void upload(std::span<const std::byte> from, size_t offset, Stream &stream);
  void download(std::span<std::byte> to, size_t offset, Stream &stream) const;
  /// Copies `count` bytes from `from`, in the order of the stream, without waiting. Throws Error if
  /// they reach beyond either buffer.
  void copy(size_t offset, const DeviceBuffer &from, size_t fromOffset, size_t count,
            Stream &stream);
  /// Sets every byte, in the order of the stream, without waiting.
  void fill(uint8_t value, Stream &stream);

private:
  Device owner;
  size_t bytes;
  std::shared_ptr<void> memory;
};

/// Work that was captured from a stream, to be launched as a whole any number of times.
class Graph {
public:
  /// Captures what `work` gives to the stream, which must not wait for the device. What `work`
  /// throws is passed on, and the stream captures no longer.
  Graph(Stream &stream, const std::function<void()> &work);

  void launch(Stream &stream) const;

private:
  Device owner;
  std::shared_ptr<void> executable;
};

/// The shape of a launch.
struct LaunchShape {
  /// Blocks in x, y and z.
  std::array<unsigned, 3> grid = {1, 1, 1};
  /// Threads of a block, in x.
  unsigned threads = 1;
  /// Dynamic shared memory of a block in bytes.
  unsigned sharedBytes = 0;
  /// Blocks of a cluster; all 1 launches without clusters.
  std::array<unsigned, 3> cluster = {1, 1, 1};
  /// Whether the kernel may start before the one that precedes it in the stream has ended.
  bool programmatic = false;
};

/// An entry of a module, which it keeps loaded.
class Function {
public:
  /// Allows launches with up to `sharedBytes` of dynamic shared memory, also above 48 KB, and with
  /// clusters of up to `clusterBlocks`, also above the portable 8.
  void allow(unsigned sharedBytes, unsigned clusterBlocks);

  /// Launches. `values` are the bits of each argument, in the low bytes.
  void launch(const LaunchShape &shape, std::span<const uint64_t> values, Stream &stream) const;

private:
  friend class Module;
  Function(Device device, std::shared_ptr<void> module, void *function)
      : owner(std::move(device)), module(std::move(module)), function(function) {}

  Device owner;
  std::shared_ptr<void> module;
  void *function;
};

/// Loaded code: a cubin, or text that ends with a zero byte, which is PTX or what the emulator
/// takes.
class Module {
public:
  /// Throws Error if the bytes are neither, or do not run on the device.
  Module(const Device &device, std::span<const std::byte> code);

  /// Throws Error if there is no such entry.
  Function function(const std::string &symbol) const;

private:
  Device owner;
  std::shared_ptr<void> module;
};

} // namespace lora
