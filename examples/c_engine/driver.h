/* The few functions of the CUDA driver that the example needs, loaded at run time so that it builds
 * without the CUDA toolkit. An engine would include cuda.h or use the runtime API. */

#ifndef C_ENGINE_DRIVER_H
#define C_ENGINE_DRIVER_H

#include <stddef.h>

typedef unsigned long long device_pointer;

struct driver {
  int (*init)(unsigned flags);
  int (*retain)(void **context, int device);
  int (*set_current)(void *context);
  int (*allocate)(device_pointer *address, size_t size);
  int (*to_device)(device_pointer to, const void *from, size_t size, void *stream);
  int (*to_host)(void *to, device_pointer from, size_t size, void *stream);
  int (*create_stream)(void **stream, unsigned flags);
  int (*synchronize)(void *stream);
  int (*begin_capture)(void *stream, int mode);
  int (*end_capture)(void *stream, void **graph);
  int (*instantiate)(void **executable, void *graph, unsigned long long flags);
  int (*launch_graph)(void *executable, void *stream);
};

/* Fills in the functions of a driver library. Returns 0, or 1 after a message. */
int load_driver(struct driver *driver, const char *path);

#endif
