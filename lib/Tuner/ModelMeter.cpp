//===- ModelMeter.cpp - Estimates in the place of times -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Meter.h"

using namespace lora;
using namespace lora::tuner;

namespace {

class ModelMeter final : public Meter {
public:
  void describe(SessionRecord &session) const override {
    session.device = "none";
    session.clock = "model";
  }
  GpuFacts facts() const override { return {}; }
  void requireTarget(const std::string &) const override {}
  void begin(const TuneProblem &next) override { problem = next; }
  Check check(const BundleKernel &, uint64_t) override { return {}; }
  std::vector<Timing> time(std::span<const BundleKernel *const> kernels, unsigned) override {
    CostModel model(problem, {});
    std::vector<Timing> timings;
    for (const BundleKernel *kernel : kernels) {
      double estimate = model.estimate(Tiling::of(kernel->manifest.config));
      timings.push_back({estimate, estimate, estimate});
    }
    return timings;
  }
  unsigned samples(unsigned) const override { return 0; }

private:
  TuneProblem problem;
};

} // namespace

std::unique_ptr<Meter> tuner::makeModelMeter() { return std::make_unique<ModelMeter>(); }
