//===- CudaApi.cpp - Loading the CUDA driver ------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include "lora/Support/Error.h"

#include <dlfcn.h>

using namespace lora;
using namespace lora::cuda;

namespace {

template <typename Function>
void resolve(void *handle, const std::string &library, const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(dlsym(handle, symbol));
  if (!function)
    throw Error("CUDA driver: " + library + " has no " + symbol +
                ": expected the driver of CUDA 11.8 or later");
}

Api initialise() {
  Api api = loadApi("libcuda.so.1");
  api.check(api.init(0), "cuInit");
  return api;
}

} // namespace

void Api::check(Result result, const char *call) const {
  if (result == success)
    return;
  const char *name = nullptr, *text = nullptr;
  getErrorName(result, &name);
  getErrorString(result, &text);
  throw Error(std::string(call) + ": " + (name ? name : "error " + std::to_string(result)) + " (" +
              (text ? text : "no description") + ")");
}

Api cuda::loadApi(const std::string &library) {
  void *handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Error("CUDA driver: cannot load " + library + ": " + dlerror());
  Api api;
#define LORA_CUDA_RESOLVE(member, symbol, parameters) resolve(handle, library, #symbol, api.member);
  LORA_CUDA_FUNCTIONS(LORA_CUDA_RESOLVE)
#undef LORA_CUDA_RESOLVE
  return api;
}

const Api &cuda::api() {
  static const Api loaded = initialise();
  return loaded;
}
