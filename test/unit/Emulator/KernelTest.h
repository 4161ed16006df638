//===- KernelTest.h - Runs kernels given as text in the emulator ----------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Emulator/Emulator.h"

#include "Simt/Simt.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

namespace lora::emulator {

/// A kernel around `body`. The text after the first line break of the body is line 2 of
/// kernel.mlir; it can use %tid, the index of the thread as an i32.
struct KernelSource {
  std::string arguments;
  std::string body;
  int threads = 32;
  int sharedBytes = 0;
  /// More attributes, after a comma.
  std::string attributes = {};
};

class KernelTest : public testing::Test {
protected:
  KernelTest() : context(dialects()) { context.loadAllAvailableDialects(); }

  static std::string text(const KernelSource &source) {
    return "gpu.module @m { gpu.func @k(" + source.arguments +
           ") kernel attributes {known_block_size = array<i32: " + std::to_string(source.threads) +
           ", 1, 1>, simt.shared_bytes = " + std::to_string(source.sharedBytes) + " : i32" +
           source.attributes + "} { %tid = nvvm.read.ptx.sreg.tid.x : i32" + source.body +
           "\n gpu.return } }\n";
  }

  /// Makes `kernel`. Returns the error, or nothing.
  std::string compile(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context, "kernel.mlir");
    if (!module)
      return "the kernel does not parse";
    auto created = Emulator::create(*module);
    if (!created)
      return llvm::toString(created.takeError());
    kernel = std::move(*created);
    return "";
  }

  /// Adds a buffer that the kernel may write and that holds the values of `values`.
  template <typename T> void buffer(std::vector<T> &values, const char *name) {
    kernel->addBuffer({values.data(), values.size() * sizeof(T), name, true, true});
  }
  /// The same without values.
  template <typename T> void output(std::vector<T> &values, const char *name) {
    kernel->addBuffer({values.data(), values.size() * sizeof(T), name, false, true});
  }
  template <typename T> void input(std::vector<T> &values, const char *name) {
    kernel->addBuffer({values.data(), values.size() * sizeof(T), name, true, false});
  }

  /// Runs `kernel`. Returns the error, or nothing.
  std::string run(llvm::ArrayRef<Argument> arguments, const RunOptions &options = {}) {
    return llvm::toString(kernel->run(arguments, options));
  }

  /// Compiles and runs a kernel whose one argument is %p, a buffer of `words` i32 with the value 0
  /// that is called 'p'. Returns the first error.
  std::string tryRun(const KernelSource &source, const RunOptions &options = {},
                     size_t words = 256) {
    if (std::string error = compile(text(source)); !error.empty())
      return error;
    memory.assign(words, 0);
    buffer(memory, "p");
    return run({static_cast<void *>(memory.data())}, options);
  }

  std::vector<int32_t> memory;
  mlir::MLIRContext context;
  std::unique_ptr<Emulator> kernel;

private:
  static mlir::DialectRegistry dialects() {
    mlir::DialectRegistry registry;
    registry.insert<simt::SimtDialect, mlir::arith::ArithDialect, mlir::gpu::GPUDialect,
                    mlir::LLVM::LLVMDialect, mlir::NVVM::NVVMDialect, mlir::math::MathDialect,
                    mlir::scf::SCFDialect, mlir::vector::VectorDialect>();
    return registry;
  }
};

/// That `text` holds each of `parts`.
inline void expectHolds(const std::string &text, std::initializer_list<const char *> parts) {
  for (const char *part : parts)
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in: " << text;
}

/// That `error` reports a race, with both of its ends. Which of them comes first depends on the
/// seed.
inline void expectRace(const std::string &error) {
  expectHolds(error,
              {" at kernel.mlir:", ", block (", ", 0, 0), thread ",
               ": race: not ordered after the ", " of the same bytes by simt.", " in thread "});
}

} // namespace lora::emulator
