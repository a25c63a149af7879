// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "ddi/ntdef.h"
#include "os/kernel/guarded_copy.h"

namespace gmmu::os {

/// Copies for the calls that are under way, kept for the next ones.
class GuardedCopies {
 public:
  std::unique_ptr<GuardedCopy> Take();
  void Put(std::unique_ptr<GuardedCopy> copy) { spare_.push_back(std::move(copy)); }

 private:
  std::vector<std::unique_ptr<GuardedCopy>> spare_;
};

/// The arguments of one call into the driver: what a pointer names is handed over as a copy whose end is the end of
/// what may be touched, and comes back when the call is over, unless it is constant. While DriverGuard is not installed
/// the pointers are passed as they are.
class GuardedArguments {
 public:
  explicit GuardedArguments(GuardedCopies& copies) : copies_(copies) {}
  ~GuardedArguments();
  GuardedArguments(const GuardedArguments&) = delete;
  GuardedArguments& operator=(const GuardedArguments&) = delete;

  template <typename Value>
  Value Of(Value value) {
    return value;
  }
  template <typename T>
  T* Of(T* at) {
    if constexpr (std::is_void_v<T> || std::is_function_v<T> || std::is_same_v<T, DEVICE_OBJECT>) {
      return at;  // a handle
    } else {
      return static_cast<T*>(Array(at, sizeof(T), [] { return ReadableName(typeid(T)); }, !std::is_const_v<T>));
    }
  }
  /// Memory that a structure names. `back`: what the driver has made of it is wanted.
  void* Array(const void* at, size_t bytes, const std::function<std::string()>& name, bool back);

 private:
  static std::string ReadableName(const std::type_info& type);
  struct Loan {
    std::unique_ptr<GuardedCopy> copy;
    void* back;
  };
  GuardedCopies& copies_;
  std::vector<Loan> loans_;
};

}  // namespace gmmu::os
