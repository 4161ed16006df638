// A kernel file, element types and parameters; lists are separated by commas or repeated.

// RUN: lora-compile %s --emit=specialized --dtype=bf16 --set=BLOCK=128 | FileCheck %s --check-prefix=ONE
// ONE: config {BLOCK = 128 : i64, WARPS = 4 : i64, X = bf16, Y = bf16}

// RUN: lora-compile %s --emit=specialized --dtype=f16,bf16 --set BLOCK=128,WARPS=2 \
// RUN:   | FileCheck %s --check-prefix=LISTS
// RUN: lora-compile --emit=specialized --dtype f16 --dtype bf16 --set BLOCK=128 --set WARPS=2 %s \
// RUN:   | FileCheck %s --check-prefix=LISTS
// LISTS: config {BLOCK = 128 : i64, WARPS = 2 : i64, X = f16, Y = bf16}

// RUN: lora-compile %s --emit=ptx --arch=sm_120a | FileCheck %s --check-prefix=ARCH
// ARCH: .target sm_120a

// RUN: rm -rf %t && mkdir %t
// RUN: lora-compile %s --emit=tile -o %t/copy.mlir | count 0
// RUN: lora-compile %t/copy.mlir --emit=tile --output=%t/again.mlir
// RUN: diff %t/copy.mlir %t/again.mlir

tile.kernel @convert(%x: !tile.ptr<!tile.element<X>>, %y: !tile.ptr<!tile.element<Y>>, %n: i32)
    types [X = f16 in [f16, bf16], Y = f16 in [f16, bf16]]
    params [BLOCK = 256 in [128, 256], WARPS = 4 in [1, 2, 4]]
    grid ["ceildiv(n, BLOCK)", "1", "1"] {
  %program = tile.program_id x : i32
  %block = tile.param BLOCK : i32
  %first = arith.muli %program, %block : i32
  %X = tile.view %x sizes [%n] strides [1] : !tile.ptr<!tile.element<X>> -> !tile.view<?x!tile.element<X>>
  %Y = tile.view %y sizes [%n] strides [1] : !tile.ptr<!tile.element<Y>> -> !tile.view<?x!tile.element<Y>>
  %value = tile.load %X[%first] : !tile.view<?x!tile.element<X>> -> tensor<?x!tile.element<X>, #tile.shape<BLOCK>>
  %result = tile.cast %value : tensor<?x!tile.element<X>, #tile.shape<BLOCK>> -> tensor<?x!tile.element<Y>, #tile.shape<BLOCK>>
  tile.store %result, %Y[%first] : tensor<?x!tile.element<Y>, #tile.shape<BLOCK>>, !tile.view<?x!tile.element<Y>>
  tile.return
}
