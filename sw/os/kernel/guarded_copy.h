// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>

#include <cstdint>
#include <cstring>
#include <new>

namespace gmmu::os {

/// A copy of an array whose end is the end of what may be touched: a driver that reads one element too many is caught
/// in the act (DriverGuard). Good until the next Of.
class GuardedCopy {
 public:
  GuardedCopy() = default;
  ~GuardedCopy() {
    if (base_ != nullptr) munmap(base_, room_ + kGuard);
  }
  GuardedCopy(const GuardedCopy&) = delete;
  GuardedCopy& operator=(const GuardedCopy&) = delete;

  template <typename T>
  T* Of(const T* first, size_t count) {
    const size_t bytes = count * sizeof(T);
    if (bytes > room_) Grow(bytes);
    char* at = base_ + room_ - bytes;
    std::memcpy(at, first, bytes);
    return reinterpret_cast<T*>(at);
  }

 private:
  static constexpr size_t kPage = 64 * 1024, kGuard = 1 << 20;

  void Grow(size_t bytes) {
    if (base_ != nullptr) munmap(base_, room_ + kGuard);
    room_ = (bytes + kPage - 1) / kPage * kPage;
    void* at = mmap(nullptr, room_ + kGuard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) throw std::bad_alloc();
    base_ = static_cast<char*>(at);
    if (mprotect(base_, room_, PROT_READ | PROT_WRITE) != 0) throw std::bad_alloc();
  }

  char* base_ = nullptr;
  size_t room_ = 0;
};

}  // namespace gmmu::os
