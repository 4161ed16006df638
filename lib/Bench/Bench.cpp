//===- Bench.cpp - Measurement of the cases of a benchmark ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Bench.h"

#include "lora/Bench/Check.h"
#include "lora/Measure/DeviceFacts.h"
#include "lora/Support/Error.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <functional>
#include <sstream>

using namespace lora;
using nlohmann::ordered_json;

namespace {

lora_context_options contextOptions() {
  auto options = sized<lora_context_options>();
  options.device = 0;
  return options;
}

GraphTimer::Options timerOptions(const BenchOptions &options) {
  GraphTimer::Options timer;
  timer.calls = options.cudaGraphNops;
  timer.replays = options.replays;
  timer.useGraph = options.withCudaGraph;
  return timer;
}

bool asksFor(const BenchOptions &options, const char *baseline) {
  return std::find(options.baselines.begin(), options.baselines.end(), baseline) !=
         options.baselines.end();
}

/// The configurations in what lora_explain says, without what follows from the shape.
std::string configOf(const std::string &explanation) {
  std::istringstream lines(explanation);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    if (line.find(" uses ") == std::string::npos)
      continue;
    std::istringstream words(line.substr(line.rfind(": ") + 2));
    std::string config;
    for (std::string word; words >> word;) {
      std::string name = word.substr(0, word.find('='));
      if (name != "ALIGN" && name != "RANK_ALIGN" && name != "Y_ALIGN" && name != "ADD_INPUTS" &&
          name != "MAX_RANK")
        config += (config.empty() ? "" : " ") + word;
    }
    text += (text.empty() ? "" : " | ") + config;
  }
  return text;
}

std::string now() {
  std::time_t time = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc = {};
  gmtime_r(&time, &utc);
  std::array<char, 64> text = {};
  std::strftime(text.data(), text.size(), "%Y-%m-%dT%H:%M:%S+00:00", &utc);
  return text.data();
}

} // namespace

/// A way to compute an op.
struct Bench::Variation {
  std::string impl;
  /// The launches of the C interface, by their op; none for cuBLAS.
  struct Launch {
    lora_op op;
    bool programmatic;
    bool chained;
  };
  std::vector<Launch> launches;
  /// A call for each set of arguments.
  std::vector<DeviceCall> calls;
};

Bench::Bench(const BenchOptions &asked)
    : options(asked), timer(Stream(device), timerOptions(options)), runtime(contextOptions()),
      patterns(parseDType(options.dtype), options.seed) {
  runtime.loadPack(options.pack.empty() ? nullptr : options.pack.c_str());
  if (asksFor(options, "cublas")) {
    try {
      cublas.emplace(device, options.cublas);
    } catch (const Error &error) {
      if (!options.cublas.empty())
        throw;
      cublasProblem = error.what();
    }
  }
  copyBytesPerSecond = copyBandwidth(timer);
}

Bench::~Bench() = default;

ordered_json Bench::document() const {
  DeviceFacts facts = DeviceFacts::of(device);
  ordered_json document = emptyDocument();
  document["date"] = now();
  document["device"] = {{"name", facts.name},
                        {"arch", facts.arch},
                        {"multiprocessors", facts.multiprocessors},
                        {"clock_mhz", facts.clockMhz},
                        {"memory_clock_mhz", facts.memoryClockMhz},
                        {"l2_bytes", facts.l2Bytes}};
  document["versions"] = {{"lora_tile", lora_version()}, {"cuda_driver", facts.driver}};
  if (cublas)
    document["versions"]["cublas"] = cublas->version();
  document["method"] = {{"tool", "lora-bench"},
                        {"pack", options.pack.empty() ? "default" : options.pack},
                        {"calls_in_graph", options.cudaGraphNops},
                        {"replays", options.replays},
                        {"with_cuda_graph", options.withCudaGraph},
                        {"seed", options.seed},
                        {"arg_pool_size", options.argPoolSize},
                        {"test_correctness", options.testCorrectness}};
  document["copy_bytes_per_second"] = copyBytesPerSecond;
  return document;
}

Bench::Variation Bench::ours(BenchArguments &arguments, BenchOp op, const std::string &impl,
                             bool programmatic, bool twoLaunches) {
  Variation variation;
  variation.impl = impl;
  if (op == BenchOp::Shrink)
    variation.launches = {{LORA_SHRINK, programmatic, true}};
  else if (op == BenchOp::Expand)
    variation.launches = {{LORA_EXPAND, programmatic, false}};
  else if (twoLaunches)
    variation.launches = {{LORA_SHRINK, programmatic, true}, {LORA_EXPAND, programmatic, true}};
  else
    variation.launches = {{LORA_SHRINK_EXPAND, programmatic, true}};
  for (size_t set = 0; set < arguments.sets(); ++set)
    variation.calls.push_back(
        [this, &arguments, launches = variation.launches, set](Stream &stream) {
          for (const Variation::Launch &one : launches) {
            lora_launch launch = arguments.launch(set, one.programmatic, one.chained, stream);
            switch (one.op) {
            case LORA_SHRINK:
              runtime.shrink(launch);
              break;
            case LORA_EXPAND:
              runtime.expand(launch);
              break;
            default:
              runtime.shrinkExpand(launch);
            }
          }
        });
  return variation;
}

