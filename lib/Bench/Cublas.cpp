//===- Cublas.cpp - Matrix products by cuBLAS -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Bench/Cublas.h"

#include "lora/Support/Error.h"

#include <cstdlib>
#include <dlfcn.h>
#include <vector>

using namespace lora;

namespace {

// Values of cuBLAS's binary interface.
constexpr int operationNone = 0, operationTranspose = 1;
constexpr int typeF16 = 2, typeBF16 = 14;
constexpr int computeF32 = 68;
constexpr int defaultAlgorithm = -1;

/// What cuBLAS recommends for Hopper, and no less than it needs elsewhere.
constexpr size_t workspaceBytes = size_t(32) << 20;

} // namespace

struct Cublas::Library {
  using Handle = void *;
  int (*create)(Handle *handle) = nullptr;
  int (*destroy)(Handle handle) = nullptr;
  int (*getVersion)(Handle handle, int *version) = nullptr;
  int (*setStream)(Handle handle, void *stream) = nullptr;
  int (*setWorkspace)(Handle handle, void *workspace, size_t bytes) = nullptr;
  int (*gemmEx)(Handle handle, int transposeA, int transposeB, int m, int n, int k,
                const void *alpha, const void *a, int aType, int lda, const void *b, int bType,
                int ldb, const void *beta, void *c, int cType, int ldc, int computeType,
                int algorithm) = nullptr;

  static std::shared_ptr<const Library> load(const std::string &path);
};

static std::vector<std::string> candidatePaths() {
  std::vector<std::string> names = {"libcublas.so.13", "libcublas.so.12"}, paths = names;
  for (std::string root : {std::string(std::getenv("CUDA_HOME") ? std::getenv("CUDA_HOME") : ""),
                           std::string("/usr/local/cuda")})
    for (const std::string &name : names)
      if (!root.empty())
        paths.push_back(root + "/lib64/" + name);
  return paths;
}

static void *open(const std::string &path) {
  std::vector<std::string> paths = {path};
  if (path.empty())
    paths = candidatePaths();
  std::string why;
  for (const std::string &name : paths) {
    if (void *handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL))
      return handle;
    why = dlerror();
  }
  throw Error("cuBLAS: cannot load " + (path.empty() ? "libcublas.so.13 or .12" : path) + ": " +
              why);
}

template <typename Function>
static void resolve(void *handle, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (!function)
    throw Error(std::string("cuBLAS: found no ") + symbol +
                " in the library, expected version 12 "
                "or later");
}

static void check(int status, const char *call) {
  if (status != 0)
    throw Error(std::string("cuBLAS: ") + call + " failed with status " + std::to_string(status));
}

std::shared_ptr<const Cublas::Library> Cublas::Library::load(const std::string &path) {
  void *handle = open(path);
  auto library = std::make_shared<Library>();
  resolve(handle, "cublasCreate_v2", library->create);
  resolve(handle, "cublasDestroy_v2", library->destroy);
  resolve(handle, "cublasGetVersion_v2", library->getVersion);
  resolve(handle, "cublasSetStream_v2", library->setStream);
  resolve(handle, "cublasSetWorkspace_v2", library->setWorkspace);
  resolve(handle, "cublasGemmEx", library->gemmEx);
  return library;
}

Cublas::Cublas(const Device &device, const std::string &path)
    : library(Library::load(path)), workspace(device, workspaceBytes) {
  void *created = nullptr;
  check(library->create(&created), "cublasCreate");
  handle = std::shared_ptr<void>(created,
                                 [library = library](void *handle) { library->destroy(handle); });
}

std::string Cublas::version() const {
  int version = 0;
  check(library->getVersion(handle.get(), &version), "cublasGetVersion");
  return std::to_string(version / 10000) + "." + std::to_string(version % 10000 / 100) + "." +
         std::to_string(version % 100);
}

void Cublas::multiply(const RowMajorProduct &product, Stream &stream) {
  check(library->setStream(handle.get(), stream.handle()), "cublasSetStream");
  // Setting the stream resets the workspace, and what cuBLAS would allocate no graph may contain.
  check(library->setWorkspace(handle.get(), reinterpret_cast<void *>(workspace.address()),
                              workspace.size()),
        "cublasSetWorkspace");
  int type = product.type == DType::F16 ? typeF16 : typeBF16;
  // A row-major matrix is the transpose of a column-major one: out^T = w . x^T.
  check(library->gemmEx(
            handle.get(), operationTranspose, operationNone, static_cast<int>(product.n),
            static_cast<int>(product.m), static_cast<int>(product.k), &product.alpha,
            reinterpret_cast<const void *>(product.w), type, static_cast<int>(product.wStride),
            reinterpret_cast<const void *>(product.x), type, static_cast<int>(product.xStride),
            &product.beta, reinterpret_cast<void *>(product.out), type,
            static_cast<int>(product.outStride), computeF32, defaultAlgorithm),
        "cublasGemmEx");
}
