//===- Jit.cpp - Host code for a kernel -----------------------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Jit.h"

#include "RuntimeCalls.h"

#include "mlir/ExecutionEngine/OptUtils.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/ExecutionEngine/Orc/ThreadSafeModule.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

#include <mutex>

using namespace llvm;

namespace lora::emulator {

static Expected<orc::JITTargetMachineBuilder> describeHost() {
  static std::once_flag initialised;
  std::call_once(initialised, [] {
    InitializeNativeTarget();
    InitializeNativeTargetAsmPrinter();
  });
  auto host = orc::JITTargetMachineBuilder::detectHost();
  if (!host)
    return host.takeError();
  host->setCodeGenOptLevel(CodeGenOptLevel::Less);
  // These instructions flush subnormal results to zero, which neither a GPU nor the other oracles
  // do.
  if (host->getTargetTriple().isX86())
    host->addFeatures({"-avx512bf16", "-avxneconvert", "-avx10.2"});
  return host;
}

static orc::SymbolMap symbolsFor(orc::LLJIT &jit, ArrayRef<RuntimeFunction> functions) {
  orc::SymbolMap symbols;
  for (const RuntimeFunction &function : functions)
    symbols[jit.mangleAndIntern(function.name)] = {orc::ExecutorAddr::fromPtr(function.address),
                                                   JITSymbolFlags::Exported |
                                                       JITSymbolFlags::Callable};
  return symbols;
}

Expected<HostCode> compileForHost(mlir::ModuleOp module) {
  mlir::registerBuiltinDialectTranslation(*module.getContext());
  mlir::registerLLVMDialectTranslation(*module.getContext());
  auto context = std::make_unique<LLVMContext>();
  std::unique_ptr<Module> llvmModule = mlir::translateModuleToLLVMIR(module, *context, "kernel");
  if (!llvmModule)
    return createStringError("the kernel does not translate to LLVM IR");

  auto host = describeHost();
  if (!host)
    return host.takeError();
  auto machine = host->createTargetMachine();
  if (!machine)
    return machine.takeError();
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  auto optimise = mlir::makeOptimizingTransformer(/*optLevel=*/1, /*sizeLevel=*/0, machine->get());
  if (Error error = optimise(llvmModule.get()))
    return error;

  auto jit = orc::LLJITBuilder().setJITTargetMachineBuilder(std::move(*host)).create();
  if (!jit)
    return jit.takeError();
  for (auto functions : {runtimeFunctions(), conversionFunctions()}) {
    if (functions.empty())
      continue;
    orc::SymbolMap symbols = symbolsFor(**jit, functions);
    if (Error error = (*jit)->getMainJITDylib().define(orc::absoluteSymbols(std::move(symbols))))
      return error;
  }
  if (Error error =
          (*jit)->addIRModule(orc::ThreadSafeModule(std::move(llvmModule), std::move(context))))
    return error;
  auto symbol = (*jit)->lookup(kernelFunctionName);
  if (!symbol)
    return symbol.takeError();
  return HostCode{std::shared_ptr<orc::LLJIT>(std::move(*jit)), symbol->toPtr<KernelFunction>()};
}

} // namespace lora::emulator
