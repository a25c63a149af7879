// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/fault_record.h"

#include <iterator>

#include "os/base/text.h"
#include "os/hal/vtd/registers.h"

namespace gmmu::os::vtd {
namespace {

using Cause = RemappingFault::Cause;

struct Reason {
  Cause cause;
  const char* name;
};
constexpr Reason kReasons[] = {
    // Indexed by the record's fault reason code. Codes start at 1.
    {Cause::kNotAttached, "root entry not present"},
    {Cause::kNotAttached, "context entry not present"},
    {Cause::kBadTables, "context entry invalid"},
    {Cause::kBeyondLimit, "address beyond the domain's width"},
    {Cause::kNoAccess, "no write permission"},
    {Cause::kNoAccess, "no read permission"},
    {Cause::kBadTables, "paging entry unreadable"},
    {Cause::kBadTables, "root table unreadable"},
    {Cause::kBadTables, "context table unreadable"},
    {Cause::kBadTables, "reserved field in a root entry"},
    {Cause::kBadTables, "reserved field in a context entry"},
    {Cause::kBadTables, "reserved field in a paging entry"},
    {Cause::kOther, "translation request blocked"},
    {Cause::kInterruptWindow, "address maps into the interrupt range"},
};

constexpr uint64_t kFirstInterruptReason = 0x20;
constexpr const char* kInterruptReasons[] = {
    "reserved field in the interrupt request",
    "interrupt entry beyond the table",
    "interrupt entry not present",
    "interrupt remapping table unreadable",
    "reserved field in an interrupt entry",
    "interrupt request in compatibility format",
    "interrupt entry of another device",
};

}  // namespace

RemappingFault FaultOf(uint64_t low, uint64_t high) {
  RemappingFault fault;
  const uint64_t requester = Field(high, 15, 0), code = Field(high, 39, 32);
  fault.device = {static_cast<uint8_t>(requester >> 8), static_cast<uint8_t>(requester >> 3 & 31),
                  static_cast<uint8_t>(requester & 7)};
  fault.read = Field(high, 62, 62) != 0;
  fault.address = low & ~uint64_t{0xFFF};
  if (code >= kFirstInterruptReason && code - kFirstInterruptReason < std::size(kInterruptReasons)) {
    fault.cause = Cause::kInterrupt;
    fault.interrupt = static_cast<uint32_t>(low >> 48);
    fault.address = 0;
    fault.reason = kInterruptReasons[code - kFirstInterruptReason];
  } else if (code == 0 || code > std::size(kReasons)) {
    fault.reason = "reason " + Hex(code);
  } else {
    fault.cause = kReasons[code - 1].cause;
    fault.reason = kReasons[code - 1].name;
  }
  return fault;
}

}  // namespace gmmu::os::vtd
