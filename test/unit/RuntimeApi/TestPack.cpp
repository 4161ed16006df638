//===- TestPack.cpp - Packs for the fake driver -------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TestPack.h"

#include <sstream>

using namespace lora;
using namespace lora::test;

/// Arguments in the notation "ptr x a, i32 tokens".
static std::vector<KernelManifest::Argument> parseArguments(const std::string &text) {
  std::vector<KernelManifest::Argument> arguments;
  std::istringstream words(text);
  std::string type;
  for (std::string word; words >> word;)
    if (word == "ptr" || word == "i32" || word == "i64")
      type = word;
    else
      arguments.push_back({word, type});
  return arguments;
}

KernelManifest test::makeManifest(const std::string &kernel, const std::string &target,
                                  std::map<std::string, int64_t> config) {
  KernelManifest manifest;
  manifest.kernel = manifest.symbol = kernel;
  manifest.target = target;
  manifest.config = std::move(config);
  manifest.threads = 128;
  manifest.types = {{kernel == "expand" ? "Y" : "X", "f16"}, {"W", "f16"}};
  const std::string mapping = "ptr token_indices row_blocks ";
  if (kernel == "shrink") {
    manifest.arguments =
        parseArguments("ptr x a s " + mapping +
                       "ranks scalings i32 num_row_blocks tokens hidden max_rank slices max_loras "
                       "i64 x_stride a_stride s_stride s_slice_stride");
    manifest.grid = {"num_row_blocks", "slices", "1"};
    manifest.assumptions = {"hidden % ALIGN == 0", "x % (2 * ALIGN) == 0"};
  } else if (kernel == "expand") {
    manifest.arguments = parseArguments(
        "ptr s b y " + mapping +
        "ranks slice_offsets slice_widths i32 num_row_blocks tokens max_rank "
        "max_width y_width slices max_loras i64 s_stride s_slice_stride b_stride y_stride");
    manifest.grid = {"num_row_blocks", "slices", "1"};
    manifest.assumptions = {"max_rank <= MAX_RANK"};
  } else if (kernel == "shrink_expand") {
    manifest.arguments =
        parseArguments("ptr x a b y " + mapping +
                       "ranks scalings slice_offsets slice_widths i32 num_row_blocks tokens "
                       "hidden max_rank slices max_loras i64 x_stride a_stride b_stride y_stride");
    manifest.grid = {"num_row_blocks * SPLIT_K", "slices", "1"};
    manifest.assumptions = {"max_rank <= MAX_RANK"};
    manifest.cluster = {8, 1, 1};
  } else {
    manifest.arguments = parseArguments("ptr token_lora token_indices token_ranks row_blocks "
                                        "bad_tokens i32 tokens max_tokens max_loras");
    manifest.types.clear();
  }
  return manifest;
}

PackKernel &PackParts::add(const std::string &id, KernelManifest manifest, CodeKind kind,
                           bool rule) {
  PackKernel kernel;
  kernel.id = id;
  kernel.kind = kind;
  kernel.manifest = std::move(manifest);
  index.kernels.push_back(std::move(kernel));
  code.push_back("code of " + id + std::string(1, '\0'));
  if (rule)
    index.rules.emplace_back().kernel = id;
  return index.kernels.back();
}

PackParts test::usualParts() {
  PackParts parts;
  parts.index.versions = {{"llvm", "22.1"}};
  parts.add("fused", makeManifest("shrink_expand", "sm_90a",
                                  {{"ALIGN", 8},
                                   {"RANK_ALIGN", 8},
                                   {"Y_ALIGN", 8},
                                   {"BLOCK_M", 16},
                                   {"MAX_RANK", 16},
                                   {"SPLIT_K", 8}}));
  parts.index.rules.back().tokens.high = 256;
  parts.add("shrink",
            makeManifest("shrink", "sm_90a", {{"ALIGN", 8}, {"RANK_ALIGN", 4}, {"BLOCK_M", 16}}));
  parts.add("shrink-any",
            makeManifest("shrink", "sm_90a", {{"ALIGN", 1}, {"RANK_ALIGN", 1}, {"BLOCK_M", 16}}));
  parts.add("expand", makeManifest("expand", "sm_90a",
                                   {{"RANK_ALIGN", 8},
                                    {"Y_ALIGN", 8},
                                    {"BLOCK_M", 16},
                                    {"MAX_RANK", 64},
                                    {"ADD_INPUTS", 1}}));
  parts.add("expand-set", makeManifest("expand", "sm_90a",
                                       {{"RANK_ALIGN", 8},
                                        {"Y_ALIGN", 8},
                                        {"BLOCK_M", 16},
                                        {"MAX_RANK", 64},
                                        {"ADD_INPUTS", 0}}));
  parts.add("map", makeManifest("map_tokens", "sm_90a", {}), CodeKind::Cubin, false);
  return parts;
}
