//===- CudaOccupancyTest.cpp - Occupancy against the CUDA Toolkit's -------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/TargetFacts.h"

#include <gtest/gtest.h>

#include <climits>
#include <cstddef>

#include <cuda_occupancy.h>

using namespace lora;

namespace {

struct Device {
  const char *name;
  int major, minor;
};

unsigned cudaOccupancy(const Device &device, const TargetFacts &target, int threads, int registers,
                       int sharedBytes) {
  cudaOccDeviceProp properties;
  properties.computeMajor = device.major;
  properties.computeMinor = device.minor;
  properties.maxThreadsPerBlock = 1024;
  properties.maxThreadsPerMultiprocessor = target.threadsPerSM;
  properties.regsPerBlock = TargetFacts::kRegistersPerSM;
  properties.regsPerMultiprocessor = TargetFacts::kRegistersPerSM;
  properties.warpSize = 32;
  properties.sharedMemPerBlock = 48 * 1024;
  properties.sharedMemPerMultiprocessor = target.sharedBytesPerSM;
  properties.sharedMemPerBlockOptin = target.sharedBytesPerBlock;
  properties.reservedSharedMemPerBlock = TargetFacts::kReservedSharedBytes;
  properties.numSms = 1;
  cudaOccFuncAttributes attributes;
  attributes.maxThreadsPerBlock = 1024;
  attributes.numRegs = registers;
  attributes.sharedSizeBytes = 0;
  attributes.partitionedGCConfig = PARTITIONED_GC_OFF;
  attributes.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
  attributes.maxDynamicSharedSizeBytes = target.sharedBytesPerBlock;
  attributes.numBlockBarriers = 1;
  cudaOccDeviceState state;
  state.cacheConfig = CACHE_PREFER_NONE;
  state.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
  cudaOccResult result;
  cudaOccError status = cudaOccMaxActiveBlocksPerMultiprocessor(&result, &properties, &attributes,
                                                                &state, threads, sharedBytes);
  return status == CUDA_OCC_SUCCESS ? result.activeBlocksPerMultiprocessor : 0;
}

TEST(CudaOccupancyTest, AgreesWithTheToolkit) {
  for (const Device &device :
       {Device{"sm_80", 8, 0}, Device{"sm_86", 8, 6}, Device{"sm_89", 8, 9}, Device{"sm_90a", 9, 0},
        Device{"sm_100a", 10, 0}, Device{"sm_120a", 12, 0}}) {
    const TargetFacts &target = findTarget(device.name);
    for (int threads = 32; threads <= 1024; threads *= 2)
      for (int registers = 8; registers <= 255; ++registers)
        for (int shared : {0, 1, 1024, 5000, 16384, 49152, 65536, 98304, 101376, 101377, 166912,
                           166913, 232448, 232449})
          ASSERT_EQ(target.occupancy(threads, registers, shared),
                    cudaOccupancy(device, target, threads, registers, shared))
              << device.name << ", " << threads << " threads, " << registers << " registers, "
              << shared << " bytes";
  }
}

} // namespace
