// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <boost/context/fiber.hpp>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "hw/platform.h"
#include "os/kernel/errors.h"
#include "os/kernel/random.h"

namespace gmmu::os {

/// Interrupt request levels, numbered as on x64.
enum Irql : uint8_t { kPassive = 0, kApc = 1, kDispatch = 2, kDevice = 10, kHigh = 15 };

/// Threads of the OS model as fibres on one host thread, deterministic by seed.
///
/// A fibre runs until it waits or yields; the next one is drawn by seed among those that can run.
/// When none can, time passes until a message-signalled interrupt or the nearest bound. Interrupt
/// service routines run on the stack of whoever made the seam call at which the message was found
/// (IRQL kDevice), deferred procedure calls after them as soon as the IRQL is below kDispatch.
class Scheduler {
 public:
  /// The bound of a wait whose work has bounds of its own (an hour): it only says that nothing waits without end.
  static constexpr uint64_t kForEver = 3'600'000'000'000;

  Scheduler(hw::Platform& platform, uint64_t seed);
  ~Scheduler();

  /// Starts a fibre with `stack_bytes` of stack (and a guard page below); it first runs inside
  /// Run().
  void Spawn(std::string name, std::function<void()> body, size_t stack_bytes = 256 * 1024);
  /// Runs until every fibre has ended. The first exception that leaves a fibre cancels the others
  /// (their waits throw) and is thrown again here.
  void Run();

  /// Returns when `condition` holds; throws OsTimeout when `bound_ns` of machine time pass first.
  /// `poll_ns` 0: the condition is looked at after interrupts only; otherwise at least that often.
  /// IRQL must be below kDispatch.
  void Wait(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what, uint64_t poll_ns = 0);
  /// Lets other fibres run.
  void Yield();

  /// Called after every access to the machine: takes pending messages and runs their routines.
  void Seam();

  /// `isr` serves messages with this data value.
  void ConnectInterrupt(uint32_t data, std::string name, std::function<void()> isr);
  void DisconnectInterrupt(uint32_t data);
  /// Queues a deferred procedure call; runs at once if the IRQL allows.
  void QueueDpc(std::function<void()> dpc);

  Irql irql() const { return irql_; }
  bool may_wait() const { return irql_ < kDispatch && !other_processor_; }
  /// `call` is a routine that may be called up to APC level: a bug check above it.
  void RequireApc(const char* call) const;
  /// Returns the old level. Lowering by Raise or raising by Lower is a bug check.
  Irql Raise(Irql level);
  void Lower(Irql level);

  /// Does what another processor would do meanwhile, at PASSIVE; no interrupt is taken there. Must not wait.
  void OnAnotherProcessor(const std::function<void()>& work);
  /// CPU process that the running fibre is in; 0: the system's. Fibres begin there.
  uint64_t process() const { return running_ == nullptr ? 0 : running_->process; }
  /// KeStackAttachProcess: returns the process it was in. Outside of fibres there is only the system's.
  uint64_t AttachProcess(uint64_t process);
  /// Called with the process whose addresses the CPU has from now on, whenever that is another one. Null: nobody is.
  void set_on_process(std::function<void(uint64_t process)> on_process) { on_process_ = std::move(on_process); }

  /// Messages that were served.
  uint64_t delivered() const { return delivered_; }
  /// Messages that no routine was connected for.
  uint64_t spurious() const { return spurious_; }
  /// The running fibre, to compare with another; null outside of them.
  const void* fibre() const { return running_; }
  /// Name of the running fibre, "boot" outside of them.
  std::string current() const { return running_ == nullptr ? "boot" : running_->name; }

 private:
  struct Fibre {
    std::string name;
    boost::context::fiber context;
    boost::context::fiber* back = nullptr;             // the scheduler's own context while this one runs
    const std::function<bool()>* condition = nullptr;  // null: can run
    uint64_t deadline = 0;
    uint64_t poll_ns = 0;
    uint64_t process = 0;
    bool timed_out = false;
    bool ended = false;
  };
  struct Vector {
    uint32_t data;
    std::string name;
    std::function<void()> isr;
  };
  struct Cancelled {};

  void Suspend();
  void TellProcess();
  void Deliver(const hw::Message& message);
  void RunDpcs();
  void Idle();

  hw::Platform& platform_;
  Random random_;
  std::vector<std::unique_ptr<Fibre>> fibres_;
  std::vector<Vector> vectors_;
  std::deque<std::function<void()>> dpcs_;
  Fibre* running_ = nullptr;
  std::function<void(uint64_t process)> on_process_;
  uint64_t told_process_ = 0;
  Irql irql_ = kPassive;
  bool other_processor_ = false;
  bool cancelled_ = false;
  std::exception_ptr error_;
  uint64_t delivered_ = 0;
  uint64_t spurious_ = 0;
};

}  // namespace gmmu::os
