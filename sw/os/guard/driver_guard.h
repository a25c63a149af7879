// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <csetjmp>
#include <csignal>
#include <cstdint>
#include <exception>
#include <functional>
#include <string>

namespace gmmu::os {

/// What the driver is being asked, so that it can be blamed: for a call that does not return, and, once Install was
/// called, for what a processor would raise in it.
///
/// A fault of the processor inside of a call (a bad pointer, a division by zero, abort) leaves the driver's frames as
/// they are and throws BugCheck from Run: SYSTEM_THREAD_EXCEPTION_NOT_HANDLED (0x7E) with the NTSTATUS, at
/// DISPATCH_LEVEL and above DRIVER_IRQL_NOT_LESS_OR_EQUAL (0xD1) with the address; abort has no number. Behind the end of
/// what the driver was given (GuardedMemory) the text names the object, and pool memory has the numbers of special pool.
/// A call that spends `spin_seconds` of processor time in the driver's own code throws OsTimeout; so does, installed or
/// not, one that reads registers or delays for kBoundNs of the machine's time. A driver that calls exit ends the program
/// with status 1, and says so.
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
    const void* address = nullptr;      ///< that was accessed
    const void* instruction = nullptr;  ///< in the driver, perhaps
    enum class Access { kUnknown, kRead, kWrite } access = Access::kUnknown;
    std::exception_ptr error;  ///< that ends the call in place of a signal
  };

  /// From now on signals of this process that come inside of a call are the driver's. `in_driver`: any address of its
  /// code; null: all code is (a test).
  static void Install(const void* in_driver, unsigned spin_seconds = 10);
  /// Back to what was before; no call may be under way.
  static void Remove();
  static bool installed();
  /// Sets the function that a fault outside of every call runs before it ends the program; null: none. It runs in the
  /// signal handler.
  static void SetLastResort(void (*last_resort)());
  /// Sets the function that handles signals of accesses to device memory inside of a call; null: none. It runs in the
  /// signal handler.
  static void SetDeviceAccess(bool (*take)(int signal, const siginfo_t* info, void* context));
  /// Both end the innermost call, wherever the processor is. Abandon makes Run throw `error`. Blame makes it throw the
  /// fault of an access that turned out to be no access to a device.
  [[noreturn]] static void Abandon(std::exception_ptr error);
  [[noreturn]] static void Blame(const void* address, const void* instruction, bool write);
  /// Sets a function that explains a fault at an address; it returns an empty text if it knows nothing about the
  /// address. Null: none.
  static void Explain(std::function<std::string(const void* address)> explain);

  /// `call` on this stack, blamed as `entry` at `irql`. `now_ns`: the machine's time.
  static void Run(const char* entry, unsigned irql, uint64_t now_ns, const std::function<void()>& call);
  /// A kernel routine in which a driver may wait: throws OsTimeout when the call has lasted too long, longer than
  /// `bound_ns`: kBoundNs, as the machine scales it.
  static void CheckTime(uint64_t now_ns, uint64_t bound_ns = kBoundNs);

  /// The innermost call is one that has waited and goes on, as a system thread of the driver may: its time begins anew.
  static void Restart(uint64_t now_ns);

  /// The innermost call of this fibre. Call Take before switching stacks and Put after.
  static Frame* Take();
  static void Put(Frame* frame);
  /// Returns the name of the innermost call; "" outside of every call.
  static const char* entry();
  /// Returns where the driver called the running routine, from the stack's return addresses: " inside of
  /// DxgkDdiDpcRoutine at driver.so+0x1234 (Dpc)". Without a known driver file the address is left out; "" outside of
  /// every call.
  static std::string CallSite();

 private:
  [[noreturn]] static void Raise(const Frame& frame);
};

}  // namespace gmmu::os
