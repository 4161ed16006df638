//===- ContextTest.cpp - Tests of contexts and of dispatch --------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RuntimeFixture.h"

using namespace lora;
using namespace lora::test;

namespace {

std::string explain(const Objects &objects, lora_op op, const lora_launch &launch) {
  char text[4096];
  EXPECT_EQ(lora_explain(objects.context, op, &launch, text, sizeof(text), nullptr), LORA_SUCCESS)
      << lora_last_error();
  return text;
}

TEST_F(RuntimeTest, VersionsAndNames) {
  EXPECT_EQ(lora_abi_version(), uint32_t(LORA_ABI_VERSION));
  EXPECT_STREQ(lora_status_name(LORA_ERROR_NO_DRIVER), "LORA_ERROR_NO_DRIVER");
  EXPECT_STREQ(lora_status_name(1234), "unknown status");
}

TEST_F(RuntimeTest, NoDriver) {
  lora_context_options options = fakeOptions();
  options.driver_library = "liblora_no_such_driver.so";
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_NO_DRIVER);
  EXPECT_TRUE(std::string(lora_last_error())
                  .starts_with("lora_context_create: CUDA driver: cannot load liblora_no_such"))
      << lora_last_error();
}

TEST_F(RuntimeTest, OldDriver) {
  driver.version = 11040;
  lora_context_options options = fakeOptions();
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_NO_DRIVER);
  EXPECT_STREQ(lora_last_error(), "lora_context_create: CUDA driver: expected version 11.8 or "
                                  "later, found 11.4");
}

TEST_F(RuntimeTest, DriverThatDoesNotStart) {
  driver.initResult = 100;
  lora_context_options options = fakeOptions();
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_NO_DRIVER);
}

TEST_F(RuntimeTest, CurrentContextIsNeeded) {
  lora_context_options options = fakeOptions();
  options.device = -1;
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_INVALID_ARGUMENT);
  options.device = 2;
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_INVALID_ARGUMENT);
  EXPECT_STREQ(lora_last_error(), "lora_context_create: options.device: expected -1 to 1, found 2");
}

TEST_F(RuntimeTest, NamedContextIsNotRetained) {
  lora_context_options options = fakeOptions();
  options.cu_context = toPointer(0x5000);
  ASSERT_EQ(lora_context_create(&options, &objects.context), LORA_SUCCESS);
  EXPECT_EQ(driver.retained, 0);
  EXPECT_STREQ(lora_context_target(objects.context), "sm_90");
}

TEST_F(RuntimeTest, StructuresOfALaterVersionAreRefused) {
  lora_context_options options = fakeOptions();
  options.size += 8;
  EXPECT_EQ(lora_context_create(&options, &objects.context), LORA_ERROR_INVALID_ARGUMENT);
}

TEST_F(RuntimeTest, PackForAnotherTargetIsRefused) {
  driver.capability = 80;
  EXPECT_EQ(objects.create(usualParts().bytes()), LORA_ERROR_BAD_PACK);
  EXPECT_STREQ(lora_last_error(),
               "lora_context_load_pack_memory: pack 'memory': no kernel for sm_80: it has sm_90a "
               "(cubin)");
}

TEST_F(RuntimeTest, CubinOfTheTargetComesBeforePtx) {
  PackParts parts;
  std::map<std::string, int64_t> config = {{"ALIGN", 8}, {"RANK_ALIGN", 4}, {"BLOCK_M", 16}};
  parts.add("shrink", makeManifest("shrink", "sm_80", config), CodeKind::Ptx);
  parts.add("shrink", makeManifest("shrink", "sm_90a", config), CodeKind::Cubin, false);
  ASSERT_EQ(objects.create(parts.bytes()), LORA_SUCCESS) << lora_last_error();
  EXPECT_NE(explain(objects, LORA_SHRINK, objects.launch()).find("(cubin for sm_90a)"),
            std::string::npos);
  objects.destroy();
  driver.capability = 120;
  ASSERT_EQ(objects.create(parts.bytes()), LORA_SUCCESS) << lora_last_error();
  EXPECT_NE(explain(objects, LORA_SHRINK, objects.launch()).find("(ptx for sm_80)"),
            std::string::npos);
}

