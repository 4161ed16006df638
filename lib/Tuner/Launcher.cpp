//===- Launcher.cpp - Numbers that a launcher gives its processes ---------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Tuner/Launcher.h"

#include "lora/Support/Error.h"

#include <charconv>
#include <cstring>
#include <string_view>

using namespace lora;
using namespace lora::tuner;

static std::optional<size_t> parseNumber(std::string_view text) {
  size_t value = 0;
  auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size())
    return std::nullopt;
  return value;
}

Shard tuner::parseShard(const std::string &text) {
  std::string_view view = text;
  size_t slash = std::min(view.find('/'), view.size());
  std::optional<size_t> index = parseNumber(view.substr(0, slash));
  std::optional<size_t> count =
      slash < view.size() ? parseNumber(view.substr(slash + 1)) : std::nullopt;
  if (!index || !count || *index >= *count)
    throw Error("--shard " + text + ": expected I/N with I from 0 to N - 1");
  return {*index, *count, std::nullopt, "--shard"};
}

Shard tuner::shardOfLauncher(const std::function<const char *(const char *)> &variable) {
  struct Names {
    const char *rank, *size, *local;
  };
  // Open MPI; MPICH and Intel MPI; torchrun; Slurm, last, since mpirun inside of a Slurm job sees
  // the variables of the one process that started it.
  constexpr Names known[] = {
      {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_RANK"},
      {"PMI_RANK", "PMI_SIZE", "MPI_LOCALRANKID"},
      {"RANK", "WORLD_SIZE", "LOCAL_RANK"},
      {"SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID"}};
  auto read = [&](const char *name) -> std::optional<size_t> {
    const char *text = variable(name);
    if (!text)
      return std::nullopt;
    std::optional<size_t> value = parseNumber(text);
    if (!value)
      throw Error(std::string(name) + ": expected a number, found '" + text + "'");
    return value;
  };
  for (const Names &names : known) {
    std::optional<size_t> rank = read(names.rank), size = read(names.size);
    if (!rank || !size)
      continue;
    if (*rank >= *size)
      throw Error(std::string(names.rank) + ": expected less than " + names.size + ", found " +
                  std::to_string(*rank));
    Shard shard{*rank, *size, std::nullopt, names.rank};
    if (std::optional<size_t> local = read(names.local))
      shard.device = static_cast<int>(*local);
    return shard;
  }
  return {};
}
