//===- lora-compile.cpp - Compile a kernel -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../CommandLine.h"
#include "lora/Compiler/Compiler.h"
#include "lora/PackBuilder/PackBuilder.h"
#include "lora/Support/Files.h"

using namespace lora;

namespace {

struct Options {
  std::string file, op, emit = "cubin", output, packList, listedPack;
  CompileOptions compile;
  bool report = false;
};

} // namespace

static void printReport(std::ostream &stream, const Compilation &compilation) {
  const KernelManifest &manifest = compilation.manifest();
  const ResourceReport &report = compilation.cubin().report;
  unsigned blocks =
      compilation.target().occupancy(manifest.threads, report.registers, manifest.sharedBytes);
  stream << manifest.kernel << " for " << manifest.target << ": " << report.registers
         << " registers, " << report.spillStoreBytes + report.spillLoadBytes << " bytes of spills, "
         << report.stackBytes << " bytes of stack, " << manifest.sharedBytes
         << " bytes of shared memory, " << manifest.threads << " threads; " << blocks
         << " blocks on a multiprocessor, occupancy "
         << 100 * blocks * manifest.threads / compilation.target().threadsPerSM << " %\n";
}

static Compilation start(const Options &options) {
  if (options.file.empty())
    return Compilation(builtinKernel(options.op), options.op + ".mlir", options.compile);
  return Compilation(readFile(options.file), options.file, options.compile);
}

static void writeCubin(const Options &options, const Compilation &compilation) {
  std::string path =
      options.output.empty() ? compilation.manifest().kernel + ".cubin" : options.output;
  std::string manifestPath = replaceExtension(path, ".json");
  if (manifestPath == path)
    throw Error("--output " + path + ": expected a name that leaves .json to the manifest");
  const std::vector<char> &bytes = compilation.cubin().bytes;
  std::string manifest = compilation.manifest().toJson();
  FileContent files[] = {{path, {bytes.data(), bytes.size()}}, {manifestPath, manifest}};
  writeFiles(files);
}

static void writeText(const Options &options, const std::string &text) {
  if (options.output.empty())
    std::cout << text;
  else
    writeFile(options.output, text);
}

static void writePack(const Options &options) {
  if (options.output.empty())
    throw Error("--pack: expected the file to write as -o, found none");
  writeFile(options.output, buildPack(options.packList));
}

static void compile(const Options &options) {
  if (!options.packList.empty())
    return writePack(options);
  if (!options.listedPack.empty()) {
    std::cout << describePack(Pack::open(options.listedPack));
    return;
  }
  if (options.file.empty() && options.op.empty())
    throw Error("expected a kernel file or --op=NAME, found neither");
  Phase phase = parsePhase(options.emit);
  Compilation compilation = start(options);
  compilation.run(phase);
  std::string text = phase == Phase::Cubin ? "" : compilation.text();
  if (options.report)
    compilation.run(Phase::Cubin);
  if (phase == Phase::Cubin)
    writeCubin(options, compilation);
  else
    writeText(options, text);
  // Text on the standard output stays free of it.
  if (options.report)
    printReport(phase != Phase::Cubin && options.output.empty() ? std::cerr : std::cout,
                compilation);
}

static void addOptions(CLI::App &app, Options &options) {
  auto *file = app.add_option("FILE", options.file, "Kernel file");
  app.add_option("--op", options.op, "Kernel that ships with the compiler: shrink or expand")
      ->excludes(file);
  app.add_option("--arch", options.compile.target, "Architecture to compile for")
      ->capture_default_str();
  app.add_option("--dtype", options.compile.types,
                 "Element types of the kernel's type parameters in their order, or one for all, "
                 "e.g. f16,bf16")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--set", options.compile.settings, "Parameters, e.g. BLOCK_M=16,WARPS=4")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--emit", options.emit,
                 "Phase to stop after: tile, specialized, scheduled, layout, simt, nvvm, llvm, ptx "
                 "or cubin")
      ->capture_default_str();
  app.add_option("-o,--output", options.output,
                 "Output file (default: the standard output, or KERNEL.cubin); a cubin's manifest "
                 "is written beside it, as .json");
  auto *pack = app.add_option("--pack", options.packList,
                              "List of kernels (JSON) to compile to a pack, which is written to -o")
                   ->excludes(file);
  app.add_option("--list-pack", options.listedPack, "Pack to check and describe")
      ->excludes(file)
      ->excludes(pack);
  app.add_flag("--report", options.report, "Print registers, spills, shared memory and occupancy");
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Compile a kernel in the tile dialect to PTX or a cubin.", "lora-compile");
  addOptions(app, options);
  return runTool(app, argc, argv, [&] { compile(options); });
}
