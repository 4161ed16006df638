// RUN: lora-opt %s -verify-diagnostics -split-input-file

llvm.func @part_of_a_warp(%id: i32) {
  // expected-error@+1 {{expected a positive multiple of 32 threads, got 48}}
  simt.barrier named %id, 48
  llvm.return
}

// -----

llvm.func @no_threads(%id: i32) {
  // expected-error@+1 {{expected a positive multiple of 32 threads, got 0}}
  simt.barrier named %id, 0
  llvm.return
}

// -----

llvm.func @only_an_id(%id: i32) {
  // expected-error@+1 {{expected an id and a number of threads, or neither, got only an id}}
  "simt.barrier"(%id) : (i32) -> ()
  llvm.return
}

// -----

llvm.func @only_threads() {
  // expected-error@+1 {{expected an id and a number of threads, or neither, got only a number of threads}}
  "simt.barrier"() {threads = 64 : i32} : () -> ()
  llvm.return
}
