//===- StuckReport.cpp - Messages about threads that wait for ever --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"

namespace lora::emulator {

std::string Block::describeState(const Thread &thread) const {
  if (thread.state == ThreadState::Returned)
    return "returned";
  const OpInfo &op = ops()[thread.waitOp];
  std::string text = "at " + op.name + " " + op.location;
  if (op.threads != 0)
    text += " with id " + std::to_string(thread.barrierId);
  if (op.kind == OpKind::MbarrierWait)
    text += " with " + mbarriers.at(thread.barrierId).describeArrived();
  return text;
}

/// "0,2-5" of ascending numbers.
static std::string describeNumbers(llvm::ArrayRef<size_t> numbers) {
  std::string text;
  for (size_t i = 0; i < numbers.size(); ++i) {
    const size_t first = i;
    while (i + 1 < numbers.size() && numbers[i + 1] == numbers[i] + 1)
      ++i;
    text += (first ? "," : "") + std::to_string(numbers[first]);
    if (i > first)
      text += "-" + std::to_string(numbers[i]);
  }
  return text;
}

/// Says each text once, with who it is about: "warps 0-2 returned, warp 3 at ...".
static std::string describeGroups(const std::string &what, llvm::ArrayRef<std::string> texts) {
  llvm::MapVector<llvm::StringRef, std::vector<size_t>> groups;
  for (size_t i = 0; i < texts.size(); ++i)
    groups[texts[i]].push_back(i);
  std::string result;
  for (const auto &[text, members] : groups)
    result += (result.empty() ? "" : ", ") + what + (members.size() > 1 ? "s " : " ") +
              describeNumbers(members) + " " + text.str();
  return result;
}

std::string Block::describeLanes(const Warp &warp) const {
  std::vector<std::string> texts;
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    texts.push_back(describeState(warp.lanes[lane]));
  if (llvm::all_equal(texts))
    return texts[0];
  return "(" + describeGroups("lane", texts) + ")";
}

std::string Block::describeWarps() const {
  std::vector<std::string> texts;
  for (const Warp &warp : warps)
    texts.push_back(describeLanes(warp));
  return describeGroups("warp", texts);
}

std::string Cluster::describeBlocks() const {
  if (blocks.size() == 1)
    return blocks[0].describeWarps();
  std::string text;
  for (const Block &block : blocks)
    text += (text.empty() ? "" : "; ") + launch.describeBlock(block.index()) + ": " +
            block.describeWarps();
  return text;
}

static bool waits(const Thread &thread) { return thread.state == ThreadState::Waiting; }

static bool waitsForMbarrier(const Thread &thread) {
  return waits(thread) && thread.block->ops()[thread.waitOp].kind == OpKind::MbarrierWait;
}

const Thread *Block::findMbarrierWait() {
  const Thread *found = llvm::find_if(allThreads(), waitsForMbarrier);
  return found == allThreads().end() ? nullptr : found;
}

/// The first thread that waits in a warp whose lanes went different ways, though none of them waits
/// for an mbarrier.
const Thread *Block::findDivergence() const {
  for (const Warp &warp : warps) {
    llvm::ArrayRef<Thread> lanes(warp.lanes, warpSize);
    const Thread *lane = llvm::find_if(lanes, waits);
    if (lane == lanes.end() || llvm::any_of(lanes, waitsForMbarrier))
      continue;
    if (llvm::any_of(lanes, [&](const Thread &other) {
          return !waits(other) || other.waitOp != lane->waitOp ||
                 other.barrierId != lane->barrierId;
        }))
      return lane;
  }
  return nullptr;
}

/// The first thread that waits for threads of its own block, of which none waits for an mbarrier.
const Thread *Block::findBarrierWait() {
  if (findMbarrierWait())
    return nullptr;
  const Thread *found = llvm::find_if(allThreads(), [&](const Thread &thread) {
    return waits(thread) && ops()[thread.waitOp].kind != OpKind::ClusterWait;
  });
  return found == allThreads().end() ? nullptr : found;
}

/// No thread can run. Blames the first warp whose lanes went different ways, else the first that
/// waits for threads of its own block, else the first thread that waits for an mbarrier: that comes
/// last, since the stores may be missing because of the others, and since the two before it leave
/// out whom such a thread holds up in its own block. There is one of the three: a wait for the
/// cluster ends when all others have returned or wait there too.
void Cluster::reportStuck() {
  auto report = [&](auto find, auto describe) {
    for (Block &block : blocks) {
      if (const Thread *blamed = find(block)) {
        record(*blamed, blamed->waitOp,
               describe(launch.kernel.ops[blamed->waitOp]) + ": " + describeBlocks());
        return true;
      }
    }
    return false;
  };
  report([](Block &block) { return block.findDivergence(); },
         [](const OpInfo &) -> std::string { return "warp-wide op without all its lanes"; }) ||
      report([](Block &block) { return block.findBarrierWait(); },
             [](const OpInfo &op) -> std::string {
               if (op.threads == 0)
                 return "barrier divergence: not all threads of the block wait here";
               return "deadlock: fewer than " + std::to_string(op.threads) + " threads wait here";
             }) ||
      report([](Block &block) { return block.findMbarrierWait(); },
             [](const OpInfo &) -> std::string {
               return "deadlock: the bytes that the mbarrier expects never arrive";
             });
}

} // namespace lora::emulator
