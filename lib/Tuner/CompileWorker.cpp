//===- CompileWorker.cpp - Compiling one candidate after the other --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Compiler/Compiler.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"
#include "lora/Tuner/CompilePhase.h"

#include "Tile/Tile.h"

#include <nlohmann/json.hpp>

#include <iostream>

using namespace lora;
using namespace lora::tuner;
using nlohmann::json;

namespace {

std::string sourceOf(const KernelSpace &space) {
  return space.file.empty() ? std::string(builtinKernel(space.kernel)) : readFile(space.file);
}

void compileOne(const json &job) {
  std::string file = job.at("file").get<std::string>(), op = job.at("op").get<std::string>();
  CompileOptions options;
  bool emulated = job.at("target") == kEmulatorTarget;
  options.target = emulated ? "sm_90a" : job.at("target").get<std::string>();
  options.settings = job.at("set").get<std::vector<std::string>>();
  options.types = job.at("types").get<std::vector<std::string>>();
  std::string source = file.empty() ? std::string(builtinKernel(op)) : readFile(file);
  Compilation compilation(source, file.empty() ? op + ".mlir" : file, options);
  compilation.run(emulated ? Phase::Simt : Phase::Cubin);
  std::string prefix = job.at("output").get<std::string>();
  std::string text = emulated ? compilation.text() + '\0' : "";
  const std::vector<char> &cubin = compilation.cubin().bytes;
  std::string_view code =
      emulated ? std::string_view(text) : std::string_view(cubin.data(), cubin.size());
  std::string manifest = compilation.manifest().toJson();
  std::string cubinPath = prefix + ".cubin", manifestPath = prefix + ".json";
  FileContent files[] = {{cubinPath, code}, {manifestPath, manifest}};
  writeFiles(files);
}

} // namespace

int tuner::runCompileWorker() {
  for (std::string line; std::getline(std::cin, line);) {
    json answer = json::object();
    try {
      compileOne(json::parse(line));
    } catch (const std::exception &error) {
      answer["error"] = error.what();
    }
    std::cout << answer.dump(-1, ' ', false, json::error_handler_t::replace) << std::endl;
  }
  return 0;
}

KernelSpace tuner::readSpace(const std::string &kernel) {
  KernelSpace space;
  bool isFile = kernel.find('.') != std::string::npos || kernel.find('/') != std::string::npos;
  space.kernel = kernel;
  space.file = isFile ? kernel : "";
  std::string source = sourceOf(space);
  space.sourceHash = hashText(source);
  Compilation compilation(source, isFile ? kernel : kernel + ".mlir", {});
  mlir::ModuleOp module = compilation.module();
  tile::KernelOp op = *module.getOps<tile::KernelOp>().begin();
  space.kernel = op.getSymName().str();
  for (auto type : op.getTypeParams().getAsRange<tile::TypeParamAttr>())
    space.types.push_back(type.getName().str());
  for (auto parameter : op.getParams().getAsRange<tile::ParamAttr>())
    space.parameters.push_back(
        {parameter.getName().str(), parameter.getDefaultValue(), parameter.getCandidates().vec()});
  for (llvm::StringRef text : op.getConstraints().getAsValueRange<mlir::StringAttr>())
    space.constraints.push_back(text.str());
  for (llvm::StringRef text : op.getAssumptions().getAsValueRange<mlir::StringAttr>())
    space.assumptions.push_back(text.str());
  for (auto [i, text] : llvm::enumerate(op.getGrid().getAsValueRange<mlir::StringAttr>()))
    space.grid[i] = text.str();
  for (auto [name, type] : llvm::zip(op.getArgNames().getAsValueRange<mlir::StringAttr>(),
                                     op.getRegion().getArgumentTypes())) {
    std::string typeName = "ptr";
    if (!mlir::isa<tile::PtrType>(type)) {
      typeName.clear();
      llvm::raw_string_ostream(typeName) << type;
    }
    space.arguments.push_back({name.str(), typeName});
  }
  return space;
}
