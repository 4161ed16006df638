// RUN: not lora-opt %s -tile-specialize=set=M=64 2>&1 | FileCheck %s --check-prefix=CANDIDATE
// RUN: not lora-opt %s -tile-specialize=set=M=large 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not lora-opt %s -tile-specialize=set=M 2>&1 | FileCheck %s --check-prefix=NOTHING
// RUN: not lora-opt %s -tile-specialize=set=X=f32 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not lora-opt %s -tile-specialize=set=Q=1 2>&1 | FileCheck %s --check-prefix=NAME

// CANDIDATE: error: parameter 'M' of kernel @k: expected one of 16, 32, got 64
// NUMBER:    error: parameter 'M' of kernel @k: expected one of 16, 32, got large
// NOTHING:   error: parameter 'M' of kernel @k: expected one of 16, 32, got nothing
// TYPE:      error: parameter 'X' of kernel @k: expected one of 'f16', 'bf16', got f32
// NAME:      error: kernel @k has no parameter 'Q'; it has X, M
tile.kernel @k() types [X = f16 in [f16, bf16]] params [M = 16 in [16, 32]] grid ["1", "1", "1"] {
  tile.return
}
