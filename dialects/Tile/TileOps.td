//===- TileOps.td - Operations of the tile dialect -----------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef TILE_OPS
#define TILE_OPS

include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/OpAsmInterface.td"
include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "Tile/TileAttrs.td"
include "Tile/TileTypes.td"

//===----------------------------------------------------------------------===//
// Constraints and base classes
//===----------------------------------------------------------------------===//

def Tile_AnyTile : Type<CPred<"::lora::tile::isTile($_self)">,
                        "tile of rank 1 or 2 with powers of two or a #tile.shape as sizes",
                        "::mlir::RankedTensorType">;
def Tile_IndexTile : Type<CPred<"::lora::tile::isTile($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 1 && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getElementType().isInteger(32)">,
    "tile of row indices of rank 1 and type i32 with a power of two or a #tile.shape as size",
    "::mlir::RankedTensorType">;
def Tile_MatrixTile : Type<CPred<"::lora::tile::isTile($_self) && "
    "::llvm::cast<::mlir::RankedTensorType>($_self).getRank() == 2">,
    "tile of rank 2 with powers of two or a #tile.shape as sizes", "::mlir::RankedTensorType">;
def Tile_Scalar : AnyTypeOf<[I1, I32, I64, F16, BF16, F32, Tile_PtrType, Tile_ElementType],
                            "scalar, pointer or element type parameter">;

class Tile_Op<string mnemonic, list<Trait> traits = []> : Op<Tile_Dialect, mnemonic, traits>;

