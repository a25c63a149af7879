// SPDX-License-Identifier: Apache-2.0
// A driver compiled with -fsanitize=thread calls these functions before each memory access and instead of each atomic
// operation. The compilers define their names and arguments. Only the driver is compiled with this option, and
// ThreadSanitizer's own library is not used.
#include <cstdint>
#include <cstring>

#include "os/threads/race_detector.h"
#include "os/guard/stack_meter.h"

namespace {

using gmmu::os::RaceDetector;

void Note(const void* at, size_t bytes, bool write, const void* code) {
  RaceDetector* const races = RaceDetector::active();
  if (races == nullptr) return;
  gmmu::os::StackMeter::Off([&] { races->Access(at, bytes, write, code); });
}

/// An interlocked operation acquires and releases its own address. It is also an access, which can
/// race with plain accesses that are not ordered with it.
template <typename Word, typename Operation>
auto Ordered(const volatile Word* at, bool write, const void* code, const Operation& operation) {
  RaceDetector* const races = RaceDetector::active();
  const void* const object = const_cast<const Word*>(at);
  if (races != nullptr) gmmu::os::StackMeter::Off([&] { races->Acquire(object); });
  Note(object, sizeof(Word), write, code);
  const auto result = operation();
  if (races != nullptr) gmmu::os::StackMeter::Off([&] { races->Release(object); });
  return result;
}

}  // namespace

#define CODE __builtin_return_address(0)
#define ACCESS(bytes)                                                                                  \
  void __tsan_read##bytes(void* at) { Note(at, bytes, false, __builtin_return_address(0)); }           \
  void __tsan_write##bytes(void* at) { Note(at, bytes, true, __builtin_return_address(0)); }           \
  void __tsan_unaligned_read##bytes(void* at) { Note(at, bytes, false, __builtin_return_address(0)); } \
  void __tsan_unaligned_write##bytes(void* at) { Note(at, bytes, true, __builtin_return_address(0)); } \
  void __tsan_volatile_read##bytes(void* at) { Note(at, bytes, false, __builtin_return_address(0)); }  \
  void __tsan_volatile_write##bytes(void* at) { Note(at, bytes, true, __builtin_return_address(0)); }  \
  void __tsan_read_write##bytes(void* at) { Note(at, bytes, true, __builtin_return_address(0)); }

#define CHANGE(bits, name, operation)                                                                   \
  uint##bits##_t __tsan_atomic##bits##_##name(volatile uint##bits##_t* at, uint##bits##_t value, int) { \
    return Ordered(at, true, CODE, [&] { return operation(at, value, __ATOMIC_SEQ_CST); });             \
  }

#define COMPARE(bits, name)                                                                                \
  int __tsan_atomic##bits##_compare_exchange_##name(volatile uint##bits##_t* at, uint##bits##_t* expected, \
                                                    uint##bits##_t value, int, int) {                      \
    return Ordered(at, true, CODE, [&] {                                                                   \
      return __atomic_compare_exchange_n(at, expected, value, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);  \
    });                                                                                                    \
  }

#define ATOMIC(bits)                                                                           \
  uint##bits##_t __tsan_atomic##bits##_load(const volatile uint##bits##_t* at, int) {          \
    return Ordered(at, false, CODE, [&] { return __atomic_load_n(at, __ATOMIC_SEQ_CST); });    \
  }                                                                                            \
  void __tsan_atomic##bits##_store(volatile uint##bits##_t* at, uint##bits##_t value, int) {   \
    Ordered(at, true, CODE, [&] { return __atomic_exchange_n(at, value, __ATOMIC_SEQ_CST); }); \
  }                                                                                            \
  CHANGE(bits, exchange, __atomic_exchange_n)                                                  \
  CHANGE(bits, fetch_add, __atomic_fetch_add)                                                  \
  CHANGE(bits, fetch_sub, __atomic_fetch_sub)                                                  \
  CHANGE(bits, fetch_and, __atomic_fetch_and)                                                  \
  CHANGE(bits, fetch_or, __atomic_fetch_or)                                                    \
  CHANGE(bits, fetch_xor, __atomic_fetch_xor)                                                  \
  COMPARE(bits, strong)                                                                        \
  COMPARE(bits, weak)

extern "C" {

void __tsan_init() {}
void __tsan_func_entry(void*) {}
void __tsan_func_exit() {}
void __tsan_vptr_read(void**) {}
void __tsan_vptr_update(void**, void*) {}
void __tsan_ignore_thread_begin() {}
void __tsan_ignore_thread_end() {}
void __tsan_atomic_thread_fence(int) {}
void __tsan_atomic_signal_fence(int) {}
void __tsan_read_range(void* at, size_t bytes) { Note(at, bytes, false, __builtin_return_address(0)); }
void __tsan_write_range(void* at, size_t bytes) { Note(at, bytes, true, __builtin_return_address(0)); }
// Clang calls these functions instead of the C library's.
void* __tsan_memcpy(void* to, const void* from, size_t bytes) {
  Note(from, bytes, false, __builtin_return_address(0));
  Note(to, bytes, true, __builtin_return_address(0));
  return std::memcpy(to, from, bytes);
}
void* __tsan_memmove(void* to, const void* from, size_t bytes) {
  Note(from, bytes, false, __builtin_return_address(0));
  Note(to, bytes, true, __builtin_return_address(0));
  return std::memmove(to, from, bytes);
}
void* __tsan_memset(void* to, int value, size_t bytes) {
  Note(to, bytes, true, __builtin_return_address(0));
  return std::memset(to, value, bytes);
}

ACCESS(1)
ACCESS(2)
ACCESS(4)
ACCESS(8)
ACCESS(16)
ATOMIC(8)
ATOMIC(16)
ATOMIC(32)
ATOMIC(64)

}  // extern "C"
