//===- Ptxas.cpp - Cubins from PTX ---------------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/Ptxas.h"

#include "lora/Support/Error.h"

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdlib>
#include <regex>

using namespace lora;

static std::string findPtxas() {
  // A ptxas that was asked for is never replaced by another one.
  if (const char *chosen = std::getenv("LORA_PTXAS"); chosen && *chosen) {
    if (!llvm::sys::fs::can_execute(chosen))
      throw Error("LORA_PTXAS: found '" + std::string(chosen) + "', expected an executable file");
    return chosen;
  }
  llvm::SmallString<128> inHome;
  if (const char *home = std::getenv("CUDA_HOME"))
    llvm::sys::path::append(inHome, home, "bin", "ptxas");
  auto onPath = llvm::sys::findProgramByName("ptxas");
  for (std::string candidate :
       {std::string(inHome), onPath ? *onPath : "", std::string("/usr/local/cuda/bin/ptxas")})
    if (!candidate.empty() && llvm::sys::fs::can_execute(candidate))
      return candidate;
  throw Error("ptxas not found in $CUDA_HOME/bin, PATH and /usr/local/cuda/bin: install the CUDA "
              "Toolkit, or "
              "set CUDA_HOME or LORA_PTXAS");
}

Ptxas::Ptxas(std::string path) : program(std::move(path)) {
  if (program.empty())
    program = findPtxas();
  else if (!llvm::sys::fs::can_execute(program))
    throw Error("ptxas: '" + program + "' is not an executable file");
}

namespace {

/// A file in the system's temporary folder that goes away with the object.
class TemporaryFile {
public:
  TemporaryFile(const char *suffix) {
    if (std::error_code code = llvm::sys::fs::createTemporaryFile("lora", suffix, name))
      throw Error("cannot create a temporary file: " + code.message());
  }
  ~TemporaryFile() {
    if (!kept)
      llvm::sys::fs::remove(name);
  }
  std::string path() const { return std::string(name); }
  void write(std::string_view text) const {
    std::error_code code;
    llvm::raw_fd_ostream stream(name, code);
    stream << text;
    stream.close();
    if (code || stream.has_error())
      throw Error("cannot write " + path());
  }
  std::string read() const {
    auto buffer = llvm::MemoryBuffer::getFile(name);
    return buffer ? (*buffer)->getBuffer().str() : "";
  }
  void keep() { kept = true; }

private:
  llvm::SmallString<128> name;
  bool kept = false;
};

} // namespace

/// The first line of a text that is not empty.
static std::string firstLine(std::string_view text) {
  while (!text.empty()) {
    size_t end = std::min(text.find('\n'), text.size());
    if (end > 0)
      return std::string(text.substr(0, end));
    text.remove_prefix(1);
  }
  return "no message";
}

std::string Ptxas::version() const {
  TemporaryFile output("txt");
  std::string outputPath = output.path();
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, outputPath, outputPath};
  int status = llvm::sys::ExecuteAndWait(program, {program, "--version"}, std::nullopt, redirects,
                                         /*SecondsToWait=*/10);
  std::smatch match;
  std::string text = output.read();
  if (status != 0 || !std::regex_search(text, match, std::regex("release ([0-9]+\\.[0-9]+)")))
    throw Error(program + " --version: expected a line with 'release', got: " + firstLine(text));
  return match[1];
}

Cubin Ptxas::assemble(std::string_view ptx, const TargetFacts &target,
                      std::chrono::seconds limit) const {
  TemporaryFile input("ptx"), output("cubin"), messages("txt");
  input.write(ptx);
  std::string arch = "-arch=" + std::string(target.name), messagesPath = messages.path();
  std::string inputPath = input.path(), outputPath = output.path();
  std::optional<llvm::StringRef> redirects[] = {std::nullopt, messagesPath, messagesPath};
  std::string error;
  // Line tables, and the PTX beside them, would more than double a cubin.
  int status = llvm::sys::ExecuteAndWait(
      program, {program, arch, "-v", "-O3", inputPath, "-o", outputPath, "-suppress-debug-info"},
      std::nullopt, redirects, limit.count(), /*MemoryLimit=*/0, &error);
  if (status != 0) {
    input.keep();
    std::string reason = status >= 0 ? firstLine(messages.read()) : error;
    if (llvm::StringRef(error).starts_with("Child timed out"))
      reason = "it took longer than " + std::to_string(limit.count()) + " s";
    throw Error("ptxas failed for " + std::string(target.name) + ": " + reason +
                " (the PTX is kept in " + inputPath + ")");
  }
  std::string bytes = output.read();
  return {std::vector<char>(bytes.begin(), bytes.end()), parseResourceReport(messages.read())};
}

ResourceReport lora::parseResourceReport(std::string_view text) {
  std::string copy(text);
  auto find = [&](std::string before, std::string after) -> unsigned {
    std::smatch match;
    if (!std::regex_search(copy, match, std::regex(before + "([0-9]{1,9})" + after)))
      throw Error("ptxas -v: expected '" + before + "N" + after + "', got: " + firstLine(copy));
    return static_cast<unsigned>(std::stoul(match[1]));
  };
  return {find("Used ", " registers"), find("", " bytes stack frame"),
          find("", " bytes spill stores"), find("", " bytes spill loads")};
}
