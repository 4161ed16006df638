//===- KernelLowering.cpp - Control flow, scalars and elementwise ops ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"

#include "Simt/Simt.h"
#include "lora/Analysis/Target.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

KernelLowering::KernelLowering(KernelOp kernel, gpu::GPUFuncOp function)
    : kernel(kernel), function(function), builder(function.getContext()), loc(kernel.getLoc()),
      numWarps(kernel.getConfigInt("WARPS", 4)) {}

//===----------------------------------------------------------------------===//
// Small things
//===----------------------------------------------------------------------===//

Value KernelLowering::constant(int64_t value, unsigned width) {
  return arith::ConstantIntOp::create(builder, loc, value, width);
}

Value KernelLowering::zero(Type type) {
  if (auto pointer = dyn_cast<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, pointer);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value KernelLowering::add(Value a, Value b) {
  return builder.createOrFold<arith::AddIOp>(loc, a, b);
}

Value KernelLowering::mul(Value a, Value b) {
  return builder.createOrFold<arith::MulIOp>(loc, a, b);
}

Value KernelLowering::both(Value a, Value b) {
  return a && b ? builder.createOrFold<arith::AndIOp>(loc, a, b) : a ? a : b;
}

Value KernelLowering::offset(Value pointer, Value bytes) {
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{bytes});
}

Value KernelLowering::offset(Value pointer, int64_t bytes) {
  if (bytes == 0)
    return pointer;
  return LLVM::GEPOp::create(builder, loc, pointer.getType(), builder.getI8Type(), pointer,
                             ArrayRef<LLVM::GEPArg>{static_cast<int32_t>(bytes)});
}

Value KernelLowering::programId(Axis axis) {
  Type i32 = builder.getI32Type();
  switch (axis) {
  case Axis::x:
    return NVVM::BlockIdXOp::create(builder, loc, i32);
  case Axis::y:
    return NVVM::BlockIdYOp::create(builder, loc, i32);
  case Axis::z:
    return NVVM::BlockIdZOp::create(builder, loc, i32);
  }
  llvm_unreachable("an axis is x, y or z");
}

Value KernelLowering::numPrograms(Axis axis) {
  Type i32 = builder.getI32Type();
  switch (axis) {
  case Axis::x:
    return NVVM::GridDimXOp::create(builder, loc, i32);
  case Axis::y:
    return NVVM::GridDimYOp::create(builder, loc, i32);
  case Axis::z:
    return NVVM::GridDimZOp::create(builder, loc, i32);
  }
  llvm_unreachable("an axis is x, y or z");
}

//===----------------------------------------------------------------------===//
// Tiles as lists of scalars
//===----------------------------------------------------------------------===//

/// Neighbouring registers that cross the edge of a region as one value: pairs of 16-bit elements,
/// which the machine keeps in one register and loses track of when they go their own ways.
static int packedRegisters(Type element, size_t count) {
  bool is16Bit = element.isIntOrFloat() && element.getIntOrFloatBitWidth() == 16;
  return is16Bit && count % 2 == 0 ? 2 : 1;
}

SmallVector<Value> KernelLowering::pack(const Registers &registers) {
  int width = packedRegisters(registers.front().getType(), registers.size());
  SmallVector<Value> packed;
  for (size_t reg = 0; reg < registers.size(); reg += width)
    packed.push_back(packVector(builder, loc, ValueRange(registers).slice(reg, width)));
  return packed;
}

SmallVector<Type> KernelLowering::packedTypes(Type tile) {
  size_t count = getLayoutOf(tile).numRegisters();
  Type element = cast<RankedTensorType>(tile).getElementType();
  int width = packedRegisters(element, count);
  return SmallVector<Type>(count / width, vectorOf(element, width));
}

Registers KernelLowering::unpack(Type tile, ValueRange &packed) {
  Registers registers;
  size_t count = packedTypes(tile).size();
  for (Value value : packed.take_front(count))
    unpackVector(builder, loc, value, registers);
  packed = packed.drop_front(count);
  return registers;
}

SmallVector<Value> KernelLowering::flatten(ValueRange values) {
  SmallVector<Value> flat;
  for (Value value : values)
    if (isTile(value.getType()))
      llvm::append_range(flat, pack(tiles.lookup(value)));
    else
      flat.push_back(scalar(value));
  return flat;
}

