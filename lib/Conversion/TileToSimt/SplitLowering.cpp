//===- SplitLowering.cpp - Sums that programs share ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelLowering.h"
#include "Simt/Simt.h"
#include "lora/Transforms/LayoutAttributes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

/// Bytes that a thread moves at once.
static constexpr int64_t kVectorBytes = 16;
static constexpr int64_t kMbarrierBytes = 8;

/// Every program stores its part to a workspace in global memory and then counts itself; the one
/// that finds itself the last of its group adds all parts up, in the order of the tree. The counter
/// goes back to zero for the next launch.
LogicalResult KernelLowering::combineInWorkspace(SumOp sum, Registers &sums, Value &visible) {
  int64_t split = sum.getSplitInt();
  if (sum.getVisibility() == Visibility::All)
    return sum.emitError("a sum that is split through a workspace can be visible to one program "
                         "only, got 'to all'");
  if (isRepeated(builder))
    return sum.emitError("a sum that is split through a workspace cannot be in a loop");
  if (splitSum)
    return sum.emitError("expected at most one split tile.sum in a kernel");
  splitSum = sum;

  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 1);
  Block &entry = function.getBody().front();
  unsigned arguments = entry.getNumArguments();
  SmallVector<Type> inputs(function.getFunctionType().getInputs());
  inputs.append({pointer, pointer});
  function.setFunctionType(builder.getFunctionType(inputs, {}));
  Value workspace = entry.addArgument(pointer, loc), counters = entry.addArgument(pointer, loc);
  assert(entry.getNumArguments() == arguments + 2);

  // The group of this program: the launch grid with the axis divided by the split.
  Value group, member;
  for (Axis axis : {Axis::z, Axis::y, Axis::x}) {
    Value id = programId(axis), size = numPrograms(axis);
    if (axis == sum.getAxis()) {
      member = arith::RemUIOp::create(builder, loc, id, constant(split));
      id = arith::DivUIOp::create(builder, loc, id, constant(split));
      size = arith::DivUIOp::create(builder, loc, size, constant(split));
    }
    group = group ? add(mul(group, size), id) : id;
  }

  int64_t threadsInBlock = 32 * numWarps, count = sums.size();
  int width = std::min<int64_t>(count, kVectorBytes / 4);
  int64_t partBytes = threadsInBlock * count * 4;
  auto wide = [&](Value value) -> Value {
    return arith::ExtUIOp::create(builder, loc, builder.getI64Type(), value);
  };
  Value groupBase = offset(workspace, mul(wide(group), constant(split * partBytes, 64)));
  Value mine = offset(groupBase, wide(mul(threads->thread(), constant(width * 4))));
  // Piece i of all threads lies together, so that a warp's accesses are contiguous.
  auto pieceOffset = [&](int64_t piece) { return piece * threadsInBlock * width * 4; };
  Value myPart = offset(mine, mul(wide(member), constant(partBytes, 64)));
  for (int64_t piece = 0; piece != count / width; ++piece)
    simt::StoreOp::create(builder, loc,
                          packVector(builder, loc, ValueRange(sums).slice(piece * width, width)),
                          offset(myPart, pieceOffset(piece)), Value());

  simt::FenceOp::create(builder, loc);
  simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  Value flag = shared.reserve(builder, loc, 4);
  Value isFirst =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, threads->thread(), constant(0));
  Value counter = offset(counters, mul(wide(group), constant(4, 64)));
  auto leader = scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(leader.thenBlock());
    Value old = simt::AtomicAddOp::create(builder, loc, builder.getI32Type(), counter, constant(1));
    simt::StoreOp::create(builder, loc, old, flag, Value());
  }
  simt::BarrierOp::create(builder, loc, Value(), IntegerAttr());
  Value arrived = simt::LoadOp::create(builder, loc, builder.getI32Type(), flag, Value(),
                                       simt::CacheHint::Default);
  visible =
      arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, arrived, constant(split - 1));

  auto last = scf::IfOp::create(builder, loc, SmallVector<Type>(count, builder.getF32Type()),
                                visible, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(last.thenBlock());
  simt::FenceOp::create(builder, loc);
  simt::StoreOp::create(builder, loc, constant(0), counter, isFirst);
  SmallVector<Registers> parts;
  for (int64_t part = 0; part != split; ++part) {
    Registers &values = parts.emplace_back();
    for (int64_t piece = 0; piece != count / width; ++piece) {
      Value address = offset(mine, part * partBytes + pieceOffset(piece));
      unpackVector(builder, loc,
                   simt::LoadOp::create(builder, loc, vectorOf(builder.getF32Type(), width),
                                        address, Value(), simt::CacheHint::Default),
                   values);
    }
  }
  scf::YieldOp::create(builder, loc, addTree(parts));
  builder.setInsertionPointToStart(last.elseBlock());
  scf::YieldOp::create(builder, loc, Registers(count, zero(builder.getF32Type())));
  sums = Registers(last.getResults());
  function->setAttr("simt.workspace_bytes", builder.getI64IntegerAttr(split * partBytes));
  function->setAttr("simt.split", builder.getI64IntegerAttr(split));
  return success();
}

