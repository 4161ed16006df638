//===- SimtOps.td - Operations of the simt dialect -----------*- tablegen -*-===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===------------------------------------------------------------------------===//

#ifndef SIMT_OPS
#define SIMT_OPS

include "mlir/IR/EnumAttr.td"
include "mlir/Dialect/LLVMIR/LLVMOpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Simt/SimtDialect.td"

class Simt_Op<string mnemonic, list<Trait> traits = []> : Op<Simt_Dialect, mnemonic, traits>;

def Simt_GlobalPtr : LLVM_PointerInAddressSpace<1>;
def Simt_SharedPtr : LLVM_PointerInAddressSpace<3>;
def Simt_PeerPtr : LLVM_PointerInAddressSpace<7>;
def Simt_AnyPtr : AnyTypeOf<[Simt_GlobalPtr, Simt_SharedPtr, Simt_PeerPtr]>;

def Simt_CacheHint : I32EnumAttr<"CacheHint", "how a global access uses the caches", [
    I32EnumAttrCase<"Default", 0, "default">,
    I32EnumAttrCase<"ReadOnly", 1, "read_only">,
    I32EnumAttrCase<"Streaming", 2, "streaming">]> {
  let cppNamespace = "::lora::simt";
}

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

def Simt_SharedOp : Simt_Op<"shared", [Pure]> {
  let summary = "Address inside the dynamic shared memory of the block";
  let description = [{
    The byte `offset` of the one dynamic shared buffer of a kernel, which is aligned to 128 bytes.
  }];
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$offset);
  let results = (outs Simt_SharedPtr:$result);
  let assemblyFormat = "$offset attr-dict";
}

def Simt_LoadOp : Simt_Op<"load", [MemoryEffects<[MemRead]>]> {
  let summary = "Read 1, 2, 4, 8 or 16 bytes, or give zeros";
  let description = [{
    Reads when there is no predicate or it is true; the result is zero otherwise, and the address
    is not used. The address is a multiple of the access width. `read_only` promises that no thread
    writes the location while the kernel runs, and allows the load to move across barriers;
    `streaming` adds that it is read once.
  }];
  let arguments = (ins Simt_AnyPtr:$address, Optional<I1>:$predicate,
                       DefaultValuedAttr<Simt_CacheHint, "::lora::simt::CacheHint::Default">:$hint);
  let results = (outs AnyType:$result);
  let assemblyFormat = [{
    $address (`if` $predicate^)? attr-dict `:` type($address) `->` type($result)
  }];
  let hasVerifier = 1;
}

def Simt_StoreOp : Simt_Op<"store", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write 1, 2, 4, 8 or 16 bytes when the predicate is true";
  let arguments = (ins AnyType:$value, Simt_AnyPtr:$address, Optional<I1>:$predicate);
  let assemblyFormat = [{
    $value `,` $address (`if` $predicate^)? attr-dict `:` type($value) `,` type($address)
  }];
  let hasVerifier = 1;
}

def Simt_AtomicAddOp : Simt_Op<"atomic_add", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Add to a counter in global memory; acquire and release at the scope of the device";
  let arguments = (ins Simt_GlobalPtr:$address, I32:$value);
  let results = (outs I32:$old);
  let assemblyFormat = "$address `,` $value attr-dict";
}

def Simt_FenceOp : Simt_Op<"fence", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Order this thread's global accesses for all threads of the device";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Asynchronous copies
//===----------------------------------------------------------------------===//

def Simt_CpAsyncOp : Simt_Op<"cp_async", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Copy 4, 8 or 16 bytes from global to shared memory without waiting";
  let description = [{
    Copies `bytes` bytes when the predicate is absent or true, else writes `bytes` zeros; the
    source is then not used. Both addresses are multiples of `bytes`. The data is visible to the
    issuing thread after a `simt.cp_async_wait` that covers the group the copy was committed to,
    and to others after a barrier behind that.
  }];
  let arguments = (ins Simt_SharedPtr:$destination, Simt_GlobalPtr:$source, Optional<I1>:$predicate,
                       I32Attr:$bytes);
  let assemblyFormat = "$destination `,` $source `,` $bytes (`if` $predicate^)? attr-dict";
  let hasVerifier = 1;
}

def Simt_CpAsyncCommitOp : Simt_Op<"cp_async_commit", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Close this thread's group of asynchronous copies";
  let assemblyFormat = "attr-dict";
}

def Simt_CpAsyncWaitOp : Simt_Op<"cp_async_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until at most `pending` of this thread's groups are unfinished";
  let arguments = (ins ConfinedAttr<I32Attr, [IntNonNegative]>:$pending);
  let assemblyFormat = "$pending attr-dict";
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

def Simt_BarrierOp : Simt_Op<"barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for all threads of the block, or of a part of it";
  let description = [{
    Without operands all threads of the block take part. `simt.barrier named %id, 64` is a named barrier
    among 64 threads, whole warps, that all pass the same id in 1 to 15. Shared and global accesses
    of the participants before it are ordered before those behind it.
  }];
  let arguments = (ins Optional<I32>:$id, OptionalAttr<I32Attr>:$threads);
  let assemblyFormat = "(`named` $id^ `,` $threads)? attr-dict";
  let hasVerifier = 1;
}

