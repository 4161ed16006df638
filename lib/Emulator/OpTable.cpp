//===- OpTable.cpp - What the runtime knows of each op of a kernel --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpTable.h"

#include "Simt/Simt.h"

#include "mlir/Dialect/LLVMIR/LLVMTypes.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace lora::emulator {

static Space spaceOf(Value address) {
  switch (cast<LLVM::LLVMPointerType>(address.getType()).getAddressSpace()) {
  case 3:
    return Space::Shared;
  case 7:
    return Space::Peer;
  default:
    return Space::Global;
  }
}

static MmaType mmaType(simt::MmaOp op) {
  Type element = cast<VectorType>(op.getLhs().getType()).getElementType();
  return element.isF16() ? MmaType::F16 : element.isBF16() ? MmaType::BF16 : MmaType::TF32;
}

std::string describeLocation(Location location) {
  FileLineColLoc found;
  location->walk([&](Location inner) {
    found = dyn_cast<FileLineColLoc>(inner);
    return found ? WalkResult::interrupt() : WalkResult::advance();
  });
  if (!found)
    return "an unknown location";
  return (found.getFilename().getValue() + ":" + Twine(found.getLine()) + ":" +
          Twine(found.getColumn()))
      .str();
}

OpInfo describeOp(Operation *op) {
  OpInfo info;
  info.name = op->getName().getStringRef().str();
  info.location = describeLocation(op->getLoc());
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](simt::LoadOp load) {
        info.kind = OpKind::Access;
        info.bytes = simt::getAccessBytes(load.getResult().getType());
        info.space = spaceOf(load.getAddress());
        info.readOnly = load.getHint() != simt::CacheHint::Default;
      })
      .Case([&](simt::StoreOp store) {
        info.kind = OpKind::Access;
        info.bytes = simt::getAccessBytes(store.getValue().getType());
        info.space = spaceOf(store.getAddress());
      })
      .Case([&](simt::AtomicAddOp) {
        info.kind = OpKind::Access;
        info.bytes = 4;
      })
      .Case([&](simt::CpAsyncOp copy) {
        info.kind = OpKind::Copy;
        info.bytes = copy.getBytes();
      })
      .Case([&](simt::CpAsyncWaitOp wait) { info.pending = wait.getPending(); })
      .Case([&](simt::BarrierOp barrier) {
        info.kind = OpKind::Barrier;
        info.threads = barrier.getThreads().value_or(0);
      })
      .Case([&](simt::WarpBarrierOp) { info.kind = OpKind::WarpBarrier; })
      .Case([&](simt::ClusterArriveOp arrive) {
        info.kind = OpKind::ClusterArrive;
        info.relaxed = arrive.getRelaxed();
      })
      .Case([&](simt::ClusterWaitOp) { info.kind = OpKind::ClusterWait; })
      .Case([&](simt::MbarrierInitOp init) { info.expectedBytes = init.getBytes(); })
      .Case([&](simt::StoreAsyncOp store) {
        info.kind = OpKind::Access;
        info.bytes = simt::getAccessBytes(store.getValue().getType());
        info.space = spaceOf(store.getAddress());
      })
      .Case([&](simt::MbarrierWaitOp) { info.kind = OpKind::MbarrierWait; })
      .Case([&](simt::MmaOp mma) {
        info.kind = OpKind::Mma;
        info.mma = mmaType(mma);
      })
      .Default([](Operation *) {});
  return info;
}

} // namespace lora::emulator
