//===- Driver.cpp - CUDA devices, memory, streams and launches ------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Runtime/Driver.h"

#include "CudaApi.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <cstring>
#include <vector>

using namespace lora;

struct Device::State {
  explicit State(int ordinal);
  ~State() { cuda::api().primaryContextRelease(device); }
  State(const State &) = delete;
  State &operator=(const State &) = delete;

  cuda::DeviceId device = 0;
  cuda::Context context = nullptr;
};

namespace {

/// More than this much dynamic shared memory has to be asked for.
constexpr unsigned defaultSharedBytes = 48 * 1024;
/// The largest cluster that every device with clusters can run.
constexpr unsigned portableClusterSize = 8;

/// Throws Error if a driver call fails.
#define LORA_CUDA_CALL(member, ...)                                                                \
  cuda::api().check(cuda::api().member(__VA_ARGS__), driverName_##member)

// The driver's own name of each call, for messages.
#define LORA_CUDA_NAME(member, symbol, parameters)                                                 \
  [[maybe_unused]] constexpr const char *driverName_##member = #symbol;
LORA_CUDA_FUNCTIONS(LORA_CUDA_NAME)
#undef LORA_CUDA_NAME

/// Makes the context of a device current in this thread until the end of the scope.
class CurrentContext {
public:
  explicit CurrentContext(const Device &device) {
    LORA_CUDA_CALL(contextPush, device.state().context);
  }
  ~CurrentContext() {
    cuda::Context popped;
    cuda::api().contextPop(&popped);
  }
  CurrentContext(const CurrentContext &) = delete;
  CurrentContext &operator=(const CurrentContext &) = delete;
};

/// Owns a driver object. `destroy` runs with the context of the device current. Its result is
/// dropped: it would be that of an earlier asynchronous failure, which is reported elsewhere.
template <typename Destroy>
std::shared_ptr<void> own(const Device &device, void *object, Destroy destroy) {
  return std::shared_ptr<void>(object, [device, destroy](void *object) {
    cuda::Context popped;
    bool pushed = cuda::api().contextPush(device.state().context) == cuda::success;
    destroy(object);
    if (pushed)
      cuda::api().contextPop(&popped);
  });
}

cuda::StreamHandle native(const Stream &stream) {
  return static_cast<cuda::StreamHandle>(stream.handle());
}

int attribute(const Device &device, int which) {
  int value = 0;
  LORA_CUDA_CALL(deviceGetAttribute, &value, which, device.state().device);
  return value;
}

void checkSize(const char *what, size_t host, size_t device) {
  if (host != device)
    throw Error(std::string(what) + " of " + std::to_string(host) +
                " bytes: expected the size of the device buffer, " + std::to_string(device));
}

void checkPart(const char *what, size_t offset, size_t count, size_t device) {
  if (offset > device || count > device - offset)
    throw Error(std::string(what) + " of " + std::to_string(count) + " bytes from " +
                std::to_string(offset) + " on: expected at most the size of the device buffer, " +
                std::to_string(device));
}

} // namespace

bool Driver::available() {
  try {
    load();
  } catch (const Error &) {
    return false;
  }
  return true;
}

void Driver::load() { cuda::api(); }

int Driver::version() {
  int version = 0;
  LORA_CUDA_CALL(driverGetVersion, &version);
  return version;
}

Device::State::State(int ordinal) {
  int count = Device::count();
  if (ordinal < 0 || ordinal >= count)
    throw Error("CUDA device " + std::to_string(ordinal) + ": expected 0 to " +
                std::to_string(count - 1));
  LORA_CUDA_CALL(deviceGet, &device, ordinal);
  LORA_CUDA_CALL(primaryContextRetain, &context, device);
}

int Device::count() {
  int count = 0;
  LORA_CUDA_CALL(deviceGetCount, &count);
  return count;
}

Device::Device(int ordinal) : shared(std::make_shared<const State>(ordinal)) {}

std::string Device::name() const {
  std::array<char, 256> name = {};
  LORA_CUDA_CALL(deviceGetName, name.data(), static_cast<int>(name.size()), state().device);
  return name.data();
}

int Device::computeCapability() const {
  return attribute(*this, cuda::attributeComputeCapabilityMajor) * 10 +
         attribute(*this, cuda::attributeComputeCapabilityMinor);
}

int Device::multiprocessors() const { return attribute(*this, cuda::attributeMultiprocessorCount); }

int Device::clockRate() const { return attribute(*this, cuda::attributeClockRate); }

int Device::memoryClockRate() const { return attribute(*this, cuda::attributeMemoryClockRate); }

size_t Device::l2Bytes() const {
  return static_cast<size_t>(attribute(*this, cuda::attributeL2CacheSize));
}

MemoryInfo Device::memory() const {
  CurrentContext current(*this);
  MemoryInfo memory;
  LORA_CUDA_CALL(memoryGetInfo, &memory.free, &memory.total);
  return memory;
}

Stream::Stream(const Device &device) : owner(device) {
  CurrentContext current(owner);
  cuda::StreamHandle created = nullptr;
  LORA_CUDA_CALL(streamCreate, &created, cuda::streamNonBlocking);
  stream = own(owner, created, [](void *object) {
    cuda::api().streamDestroy(static_cast<cuda::StreamHandle>(object));
  });
}

void Stream::synchronize() {
  CurrentContext current(owner);
  LORA_CUDA_CALL(streamSynchronize, native(*this));
}

Event::Event(const Device &device) : owner(device) {
  CurrentContext current(owner);
  cuda::EventHandle created = nullptr;
  LORA_CUDA_CALL(eventCreate, &created, 0);
  event = own(owner, created, [](void *object) {
    cuda::api().eventDestroy(static_cast<cuda::EventHandle>(object));
  });
}

void Event::record(Stream &stream) {
  CurrentContext current(owner);
  LORA_CUDA_CALL(eventRecord, static_cast<cuda::EventHandle>(event.get()), native(stream));
}

void Event::synchronize() {
  CurrentContext current(owner);
  LORA_CUDA_CALL(eventSynchronize, static_cast<cuda::EventHandle>(event.get()));
}

float Event::millisecondsSince(const Event &start) const {
  CurrentContext current(owner);
  float milliseconds = 0;
  LORA_CUDA_CALL(eventElapsedTime, &milliseconds, static_cast<cuda::EventHandle>(start.event.get()),
                 static_cast<cuda::EventHandle>(event.get()));
  return milliseconds;
}

DeviceBuffer::DeviceBuffer(const Device &device, size_t size) : owner(device), bytes(size) {
  CurrentContext current(owner);
  cuda::DevicePointer allocated = 0;
  // The driver does not allocate nothing, and an empty buffer is still worth an address.
  LORA_CUDA_CALL(memoryAllocate, &allocated, std::max<size_t>(size, 1));
  memory = own(owner, reinterpret_cast<void *>(allocated), [](void *object) {
    cuda::api().memoryFree(reinterpret_cast<cuda::DevicePointer>(object));
  });
}

void DeviceBuffer::upload(std::span<const std::byte> from, Stream &stream) {
  checkSize("upload", from.size(), bytes);
  upload(from, 0, stream);
}

void DeviceBuffer::upload(std::span<const std::byte> from, size_t offset, Stream &stream) {
  checkPart("upload", offset, from.size(), bytes);
  CurrentContext current(owner);
  LORA_CUDA_CALL(copyToDevice, address() + offset, from.data(), from.size(), native(stream));
  stream.synchronize();
}

void DeviceBuffer::download(std::span<std::byte> to, Stream &stream) const {
  checkSize("download", to.size(), bytes);
  download(to, 0, stream);
}

void DeviceBuffer::download(std::span<std::byte> to, size_t offset, Stream &stream) const {
  checkPart("download", offset, to.size(), bytes);
  CurrentContext current(owner);
  LORA_CUDA_CALL(copyToHost, to.data(), address() + offset, to.size(), native(stream));
  stream.synchronize();
}

void DeviceBuffer::copy(size_t offset, const DeviceBuffer &from, size_t fromOffset, size_t count,
                        Stream &stream) {
  checkPart("copy", offset, count, bytes);
  checkPart("copy", fromOffset, count, from.size());
  CurrentContext current(owner);
  LORA_CUDA_CALL(copyOnDevice, address() + offset, from.address() + fromOffset, count,
                 native(stream));
}

void DeviceBuffer::fill(uint8_t value, Stream &stream) {
  CurrentContext current(owner);
  LORA_CUDA_CALL(fillBytes, address(), value, bytes, native(stream));
}

Graph::Graph(Stream &stream, const std::function<void()> &work) : owner(stream.device()) {
  CurrentContext current(owner);
  LORA_CUDA_CALL(streamBeginCapture, native(stream), cuda::captureModeThreadLocal);
  cuda::GraphHandle captured = nullptr;
  try {
    work();
  } catch (...) {
    if (cuda::api().streamEndCapture(native(stream), &captured) == cuda::success)
      cuda::api().graphDestroy(captured);
    throw;
  }
  LORA_CUDA_CALL(streamEndCapture, native(stream), &captured);
  std::shared_ptr<void> graph = own(owner, captured, [](void *object) {
    cuda::api().graphDestroy(static_cast<cuda::GraphHandle>(object));
  });
  cuda::ExecutableGraphHandle created = nullptr;
  LORA_CUDA_CALL(graphInstantiate, &created, captured, 0);
  executable = own(owner, created, [](void *object) {
    cuda::api().executableGraphDestroy(static_cast<cuda::ExecutableGraphHandle>(object));
  });
}

void Graph::launch(Stream &stream) const {
  CurrentContext current(owner);
  LORA_CUDA_CALL(graphLaunch, static_cast<cuda::ExecutableGraphHandle>(executable.get()),
                 native(stream));
}

Module::Module(const Device &device, std::span<const std::byte> code) : owner(device) {
  // The driver takes no size, and reads anything else as text up to a zero byte.
  constexpr std::array<char, 4> magic = {0x7f, 'E', 'L', 'F'};
  bool isText = !code.empty() && code.back() == std::byte(0);
  if (!isText &&
      (code.size() < magic.size() || std::memcmp(code.data(), magic.data(), magic.size()) != 0))
    throw Error("code of " + std::to_string(code.size()) +
                " bytes: expected an ELF file, or text that ends with a zero byte");
  CurrentContext current(owner);
  cuda::ModuleHandle loaded = nullptr;
  LORA_CUDA_CALL(moduleLoadData, &loaded, code.data());
  module = own(owner, loaded, [](void *object) {
    cuda::api().moduleUnload(static_cast<cuda::ModuleHandle>(object));
  });
}

Function Module::function(const std::string &symbol) const {
  CurrentContext current(owner);
  cuda::FunctionHandle found = nullptr;
  try {
    LORA_CUDA_CALL(moduleGetFunction, &found, static_cast<cuda::ModuleHandle>(module.get()),
                   symbol.c_str());
  } catch (const Error &error) {
    throw Error("entry '" + symbol + "': " + error.what());
  }
  return Function(owner, module, found);
}

void Function::allow(unsigned sharedBytes, unsigned clusterBlocks) {
  CurrentContext current(owner);
  auto handle = static_cast<cuda::FunctionHandle>(function);
  if (sharedBytes > defaultSharedBytes)
    LORA_CUDA_CALL(functionSetAttribute, handle, cuda::functionMaxDynamicSharedBytes,
                   static_cast<int>(sharedBytes));
  if (clusterBlocks > portableClusterSize)
    LORA_CUDA_CALL(functionSetAttribute, handle, cuda::functionNonPortableClusterSizeAllowed, 1);
}

void Function::launch(const LaunchShape &shape, std::span<const uint64_t> values,
                      Stream &stream) const {
  std::vector<void *> arguments;
  arguments.reserve(values.size());
  for (const uint64_t &value : values)
    arguments.push_back(const_cast<uint64_t *>(&value));

  std::array<cuda::LaunchAttribute, 2> attributes = {};
  unsigned attributeCount = 0;
  if (shape.cluster != std::array<unsigned, 3>{1, 1, 1}) {
    cuda::LaunchAttribute &cluster = attributes[attributeCount++];
    cluster.id = cuda::launchAttributeClusterDimension;
    std::copy(shape.cluster.begin(), shape.cluster.end(), cluster.value.clusterDimension);
  }
  if (shape.programmatic) {
    cuda::LaunchAttribute &programmatic = attributes[attributeCount++];
    programmatic.id = cuda::launchAttributeProgrammaticStreamSerialization;
    programmatic.value.programmaticStreamSerializationAllowed = 1;
  }

  cuda::LaunchConfig config = {};
  std::copy(shape.grid.begin(), shape.grid.end(), config.grid);
  config.block[0] = shape.threads;
  config.block[1] = config.block[2] = 1;
  config.sharedBytes = shape.sharedBytes;
  config.stream = native(stream);
  config.attributes = attributeCount > 0 ? attributes.data() : nullptr;
  config.attributeCount = attributeCount;
  CurrentContext current(owner);
  LORA_CUDA_CALL(launchKernel, &config, static_cast<cuda::FunctionHandle>(function),
                 arguments.data(), nullptr);
}