def Simt_WarpBarrierOp : Simt_Op<"warp_barrier", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait for all lanes of the warp and order their memory accesses";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

def Simt_PeerOp : Simt_Op<"peer", [Pure]> {
  let summary = "Address of the same place in the shared memory of another block of the cluster";
  let description = [{
    The function's `simt.cluster` says how many blocks, neighbours along x, form a cluster; `rank` is
    a block's number in it. A block must have started before a peer touches its shared memory, and
    must not end before: both are what cluster barriers are for.
  }];
  let arguments = (ins Simt_SharedPtr:$address, I32:$rank);
  let results = (outs Simt_PeerPtr:$result);
  let assemblyFormat = "$address `,` $rank attr-dict `:` qualified(type($result))";
}

def Simt_ClusterArriveOp : Simt_Op<"cluster_arrive", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Tell the cluster that this thread has come to its barrier, and go on";
  let description = [{
    Releases this thread's accesses to the threads whose `simt.cluster_wait` this lets pass, unless it
    is `relaxed`: then it says no more than that the thread has come this far. Every arrive is
    followed by a wait before the next arrive.
  }];
  let arguments = (ins UnitAttr:$relaxed);
  let assemblyFormat = "(`relaxed` $relaxed^)? attr-dict";
}

def Simt_ClusterWaitOp : Simt_Op<"cluster_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until all threads of the cluster have arrived";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Stores that an mbarrier counts
//===----------------------------------------------------------------------===//

def Simt_MbarrierInitOp : Simt_Op<"mbarrier_init", [MemoryEffects<[MemWrite]>]> {
  let summary = "Prepare an mbarrier that waits for a number of bytes";
  let description = [{
    One thread of the block prepares the 8 bytes at `address`, a multiple of 8. The mbarrier is over
    once `simt.store_async` has brought `bytes` bytes, and is used once. Peers may name it behind a
    cluster barrier, relaxed or not, at which this thread arrives after this op; other threads of
    the block may wait for it behind that or a barrier of the block.
  }];
  let arguments = (ins Simt_SharedPtr:$address, Optional<I1>:$predicate,
                       ConfinedAttr<I32Attr, [IntPositive]>:$bytes);
  let assemblyFormat = "$address `,` $bytes (`if` $predicate^)? attr-dict";
}

def Simt_StoreAsyncOp : Simt_Op<"store_async", [MemoryEffects<[MemWrite]>]> {
  let summary = "Write 4, 8 or 16 bytes to a block of the cluster, and tell its mbarrier";
  let description = [{
    `address` and `mbarrier` lie in the shared memory of one block, which may be this one. The data is
    visible to those threads of that block that have waited for the mbarrier. That block must not end
    before it has waited; this one may.
  }];
  let arguments = (ins AnyType:$value, Simt_PeerPtr:$address, Simt_PeerPtr:$mbarrier,
                       Optional<I1>:$predicate);
  let assemblyFormat = [{
    $value `,` $address `,` $mbarrier (`if` $predicate^)? attr-dict `:` type($value) `,`
    qualified(type($address))
  }];
  let hasVerifier = 1;
}

def Simt_MbarrierWaitOp : Simt_Op<"mbarrier_wait", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the bytes of an mbarrier have arrived";
  let arguments = (ins Simt_SharedPtr:$address);
  let assemblyFormat = "$address attr-dict";
}

//===----------------------------------------------------------------------===//
// Programmatic dependent launch
//===----------------------------------------------------------------------===//

def Simt_ReleaseDependentsOp : Simt_Op<"release_dependents", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Allow the next kernel of the stream to start";
  let description = [{
    It starts once all blocks have come here or ended. Without effect unless the next launch asks for
    programmatic serialisation.
  }];
  let assemblyFormat = "attr-dict";
}

def Simt_AwaitPredecessorsOp : Simt_Op<"await_predecessors", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "Wait until the kernels before this one have ended and their writes are visible";
  let description = "Without effect unless this launch asked for programmatic serialisation.";
  let assemblyFormat = "attr-dict";
}

//===----------------------------------------------------------------------===//
// Tensor cores
//===----------------------------------------------------------------------===//

def Simt_MmaOp : Simt_Op<"mma", [Pure, AllTypesMatch<["accumulator", "result"]>]> {
  let summary = "Matrix product of 16 x k by k x 8 by one warp, accumulated in f32";
  let description = [{
    `mma.sync.m16n8kK` with the operands of one lane, in the order of PTX's fragments:

    | element type | K | lhs | rhs |
    | --- | --- | --- | --- |
    | f16, bf16 | 16 | vector<8x> | vector<4x> |
    | f32, rounded to tf32 | 8 | vector<4xf32> | vector<2xf32> |

    The accumulator is `vector<4xf32>`. All lanes of the warp must take part.
  }];
  let arguments = (ins VectorOfAnyRankOf<[F16, BF16, F32]>:$lhs,
                       VectorOfAnyRankOf<[F16, BF16, F32]>:$rhs,
                       VectorOfLengthAndType<[4], [F32]>:$accumulator);
  let results = (outs VectorOfLengthAndType<[4], [F32]>:$result);
  let assemblyFormat = "$lhs `,` $rhs `,` $accumulator attr-dict `:` type($lhs) `,` type($rhs) `,` type($accumulator)";
  let hasVerifier = 1;
}

#endif // SIMT_OPS
