//===- KernelLowering.h - From a tile program to one thread -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Lowers one kernel by walking its ops in order. A scalar stays a scalar, a pointer becomes
// `!llvm.ptr<1>`, and a tile the list of scalars that this thread holds, in the order of the
// registers of its layout. Views have no value; accesses read them off the ops that make them.
//
//===----------------------------------------------------------------------===//

#pragma once

#include "SharedMemory.h"
#include "Simt/Simt.h"
#include "ThreadCoordinates.h"
#include "Tile/Tile.h"
#include "lora/Analysis/Views.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <memory>

namespace lora {

/// The elements of a tile that a thread holds.
using Registers = llvm::SmallVector<mlir::Value>;

class RingLowering;

class KernelLowering {
public:
  KernelLowering(tile::KernelOp kernel, mlir::gpu::GPUFuncOp function);

  mlir::LogicalResult run();

private:
  friend class RingLowering;

  //===--- Control flow and scalars (KernelLowering.cpp) ----------------===//
  mlir::LogicalResult lowerBlock(mlir::Block &block);
  mlir::LogicalResult lower(mlir::Operation *op);
  mlir::LogicalResult lowerFor(mlir::scf::ForOp loop);
  mlir::LogicalResult lowerIf(mlir::scf::IfOp conditional);
  mlir::LogicalResult lowerElementwise(mlir::Operation *op);
  mlir::LogicalResult lowerConstant(mlir::Operation *op);
  void lowerBroadcast(tile::BroadcastOp op);
  void lowerIota(tile::IotaOp op);
  mlir::LogicalResult lowerConvertLayout(tile::ConvertLayoutOp op);
  void keepForSlices(mlir::Value tile);
  mlir::LogicalResult lowerSlice(tile::SliceOp op);
  llvm::SmallVector<mlir::Value> pack(const Registers &registers);
  llvm::SmallVector<mlir::Type> packedTypes(mlir::Type tile);
  Registers unpack(mlir::Type tile, mlir::ValueRange &packed);
  llvm::SmallVector<mlir::Value> flatten(mlir::ValueRange values);
  void bind(mlir::ValueRange from, mlir::ValueRange flat);
  llvm::SmallVector<mlir::Type> flatTypes(mlir::TypeRange types);

  //===--- Accesses to views (AccessLowering.cpp) -----------------------===//
  struct Access;
  Access makeAccess(mlir::Value view, mlir::RankedTensorType tile, mlir::Value rows,
                    mlir::ValueRange coordinates, int64_t alignment,
                    std::optional<llvm::ArrayRef<bool>> inBounds);
  Access accessOf(mlir::Operation *op); ///< A LoadOp, GatherOp, StoreOp or ScatterOp.
  mlir::Value viewBase(const ViewDescription &view, mlir::Type element, mlir::Value &nonEmpty);
  mlir::Value strideBytes(const ViewDescription::Dimension &dimension, int64_t elementBytes);
  mlir::Value isInside(mlir::Value coordinate, mlir::Value size);
  mlir::Value pieceAddress(const Access &access, int reg);
  mlir::Value piecePredicate(const Access &access, int reg);
  Registers load(const Access &access, mlir::Attribute padding);
  void store(const Access &access, const Registers &values, bool accumulate);
  mlir::Value loadScalar(tile::LoadScalarOp op);
  bool isReadOnly(mlir::Value view);
  simt::CacheHint hintFor(mlir::Value view);

  //===--- Products (DotLowering.cpp) -----------------------------------===//
  Registers dot(tile::DotOp op, const Registers &accumulator);

  //===--- Sums (SumLowering.cpp, SplitLowering.cpp) --------------------===//
  struct Range;
  struct Inbox;
  Range partOf(tile::SumOp sum);
  mlir::LogicalResult lowerSum(tile::SumOp sum);
  mlir::FailureOr<Registers> lowerOneBlock(tile::SumOp sum, const Range &range);
  struct Part;
  mlir::Value leafEnd(const Range &range, mlir::Value leaf);
  mlir::FailureOr<Registers> lowerPart(tile::SumOp sum);
  Part finishLeaf(tile::SumOp sum, const Range &range, mlir::Value k, const Part &part,
                  mlir::Value exists);
  mlir::FailureOr<Registers> addBlock(tile::SumOp sum, const Registers &accumulator,
                                      mlir::Value exists);
  mlir::FailureOr<Registers> lowerBody(tile::SumOp sum, const Registers &accumulator);
  Registers combineWarps(tile::SumOp sum, const Registers &partial, const Layout &to);
  mlir::LogicalResult combineInWorkspace(tile::SumOp sum, Registers &sums, mlir::Value &visible);
  mlir::Value rankInCluster(int64_t size);
  void openInbox(tile::SumOp sum);
  Registers combineInCluster(tile::SumOp sum, const Registers &partial, mlir::Value &visible);
  Registers addTree(llvm::SmallVector<Registers> parts);

