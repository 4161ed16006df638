//===- ClusterPatterns.cpp - Cluster barriers, peers and mbarriers -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinePtx.h"
#include "Simt/Simt.h"

using namespace mlir;
using namespace lora;
using namespace lora::simt;

namespace {

struct PeerPattern : ConvertOpToLLVMPattern<PeerOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(PeerOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value address = toAddress(rewriter, loc, adaptor.getAddress());
    auto ptx = inlinePtx(rewriter, loc, rewriter.getI32Type(), {address, adaptor.getRank()},
                         "mapa.shared::cluster.u32 $0, $1, $2;", "=r,r,r", false);
    rewriter.replaceOpWithNewOp<LLVM::IntToPtrOp>(op, op.getType(), ptx.getResult(0));
    return success();
  }
};

struct ClusterArrivePattern : ConvertOpToLLVMPattern<ClusterArriveOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(ClusterArriveOp op, OpAdaptor,
                                ConversionPatternRewriter &rewriter) const override {
    inlinePtx(rewriter, op.getLoc(), {}, {},
              Twine("barrier.cluster.arrive.") + (op.getRelaxed() ? "relaxed" : "release") +
                  ".aligned;",
              "~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

/// The fence makes the mbarrier known to whoever the cluster barrier behind it lets pass, though
/// that barrier is relaxed.
struct MbarrierInitPattern : ConvertOpToLLVMPattern<MbarrierInitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(MbarrierInitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    SmallVector<Value> operands = {toAddress(rewriter, loc, adaptor.getAddress())};
    std::string constraints = "r";
    std::string guard = guardOn(adaptor.getPredicate(), operands, constraints);
    inlinePtx(rewriter, loc, {}, operands,
              guard + "mbarrier.init.shared.b64 [$0], 1;\n" + guard +
                  "mbarrier.arrive.expect_tx.shared.b64 _, [$0], " + Twine(op.getBytes()) + ";\n" +
                  guard + "fence.mbarrier_init.release.cluster;",
              constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct StoreAsyncPattern : ConvertOpToLLVMPattern<StoreAsyncOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(StoreAsyncOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Words words(getAccessBytes(op.getValue().getType()));
    SmallVector<Value> operands = {toAddress(rewriter, loc, adaptor.getAddress()),
                                   toAddress(rewriter, loc, adaptor.getMbarrier())};
    std::string constraints = "r,r";
    std::string guard = guardOn(adaptor.getPredicate(), operands, constraints);
    std::string values = words.operands(operands.size());
    llvm::append_range(operands, toWords(rewriter, loc, adaptor.getValue(), words));
    for (int i = 0; i != words.count; ++i)
      constraints += std::string(",") + words.constraint();
    inlinePtx(rewriter, loc, {}, operands,
              guard + "st.async.shared::cluster.mbarrier::complete_tx::bytes" + words.suffix() +
                  " [$0], " + values + ", [$1];",
              constraints + ",~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

struct MbarrierWaitPattern : ConvertOpToLLVMPattern<MbarrierWaitOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;
  LogicalResult matchAndRewrite(MbarrierWaitOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    inlinePtx(rewriter, loc, {}, {toAddress(rewriter, loc, adaptor.getAddress())},
              "{\n.reg .pred done;\nagain:\n"
              "mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 done, [$0], 0;\n"
              "@!done bra again;\n}",
              "r,~{memory}", true);
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void lora::populateClusterPatterns(const LLVMTypeConverter &converter,
                                   RewritePatternSet &patterns) {
  patterns.add<PeerPattern, ClusterArrivePattern, MbarrierInitPattern, StoreAsyncPattern,
               MbarrierWaitPattern>(converter);
  patterns.add<FixedPtxPattern<ClusterWaitOp>>(converter, "barrier.cluster.wait.acquire.aligned;");
}
