//===- SafetensorsTest.cpp - Good and malformed safetensors files --------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Adapter/Safetensors.h"

#include "TestFiles.h"
#include "lora/Support/Half.h"

#include <cmath>
#include <limits>
#include <sys/stat.h>

using namespace lora;
using namespace lora::test;

namespace {

class SafetensorsTest : public testing::Test {
protected:
  TempDir directory;

  std::filesystem::path write(const std::string &bytes) {
    return writeFile(directory / "t.safetensors", bytes);
  }

  Safetensors open(const std::string &header, const std::string &data) {
    return Safetensors::open(write(safetensorsBytes(header, data)));
  }

  void expectRefused(const std::string &bytes, const std::string &what) {
    const auto path = write(bytes);
    expectError([&] { Safetensors::open(path); }, {what, path.string()});
  }

  /// Opens a file with this header and `dataBytes` zero bytes of data.
  void expectHeaderRefused(const std::string &header, const std::string &what,
                           size_t dataBytes = 0) {
    expectRefused(safetensorsBytes(header, std::string(dataBytes, '\0')), what);
  }
};

TEST_F(SafetensorsTest, ReadsTensorsOfEveryUsableType) {
  const std::string data = bytesOf<uint16_t>({0x3c00, 0xc000}) + bytesOf<float>({1.5f, -0.25f}) +
                           bytesOf<uint16_t>({0x3f80, 0x4040});
  const auto file = open(R"({"__metadata__":{"format":"pt"},
      "f":{"dtype":"F32","shape":[1,2],"data_offsets":[4,12]},
      "b":{"dtype":"BF16","shape":[2,1],"data_offsets":[12,16]},
      "h":{"dtype":"F16","shape":[2],"data_offsets":[0,4]}}   )",
                         data);
  ASSERT_EQ(file.tensors().size(), 3u);
  EXPECT_EQ(file.tensors()[0].name, "b");
  EXPECT_EQ(file.find("f")->shape, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(file.find("h")->toFloat(), (std::vector<float>{1, -2}));
  EXPECT_EQ(file.find("f")->toFloat(), (std::vector<float>{1.5f, -0.25f}));
  EXPECT_EQ(file.find("b")->toFloat(), (std::vector<float>{1, 3}));
  EXPECT_EQ(file.find("b")->type, DType::BF16);
  EXPECT_EQ(file.find("b")->typeName, "BF16");
  EXPECT_EQ(file.find("none"), nullptr);
}

TEST_F(SafetensorsTest, ReadsUnalignedData) {
  const auto file = open(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},)"
                         R"("f":{"dtype":"F32","shape":[],"data_offsets":[1,5]}})",
                         std::string("x") + bytesOf<float>({42}));
  EXPECT_EQ(file.find("f")->toFloat(), std::vector<float>{42});
}

TEST_F(SafetensorsTest, ReadsFilesWithoutTensors) {
  EXPECT_TRUE(open("{}", "").tensors().empty());
  EXPECT_TRUE(open(R"({"__metadata__":{}})", "").tensors().empty());
}

TEST_F(SafetensorsTest, ReadsEmptyTensors) {
  const auto file = open(R"({"e":{"dtype":"F16","shape":[0,7],"data_offsets":[0,0]}})", "");
  EXPECT_TRUE(file.find("e")->toHalf().empty());
}

TEST_F(SafetensorsTest, TensorsOutliveTheFileObject) {
  const StoredTensor tensor =
      *open(R"({"f":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", bytesOf<float>({7}))
           .find("f");
  EXPECT_EQ(tensor.toFloat(), std::vector<float>{7});
}

TEST_F(SafetensorsTest, ConvertsWithRounding) {
  const std::string header = R"({"f":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})";
  const std::vector<float> values = {1.0f / 3, -0.0f, std::numeric_limits<float>::infinity()};
  const StoredTensor tensor = *open(header, bytesOf(values)).find("f");
  EXPECT_EQ(tensor.toHalf(), (std::vector<uint16_t>{0x3555, 0x8000, 0x7c00}));
  EXPECT_EQ(tensor.toBFloat(), (std::vector<uint16_t>{0x3eab, 0x8000, 0x7f80}));
}

TEST_F(SafetensorsTest, CopiesBitsOfTheSameType) {
  const std::vector<uint16_t> bits = {0x7c01, 0x0001, 0xffff};
  const StoredTensor half =
      *open(R"({"h":{"dtype":"F16","shape":[3],"data_offsets":[0,6]}})", bytesOf(bits)).find("h");
  EXPECT_EQ(half.toHalf(), bits);
  const StoredTensor bfloat =
      *open(R"({"b":{"dtype":"BF16","shape":[3],"data_offsets":[0,6]}})", bytesOf(bits)).find("b");
  EXPECT_EQ(bfloat.toBFloat(), bits);
}

