/*===- runtime.h - Shrink and expand for many LoRA adapters ---------------===*\
|*                                                                            *|
|* Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.     *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/* The C interface of liblora_runtime. With tokens t, slices i and lora(t) the adapter slot of t:
 *
 *   shrink   s[i, t, :] = scaling[lora(t)] * x[t, :] . A[i, lora(t)]^T
 *   expand   y[t, offset_i : offset_i + width_i] (+)= s[i, t, :] . B[i, lora(t)]^T
 *
 *   x  [tokens, hidden]  f16 or bf16      A[i, l]  [rank_l, hidden]   f16 or bf16
 *   s  [slices, tokens, max_rank]  f32    B[i, l]  [width_i, rank_l]  f16 or bf16
 *   y  [tokens, any width]  the type of x
 *
 * All matrices are row-major with contiguous columns. Every stride counts elements, from one row
 * (or slice of s) to the next. Rows of tokens without an adapter are not touched. Addresses are
 * device addresses unless a parameter says "host"; each must be aligned to its element.
 *
 * Errors. Functions return LORA_SUCCESS or an error; lora_last_error() then says in one line which
 * argument, what was found and what was expected. Nothing is thrown, printed, or ended. Apart from
 * what it documents, a call that fails changes nothing.
 *
 * Devices. The CUDA driver is loaded by the first lora_context_create. An object belongs to the
 * CUDA context of its lora_context. A call makes that context current in its thread while it runs
 * and leaves the thread as it was.
 *
 * Streams. `stream` is a CUstream (or cudaStream_t) of the context, NULL for the default stream.
 * Work is enqueued and not waited for, unless a function says so.
 *
 * Threads. A context may be used by any number of threads, and so may one lora_adapters. Calls that
 * set a lora_mapping must not overlap each other or a launch that names it. Destroying an object
 * must not overlap any other use of it.
 *
 * Lifetime. Objects that the device may still use, and those that captured graphs refer to, must
 * not be destroyed before. A context outlives its mappings and adapters.
 *
 * Structures begin with `size`, which the caller sets to sizeof the structure; fields that later
 * versions add are zero for older callers. Set all other fields that are not used to zero. */

#ifndef LORA_RUNTIME_H
#define LORA_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define LORA_API __attribute__((visibility("default")))
#else
#define LORA_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Changes when programs must be compiled anew. */
#define LORA_ABI_VERSION 1

typedef int32_t lora_status;
enum {
  LORA_SUCCESS = 0,
  /* An argument is not as documented. */
  LORA_ERROR_INVALID_ARGUMENT = 1,
  /* There is no CUDA driver, it is too old, or it does not start. */
  LORA_ERROR_NO_DRIVER = 2,
  /* A call of the driver failed; the message has its name and the driver's reason. */
  LORA_ERROR_DRIVER = 3,
  /* Host or device memory is exhausted. */
  LORA_ERROR_OUT_OF_MEMORY = 4,
  /* A pack cannot be read, is damaged, of another version, or has nothing for this device. */
  LORA_ERROR_BAD_PACK = 5,
  /* No loaded pack has a kernel for this launch. */
  LORA_ERROR_NO_KERNEL = 6,
  /* The launch needs a workspace that lora_context_reserve has not reserved. */
  LORA_ERROR_NOT_RESERVED = 7,
  /* All staging buffers are still being copied from: the host is too far ahead of the device. */
  LORA_ERROR_BUSY = 8,
  /* The call copies from the host, which a graph being captured on the stream cannot contain. */
  LORA_ERROR_CAPTURING = 9,
  /* A defect of the library. */
  LORA_ERROR_INTERNAL = 10
};

typedef int32_t lora_op;
enum { LORA_SHRINK = 0, LORA_EXPAND = 1, LORA_SHRINK_EXPAND = 2 };

typedef int32_t lora_dtype;
enum { LORA_F16 = 0, LORA_BF16 = 1 };

/*===-- Queries of the library --------------------------------------------===*/

