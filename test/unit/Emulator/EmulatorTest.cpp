//===- EmulatorTest.cpp - What the emulator accepts -----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelTest.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

namespace lora::emulator {
namespace {

using EmulatorTest = KernelTest;

TEST_F(EmulatorTest, NamesAnOpWithoutEmulation) {
  expectHolds(compile(text({.arguments = "%p: !llvm.ptr<1>",
                            .body = "\n %w = nvvm.read.ptx.sreg.warpid : i32"})),
              {"kernel.mlir:2:7: 'nvvm.read.ptx.sreg.warpid' has no emulation"});
  expectHolds(compile(text({.arguments = "%p: !llvm.ptr<1>",
                            .body = "\n %v = llvm.load %p : !llvm.ptr<1> -> i32"})),
              {"'llvm.load' has no emulation"});
  expectHolds(compile(text({.arguments = "%p: !llvm.ptr<1>", .body = "\n gpu.barrier"})),
              {"'gpu.barrier' has no emulation"});
  expectHolds(compile(text({.arguments = "%p: !llvm.ptr<1>",
                            .body = "\n %q = llvm.addrspacecast %p : !llvm.ptr<1> to !llvm.ptr"})),
              {"'llvm.addrspacecast' has no emulation"});
}

TEST_F(EmulatorTest, NeedsTheFactsOfALaunch) {
  expectHolds(compile("module {}"), {"expected a module with one gpu.func, got 0"});
  expectHolds(compile("gpu.module @m { gpu.func @k() kernel { gpu.return } }"),
              {"kernel 'k': expected known_block_size"});
  expectHolds(compile("gpu.module @m { gpu.func @k() kernel attributes {known_block_size = "
                      "array<i32: 32, 1, 1>} { gpu.return } }"),
              {"kernel 'k': expected simt.shared_bytes"});
  expectHolds(compile(text({.arguments = "%a: f64", .body = ""})),
              {"expected !llvm.ptr<1>, i32, i64 or f32 as argument 0, got f64"});
}

TEST_F(EmulatorTest, ChecksArguments) {
  ASSERT_EQ(compile(text({.arguments = "%p: !llvm.ptr<1>, %n: i64", .body = ""})), "");
  std::vector<int32_t> p(1);
  EXPECT_EQ(run({p.data()}), "the kernel has 2 arguments, got 1");
  EXPECT_EQ(run({p.data(), int32_t(1)}), "argument 1 of the kernel is i64, got i32");
  EXPECT_EQ(run({p.data(), int64_t(1)}, {.grid = {1, 0, 1}}),
            "expected a grid of 1 to 2^31 - 1 blocks, got 1 x 0 x 1");
  EXPECT_EQ(run({p.data(), int64_t(1)}), "");
}

TEST_F(EmulatorTest, ChecksBuffers) {
  ASSERT_EQ(compile(text({.arguments = "%p: !llvm.ptr<1>", .body = ""})), "");
  std::vector<int32_t> p(8);
  kernel->addBuffer({p.data(), 20, "low"});
  kernel->addBuffer({p.data() + 4, 16, "high"});
  EXPECT_EQ(run({p.data()}), "buffers 'low' and 'high' overlap");
}

TEST_F(EmulatorTest, LoweringIsAPass) {
  registerSimtToHostPass();
  const std::string source = text({.arguments = "%p: !llvm.ptr<1>", .body = R"(
    %s = simt.shared 4
    %at = llvm.getelementptr inbounds %s[%tid] : (!llvm.ptr<3>, i32) -> !llvm.ptr<3>, i32
    simt.store %tid, %at : i32, !llvm.ptr<3>)"});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context, "kernel.mlir");
  mlir::PassManager passes(&context);
  ASSERT_TRUE(mlir::succeeded(mlir::parsePassPipeline("simt-to-host", passes)));
  ASSERT_TRUE(mlir::succeeded(passes.run(*module)));
  std::string printed;
  llvm::raw_string_ostream(printed) << *module;
  expectHolds(printed, {"llvm.func @lora_emulator_kernel(%arg0: !llvm.ptr, %arg1: !llvm.ptr)",
                        "call @lora_emulator_store(%arg0"});
  for (const char *gone : {"simt.", "gpu.", "nvvm.", "inbounds", "ptr<3>"})
    EXPECT_EQ(printed.find(gone), std::string::npos) << gone << " in: " << printed;
}

TEST_F(EmulatorTest, LeavesTheModuleAlone) {
  const std::string source = text({.arguments = "%p: !llvm.ptr<1>", .body = "\n simt.barrier"});
  auto module = mlir::parseSourceString<mlir::ModuleOp>(source, &context, "kernel.mlir");
  auto print = [&] {
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    module->print(stream);
    return printed;
  };
  const std::string before = print();
  auto created = Emulator::create(*module);
  ASSERT_TRUE(static_cast<bool>(created)) << llvm::toString(created.takeError());
  EXPECT_EQ(print(), before);
}

} // namespace
} // namespace lora::emulator
