#include "driver.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

/* Stores the address of a symbol in a function pointer, which C has no conversion for. */
static int resolve(void *library, const char *name, void *function) {
  void *symbol = dlsym(library, name);
  if (!symbol)
    fprintf(stderr, "c_engine: the driver has no %s\n", name);
  memcpy(function, &symbol, sizeof(symbol));
  return symbol == NULL;
}

int load_driver(struct driver *driver, const char *path) {
  void *library = dlopen(path, RTLD_NOW);
  if (!library) {
    fprintf(stderr, "c_engine: %s\n", dlerror());
    return 1;
  }
  return resolve(library, "cuInit", &driver->init) ||
         resolve(library, "cuDevicePrimaryCtxRetain", &driver->retain) ||
         resolve(library, "cuCtxSetCurrent", &driver->set_current) ||
         resolve(library, "cuMemAlloc_v2", &driver->allocate) ||
         resolve(library, "cuMemcpyHtoDAsync_v2", &driver->to_device) ||
         resolve(library, "cuMemcpyDtoHAsync_v2", &driver->to_host) ||
         resolve(library, "cuStreamCreate", &driver->create_stream) ||
         resolve(library, "cuStreamSynchronize", &driver->synchronize) ||
         resolve(library, "cuStreamBeginCapture_v2", &driver->begin_capture) ||
         resolve(library, "cuStreamEndCapture", &driver->end_capture) ||
         resolve(library, "cuGraphInstantiateWithFlags", &driver->instantiate) ||
         resolve(library, "cuGraphLaunch", &driver->launch_graph);
}
