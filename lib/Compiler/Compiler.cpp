//===- Compiler.cpp - From a kernel source to a cubin --------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Compiler/Compiler.h"

#include "DiagnosticCollector.h"
#include "ManifestOf.h"
#include "Simt/Simt.h"
#include "Tile/Tile.h"
#include "lora/Analysis/Target.h"
#include "lora/Conversion/Passes.h"
#include "lora/Support/Error.h"
#include "lora/Target/Ptx.h"
#include "lora/Transforms/Passes.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/LLVMIR/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace lora;
using namespace lora::tile;

static constexpr std::pair<std::string_view, Phase> kPhases[] = {
    {"tile", Phase::Tile},           {"specialized", Phase::Specialized},
    {"scheduled", Phase::Scheduled}, {"layout", Phase::Layout},
    {"simt", Phase::Simt},           {"nvvm", Phase::Nvvm},
    {"llvm", Phase::Llvm},           {"ptx", Phase::Ptx},
    {"cubin", Phase::Cubin}};

Phase lora::parsePhase(std::string_view name) {
  std::string known;
  for (auto [text, phase] : kPhases) {
    if (text == name)
      return phase;
    known += (known.empty() ? "" : ", ") + std::string(text);
  }
  throw Error("unknown phase '" + std::string(name) + "': expected one of " + known);
}

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registry.insert<TileDialect, simt::SimtDialect, arith::ArithDialect, gpu::GPUDialect,
                  LLVM::LLVMDialect, NVVM::NVVMDialect, math::MathDialect, scf::SCFDialect,
                  vector::VectorDialect>();
  registerPtxTranslations(registry);
  return registry;
}

struct Compilation::State {
  State(std::string name, CompileOptions options)
      : name(std::move(name)), options(std::move(options)), facts(findTarget(this->options.target)),
        context(makeRegistry(), MLIRContext::Threading::DISABLED), diagnostics(context) {}

  std::string name;
  CompileOptions options;
  const TargetFacts &facts;
  MLIRContext context;
  DiagnosticCollector diagnostics;
  OwningOpRef<ModuleOp> module;
  Phase done = Phase::Tile;
  KernelManifest manifest;
  std::string output; ///< LLVM IR or PTX.
  Cubin cubin;

  gpu::GPUModuleOp gpuModule() { return *module->getOps<gpu::GPUModuleOp>().begin(); }
  void runPasses(function_ref<void(OpPassManager &)> build);
  void runPhase(Phase phase);
  std::vector<std::string> allSettings();
};

void Compilation::State::runPasses(function_ref<void(OpPassManager &)> build) {
  PassManager passes(&context);
  build(passes);
  LogicalResult status = passes.run(*module);
  diagnostics.throwIfError(failed(status));
}

/// The settings of the caller, and the element types turned into settings.
std::vector<std::string> Compilation::State::allSettings() {
  std::vector<std::string> settings = options.settings;
  if (options.types.empty())
    return settings;
  auto kernel = *module->getOps<KernelOp>().begin();
  ArrayAttr params = kernel.getTypeParams();
  if (options.types.size() != 1 && options.types.size() != params.size())
    throw Error(name + ": expected 1 or " + std::to_string(params.size()) +
                " element types for kernel '" + kernel.getSymName().str() + "', got " +
                std::to_string(options.types.size()));
  for (auto [i, param] : llvm::enumerate(params.getAsRange<TypeParamAttr>()))
    settings.push_back(param.getName().str() + "=" +
                       options.types[options.types.size() == 1 ? 0 : i]);
  return settings;
}

