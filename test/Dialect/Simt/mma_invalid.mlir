// RUN: lora-opt %s -verify-diagnostics -split-input-file

llvm.func @mixed(%a: vector<8xf16>, %b: vector<4xbf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected operands of one element type, got 'vector<8xf16>' and 'vector<4xbf16>'}}
  %0 = simt.mma %a, %b, %c : vector<8xf16>, vector<4xbf16>, vector<4xf32>
  llvm.return
}

// -----

llvm.func @half_sizes(%a: vector<4xf16>, %b: vector<4xf16>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected 8 and 4 operand elements a lane, got 'vector<4xf16>' and 'vector<4xf16>'}}
  %0 = simt.mma %a, %b, %c : vector<4xf16>, vector<4xf16>, vector<4xf32>
  llvm.return
}

// -----

llvm.func @single_sizes(%a: vector<8xf32>, %b: vector<4xf32>, %c: vector<4xf32>) {
  // expected-error@+1 {{expected 4 and 2 operand elements a lane, got 'vector<8xf32>' and 'vector<4xf32>'}}
  %0 = simt.mma %a, %b, %c : vector<8xf32>, vector<4xf32>, vector<4xf32>
  llvm.return
}

// -----

llvm.func @accumulator(%a: vector<8xf16>, %b: vector<4xf16>, %c: vector<4xf16>) {
  // expected-error@+1 {{operand #2 must be vector of 32-bit float values of length 4, but got 'vector<4xf16>'}}
  %0 = simt.mma %a, %b, %c : vector<8xf16>, vector<4xf16>, vector<4xf16>
  llvm.return
}