/// An op that reads or writes a view. `alignment` and `in_bounds` are facts that `tile-simplify`
/// proves; without them nothing is assumed.
class Tile_AccessOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, traits> {
  dag factArguments = (ins
    OptionalAttr<ConfinedAttr<I64Attr, [IntPositive]>>:$alignment,
    OptionalAttr<DenseBoolArrayAttr>:$in_bounds);
  code factDeclarations = [{
    /// Whether every coordinate of the tile along `dimension` is known to be inside the view.
    bool isInBounds(unsigned dimension) {
      return getInBounds() && (*getInBounds())[dimension];
    }
  }];
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

def Tile_KernelOp : Tile_Op<"kernel", [IsolatedFromAbove, Symbol, AutomaticAllocationScope,
    SingleBlock, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "A tile program and how it is launched";
  let description = [{
    The body runs once per point of the launch grid. Its clauses, each optional but the grid:

    - `types`: element types the kernel is parametric in, with a default and candidates;
    - `params`: integers the kernel is parametric in. `WARPS` (warps of a block), `WARPS_K` (how
      many of them share the reduced dimension of a `tile.sum`) and `STAGES` (buffers of the
      shared-memory ring; 1 loads operands directly to registers) are read by the scheduler, the
      others mean what the body makes of them;
    - `where`: conditions over the parameters that every configuration satisfies;
    - `assuming`: conditions over arguments and parameters that every launch satisfies. Those of
      the form `argument % divisor == 0` tell the compiler about alignment; a pointer stands for
      its address;
    - `awaits`: the pointers whose memory the kernel launched before may still be writing. Everything
      else, such as weights and indices, may be read before that kernel has ended, where the target
      and the launch allow it;
    - `grid`: three expressions over integer arguments and parameters;
    - `config`: the configuration: values that take the place of the defaults. After
      `tile-specialize`, every parameter with its value.

    ```mlir
    tile.kernel @scale(%x: !tile.ptr<f32>, %n: i32, %factor: f32)
        params [BLOCK = 256 in [128, 256, 512], WARPS = 4 in [4]]
        where ["BLOCK >= 32 * WARPS"]
        assuming ["n % 4 == 0"]
        grid ["ceildiv(n, BLOCK)", "1", "1"] {
      tile.return
    }
    ```
  }];
  let arguments = (ins
    SymbolNameAttr:$sym_name,
    StrArrayAttr:$arg_names,
    TypedArrayAttrBase<Tile_TypeParamAttr, "type parameters">:$type_params,
    TypedArrayAttrBase<Tile_ParamAttr, "integer parameters">:$params,
    StrArrayAttr:$constraints,
    StrArrayAttr:$assumptions,
    DefaultValuedAttr<StrArrayAttr, "{}">:$awaits,
    StrArrayAttr:$grid,
    OptionalAttr<DictionaryAttr>:$config);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether all parameters are bound: `config` then holds every one of them.
    bool isSpecialized() { return getTypeParams().empty() && getParams().empty(); }
    /// The value of an integer parameter of a specialised kernel, or `otherwise` without one.
    int64_t getConfigInt(::llvm::StringRef name, int64_t otherwise);
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">]> {
  let summary = "End of a tile program";
  let assemblyFormat = "attr-dict";
}

def Tile_ParamOp : Tile_Op<"param", [Pure]> {
  let summary = "Value of an expression over the kernel's parameters";
  let description = "`%m = tile.param BLOCK_M : i32`, `%two = tile.param \"BLOCK_M * 2\" : i32`.";
  let arguments = (ins Tile_ExtentAttr:$value);
  let results = (outs AnyTypeOf<[I1, I32, I64]>:$result);
  let assemblyFormat = "custom<Extent>($value) attr-dict `:` type($result)";
  let hasFolder = 1;
  let hasVerifier = 1;
}

def Tile_ProgramIdOp : Tile_Op<"program_id", [Pure]> {
  let summary = "Coordinate of this program in the launch grid";
  let arguments = (ins Tile_AxisAttr:$axis);
  let results = (outs I32:$result);
  let assemblyFormat = "$axis attr-dict `:` type($result)";
}

def Tile_AssumeDivisibleOp : Tile_Op<"assume_divisible", [Pure, AllTypesMatch<["operand", "result"]>]> {
  let summary = "Promise that a value is a multiple of a number";
  let description = [{
    For values that no `assuming` clause can name, such as offsets and pointers that the kernel
    loads. A pointer is divisible in bytes. A broken promise is undefined behaviour; the
    interpreter reports it.
  }];
  let arguments = (ins AnyTypeOf<[I32, I64, Tile_PtrType]>:$operand, Tile_ExtentAttr:$divisor);
  let results = (outs AnyTypeOf<[I32, I64, Tile_PtrType]>:$result);
  let assemblyFormat = "$operand `by` custom<Extent>($divisor) attr-dict `:` type($operand)";
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Views
//===----------------------------------------------------------------------===//

def Tile_ViewOp : Tile_Op<"view", [Pure, AttrSizedOperandSegments]> {
  let summary = "Describe a region of global memory";
  let description = [{
    Element `[i, j]` of the view lies at `base + (i * strides[0] + j * strides[1])` elements. A
    stride written as a number is known to the compiler; a stride of 1 marks the dimension along
    which wide accesses are possible. A size that is not positive makes the view empty, and the
    pointer is then never read.

    ```mlir
    %X = tile.view %x sizes [%tokens, %hidden] strides [%x_stride, 1]
        : !tile.ptr<f16> -> !tile.view<?x?xf16>
    ```
  }];
  let arguments = (ins Tile_PtrType:$base, Variadic<I32>:$sizes, Variadic<I64>:$strides,
                       DenseI64ArrayAttr:$static_strides);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $base `sizes` `[` $sizes `]` `strides` custom<DynamicIndexList>($strides, $static_strides)
    attr-dict `:` qualified(type($base)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The stride of a dimension: a known number, or the operand that holds it.
    ::mlir::OpFoldResult getMixedStride(unsigned dimension);
  }];
}

def Tile_SubviewOp : Tile_Op<"subview", [Pure]> {
  let summary = "Fix the first coordinate of a view";
  let description = [{
    `%S0 = tile.subview %S[%slice] : !tile.view<?x?x?xf32> -> !tile.view<?x?xf32>` has the
    dimensions of the view but the first. A coordinate outside the view gives an empty view.
  }];
  let arguments = (ins Tile_ViewType:$view, I32:$index);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = [{
    $view `[` $index `]` attr-dict `:` qualified(type($view)) `->` qualified(type($result))
  }];
  let hasVerifier = 1;
  let builders = [OpBuilder<(ins "::mlir::Value":$view, "::mlir::Value":$index)>];
}

def Tile_TransposeOp : Tile_Op<"transpose", [Pure, AllTypesMatch<["view", "result"]>]> {
  let summary = "Swap the two dimensions of a view";
  let arguments = (ins Tile_ViewType:$view);
  let results = (outs Tile_ViewType:$result);
  let assemblyFormat = "$view attr-dict `:` qualified(type($view))";
  let hasVerifier = 1;
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Tile_LoadScalarOp : Tile_Op<"load_scalar", [MemoryEffects<[MemRead]>]> {
  let summary = "Read one element of a view";
  let description = "Outside the view the result is zero, or the null pointer.";
  let arguments = (ins Tile_ViewType:$view, Variadic<I32>:$indices);
  let results = (outs Tile_Scalar:$result);
  let assemblyFormat = "$view `[` $indices `]` attr-dict `:` qualified(type($view)) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_LoadOp : Tile_AccessOp<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Read a tile of a view";
  let description = [{
    `result[i, j] = view[indices[0] + i, indices[1] + j]`; coordinates count elements. Outside the
    view the result is `padding`, zero unless stated.
  }];
  let arguments = !con((ins Tile_ViewType:$view, Variadic<I32>:$indices,
                            OptionalAttr<TypedAttrInterface>:$padding), factArguments);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = [{
    $view `[` $indices `]` (`padding` $padding^)? attr-dict `:` qualified(type($view)) `->` type($result)
  }];
  let extraClassDeclaration = factDeclarations;
  let hasVerifier = 1;
}

def Tile_GatherOp : Tile_AccessOp<"gather", [MemoryEffects<[MemRead]>]> {
  let summary = "Read rows of a view that a tile of indices names";
  let description = [{
    `result[i, j] = view[rows[i], column + j]`. A row index outside the view, such as -1, gives a
    row of zeros.
  }];
  let arguments = !con((ins Tile_ViewType:$view, Tile_IndexTile:$rows, I32:$column), factArguments);
  let results = (outs Tile_MatrixTile:$result);
  let assemblyFormat = [{
    $view `[` $rows `,` $column `]` attr-dict `:` qualified(type($view)) `,` type($rows) `->` type($result)
  }];
  let extraClassDeclaration = factDeclarations;
  let hasVerifier = 1;
}

def Tile_StoreOp : Tile_AccessOp<"store", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Write a tile to a view, or add it";
  let description = [{
    `view[indices[0] + i, indices[1] + j] = value[i, j]`; elements outside the view are dropped.
    With `accumulate`, an `f32` tile is added to an `f16`, `bf16` or `f32` view: the old value is
    widened, the sum taken in `f32` and rounded once, to nearest even. The addition is not atomic:
    no two programs may accumulate to one element.
  }];
  let arguments = !con((ins Tile_AnyTile:$value, Tile_ViewType:$view, Variadic<I32>:$indices,
                            UnitAttr:$accumulate), factArguments);
  let assemblyFormat = [{
    $value `,` $view `[` $indices `]` (`accumulate` $accumulate^)? attr-dict
    `:` type($value) `,` qualified(type($view))
  }];
  let extraClassDeclaration = factDeclarations;
  let hasVerifier = 1;
}

def Tile_ScatterOp : Tile_AccessOp<"scatter", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Write rows of a view that a tile of indices names, or add to them";
  let description = [{
    `view[rows[i], column + j] = value[i, j]`. Rows whose index is outside the view are dropped; an
    index that occurs twice is undefined. `accumulate` is as for `tile.store`.
  }];
  let arguments = !con((ins Tile_MatrixTile:$value, Tile_ViewType:$view, Tile_IndexTile:$rows,
                            I32:$column, UnitAttr:$accumulate), factArguments);
  let assemblyFormat = [{
    $value `,` $view `[` $rows `,` $column `]` (`accumulate` $accumulate^)? attr-dict
    `:` type($value) `,` qualified(type($view)) `,` type($rows)
  }];
  let extraClassDeclaration = factDeclarations;
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

def Tile_SplatOp : Tile_Op<"splat", [Pure]> {
  let summary = "Tile whose elements all equal a scalar";
  let arguments = (ins Tile_Scalar:$operand);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_IotaOp : Tile_Op<"iota", [Pure]> {
  let summary = "Tile [0, 1, 2, ...]";
  let results = (outs Tile_IndexTile:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure]> {
  let summary = "Repeat a row or a column";
  let description = [{
    `tile.broadcast %v along 1 : tensor<16xf32> -> tensor<16x64xf32>` repeats `%v` along dimension
    1: `result[i, j] = v[i]`. Along dimension 0, `result[i, j] = v[j]`.
  }];
  let arguments = (ins Tile_AnyTile:$operand,
                       ConfinedAttr<I32Attr, [IntNonNegative, IntMaxValue<1>]>:$dimension);
  let results = (outs Tile_MatrixTile:$result);
  let assemblyFormat = "$operand `along` $dimension attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_SliceOp : Tile_Op<"slice", [Pure]> {
  let summary = "Some columns of a tile";
  let description = [{
    `tile.slice %t[%c] : tensor<64x256xf16> -> tensor<64x128xf16>` is columns `c` to `c + 127`:
    `result[i, j] = t[i, c + j]`. `c` is a multiple of the number of columns taken, so that the
    slices of a tile do not overlap, and all are inside of it.

    The tile goes to shared memory where it is computed, and each slice is read from there. So a
    loop can read a tile again and again that would not fit into registers.
  }];
  let arguments = (ins Tile_MatrixTile:$operand, I32:$column);
  let results = (outs Tile_MatrixTile:$result);
  let assemblyFormat = "$operand `[` $column `]` attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
}

def Tile_CastOp : Tile_Op<"cast", [Pure]> {
  let summary = "Convert the elements of a tile between float types";
  let description = [{
    To a narrower type it rounds to nearest even. It exists for element type parameters; once both
    types are known, `tile-specialize` replaces it by `arith.extf`, `arith.truncf` or nothing.
  }];
  let arguments = (ins Tile_AnyTile:$operand);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_DotOp : Tile_Op<"dot", [Pure]> {
  let summary = "Matrix product, accumulated in f32";
  let description = [{
    `result = lhs . rhs`, or `lhs . rhs + accumulator`. The operands are `f16`, `bf16` or `f32`;
    two 16-bit types may be mixed, and the products are exact either way. `f32` operands are
    rounded to `tf32`, to nearest with ties away from zero.
  }];
  let arguments = (ins Tile_MatrixTile:$lhs, Tile_MatrixTile:$rhs,
                       Optional<Tile_MatrixTile>:$accumulator);
  let results = (outs Tile_MatrixTile:$result);
  let assemblyFormat = [{
    $lhs `,` $rhs (`,` $accumulator^)? attr-dict `:` type($lhs) `,` type($rhs) `->` type($result)
    `` custom<Accumulator>(ref($accumulator), type($accumulator), ref(type($result)))
  }];
  let hasVerifier = 1;
}

def Tile_SumOp : Tile_Op<"sum", [SingleBlockImplicitTerminator<"YieldOp">, RecursiveMemoryEffects]> {
  let summary = "Sum of tiles over the blocks of a dimension, in canonical order";
  let description = [{
    ```mlir
    %s, %mine = tile.sum %k below %hidden step BLOCK_K split SPLIT_K across x to one
        -> tensor<?x?xf32, #tile.shape<BLOCK_M, BLOCK_N>> {
      %x_tile = tile.gather %X[%rows, %k] : ...
      %a_tile = tile.load %A[%k, %r] : ...
      %product = tile.dot %x_tile, %a_tile : ...
      tile.yield %product : ...
    }
    ```
    The body is evaluated for `k = 0, step, 2 * step, ...` below the extent, and the results are
    added. The order of the additions is not that of the text but the **canonical reduction tree**,
    the same for every configuration, so that the bits of the result do not depend on one; see
    `include/lora/Support/ReductionTree.h`.

    `split N across x` shares the blocks among groups of `N` programs whose ids along the axis are
    consecutive: programs `0 .. N-1`, `N .. 2N-1` and so on. All of them must evaluate the op. The
    sum is visible `to all` of them or `to one`: the second result tells a program whether the
    first one holds the sum; where it is false, the first result is undefined.
  }];
  let arguments = (ins I32:$extent, Tile_ExtentAttr:$step, Tile_ExtentAttr:$split,
                       Tile_AxisAttr:$axis, Tile_VisibilityAttr:$visibility,
                       OptionalAttr<Tile_ScheduleAttr>:$schedule);
  let results = (outs Tile_AnyTile:$result, I1:$visible);
  let regions = (region SizedRegion<1>:$region);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    ::mlir::BlockArgument getInductionVar() { return getBody()->getArgument(0); }
    ::mlir::Value getYielded() { return getBody()->getTerminator()->getOperand(0); }
    /// Step and split of a specialised kernel.
    int64_t getStepInt();
    int64_t getSplitInt();
  }];
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, Terminator, HasParent<"SumOp">]> {
  let summary = "The tile that one block contributes to a tile.sum";
  let arguments = (ins Optional<Tile_AnyTile>:$operand);
  let assemblyFormat = "($operand^ `:` type($operand))? attr-dict";
  let builders = [OpBuilder<(ins), [{ }]>];
}

def Tile_ConvertLayoutOp : Tile_Op<"convert_layout", [Pure]> {
  let summary = "Move a tile from one layout to another";
  let description = "Introduced by `tile-assign-layouts`; not for kernel files.";
  let arguments = (ins Tile_AnyTile:$operand);
  let results = (outs Tile_AnyTile:$result);
  let assemblyFormat = "$operand attr-dict `:` type($operand) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TILE_OPS
