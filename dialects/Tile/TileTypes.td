//===- TileTypes.td - Types of the tile dialect --------------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TILE_TYPES
#define TILE_TYPES

include "mlir/IR/AttrTypeBase.td"
include "Tile/TileDialect.td"

class Tile_Type<string name, string typeMnemonic> : TypeDef<Tile_Dialect, name> {
  let mnemonic = typeMnemonic;
}

def Tile_PtrType : Tile_Type<"Ptr", "ptr"> {
  let summary = "Address of global memory that holds values of one type";
  let description = [{
    The pointee is `f16`, `bf16`, `f32`, `i32`, `i64`, a type parameter, or again a pointer, as in
    a table of per-adapter weights: `!tile.ptr<!tile.ptr<f16>>`. A pointer occupies eight bytes.
  }];
  let parameters = (ins "::mlir::Type":$pointee);
  let assemblyFormat = "`<` $pointee `>`";
  let genVerifyDecl = 1;
}

def Tile_ViewType : Tile_Type<"View", "view"> {
  let summary = "Strided, bounded region of global memory";
  let description = [{
    `!tile.view<?x?xf16>` is a two-dimensional view of `f16` values. Sizes and strides are operands
    of `tile.view`, so the type holds the rank and the element type alone.
  }];
  let parameters = (ins "unsigned":$rank, "::mlir::Type":$elementType);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_ElementType : Tile_Type<"Element", "element"> {
  let summary = "Element type that a kernel is parametric in";
  let description = [{
    `!tile.element<X>` stands for the type that the kernel's type parameter `X` is bound to. It
    does not exist after `tile-specialize`.
  }];
  let parameters = (ins StringRefParameter<"name of the type parameter">:$name);
  let hasCustomAssemblyFormat = 1;
}

#endif // TILE_TYPES
