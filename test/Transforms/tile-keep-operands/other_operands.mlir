// What stays in the loop.
// RUN: lora-opt %s -tile-keep-operands | FileCheck %s --implicit-check-not=tile.slice

// Nobody asked for it.
// CHECK-LABEL: tile.kernel @as_it_is
tile.kernel @as_it_is(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// Nothing says how long a row of the operand is.
// CHECK-LABEL: tile.kernel @unbounded
tile.kernel @unbounded(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.addi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// Slices of 64 bytes would lie on half of the banks.
// CHECK-LABEL: tile.kernel @narrow_slices
tile.kernel @narrow_slices(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 32 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x32xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<32x32xf16>
      %product = tile.dot %left, %right : tensor<16x32xf16>, tensor<32x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// Each iteration has other rows.
// CHECK-LABEL: tile.kernel @other_rows
tile.kernel @other_rows(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %left = tile.gather %S[%moved, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// The columns are not those of the sum.
// CHECK-LABEL: tile.kernel @other_columns
tile.kernel @other_columns(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %j] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// The loop writes where the operand comes from.
// CHECK-LABEL: tile.kernel @written
tile.kernel @written(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["1", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %S[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}

// Each program has a part of the reduced dimension.
// CHECK-LABEL: tile.kernel @split
tile.kernel @split(%s: !tile.ptr<f16>, %b: !tile.ptr<f16>, %y: !tile.ptr<f16>, %n: i32)
    grid ["2", "1", "1"] config {KEEP = 1 : i64} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c100 = arith.constant 100 : i32
  %rank = arith.minsi %n, %c100 : i32
  %rows = tile.iota : tensor<16xi32>
  %S = tile.view %s sizes [%n, %n] strides [128, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %B = tile.view %b sizes [%n, %n] strides [1, 128] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %Y = tile.view %y sizes [%n, %n] strides [64, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // CHECK:     scf.for
  // CHECK:     tile.gather
  scf.for %j = %c0 to %n step %c32 : i32 {
    %moved = tile.splat %j : i32 -> tensor<16xi32>
    %sum, %mine = tile.sum %r below %rank step 64 split 2 across x to one -> tensor<16x32xf32> {
      %left = tile.gather %S[%rows, %r] : !tile.view<?x?xf16>, tensor<16xi32> -> tensor<16x64xf16>
      %right = tile.load %B[%r, %j] : !tile.view<?x?xf16> -> tensor<64x32xf16>
      %product = tile.dot %left, %right : tensor<16x64xf16>, tensor<64x32xf16> -> tensor<16x32xf32>
      tile.yield %product : tensor<16x32xf32>
    }
    %rounded = arith.truncf %sum : tensor<16x32xf32> to tensor<16x32xf16>
    tile.store %rounded, %Y[%c0, %j] : tensor<16x32xf16>, !tile.view<?x?xf16>
  }
  tile.return
}
