//===- ManifestOf.h - The manifest of a kernel ---------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Tile/Tile.h"
#include "lora/Runtime/Manifest.h"
#include "lora/Target/TargetFacts.h"

namespace mlir::gpu {
class GPUFuncOp;
}

namespace lora {

/// What a specialised kernel says about its launch.
KernelManifest manifestOfKernel(tile::KernelOp kernel, const TargetFacts &target);

/// Adds what is known once the kernel has been lowered to threads.
void completeManifest(KernelManifest &manifest, mlir::gpu::GPUFuncOp function);

} // namespace lora
