//===- ParameterSpace.h - The configurations of a kernel -------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#pragma once

#include "Case.h"
#include "lora/Runtime/Arguments.h"
#include "lora/Support/Expression.h"

#include <string>
#include <vector>

namespace lora::differential {

/// The parameters of a shipped kernel, with the conditions of its `where` and `assuming` clauses.
class ParameterSpace {
public:
  struct Parameter {
    std::string name;
    int64_t defaultValue;
    std::vector<int64_t> candidates;
  };

  /// Reads them off the kernel.
  explicit ParameterSpace(Kernel kernel);

  /// That of the kernel, read once.
  static const ParameterSpace &of(Kernel kernel);

  const std::vector<Parameter> &parameters() const { return all; }

  Config defaults() const;

  /// The first condition that does not hold, or an empty string.
  std::string brokenBy(const Config &config, const Arguments &arguments) const;

private:
  std::vector<Parameter> all;
  std::vector<Expression> conditions;
};

/// Whether a parameter promises an alignment. Smaller values are always allowed.
bool isAlignment(const std::string &parameter);

} // namespace lora::differential
