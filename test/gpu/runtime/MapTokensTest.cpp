//===- MapTokensTest.cpp - The kernel that builds mappings --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"
#include "GpuFixture.h"
#include "RowBlocks.h"
#include "lora/Pack/Pack.h"

#include <algorithm>
#include <cstring>

using namespace lora;
using namespace lora::gpu;
using namespace lora::api;

namespace {

struct MapCase {
  int32_t tokens, maxTokens, maxLoras;
  /// Random slots are from -2 to this.
  int32_t highest;
};

class GpuMapTokens : public GpuTest, public testing::WithParamInterface<MapCase> {
protected:
  /// Whether the GPU has the clusters and the shared memory that a kernel needs.
  bool canRun(const KernelManifest &manifest) const;
  void checkMapping(const Function &function, const LaunchShape &shape, const MapCase &item) const;
};

/// The buffers of map_tokens, all but the first of which it writes.
struct MapBuffers {
  MapBuffers(const Device &device, const MapCase &item, size_t entries)
      : tokenLora(device, 4 * static_cast<size_t>(std::max(item.tokens, 1))),
        indices(device, 4 * static_cast<size_t>(item.maxTokens)),
        ranks(device, 4 * static_cast<size_t>(item.maxTokens)),
        rowBlocks(device, sizeof(RowBlock) * entries), bad(device, 4) {}

  DeviceBuffer tokenLora, indices, ranks, rowBlocks, bad;
};

template <typename T> std::vector<T> download(const DeviceBuffer &buffer, Stream &stream) {
  std::vector<T> values(buffer.size() / sizeof(T));
  buffer.download(std::as_writable_bytes(std::span(values)), stream);
  return values;
}

bool GpuMapTokens::canRun(const KernelManifest &manifest) const {
  int maxSharedBytes = 0;
  const cuda::Api &api = cuda::api();
  api.check(api.deviceGetAttribute(&maxSharedBytes, cuda::attributeMaxSharedBytes, 0),
            "cuDeviceGetAttribute");
  return static_cast<int>(manifest.sharedBytes) <= maxSharedBytes &&
         (manifest.cluster[0] == 1 || device->computeCapability() >= 90);
}

TEST_P(GpuMapTokens, SmallBuildsWhatTheHostBuilds) {
  if (isEmulator())
    GTEST_SKIP() << "not for the emulator";
  Pack pack = Pack::open(testPack());
  int kernels = 0;
  for (const PackKernel &kernel : pack.index().kernels) {
    if (kernel.manifest.kernel != "map_tokens" || !canRun(kernel.manifest))
      continue;
    SCOPED_TRACE("for " + kernel.manifest.target + ", " + std::string(codeKindName(kernel.kind)));
    ++kernels;
    Module module(*device, pack.code(kernel));
    Function function = module.function(kernel.manifest.symbol);
    function.allow(kernel.manifest.sharedBytes, kernel.manifest.cluster[0]);
    LaunchShape shape;
    // Such a kernel is one block, or one cluster.
    shape.grid = shape.cluster = kernel.manifest.cluster;
    shape.threads = kernel.manifest.threads;
    shape.sharedBytes = kernel.manifest.sharedBytes;
    checkMapping(function, shape, GetParam());
  }
  EXPECT_GT(kernels, 0);
}

void GpuMapTokens::checkMapping(const Function &function, const LaunchShape &shape,
                                const MapCase &item) const {
  std::mt19937 random(item.tokens);
  std::vector<int32_t> slots(static_cast<size_t>(item.tokens));
  std::vector<int32_t> counts(static_cast<size_t>(item.maxLoras), 0);
  int32_t bad = 0;
  for (int32_t &slot : slots) {
    slot = static_cast<int32_t>(random() % static_cast<unsigned>(item.highest + 3)) - 2;
    if (slot >= 0 && slot < item.maxLoras)
      ++counts[static_cast<size_t>(slot)];
    else
      bad += slot != -1;
  }
  RowBlockTables tables = rowBlockTables(item.maxTokens, item.maxLoras);
  std::vector<RowBlock> expected(tables.back());
  std::vector<int32_t> indices(static_cast<size_t>(item.maxTokens), -1);
  writeRowBlocks(counts, tables, expected.data());
  std::vector<int32_t> starts = counts;
  listTokens(slots, counts, indices.data());

  Stream stream(*device);
  MapBuffers buffers(*device, item, tables.back());
  if (item.tokens > 0)
    buffers.tokenLora.upload(std::as_bytes(std::span(slots)), stream);
  for (DeviceBuffer *result : {&buffers.indices, &buffers.rowBlocks, &buffers.bad})
    result->fill(0x77, stream);
  const uint64_t values[] = {buffers.tokenLora.address(),
                             buffers.indices.address(),
                             buffers.ranks.address(),
                             buffers.rowBlocks.address(),
                             buffers.bad.address(),
                             static_cast<uint32_t>(item.tokens),
                             static_cast<uint32_t>(item.maxTokens),
                             static_cast<uint32_t>(item.maxLoras)};
  function.launch(shape, values, stream);

  EXPECT_EQ(download<int32_t>(buffers.bad, stream)[0], bad);
  std::vector<RowBlock> entries = download<RowBlock>(buffers.rowBlocks, stream);
  for (size_t i = 0; i < entries.size(); ++i)
    ASSERT_EQ(std::memcmp(&entries[i], &expected[i], sizeof(RowBlock)), 0)
        << "entry " << i << " of " << entries.size();
  // The order of the tokens of a slot is free.
  std::vector<int32_t> listed = download<int32_t>(buffers.indices, stream);
  for (size_t slot = 0; slot < counts.size(); ++slot)
    std::sort(listed.begin() + starts[slot], listed.begin() + counts[slot]);
  listed.resize(static_cast<size_t>(counts.back()));
  indices.resize(listed.size());
  EXPECT_EQ(listed, indices);
}

INSTANTIATE_TEST_SUITE_P(Sizes, GpuMapTokens,
                         testing::Values(MapCase{0, 10, 3, 2}, MapCase{1, 1, 1, 0},
                                         MapCase{50, 64, 4, 3}, MapCase{1025, 2000, 256, 260},
                                         MapCase{3000, 3000, 9, 0}, MapCase{2500, 4000, 1500, 1499},
                                         MapCase{8192, 8192, 256, 255}, MapCase{8192, 8192, 256, 3},
                                         MapCase{20000, 20000, 300, 299},
                                         MapCase{100000, 131072, 4900, 4950}));

} // namespace
