// SPDX-License-Identifier: Apache-2.0
#include "os/guard/driver_guard.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <sys/time.h>
#include <ucontext.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "os/base/bug_check.h"
#include "os/guard/code_place.h"
#include "os/guard/guarded_memory.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {

constexpr std::array kFaults = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP};
constexpr unsigned kDispatchLevel = 2;
constexpr size_t kSignalStack = 64 * 1024;

// The signal handlers, which run on the interrupted thread, read these variables.
DriverGuard::Frame* volatile current = nullptr;
bool is_on = false;
// Load address of the driver's file; null if all code counts as the driver's.
const void* base_of_driver = nullptr;
DriverGuard::Frame* spinning = nullptr;
unsigned ticks = 0, most_ticks = 0;
void (*last_resort)() = nullptr;
bool (*device_access)(int signal, const siginfo_t* info, void* context) = nullptr;

std::function<std::string(const void*)> explanation;

std::vector<std::pair<int, struct sigaction>> before;
std::vector<char> signal_stack;
stack_t stack_before;

const void* InstructionOf(const void* context) {
#if defined(__x86_64__)
  const auto* at = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(at->uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  const auto* at = static_cast<const ucontext_t*>(context);
  return reinterpret_cast<const void*>(at->uc_mcontext.pc);
#else
  static_cast<void>(context);
  return nullptr;
#endif
}

DriverGuard::Frame::Access AccessOf(int signal, const void* context) {
  using Access = DriverGuard::Frame::Access;
#if defined(__x86_64__)
  constexpr long long kWrite = 2;  // write bit of a page fault's error code
  if (signal != SIGSEGV) return Access::kUnknown;
  const auto* at = static_cast<const ucontext_t*>(context);
  return (at->uc_mcontext.gregs[REG_ERR] & kWrite) != 0 ? Access::kWrite : Access::kRead;
#else
  static_cast<void>(signal);
  static_cast<void>(context);
  return Access::kUnknown;
#endif
}

const void* BaseOf(const void* code) {
  Dl_info info{};
  return code != nullptr && dladdr(code, &info) != 0 ? info.dli_fbase : nullptr;
}

[[noreturn]] void Leave(DriverGuard::Frame* frame, int signal, const siginfo_t* info, const void* context) {
  frame->signal = signal;
  frame->address = info->si_addr;
  frame->instruction = InstructionOf(context);
  frame->access = AccessOf(signal, context);
  siglongjmp(frame->at, 1);
}

void OnFault(int signal, siginfo_t* info, void* context) {
  if (current != nullptr && device_access != nullptr && device_access(signal, info, context)) return;
  if (current != nullptr) Leave(current, signal, info, context);
  if (last_resort != nullptr) std::exchange(last_resort, nullptr)();
  // The driver did not cause the fault. After this handler returns, the instruction faults again,
  // which ends the program.
  std::signal(signal, SIG_DFL);
  if (info->si_code <= 0) raise(signal);  // a signal sent by a process does not recur by itself
}

void OnTick(int, siginfo_t* info, void* context) {
  DriverGuard::Frame* frame = current;
  if (frame == nullptr || frame != spinning) {
    spinning = frame;
    ticks = 0;
    return;
  }
  if (++ticks < most_ticks) return;
  // The thread is executing code outside the driver. Check again at the next tick.
  if (base_of_driver != nullptr && BaseOf(InstructionOf(context)) != base_of_driver) return;
  spinning = nullptr;
  ticks = 0;
  Leave(frame, SIGPROF, info, context);
}

/// A driver that calls exit leaves all its objects open, so the process ends here without clean-up.
void OnExit() {
  if (current == nullptr) return;
  std::fprintf(stderr, "gmmu: the driver called exit inside of %s: no report is written\n", current->entry);
  std::fflush(stderr);
  _exit(1);
}

}  // namespace

void DriverGuard::Install(const void* in_driver, unsigned spin_seconds) {
  base_of_driver = BaseOf(in_driver);
  most_ticks = spin_seconds;
  if (std::exchange(is_on, true)) return;
  static const int at_exit = std::atexit(OnExit);
  static_cast<void>(at_exit);
  signal_stack.resize(kSignalStack);  // needed if the driver overflows its own stack
  stack_t stack{};
  stack.ss_sp = signal_stack.data();
  stack.ss_size = signal_stack.size();
  sigaltstack(&stack, &stack_before);
  struct sigaction action{};
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER | SA_RESTART;
  const auto take = [&](int signal, void (*handler)(int, siginfo_t*, void*)) {
    action.sa_sigaction = handler;
    before.push_back({signal, {}});
    sigaction(signal, &action, &before.back().second);
  };
  for (const int signal : kFaults) take(signal, OnFault);
  take(SIGPROF, OnTick);
  const itimerval second{{1, 0}, {1, 0}};
  setitimer(ITIMER_PROF, &second, nullptr);
}