Bench::Variation Bench::cublasOf(BenchArguments &arguments, BenchOp op) {
  Variation variation;
  variation.impl = "cublas";
  const BenchCase &one = arguments.shape();
  auto element = static_cast<int64_t>(byteSize(one.dtype));
  for (size_t set = 0; set < arguments.sets(); ++set) {
    std::vector<RowMajorProduct> products;
    auto address = [&](const std::string &name) { return arguments.pool().address(set, name); };
    auto sums = [&](int64_t slice) {
      return address("s_cublas") + static_cast<uint64_t>(slice * one.tokens() * one.rank * element);
    };
    for (int64_t slice = 0; slice < one.slices() && op != BenchOp::Expand; ++slice)
      products.push_back({one.dtype, one.tokens(), one.rank, one.hidden, address("x"),
                          address(BenchArguments::nameOfA(slice)), sums(slice), one.hidden,
                          one.hidden, one.rank, benchScaling, 0});
    int64_t column = one.offset;
    for (int64_t slice = 0; slice < one.slices() && op != BenchOp::Shrink; ++slice) {
      int64_t width = one.widths[static_cast<size_t>(slice)];
      products.push_back({one.dtype, one.tokens(), width, one.rank, sums(slice),
                          address(BenchArguments::nameOfB(slice)),
                          address("y") + static_cast<uint64_t>(column * element), one.rank,
                          one.rank, one.yWidth(), 1, one.addInputs ? 1.0f : 0.0f});
      column += width;
    }
    variation.calls.push_back([this, products](Stream &stream) {
      for (const RowMajorProduct &product : products)
        cublas->multiply(product, stream);
    });
  }
  return variation;
}

std::vector<Bench::Variation> Bench::variationsOf(BenchArguments &arguments, BenchOp op) {
  std::vector<Variation> variations;
  if (asksFor(options, "lora-tile")) {
    variations.push_back(ours(arguments, op, "lora-tile", false, false));
    variations.push_back(ours(arguments, op, "lora-tile-pdl", true, false));
    if (op == BenchOp::Pair) {
      variations.push_back(ours(arguments, op, "lora-tile-two", false, true));
      variations.push_back(ours(arguments, op, "lora-tile-two-pdl", true, true));
    }
  }
  if (cublas)
    variations.push_back(cublasOf(arguments, op));
  return variations;
}

void Bench::prepare(BenchArguments &arguments, const Variation &variation) {
  for (const Variation::Launch &one : variation.launches) {
    lora_launch launch = arguments.launch(0, one.programmatic, one.chained, timer.stream());
    runtime.prepare(one.op, launch);
    size_t data = 0, counters = 0;
    check(lora_workspace_size(runtime.get(), one.op, &launch, &data, &counters));
    if (data > 0)
      runtime.reserve(launch.stream, data, counters);
  }
}

std::vector<BenchResult> Bench::runOp(BenchArguments &arguments, BenchCheck *checker, BenchOp op) {
  std::vector<BenchResult> results;
  std::vector<std::vector<DeviceCall>> timed;
  std::vector<size_t> places;
  for (Variation &variation : variationsOf(arguments, op)) {
    BenchResult result;
    result.op = op;
    result.impl = variation.impl;
    try {
      prepare(arguments, variation);
      for (const Variation::Launch &one : variation.launches) {
        lora_launch launch = arguments.launch(0, one.programmatic, one.chained, timer.stream());
        result.config +=
            (result.config.empty() ? "" : " | ") + configOf(runtime.explain(one.op, launch));
      }
      if (checker && !variation.launches.empty()) {
        CheckResult found = checker->check(op, variation.calls.front());
        result.error = found.error;
        result.failed = found.problem;
      }
    } catch (const RuntimeError &error) {
      result.failed = error.what();
    }
    if (result.failed.empty()) {
      places.push_back(results.size());
      timed.push_back(std::move(variation.calls));
    }
    results.push_back(std::move(result));
  }
  std::vector<Timing> timings = timer.timeInTurns(timed);
  for (size_t i = 0; i < timings.size(); ++i) {
    BenchResult &result = results[places[i]];
    result.us = timings[i].median;
    result.low = timings[i].low;
    result.high = timings[i].high;
  }
  return results;
}

std::vector<BenchResult> Bench::run(const BenchCase &one) {
  PoolLimits limits;
  limits.sets = options.argPoolSize;
  BenchArguments arguments(one, patterns, limits, options.seed, runtime, timer.stream());
  std::optional<BenchCheck> checker;
  if (options.testCorrectness)
    checker.emplace(arguments, timer.stream());
  std::vector<BenchResult> results;
  for (BenchOp op : one.ops) {
    std::vector<BenchResult> found = runOp(arguments, checker ? &*checker : nullptr, op);
    results.insert(results.end(), found.begin(), found.end());
  }
  timer.stream().synchronize();
  return results;
}
