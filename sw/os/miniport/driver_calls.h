// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/kernel/ddi_trace.h"
#include "os/guard/driver_guard.h"
#include "os/base/errors.h"
#include "os/threads/interrupt_lock.h"
#include "os/threads/scheduler.h"
#include "os/guard/stack_meter.h"
#include "os/miniport/call_levels.h"
#include "os/miniport/guarded_arguments.h"

namespace gmmu::os {

class Kernel;

/// Makes every call into a display driver's table, and decides which calls may be in the driver at the same time.
///
/// Each call must be made at the IRQL that the interface defines, and must return at the same IRQL; otherwise a bug
/// check is triggered. Calls obey the threading levels (call_levels.h). The memory to which arguments point is guarded
/// (guarded_arguments.h). An empty table entry causes an OsError that names the entry.
class DriverCalls {
 public:
  DriverCalls(Kernel& kernel, const DRIVER_INITIALIZATION_DATA& table) : kernel_(kernel), table_(table) {}

  Kernel& kernel() { return kernel_; }
  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }
  /// Calls `function`, the table's `entry`, at `level`.
  template <typename Function, typename... Args>
  auto Call(const char* entry, Function* function, Irql level, Args... args);
  /// Guarded copies of the memory to which arguments point. The driver gets these copies.
  GuardedCopies& copies() { return copies_; }
  /// Returns how often an entry point such as "DxgkDdiQueryAdapterInfo" has been called.
  uint64_t calls(const std::string& entry) const;
  /// The maximum stack use of a DxgkDdiBuildPagingBuffer call, in bytes, or 0 if it is not measured.
  size_t build_stack_used() const { return build_stack_used_; }

  /// The driver's context pointer for the device `unit` (in AddDevice order), or null before AddDevice and after
  /// removal.
  PVOID context(unsigned unit) const { return unit < contexts_.size() ? contexts_[unit] : nullptr; }
  void AddContext(PVOID context) { contexts_.push_back(context); }
  void ForgetContext(unsigned unit) { contexts_[unit] = nullptr; }
  unsigned units() const { return static_cast<unsigned>(contexts_.size()); }
  /// Sets the lead device. Calls without a unit use the lead device's context.
  void set_lead(unsigned unit) { lead_ = unit; }
  unsigned lead_unit() const { return lead_; }
  PVOID lead() const { return context(lead_); }

  /// Sets the check that precedes level-three calls. It returns "" if the GPU is idle and video memory is evicted;
  /// otherwise it names what is not idle or evicted.
  void set_not_idle(std::function<std::string()> not_idle) { not_idle_ = std::move(not_idle); }
  /// True if no call of the GPU scheduler's class is inside the driver (call_levels.h).
  bool scheduler_class_free() const { return !in_scheduler_class_ && !OthersWait(); }
  void WaitForSchedulerClass(const char* entry);

  /// Keeps other fibres out of the driver until EndExclusiveAccess. Their calls wait; interrupts
  /// and deferred calls are held back and delivered at the end. Only one exclusive access exists at
  /// a time; it belongs to the fibre that began it. `drain` must not return before the driver holds
  /// no work and no new work can arrive. While it runs, other calls (including recovery) still
  /// enter the driver. Rethrows the exceptions of `drain`, and throws OsError if the driver fails
  /// the request; in both cases, exclusive access has not begun.
  void BeginExclusiveAccess(const std::function<void()>& drain);
  /// Throws OsError if the driver fails the request. Exclusive access ends even then.
  void EndExclusiveAccess();
  /// Number of interrupts and deferred calls that exclusive access has held back.
  uint64_t held() const { return held_; }
  /// Calls the driver's interrupt routine at device level, with the device's interrupt lock held.
  bool InterruptRoutine(ULONG message, unsigned unit = 0);
  void DpcRoutine(unsigned unit = 0);
  /// Implements DxgkCbSynchronizeExecution: runs `routine` at device level, excluding the device's interrupt routine.
  bool Synchronize(unsigned unit, const std::function<bool()>& routine);

  /// Throws OsError if `status` is a failure: "the driver refused <what> with status 0x...".
  static void Require(NTSTATUS status, const std::string& what);

 private:
  /// Waits until the entry point may be called, and counts the call. Triggers a bug check if the IRQL is not `level`.
  void Enter(const char* entry, Irql level);
  /// While an InDriver exists, the current thread counts as being inside the driver.
  class InDriver {
   public:
    InDriver(DriverCalls& calls, const char* entry);
    ~InDriver();
    InDriver(const InDriver&) = delete;
    InDriver& operator=(const InDriver&) = delete;
    /// Call when the driver has returned. Triggers a bug check if the IRQL is not `level`, if the thread holds an
    /// additional lock, or if a data race was detected.
    void Return(Irql level) const;