bool DriverGuard::installed() { return is_on; }

void DriverGuard::SetLastResort(void (*resort)()) { last_resort = resort; }
void DriverGuard::SetDeviceAccess(bool (*take)(int, const siginfo_t*, void*)) { device_access = take; }

void DriverGuard::Abandon(std::exception_ptr error) {
  current->error = std::move(error);
  siglongjmp(current->at, 1);
}

void DriverGuard::Blame(const void* address, const void* instruction, bool write) {
  current->signal = SIGSEGV;
  current->address = address;
  current->instruction = instruction;
  current->access = write ? Frame::Access::kWrite : Frame::Access::kRead;
  siglongjmp(current->at, 1);
}

void DriverGuard::Explain(std::function<std::string(const void* address)> explain) { explanation = std::move(explain); }

void DriverGuard::Remove() {
  if (!std::exchange(is_on, false)) return;
  const itimerval never{};
  setitimer(ITIMER_PROF, &never, nullptr);
  for (const auto& [signal, action] : std::exchange(before, {})) sigaction(signal, &action, nullptr);
  sigaltstack(&stack_before, nullptr);
}

void DriverGuard::Run(const char* entry, unsigned irql, uint64_t now_ns, const std::function<void()>& call) {
  struct Entered : Frame {
    ~Entered() { current = outer; }
  } frame;
  frame.entry = entry;
  frame.irql = irql;
  frame.start_ns = now_ns;
  frame.outer = current;
  spinning = nullptr;  // the previous call's frame may have had the same address
  if (sigsetjmp(frame.at, 0) != 0) {
    if (frame.error) std::rethrow_exception(frame.error);
    Raise(frame);
  }
  current = &frame;
  call();
}

void DriverGuard::CheckTime(uint64_t now_ns, uint64_t bound_ns) {
  const Frame* frame = current;
  if (frame != nullptr && now_ns - frame->start_ns > bound_ns)
    throw OsTimeout(std::string(frame->entry) + " to return", bound_ns);
}

void DriverGuard::Restart(uint64_t now_ns) {
  if (current != nullptr) current->start_ns = now_ns;
}

DriverGuard::Frame* DriverGuard::Take() {
  Frame* frame = current;
  current = nullptr;
  return frame;
}

void DriverGuard::Put(Frame* frame) { current = frame; }

const char* DriverGuard::entry() { return current == nullptr ? "" : current->entry; }

std::string DriverGuard::CallSite() {
  if (current == nullptr) return "";
  const std::string call = std::string(" inside of ") + current->entry;
  if (base_of_driver == nullptr) return call;
  std::array<void*, 32> frames{};
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  for (int i = 0; i < count; ++i) {
    const auto* const instruction = static_cast<const char*>(frames[static_cast<size_t>(i)]) -
                                    1;  // an address within the call instruction
    if (BaseOf(instruction) == base_of_driver) return call + PlaceOf(instruction);
  }
  return call;
}

void DriverGuard::Raise(const Frame& frame) {
  const std::string where = std::string(frame.entry) + PlaceOf(frame.instruction);
  const auto address = reinterpret_cast<uint64_t>(frame.address);
  const auto touched = [&]() -> BugCheck {
    constexpr uint32_t kAccessViolation = 0xC0000005;
    const bool write = frame.access == Frame::Access::kWrite;
    const char* const verb = write ? " wrote " : frame.access == Frame::Access::kRead ? " read " : " accessed ";
    const auto trespass = GuardedMemory::Find(frame.address);
    const std::string known = trespass || !explanation ? "" : explanation(frame.address);
    const std::string what = where + (trespass ? verb + trespass->text
                                               : " accessed " + Hex(address) + ", " +
                                                     (known.empty() ? "where nothing may be accessed so" : known));
    if (trespass && trespass->code != StopCode::kUnknown) return {trespass->code, {address, write, 0, 0}, what};
    if (frame.irql >= kDispatchLevel)
      return {StopCode::kDriverIrqlNotLessOrEqual, {address, frame.irql, write, 0}, what};
    return {StopCode::kSystemThreadException, {kAccessViolation, 0, 0, 0}, what};
  };
  const auto stop = [&](uint32_t status, const std::string& what) {
    return BugCheck(StopCode::kSystemThreadException, {status, 0, 0, 0}, where + what);
  };
  switch (frame.signal) {
    case SIGSEGV:
    case SIGBUS: throw touched();
    case SIGFPE: throw stop(0xC0000094, " divided by zero");
    case SIGTRAP: throw stop(0x80000003, " came to a break point");
    case SIGILL: throw stop(0xC000001D, " ran into an illegal instruction");
    case SIGPROF:
      throw OsTimeout(where + ", which spends its time in the driver's own code, to return",
                      most_ticks * uint64_t{1'000'000'000});
    default: throw BugCheck(where + " called abort");
  }
}

}  // namespace gmmu::os
