//===- lora-compile.cpp - Compile a kernel -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Compiler/Compiler.h"
#include "lora/Support/Error.h"
#include "lora/Support/Files.h"

#include <CLI/CLI.hpp>

#include <iostream>

using namespace lora;

namespace {

struct Options {
  std::string file, op, emit = "cubin", output;
  CompileOptions compile;
  bool report = false;
};

} // namespace

static void printReport(const Compilation &compilation) {
  const KernelManifest &manifest = compilation.manifest();
  const ResourceReport &report = compilation.cubin().report;
  unsigned blocks = compilation.target().occupancy(manifest.threads, report.registers,
                                                   manifest.sharedBytes);
  std::cout << manifest.kernel << " for " << manifest.target << ": " << report.registers
            << " registers, " << report.spillStoreBytes + report.spillLoadBytes
            << " bytes of spills, " << report.stackBytes << " bytes of stack, "
            << manifest.sharedBytes << " bytes of shared memory, " << manifest.threads
            << " threads; " << blocks << " blocks on a multiprocessor, occupancy "
            << 100 * blocks * manifest.threads / compilation.target().threadsPerSM << " %\n";
}

static void compile(const Options &options) {
  Phase phase = parsePhase(options.emit);
  bool fromFile = !options.file.empty();
  std::string source = fromFile ? readFile(options.file) : std::string(builtinKernel(options.op));
  Compilation compilation(source, fromFile ? options.file : options.op + ".mlir", options.compile);
  compilation.run(options.report ? Phase::Cubin : phase);
  if (phase == Phase::Cubin) {
    const std::vector<char> &bytes = compilation.cubin().bytes;
    std::string path = options.output.empty() ? compilation.manifest().kernel + ".cubin"
                                              : options.output;
    writeFile(path, std::string_view(bytes.data(), bytes.size()));
    writeFile(replaceExtension(path, ".json"), compilation.manifest().toJson());
  } else {
    // With a report the module has gone on to the cubin; the phase asked for is made anew.
    Compilation shown(source, fromFile ? options.file : options.op + ".mlir", options.compile);
    shown.run(phase);
    if (options.output.empty())
      std::cout << shown.text();
    else
      writeFile(options.output, shown.text());
  }
  if (options.report)
    printReport(compilation);
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Compile a kernel in the tile dialect to PTX or a cubin.", "lora-compile");
  auto *file = app.add_option("FILE", options.file, "Kernel file");
  app.add_option("--op", options.op, "Kernel that ships with the compiler: shrink or expand")
      ->excludes(file);
  app.add_option("--arch", options.compile.target, "Architecture, e.g. sm_90a")->capture_default_str();
  app.add_option("--dtype", options.compile.types,
                 "Element types of the kernel's type parameters, or one for all")
      ->delimiter(',');
  app.add_option("--set", options.compile.settings, "Parameters, e.g. BLOCK_M=16,WARPS=4")
      ->delimiter(',');
  app.add_option("--emit", options.emit,
                 "Phase to stop after: tile, specialized, scheduled, layout, simt, nvvm, llvm, ptx "
                 "or cubin")
      ->capture_default_str();
  app.add_option("-o,--output", options.output,
                 "Output file; a cubin's manifest is written beside it, as .json");
  app.add_flag("--report", options.report, "Print registers, spills, shared memory and occupancy");
  CLI11_PARSE(app, argc, argv);
  try {
    if (options.file.empty() && options.op.empty())
      throw Error("expected a kernel file or --op=NAME");
    compile(options);
  } catch (const Error &error) {
    std::cerr << "lora-compile: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
