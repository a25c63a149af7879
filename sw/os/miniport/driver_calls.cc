// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/driver_calls.h"

#include <string_view>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/miniport/statuses.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kExclusiveNs = 1'000'000'000;  // longer than any exclusive access lasts
}

void DriverCalls::Require(NTSTATUS status, const std::string& what) {
  if (NT_SUCCESS(status)) return;
  const std::string text = "the driver refused " + what + " with status " + Hex(static_cast<uint32_t>(status));
  if (status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES ||
      status == STATUS_GRAPHICS_NO_VIDEO_MEMORY)
    throw Exhausted(text);
  throw OsError(text);
}

void DriverCalls::Enter(const char* entry, Irql level) {
  const Irql before = kernel_.scheduler().irql();
  if (before != level) {
    throw BugCheck(std::string(entry) + " is called at IRQL " + std::to_string(before) + ", its level is " +
                   std::to_string(level));
  }
  while (PassGate(entry, level) || PassAlone(entry) || PassLevel(entry)) continue;
  ++calls_[entry];
  kernel_.Happened(entry);
}

DriverCalls::InDriver::InDriver(DriverCalls& calls, const char* entry)
    : kernel_(calls.kernel_),
      entry_(entry),
      was_in_driver_(kernel_.scheduler().EnterDriver(true)),
      locks_(kernel_.locks().held()) {
  kernel_.races().Enter(entry);
}

DriverCalls::InDriver::~InDriver() {
  kernel_.races().Leave();
  kernel_.scheduler().EnterDriver(was_in_driver_);
}

void DriverCalls::InDriver::Return(Irql level) const {
  kernel_.races().Check();
  kernel_.locks().CheckReturn(entry_, locks_);
  if (kernel_.scheduler().irql() == level) return;
  throw BugCheck(std::string(entry_) + " was entered at IRQL " + std::to_string(level) + " and returned at " +
                 std::to_string(kernel_.scheduler().irql()));
}

bool DriverCalls::MeasuresStack(const char* entry) const {
  return kernel_.parameters().build_stack_bytes() != 0 && std::string_view(entry) == "DxgkDdiBuildPagingBuffer";
}

void DriverCalls::NoteStatus(const char* entry, NTSTATUS status) {
  if (const std::string why = IllegalStatus(entry, status); !why.empty()) kernel_.NoteMistake(why);
}

uint64_t DriverCalls::NowNs() const { return kernel_.hal().NowNs(); }

DdiTrace* DriverCalls::trace() const { return kernel_.ddi_trace(); }

const void* DriverCalls::kernel_thread() const { return kernel_.scheduler().thread(); }

uint64_t DriverCalls::calls(const std::string& entry) const {
  const auto found = calls_.find(entry);
  return found == calls_.end() ? 0 : found->second;
}

bool DriverCalls::PassGate(const char* entry, Irql level) {
  if (owner_ == nullptr || at_gate_) return false;
  if (level != kPassive || owner_ == kernel_.scheduler().fibre()) {
    throw BugCheck(std::string(entry) + " is called between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess");
  }
  kernel_.scheduler().Wait([this] { return owner_ == nullptr; }, kExclusiveNs,
                           std::string("the end of exclusive access, to call ") + entry);
  return true;
}

// Enforces level three. Interrupts and deferred calls are exempt because they can arrive at any
// time. Code outside fibres is exempt because it runs after all threads have exited, possibly
// through an error inside the driver.
bool DriverCalls::PassAlone(const char* entry) {
  if (kernel_.scheduler().fibre() == nullptr) return false;
  if (!OthersWait() || !kernel_.scheduler().may_wait()) return false;
  kernel_.scheduler().Wait([this] { return !OthersWait(); }, kExclusiveNs,
                           std::string("a call of level three that is in the driver, before ") + entry);
  return true;
}

