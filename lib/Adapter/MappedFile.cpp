//===- MappedFile.cpp - A read-only memory mapping of a file -------------===//
//
// Part of lora-tile, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MappedFile.h"

#include "lora/Support/Error.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace lora;

namespace {

struct Descriptor {
  int number;
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};

} // namespace

MappedFile::MappedFile(const std::filesystem::path &path) : name(path.string()) {
  // Without O_NONBLOCK, opening a FIFO would wait for a writer.
  const Descriptor file{open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0)
    throw Error(name + ": cannot open: " + std::strerror(errno) + ", expected a readable file");
  struct stat status;
  if (fstat(file.number, &status) != 0)
    throw Error(name + ": cannot stat: " + std::strerror(errno));
  if (!S_ISREG(status.st_mode))
    throw Error(name + ": found a directory or special file, expected a regular file");
  // A mapping of no bytes is an error to mmap.
  if (status.st_size == 0)
    return;
  const auto size = static_cast<size_t>(status.st_size);
  void *address = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED)
    throw Error(name + ": cannot map " + std::to_string(size) + " bytes: " + std::strerror(errno));
  contents = {static_cast<const std::byte *>(address), size};
}

MappedFile::~MappedFile() {
  if (!contents.empty())
    munmap(const_cast<std::byte *>(contents.data()), contents.size());
}
