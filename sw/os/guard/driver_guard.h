// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace gmmu::os {

/// Tracks the driver call in progress, so that faults are attributed to the driver. Faults are
/// calls that do not return and, after Install, processor faults.
///
/// A processor fault inside a call (a bad pointer, a division by zero, abort) abandons the driver's
/// stack frames without unwinding and makes Run throw a BugCheck. Below DISPATCH_LEVEL, the bug
/// check is SYSTEM_THREAD_EXCEPTION_NOT_HANDLED (0x7E) with the NTSTATUS; at DISPATCH_LEVEL and
/// above, it is DRIVER_IRQL_NOT_LESS_OR_EQUAL (0xD1) with the address. For abort, the bug check has
/// no number. If the access ran beyond the end of memory that was passed to the driver
/// (GuardedMemory), the message names the object; for pool memory, the bug checks are those of
/// special pool. A call that spends `spin_seconds` of processor time in the driver's own code
/// throws OsTimeout. A call that reads registers or delays for kBoundNs of machine time also throws
/// OsTimeout, even without Install. If a driver calls exit, the program reports this and ends with
/// status 1.
class DriverGuard {
 public:
  static constexpr uint64_t kBoundNs = 500'000'000;

  struct Frame {
    const char* entry = nullptr;
    unsigned irql = 0;
    uint64_t start_ns = 0;
    Frame* outer = nullptr;
    sigjmp_buf at;
    int signal = 0;
    const void* address = nullptr;      ///< the accessed address
    const void* instruction = nullptr;  ///< the faulting instruction; may be outside the driver
    enum class Access { kUnknown, kRead, kWrite } access = Access::kUnknown;
    std::exception_ptr error;  ///< if set, the error that ends the call, instead of a signal
  };

  /// From now on, signals that are raised inside a call are attributed to the driver. `in_driver`
  /// is any address in the driver's code; null (for tests) means that all code is the driver's.
  static void Install(const void* in_driver, unsigned spin_seconds = 10);
  /// Undoes Install. No call may be running.
  static void Remove();
  static bool installed();
  /// Sets the function that runs before a fault outside any call ends the program; null: none. It
  /// runs in the signal handler.
  static void SetLastResort(void (*last_resort)());
  /// Sets the function that handles signals of device memory accesses inside a call; null: none. It
  /// runs in the signal handler and returns true if it has handled the signal.
  static void SetDeviceAccess(bool (*take)(int signal, const siginfo_t* info, void* context));
  /// Both end the innermost call, at any stack depth. Abandon makes Run throw `error`. Blame makes
  /// Run throw the fault of an access that was trapped but is not a device access.
  [[noreturn]] static void Abandon(std::exception_ptr error);
  [[noreturn]] static void Blame(const void* address, const void* instruction, bool write);
  /// Sets the function that explains a fault at an address; null: none. It returns an empty string
  /// for an unknown address.
  static void Explain(std::function<std::string(const void* address)> explain);

  /// Runs `call` on the current stack, and attributes faults inside it to `entry` at `irql`.
  /// `now_ns`: the machine's time.
  static void Run(const char* entry, unsigned irql, uint64_t now_ns, const std::function<void()>& call);
  /// Call from kernel routines in which a driver can wait. Throws OsTimeout if the driver call has
  /// lasted longer than `bound_ns`, which is kBoundNs scaled for the machine.
  static void CheckTime(uint64_t now_ns, uint64_t bound_ns = kBoundNs);

  /// Restarts the time limit of the innermost call. Call after a legitimate wait, for example in a
  /// driver's system thread.
  static void Restart(uint64_t now_ns);

  /// Take removes and returns the current fibre's innermost call. Call Take before switching stacks
  /// and Put afterwards.
  static Frame* Take();
  static void Put(Frame* frame);
  /// Returns the name of the innermost call, or "" outside any call.
  static const char* entry();
  /// Describes the location in the driver that called the current kernel routine, from the return
  /// addresses on the stack: " inside of DxgkDdiDpcRoutine at driver.so+0x1234 (Dpc)". Omits the
  /// location if the driver's file is unknown. Returns "" outside any call.
  static std::string CallSite();

 private:
  [[noreturn]] static void Raise(const Frame& frame);
};

}  // namespace gmmu::os
