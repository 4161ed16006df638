//===- Compiler.h - From a kernel source to a cubin ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "lora/Runtime/Manifest.h"
#include "lora/Target/Ptxas.h"
#include "lora/Target/TargetFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>
#include <string>
#include <vector>

namespace lora {

/// The source of a kernel that ships with the compiler, by the name of the op: "shrink", "expand".
/// Throws Error, which lists the names, for any other.
std::string_view builtinKernel(std::string_view op);

/// The phases at which compilation can stop, in order.
enum class Phase { Tile, Specialized, Scheduled, Layout, Simt, Nvvm, Llvm, Ptx, Cubin };

/// "tile", "specialized", ... Throws Error, which lists the names, for any other.
Phase parsePhase(std::string_view name);

struct CompileOptions {
  std::string target = "sm_90a";
  /// Parameters to bind, as NAME=VALUE; the others keep their defaults.
  std::vector<std::string> settings;
  /// Element types for the kernel's type parameters in the order of their declaration; a single
  /// one serves for all. Empty keeps the defaults.
  std::vector<std::string> types;
};

/// One kernel on its way through the phases. Every failure throws Error with one line: file, line
/// and column in the kernel source where there is one, and what was found and expected.
class Compilation {
public:
  /// Parses `source`, which must hold exactly one kernel; `name` stands for it in messages.
  Compilation(std::string_view source, std::string name, CompileOptions options);
  ~Compilation();

  /// Compiles up to a phase, at most once through each.
  void run(Phase until);

  /// The text of the module after the last phase; of the PTX after Phase::Ptx.
  std::string text() const;

  /// After Phase::Specialized: the kernel's module. It changes with later phases.
  mlir::ModuleOp module() const;

  /// After Phase::Specialized; Phase::Simt adds the needs of shared memory and workspace,
  /// Phase::Cubin the report.
  const KernelManifest &manifest() const;

  /// After Phase::Cubin.
  const Cubin &cubin() const;

  const TargetFacts &target() const;

  /// Throws Error with the diagnostic that the caller's own use of the module has emitted.
  void check(mlir::LogicalResult result) const;

private:
  struct State;
  std::unique_ptr<State> state;
};

} // namespace lora
