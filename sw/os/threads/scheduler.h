// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "hw/platform.h"
#include "os/base/errors.h"
#include "os/base/random.h"

namespace gmmu::os {

class FibreContext;

/// Interrupt request levels, numbered as on x64.
enum Irql : uint8_t { kPassive = 0, kApc = 1, kDispatch = 2, kDevice = 10, kHigh = 15 };

/// Threads of the OS model, as fibres on one host thread. Runs with the same seed are identical.
///
/// A fibre runs until it waits or yields. The seed then selects the next fibre among those that can
/// run. If none can run, time advances until an interrupt message arrives or the nearest bound
/// passes. An interrupt service routine runs at IRQL kDevice on the stack of the fibre whose
/// machine access found the message. Deferred procedure calls run after it, as soon as the IRQL is
/// below kDispatch.
///
/// With preemption, every fibre has its own processor, as on a machine with many processors. At a
/// preemption point (seam) in driver code, the seed may let another fibre run, at any IRQL; only
/// locks then exclude fibres from each other. Interrupts and deferred calls then each have their
/// own fibre. Operating system code is never preempted; the model assumes that locks protect it.
class Scheduler {
 public:
  /// One hour: the time limit of waits for work that has its own time limits. It is only a safety
  /// net, because no wait may be unlimited.
  static constexpr uint64_t kForEver = 3'600'000'000'000;
  /// The time limit for a thread that waits for new work. The machine may be idle for any length of
  /// time.
  static constexpr uint64_t kWhileOn = uint64_t{1} << 62;
  /// A storm is more than this number of messages and deferred calls while no thread makes
  /// progress, or more than this number of queued messages. It triggers a bug check that names the
  /// vectors; their later messages are dropped.
  static constexpr uint64_t kStorm = 100'000;
  /// A storm is also more than this number of work items and new driver threads while no other
  /// thread makes progress and no time passes in another thread's wait. Without this limit, a work
  /// item that requeues itself would keep the run from ending.
  static constexpr uint64_t kWorkStorm = 10'000;

  /// `preemption`: at how many of 1000 seams in driver code another fibre runs. `wait_scale`
  /// multiplies the bounds of waits.
  Scheduler(hw::Platform& platform, uint64_t seed, unsigned preemption = 0, uint64_t wait_scale = 1);
  ~Scheduler();

  /// Starts a fibre with `stack_bytes` of stack and a guard page below it. The fibre first runs inside Run().
  void Spawn(std::string name, std::function<void()> body, size_t stack_bytes = 256 * 1024);
  /// Starts a fibre that does not keep Run() going. If only such fibres are left, their waits
  /// throw, which ends them.
  void SpawnServer(std::string name, std::function<void()> body);
  /// Starts a fibre for a work item that the driver has queued. The fibre calls NoteWork when it
  /// begins.
  void SpawnWork(const std::string& routine, std::function<void()> body);
  /// Call when driver work begins in the current fibre. A storm triggers a bug check that names the
  /// routines.
  void NoteWork(const std::string& routine);
  /// Runs until every fibre has returned. The first exception that leaves a fibre cancels the other fibres (their waits
  /// throw); Run then rethrows it.
  void Run();

  /// Waits until `condition` holds. Throws OsTimeout if Bound(bound_ns) of machine time passes first. If `poll_ns` is
  /// 0, the condition is checked only after interrupts; otherwise at least every `poll_ns`. The IRQL must be below
  /// kDispatch.
  void Wait(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what, uint64_t poll_ns = 0);
  /// Like Wait, but the bound is not scaled.
  void WaitExactly(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what,
                   uint64_t poll_ns = 0);
  /// Returns the bound, multiplied by wait_scale. The multiplication never raises it above
  /// kForEver.
  uint64_t Bound(uint64_t ns) const { return ns < kForEver / wait_scale_ ? ns * wait_scale_ : std::max(ns, kForEver); }
  /// Lets other fibres run.
  void Yield();

  /// Call after every access to the machine. Serves pending messages. With preemption, the interrupt fibre serves the
  /// messages instead, and driver code may be preempted inside this call.
  void Seam();
  /// A preemption point. Does nothing outside driver code.
  void Preempt();
  /// Sets whether the current fibre is in driver code. Returns the previous value.
  bool EnterDriver(bool in_driver) {
    return running_ == nullptr ? false : std::exchange(running_->in_driver, in_driver);
  }
  /// Spins until `condition` is true, at any IRQL. Only another processor can make it true.
  /// Triggers a bug check that contains `what` if preemption is off, or if the condition is not
  /// true within a second.
  void Spin(const std::function<bool()>& condition, const std::string& what);
  bool preempts() const { return preemption_ != 0; }

  /// True if an interrupt or a deferred call is pending or is being served by its own fibre.
  bool ServesInterrupts() const { return at_work_ != 0 || !messages_.empty() || !dpcs_.empty(); }
  /// `isr` serves messages whose data is `data`.
  void ConnectInterrupt(uint32_t data, std::string name, std::function<void()> isr);
  /// When this returns, no routine of the vector and no deferred call is running. Messages that
  /// have already arrived are still served; the device must send no more.
  void DisconnectInterrupt(uint32_t data);
  /// Queues a deferred procedure call. It runs immediately if the IRQL permits. With preemption,
  /// the DPC fibre runs it.
  void QueueDpc(std::function<void()> dpc);

