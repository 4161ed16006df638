//===- DiagnosticCollector.h - Diagnostics as exceptions of one line -----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace lora {

/// Keeps the first error of a context as `file:line:column: message`.
class DiagnosticCollector {
public:
  explicit DiagnosticCollector(mlir::MLIRContext &context);

  /// Throws Error with the error that was kept, if there is one or `failed` is set.
  void throwIfError(bool failed);

private:
  std::string error;
  mlir::ScopedDiagnosticHandler handler;
};

} // namespace lora
