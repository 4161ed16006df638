//===- SimtDialect.td - The simt dialect ---------------------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef SIMT_DIALECT
#define SIMT_DIALECT

include "mlir/IR/OpBase.td"

def Simt_Dialect : Dialect {
  let name = "simt";
  let summary = "What one GPU thread does beyond arithmetic";
  let description = [{
    The thread-level form of a kernel consists of `gpu.func`, `scf`, `arith`, `math`, `vector`,
    `llvm` pointer arithmetic, the special registers of `nvvm`, and this dialect: predicated memory
    accesses, asynchronous copies, barriers and tensor core instructions. Each op has exactly two
    meanings that must agree: the PTX it becomes in `simt-to-llvm`, and its emulation on a
    CPU. Nothing else in the project emits inline PTX.
  }];
  let cppNamespace = "::lora::simt";
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

#endif // SIMT_DIALECT
