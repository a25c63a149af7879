// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace gmmu::os {

/// Tracks the running call of the driver, so that faults are attributed to the driver. These are calls that do not
/// return and, once Install was called, processor faults.
///
/// A processor fault inside a call (a bad pointer, a division by zero, abort) leaves the driver's frames as they are
/// and throws BugCheck from Run: SYSTEM_THREAD_EXCEPTION_NOT_HANDLED (0x7E) with the NTSTATUS; at DISPATCH_LEVEL and
/// above DRIVER_IRQL_NOT_LESS_OR_EQUAL (0xD1) with the address; abort has no number. Beyond the end of memory that the
/// driver was given (GuardedMemory) the text names the object, and pool memory has the numbers of special pool. A call
/// that spends `spin_seconds` of processor time in the driver's own code throws OsTimeout. So does, installed or not, a
/// call that reads registers or delays for kBoundNs of the machine's time. If a driver calls exit, the program reports
/// it and ends with status 1.
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
    std::exception_ptr error;  ///< ends the call instead of a signal
  };

  /// Attributes signals of this process inside a call to the driver. `in_driver` is any address of its code; null means
  /// that all code is the driver's (for tests).
  static void Install(const void* in_driver, unsigned spin_seconds = 10);
  /// Undoes Install; no call may be running.
  static void Remove();
  static bool installed();
  /// Sets the function that a fault outside of every call runs before it ends the program; null means none. It runs in
  /// the signal handler.
  static void SetLastResort(void (*last_resort)());
  /// Sets the function that handles signals of accesses to device memory inside of a call; null means none. It runs in
  /// the signal handler.
  static void SetDeviceAccess(bool (*take)(int signal, const siginfo_t* info, void* context));
  /// Abandon and Blame end the innermost call wherever it executes. Abandon makes Run throw `error`. Blame makes Run
  /// throw the fault of an access that turned out not to be a device access.
  [[noreturn]] static void Abandon(std::exception_ptr error);
  [[noreturn]] static void Blame(const void* address, const void* instruction, bool write);
  /// Sets a function that explains a fault at an address, or returns an empty text if it knows nothing about the
  /// address. Null removes it.
  static void Explain(std::function<std::string(const void* address)> explain);

  /// Runs `call` on this stack and attributes its faults to `entry` at `irql`. `now_ns`: the machine's time.
  static void Run(const char* entry, unsigned irql, uint64_t now_ns, const std::function<void()>& call);
  /// Call from a kernel routine in which a driver may wait: throws OsTimeout when the driver's call has lasted longer
  /// than `bound_ns`, which is kBoundNs scaled for the machine.
  static void CheckTime(uint64_t now_ns, uint64_t bound_ns = kBoundNs);

  /// Restarts the time of the innermost call. Call after it has waited, as a driver's system thread may.
  static void Restart(uint64_t now_ns);

  /// Take removes and returns this fibre's innermost call. Call Take before switching stacks and Put afterwards.
  static Frame* Take();
  static void Put(Frame* frame);
  /// Returns the name of the innermost call; "" outside of every call.
  static const char* entry();
  /// Describes where the driver called the running routine, from the stack's return addresses: " inside of
  /// DxgkDdiDpcRoutine at driver.so+0x1234 (Dpc)". Omits the address if no driver file is known. Returns "" outside of
  /// every call.
  static std::string CallSite();

 private:
  [[noreturn]] static void Raise(const Frame& frame);
};

}  // namespace gmmu::os