SmallVector<Type> KernelLowering::flatTypes(TypeRange types) {
  SmallVector<Type> flat;
  for (Type type : types)
    if (isTile(type))
      llvm::append_range(flat, packedTypes(type));
    else
      flat.push_back(type);
  return flat;
}

void KernelLowering::bind(ValueRange from, ValueRange flat) {
  for (Value value : from)
    if (isTile(value.getType())) {
      tiles[value] = unpack(value.getType(), flat);
    } else {
      scalars[value] = flat.front();
      flat = flat.drop_front();
    }
}

LogicalResult KernelLowering::lowerElementwise(Operation *op) {
  Type resultType = op->getResult(0).getType();
  if (!isTile(resultType)) {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, scalar(operand));
    scalars[op->getResult(0)] = builder.clone(*op, mapping)->getResult(0);
    return success();
  }
  Registers results;
  Type element = cast<RankedTensorType>(resultType).getElementType();
  for (int reg = 0, e = getLayoutOf(resultType).numRegisters(); reg != e; ++reg) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(isTile(operand.getType()) ? tiles.lookup(operand)[reg] : scalar(operand));
    Operation *created = builder.create(loc, op->getName().getIdentifier(), operands,
                                        TypeRange(element), op->getAttrs());
    results.push_back(created->getResult(0));
  }
  tiles[op->getResult(0)] = results;
  return success();
}

LogicalResult KernelLowering::lowerConstant(Operation *op) {
  auto constantOp = cast<arith::ConstantOp>(op);
  if (!isTile(constantOp.getType())) {
    scalars[constantOp] = builder.clone(*op)->getResult(0);
    return success();
  }
  auto value = cast<DenseElementsAttr>(constantOp.getValue());
  Value element =
      arith::ConstantOp::create(builder, loc, cast<TypedAttr>(value.getSplatValue<Attribute>()));
  tiles[constantOp] = Registers(getLayoutOf(constantOp.getType()).numRegisters(), element);
  return success();
}

void KernelLowering::lowerBroadcast(BroadcastOp op) {
  const Registers operand = tiles.lookup(op.getOperand());
  Registers results;
  for (int reg : getLayoutOf(op.getType()).registersInSlice(1 - op.getDimension()))
    results.push_back(operand[reg]);
  tiles[op] = results;
}

void KernelLowering::lowerIota(IotaOp op) {
  Layout layout = getLayoutOf(op.getType());
  Value base = threads->base(layout, 0);
  Registers results;
  for (int reg = 0; reg != layout.numRegisters(); ++reg)
    results.push_back(add(base, constant(layout.at(reg)[0])));
  tiles[op] = results;
}

/// Whether two layouts give every thread the same elements, in different registers at most.
static bool isRegisterPermutation(const Layout &from, const Layout &to) {
  return from.lanes() == to.lanes() && from.warps() == to.warps();
}

LogicalResult KernelLowering::lowerConvertLayout(ConvertLayoutOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  Layout from = getLayoutOf(op.getOperand().getType()), to = getLayoutOf(type);
  const Registers values = tiles.lookup(op.getOperand());
  Registers results;
  if (isRegisterPermutation(from, to)) {
    for (int reg = 0; reg != to.numRegisters(); ++reg)
      results.push_back(values[*from.registerAt(to.at(reg))]);
    tiles[op] = results;
    return success();
  }
  if (enclosingSum && enclosingSum.getSchedule()->getWarpsK() > 1)
    return op.emitError("a change of layout inside a tile.sum whose warps run apart is not "
                        "supported; set WARPS_K = 1");
  SharedTile tile(type.getShape(), type.getElementType(), type.getRank() - 1);
  Value base = shared.beginPhase(builder, loc, tile.bytes());
  tile.store(builder, loc, *threads, base, from, values);
  simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  tiles[op] = tile.load(builder, loc, *threads, base, to);
  return success();
}

static SharedTile sharedTileOf(Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return SharedTile(type.getShape(), type.getElementType(), type.getRank() - 1);
}