TEST_F(SafetensorsTest, RefusesConversionsThatOverflow) {
  const std::string header = R"({"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})";
  const StoredTensor tensor =
      *open(header, bytesOf<float>({1, std::numeric_limits<float>::max()})).find("f");
  expectError([&] { tensor.toHalf(); }, {"tensor 'f'", "at element 1", "range of f16"});
  expectError([&] { tensor.toBFloat(); }, {"tensor 'f'", "at element 1", "range of bf16"});
}

TEST_F(SafetensorsTest, ListsOtherTypesButRefusesTheirUse) {
  const auto file = open(R"({"i":{"dtype":"I64","shape":[1],"data_offsets":[0,8]},)"
                         R"("n":{"dtype":"F4","shape":[4],"data_offsets":[8,10]}})",
                         std::string(10, '\0'));
  EXPECT_EQ(file.find("i")->type, std::nullopt);
  EXPECT_EQ(file.find("n")->data.size(), 2u);
  expectError([&] { file.find("i")->toFloat(); },
              {"tensor 'i': found type I64, expected F16, BF16 or F32"});
  expectError([&] { file.find("n")->toHalf(); }, {"found type F4"});
}

TEST_F(SafetensorsTest, RefusesWhatIsNoReadableFile) {
  expectError([&] { Safetensors::open(directory / "absent"); }, {"absent: cannot open: No such"});
  expectError([&] { Safetensors::open(directory.root()); }, {"expected a regular file"});
  const auto fifo = directory / "fifo";
  ASSERT_EQ(mkfifo(fifo.c_str(), 0600), 0);
  expectError([&] { Safetensors::open(fifo); }, {"expected a regular file"});
}

TEST_F(SafetensorsTest, RefusesTruncatedFiles) {
  expectRefused("", "found 0 bytes, expected at least 8");
  expectRefused("1234567", "found 7 bytes, expected at least 8");
  const std::string good = safetensorsBytes(
      R"({"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", std::string(8, '\0'));
  for (size_t length = 0; length < good.size(); ++length)
    expectRefused(good.substr(0, length), "expected");
}

TEST_F(SafetensorsTest, RefusesWrongHeaderLengths) {
  expectRefused(safetensorsBytes("{}", "", 3), "header length: found 3, expected at most the 2");
  expectRefused(safetensorsBytes("{}", "", 100'000'001), "expected at most 100000000");
  expectRefused(safetensorsBytes("{}", "", UINT64_MAX),
                "header length: found 18446744073709551615");
  expectRefused(safetensorsBytes("{}", "", 0), "first byte, expected '{'");
}

TEST_F(SafetensorsTest, RefusesMalformedJson) {
  expectHeaderRefused(" {}", "first byte, expected '{'");
  expectHeaderRefused("[]", "first byte, expected '{'");
  expectHeaderRefused("{", "malformed JSON at byte 2");
  expectHeaderRefused("{} {}", "malformed JSON at byte 4");
  expectHeaderRefused("{\"a\n\":{}}", "malformed JSON");
  expectHeaderRefused("{\"\xff\":{}}", "malformed JSON");
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1e999],"data_offsets":[0,4]}})",
                      "malformed JSON");
  expectHeaderRefused(std::string("{") + std::string(1000, 'x'), "malformed JSON");
}

TEST_F(SafetensorsTest, RefusesMissingFields) {
  expectHeaderRefused(R"({"a":{"shape":[1],"data_offsets":[0,4]}})",
                      "tensor 'a': found no field 'dtype', expected one");
  expectHeaderRefused(R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", "no field 'shape'");
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1]}})", "no field 'data_offsets'");
}

TEST_F(SafetensorsTest, RefusesRepetitions) {
  const std::string tensor = R"("a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]})";
  expectHeaderRefused("{" + tensor + "," + tensor + "}",
                      "tensor 'a': found a second entry, expected one", 4);
  expectHeaderRefused(R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                      "field 'dtype': found the field twice", 4);
}

