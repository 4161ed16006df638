//===- InterpreterFixture.h - Kernels from strings, run on vectors --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Interpreter/Interpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <string>
#include <vector>

namespace lora::interpreter {

/// The element type of a vector of T as the dialect writes it; 16-bit values are the bits of f16.
template <typename T> constexpr const char *kTypeName = nullptr;
template <> inline constexpr const char *kTypeName<float> = "f32";
template <> inline constexpr const char *kTypeName<int32_t> = "i32";
template <> inline constexpr const char *kTypeName<int64_t> = "i64";
template <> inline constexpr const char *kTypeName<uint16_t> = "f16";

class InterpreterFixture : public ::testing::Test {
protected:
  InterpreterFixture() {
    context.loadDialect<tile::TileDialect, mlir::arith::ArithDialect, mlir::math::MathDialect,
                        mlir::scf::SCFDialect>();
    context.printOpOnDiagnostic(false);
    context.getDiagEngine().registerHandler([this](mlir::Diagnostic &diagnostic) {
      messages.push_back(diagnostic.str());
      for (mlir::Diagnostic &note : diagnostic.getNotes())
        messages.push_back(note.str());
    });
  }

  /// The one kernel in a text. Fails the test if it does not parse or verify.
  tile::KernelOp parse(const std::string &text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module) {
      ADD_FAILURE() << "the kernel does not parse: " << joinedMessages() << "\n" << text;
      return {};
    }
    return *module->getOps<tile::KernelOp>().begin();
  }

  /// Registers a vector and returns its address.
  template <typename T>
  uint64_t buffer(std::vector<T> &values, const std::string &name, bool writable = true) {
    memory.addBuffer(values.data(), values.size() * sizeof(T), name, writable);
    return reinterpret_cast<uint64_t>(values.data());
  }

  bool run(const std::string &text, llvm::ArrayRef<KernelArgument> arguments,
           std::array<int64_t, 3> grid = {1, 1, 1}, const Options &options = {}) {
    tile::KernelOp kernel = parse(text);
    return kernel && succeeded(interpret(kernel, arguments, grid, memory, options));
  }

  void expectSuccess(const std::string &text, llvm::ArrayRef<KernelArgument> arguments,
                     std::array<int64_t, 3> grid = {1, 1, 1}, const Options &options = {}) {
    EXPECT_TRUE(run(text, arguments, grid, options)) << joinedMessages();
  }

  /// Expects one diagnostic, notes aside, that contains `message`.
  void expectError(const std::string &message, const std::string &text,
                   llvm::ArrayRef<KernelArgument> arguments = {},
                   std::array<int64_t, 3> grid = {1, 1, 1}) {
    EXPECT_FALSE(run(text, arguments, grid));
    ASSERT_FALSE(messages.empty());
    EXPECT_PRED_FORMAT2(::testing::IsSubstring, message, messages[0]);
  }

  /// Evaluates `op`, which defines %r from %a, %b and %c: tiles of In with four elements each.
  template <typename Out, typename In>
  std::vector<Out> evaluate(const std::string &op, std::vector<In> a, std::vector<In> b = {},
                            std::vector<In> c = {}) {
    const std::string in = kTypeName<In>, out = kTypeName<Out>;
    return evaluateAs<Out>(in, out, op, std::move(a), std::move(b), std::move(c));
  }

  /// The same with the names of the element types.
  template <typename Out, typename In>
  std::vector<Out> evaluateAs(const std::string &in, const std::string &out, const std::string &op,
                              std::vector<In> a, std::vector<In> b = {}, std::vector<In> c = {}) {
    for (std::vector<In> *operand : {&a, &b, &c})
      operand->resize(4);
    std::vector<Out> result(4);
    memory = Memory();
    std::string text = "tile.kernel @test(";
    for (const char *name : {"a", "b", "c"})
      text += std::string("%p") + name + ": !tile.ptr<" + in + ">, ";
    text += "%pr: !tile.ptr<" + out + ">) grid [\"1\", \"1\", \"1\"] {\n";
    text += "%zero = arith.constant 0 : i32\n%four = arith.constant 4 : i32\n";
    for (const char *name : {"a", "b", "c", "r"}) {
      const std::string type = *name == 'r' ? out : in;
      text += std::string("%V") + name + " = tile.view %p" + name +
              " sizes [%four] strides [1] : !tile.ptr<" + type + "> -> !tile.view<?x" + type +
              ">\n";
    }
    for (const char *name : {"a", "b", "c"})
      text += std::string("%") + name + " = tile.load %V" + name + "[%zero] : !tile.view<?x" + in +
              "> -> tensor<4x" + in + ">\n";
    text += op + "\ntile.store %r, %Vr[%zero] : tensor<4x" + out + ">, !tile.view<?x" + out +
            ">\ntile.return\n}";
    expectSuccess(text, {buffer(a, "a", false), buffer(b, "b", false), buffer(c, "c", false),
                         buffer(result, "r")});
    return result;
  }

  std::string joinedMessages() const {
    std::string joined;
    for (const std::string &message : messages)
      joined += message + "\n";
    return joined;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Memory memory;
  std::vector<std::string> messages;
};

} // namespace lora::interpreter
