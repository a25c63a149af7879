// SPDX-License-Identifier: Apache-2.0
#include "os/stack_meter.h"

#include <algorithm>
#include <boost/context/preallocated.hpp>
#include <stdexcept>
#include <utility>

namespace gmmu::os {
namespace {

namespace context = boost::context;

constexpr uint64_t kPaint = 0x5AC7'5AC7'5AC7'5AC7;
thread_local StackMeter* running = nullptr;

/// The stack belongs to the meter.
struct KeepsIt {
  void deallocate(context::stack_context&) noexcept {}
};

}  // namespace

StackMeter::StackMeter(size_t bytes) : stack_(bytes / sizeof(uint64_t), kPaint) {
  RunPainted([] {});  // the first one links what it calls, on that stack
  own_ = RunPainted([] {});
}

size_t StackMeter::Touched() {
  const auto deepest = std::find_if(stack_.begin(), stack_.end(), [](uint64_t word) { return word != kPaint; });
  const auto bytes = static_cast<size_t>(stack_.end() - deepest) * sizeof(uint64_t);
  std::fill(deepest, stack_.end(), kPaint);
  return bytes;
}

size_t StackMeter::RunPainted(const std::function<void()>& routine) {
  if (running != nullptr) throw std::logic_error("a stack is measured while another one is");
  context::stack_context place;
  place.size = stack_.size() * sizeof(uint64_t);
  place.sp = stack_.data() + stack_.size();
  std::exception_ptr error;
  context::fiber routine_context(std::allocator_arg, context::preallocated(place.sp, place.size, place), KeepsIt(),
                                 [&](context::fiber&& caller) {
                                   caller_ = &caller;
                                   try {
                                     routine();
                                   } catch (const context::detail::forced_unwind&) {
                                     throw;
                                   } catch (...) {
                                     error = std::current_exception();
                                   }
                                   return std::move(caller);
                                 });
  while (routine_context) {
    running = this;
    routine_context = std::move(routine_context).resume();
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
  context::fiber caller = std::move(*meter->caller_).resume();
  *meter->caller_ = std::move(caller);
  if (meter->error_) std::rethrow_exception(std::exchange(meter->error_, nullptr));
}

}  // namespace gmmu::os
