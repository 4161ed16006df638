//===- PtxasTest.cpp - Tests of running the CUDA assembler ----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/Ptxas.h"

#include "lora/Support/Error.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace lora;
namespace fs = std::filesystem;

namespace {

/// A folder of its own for each test, which is also where Ptxas puts its temporary files.
class PtxasTest : public testing::Test {
protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "ptxas-XXXXXX";
    folder = mkdtemp(pattern.data());
    fs::create_directory(folder / "tmp");
    setenv("TMPDIR", (folder / "tmp").c_str(), 1);
  }
  void TearDown() override {
    unsetenv("TMPDIR");
    unsetenv("LORA_PTXAS");
    fs::remove_all(folder);
  }

  /// A shell script that stands for ptxas.
  std::string script(const std::string &body) {
    fs::path path = folder / "ptxas";
    std::ofstream(path) << "#!/bin/sh\n" << body << "\n";
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }

  std::vector<fs::path> temporaryFiles() {
    std::vector<fs::path> files;
    for (const auto &entry : fs::directory_iterator(folder / "tmp"))
      files.push_back(entry.path());
    return files;
  }

  static std::string read(const fs::path &path) {
    std::ifstream stream(path);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  template <typename Action> static std::string errorOf(Action action) {
    try {
      action();
    } catch (const Error &error) {
      return error.what();
    }
    return "no error";
  }

  fs::path folder;
};

constexpr const char *kReport =
    "echo '    0 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads'\n"
    "echo 'ptxas info    : Used 40 registers, used 1 barriers'\n";

TEST_F(PtxasTest, TakesAPathOrTheEnvironment) {
  std::string path = script("");
  EXPECT_EQ(Ptxas(path).path(), path);
  setenv("LORA_PTXAS", path.c_str(), 1);
  EXPECT_EQ(Ptxas().path(), path);
}

TEST_F(PtxasTest, RefusesAFileThatCannotBeRun) {
  EXPECT_EQ(errorOf([&] { Ptxas("/nowhere/ptxas"); }),
            "ptxas: '/nowhere/ptxas' is not an executable file");
}

TEST_F(PtxasTest, ReadsTheVersion) {
  Ptxas ptxas(script("echo 'ptxas: NVIDIA (R) Ptx optimizing assembler'\n"
                     "echo 'Cuda compilation tools, release 13.0, V13.0.88'"));
  EXPECT_EQ(ptxas.version(), "13.0");
  EXPECT_TRUE(temporaryFiles().empty());
}

TEST_F(PtxasTest, SaysWhatItGotInsteadOfAVersion) {
  std::string path = script("echo something else");
  EXPECT_EQ(errorOf([&] { Ptxas(path).version(); }),
            path + " --version: expected a line with 'release', got: something else");
  path = script("echo 'release 13.0'; exit 3");
  EXPECT_EQ(errorOf([&] { Ptxas(path).version(); }),
            path + " --version: expected a line with 'release', got: release 13.0");
}

TEST_F(PtxasTest, ReturnsTheCubinAndTheReport) {
  // Arguments: -arch, -v, -O3, input, -o, output.
  Ptxas ptxas(script(std::string(kReport) + "{ echo \"$1 $2 $3\"; cat \"$4\"; } > \"$6\""));
  Cubin cubin = ptxas.assemble("// the PTX", findTarget("sm_90a"));
  EXPECT_EQ(std::string(cubin.bytes.begin(), cubin.bytes.end()), "-arch=sm_90a -v -O3\n// the PTX");
  EXPECT_EQ(cubin.report.registers, 40u);
  EXPECT_EQ(cubin.report.spillStoreBytes, 4u);
  EXPECT_EQ(cubin.report.spillLoadBytes, 8u);
  EXPECT_TRUE(temporaryFiles().empty());
}

TEST_F(PtxasTest, KeepsThePtxOfAFailure) {
  Ptxas ptxas(script("echo\necho 'ptxas fatal   : no such opcode' >&2\necho more\nexit 255"));
  std::string error = errorOf([&] { ptxas.assemble("// the PTX", findTarget("sm_80")); });
  ASSERT_EQ(temporaryFiles().size(), 1u);
  std::string kept = temporaryFiles().front();
  EXPECT_EQ(error, "ptxas failed for sm_80: ptxas fatal   : no such opcode (the PTX is kept in " +
                       kept + ")");
  EXPECT_EQ(read(kept), "// the PTX");
}

TEST_F(PtxasTest, EndsARunThatTakesTooLong) {
  Ptxas ptxas(script("exec sleep 60"));
  auto start = std::chrono::steady_clock::now();
  std::string error =
      errorOf([&] { ptxas.assemble("// the PTX", findTarget("sm_80"), std::chrono::seconds(1)); });
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
  ASSERT_EQ(temporaryFiles().size(), 1u);
  EXPECT_EQ(error, "ptxas failed for sm_80: it took longer than 1 s (the PTX is kept in " +
                       temporaryFiles().front().string() + ")");
}

TEST_F(PtxasTest, ReportsACrash) {
  Ptxas ptxas(script("kill -SEGV $$"));
  std::string error = errorOf([&] { ptxas.assemble("// the PTX", findTarget("sm_80")); });
  EXPECT_EQ(error.substr(0, 38), "ptxas failed for sm_80: Segmentation f") << error;
  EXPECT_EQ(temporaryFiles().size(), 1u);
}

TEST_F(PtxasTest, ReportsASuccessWithoutAReport) {
  Ptxas ptxas(script("echo done"));
  EXPECT_EQ(errorOf([&] { ptxas.assemble("", findTarget("sm_80")); }),
            "ptxas -v: expected 'Used N registers', got: done");
}

} // namespace