/// Puts a tile that slices are taken of into shared memory.
void KernelLowering::keepForSlices(Value tile) {
  if (!isTile(tile.getType()) ||
      llvm::none_of(tile.getUsers(), [](Operation *user) { return isa<SliceOp>(user); }))
    return;
  SharedTile place = sharedTileOf(tile);
  Value base = shared.reserve(builder, loc, place.bytes());
  // Slices of the tile before this one may still be read.
  if (isRepeated(builder))
    simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  place.store(builder, loc, *threads, base, getLayoutOf(tile.getType()), tiles.lookup(tile));
  simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  kept[tile] = base;
}

LogicalResult KernelLowering::lowerSlice(SliceOp op) {
  auto type = cast<RankedTensorType>(op.getType());
  auto whole = cast<RankedTensorType>(op.getOperand().getType());
  int64_t elementBytes = getElementBytes(type.getElementType());
  int64_t rowBytes = type.getDimSize(1) * elementBytes;
  Value base = kept.lookup(op.getOperand());
  if (!base)
    return op.emitError("expected a slice of a tile that an op outside of tile.sum computes");
  if (type.getDimSize(1) != whole.getDimSize(1) && rowBytes % SharedTile::kBankBytes != 0)
    return op.emitError("expected slices of a multiple of ")
           << SharedTile::kBankBytes << " bytes a row, got " << rowBytes;
  Value first = offset(base, mul(scalar(op.getColumn()), constant(elementBytes)));
  tiles[op] = sharedTileOf(op.getOperand()).load(builder, loc, *threads, first, getLayoutOf(type));
  return success();
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

LogicalResult KernelLowering::lowerFor(scf::ForOp loop) {
  auto lowered =
      scf::ForOp::create(builder, loc, scalar(loop.getLowerBound()), scalar(loop.getUpperBound()),
                         scalar(loop.getStep()), flatten(loop.getInitArgs()));
  OpBuilder::InsertionGuard guard(builder);
  if (lowered.getBody()->mightHaveTerminator() && !lowered.getBody()->empty())
    lowered.getBody()->getTerminator()->erase();
  builder.setInsertionPointToEnd(lowered.getBody());
  scalars[loop.getInductionVar()] = lowered.getInductionVar();
  bind(loop.getRegionIterArgs(), lowered.getRegionIterArgs());
  if (failed(lowerBlock(*loop.getBody())))
    return failure();
  scf::YieldOp::create(builder, loc, flatten(loop.getBody()->getTerminator()->getOperands()));
  builder.setInsertionPointAfter(lowered);
  bind(loop.getResults(), lowered.getResults());
  return success();
}

LogicalResult KernelLowering::lowerIf(scf::IfOp conditional) {
  bool hasElse = !conditional.getElseRegion().empty();
  auto lowered = scf::IfOp::create(builder, loc, flatTypes(conditional.getResultTypes()),
                                   scalar(conditional.getCondition()), hasElse);
  OpBuilder::InsertionGuard guard(builder);
  for (auto [from, to] : llvm::zip(conditional->getRegions(), lowered->getRegions())) {
    if (from.empty())
      continue;
    Block &block = to.front();
    if (!block.empty() && block.back().hasTrait<OpTrait::IsTerminator>())
      block.back().erase();
    builder.setInsertionPointToEnd(&block);
    if (failed(lowerBlock(from.front())))
      return failure();
    scf::YieldOp::create(builder, loc, flatten(from.front().getTerminator()->getOperands()));
  }
  builder.setInsertionPointAfter(lowered);
  bind(conditional.getResults(), lowered.getResults());
  return success();
}

LogicalResult KernelLowering::lowerBlock(Block &block) {
  // What a nested block waits for, the code behind it need not have waited for.
  llvm::scope_exit restore([this, before = awaited, outer = currentBlock, op = currentOp] {
    awaited = before;
    currentBlock = outer;
    currentOp = op;
  });
  currentBlock = &block;
  for (Operation &op : block.without_terminator()) {
    currentOp = &op;
    Location outer = loc;
    loc = op.getLoc();
    LogicalResult status = lower(&op);
    if (succeeded(status))
      llvm::for_each(op.getResults(), [&](Value result) { keepForSlices(result); });
    loc = outer;
    if (failed(status))
      return failure();
  }
  return success();
}

LogicalResult KernelLowering::lower(Operation *op) {
  for (Value result : op->getResults())
    if (isTile(result.getType()) && !getLayout(result.getType()))
      return op->emitError("expected a tile with a layout: run tile-assign-layouts first");
  return TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](scf::ForOp loop) { return lowerFor(loop); })
      .Case([&](scf::IfOp conditional) { return lowerIf(conditional); })
      .Case([&](SumOp sum) { return lowerSum(sum); })
      .Case<ViewOp, SubviewOp, TransposeOp>([](auto) { return success(); })
      .Case([&](arith::ConstantOp constantOp) { return lowerConstant(constantOp); })
      .Case([&](ParamOp param) {
        scalars[param] = arith::ConstantOp::create(
            builder, loc,
            builder.getIntegerAttr(param.getType(), cast<IntegerAttr>(param.getValue()).getInt()));
        return success();
      })
      .Case([&](ProgramIdOp id) {
        scalars[id] = programId(id.getAxis());
        return success();
      })
      .Case([&](AssumeDivisibleOp assume) {
        scalars[assume] = scalar(assume.getOperand());
        return success();
      })
      .Case([&](LoadScalarOp load) {
        scalars[load] = loadScalar(load);
        return success();
      })
      .Case([&](LoadOp access) {
        tiles[access] = load(accessOf(access), access.getPaddingAttr());
        return success();
      })
      .Case([&](GatherOp access) {
        tiles[access] = load(accessOf(access), {});
        return success();
      })
      .Case<StoreOp, ScatterOp>([&](auto access) {
        store(accessOf(access), tiles.lookup(access.getValue()), access.getAccumulate());
        return success();
      })
      .Case([&](SplatOp splat) {
        tiles[splat] =
            Registers(getLayoutOf(splat.getType()).numRegisters(), scalar(splat.getOperand()));
        return success();
      })
      .Case([&](IotaOp iota) {
        lowerIota(iota);
        return success();
      })
      .Case([&](BroadcastOp broadcast) {
        lowerBroadcast(broadcast);
        return success();
      })
      .Case([&](SliceOp slice) { return lowerSlice(slice); })
      .Case([&](ConvertLayoutOp convert) { return lowerConvertLayout(convert); })
      .Case([&](DotOp product) {
        Registers accumulator = product.getAccumulator()
                                    ? tiles.lookup(product.getAccumulator())
                                    : Registers(getLayoutOf(product.getType()).numRegisters(),
                                                zero(builder.getF32Type()));
        tiles[product] = dot(product, accumulator);
        return success();
      })
      .Default([&](Operation *other) -> LogicalResult {
        if (other->getNumResults() == 1 && other->getNumRegions() == 0 && isMemoryEffectFree(other))
          return lowerElementwise(other);
        return other->emitError("no thread-level form of this op is known");
      });
}

