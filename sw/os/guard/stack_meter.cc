// SPDX-License-Identifier: Apache-2.0
#include "os/guard/stack_meter.h"

#include <sys/mman.h>

#include <algorithm>
#include <boost/context/preallocated.hpp>
#include <cstring>
#include <new>
#include <stdexcept>
#include <utility>
#include <vector>

#include "os/guard/driver_guard.h"

namespace gmmu::os {
namespace {

namespace context = boost::context;

constexpr size_t kGuard = 16 << 20;  // guard area in bytes; no stack frame is larger
constexpr size_t kPage = 4096;
constexpr uint64_t kPaint = 0x5AC7'5AC7'5AC7'5AC7;
thread_local StackMeter* running = nullptr;

/// Prevents the context from freeing the stack, which belongs to the meter.
struct KeepsIt {
  void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

StackMeter::StackMeter(size_t bytes) : bytes_(bytes) {
  void* at = mmap(nullptr, kGuard + bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED) throw std::bad_alloc();
  if (mprotect(at, kGuard, PROT_NONE) != 0) throw std::bad_alloc();
  begin_ = reinterpret_cast<uint64_t*>(static_cast<char*>(at) + kGuard);
  std::fill(begin_, end(), kPaint);
  stack_ = FibreStack(begin_, bytes_);
  const auto empty = [] { DriverGuard::Run("", 0, 0, [] {}); };
  // The first call on the stack resolves symbols, which must not be measured.
  RunPainted(empty);
  own_ = RunPainted(empty);
}

StackMeter::~StackMeter() {
  stack_.Open();
  munmap(reinterpret_cast<char*>(begin_) - kGuard, kGuard + bytes_);
}

size_t StackMeter::Touched() {
  // The fill pattern; the stack is compared page by page.
  static const std::vector<uint64_t> painted(kPage / sizeof kPaint, kPaint);
  stack_.Open();
  uint64_t* deepest = begin_;
  while (deepest != end() && std::memcmp(deepest, painted.data(), kPage) == 0) deepest += painted.size();
  deepest = std::find_if(deepest, end(), [](uint64_t word) { return word != kPaint; });
  const auto bytes = static_cast<size_t>(end() - deepest) * sizeof(uint64_t);
  std::fill(deepest, end(), kPaint);
  return bytes;
}

size_t StackMeter::RunPainted(const std::function<void()>& routine) {
  if (running != nullptr) throw std::logic_error("a stack is measured while another one is");
  context::stack_context place;
  place.size = bytes_;
  place.sp = end();
  std::exception_ptr error;
  context::fiber routine_context(std::allocator_arg, context::preallocated(place.sp, place.size, place), KeepsIt(),
                                 [&](context::fiber&& caller) {
                                   FibreStack::Begin(caller_stack_);
                                   caller_ = &caller;
                                   try {
                                     routine();
                                   } catch (const context::detail::forced_unwind&) {
                                     throw;
                                   } catch (...) {
                                     error = std::current_exception();
                                   }
                                   FibreStack::End(caller_stack_);
                                   return std::move(caller);
                                 });
  while (routine_context) {
    running = this;
    caller_stack_.Leave(stack_);
    routine_context = std::move(routine_context).resume();
    caller_stack_.Arrive();
    running = nullptr;
    if (off_ == nullptr) continue;
    const auto& work = *std::exchange(off_, nullptr);
    try {
      work();
    } catch (...) {
      error_ = std::current_exception();
    }
  }
  const size_t bytes = Touched();
  if (error) std::rethrow_exception(error);
  return bytes;
}

size_t StackMeter::Run(const std::function<void()>& routine) {
  const size_t bytes = RunPainted(routine);
  return bytes > own_ ? bytes - own_ : 0;
}

void StackMeter::Off(const std::function<void()>& work) {
  StackMeter* meter = running;
  if (meter == nullptr) return work();
  meter->off_ = &work;
  DriverGuard::Frame* const call = DriverGuard::Take();
  meter->stack_.Leave(meter->caller_stack_);
  context::fiber caller = std::move(*meter->caller_).resume();
  meter->stack_.Arrive();
  *meter->caller_ = std::move(caller);
  DriverGuard::Put(call);
  if (meter->error_) std::rethrow_exception(std::exchange(meter->error_, nullptr));
}

}  // namespace gmmu::os
