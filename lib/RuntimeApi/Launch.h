//===- Launch.h - Checked launches --------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Adapters.h"
#include "Context.h"
#include "Mapping.h"

#include <string>

namespace lora::api {

/// A launch that was checked, and the kernels that serve it: one, or two in their order.
struct PreparedLaunch {
  struct Part {
    const DispatchRule *rule;
    Values values;
    Plan plan;
  };

  lora_launch launch;
  Part parts[2];
  int count = 0;
};

/// Checks the arguments of an op and chooses its kernels. Allocates nothing unless it throws
/// StatusError. There are no kernels for zero tokens.
PreparedLaunch prepareLaunch(const lora_context &context, lora_op op, const lora_launch *launch);

/// Launches all parts on the stream of the launch.
void runLaunch(lora_context &context, const PreparedLaunch &prepared);

/// The text of lora_explain.
std::string explainLaunch(const lora_context &context, lora_op op, const lora_launch *launch);

} // namespace lora::api
