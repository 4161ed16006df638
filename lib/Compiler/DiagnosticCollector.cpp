//===- DiagnosticCollector.cpp - Diagnostics as exceptions of one line ---===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "DiagnosticCollector.h"

#include "lora/Support/Error.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace lora;

/// `file:line:column: ` of the first place in a location that has one.
static std::string describe(Location location) {
  std::string text;
  location->walk([&](Location part) {
    auto place = dyn_cast<FileLineColRange>(part);
    if (!place)
      return WalkResult::advance();
    text = (place.getFilename().getValue() + ":" + Twine(place.getStartLine()) + ":" +
            Twine(place.getStartColumn()) + ": ")
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

DiagnosticCollector::DiagnosticCollector(MLIRContext &context)
    : handler(&context, [this](Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == DiagnosticSeverity::Error && error.empty()) {
          std::string message = diagnostic.str();
          for (char &c : message)
            c = c == '\n' ? ' ' : c;
          error = describe(diagnostic.getLocation()) + message;
        }
        return success();
      }) {
  context.printOpOnDiagnostic(false);
}

void DiagnosticCollector::throwIfError(bool failed) {
  if (!error.empty() || failed)
    throw Error(error.empty() ? "compilation failed without a message" : error);
}
