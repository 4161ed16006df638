//===- CudaApiTest.cpp - The declarations of the driver against cuda.h ----===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CudaApi.h"

#include <cuda.h>
#include <gtest/gtest.h>

#include <cstring>

using namespace lora;

namespace {

static_assert(cuda::success == CUDA_SUCCESS);
static_assert(cuda::attributeMultiprocessorCount == CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT);
static_assert(cuda::attributeClockRate == CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
static_assert(cuda::attributeMemoryClockRate == CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
static_assert(cuda::attributeL2CacheSize == CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE);
static_assert(cuda::captureModeThreadLocal == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
static_assert(cuda::attributeComputeCapabilityMajor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
static_assert(cuda::attributeComputeCapabilityMinor ==
              CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
static_assert(cuda::attributeMaxSharedBytes ==
              CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
static_assert(cuda::functionMaxDynamicSharedBytes ==
              CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
static_assert(cuda::functionNonPortableClusterSizeAllowed ==
              CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
static_assert(cuda::streamNonBlocking == CU_STREAM_NON_BLOCKING);
static_assert(cuda::launchAttributeClusterDimension == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);

static_assert(cuda::errorOutOfMemory == CUDA_ERROR_OUT_OF_MEMORY);
static_assert(cuda::errorNotReady == CUDA_ERROR_NOT_READY);
static_assert(cuda::eventDisableTiming == CU_EVENT_DISABLE_TIMING);
static_assert(cuda::captureStatusNone == CU_STREAM_CAPTURE_STATUS_NONE);
static_assert(cuda::captureModeRelaxed == CU_STREAM_CAPTURE_MODE_RELAXED);
static_assert(cuda::launchAttributeProgrammaticStreamSerialization ==
              CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION);

static_assert(sizeof(cuda::Result) == sizeof(CUresult));
static_assert(sizeof(cuda::DeviceId) == sizeof(CUdevice));
static_assert(sizeof(cuda::DevicePointer) == sizeof(CUdeviceptr));

static_assert(sizeof(cuda::LaunchAttribute) == sizeof(CUlaunchAttribute));
static_assert(alignof(cuda::LaunchAttribute) == alignof(CUlaunchAttribute));
static_assert(offsetof(cuda::LaunchAttribute, value) == offsetof(CUlaunchAttribute, value));

static_assert(sizeof(cuda::LaunchConfig) == sizeof(CUlaunchConfig));
static_assert(offsetof(cuda::LaunchConfig, grid) == offsetof(CUlaunchConfig, gridDimX));
static_assert(offsetof(cuda::LaunchConfig, block) == offsetof(CUlaunchConfig, blockDimX));
static_assert(offsetof(cuda::LaunchConfig, sharedBytes) ==
              offsetof(CUlaunchConfig, sharedMemBytes));
static_assert(offsetof(cuda::LaunchConfig, stream) == offsetof(CUlaunchConfig, hStream));
static_assert(offsetof(cuda::LaunchConfig, attributes) == offsetof(CUlaunchConfig, attrs));
static_assert(offsetof(cuda::LaunchConfig, attributeCount) == offsetof(CUlaunchConfig, numAttrs));

TEST(CudaApi, ClusterDimensionLiesWhereTheDriverReadsIt) {
  cuda::LaunchAttribute ours = {};
  ours.value.clusterDimension[0] = 2;
  ours.value.clusterDimension[1] = 3;
  ours.value.clusterDimension[2] = 4;
  CUlaunchAttribute theirs;
  std::memcpy(&theirs, &ours, sizeof(theirs));
  EXPECT_EQ(theirs.value.clusterDim.x, 2u);
  EXPECT_EQ(theirs.value.clusterDim.y, 3u);
  EXPECT_EQ(theirs.value.clusterDim.z, 4u);
}

} // namespace
