// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "os/kernel/guarded_memory.h"

namespace gmmu::os {

/// A copy of what a driver is given whose end is the end of what may be touched: a driver that reads or writes behind
/// it is caught in the act (DriverGuard).
class GuardedCopy : public GuardedMemory {
 public:
  GuardedCopy() = default;
  ~GuardedCopy() {
    if (base_ != nullptr) Release(base_, room_ + kGuard);
  }

  /// `count` elements from `first` on; good until the next Of. `name` says in a report what they are.
  template <typename T>
  T* Of(const T* first, size_t count, std::string name) {
    return static_cast<T*>(Of(static_cast<const void*>(first), count * sizeof(T), std::move(name)));
  }
  void* Of(const void* first, size_t bytes, std::string name) {
    if (bytes > room_ || base_ == nullptr) Grow(bytes);
    bytes_ = bytes;
    name_ = std::move(name);
    if (bytes != 0) std::memcpy(begin(), first, bytes);
    return begin();
  }
  /// Brings back what the driver has made of it.
  void To(void* first) const {
    if (bytes_ != 0) std::memcpy(first, begin(), bytes_);
  }

 private:
  static constexpr size_t kStep = 16 * kPage, kGuard = 1 << 20;

  char* begin() const { return base_ + room_ - bytes_; }
  void Grow(size_t bytes) {
    if (base_ != nullptr) Release(base_, room_ + kGuard);
    base_ = nullptr;
    room_ = (bytes / kStep + 1) * kStep;
    base_ = Reserve(room_ + kGuard);
    if (!Open(base_, room_)) throw std::bad_alloc();
  }
  std::optional<Trespass> At(const char* address) const override {
    if (base_ == nullptr || address < base_ + room_ || address >= base_ + room_ + kGuard) return std::nullopt;
    return Trespass{StopCode::kUnknown, "byte " + std::to_string(address - begin()) + " of " + name_ + ", which has " +
                                            std::to_string(bytes_) + " bytes"};
  }

  char* base_ = nullptr;
  size_t room_ = 0, bytes_ = 0;
  std::string name_;
};

}  // namespace gmmu::os
