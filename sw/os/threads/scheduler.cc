// SPDX-License-Identifier: Apache-2.0
#include "os/threads/scheduler.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/threads/caught_exceptions.h"
#include "os/threads/fibre_context.h"
#include "os/guard/driver_guard.h"
#include "os/guard/stack_meter.h"
#include "os/base/text.h"

namespace gmmu::os {

namespace {
constexpr uint64_t kSpinNs = 1'000'000'000;
constexpr uint64_t kDeferred = ~uint64_t{0};  // stands for deferred calls, which have no vector

/// Formats a level like "DISPATCH_LEVEL (IRQL 2)".
std::string LevelName(Irql level) {
  const char* const name = level == kPassive    ? "PASSIVE_LEVEL"
                           : level == kApc      ? "APC_LEVEL"
                           : level == kDispatch ? "DISPATCH_LEVEL"
                                                : "device level";
  return name + (" (IRQL " + std::to_string(level) + ")");
}

/// Restores the IRQL at the end of the scope, even after an exception.
class LevelGuard {
 public:
  LevelGuard(Irql& level, Irql during) : level_(level), before_(std::exchange(level, during)) {}
  ~LevelGuard() { level_ = before_; }
  LevelGuard(const LevelGuard&) = delete;
  LevelGuard& operator=(const LevelGuard&) = delete;

