//===- PackTarget.cpp - Anything at all, loaded as a pack ---------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackTarget.h"

#include "FakeDriver.h"
#include "RuntimeFixture.h"
#include "lora/Pack/Pack.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

using namespace lora;
using namespace lora::fuzz;

namespace {

constexpr size_t kHeaderBytes = 80;

void put(std::string &bytes, size_t place, uint64_t value) {
  std::memcpy(bytes.data() + place, &value, sizeof(value));
}

Sha256 checksumOf(const std::string &bytes, size_t begin, size_t end) {
  return sha256(std::as_bytes(std::span(bytes).subspan(begin, end - begin)));
}

/// What a pack may do to a launch, and nothing else.
void expectStatus(const char *call, lora_status status,
                  std::initializer_list<lora_status> allowed) {
  if (std::find(allowed.begin(), allowed.end(), status) == allowed.end())
    throw std::logic_error(std::string(call) + ": " + lora_status_name(status) + ": " +
                           lora_last_error());
}

PackVerdict launchAll(test::Objects &objects) {
  PackVerdict verdict = PackVerdict::Loaded;
  std::vector<int32_t> slots = {0, -1, 3, 0};
  expectStatus("lora_mapping_set_host",
               lora_mapping_set_host(objects.mapping, slots.data(), 4, nullptr), {LORA_SUCCESS});
  expectStatus(
      "lora_mapping_set_device", lora_mapping_set_device(objects.mapping, slots.data(), 4, nullptr),
      {LORA_SUCCESS, LORA_ERROR_NO_KERNEL, LORA_ERROR_INVALID_ARGUMENT, LORA_ERROR_BAD_PACK});
  for (int32_t tokens : {4, 500})
    for (lora_op op : {LORA_SHRINK, LORA_EXPAND, LORA_SHRINK_EXPAND}) {
      lora_launch launch = objects.launch();
      launch.tokens = tokens;
      auto function = op == LORA_SHRINK   ? lora_shrink
                      : op == LORA_EXPAND ? lora_expand
                                          : lora_shrink_expand;
      lora_status status = function(objects.context, &launch);
      expectStatus("launch", status,
                   {LORA_SUCCESS, LORA_ERROR_NO_KERNEL, LORA_ERROR_INVALID_ARGUMENT,
                    LORA_ERROR_BAD_PACK, LORA_ERROR_NOT_RESERVED});
      if (status == LORA_SUCCESS)
        verdict = PackVerdict::Launched;
      char text[256];
      expectStatus("lora_explain",
                   lora_explain(objects.context, op, &launch, text, sizeof(text), nullptr),
                   {LORA_SUCCESS});
    }
  return verdict;
}

} // namespace

std::string fuzz::sealPack(std::string bytes) {
  size_t index = bytes.rfind("{\"versions\"");
  if (bytes.size() < kHeaderBytes || index == std::string::npos)
    return bytes;
  put(bytes, 16, bytes.size());
  put(bytes, 24, index);
  put(bytes, 32, bytes.size() - index);
  Sha256 ofIndex = checksumOf(bytes, index, bytes.size());
  std::memcpy(bytes.data() + 40, ofIndex.data(), ofIndex.size());
  Sha256 ofHeader = checksumOf(bytes, 0, 72);
  std::memcpy(bytes.data() + 72, ofHeader.data(), 8);
  return bytes;
}

PackVerdict fuzz::runPack(const std::string &bytes) {
  fake::Driver &driver = *fakeDriver();
  driver.recordedArguments = -1;
  test::Objects objects;
  lora_status status = objects.create(bytes);
  PackVerdict verdict = PackVerdict::Refused;
  try {
    expectStatus("lora_context_load_pack_memory", status, {LORA_SUCCESS, LORA_ERROR_BAD_PACK});
    if (status == LORA_SUCCESS)
      verdict = launchAll(objects);
  } catch (...) {
    objects.destroy();
    throw;
  }
  objects.destroy();
  if (!driver.isClean())
    throw std::logic_error("something is left behind");
  return verdict;
}