void Compilation::State::runPhase(Phase phase) {
  switch (phase) {
  case Phase::Tile:
    return;
  case Phase::Specialized:
    (*module)->setAttr(kTargetAttribute,
                       StringAttr::get(&context, StringRef(facts.name.data(), facts.name.size())));
    runPasses([&](OpPassManager &passes) {
      TileSpecializeOptions specialize;
      for (const std::string &setting : allSettings())
        specialize.set.push_back(setting);
      passes.addPass(createTileSpecialize(specialize));
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
    });
    manifest = manifestOfKernel(*module->getOps<KernelOp>().begin(), facts);
    return;
  case Phase::Scheduled:
    return runPasses([](OpPassManager &passes) {
      passes.addPass(createTileKeepOperands());
      passes.addPass(createTileSimplify());
      passes.addPass(createTilePrefetch());
      passes.addPass(createTileSchedule());
    });
  case Phase::Layout:
    return runPasses([](OpPassManager &passes) {
      passes.addPass(createTileAssignLayouts());
      passes.addPass(createCSEPass());
    });
  case Phase::Simt: {
    runPasses([](OpPassManager &passes) {
      passes.addPass(createTileToSimt());
      passes.addPass(createCanonicalizerPass());
      passes.addPass(createCSEPass());
    });
    auto function = *gpuModule().getOps<gpu::GPUFuncOp>().begin();
    completeManifest(manifest, function);
    if (manifest.sharedBytes > facts.sharedBytesPerBlock)
      throw Error(name + ": this configuration needs " + std::to_string(manifest.sharedBytes) +
                  " bytes of shared memory, " + std::string(facts.name) + " has " +
                  std::to_string(facts.sharedBytesPerBlock));
    return;
  }
  case Phase::Nvvm:
    return runPasses([](OpPassManager &passes) {
      OpPassManager &kernels = passes.nest<gpu::GPUModuleOp>();
      kernels.addPass(createSCFToControlFlowPass());
      kernels.addPass(createSimtToLLVM());
      kernels.addPass(createCanonicalizerPass());
      kernels.addPass(createCSEPass());
      // Directives give the PTX its source lines; any other debug information would make ptxas
      // stop optimising.
      LLVM::DIScopeForLLVMFuncOpPassOptions scopes;
      scopes.emissionKind = LLVM::DIEmissionKind::DebugDirectivesOnly;
      passes.addPass(LLVM::createDIScopeForLLVMFuncOpPass(scopes));
    });
  case Phase::Llvm:
  case Phase::Ptx: {
    auto text = phase == Phase::Ptx ? emitPtx(gpuModule(), facts) : emitLLVMIR(gpuModule(), facts);
    diagnostics.throwIfError(failed(text));
    output = *text;
    return;
  }
  case Phase::Cubin: {
    Ptxas ptxas;
    cubin = ptxas.assemble(output, facts);
    manifest.report = {cubin.report.registers,
                       cubin.report.spillStoreBytes + cubin.report.spillLoadBytes,
                       cubin.report.stackBytes};
    manifest.versions["ptxas"] = ptxas.version();
    return;
  }
  }
}

Compilation::Compilation(std::string_view source, std::string name, CompileOptions options)
    : state(std::make_unique<State>(name, std::move(options))) {
  auto buffer = llvm::MemoryBuffer::getMemBufferCopy(StringRef(source.data(), source.size()), name);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  state->module = parseSourceFile<ModuleOp>(sources, ParserConfig(&state->context));
  state->diagnostics.throwIfError(!state->module);
  auto kernels = state->module->getOps<KernelOp>();
  auto count = std::distance(kernels.begin(), kernels.end());
  if (count != 1)
    throw Error(name + ": expected one tile.kernel, got " + std::to_string(count));
}

Compilation::~Compilation() = default;

void Compilation::run(Phase until) {
  for (auto [name, phase] : kPhases) {
    // LLVM IR is a by-product of PTX, printed only when asked for.
    if (phase == Phase::Llvm && until != Phase::Llvm)
      continue;
    if (phase > state->done && phase <= until) {
      state->runPhase(phase);
      state->done = phase;
    }
  }
}

std::string Compilation::text() const {
  if (state->done >= Phase::Llvm)
    return state->output;
  std::string text;
  llvm::raw_string_ostream stream(text);
  state->module->print(stream);
  return text;
}

ModuleOp Compilation::module() const { return *state->module; }
const KernelManifest &Compilation::manifest() const { return state->manifest; }
const Cubin &Compilation::cubin() const { return state->cubin; }
const TargetFacts &Compilation::target() const { return state->facts; }
void Compilation::check(LogicalResult result) const {
  state->diagnostics.throwIfError(failed(result));
}