 private:
  Irql& level_;
  const Irql before_;
};
}  // namespace

Scheduler::Scheduler(hw::Platform& platform, uint64_t seed, unsigned preemption, uint64_t wait_scale)
    : platform_(platform),
      random_(seed, "scheduler"),
      preemption_(preemption),
      wait_scale_(wait_scale),
      preemptions_(seed, "preemption") {}

Scheduler::~Scheduler() = default;

void Scheduler::Spawn(std::string name, std::function<void()> body, size_t stack_bytes) {
  auto fibre = std::make_unique<Fibre>();
  fibre->name = std::move(name);
  fibre->number = ++spawned_;
  fibre->context = std::make_unique<FibreContext>(stack_bytes, [this, body = std::move(body)] {
    try {
      if (!cancelled_) body();
    } catch (const Cancelled&) {}
  });
  fibres_.push_back(std::move(fibre));
}

void Scheduler::SpawnServer(std::string name, std::function<void()> body) {
  Spawn(std::move(name), std::move(body));
  fibres_.back()->serves = true;
}

void Scheduler::SpawnWork(const std::string& routine, std::function<void()> body) {
  Spawn("work item", [this, routine, body = std::move(body)] {
    NoteWork(routine);
    body();
  });
  fibres_.back()->works = true;
}

void Scheduler::NoteWork(const std::string& routine) {
  ++work_[routine];
  uint64_t all = 0;
  std::string counts;
  for (const auto& [name, count] : work_) {
    all += count;
    counts += (counts.empty() ? "" : ", ") + std::to_string(count) + " times the " + name;
  }
  if (all <= kWorkStorm) return;
  work_.clear();
  throw BugCheck("a storm of work at " + std::to_string(platform_.NowNs()) +
                 " ns: before any thread but the driver's can go on, the system has to call " + counts);
}

void Scheduler::Run() {
  SpawnServers();
  while (true) {
    fibres_.erase(std::remove_if(fibres_.begin(), fibres_.end(),
                                 [](const auto& fibre) { return fibre->context->ended(); }),
                  fibres_.end());
    if (fibres_.empty()) break;
    if (error_) cancelled_ = true;
    last_round_ = OnlyServersLeft();

    const std::vector<Fibre*> ready = Ready();
    if (ready.empty()) {
      try {
        Idle();
      } catch (...) {
        if (!error_) error_ = std::current_exception();
      }
      continue;
    }
    Resume(ready[random_.Below(ready.size())]);
  }
  irql_ = kPassive;
  cancelled_ = serving_ = last_round_ = false;
  at_work_ = 0;
  if (error_) std::rethrow_exception(std::exchange(error_, nullptr));
}

std::vector<Scheduler::Fibre*> Scheduler::Ready() {
  std::vector<Fibre*> ready;
  const uint64_t now = platform_.NowNs();
  for (const auto& fibre : fibres_) {
    if (cancelled_ || last_round_ || fibre->condition == nullptr || (*fibre->condition)()) {
      ready.push_back(fibre.get());
    } else if (now >= fibre->deadline) {
      fibre->timed_out = true;
      ready.push_back(fibre.get());
    }
  }
  return ready;
}

void Scheduler::Resume(Fibre* fibre) {
  running_ = fibre;
  if (!fibre->serves) NoteProgress();
  if (!fibre->serves && !fibre->works) work_.clear();
  running_->condition = nullptr;
  const CaughtExceptions own = CaughtExceptions::Current();
  TellProcess();
  CaughtExceptions().MakeCurrent();  // start with none: a resumed fibre restores its own exceptions
  running_->context->Resume();
  own.MakeCurrent();
  if (running_->context->error() && !error_) error_ = running_->context->error();
  running_ = nullptr;
  TellProcess();
}

bool Scheduler::OnlyServersLeft() const {
  return !ServesInterrupts() &&
         std::all_of(fibres_.begin(), fibres_.end(), [](const auto& fibre) { return fibre->serves; });
}

bool Scheduler::OnlyTheDriversLeft() const {
  return std::all_of(fibres_.begin(), fibres_.end(), [](const auto& fibre) { return fibre->serves || fibre->works; });
}

void Scheduler::SpawnServers() {
  if (preemption_ == 0) return;
  serving_ = true;
  const auto serve = [this](auto& queue, Irql level, const auto& work) {
    while (true) {
      Wait([&] { return !queue.empty(); }, kWhileOn, "interrupts or deferred calls");
      const auto next = std::move(queue.front());
      queue.pop_front();
      const LevelGuard guard(irql_, level);
      ++at_work_;
      work(next);
      --at_work_;
    }
  };
  SpawnServer("interrupts",
              [=] { serve(messages_, kDevice, [this](const hw::Message& message) { Deliver(message); }); });
  SpawnServer("deferred calls", [=] {
    serve(dpcs_, kDispatch, [this](const std::function<void()>& dpc) {
      if (NoteDelivery(kDeferred)) dpc();
    });
  });
}

void Scheduler::Idle() {
  // Time advances here, so the waits of other threads end or time out. Unless only the driver's
  // threads are left, the queued work is therefore not a storm.
  if (!OnlyTheDriversLeft()) work_.clear();
  const uint64_t now = platform_.NowNs();
  uint64_t bound = ~uint64_t{0};
  for (const auto& fibre : fibres_) {
    uint64_t left = fibre->deadline - now;
    if (fibre->poll_ns != 0) left = std::min(left, fibre->poll_ns);
    bound = std::min(bound, left);
  }
  platform_.WaitForMessage(std::max<uint64_t>(bound, 1));
  Seam();
}

void Scheduler::Suspend() {
  const Irql level = std::exchange(irql_, kPassive);
  const CaughtExceptions caught = CaughtExceptions::Current();
  DriverGuard::Frame* const call = DriverGuard::Take();
  running_->context->Suspend();
  caught.MakeCurrent();
  DriverGuard::Put(call);
  irql_ = level;
  if (cancelled_ || last_round_) throw Cancelled{};
}

void Scheduler::Wait(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what,
                     uint64_t poll_ns) {
  WaitExactly(condition, Bound(bound_ns), what, poll_ns);
}

void Scheduler::WaitExactly(const std::function<bool()>& condition, uint64_t bound_ns, const std::string& what,
                            uint64_t poll_ns) {
  if (irql_ >= kDispatch) throw BugCheck("a wait for " + what + " at dispatch level or above");
  if (other_processor_) throw BugCheck("a wait for " + what + " on a processor that must not wait");
  if (condition()) return;
  const uint64_t deadline = platform_.NowNs() + bound_ns;
  if (running_ == nullptr) {  // no fibre has started yet
    while (!condition()) {
      const uint64_t now = platform_.NowNs();
      if (now >= deadline) throw OsTimeout(what, bound_ns);
      const uint64_t left = deadline - now;
      platform_.WaitForMessage(poll_ns == 0 ? left : std::min(left, poll_ns));
      Seam();
    }
    NoteProgress();
    return;
  }
  running_->condition = &condition;
  running_->deadline = deadline;
  running_->poll_ns = poll_ns;
  running_->timed_out = false;
  Suspend();
  if (running_->serves) DriverGuard::Restart(platform_.NowNs());
  if (running_->timed_out && !condition()) throw OsTimeout(what, bound_ns);
}

void Scheduler::Yield() {
  if (running_ == nullptr || irql_ != kPassive) return;
  running_->condition = nullptr;
  Suspend();
}

void Scheduler::Preempt() {
  if (preemption_ == 0 || running_ == nullptr || !running_->in_driver || other_processor_) return;
  if (preemptions_.Below(1000) >= preemption_) return;
  ++preempted_;
  StackMeter::Off([this] { Suspend(); });
}

void Scheduler::Spin(const std::function<bool()>& condition, const std::string& what) {
  if (condition()) return;
  if (preemption_ == 0 || running_ == nullptr || other_processor_)
    throw BugCheck("no other processor runs that could end the wait for " + what);
  running_->condition = &condition;
  running_->deadline = platform_.NowNs() + kSpinNs;
  running_->poll_ns = 0;
  running_->timed_out = false;
  StackMeter::Off([this] { Suspend(); });
  if (running_->timed_out && !condition()) throw BugCheck("nobody ended the wait for " + what + " within a second");
}

void Scheduler::Seam() {
  if (running_ != nullptr && !running_->serves && irql_ < kDispatch) NoteProgress();
  if (serving_) {
    while (const auto message = platform_.TakeMessage()) {
      if (dropped_.count(message->data) == 0) messages_.push_back(*message);
    }
    if (messages_.size() > kStorm) {
      for (const hw::Message& message : std::exchange(messages_, {})) ++storm_[message.data];
      EndStorm();
    }
    return Preempt();
  }
  while (irql_ < kDevice && !other_processor_) {
    // Messages that the interrupt fibre has not served before the fibres ended come first.
    std::optional<hw::Message> message;
    if (messages_.empty()) message = platform_.TakeMessage();
    else message = messages_.front(), messages_.pop_front();
    if (!message) break;
    Deliver(*message);
  }
  RunDpcs();
}

// Detects storms. A device that interrupts faster than its routine returns, or a deferred call that
// requeues itself, starves all threads, so that not even the time limits of waits are checked.
bool Scheduler::NoteDelivery(uint64_t data) {
  if (dropped_.count(data) != 0) return false;
  ++storm_[data];
  uint64_t all = 0;
  for (const auto& [vector, count] : storm_) all += count;
  if (all > kStorm) EndStorm();
  return true;
}

void Scheduler::EndStorm() {
  std::string counts;
  for (const auto& [data, count] : std::exchange(storm_, {})) {
    dropped_.insert(data);
    const auto named = std::find_if(vectors_.begin(), vectors_.end(),
                                    [data = data](const Vector& vector) { return vector.data == data; });
    counts += (counts.empty() ? "" : ", ") + std::to_string(count);
    if (data == kDeferred) counts += " deferred calls";
    else
      counts += " messages of vector " + Hex(data) + " (" + (named == vectors_.end() ? "nobody's" : named->name) + ")";
  }
  throw BugCheck("an interrupt storm at " + std::to_string(platform_.NowNs()) +
                 " ns: before any thread can go on, the system has to serve " + counts);
}

void Scheduler::Deliver(const hw::Message& message) {
  if (!NoteDelivery(message.data)) return;
  for (const Vector& vector : vectors_) {
    if (vector.data != message.data) continue;
    const auto isr = vector.isr;  // copied, because the routine may disconnect itself
    const LevelGuard guard(irql_, kDevice);
    ++delivered_;
    isr();
    return;
  }
  ++spurious_;
}

void Scheduler::RunDpcs() {
  if (serving_) return;
  while (irql_ < kDispatch && !other_processor_ && !dpcs_.empty()) {
    auto dpc = std::move(dpcs_.front());
    dpcs_.pop_front();
    if (!NoteDelivery(kDeferred)) continue;
    const LevelGuard guard(irql_, kDispatch);
    dpc();
  }
}

void Scheduler::ConnectInterrupt(uint32_t data, std::string name, std::function<void()> isr) {
  vectors_.push_back({data, std::move(name), std::move(isr)});
}

void Scheduler::DisconnectInterrupt(uint32_t data) {
  const auto of_vector = [data](const auto& item) { return item.data == data; };
  if (serving_ && !cancelled_) {
    Seam();
    const auto served = [&] {
      return at_work_ == 0 && dpcs_.empty() && std::none_of(messages_.begin(), messages_.end(), of_vector);
    };
    Wait(served, kForEver, "interrupt routines and deferred calls to end");
  }
  vectors_.erase(std::remove_if(vectors_.begin(), vectors_.end(), of_vector), vectors_.end());
}

void Scheduler::QueueDpc(std::function<void()> dpc) {
  dpcs_.push_back(std::move(dpc));
  RunDpcs();
}

void Scheduler::OnAnotherProcessor(const std::function<void()>& work) {
  struct Back {
    ~Back() { on = false; }
    bool& on;
  };
  const LevelGuard guard(irql_, kPassive);
  const Back back{other_processor_ = true};
  work();
}

uint64_t Scheduler::AttachProcess(uint64_t process) {
  if (running_ == nullptr) throw BugCheck("only a thread can be attached to a process");
  const uint64_t before = std::exchange(running_->process, process);
  TellProcess();
  return before;
}

void Scheduler::TellProcess() {
  if (std::exchange(told_process_, process()) != process() && on_process_) on_process_(process());
}

void Scheduler::RequireIrql(const char* call, Irql highest, Irql lowest) const {
  if (irql_ >= lowest && irql_ <= highest) return;
  throw BugCheck(std::string(call) +
                 (irql_ > highest ? " above " + LevelName(highest) : " below " + LevelName(lowest)) +
                 ": called at IRQL " + std::to_string(irql_) + DriverGuard::CallSite());
}

Irql Scheduler::Raise(Irql level) {
  if (level < irql_) throw BugCheck("IRQL raised to a lower level");
  return std::exchange(irql_, level);
}

void Scheduler::Lower(Irql level) {
  if (level > irql_) throw BugCheck("IRQL lowered to a higher level");
  irql_ = level;
  Seam();
}

}  // namespace gmmu::os
