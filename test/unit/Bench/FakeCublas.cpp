//===- FakeCublas.cpp - A stand-in for cuBLAS on the host -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Multiplies in the memory of the host, which is that of the emulated device, at once.

#include "lora/Support/DType.h"

#include <cstdint>

using namespace lora;

static DType typeOf(int type) { return type == 2 ? DType::F16 : DType::BF16; }

extern "C" {

int cublasCreate_v2(void **handle) {
  *handle = new int(0);
  return 0;
}
int cublasDestroy_v2(void *handle) {
  delete static_cast<int *>(handle);
  return 0;
}
int cublasGetVersion_v2(void *, int *version) {
  *version = 130002;
  return 0;
}
int cublasSetStream_v2(void *, void *) { return 0; }
int cublasSetWorkspace_v2(void *, void *, size_t) { return 0; }

/// Column-major, as the real one: C[m, n] = alpha * A^T[m, k] B[k, n] + beta * C.
int cublasGemmEx(void *, int transposeA, int transposeB, int m, int n, int k, const void *alpha,
                 const void *a, int aType, int lda, const void *b, int bType, int ldb,
                 const void *beta, void *c, int cType, int ldc, int computeType, int) {
  constexpr int invalidValue = 7;
  if (transposeA != 1 || transposeB != 0 || computeType != 68 || lda < k || ldb < k || ldc < m)
    return invalidValue;
  for (int column = 0; column < n; ++column)
    for (int row = 0; row < m; ++row) {
      float sum = 0;
      for (int i = 0; i < k; ++i)
        sum += loadElement(typeOf(aType), a, row * int64_t(lda) + i) *
               loadElement(typeOf(bType), b, column * int64_t(ldb) + i);
      int64_t place = column * int64_t(ldc) + row;
      float factor = *static_cast<const float *>(beta);
      float before = factor == 0 ? 0 : factor * loadElement(typeOf(cType), c, place);
      storeElement(typeOf(cType), c, place, *static_cast<const float *>(alpha) * sum + before);
    }
  return 0;
}
}
