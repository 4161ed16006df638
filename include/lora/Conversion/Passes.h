//===- Passes.h - Conversions between levels --------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "mlir/Pass/Pass.h"

namespace mlir {
class ModuleOp;
namespace arith {
class ArithDialect;
}
namespace gpu {
class GPUDialect;
class GPUModuleOp;
} // namespace gpu
namespace LLVM {
class LLVMDialect;
}
namespace math {
class MathDialect;
}
namespace NVVM {
class NVVMDialect;
}
namespace scf {
class SCFDialect;
}
namespace vector {
class VectorDialect;
}
} // namespace mlir

namespace lora {
namespace simt {
class SimtDialect;
}

#define GEN_PASS_DECL
#include "lora/Conversion/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lora/Conversion/Passes.h.inc"

} // namespace lora
