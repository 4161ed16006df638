//===- GpuMeter.cpp - Checks and times on a GPU ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DeviceOperands.h"
#include "lora/Measure/DeviceFacts.h"
#include "lora/Measure/GraphTimer.h"
#include "lora/Runtime/Launcher.h"
#include "lora/Support/Error.h"
#include "lora/Tuner/Meter.h"

#include <algorithm>
#include <sstream>

using namespace lora;
using namespace lora::tuner;

/// About how long a replay of a graph should take, in microseconds.
static constexpr double kReplay = 300;
static constexpr unsigned kMostCalls = 32, kLeastCalls = 4;

static double tolerance(const TuneProblem &problem) {
  return problem.xType == DType::F16 && problem.wType == DType::F16 ? 2e-3 : 1e-2;
}

namespace {

class GpuMeter final : public Meter {
public:
  GpuMeter(int ordinal, bool programmatic)
      : device(ordinal), deviceFacts(DeviceFacts::of(device)), stream(device), pool(stream),
        programmatic(programmatic) {
    if (isEmulated())
      return;
    GraphTimer timer(stream);
    bandwidth = copyBandwidth(timer);
  }

  void describe(SessionRecord &session) const override {
    session.device = deviceFacts.name + " " + deviceFacts.arch;
    session.clock = isEmulated() ? "model" : "gpu";
    session.driver = "CUDA " + deviceFacts.driver;
    std::ostringstream clocks;
    clocks << "core " << deviceFacts.clockMhz << " MHz, memory " << deviceFacts.memoryClockMhz
           << " MHz, copy " << static_cast<int64_t>(bandwidth / 1e9) << " GB/s"
           << (programmatic ? ", programmatic dependent launch" : "");
    session.clocks = isEmulated() ? "none" : clocks.str();
  }

  GpuFacts facts() const override {
    GpuFacts facts;
    if (isEmulated())
      return facts;
    facts.multiprocessors = deviceFacts.multiprocessors;
    facts.memoryBandwidth = bandwidth;
    return facts;
  }

  void requireTarget(const std::string &target) const override {
    std::string expected = isEmulated() ? kEmulatorTarget : deviceFacts.arch;
    if (target != expected)
      throw Error(deviceFacts.name + ": expected kernels for " + expected + ", found " + target);
  }

  void requireWorking() override {
    try {
      stream.synchronize();
    } catch (const Error &error) {
      throw Error(
          std::string("the GPU takes no more work, which the last kernel is to blame for: ") +
          error.what() + "; everything measured is kept, run again to continue without it");
    }
  }

  void begin(const TuneProblem &next) override {
    operands.reset();
    problem = next;
    operands.emplace(pool, next);
  }

  Check check(const BundleKernel &kernel, uint64_t seed) override {
    size_t set = seed % operands->sets();
    operands->poison(set);
    load(kernel).launch(operands->arguments(set, blockM(kernel)), stream);
    stream.synchronize();
    DeviceOperands::Errors errors = operands->errors(set);
    double limit = tolerance(problem);
    if (errors.total < limit && errors.worstRow < limit)
      return {errors.total, ""};
    std::ostringstream text;
    text << "relative error " << errors.total << ", of the worst row " << errors.worstRow
         << ": expected less than " << limit;
    return {errors.total, text.str()};
  }

  unsigned samples(unsigned replays) const override { return isEmulated() ? 0 : replays; }

  std::vector<Timing> time(std::span<const BundleKernel *const> kernels,
                           unsigned replays) override {
    if (isEmulated())
      return estimates(kernels);
    double estimate = CostModel(problem, facts()).floor() + 2;
    GraphTimer::Options options;
    options.calls =
        static_cast<unsigned>(std::clamp<double>(kReplay / estimate, kLeastCalls, kMostCalls));
    options.replays = replays;
    options.warmups = 1;
    GraphTimer timer(stream, options);
    std::vector<std::vector<DeviceCall>> calls;
    for (const BundleKernel *kernel : kernels) {
      Kernel &loaded = load(*kernel);
      std::vector<DeviceCall> &own = calls.emplace_back();
      for (size_t set = 0; set < operands->sets(); ++set) {
        const Arguments &arguments = operands->arguments(set, blockM(*kernel));
        own.push_back([&loaded, &arguments, this](Stream &to) {
          loaded.launch(arguments, to, programmatic);
        });
      }
    }
    return timer.timeInTurns(calls);
  }

private:
  /// The emulator has no clock that says anything about a GPU: what it runs is checked, and the
  /// times are the estimates.
  bool isEmulated() const { return device.computeCapability() == 0; }

  std::vector<Timing> estimates(std::span<const BundleKernel *const> kernels) const {
    CostModel model(problem, {});
    std::vector<Timing> timings;
    for (const BundleKernel *kernel : kernels) {
      double estimate = model.estimate(Tiling::of(kernel->manifest.config));
      timings.push_back({estimate, estimate, estimate});
    }
    return timings;
  }

  static int64_t blockM(const BundleKernel &kernel) {
    auto found = kernel.manifest.config.find("BLOCK_M");
    return found == kernel.manifest.config.end() ? 16 : found->second;
  }

  Kernel &load(const BundleKernel &kernel) {
    auto found = loaded.find(kernel.artefact);
    if (found == loaded.end())
      found = loaded
                  .emplace(kernel.artefact,
                           Kernel(device, kernel.manifest,
                                  std::as_bytes(std::span(kernel.code.data(), kernel.code.size()))))
                  .first;
    return found->second;
  }

  Device device;
  DeviceFacts deviceFacts;
  Stream stream;
  OperandPool pool;
  bool programmatic;
  double bandwidth = 0;
  TuneProblem problem;
  std::optional<DeviceOperands> operands;
  std::map<std::string, Kernel> loaded;
};

} // namespace

std::unique_ptr<Meter> tuner::makeGpuMeter(int device, bool programmatic) {
  return std::make_unique<GpuMeter>(device, programmatic);
}
