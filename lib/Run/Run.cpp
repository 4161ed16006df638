//===- Run.cpp - Shrink and expand over real adapters ---------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Run/Run.h"

#include "lora/Execution/Backend.h"
#include "lora/Run/AdapterStack.h"
#include "lora/Support/Error.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <numeric>

#include <unistd.h>

using namespace lora;

namespace {

/// The relative error that rounding to f16 or bf16 explains.
constexpr double kToleranceF16 = 2e-3;
constexpr double kToleranceBF16 = 1e-2;
constexpr double kDefaultWithout = 0.1;

bool isFile(const std::string &mapping) { return mapping != "random" && mapping != "sorted"; }

std::vector<int32_t> makeMapping(const RunOptions &options) {
  if (isFile(options.mapping)) {
    if (options.without)
      throw Error(options.mapping + ": found a fraction of tokens without an adapter beside a " +
                  "mapping file, expected one of them");
    return readMapping(options.mapping);
  }
  if (!options.tokens)
    throw Error("number of tokens: found none, expected one for a " + options.mapping + " mapping");
  auto make = options.mapping == "sorted" ? sortedMapping : randomMapping;
  return make(*options.tokens, static_cast<int32_t>(options.adapters.size()),
              options.without.value_or(kDefaultWithout), options.seed);
}

/// Throws Error, naming the file, if the mapping does not fit the options.
void checkMapping(const RunOptions &options, const std::vector<int32_t> &tokenLora) {
  if (!isFile(options.mapping))
    return;
  if (tokenLora.empty())
    throw Error(options.mapping + ": found no tokens, expected an adapter slot or -1 for each");
  if (options.tokens && *options.tokens != static_cast<int64_t>(tokenLora.size()))
    throw Error(options.mapping + ": found " + std::to_string(tokenLora.size()) +
                " tokens, expected " + std::to_string(*options.tokens));
  try {
    Mapping::build(tokenLora, static_cast<int32_t>(options.adapters.size()));
  } catch (const Error &error) {
    throw Error(options.mapping + ": " + error.what());
  }
}

/// What this process may use of the machine's memory, in bytes.
double memoryLimit() {
  double limit =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGE_SIZE));
  // The limit of the container, if there is one; the file says "max" otherwise.
  double ofGroup = 0;
  if (std::ifstream("/sys/fs/cgroup/memory.max") >> ofGroup)
    limit = std::min(limit, ofGroup);
  return limit;
}

/// Throws Error if the batch does not fit into memory, where the system would end the process.
void checkMemory(const AdapterStack &stack, int64_t tokens) {
  double width = std::accumulate(stack.sliceWidths.begin(), stack.sliceWidths.end(), 0.0);
  double ranks = static_cast<double>(stack.sliceWidths.size()) *
                 *std::max_element(stack.ranks.begin(), stack.ranks.end());
  // x, y and s with their initial contents, and the reference in float64.
  double bytes = static_cast<double>(tokens) *
                 (2.0 * static_cast<double>(stack.hidden) + 12 * width + 20 * ranks + 32);
  constexpr double gigabyte = 1e9;
  if (double limit = memoryLimit(); bytes > limit)
    throw Error("tokens: found " + std::to_string(tokens) + ", which need " +
                std::to_string(std::llround(bytes / gigabyte)) + " GB of memory, expected what " +
                std::to_string(std::llround(limit / gigabyte)) + " GB hold");
}

LoraShape makeShape(const RunOptions &options, const AdapterStack &stack, int64_t tokens) {
  LoraShape shape;
  shape.tokens = tokens;
  shape.hidden = stack.hidden;
  shape.maxLoras = static_cast<int32_t>(stack.ranks.size());
  shape.maxRank = *std::max_element(stack.ranks.begin(), stack.ranks.end());
  shape.ranks = stack.ranks;
  shape.sliceWidths = stack.sliceWidths;
  shape.xType = options.xType;
  std::optional<DType> common = stack.commonType();
  shape.wType = options.wType                     ? *options.wType
                : common && *common != DType::F32 ? *common
                                                  : options.xType;
  shape.addInputs = options.addInputs;
  return shape;
}

/// The default configuration with the settings of the caller.
Config makeConfig(LoraOp op, const LoraShape &shape, const std::vector<std::string> &settings) {
  Config config = defaultConfig(op, shape);
  for (const std::string &setting : settings) {
    size_t equals = std::min(setting.find('='), setting.size());
    int64_t value = 0;
    const char *end = setting.data() + setting.size();
    const char *begin = std::min(setting.data() + equals + 1, end);
    auto parsed = std::from_chars(begin, end, value);
    if (equals == 0 || parsed.ec != std::errc() || parsed.ptr != end)
      throw Error("setting of " + std::string(opName(op)) + ": found '" + setting +
                  "', expected NAME=INTEGER");
    config[setting.substr(0, equals)] = value;
  }
  return config;
}