TEST_F(SafetensorsTest, RefusesValuesOfTheWrongKind) {
  expectHeaderRefused(R"({"a":1})", "tensor 'a': found 1, expected an object");
  expectHeaderRefused(R"({"a":null})", "found null, expected an object");
  expectHeaderRefused(R"({"a":[]})", "found an array, expected an object");
  expectHeaderRefused(R"({"__metadata__":{"k":1}})", "__metadata__: found 1, expected a string");
  expectHeaderRefused(R"({"a":{"dtype":7}})", "field 'dtype': found 7, expected a string");
  expectHeaderRefused(R"({"a":{"dtype":["F32"]}})", "found an array, expected a string");
  expectHeaderRefused(R"({"a":{"shape":"x"}})", "found the string 'x', expected an array");
  expectHeaderRefused(R"({"a":{"shape":{}}})", "found an object, expected an array");
  expectHeaderRefused(R"({"a":{"shape":[true]}})", "found true, expected an unsigned integer");
  expectHeaderRefused(R"({"a":{"shape":[[1]]}})", "found an array, expected an unsigned integer");
  expectHeaderRefused(R"({"a":{"shape":[-1]}})", "found -1, expected an unsigned integer");
  expectHeaderRefused(R"({"a":{"shape":[1.5]}})", "found '1.5', expected an unsigned integer");
  expectHeaderRefused(R"({"a":{"data_offsets":[1]}})", "found 1 numbers, expected 2");
  expectHeaderRefused(R"({"a":{"data_offsets":[1,2,3]}})", "found 3 numbers, expected 2");
  expectHeaderRefused(R"({"a":{"extra":1}})", "field 'extra': found an unknown field");
}

TEST_F(SafetensorsTest, RefusesUnknownTypes) {
  expectHeaderRefused(R"({"a":{"dtype":"f32","shape":[1],"data_offsets":[0,4]}})",
                      "field 'dtype': found 'f32', expected", 4);
}

TEST_F(SafetensorsTest, RefusesOffsetsOutsideTheData) {
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                      "found [0, 4], expected an end within the 3 bytes", 3);
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})",
                      "found [4, 0], expected the begin not beyond the end", 4);
  expectHeaderRefused(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,9223372036854775807]}})",
                      "expected an end within", 4);
  expectHeaderRefused(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,18446744073709551615]}})",
                      "expected at most 2^63 - 1", 4);
}

TEST_F(SafetensorsTest, RefusesSizesThatDisagree) {
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})",
                      "found [0, 8], expected 4 bytes for shape [1] of F32", 8);
  expectHeaderRefused(R"({"a":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})",
                      "found [3] of F4, expected a whole number of bytes", 2);
}

TEST_F(SafetensorsTest, RefusesSizesThatOverflow) {
  expectHeaderRefused(
      R"({"a":{"dtype":"F32","shape":[4294967296,4294967296,4],"data_offsets":[0,4]}})",
      "found [4294967296, 4294967296, 4], expected a size in bits below 2^64", 4);
  expectHeaderRefused(R"({"a":{"dtype":"U8","shape":[9223372036854775807],"data_offsets":[0,4]}})",
                      "expected a size in bits below 2^64", 4);
  expectHeaderRefused(R"({"a":{"dtype":"U8","shape":[9223372036854775808]}})",
                      "expected at most 2^63 - 1");
}

TEST_F(SafetensorsTest, RefusesOverlapsAndGaps) {
  expectHeaderRefused(
      R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
      "tensor 'b': field 'data_offsets': found a begin of 4, expected 8 (it overlaps", 8);
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
                      R"("b":{"dtype":"F32","shape":[1],"data_offsets":[8,12]}})",
                      "found a begin of 8, expected 4 (it leaves a gap", 12);
  expectHeaderRefused(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})",
                      "found 5 bytes after the header, expected 4", 5);
}

TEST_F(SafetensorsTest, HostileHeadersCostLittle) {
  const size_t size = 8 << 20;
  expectHeaderRefused(std::string("{") + std::string(R"("a":)") + std::string(size, '['),
                      "found an array, expected an object");
  std::string numbers = R"({"a":{"shape":[0)";
  for (size_t i = 0; i < size / 2; ++i)
    numbers += ",0";
  expectHeaderRefused(numbers + "]}}", "found more than 64 numbers");
  expectHeaderRefused(std::string("{\"") + std::string(size, 'n') + "\":1}", "nnn...': found 1");
  expectHeaderRefused(R"({"two\nlines\u0000":1})", "tensor 'two\\x0alines\\x00': found 1");
}

/// Flips each byte of a good file in turn: every result is either a file or an Error.
TEST_F(SafetensorsTest, NoSingleByteCrashes) {
  const std::string good = safetensorsBytes(
      R"({"f":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"__metadata__":{"k":"v"}})",
      std::string(8, '\0'));
  for (size_t i = 0; i < good.size(); ++i) {
    for (const int flip : {0x01, 0x04, 0x10, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[i] = static_cast<char>(bytes[i] ^ flip);
      const auto path = write(bytes);
      try {
        const auto file = Safetensors::open(path);
        for (const StoredTensor &tensor : file.tensors())
          tensor.toFloat();
      } catch (const Error &) {
      }
    }
  }
}

} // namespace
