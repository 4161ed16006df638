//===- ParameterSpace.cpp - The configurations of a kernel -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ParameterSpace.h"

#include "Tile/Tile.h"
#include "lora/Compiler/Compiler.h"

using namespace lora;
using namespace lora::differential;

ParameterSpace::ParameterSpace(Kernel which) {
  Compilation compilation(builtinKernel(kernelName(which)),
                          std::string(kernelName(which)) + ".mlir", {});
  mlir::ModuleOp module = compilation.module();
  tile::KernelOp kernel = *module.getOps<tile::KernelOp>().begin();
  for (auto param : kernel.getParams().getAsRange<tile::ParamAttr>())
    all.push_back({param.getName().str(), param.getDefaultValue(), param.getCandidates().vec()});
  for (mlir::ArrayAttr clause : {kernel.getConstraints(), kernel.getAssumptions()})
    for (llvm::StringRef text : clause.getAsValueRange<mlir::StringAttr>())
      conditions.push_back(Expression::parse(text.str()));
}

const ParameterSpace &ParameterSpace::of(Kernel kernel) {
  static const ParameterSpace spaces[] = {ParameterSpace(Kernel::Shrink),
                                          ParameterSpace(Kernel::Expand),
                                          ParameterSpace(Kernel::ShrinkExpand)};
  return spaces[static_cast<size_t>(kernel)];
}

Config ParameterSpace::defaults() const {
  Config config;
  for (const Parameter &parameter : all)
    config[parameter.name] = parameter.defaultValue;
  return config;
}

std::string ParameterSpace::brokenBy(const Config &config, const Arguments &arguments) const {
  auto lookup = [&](std::string_view name) -> std::optional<int64_t> {
    if (auto found = config.find(std::string(name)); found != config.end())
      return found->second;
    const Arguments::Value *argument = arguments.find(name);
    return argument ? std::optional(argument->integer()) : std::nullopt;
  };
  for (const Expression &condition : conditions)
    if (condition.evaluate(lookup) == 0)
      return condition.text();
  return "";
}

bool lora::differential::isAlignment(const std::string &parameter) {
  return parameter.ends_with("ALIGN");
}
