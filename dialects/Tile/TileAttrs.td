//===- TileAttrs.td - Attributes of the tile dialect ---------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TILE_ATTRS
#define TILE_ATTRS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/TensorEncoding.td"
include "Tile/TileDialect.td"

class Tile_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Tile_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

/// An extent is an integer, or an expression over the kernel's parameters until
/// `tile-specialize` has bound them.
def Tile_ExtentAttr : Attr<
    CPred<"::llvm::isa<::mlir::StringAttr, ::mlir::IntegerAttr>($_self)">,
    "integer or expression over the kernel's parameters"> {
  let storageType = "::mlir::Attribute";
  let returnType = "::mlir::Attribute";
  let convertFromStorage = "$_self";
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def Tile_ParamAttr : Tile_Attr<"Param", "param"> {
  let summary = "Integer parameter of a kernel: name, default, candidates";
  let description = [{
    `#tile.param<BLOCK_M = 16 in [16, 32, 64]>`. The candidates are what the tuner explores and
    what a configuration may choose from.
  }];
  let parameters = (ins StringRefParameter<>:$name, "int64_t":$defaultValue,
                        ArrayRefParameter<"int64_t">:$candidates);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_TypeParamAttr : Tile_Attr<"TypeParam", "type_param"> {
  let summary = "Element type parameter of a kernel: name, default, candidates";
  let description = "`#tile.type_param<X = f16 in [f16, bf16]>`.";
  let parameters = (ins StringRefParameter<>:$name, "::mlir::Type":$defaultType,
                        ArrayRefParameter<"::mlir::Type">:$candidates);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def Tile_ShapeAttr : Tile_Attr<"Shape", "shape",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Sizes of a tile that depend on parameters";
  let description = [{
    The encoding of a tile type before specialisation: one extent a dimension, as in
    `tensor<?x16xf32, #tile.shape<BLOCK_M, 16>>`. A dimension is `?` in the type exactly where its
    extent is not an integer.
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::Attribute">:$extents);
  let hasCustomAssemblyFormat = 1;
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

def Tile_LayoutAttr : Tile_Attr<"Layout", "layout",
    [DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "Which thread holds which elements of a tile, in which register";
  let description = [{
    A linear layout over bits. `register`, `lane` and `warp` each list one coordinate vector per
    bit of the register, lane and warp number; the element that a thread holds in a register is the
    exclusive or of the vectors of the bits that are set. A zero vector means that the bit does not
    matter: the element is held more than once.

    ```mlir
    // An accumulator of mma.m16n8: lanes 0-3 hold columns, lanes 4-31 rows.
    #acc = #tile.layout<register = [[0, 1], [8, 0]],
                        lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []>
    ```
  }];
  // Basis vectors are stored flat, `rank` numbers each.
  let parameters = (ins "unsigned":$rank, ArrayRefParameter<"int32_t">:$registerBases,
                        ArrayRefParameter<"int32_t">:$laneBases,
                        ArrayRefParameter<"int32_t">:$warpBases);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Schedules
//===----------------------------------------------------------------------===//

def Tile_OperandPath : I32EnumAttr<"OperandPath", "how the operands of a dot reach the tensor cores", [
    I32EnumAttrCase<"Direct", 0, "direct">,
    I32EnumAttrCase<"Shared", 1, "shared">]> {
  let cppNamespace = "::lora::tile";
}

def Tile_SplitStrategy : I32EnumAttr<"SplitStrategy", "how programs combine their partial tiles", [
    I32EnumAttrCase<"None", 0, "none">,
    I32EnumAttrCase<"Workspace", 1, "workspace">,
    I32EnumAttrCase<"Cluster", 2, "cluster">]> {
  let cppNamespace = "::lora::tile";
}

def Tile_ScheduleAttr : Tile_Attr<"Schedule", "schedule"> {
  let summary = "Decisions of the scheduler about one tile.sum";
  let description = [{
    - `path`: `direct` loads the operands of the dot from global memory to registers in the order
      of the fragments; `shared` copies them through a ring of `stages` buffers in shared memory.
    - `stages`: blocks of the reduced dimension under way at a time. With `direct`, a kernel that
      waits for the one before it holds the operands of so many blocks in registers.
    - `warps`: how many warps share the rows, the columns and the reduced dimension of the dot. The
      product is the number of warps of the kernel.
    - `split`: how the programs of a split sum combine their parts.

    Present in the source, it overrides what `tile-schedule` would choose.
  }];
  let parameters = (ins EnumParameter<Tile_OperandPath>:$path, "unsigned":$stages,
                        "unsigned":$warpsM, "unsigned":$warpsN, "unsigned":$warpsK,
                        EnumParameter<Tile_SplitStrategy>:$split);
  let assemblyFormat = [{
    `<` `path` `=` $path `,` `stages` `=` $stages `,`
        `warps` `=` `[` $warpsM `,` $warpsN `,` $warpsK `]` `,` `split` `=` $split `>`
  }];
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Enumerations of ops
//===----------------------------------------------------------------------===//

def Tile_Axis : I32EnumAttr<"Axis", "axis of the launch grid", [
    I32EnumAttrCase<"x", 0>, I32EnumAttrCase<"y", 1>, I32EnumAttrCase<"z", 2>]> {
  let cppNamespace = "::lora::tile";
  let genSpecializedAttr = 0;
}
def Tile_AxisAttr : EnumAttr<Tile_Dialect, Tile_Axis, "axis"> { let assemblyFormat = "$value"; }

def Tile_Visibility : I32EnumAttr<"Visibility", "which programs of a split sum see it", [
    I32EnumAttrCase<"One", 0, "one">, I32EnumAttrCase<"All", 1, "all">]> {
  let cppNamespace = "::lora::tile";
  let genSpecializedAttr = 0;
}
def Tile_VisibilityAttr : EnumAttr<Tile_Dialect, Tile_Visibility, "visibility"> {
  let assemblyFormat = "$value";
}

#endif // TILE_ATTRS