/* LORA_ABI_VERSION of the library. */
LORA_API uint32_t lora_abi_version(void);
/* E.g. "0.1.0". Static. */
LORA_API const char *lora_version(void);
/* E.g. "LORA_ERROR_NO_DRIVER"; "unknown status" for any other number. Static. */
LORA_API const char *lora_status_name(lora_status status);
/* The message of the last call in this thread that failed, or "". Valid until the next one. */
LORA_API const char *lora_last_error(void);

typedef int32_t lora_log_level;
enum { LORA_LOG_INFO = 0, LORA_LOG_ERROR = 1 };

/* `message` is one line, valid during the call. Called in the thread that the event happens in,
 * possibly by several at once; it must not call the library. */
typedef void (*lora_log_callback)(void *user, lora_log_level level, const char *message);

/* Sets the process-wide callback for contexts created, packs and kernels loaded, and calls that
 * failed. NULL, the default, logs nothing. A call in progress may still use the previous one. */
LORA_API void lora_set_log_callback(lora_log_callback callback, void *user);

/*===-- Contexts ----------------------------------------------------------===*/

typedef struct lora_context lora_context;

typedef struct lora_context_options {
  size_t size;
  /* The CUcontext to use. NULL for that of `device`. */
  void *cu_context;
  /* -1 for the context that is current in the calling thread, which must have one; otherwise the
   * ordinal of a device, whose primary context is retained until lora_context_destroy. */
  int32_t device;
  /* Host, a path for dlopen. NULL for the driver of the machine, libcuda.so.1. */
  const char *driver_library;
} lora_context_options;

/* NULL options stand for the current context of the calling thread. */
LORA_API lora_status lora_context_create(const lora_context_options *options,
                                         lora_context **context);
/* Unloads kernels and frees workspaces. NULL does nothing. */
LORA_API void lora_context_destroy(lora_context *context);
/* What kernels are looked for, e.g. "sm_90"; valid as long as the context. NULL for NULL. */
LORA_API const char *lora_context_target(const lora_context *context);

/* Adds a kernel pack (host path; see docs/kernel-pack.md). NULL is the pack that is installed with
 * the library. The file is mapped until the context is destroyed and must not be changed in place;
 * replacing it by rename is safe. Kernels are verified and loaded when first used. Packs added
 * later come first in dispatch. */
LORA_API lora_status lora_context_load_pack(lora_context *context, const char *path);
/* The same for a pack in host memory, which is copied. */
LORA_API lora_status lora_context_load_pack_memory(lora_context *context, const void *data,
                                                   size_t size);

/* Some kernels pass partial sums through global memory. Their launches use the workspace of the
 * stream that they are given to, so launches of one stream never overlap in it. This makes that of
 * `stream` at least so large: allocates and zeroes it in stream order, which makes it no part of
 * the launch path; not to be called while the stream is capturing. A captured graph keeps using the
 * workspace of the stream it was captured on, so its replays must be ordered with each other and
 * with launches on that stream. Memory is kept until the context is destroyed. */
LORA_API lora_status lora_context_reserve(lora_context *context, void *stream, size_t data_bytes,
                                          size_t counter_bytes);

/*===-- Mappings: which token uses which adapter --------------------------===*/

typedef struct lora_mapping lora_mapping;

typedef struct lora_mapping_options {
  size_t size;
  /* The most tokens that a mapping will have. Above zero. */
  int32_t max_tokens;
  /* Adapter slots, as in lora_adapters_options. Above zero. */
  int32_t max_loras;
  /* Updates that may be on their way to the device at once; 0 for 8. */
  int32_t staging_depth;
} lora_mapping_options;

/* Allocates the device buffers and pinned staging memory, and waits until the mapping is one of
 * zero tokens. */
LORA_API lora_status lora_mapping_create(lora_context *context, const lora_mapping_options *options,
                                         lora_mapping **mapping);
/* NULL does nothing. Waits until copies from the staging memory are done. */
LORA_API void lora_mapping_destroy(lora_mapping *mapping);

