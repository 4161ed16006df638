//===- PackTest.cpp - Tests of packs, whole and damaged -----------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Pack/Pack.h"

#include "PackIndex.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <gtest/gtest.h>

#include <random>

using namespace lora;

namespace {

std::span<const std::byte> bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text));
}

std::string hexOf(const std::string &text) {
  std::string hex;
  for (uint8_t byte : sha256(bytesOf(text))) {
    hex += "0123456789abcdef"[byte >> 4];
    hex += "0123456789abcdef"[byte & 15];
  }
  return hex;
}

std::string samplePack() {
  PackIndex index;
  index.versions = {{"ptxas", "13.0"}};
  PackKernel kernel;
  kernel.id = "first";
  kernel.manifest.kernel = kernel.manifest.symbol = "shrink";
  kernel.manifest.target = "sm_90a";
  kernel.manifest.threads = 128;
  index.kernels.push_back(kernel);
  kernel.id = "second";
  kernel.kind = CodeKind::Ptx;
  index.kernels.push_back(kernel);
  index.rules.push_back({"first", {1, 16}, {}, {1, 64}, {2, 8}, {}, true});
  std::string code[] = {"machine code", std::string("text\0", 5)};
  return packBytes(index, code);
}

std::string errorOf(const std::string &pack) {
  try {
    Pack opened = Pack::fromMemory(bytesOf(pack), "p");
    for (const PackKernel &kernel : opened.index().kernels)
      opened.code(kernel);
  } catch (const Error &error) {
    return error.what();
  }
  return "no error";
}

TEST(Sha256, KnownValues) {
  // The examples of FIPS 180-4.
  EXPECT_EQ(hexOf(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hexOf("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hexOf("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
}

TEST(Pack, RoundTrip) {
  Pack pack = Pack::fromMemory(bytesOf(samplePack()), "p");
  ASSERT_EQ(pack.index().kernels.size(), 2u);
  const PackKernel &first = pack.index().kernels[0];
  EXPECT_EQ(first.id, "first");
  EXPECT_EQ(first.manifest.target, "sm_90a");
  EXPECT_EQ(pack.code(first).size(), 12u);
  EXPECT_EQ(first.offset % 64, 0u);
  ASSERT_EQ(pack.index().rules.size(), 1u);
  EXPECT_EQ(pack.index().rules[0].tokens.high, 16);
  EXPECT_EQ(pack.index().rules[0].hidden.high, PackRange().high);
  EXPECT_EQ(pack.index().rules[0].adapters, (PackRange{2, 8}));
  EXPECT_EQ(pack.index().rules[0].slices, PackRange());
  EXPECT_TRUE(pack.index().rules[0].twoLaunches);
  EXPECT_EQ(samplePack(), samplePack());
}

TEST(Pack, FilesAreMapped) {
  std::string path = testing::TempDir() + "/lora_pack_test.pack";
  writeFile(path, samplePack());
  EXPECT_EQ(Pack::open(path).index().kernels.size(), 2u);
  writeFile(path, "");
  EXPECT_THROW(Pack::open(path), Error);
  std::remove(path.c_str());
  try {
    Pack::open(path);
    FAIL();
  } catch (const Error &error) {
    EXPECT_EQ(error.what(), "pack '" + path + "': cannot open: No such file or directory");
  }
}

TEST(Pack, DamageIsNamed) {
  std::string pack = samplePack();
  EXPECT_EQ(errorOf(""), "pack 'p': not a kernel pack");
  EXPECT_EQ(errorOf("PK" + pack), "pack 'p': not a kernel pack");
  EXPECT_EQ(errorOf(pack.substr(0, 20)), "pack 'p': truncated: 20 bytes, less than a header");
  EXPECT_EQ(errorOf(pack.substr(0, pack.size() - 1)),
            "pack 'p': truncated: expected " + std::to_string(pack.size()) + " bytes, found " +
                std::to_string(pack.size() - 1));
  EXPECT_EQ(errorOf(pack + "x"), "pack 'p': damaged: expected " + std::to_string(pack.size()) +
                                     " bytes, found " + std::to_string(pack.size() + 1));
  auto changed = [&](size_t place) {
    std::string copy = pack;
    copy[place] ^= 1;
    return errorOf(copy);
  };
  EXPECT_EQ(changed(8), "pack 'p': format version 0: this library reads version 1");
  EXPECT_EQ(changed(24), "pack 'p': damaged: the header does not match its checksum");
  EXPECT_EQ(changed(pack.size() - 3), "pack 'p': damaged: the index does not match its checksum");
  EXPECT_EQ(changed(pack.find("machine")),
            "pack 'p': kernel 'first' for sm_90a: damaged: its code does not match its checksum");
}

TEST(Pack, NoChangeOfOneByteGoesUnnoticed) {
  std::string pack = samplePack();
  // The gaps that align code hold nothing.
  size_t first = pack.find("machine"), second = pack.find("text"), index = pack.find("{");
  auto isGap = [&](size_t i) {
    return (i >= 80 && i < first) || (i >= first + 12 && i < second) ||
           (i >= second + 5 && i < index);
  };
  for (size_t i = 0; i < pack.size(); ++i) {
    std::string copy = pack;
    copy[i] ^= 0x40;
    if (!isGap(i)) {
      EXPECT_NE(errorOf(copy), "no error") << "byte " << i;
    }
  }
}

/// Damage that the checksums would find: what the index says is not trusted either.
TEST(Pack, RandomIndicesAreReadOrRefused) {
  std::string pack = samplePack();
  const std::string index = pack.substr(pack.find('{'));
  const std::string pieces[] = {"\"",
                                "{",
                                "}",
                                "[",
                                "]",
                                ",",
                                "-1",
                                "1e99",
                                "null",
                                "18446744073709551615",
                                "true",
                                "\"first\"",
                                "99999999999999999999",
                                "\\u0000"};
  std::mt19937 random(2);
  int refused = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = index;
    for (unsigned i = 0; i <= random() % 3; ++i) {
      size_t place = random() % text.size();
      if (random() % 2)
        text.erase(place, random() % 8);
      text.insert(std::min(place, text.size()), pieces[random() % std::size(pieces)]);
    }
    try {
      PackIndex read = packIndexFromJson(text, 1000, "p");
      for (const PackKernel &kernel : read.kernels)
        EXPECT_LE(kernel.offset + kernel.size, 1000u);
    } catch (const Error &error) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Pack, RulesNameKernelsThatAreThere) {
  std::string text = R"({"versions": {}, "kernels": [], "rules": [{"kernel": "k"}]})";
  try {
    packIndexFromJson(text, 1000, "p");
    FAIL();
  } catch (const Error &error) {
    EXPECT_STREQ(error.what(), "p: index: a rule names the kernel 'k', which is not there");
  }
}

TEST(Pack, RandomDamageNeverCrashes) {
  std::string pack = samplePack();
  std::mt19937 random(1);
  for (int round = 0; round < 3000; ++round) {
    std::string copy = pack;
    if (random() % 2)
      copy.resize(random() % (pack.size() + 1));
    for (int i = 0; i < 4 && !copy.empty(); ++i)
      copy[random() % copy.size()] = static_cast<char>(random());
    errorOf(copy);
  }
}

} // namespace