LogicalResult KernelLowering::run() {
  Block &entry = function.getBody().front();
  builder.setInsertionPointToStart(&entry);
  // What follows from the thread's number is computed here, before everything else.
  Operation *marker = gpu::ReturnOp::create(builder, loc);
  threads.emplace(OpBuilder(marker), loc);
  builder.setInsertionPointToEnd(&entry);

  for (auto [from, to] : llvm::zip(kernel.getRegion().getArguments(), entry.getArguments()))
    scalars[from] = to;
  kernel->walk([&](Operation *op) {
    if (auto store = dyn_cast<StoreOp>(op))
      written.insert(describeView(store.getView()).base);
    else if (auto scatter = dyn_cast<ScatterOp>(op))
      written.insert(describeView(scatter.getView()).base);
  });
  if (getTarget(kernel).hasClusters() && !kernel.getAwaits().empty()) {
    for (auto [argument, name] : llvm::zip(kernel.getRegion().getArguments(), kernel.getArgNames()))
      if (llvm::is_contained(kernel.getAwaits(), name))
        awaits.insert(argument);
    simt::ReleaseDependentsOp::create(builder, loc);
  }
  if (failed(lowerBlock(*kernel.getBody())))
    return failure();
  gpu::ReturnOp::create(builder, loc);
  marker->erase();
  function->setAttr("simt.shared_bytes", builder.getI32IntegerAttr(shared.finish()));
  return success();
}