bool DriverCalls::PassLevel(const char* entry) {
  Scheduler& scheduler = kernel_.scheduler();
  switch (LevelOf(entry)) {
    case CallLevel::kZero: return false;
    case CallLevel::kOne:
      if (!in_scheduler_class_) return false;
      if (!scheduler.may_wait())
        throw BugCheck(std::string(entry) + " is called while another call of the GPU scheduler's class is under way");
      WaitForSchedulerClass(entry);
      return true;
    case CallLevel::kThree: break;
  }
  if (inside_ != 0) {
    scheduler.Wait([this] { return inside_ == 0; }, kExclusiveNs,
                   std::string("the calls that are in the driver, before ") + entry);
    return true;
  }
  if (ComesWithABusyGpu(entry) || !not_idle_) return false;
  const std::string busy = not_idle_();
  if (!busy.empty()) throw BugCheck(std::string(entry) + ", a call of level three, is made while " + busy);
  return false;
}

void DriverCalls::WaitForSchedulerClass(const char* entry) {
  if (scheduler_class_free()) return;  // a thread that must not wait calls this only in this case
  kernel_.scheduler().Wait([this] { return scheduler_class_free(); }, kExclusiveNs,
                           std::string("the GPU scheduler's calls that are in the driver, before ") + entry);
}

void DriverCalls::Open() {
  owner_ = nullptr;
  at_gate_ = false;
  for (const unsigned unit : std::exchange(held_interrupts_, {})) {
    const Irql old = kernel_.scheduler().Raise(kDevice);
    InterruptRoutine(0, unit);
    kernel_.scheduler().Lower(old);
  }
  for (const unsigned unit : std::exchange(held_dpcs_, {})) {
    const Irql old = kernel_.scheduler().Raise(kDispatch);
    DpcRoutine(unit);
    kernel_.scheduler().Lower(old);
  }
}

void DriverCalls::BeginExclusiveAccess(const std::function<void()>& drain) {
  Scheduler& scheduler = kernel_.scheduler();
  scheduler.Wait([this] { return !claimed_; }, kExclusiveNs, "the end of another exclusive access");
  claimed_ = true;
  try {
    do {  // calls can still enter the driver while packets drain
      scheduler.Wait([this] { return inside_ == 0 && raised_ == 0; }, kExclusiveNs,
                     "the calls that are in the driver, before exclusive access");
      drain();
    } while (inside_ != 0 || raised_ != 0);
    DXGKARG_BEGINEXCLUSIVEACCESS args{};
    owner_ = scheduler.fibre();
    at_gate_ = true;
    const NTSTATUS status = Call(GMMU_DRIVER(*this, BeginExclusiveAccess), kPassive, lead(), &args);
    at_gate_ = false;
    Require(status, "DxgkDdiBeginExclusiveAccess");
  } catch (const std::exception&) {
    claimed_ = false;
    if (owner_ != nullptr) Open();
    throw;
  }
}

void DriverCalls::EndExclusiveAccess() {
  DXGKARG_ENDEXCLUSIVEACCESS args{};
  at_gate_ = true;
  const NTSTATUS status = Call(GMMU_DRIVER(*this, EndExclusiveAccess), kPassive, lead(), &args);
  claimed_ = false;
  Open();
  Require(status, "DxgkDdiEndExclusiveAccess");
}

bool DriverCalls::InterruptRoutine(ULONG message, unsigned unit) {
  if (owner_ != nullptr) {
    ++held_;
    held_interrupts_.insert(unit);
    return true;
  }
  BOOLEAN served = FALSE;
  LockOf(unit).Run([&] { served = Call(GMMU_DRIVER(*this, InterruptRoutine), kDevice, context(unit), message); });
  return served != FALSE;
}

InterruptLock& DriverCalls::LockOf(unsigned unit) {
  return interrupt_locks_.try_emplace(unit, kernel_.scheduler(), kernel_.races()).first->second;
}

bool DriverCalls::Synchronize(unsigned unit, const std::function<bool()>& routine) {
  const Irql before = kernel_.scheduler().Raise(kDevice);
  bool result = false;
  LockOf(unit).Run([&] { result = routine(); });
  kernel_.scheduler().Lower(before);
  return result;
}

void DriverCalls::DpcRoutine(unsigned unit) {
  if (owner_ != nullptr) {
    ++held_;
    held_dpcs_.insert(unit);
    return;
  }
  Call(GMMU_DRIVER(*this, DpcRoutine), kDispatch, context(unit));
}

}  // namespace gmmu::os
