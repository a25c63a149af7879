// SPDX-License-Identifier: Apache-2.0
#include "os/guard/guarded_memory.h"

#include <sys/mman.h>

#include <algorithm>
#include <new>
#include <vector>

namespace gmmu::os {
namespace {

std::vector<GuardedMemory*>& All() {
  static std::vector<GuardedMemory*> all;
  return all;
}

// This address is far from those that the loader uses, so that it is free in every run.
char* const kFirstPlace = reinterpret_cast<char*>(uint64_t{0x5000'0000'0000});
constexpr int kNobodys = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;

}  // namespace

GuardedMemory::GuardedMemory() { All().push_back(this); }
GuardedMemory::~GuardedMemory() { All().erase(std::find(All().begin(), All().end(), this)); }

std::optional<GuardedMemory::Trespass> GuardedMemory::Find(const void* address) {
  for (const GuardedMemory* memory : All()) {
    if (auto found = memory->At(static_cast<const char*>(address))) return found;
  }
  return std::nullopt;
}

const void* GuardedMemory::RealOf(const void* address) {
  for (const GuardedMemory* memory : All()) {
    if (const void* real = memory->Real(static_cast<const char*>(address))) return real;
  }
  return address;
}

char* GuardedMemory::Reserve(size_t bytes) {
  void* at = mmap(kFirstPlace, bytes, PROT_NONE, kNobodys, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  return static_cast<char*>(at);
}

void GuardedMemory::Release(char* base, size_t bytes) { munmap(base, bytes); }

bool GuardedMemory::Open(char* at, size_t bytes) { return mprotect(at, bytes, PROT_READ | PROT_WRITE) == 0; }

void GuardedMemory::Close(char* at, size_t bytes) {
  if (mmap(at, bytes, PROT_NONE, kNobodys | MAP_FIXED, -1, 0) == MAP_FAILED) throw std::bad_alloc();
}

}  // namespace gmmu::os