TEST_F(RuntimeTest, CodeThatNeedsMoreSharedMemoryThanThereIsIsPassedOver) {
  PackParts parts;
  std::map<std::string, int64_t> config = {{"ALIGN", 8}, {"RANK_ALIGN", 4}, {"BLOCK_M", 16}};
  KernelManifest manifest = makeManifest("shrink", "sm_90", config);
  manifest.sharedBytes = 137228;
  parts.add("shrink", makeManifest("shrink", "sm_80", config), CodeKind::Ptx);
  parts.add("shrink", manifest, CodeKind::Ptx, false);
  driver.capability = 120;
  for (auto [bytes, chosen] :
       {std::pair(227 << 10, "ptx for sm_90"), {99 << 10, "ptx for sm_80"}}) {
    driver.maxSharedBytes = bytes;
    ASSERT_EQ(objects.create(parts.bytes()), LORA_SUCCESS) << lora_last_error();
    EXPECT_NE(explain(objects, LORA_SHRINK, objects.launch()).find(chosen), std::string::npos);
    objects.destroy();
  }
}

TEST_F(RuntimeTest, ExplainSaysWhatWasPassedOver) {
  createAll();
  lora_launch launch = objects.launch();
  launch.tokens = 512;
  std::string text = explain(objects, LORA_SHRINK_EXPAND, launch);
  EXPECT_NE(text.find("passed over rule 0 of 'memory', kernel fused: tokens = 512: expected 0 to "
                      "256\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("shrink uses rule 1 of 'memory', kernel shrink (cubin for sm_90a)"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("expand uses rule 3 of 'memory', kernel expand "), std::string::npos) << text;
  launch.x = toPointer(0x10002);
  text = explain(objects, LORA_SHRINK, launch);
  EXPECT_NE(text.find("kernel shrink: x, A, hidden and their strides are multiples of 1 elements: "
                      "expected multiples of 8\nshrink uses rule 2"),
            std::string::npos)
      << text;
}

TEST_F(RuntimeTest, RulesBoundAdaptersAndSlicesAndChooseTwoLaunches) {
  PackParts parts = usualParts();
  // The two slices are one too many for the single launch; three adapters are for this shrink.
  parts.index.rules[0].slices.high = 1;
  parts.index.rules[1].adapters = {1, 2};
  ASSERT_EQ(objects.create(parts.bytes()), LORA_SUCCESS) << lora_last_error();
  lora_launch launch = objects.launch();
  launch.tokens = 512;
  launch.max_active_loras = 3;
  std::string text = explain(objects, LORA_SHRINK_EXPAND, launch);
  EXPECT_NE(text.find("kernel shrink: adapters in use = 3: expected 1 to 2\nshrink uses rule 2"),
            std::string::npos)
      << text;
  launch.tokens = 6;
  text = explain(objects, LORA_SHRINK_EXPAND, launch);
  EXPECT_NE(text.find("kernel fused: slices = 2: expected 0 to 1\n"), std::string::npos) << text;
  objects.destroy();

  parts = usualParts();
  parts.index.rules[0].twoLaunches = true;
  ASSERT_EQ(objects.create(parts.bytes()), LORA_SUCCESS) << lora_last_error();
  launch = objects.launch();
  text = explain(objects, LORA_SHRINK_EXPAND, launch);
  EXPECT_NE(text.find("shrink_expand takes two launches by rule 0 of 'memory'\nshrink uses"),
            std::string::npos)
      << text;
}

TEST_F(RuntimeTest, ExplainCutsTheText) {
  createAll();
  lora_launch launch = objects.launch();
  size_t needed = 0;
  char text[5] = "####";
  ASSERT_EQ(lora_explain(objects.context, LORA_SHRINK, &launch, text, 3, &needed), LORA_SUCCESS);
  EXPECT_GT(needed, 20u);
  EXPECT_EQ(std::memcmp(text, "sh\0#", 4), 0);
}

TEST_F(RuntimeTest, LogTellsAboutPacksKernelsAndFailures) {
  std::vector<std::string> lines;
  lora_set_log_callback(
      [](void *user, lora_log_level, const char *message) {
        static_cast<std::vector<std::string> *>(user)->push_back(message);
      },
      &lines);
  createAll();
  EXPECT_EQ(lora_prepare(objects.context, LORA_SHRINK, nullptr), LORA_ERROR_INVALID_ARGUMENT);
  lora_set_log_callback(nullptr, nullptr);
  ASSERT_EQ(lines.size(), 3u);
  EXPECT_EQ(lines[0], "created a context for sm_90");
  EXPECT_EQ(lines[1], "loaded pack 'memory': 6 kernels for sm_90");
  EXPECT_EQ(lines[2], "lora_prepare: launch: expected an address, found NULL");
}

} // namespace