//===----------------------------------------------------------------------===//
// Through distributed shared memory
//===----------------------------------------------------------------------===//

Value KernelLowering::rankInCluster(int64_t size) {
  return arith::RemUIOp::create(builder, loc, programId(Axis::x), constant(size));
}

/// Makes room for the parts of a sum over the cluster, and says that this block runs and that its
/// inbox is free.
void KernelLowering::openInbox(SumOp sum) {
  if (sum.getSchedule()->getSplit() != SplitStrategy::Cluster || inboxes.contains(sum))
    return;
  auto type = cast<RankedTensorType>(sum.getResult().getType());
  int64_t split = sum.getSplitInt();
  SharedTile tile(type.getShape(), type.getElementType(), type.getRank() - 1);
  bool repeated = isRepeated(builder);
  Inbox inbox;
  inbox.parts = shared.reserve(builder, loc, split * tile.bytes());
  if (!repeated) {
    inbox.mbarrier = shared.reserve(builder, loc, kMbarrierBytes);
    Value isLeader = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                           threads->thread(), constant(0));
    if (sum.getVisibility() == Visibility::One)
      isLeader = both(isLeader, arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq,
                                                      rankInCluster(split), constant(0)));
    simt::MbarrierInitOp::create(builder, loc, inbox.mbarrier, isLeader, split * tile.bytes());
  }
  simt::ClusterArriveOp::create(builder, loc, /*relaxed=*/!repeated);
  inboxes[sum] = inbox;
}

/// Every block writes its part into the inbox of each block that is to see the sum, which then adds
/// up what it finds there.
Registers KernelLowering::combineInCluster(SumOp sum, const Registers &partial, Value &visible) {
  auto type = cast<RankedTensorType>(sum.getResult().getType());
  int64_t split = sum.getSplitInt();
  bool toAll = sum.getVisibility() == Visibility::All;
  function->setAttr("simt.cluster", builder.getI32IntegerAttr(split));
  function.setKnownClusterSizeAttr(
      builder.getDenseI32ArrayAttr({static_cast<int32_t>(split), 1, 1}));

  bool combines = sum.getSchedule()->getWarpsK() > 1;
  SmallVector<int32_t> shape(type.getShape().begin(), type.getShape().end());
  Layout layout = combines ? spreadLayout(shape, kVectorBytes / 4, numWarps)
                           : getLayoutOf(sum.getYielded().getType());
  Registers mine = combineWarps(sum, partial, layout);
  SharedTile tile(type.getShape(), type.getElementType(), type.getRank() - 1);
  Inbox inbox = inboxes.lookup(sum);
  Value rank = rankInCluster(split);
  Value part = offset(inbox.parts, mul(rank, constant(tile.bytes())));
  Value isFirst = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, rank, constant(0));

  simt::ClusterWaitOp::create(builder, loc);
  Type pointer = LLVM::LLVMPointerType::get(builder.getContext(), 7);
  for (int64_t i = 0; i != (toAll ? split : 1); ++i) {
    // Each block begins with itself, so that not all of them write to one at a time.
    Value peer =
        toAll ? arith::AndIOp::create(builder, loc, add(rank, constant(i)), constant(split - 1))
              : constant(0);
    Value remote = simt::PeerOp::create(builder, loc, pointer, part, peer);
    Value mbarrier;
    if (inbox.mbarrier)
      mbarrier = simt::PeerOp::create(builder, loc, pointer, inbox.mbarrier, peer);
    tile.store(builder, loc, *threads, remote, layout, mine, /*apart=*/0, mbarrier);
  }
  if (!inbox.mbarrier) {
    simt::ClusterArriveOp::create(builder, loc, /*relaxed=*/false);
    simt::ClusterWaitOp::create(builder, loc);
  }
  if (!toAll)
    visible = isFirst;

  Layout to = getLayoutOf(type);
  auto read = [&] {
    if (inbox.mbarrier)
      simt::MbarrierWaitOp::create(builder, loc, inbox.mbarrier);
    SmallVector<Registers> parts;
    for (int64_t i = 0; i != split; ++i)
      parts.push_back(tile.load(builder, loc, *threads, offset(inbox.parts, i * tile.bytes()), to));
    return addTree(parts);
  };
  if (toAll)
    return read();
  SmallVector<Type> types(to.numRegisters(), builder.getF32Type());
  auto first = scf::IfOp::create(builder, loc, types, isFirst, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(first.thenBlock());
  scf::YieldOp::create(builder, loc, read());
  builder.setInsertionPointToStart(first.elseBlock());
  scf::YieldOp::create(builder, loc, Registers(to.numRegisters(), zero(builder.getF32Type())));
  return Registers(first.getResults());
}