/* Replaces the whole mapping: token_lora[t] (host, [tokens]) is the adapter slot of token t, or -1
 * for none. Read before the call returns. One copy is enqueued; nothing is waited for. The device
 * buffers stay at their place, so captured graphs see the new mapping. */
LORA_API lora_status lora_mapping_set_host(lora_mapping *mapping, const int32_t *token_lora,
                                           int32_t tokens, void *stream);

/* The same from device memory, by one kernel, which may be captured. The number of adapters in use
 * stays unknown to the host. Tokens whose slot is outside of -1 to max_loras - 1 get no adapter;
 * lora_mapping_check reports them. Mappings of more than 4900 slots are refused. */
LORA_API lora_status lora_mapping_set_device(lora_mapping *mapping, const int32_t *token_lora,
                                             int32_t tokens, void *stream);

/* Device buffers of an engine, as the vLLM V1 kernels take them. */
typedef struct lora_v1_mapping {
  size_t size;
  int32_t tokens;
  /* [tokens]: adapter slot, or -1. The only buffer that is read: the others follow from it. */
  const int32_t *token_lora_mapping;
  /* [tokens] */
  const int32_t *token_indices_sorted_by_lora_ids;
  /* [max_loras + 1] */
  const int32_t *num_tokens_per_lora;
  /* [max_loras + 2] */
  const int32_t *lora_token_start_loc;
  /* [max_loras + 1] */
  const int32_t *active_lora_ids;
} lora_v1_mapping;

/* lora_mapping_set_device from token_lora_mapping. The mapping takes what it needs when the kernel
 * runs; launches do not read the engine's buffers, so nothing in these can be inconsistent. */
LORA_API lora_status lora_mapping_set_v1(lora_mapping *mapping, const lora_v1_mapping *buffers,
                                         void *stream);

/* Waits for the stream. `bad_tokens` becomes the number of tokens that the last
 * lora_mapping_set_device or lora_mapping_set_v1 on it found with a slot out of range; 0 after a
 * lora_mapping_set_host. */
LORA_API lora_status lora_mapping_check(lora_mapping *mapping, void *stream, int32_t *bad_tokens);

/*===-- Adapters: weights of one layer, in slots --------------------------===*/

typedef struct lora_adapters lora_adapters;

typedef struct lora_adapters_options {
  size_t size;
  /* The type of A and B. */
  lora_dtype dtype;
  int32_t slices;
  int32_t max_loras;
  /* 1 to 512. */
  int32_t max_rank;
  /* Columns of A. */
  int32_t hidden;
  /* Host, [slices]: rows of B of each slice. */
  const int32_t *slice_widths;
  /* The first column of slice 0 in y; the other slices follow it. */
  int32_t output_offset;
  /* Row strides of A and B; 0 for hidden and max_rank. */
  int64_t a_stride, b_stride;
  /* What every address of A and B is a multiple of, in bytes: a power of two from 2 to 16; 0 for
   * 16. Kernels rely on it and are slower with less. */
  int32_t weight_alignment;
  /* What every rank is a multiple of: 1, 2, 4 or 8; 0 for the largest that divides max_rank.
   * Kernels rely on it and are slower with less. */
  int32_t rank_multiple;
  /* As in lora_mapping_options. */
  int32_t staging_depth;
} lora_adapters_options;

typedef struct lora_adapter {
  size_t size;
  /* Host arrays, [slices], of the device addresses of A [rank, hidden] and B [width, rank]. */
  const void *const *a;
  const void *const *b;
  int32_t rank;
  float scaling;
} lora_adapter;

/* Allocates the tables on the device, with all slots empty, and enqueues their first copy. Tokens
 * of an empty slot are treated as with weights of zero. */
LORA_API lora_status lora_adapters_create(lora_context *context,
                                          const lora_adapters_options *options, void *stream,
                                          lora_adapters **adapters);
