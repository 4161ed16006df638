//===- Ptx.cpp - PTX from the LLVM dialect -------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "lora/Target/Ptx.h"

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/GPU/GPUToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/ModuleTranslation.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

// Declared by LLVM's TargetSelect.h for all configured targets; only this one is used.
extern "C" {
void LLVMInitializeNVPTXTarget();
void LLVMInitializeNVPTXTargetInfo();
void LLVMInitializeNVPTXTargetMC();
void LLVMInitializeNVPTXAsmPrinter();
}

using namespace mlir;
using namespace lora;

void lora::registerPtxTranslations(DialectRegistry &registry) {
  registerBuiltinDialectTranslation(registry);
  registerGPUDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

static void initializeBackend() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeNVPTXTarget();
    LLVMInitializeNVPTXTargetInfo();
    LLVMInitializeNVPTXTargetMC();
    LLVMInitializeNVPTXAsmPrinter();
    // Shared addresses fit in 32 bits; the backend knows no other switch for it.
    auto &options = llvm::cl::getRegisteredOptions();
    auto option = options.find("nvptx-short-ptr");
    if (option != options.end())
      static_cast<llvm::cl::opt<bool> *>(option->second)->setValue(true);
  });
}

namespace {

/// A module in the middle of its way to PTX.
struct Translated {
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module;
  std::unique_ptr<llvm::TargetMachine> machine;
};

} // namespace

static std::unique_ptr<llvm::TargetMachine> createMachine(Operation *op, const TargetFacts &facts) {
  initializeBackend();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    op->emitError("this LLVM cannot emit PTX: ") << error;
    return nullptr;
  }
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, StringRef(facts.name.data(), facts.name.size()),
                                  "+ptx" + std::to_string(facts.ptxVersion), {}, {}));
}

static void optimize(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3).run(module, modules);
}

static LogicalResult translate(gpu::GPUModuleOp op, const TargetFacts &facts, Translated &result) {
  result.machine = createMachine(op, facts);
  if (!result.machine)
    return failure();
  result.module = translateModuleToLLVMIR(op, result.context, op.getName());
  if (!result.module)
    return failure();
  result.module->setTargetTriple(result.machine->getTargetTriple());
  result.module->setDataLayout(result.machine->createDataLayout());
  optimize(*result.module, *result.machine);
  return success();
}

FailureOr<std::string> lora::emitLLVMIR(gpu::GPUModuleOp module, const TargetFacts &target) {
  Translated translated;
  if (failed(translate(module, target, translated)))
    return failure();
  std::string text;
  llvm::raw_string_ostream(text) << *translated.module;
  return text;
}

FailureOr<std::string> lora::emitPtx(gpu::GPUModuleOp module, const TargetFacts &target) {
  Translated translated;
  if (failed(translate(module, target, translated)))
    return failure();
  SmallString<0> text;
  llvm::raw_svector_ostream stream(text);
  llvm::legacy::PassManager passes;
  if (translated.machine->addPassesToEmitFile(passes, stream, nullptr,
                                              llvm::CodeGenFileType::AssemblyFile))
    return module.emitError("this LLVM cannot emit PTX for ")
           << StringRef(target.name.data(), target.name.size());
  passes.run(*translated.module);
  return text.str().str();
}
