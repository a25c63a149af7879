// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "os/guard/guarded_memory.h"

namespace gmmu::os {

/// A copy of an argument. An inaccessible page follows it, so that a driver faults when it accesses
/// memory beyond the copy (DriverGuard). CheckFront finds writes before its start. After Shut, the
/// copy is inaccessible until its next use.
class GuardedCopy : public GuardedMemory {
 public:
  GuardedCopy() = default;
  ~GuardedCopy() {
    if (base_ != nullptr) Release(base_, room_ + kGuard);
  }

  /// Copies `count` elements from `first`. The copy is valid until the next call to Of or Room.
  /// `name` describes the argument in a report.
  template <typename T>
  T* Of(const T* first, size_t count, std::string name) {
    return static_cast<T*>(Of(static_cast<const void*>(first), count * sizeof(T), std::move(name)));
  }
  void* Of(const void* first, size_t bytes, std::string name) {
    void* const at = Room(bytes, std::move(name));
    if (bytes != 0) std::memcpy(at, first, bytes);
    return at;
  }
  /// Returns memory for the driver to fill; nothing is copied. If `real` is not null, the driver
  /// uses this memory instead of the memory at `real`.
  void* Room(size_t bytes, std::string name, const void* real = nullptr) {
    real_ = static_cast<const char*>(real);
    if (base_ == nullptr || bytes + kFront > room_) Grow(bytes + kFront);
    else if (shut_ && !Open(base_, room_)) throw std::bad_alloc();
    shut_ = false;
    bytes_ = bytes;
    name_ = std::move(name);
    std::memset(begin() - kFront, kFrontByte, kFront);
    return begin();
  }
  /// Throws BugCheck if the driver has written before the start of the copy.
  void CheckFront() const {
    for (const char* at = begin() - kFront; at != begin(); ++at) {
      if (static_cast<uint8_t>(*at) == kFrontByte) continue;
      throw BugCheck("the driver wrote to byte " + std::to_string(at - begin()) + " of " + name_ + ", which has " +
                     std::to_string(bytes_) + " bytes");
    }
  }
  void Shut() {
    if (base_ != nullptr) Close(base_, room_);
    shut_ = true;
  }
  /// Copies the contents, including the driver's changes, to `first`.
  void To(void* first) const {
    if (bytes_ != 0) std::memcpy(first, begin(), bytes_);
  }

 private:
  static constexpr size_t kStep = 16 * kPage, kGuard = 1 << 20, kFront = 64;
  static constexpr uint8_t kFrontByte = 0xFE;

  char* begin() const { return base_ + room_ - bytes_; }
  void Grow(size_t bytes) {
    if (base_ != nullptr) Release(base_, room_ + kGuard);
    base_ = nullptr;
    room_ = (bytes / kStep + 1) * kStep;
    base_ = Reserve(room_ + kGuard);
    if (!Open(base_, room_)) throw std::bad_alloc();
  }
  std::optional<Trespass> At(const char* address) const override {
    if (base_ == nullptr || address < base_ || address >= base_ + room_ + kGuard) return std::nullopt;
    if (shut_ && address < base_ + room_)
      return Trespass{StopCode::kUnknown, name_ + ", which the driver was given for a call that is over"};
    if (address < base_ + room_) return std::nullopt;
    return Trespass{StopCode::kUnknown, "byte " + std::to_string(address - begin()) + " of " + name_ + ", which has " +
                                            std::to_string(bytes_) + " bytes"};
  }

  const void* Real(const char* address) const override {
    if (real_ == nullptr || shut_ || address < begin() || address >= base_ + room_) return nullptr;
    return real_ + (address - begin());
  }

  char* base_ = nullptr;
  const char* real_ = nullptr;
  size_t room_ = 0, bytes_ = 0;
  std::string name_;
  bool shut_ = false;
};

}  // namespace gmmu::os
