// RUN: lora-opt %s -verify-diagnostics -split-input-file

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 2 sizes, got 1}}
  %0 = tile.view %x sizes [%n] strides [4, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 2 strides, got 1}}
  %0 = tile.view %x sizes [%n, %n] strides [1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected 1 operands for strides, got 0}}
  %0 = "tile.view"(%x, %n) {static_strides = array<i64: -9223372036854775808>, operandSegmentSizes = array<i32: 1, 1, 0>}
      : (!tile.ptr<f16>, i32) -> !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected strides that are not negative, got -1}}
  %0 = tile.view %x sizes [%n] strides [-1] : !tile.ptr<f16> -> !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  // expected-error@+1 {{expected a view of 'f16', got 'f32'}}
  %0 = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf32>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %0 = tile.view %x sizes [%n, %n] strides [4, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  // expected-error@+1 {{expected a view with one dimension less than '!tile.view<?x?xf16>', got '!tile.view<?x?xf16>'}}
  %1 = tile.subview %0[%n] : !tile.view<?x?xf16> -> !tile.view<?x?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %0 = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  // expected-error@+1 {{expected a view of rank 2, got '!tile.view<?xf16>'}}
  %1 = tile.transpose %0 : !tile.view<?xf16>
  tile.return
}

// -----

// Sizes and strides of a view can be read off the ops that make it, so it never passes through a
// branch.

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %condition = arith.constant true
  %0 = tile.view %x sizes [%n, %n] strides [4, 1] : !tile.ptr<f16> -> !tile.view<?x?xf16>
  %1 = arith.select %condition, %0, %0 : !tile.view<?x?xf16>
  // expected-error@+1 {{expected a view defined by tile.view, tile.subview or tile.transpose}}
  %2 = tile.subview %1[%n] : !tile.view<?x?xf16> -> !tile.view<?xf16>
  tile.return
}

// -----

tile.kernel @k(%x: !tile.ptr<f16>, %n: i32) grid ["1", "1", "1"] {
  %condition = arith.constant true
  %0 = tile.view %x sizes [%n] strides [1] : !tile.ptr<f16> -> !tile.view<?xf16>
  %1 = arith.select %condition, %0, %0 : !tile.view<?xf16>
  // expected-error@+1 {{expected a view defined by tile.view, tile.subview or tile.transpose}}
  %2 = tile.load %1[%n] : !tile.view<?xf16> -> tensor<16xf16>
  tile.return
}
