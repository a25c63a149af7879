// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <type_traits>
#include <typeinfo>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/guard/guarded_copy.h"

namespace gmmu::os {

/// Copies of arguments. A copy becomes inaccessible when it is returned, and is reused only after kQuarantine other
/// copies have been returned. A driver that keeps a pointer to a returned copy therefore faults when it uses the
/// pointer.
class GuardedCopies {
 public:
  std::unique_ptr<GuardedCopy> Take();
  void Put(std::unique_ptr<GuardedCopy> copy);
  /// Throws BugCheck if the driver has written before the start of a copy that is in use.
  void Check() const;

 private:
  static constexpr size_t kQuarantine = 256;
  std::deque<std::unique_ptr<GuardedCopy>> spare_;
  std::set<const GuardedCopy*> out_;
};

/// The arguments of one call into the driver. For each pointer argument, the driver gets a copy of
/// the object. A guard page follows the copy, so an access beyond its end faults. After the call,
/// the copy is written back unless the object is constant. While DriverGuard is not installed, the
/// pointers are passed unchanged.
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
      return at;  // the argument is an opaque handle
    } else {
      return static_cast<T*>(Array(at, BytesOf(at), [] { return ReadableName(typeid(T)); }, !std::is_const_v<T>));
    }
  }
  /// Copies memory to which a structure points. If `back` is true, the driver's changes are copied back.
  void* Array(const void* at, size_t bytes, const std::function<std::string()>& name, bool back);
  /// Copies an array of T; a constant array is not copied back.
  template <typename T>
  void Guard(T*& first, size_t count, const char* name) {
    first = static_cast<T*>(Array(first, count * sizeof(T), [name] { return std::string(name); }, !std::is_const_v<T>));
  }
  /// Returns a buffer that the driver fills in place of the memory at `at`. The caller must copy
  /// back the bytes that the driver has written.
  void* Room(void* at, size_t bytes, const char* name);

 private:
  static std::string ReadableName(const std::type_info& type);
  /// Returns the number of bytes that the driver may access. For the callback table, this is the
  /// size that the driver's interface version defines.
  template <typename T>
  static size_t BytesOf(const T* at) {
    if constexpr (std::is_same_v<T, DXGKRNL_INTERFACE>) return at == nullptr ? 0 : at->Size;
    else return sizeof(T);
  }
  struct Loan {
    std::unique_ptr<GuardedCopy> copy;
    void* back;
  };
  GuardedCopies& copies_;
  std::vector<Loan> loans_;
};

}  // namespace gmmu::os
