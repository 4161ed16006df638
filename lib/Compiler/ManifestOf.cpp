//===- ManifestOf.cpp - The manifest of a kernel -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ManifestOf.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/Config/llvm-config.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

static std::string nameOf(Type type) {
  if (isa<PtrType>(type))
    return "ptr";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

KernelManifest lora::manifestOfKernel(KernelOp kernel, const TargetFacts &target) {
  KernelManifest manifest;
  manifest.kernel = manifest.symbol = kernel.getSymName().str();
  manifest.target = std::string(target.name);
  for (NamedAttribute entry : kernel.getConfigAttr())
    if (auto type = dyn_cast<TypeAttr>(entry.getValue()))
      manifest.types[entry.getName().str()] = nameOf(type.getValue());
    else
      manifest.config[entry.getName().str()] = cast<IntegerAttr>(entry.getValue()).getInt();
  for (auto [name, type] : llvm::zip(kernel.getArgNames().getAsValueRange<StringAttr>(),
                                     kernel.getRegion().getArgumentTypes()))
    manifest.arguments.push_back({name.str(), nameOf(type)});
  for (auto [i, text] : llvm::enumerate(kernel.getGrid().getAsValueRange<StringAttr>()))
    manifest.grid[i] = text.str();
  for (StringRef text : kernel.getAssumptions().getAsValueRange<StringAttr>())
    manifest.assumptions.push_back(text.str());
  manifest.threads = 32 * kernel.getConfigInt("WARPS", 4);
  manifest.versions["llvm"] = LLVM_VERSION_STRING;
  return manifest;
}

void lora::completeManifest(KernelManifest &manifest, gpu::GPUFuncOp function) {
  auto number = [&](StringRef name, int64_t otherwise) {
    auto attribute = function->getAttrOfType<IntegerAttr>(name);
    return attribute ? attribute.getInt() : otherwise;
  };
  manifest.sharedBytes = number("simt.shared_bytes", 0);
  manifest.workspaceBytesPerGroup = number("simt.workspace_bytes", 0);
  manifest.cluster[0] = number("simt.cluster", 1);
  manifest.splitGroupSize = number("simt.split", 1);
}
