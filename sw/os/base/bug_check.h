// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <exception>
#include <string>

#include "os/base/errors.h"

namespace gmmu::os {

/// Bug checks whose numbers are known, from crashes of real Windows or from the display driver
/// documentation.
enum class StopCode : uint32_t {
  kUnknown = 0,  ///< Windows would stop, but the stop code is not known
  kSystemServiceException = 0x3B,
  kPageFaultInNonpagedArea = 0x50,
  kSystemThreadException = 0x7E,     ///< P1: NTSTATUS
  kSpecialPoolCorruption = 0xC1,     ///< P1: the block; P2: the byte written; P4: 0x23 before the block, 0x24 after it
  kBadPoolCaller = 0xC2,             ///< P1: 7 already freed, 0xA wrong tag, 0x46 not a block
  kDriverIrqlNotLessOrEqual = 0xD1,  ///< P1: the address; P2: the IRQL
  kPageFaultInFreedPool = 0xD5,      ///< P1: the address; P2: 1 for a write
  kPageFaultBeyondPool = 0xD6,       ///< parameters as for 0xD5
  kVideoMemoryManagementInternal = 0x10E,
  kVideoDxgkrnlFatalError = 0x113,
  kVideoTdrFailure = 0x116,
  kVideoSchedulerInternalError = 0x119,
};
/// Returns the symbolic name, such as "VIDEO_MEMORY_MANAGEMENT_INTERNAL", or "" for kUnknown.
const char* NameOf(StopCode code);

/// Values of parameter 1 for some bug checks. kAbortedFence is documented; the others have been
/// observed.
namespace stop {
constexpr uint64_t kBuildPagingBuffer = 0xB;      ///< 0x10E: P3 is the driver's status
constexpr uint64_t kPageTableUnreachable = 0x49;  ///< 0x10E: during VA initialisation of the paging process
constexpr uint64_t kSubmission = 0x2;    ///< 0x119: the driver refused a paging packet or a preemption; P2: the status
constexpr uint64_t kAbortedFence = 0xA;  ///< 0x119: LastAbortedFenceId is out of range
}  // namespace stop

/// Thrown where Windows would stop because a kernel rule was broken (wrong IRQL, double free, unknown handle, forbidden
/// status). The run ends and reports the bug check's number, parameters and cause.
class BugCheck : public OsError {
 public:
  explicit BugCheck(const std::string& cause) : BugCheck(StopCode::kUnknown, {}, cause) {}
  BugCheck(StopCode code, const std::array<uint64_t, 4>& parameters, const std::string& cause);

  StopCode code() const { return code_; }
  const std::array<uint64_t, 4>& parameters() const { return parameters_; }
  const std::string& cause() const { return cause_; }

 private:
  StopCode code_;
  std::array<uint64_t, 4> parameters_;
  std::string cause_;
};

/// Finds `key`, such as a handle, in a map of live objects. If the key was never issued or its
/// object was destroyed, triggers a bug check whose message is the concatenation of `cause`.
template <typename Map, typename... Part>
auto FindOrStop(Map& map, const typename Map::key_type& key, const Part&... cause) {
  const auto found = map.find(key);
  if (found == map.end()) throw BugCheck((std::string() + ... + cause));
  return found;
}

/// Runs `work`. Returns null, or an error that the caller can handle (a failed request, a full
/// segment, a reset adapter). Errors that end the run (a bug check, a fault, a timeout) are
/// rethrown. Because the error is returned, the caller can clean up after the exception handler; a
/// fibre may wait there, but not inside a handler.
template <typename Work>
std::exception_ptr RefusalOf(const Work& work) {
  try {
    work();
  } catch (const BugCheck&) {
    throw;
  } catch (const OsTimeout&) {
    throw;
  } catch (const DeviceFault&) {
    throw;
  } catch (const OsError&) {
    return std::current_exception();
  }
  return nullptr;
}

}  // namespace gmmu::os
