// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "os/miniport/guarded_arguments.h"

namespace gmmu::os {

/// A buffer that the driver fills from its start, advancing the pointer as it writes. The driver
/// writes to a guarded copy of the buffer.
class DriverRoom {
 public:
  DriverRoom(GuardedArguments& guarded, PVOID& pointer, UINT bytes, const char* name)
      : pointer_(pointer), real_(static_cast<uint8_t*>(pointer)), bytes_(bytes) {
    pointer = guarded.Room(pointer, bytes, name);
    given_ = static_cast<uint8_t*>(pointer);
  }
  /// Copies the written bytes and the pointer back.
  void Back() {
    if (given_ == real_) return;
    const ptrdiff_t moved = static_cast<uint8_t*>(pointer_) - given_;
    if (moved > 0 && static_cast<size_t>(moved) <= bytes_) std::memcpy(real_, given_, static_cast<size_t>(moved));
    pointer_ = real_ + moved;
  }

 private:
  PVOID& pointer_;
  uint8_t* const real_;
  const size_t bytes_;
  uint8_t* given_ = nullptr;
};

}  // namespace gmmu::os
