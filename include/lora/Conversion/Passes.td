//===- Passes.td - Conversions between levels ----------------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef LORA_CONVERSION_PASSES
#define LORA_CONVERSION_PASSES

include "mlir/Pass/PassBase.td"

def TileToSimt : Pass<"tile-to-simt", "::mlir::ModuleOp"> {
  let summary = "Turn tile programs into what one thread does";
  let description = [{
    Each `tile.kernel`, specialised, scheduled and laid out, becomes a `gpu.module` of the same name
    with one `gpu.func`. A tile becomes the registers that the thread holds of it. The function has
    the kernel's arguments, and behind them, if a sum is split through a workspace, two pointers: the
    partial tiles, and a counter for each group of programs that is zero before and after a launch.

    Afterwards only `gpu.func`, `scf`, `arith`, `math`, `vector`, pointer arithmetic of `llvm`,
    special registers of `nvvm`, and `simt` are left. The function carries `simt.shared_bytes` and,
    for a split sum, `simt.workspace_bytes` (a group's) and `simt.split` (programs in a group).
  }];
  let dependentDialects = [
    "::lora::simt::SimtDialect", "::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
    "::mlir::LLVM::LLVMDialect", "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect"
  ];
}

def SimtToLLVM : Pass<"simt-to-llvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Turn thread-level kernels into the LLVM dialect for NVPTX";
  let description = [{
    Structured control flow must be lowered before (`convert-scf-to-cf`). Afterwards only the `llvm`
    and `nvvm` dialects are left; ops of `simt` have become loads and stores or inline PTX.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect"];
}

#endif // LORA_CONVERSION_PASSES