/* NULL does nothing. Waits until copies from the staging memory are done. */
LORA_API void lora_adapters_destroy(lora_adapters *adapters);
/* Puts weights into a slot, or empties it if `adapter` is NULL, in the order of the stream.
 * Captured graphs see the change. The weights themselves are not copied: the previous ones must
 * stay until the work before is done, the new ones must be complete when the copy runs. */
LORA_API lora_status lora_adapters_set(lora_adapters *adapters, int32_t slot,
                                       const lora_adapter *adapter, void *stream);
/* Fills all slots from one stacked tensor per slice: slot l of slice i is at a[i] + l *
 * a_slot_stride elements (host arrays, [slices]), with ranks[l] and scalings[l] (host,
 * [max_loras]); ranks of 0 are empty slots. */
LORA_API lora_status lora_adapters_set_stacked(lora_adapters *adapters, const void *const *a,
                                               int64_t a_slot_stride, const void *const *b,
                                               int64_t b_slot_stride, const int32_t *ranks,
                                               const float *scalings, void *stream);

/*===-- Launches ----------------------------------------------------------===*/

/* The kernel may start before the work that precedes it in the stream has ended, if that is a
 * kernel (programmatic dependent launch). x, s and y are read and written after it; weights tables
 * and mappings are read at once, so what sets them must be followed by a launch without this flag,
 * or by other work that is waited for. */
#define LORA_LAUNCH_PROGRAMMATIC 1u

typedef struct lora_launch {
  size_t size;
  lora_adapters *adapters;
  lora_mapping *mapping;
  /* The type of x and y. */
  lora_dtype dtype;
  /* Rows of x, s and y; 0 for the tokens of the mapping, otherwise at least those. A captured
   * launch serves every later mapping of at most so many tokens. */
  int32_t tokens;
  /* An upper bound of the adapters that are in use at a time, 0 for max_loras. A captured launch
   * serves every later mapping with at most so many; of mappings with more, some tokens are left
   * out. A kernel gets a program for each of floor((tokens + a * (BLOCK_M - 1)) / BLOCK_M) runs of
   * tokens, where a is this bound or tokens, whichever is less; those without work end at once. */
  int32_t max_active_loras;
  /* Of LORA_LAUNCH_... */
  uint32_t flags;
  /* Nonzero: expand adds to y. Zero: it overwrites the rows of tokens with an adapter. */
  int32_t add_inputs;
  /* Strides of 0 are those of rows without gaps: hidden, max_rank, tokens * s_stride, and for y the
   * columns up to the end of the last slice. */
  const void *x;
  int64_t x_stride;
  float *s;
  int64_t s_stride, s_slice_stride;
  void *y;
  int64_t y_stride;
  void *stream;
} lora_launch;

/* Launch; capturable in a graph. The first launch of a kernel also loads it (see lora_prepare).
 * No other launch allocates, copies or waits. Fields that an op does not use are ignored: s in a
 * lora_shrink_expand that a single launch serves; otherwise it is where the two launches that take
 * its place keep s. With add_inputs zero, lora_shrink_expand is always two launches. */
LORA_API lora_status lora_shrink(lora_context *context, const lora_launch *launch);
LORA_API lora_status lora_expand(lora_context *context, const lora_launch *launch);
LORA_API lora_status lora_shrink_expand(lora_context *context, const lora_launch *launch);

/* Checks a launch and loads its kernels without launching them. */
LORA_API lora_status lora_prepare(lora_context *context, lora_op op, const lora_launch *launch);

/* The workspace that a launch needs of its stream; zeros for most. */
LORA_API lora_status lora_workspace_size(lora_context *context, lora_op op,
                                         const lora_launch *launch, size_t *data_bytes,
                                         size_t *counter_bytes);

/* Writes, as lines of text with a zero at the end, which kernels and configurations a launch would
 * use, and why each rule before was passed over. At most `capacity` bytes are written; `needed`, if
 * not NULL, becomes the size of the whole. Kernels are not loaded. */
LORA_API lora_status lora_explain(lora_context *context, lora_op op, const lora_launch *launch,
                                  char *text, size_t capacity, size_t *needed);

#ifdef __cplusplus
}
#endif

#endif
