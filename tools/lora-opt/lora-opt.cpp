//===- lora-opt.cpp - Run passes over kernels -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Simt/Simt.h"
#include "Tile/Tile.h"
#include "lora/Conversion/Passes.h"
#include "lora/Emulator/Emulator.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<lora::tile::TileDialect, lora::simt::SimtDialect, mlir::arith::ArithDialect,
                  mlir::gpu::GPUDialect, mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect,
                  mlir::math::MathDialect, mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  mlir::registerPass([] { return mlir::createSCFToControlFlowPass(); });
  lora::registerLoraTransformsPasses();
  lora::registerLoraConversionPasses();
  lora::emulator::registerSimtToHostPass();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "lora-tile: run passes over kernels\n", registry));
}
