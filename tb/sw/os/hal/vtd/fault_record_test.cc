// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/fault_record.h"

#include <gtest/gtest.h>

#include <string>

namespace gmmu::os::vtd {
namespace {

using Cause = RemappingFault::Cause;

TEST(FaultRecord, SaysWhoReadOrWroteWhichPage) {
  const uint64_t code = uint64_t{6} << 32, read = uint64_t{1} << 62, valid = uint64_t{1} << 63;
  const RemappingFault fault = FaultOf(0x12345'6000, valid | read | code | 0x01AB);
  EXPECT_EQ(fault.device.requester_id(), 0x01AB);
  EXPECT_TRUE(fault.read);
  EXPECT_EQ(fault.address, 0x12345'6000u);
  EXPECT_EQ(fault.Text(), "device 01:15.3: read of logical page 0x123456000: no read permission");
  EXPECT_FALSE(FaultOf(0, valid | code).read);
}

TEST(FaultRecord, HasACauseAndANameForEachReason) {
  struct Case {
    uint64_t code;
    Cause cause;
    const char* name;
  };
  for (const Case& one : {Case{0, Cause::kOther, "reason 0x0"},
                          {1, Cause::kNotAttached, "root entry not present"},
                          {2, Cause::kNotAttached, "context entry not present"},
                          {3, Cause::kBadTables, "context entry invalid"},
                          {4, Cause::kBeyondLimit, "address beyond the domain's width"},
                          {5, Cause::kNoAccess, "no write permission"},
                          {6, Cause::kNoAccess, "no read permission"},
                          {7, Cause::kBadTables, "paging entry unreadable"},
                          {0xC, Cause::kBadTables, "reserved field in a paging entry"},
                          {0xD, Cause::kOther, "translation request blocked"},
                          {0xE, Cause::kInterruptWindow, "address maps into the interrupt range"},
                          {0xF, Cause::kOther, "reason 0xf"},
                          {0xFF, Cause::kOther, "reason 0xff"}}) {
    const RemappingFault fault = FaultOf(0, one.code << 32);
    EXPECT_EQ(fault.cause, one.cause) << one.code;
    EXPECT_EQ(fault.reason, one.name);
  }
}

}  // namespace
}  // namespace gmmu::os::vtd