   private:
    Kernel& kernel_;
    const char* const entry_;
    const bool was_in_driver_;
    const size_t locks_;
  };
  bool MeasuresStack(const char* entry) const;
  /// If `entry` must not return `status` (statuses.def), records it as a driver mistake.
  void NoteStatus(const char* entry, NTSTATUS status);
  uint64_t NowNs() const;
  const void* kernel_thread() const;
  DdiTrace* trace() const;
  /// True if another thread's level-three call is inside the driver, so that all other threads
  /// wait.
  bool OthersWait() const { return alone_ != nullptr && alone_ != kernel_thread(); }
  InterruptLock& LockOf(unsigned unit);
  void Open();
  /// Each function returns true if it had to wait. During the wait, other fibres may have changed
  /// the state.
  bool PassGate(const char* entry, Irql level);
  bool PassLevel(const char* entry);
  bool PassAlone(const char* entry);

  Kernel& kernel_;
  const DRIVER_INITIALIZATION_DATA table_;
  std::vector<PVOID> contexts_;
  unsigned lead_ = 0;
  bool claimed_ = false;                               // exclusive access is in use or pending
  const void* owner_ = nullptr;                        // the fibre that has exclusive access, from begin to end
  bool at_gate_ = false;                               // inside DxgkDdi{Begin,End}ExclusiveAccess
  unsigned inside_ = 0;                                // calls in progress at PASSIVE_LEVEL
  unsigned raised_ = 0;                                // calls in progress at higher levels
  std::map<unsigned, InterruptLock> interrupt_locks_;  // by unit
  std::set<unsigned> held_interrupts_, held_dpcs_;     // units whose interrupts or DPCs are held back
  uint64_t held_ = 0;
  std::function<std::string()> not_idle_;
  bool in_scheduler_class_ = false;
  const void* alone_ = nullptr;  // the thread whose level-three call is in progress
  StackMeter stack_;
  size_t build_stack_used_ = 0;
  GuardedCopies copies_;
  std::map<std::string, uint64_t> calls_;
};

template <typename Function, typename... Args>
auto DriverCalls::Call(const char* entry, Function* function, Irql level, Args... args) {
  if (function == nullptr) throw OsError(std::string("the driver's table has no ") + entry);
  Enter(entry, level);
  struct InClass {
    InClass(bool& flag, bool set) : flag_(flag), set_(set) { flag_ = flag_ || set_; }
    ~InClass() {
      if (set_) flag_ = false;
    }
    bool& flag_;
    const bool set_;
  } const in_class(in_scheduler_class_, LevelOf(entry) == CallLevel::kOne);
  struct Alone {
    Alone(const void*& thread, const void* set) : thread_(thread), before_(thread) {
      if (set != nullptr) thread_ = set;
    }
    ~Alone() { thread_ = before_; }
    const void*& thread_;
    const void* const before_;
  } const alone(alone_, LevelOf(entry) == CallLevel::kThree ? kernel_thread() : nullptr);
  struct Inside {
    explicit Inside(unsigned& count) : count_(count) { ++count_; }
    ~Inside() { --count_; }
    unsigned& count_;
  } const inside(level == kPassive ? inside_ : raised_);
  const InDriver call(*this, entry);
  const uint64_t now = NowNs();
  GuardedArguments guarded(copies_);
  const std::tuple<decltype(guarded.Of(args))...> given(guarded.Of(args)...);
  const auto enter = [&] { return std::apply(function, given); };
  std::optional<DdiTrace::Call> traced;
  std::apply([&](const auto&... each) { traced.emplace(trace(), entry, each...); }, given);
  if constexpr (std::is_void_v<decltype(function(args...))>) {
    DriverGuard::Run(entry, level, now, enter);
    std::apply([&](const auto&... each) { traced->Returned(each...); }, given);
    copies_.Check();
    call.Return(level);
  } else {
    decltype(function(args...)) result{};
    const auto guard = [&] { DriverGuard::Run(entry, level, now, [&] { result = enter(); }); };
    if (MeasuresStack(entry)) {
      build_stack_used_ = std::max(build_stack_used_, stack_.Run(guard));
    } else {
      guard();
    }
    std::apply([&](const auto&... each) { traced->Answered(result, each...); }, given);
    copies_.Check();
    call.Return(level);
    if constexpr (std::is_same_v<decltype(result), NTSTATUS>) NoteStatus(entry, result);
    return result;
  }
}

}  // namespace gmmu::os

/// Name and function pointer of a table entry, as arguments of Call.
#define GMMU_DRIVER(calls, entry) "DxgkDdi" #entry, (calls).table().DxgkDdi##entry
