// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace gmmu::os {

/// Tells AddressSanitizer which stack is in use when code switches between the stacks of fibres.
/// Without AddressSanitizer, nothing happens.
///
/// Each stack has one object. The code that switches calls Leave before the switch and Arrive after
/// it, when its own stack is in use again; the first code on a new stack calls Begin.
class FibreStack {
 public:
  FibreStack() = default;
  /// [bottom, bottom + size) is the stack.
  FibreStack(const void* bottom, size_t size) : bottom_(bottom), size_(size) {}

#ifdef __SANITIZE_ADDRESS__
  void Leave(const FibreStack& to) { __sanitizer_start_switch_fiber(&fake_, to.bottom_, to.size_); }
  void Arrive() { __sanitizer_finish_switch_fiber(fake_, nullptr, nullptr); }
  /// `from`, the stack that was in use before, gets its bounds.
  static void Begin(FibreStack& from) { __sanitizer_finish_switch_fiber(nullptr, &from.bottom_, &from.size_); }
  /// Like Leave, for a stack that is not used again.
  static void End(const FibreStack& to) { __sanitizer_start_switch_fiber(nullptr, to.bottom_, to.size_); }
  /// Makes all of an unused stack plain memory again. Call it before the stack is read or freed: other
  /// memory may be mapped at its address later.
  void Open() const { __asan_unpoison_memory_region(bottom_, size_); }
#else
  void Leave(const FibreStack&) {}
  void Arrive() {}
  static void Begin(FibreStack&) {}
  static void End(const FibreStack&) {}
  void Open() const {}
#endif

 private:
  [[maybe_unused]] void* fake_ = nullptr;
  [[maybe_unused]] const void* bottom_ = nullptr;
  [[maybe_unused]] size_t size_ = 0;
};

}  // namespace gmmu::os
