// RUN: lora-opt %s -tile-specialize -verify-diagnostics -split-input-file

// expected-error@+1 {{parameter 'M' of kernel @k: expected one of 16, 32, got 64 : i64}}
tile.kernel @k() params [M = 16 in [16, 32]] grid ["1", "1", "1"] config {M = 64 : i64} {
  tile.return
}
