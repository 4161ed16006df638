/* One adapted layer of a serving engine: puts two adapters into slots, captures a decode step, and
 * replays it with other mappings and with a swapped adapter, checking y each time.
 *
 *   c_engine [PACK [DRIVER]]
 *
 * Without arguments it runs on the GPU with the pack that is installed with the library. */

#include "driver.h"

#include <lora/runtime.h>

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { TOKENS = 8, HIDDEN = 256, RANK = 8, WIDTH = 128, SLOTS = 4, ADAPTERS = 3 };

/* Values whose half-precision form is exact and whose sums are small, so that the check is simple:
 * adapter i multiplies the sum of a row of x by (i + 1) * SCALING. */
static const uint16_t HALF_1 = 0x3c00, HALF_0 = 0;
static const float SCALING = 0.25f;

static struct driver driver;
static void *stream;

#define CHECK_LORA(call)                                                                           \
  do {                                                                                             \
    if ((call) != LORA_SUCCESS) {                                                                  \
      fprintf(stderr, "c_engine: %s\n", lora_last_error());                                        \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

#define CHECK_CUDA(call)                                                                           \
  do {                                                                                             \
    int result = (call);                                                                           \
    if (result != 0) {                                                                             \
      fprintf(stderr, "c_engine: %s: error %d\n", #call, result);                                  \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

static float half_to_float(uint16_t half) {
  int exponent = half >> 10 & 31, mantissa = half & 1023;
  float value = exponent ? ldexpf(1024 + mantissa, exponent - 25) : ldexpf(mantissa, -24);
  return half & 0x8000 ? -value : value;
}

static device_pointer upload(const void *from, size_t size) {
  device_pointer address;
  CHECK_CUDA(driver.allocate(&address, size));
  CHECK_CUDA(driver.to_device(address, from, size, stream));
  CHECK_CUDA(driver.synchronize(stream));
  return address;
}

static void make_adapter(int number, device_pointer *a, device_pointer *b) {
  static uint16_t host_a[RANK * HIDDEN], host_b[WIDTH * RANK];
  for (int i = 0; i < RANK * HIDDEN; ++i)
    host_a[i] = i / HIDDEN <= number ? HALF_1 : HALF_0;
  for (int i = 0; i < WIDTH * RANK; ++i)
    host_b[i] = HALF_1;
  *a = upload(host_a, sizeof(host_a));
  *b = upload(host_b, sizeof(host_b));
}

static void set_slot(lora_adapters *adapters, int slot, device_pointer a, device_pointer b) {
  const void *slice_a[] = {(const void *)(uintptr_t)a}, *slice_b[] = {(const void *)(uintptr_t)b};
  lora_adapter adapter = {sizeof(adapter), slice_a, slice_b, RANK, SCALING};
  CHECK_LORA(lora_adapters_set(adapters, slot, &adapter, stream));
}

/* Expects y = x summed over hidden, times the scaling and the factor of each token's adapter. */
static void check_y(const char *step, device_pointer y, const int *factors) {
  static uint16_t host[TOKENS * WIDTH];
  CHECK_CUDA(driver.to_host(host, y, sizeof(host), stream));
  CHECK_CUDA(driver.synchronize(stream));
  for (int i = 0; i < TOKENS * WIDTH; ++i) {
    float expected = SCALING * HIDDEN * (float)factors[i / WIDTH];
    if (half_to_float(host[i]) != expected) {
      fprintf(stderr, "c_engine: %s: y[%d, %d]: expected %g, found %g\n", step, i / WIDTH,
              i % WIDTH, expected, half_to_float(host[i]));
      exit(1);
    }
  }
  printf("%s: y is as expected\n", step);
}

static void clear(device_pointer y) {
  static const uint16_t zeros[TOKENS * WIDTH];
  CHECK_CUDA(driver.to_device(y, zeros, sizeof(zeros), stream));
}

int main(int argc, char **argv) {
  const char *pack = argc > 1 ? argv[1] : NULL;
  const char *library = argc > 2 ? argv[2] : "libcuda.so.1";
  void *cuda_context;
  if (load_driver(&driver, library))
    return 1;
  CHECK_CUDA(driver.init(0));
  CHECK_CUDA(driver.retain(&cuda_context, 0));
  CHECK_CUDA(driver.set_current(cuda_context));
  CHECK_CUDA(driver.create_stream(&stream, 1));

  lora_context_options options = {.size = sizeof(options), .device = -1, .driver_library = library};
  lora_context *context;
  CHECK_LORA(lora_context_create(&options, &context));
  CHECK_LORA(lora_context_load_pack(context, pack));
  printf("lora-tile %s for %s\n", lora_version(), lora_context_target(context));

  int32_t widths[] = {WIDTH};
  lora_adapters_options layer = {.size = sizeof(layer),
                                 .dtype = LORA_F16,
                                 .slices = 1,
                                 .max_loras = SLOTS,
                                 .max_rank = RANK,
                                 .hidden = HIDDEN,
                                 .slice_widths = widths};
  lora_adapters *adapters;
  CHECK_LORA(lora_adapters_create(context, &layer, stream, &adapters));
  lora_mapping_options batch = {.size = sizeof(batch), .max_tokens = TOKENS, .max_loras = SLOTS};
  lora_mapping *mapping;
  CHECK_LORA(lora_mapping_create(context, &batch, &mapping));

  device_pointer a[ADAPTERS], b[ADAPTERS];
  for (int i = 0; i < ADAPTERS; ++i)
    make_adapter(i, &a[i], &b[i]);
  set_slot(adapters, 0, a[0], b[0]);
  set_slot(adapters, 2, a[1], b[1]);

  static uint16_t host_x[TOKENS * HIDDEN], host_y[TOKENS * WIDTH];
  for (int i = 0; i < TOKENS * HIDDEN; ++i)
    host_x[i] = HALF_1;
  device_pointer x = upload(host_x, sizeof(host_x)), y = upload(host_y, sizeof(host_y));

  int32_t first[TOKENS] = {0, 2, -1, 0, 2, 2, 0, -1};
  CHECK_LORA(lora_mapping_set_host(mapping, first, TOKENS, stream));
  lora_launch step = {.size = sizeof(step),
                      .adapters = adapters,
                      .mapping = mapping,
                      .dtype = LORA_F16,
                      .tokens = TOKENS,
                      .max_active_loras = 2,
                      .add_inputs = 1,
                      .x = (const void *)(uintptr_t)x,
                      .y = (void *)(uintptr_t)y,
                      .stream = stream};
  char text[4096];
  CHECK_LORA(lora_explain(context, LORA_SHRINK_EXPAND, &step, text, sizeof(text), NULL));
  fputs(text, stdout);
  CHECK_LORA(lora_prepare(context, LORA_SHRINK_EXPAND, &step));

  void *graph, *executable;
  CHECK_CUDA(driver.begin_capture(stream, 0));
  CHECK_LORA(lora_shrink_expand(context, &step));
  CHECK_CUDA(driver.end_capture(stream, &graph));
  CHECK_CUDA(driver.instantiate(&executable, graph, 0));

  CHECK_CUDA(driver.launch_graph(executable, stream));
  check_y("first mapping", y, (int[]){1, 2, 0, 1, 2, 2, 1, 0});

  int32_t second[TOKENS] = {2, 2, 2, 2, -1, -1, -1, 0};
  CHECK_LORA(lora_mapping_set_host(mapping, second, TOKENS, stream));
  clear(y);
  CHECK_CUDA(driver.launch_graph(executable, stream));
  check_y("second mapping", y, (int[]){2, 2, 2, 2, 0, 0, 0, 1});

  set_slot(adapters, 2, a[2], b[2]);
  clear(y);
  CHECK_CUDA(driver.launch_graph(executable, stream));
  check_y("swapped slot", y, (int[]){3, 3, 3, 3, 0, 0, 0, 1});

  CHECK_LORA(lora_mapping_set_host(mapping, first, 3, stream));
  clear(y);
  CHECK_CUDA(driver.launch_graph(executable, stream));
  check_y("fewer tokens", y, (int[]){1, 3, 0, 0, 0, 0, 0, 0});

  lora_mapping_destroy(mapping);
  lora_adapters_destroy(adapters);
  lora_context_destroy(context);
  return 0;
}
