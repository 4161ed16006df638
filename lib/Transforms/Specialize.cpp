//===- Specialize.cpp - Bind the parameters of kernels ----------------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/Tile.h"
#include "lora/Support/Error.h"
#include "lora/Support/Expression.h"
#include "lora/Transforms/Passes.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/MathExtras.h"

namespace lora {
#define GEN_PASS_DEF_TILESPECIALIZE
#include "lora/Transforms/Passes.h.inc"
} // namespace lora

using namespace mlir;
using namespace lora;
using namespace lora::tile;

namespace {

/// The values that one kernel's parameters are bound to.
struct Binding {
  llvm::MapVector<StringAttr, Attribute> values; // IntegerAttr or TypeAttr

  int64_t evaluate(StringRef text) const {
    return Expression::parse(text.str()).evaluate([&](std::string_view name) {
      for (auto [key, value] : values)
        if (key.getValue() == StringRef(name.data(), name.size()) && isa<IntegerAttr>(value))
          return std::optional(cast<IntegerAttr>(value).getInt());
      return std::optional<int64_t>();
    });
  }
};

struct SpecializePass : lora::impl::TileSpecializeBase<SpecializePass> {
  using Base::Base;

  void runOnOperation() override {
    WalkResult result = getOperation()->walk([&](KernelOp kernel) {
      return failed(specialize(kernel)) ? WalkResult::interrupt() : WalkResult::skip();
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }

private:
  LogicalResult specialize(KernelOp kernel);
  LogicalResult bind(KernelOp kernel, Binding &binding);
  LogicalResult assign(KernelOp kernel, Binding &binding, StringRef name, Attribute value,
                       StringRef found);
  LogicalResult substitute(KernelOp kernel, const Binding &binding);
};

} // namespace

/// Assigns one parameter after checking that the kernel has it and allows the value.
LogicalResult SpecializePass::assign(KernelOp kernel, Binding &binding, StringRef name,
                                     Attribute value, StringRef found) {
  auto refuse = [&](auto candidates) -> LogicalResult {
    InFlightDiagnostic diagnostic = kernel.emitError("parameter '")
                                    << name << "' of kernel @" << kernel.getSymName()
                                    << ": expected one of ";
    llvm::interleaveComma(candidates, diagnostic);
    return diagnostic << ", got " << found;
  };
  auto key = StringAttr::get(&getContext(), name);
  for (auto param : kernel.getParams().getAsRange<ParamAttr>()) {
    if (param.getName() != name)
      continue;
    auto number = dyn_cast_if_present<IntegerAttr>(value);
    if (!number || !llvm::is_contained(param.getCandidates(), number.getInt()))
      return refuse(param.getCandidates());
    binding.values[key] = number;
    return success();
  }
  for (auto param : kernel.getTypeParams().getAsRange<TypeParamAttr>()) {
    if (param.getName() != name)
      continue;
    auto type = dyn_cast_if_present<TypeAttr>(value);
    if (!type || !llvm::is_contained(param.getCandidates(), type.getValue()))
      return refuse(param.getCandidates());
    binding.values[key] = type;
    return success();
  }
  InFlightDiagnostic diagnostic = kernel.emitError("kernel @")
                                  << kernel.getSymName() << " has no parameter '" << name
                                  << "'; it has ";
  SmallVector<StringRef> names;
  for (auto param : kernel.getTypeParams().getAsRange<TypeParamAttr>())
    names.push_back(param.getName());
  for (auto param : kernel.getParams().getAsRange<ParamAttr>())
    names.push_back(param.getName());
  llvm::interleaveComma(names, diagnostic);
  return diagnostic;
}

LogicalResult SpecializePass::bind(KernelOp kernel, Binding &binding) {
  Builder builder(&getContext());
  for (auto param : kernel.getTypeParams().getAsRange<TypeParamAttr>())
    binding.values[builder.getStringAttr(param.getName())] = TypeAttr::get(param.getDefaultType());
  for (auto param : kernel.getParams().getAsRange<ParamAttr>())
    binding.values[builder.getStringAttr(param.getName())] =
        builder.getI64IntegerAttr(param.getDefaultValue());

  if (kernel.getConfig())
    for (NamedAttribute entry : kernel.getConfigAttr()) {
      std::string found;
      llvm::raw_string_ostream(found) << entry.getValue();
      if (failed(assign(kernel, binding, entry.getName(), entry.getValue(), found)))
        return failure();
    }
  for (StringRef setting : set) {
    auto [name, text] = setting.split('=');
    Attribute value;
    int64_t number;
    if (!text.getAsInteger(10, number))
      value = builder.getI64IntegerAttr(number);
    else if (text == "f16" || text == "bf16" || text == "f32")
      value = TypeAttr::get(parseType(text, &getContext()));
    if (failed(assign(kernel, binding, name.trim(), value, text.empty() ? "nothing" : text)))
      return failure();
  }

  for (auto text : kernel.getConstraints().getAsValueRange<StringAttr>()) {
    if (binding.evaluate(text) != 0)
      continue;
    InFlightDiagnostic diagnostic = kernel.emitError("kernel @")
                                    << kernel.getSymName() << " requires " << text << ", got ";
    llvm::interleaveComma(
        Expression::parse(text.str()).names(), diagnostic,
        [&](const std::string &name) { diagnostic << name << " = " << binding.evaluate(name); });
    return diagnostic;
  }
  return success();
}

LogicalResult SpecializePass::substitute(KernelOp kernel, const Binding &binding) {
  Builder builder(&getContext());
  LogicalResult status = success();
  AttrTypeReplacer replacer;
  replacer.addReplacement([&](ElementType type) -> Type {
    auto bound = binding.values.lookup(builder.getStringAttr(type.getName()));
    return cast<TypeAttr>(bound).getValue();
  });
  replacer.addReplacement([&](RankedTensorType type) -> std::optional<Type> {
    auto shape = dyn_cast_if_present<ShapeAttr>(type.getEncoding());
    if (!shape)
      return std::nullopt;
    SmallVector<int64_t> sizes;
    for (Attribute extent : shape.getExtents()) {
      auto text = dyn_cast<StringAttr>(extent);
      sizes.push_back(text ? binding.evaluate(text) : cast<IntegerAttr>(extent).getInt());
      if (sizes.back() <= 0 || !llvm::isPowerOf2_64(sizes.back()))
        status = kernel.emitError("expected a power of two as a tile size, got ")
                 << extent << " = " << sizes.back();
    }
    return RankedTensorType::get(sizes, replacer.replace(type.getElementType()));
  });
  auto bindExtent = [&](Operation *op, StringRef name) {
    if (auto text = op->getAttrOfType<StringAttr>(name))
      op->setAttr(name, builder.getI64IntegerAttr(binding.evaluate(text)));
  };
  kernel->walk([&](Operation *op) {
    if (isa<ParamOp>(op))
      bindExtent(op, "value");
    else if (isa<AssumeDivisibleOp>(op))
      bindExtent(op, "divisor");
    else if (isa<SumOp>(op))
      for (StringRef name : {"step", "split"})
        bindExtent(op, name);
  });
  replacer.recursivelyReplaceElementsIn(kernel, /*replaceAttrs=*/false, /*replaceLocs=*/false,
                                        /*replaceTypes=*/true);
  return status;
}

/// Replaces a cast between known types by the op of arith that does it.
static void replaceCast(CastOp cast) {
  OpBuilder builder(cast);
  Type from = cast.getOperand().getType().getElementType(), to = cast.getType().getElementType();
  Value value = cast.getOperand();
  if (from != to) {
    auto f32 = cast.getType().clone(builder.getF32Type());
    if (!from.isF32())
      value = arith::ExtFOp::create(builder, cast.getLoc(), f32, value);
    if (!to.isF32())
      value = arith::TruncFOp::create(builder, cast.getLoc(), cast.getType(), value);
  }
  cast.replaceAllUsesWith(value);
  cast.erase();
}

LogicalResult SpecializePass::specialize(KernelOp kernel) {
  Binding binding;
  if (kernel.isSpecialized() && kernel.getConfig() && set.empty())
    return success();
  try {
    if (failed(bind(kernel, binding)) || failed(substitute(kernel, binding)))
      return failure();
  } catch (const Error &error) {
    return kernel.emitError("kernel @") << kernel.getSymName() << ": " << error.what();
  }
  kernel->walk([](CastOp cast) { replaceCast(cast); });

  Builder builder(&getContext());
  NamedAttrList config;
  for (auto [name, value] : binding.values)
    config.set(name, value);
  kernel.setConfigAttr(config.getDictionary(&getContext()));
  kernel.setParamsAttr(builder.getArrayAttr({}));
  kernel.setTypeParamsAttr(builder.getArrayAttr({}));
  kernel.setConstraintsAttr(builder.getArrayAttr({}));
  return success();
}
