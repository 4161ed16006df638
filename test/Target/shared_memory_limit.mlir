// A configuration that needs more shared memory than an architecture has is refused.
// RUN: not lora-compile %s --arch=sm_86 --emit=simt 2>&1 | FileCheck %s
// RUN: lora-compile %s --arch=sm_80 --emit=simt -o %t

// CHECK: lora-compile: {{.*}}: this configuration needs 131072 bytes of shared memory, sm_86 has 101376
tile.kernel @large(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>, %n: i32)
    params [WARPS = 8 in [8], STAGES = 4 in [4]]
    assuming ["x % 16 == 0", "n % 64 == 0"] grid ["1", "1", "1"] {
  %c0 = arith.constant 0 : i32
  %X = tile.view %x sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Xt = tile.transpose %X : !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f32> -> !tile.view<?x?xf32>
  %sum, %all = tile.sum %k below %n step 64 -> tensor<128x128xf32> {
    %a = tile.load %X[%c0, %k] : !tile.view<?x?xf16> -> tensor<128x64xf16>
    %b = tile.load %Xt[%k, %c0] : !tile.view<?x?xf16> -> tensor<64x128xf16>
    %product = tile.dot %a, %b : tensor<128x64xf16>, tensor<64x128xf16> -> tensor<128x128xf32>
    tile.yield %product : tensor<128x128xf32>
  }
  tile.store %sum, %Y[%c0, %c0] : tensor<128x128xf32>, !tile.view<?x?xf32>
  tile.return
}
