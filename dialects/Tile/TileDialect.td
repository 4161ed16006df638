//===- TileDialect.td - The tile dialect ---------------------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TILE_DIALECT
#define TILE_DIALECT

include "mlir/IR/OpBase.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let summary = "Kernels as programs over whole tiles of data";
  let description = [{
    A kernel in this dialect is a **tile program**: it runs once per point of a launch grid, and
    each run sees program ids, scalars, tiles and views. There are no threads, warps, shared
    memory, barriers or byte addresses; how a tile is spread over threads is decided by the
    compiler.

    - A **tile** is an immutable value of type `tensor`, of rank 1 or 2, whose sizes are powers of
      two. The `arith` and `math` elementwise ops and `scf.if`/`scf.for` work on tiles.
    - A **view** describes global memory: a base pointer, sizes and strides known at run time, an
      element type. Outside a view reads give zero (or a stated padding) and writes are dropped.
      Sizes and coordinates are `i32`, strides `i64`; addresses are computed in 64 bits.
    - A kernel is **parametric** in integers (`params`) and element types (`types`). Tile sizes
      that depend on parameters are written `tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>>`, an
      element type `!tile.element<X>`. `tile-specialize` binds them.
  }];
  let cppNamespace = "::lora::tile";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
}

#endif // TILE_DIALECT
