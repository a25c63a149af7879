// SPDX-License-Identifier: Apache-2.0
#include "os/base/bug_check.h"

#include "os/base/text.h"

namespace gmmu::os {
namespace {

std::string Text(StopCode code, const std::array<uint64_t, 4>& parameters, const std::string& cause) {
  if (code == StopCode::kUnknown) return "bug check: " + cause;
  std::string text = "bug check " + Hex(static_cast<uint32_t>(code)) + " " + NameOf(code) + " (";
  for (size_t i = 0; i < parameters.size(); ++i) text += (i == 0 ? "" : ", ") + Hex(parameters[i]);
  return text + "): " + cause;
}

}  // namespace

const char* NameOf(StopCode code) {
  switch (code) {
    case StopCode::kUnknown: return "";
    case StopCode::kSystemServiceException: return "SYSTEM_SERVICE_EXCEPTION";
    case StopCode::kPageFaultInNonpagedArea: return "PAGE_FAULT_IN_NONPAGED_AREA";
    case StopCode::kSystemThreadException: return "SYSTEM_THREAD_EXCEPTION_NOT_HANDLED";
    case StopCode::kSpecialPoolCorruption: return "SPECIAL_POOL_DETECTED_MEMORY_CORRUPTION";
    case StopCode::kBadPoolCaller: return "BAD_POOL_CALLER";
    case StopCode::kDriverIrqlNotLessOrEqual: return "DRIVER_IRQL_NOT_LESS_OR_EQUAL";
    case StopCode::kPageFaultInFreedPool: return "DRIVER_PAGE_FAULT_IN_FREED_SPECIAL_POOL";
    case StopCode::kPageFaultBeyondPool: return "DRIVER_PAGE_FAULT_BEYOND_END_OF_ALLOCATION";
    case StopCode::kVideoMemoryManagementInternal: return "VIDEO_MEMORY_MANAGEMENT_INTERNAL";
    case StopCode::kVideoDxgkrnlFatalError: return "VIDEO_DXGKRNL_FATAL_ERROR";
    case StopCode::kVideoTdrFailure: return "VIDEO_TDR_FAILURE";
    case StopCode::kVideoSchedulerInternalError: return "VIDEO_SCHEDULER_INTERNAL_ERROR";
  }
  return "";
}

BugCheck::BugCheck(StopCode code, const std::array<uint64_t, 4>& parameters, const std::string& cause)
    : OsError(Text(code, parameters, cause)), code_(code), parameters_(parameters), cause_(cause) {}

}  // namespace gmmu::os