  Irql irql() const { return irql_; }
  /// Whether SpawnServer started the current fibre.
  bool serves() const { return running_ != nullptr && running_->serves; }
  bool may_wait() const { return irql_ < kDispatch && !other_processor_; }
  /// Triggers a bug check if the IRQL is not between `lowest` and `highest` (RequireApc: up to
  /// APC_LEVEL). The message names the routine `call`, the limit, the IRQL and the driver call in
  /// progress.
  void RequireIrql(const char* call, Irql highest, Irql lowest = kPassive) const;
  void RequireApc(const char* call) const { RequireIrql(call, kApc); }
  /// Both return the previous level. Raise must not lower the level and Lower must not raise it;
  /// otherwise they trigger a bug check.
  Irql Raise(Irql level);
  void Lower(Irql level);

  /// Runs `work` as if concurrently on another processor, at PASSIVE_LEVEL and without interrupts.
  /// `work` must not wait.
  void OnAnotherProcessor(const std::function<void()>& work);
  bool on_another_processor() const { return other_processor_; }
  /// Process of the current fibre. Fibres start in process 0, the system process.
  uint64_t process() const { return running_ == nullptr ? 0 : running_->process; }
  /// Implements KeStackAttachProcess. Returns the previous process. Code outside fibres runs in the
  /// system process only.
  uint64_t AttachProcess(uint64_t process);
  /// Sets the function that is called with the new process whenever the processor switches address
  /// spaces. It may be null.
  void set_on_process(std::function<void(uint64_t process)> on_process) { on_process_ = std::move(on_process); }

  /// Number of messages that were served.
  uint64_t delivered() const { return delivered_; }
  /// Number of times that driver code was preempted.
  uint64_t preempted() const { return preempted_; }
  /// Number of messages without a connected routine.
  uint64_t spurious() const { return spurious_; }
  /// The current fibre, or null outside any fibre. Use it only for comparison.
  const void* fibre() const { return running_; }
  /// Like fibre(), but never null: all code outside fibres counts as one thread.
  const void* thread() const { return running_ == nullptr ? static_cast<const void*>(this) : running_; }
  /// The current fibre's unique number, or 0 outside any fibre.
  uint64_t thread_number() const { return running_ == nullptr ? 0 : running_->number; }
  /// Name of the current fibre, or "boot" outside any fibre.
  std::string current() const { return running_ == nullptr ? "boot" : running_->name; }

 private:
  struct Fibre {
    std::string name;
    uint64_t number = 0;
    std::unique_ptr<FibreContext> context;
    const std::function<bool()>* condition = nullptr;  // null if the fibre can run
    uint64_t deadline = 0;
    uint64_t poll_ns = 0;
    uint64_t process = 0;
    bool timed_out = false;
    bool in_driver = false;
    bool serves = false;  // started by SpawnServer: must end if no other fibre is left
    bool works = false;   // started by SpawnWork
  };
  struct Vector {
    uint32_t data;
    std::string name;
    std::function<void()> isr;
  };
  struct Cancelled {};

  void Suspend();
  std::vector<Fibre*> Ready();
  void Resume(Fibre* fibre);
  bool OnlyServersLeft() const;
  void TellProcess();
  void Deliver(const hw::Message& message);
  void RunDpcs();
  /// Counts a delivery for vector `data` (kDeferred: a deferred call). Returns false if the vector
  /// has caused a storm and the delivery must be dropped.
  bool NoteDelivery(uint64_t data);
  void NoteProgress() { storm_.clear(); }
  [[noreturn]] void EndStorm();
  bool OnlyTheDriversLeft() const;
  void Idle();
  /// Starts the interrupt fibre and the DPC fibre.
  void SpawnServers();

  hw::Platform& platform_;
  Random random_;
  const unsigned preemption_;
  const uint64_t wait_scale_;
  Random preemptions_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::vector<Vector> vectors_;
  std::deque<std::function<void()>> dpcs_;
  bool serving_ = false;                  // the interrupt and DPC fibres have started
  bool last_round_ = false;               // the fibres started by SpawnServer must end
  unsigned at_work_ = 0;                  // interrupt routines and deferred calls in progress
  std::deque<hw::Message> messages_;      // messages queued for the interrupt fibre
  std::map<uint64_t, uint64_t> storm_;    // by vector: deliveries since a thread last made progress
  std::map<std::string, uint64_t> work_;  // by routine: work begun since another thread progressed
  std::set<uint64_t> dropped_;            // vectors whose messages are dropped
  Fibre* running_ = nullptr;
  std::function<void(uint64_t process)> on_process_;
  uint64_t told_process_ = 0;
  Irql irql_ = kPassive;
  bool other_processor_ = false;
  bool cancelled_ = false;
  std::exception_ptr error_;
  uint64_t delivered_ = 0;
  uint64_t spurious_ = 0;
  uint64_t preempted_ = 0;
  uint64_t spawned_ = 0;
};

}  // namespace gmmu::os
