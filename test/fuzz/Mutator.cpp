//===- Mutator.cpp - Small changes to bytes -----------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Mutator.h"

#include <algorithm>

using namespace lora::fuzz;

void Mutator::change(std::string &bytes, size_t first) {
  if (bytes.size() <= first)
    return;
  size_t place = first + below(bytes.size() - first);
  size_t length = std::min(1 + below(16), bytes.size() - place);
  switch (below(12)) {
  case 0:
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << below(8)));
    break;
  case 1:
    bytes[place] = static_cast<char>(random());
    break;
  case 2:
    bytes.erase(place, length);
    break;
  case 3:
    bytes.insert(place, bytes.substr(place, length));
    break;
  case 4:
    bytes.replace(place, length, pieces[below(pieces.size())]);
    break;
  case 5:
    bytes.insert(place, pieces[below(pieces.size())]);
    break;
  default:
    // Numbers are what sizes, offsets and bounds are made of.
    place = bytes.find_first_of("0123456789", place);
    if (place != std::string::npos)
      bytes[place] = static_cast<char>('0' + below(10));
  }
}

std::string Mutator::mutate(std::string bytes, size_t first) {
  for (size_t changes = 1 + below(3); changes > 0; --changes)
    change(bytes, first);
  if (oneIn(20))
    bytes.resize(first + below(bytes.size() - std::min(first, bytes.size()) + 1));
  return bytes;
}