template <typename Values> std::string listText(const Values &values, const char *separator) {
  std::string text;
  for (const auto &value : values)
    text += (text.empty() ? "" : separator) + std::to_string(value);
  return text;
}

std::string tensorText(const char *name, std::initializer_list<int64_t> sizes, DType type) {
  return std::string(name) + "[" + listText(sizes, ",") + "] " + std::string(dtypeName(type));
}

/// "x[32,256] f16 -> s[1,32,24] f32".
std::string shapeText(LoraOp first, LoraOp last, const LoraShape &shape) {
  int64_t width = std::accumulate(shape.sliceWidths.begin(), shape.sliceWidths.end(), int64_t(0));
  std::string s = tensorText("s", {shape.slices(), shape.tokens, shape.maxRank}, DType::F32);
  std::string x = tensorText("x", {shape.tokens, shape.hidden}, shape.xType);
  std::string y = tensorText("y", {shape.tokens, width}, shape.xType);
  return (first == LoraOp::Shrink ? x : s) + " -> " + (last == LoraOp::Shrink ? s : y);
}

RunRow runOp(const Backend &backend, LoraProblem &problem, const Config &config,
             std::span<const int64_t> tokens) {
  RunRow row;
  row.op = opName(problem.op());
  row.shape = shapeText(problem.op(), problem.op(), problem.shape());
  row.config = configText(config);
  row.microseconds = backend.run(problem, config);
  problem.checkUntouched();
  row.error = problem.error(tokens);
  return row;
}

std::vector<std::string> summarise(const RunOptions &options, const AdapterStack &stack,
                                   const LoraShape &shape, const std::vector<int32_t> &tokenLora,
                                   const Backend &backend) {
  std::string modules;
  for (size_t i = 0; i < stack.modules.size(); i += stack.ranks.size())
    modules += (modules.empty() ? "" : ", ") + stack.modules[i]->name;
  auto without = std::count(tokenLora.begin(), tokenLora.end(), -1);
  return {"modules   " + modules,
          "adapters  " + std::to_string(stack.ranks.size()) + ", of rank " +
              listText(stack.ranks, ", ") + "; weights " + std::string(dtypeName(shape.wType)) +
              ", activations " + std::string(dtypeName(shape.xType)),
          "tokens    " + std::to_string(tokenLora.size()) + ", mapping " + options.mapping + "; " +
              std::to_string(without) + " without an adapter, whose rows of y were left alone",
          "backend   " + backend.description() + ", kernels for " + backend.target()};
}

} // namespace

RunReport lora::runAdapters(const RunOptions &options) {
  Backend backend = Backend::create(options.backend, options.target);
  std::vector<Adapter> adapters;
  for (const std::string &directory : options.adapters)
    adapters.push_back(Adapter::load(directory));
  AdapterStack stack = AdapterStack::select(adapters, options.modules, options.layer);
  checkMemory(stack, options.tokens.value_or(0));
  std::vector<int32_t> tokenLora = makeMapping(options);
  checkMapping(options, tokenLora);
  LoraShape shape = makeShape(options, stack, static_cast<int64_t>(tokenLora.size()));

  LoraProblem shrink(LoraOp::Shrink, shape, tokenLora, options.seed);
  LoraProblem expand(LoraOp::Expand, shape, tokenLora, options.seed);
  stack.fill(shrink);
  stack.fill(expand);
  Config shrinkConfig = makeConfig(LoraOp::Shrink, shrink.shape(), options.setShrink);
  Config expandConfig = makeConfig(LoraOp::Expand, expand.shape(), options.setExpand);
  std::vector<int64_t> tokens(tokenLora.size());
  std::iota(tokens.begin(), tokens.end(), 0);

  RunReport report;
  report.rows.push_back(runOp(backend, shrink, shrinkConfig, tokens));
  expand.setS(shrink);
  report.rows.push_back(runOp(backend, expand, expandConfig, tokens));
  report.rows.push_back({"shrink+expand", shapeText(LoraOp::Shrink, LoraOp::Expand, expand.shape()),
                         "", expand.chainError(shrink, tokens), std::nullopt});
  report.summary = summarise(options, stack, shape, tokenLora, backend);
  bool isF16 = shape.xType == DType::F16 && shape.wType == DType::F16;
  report.tolerance = isF16 ? kToleranceF16 : kToleranceBF16;
  return report;
}