  //===--- Around the wait (EarlyLoads.cpp) -----------------------------===//
  struct Preloaded;
  void lowerOperandsOf(mlir::Operation *op, mlir::Block *body);
  llvm::SmallVector<mlir::Operation *> earlyLoads(tile::SumOp sum);
  unsigned blocksAhead(tile::SumOp sum);
  bool mayPrecedeWait(mlir::Operation *load);
  bool comesNext(tile::SumOp sum);
  bool usesNextPhase(tile::SumOp sum);
  std::shared_ptr<Preloaded> begunSum(tile::SumOp sum);
  llvm::SmallVector<Registers> loadAhead(tile::SumOp sum, llvm::ArrayRef<mlir::Operation *> loads,
                                         mlir::Value k, mlir::Value needed);
  void preloadSums(mlir::Block *block);
  void awaitPredecessors();
  void awaitPredecessorsFor(mlir::Value view);

  //===--- Small things -------------------------------------------------===//
  mlir::Value constant(int64_t value, unsigned width = 32);
  mlir::Value zero(mlir::Type type);
  mlir::Value add(mlir::Value a, mlir::Value b);
  mlir::Value mul(mlir::Value a, mlir::Value b);
  mlir::Value both(mlir::Value a, mlir::Value b); ///< Either may be null: true.
  mlir::Value offset(mlir::Value pointer, mlir::Value bytes);
  mlir::Value offset(mlir::Value pointer, int64_t bytes);
  mlir::Value programId(tile::Axis axis);
  mlir::Value numPrograms(tile::Axis axis);
  /// A value of the source program that is neither a tile nor a view.
  mlir::Value scalar(mlir::Value value) { return scalars.lookup(value); }

  tile::KernelOp kernel;
  mlir::gpu::GPUFuncOp function;
  mlir::OpBuilder builder;
  mlir::Location loc;
  int numWarps;
  std::optional<ThreadCoordinates> threads;
  SharedMemory shared;
  llvm::DenseMap<mlir::Value, mlir::Value> scalars;
  llvm::DenseMap<mlir::Value, Registers> tiles;
  llvm::DenseSet<mlir::Value> written; ///< Pointers that the kernel stores through.
  /// Pointers whose memory the kernel before this one may be writing, and whether it has been
  /// waited for wherever control is now.
  llvm::DenseSet<mlir::Value> awaits;
  bool awaited = false;
  mlir::Block *currentBlock = nullptr;  ///< Of the source program.
  mlir::Operation *currentOp = nullptr; ///< In that block.
  /// Further condition of the accesses that are being lowered, i1 or null.
  mlir::Value condition;
  /// What has been loaded already for the first blocks of a sum.
  llvm::DenseMap<mlir::Operation *, std::shared_ptr<Preloaded>> preloaded;
  /// Where the parts of sums over a cluster arrive.
  llvm::DenseMap<mlir::Operation *, Inbox> inboxes;
  /// Where the tiles lie that slices are taken of.
  llvm::DenseMap<mlir::Value, mlir::Value> kept;
  tile::SumOp enclosingSum;
  tile::SumOp splitSum;
};

/// How a thread accesses its elements of a tile of a view.
struct KernelLowering::Access {
  ViewDescription view;
  Layout layout;
  mlir::Type element;
  simt::CacheHint hint;
  mlir::Value base = {};     ///< Address of the thread's element, with row 0 for row indices.
  mlir::Value nonEmpty = {}; ///< i1, or null.
  Registers rows = {};       ///< Row indices, in the layout `layout.slice(0)`.
  std::vector<int> rowOfRegister = {};
  llvm::SmallVector<mlir::Value, 2> coordinates = {}; ///< The thread's own; null for row indices.
  llvm::SmallVector<bool, 2> inBounds = {};
  int width = 1; ///< Elements of one access.

  int64_t elementBytes() const { return tile::getElementBytes(element); }
};

/// The blocks of the reduced dimension that a warp sums up.
struct KernelLowering::Range {
  mlir::Value begin, end;       ///< i32, elements
  mlir::Value firstLeaf;        ///< i32
  mlir::Value units, logLeaves; ///< i32, of the whole tree
  mlir::Value extent;           ///< i32
  int levels;                   ///< Levels of the tree that one warp evaluates, at most.
  bool oneBlock;                ///< Whether the whole sum has at most one block.
};

/// Where a block receives the parts of a sum.
struct KernelLowering::Inbox {
  mlir::Value parts;    ///< One tile for each program.
  mlir::Value mbarrier; ///< Null where the sum may run more than once.
};

/// The part of a sum and, for its first blocks, what its early loads gave or where they go.
struct KernelLowering::Preloaded {
  /// A block whose early loads have been made.
  struct Block {
    mlir::Value begin;  ///< i32, its first element.
    mlir::Value needed; ///< i1, whether it exists.
    llvm::DenseMap<mlir::Operation *, Registers> values;
  };
  Range range;
  llvm::SmallVector<Block> blocks; ///< As many as are under way at a time.
  std::shared_ptr<RingLowering> ring;
};

} // namespace lora
