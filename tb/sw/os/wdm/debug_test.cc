// SPDX-License-Identifier: Apache-2.0
#include "ddi/wdm_debug.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

struct Printing : Machine {
  static Parameters To(std::string& text) {
    Parameters parameters = TestParameters();
    parameters.debug_print = [&text](const std::string& more) { text += more; };
    return parameters;
  }
  explicit Printing(std::string& text) : Machine(To(text)) {}
};

ULONG Prefixed(PCSTR format, ...) {
  va_list list;
  va_start(list, format);
  const ULONG status = vDbgPrintExWithPrefix("gpu: ", DPFLTR_IHVVIDEO_ID, DPFLTR_INFO_LEVEL, format, list);
  va_end(list);
  return status;
}

TEST(DebugPrints, HaveTheKitsFormats) {
  std::string text;
  Printing machine(text);
  DbgPrint("%ws %d;", u"wide", 7);
  DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "%lx;", 0xFFu);
  Prefixed("%s;", "more");
  char answer[4] = "abc";
  EXPECT_EQ(DbgPrompt("why?", answer, sizeof answer), 0u);
  EXPECT_STREQ(answer, "");
  EXPECT_EQ(text, "wide 7;ff;gpu: more;why?");
}

TEST(DebugRoutines, EndTheRunAsABugCheckWhereTheyMust) {
  Machine machine;
  const auto stop = [](const auto& call) {
    try {
      call();
    } catch (const BugCheck& bug_check) {
      return bug_check;
    }
    return BugCheck("none");
  };
  const BugCheck own = stop([] { KeBugCheckEx(0x119, 2, 3, 4, 5); });
  EXPECT_EQ(own.code(), StopCode::kVideoSchedulerInternalError);
  EXPECT_EQ(own.parameters()[3], 5u);
  EXPECT_EQ(stop([] { KeBugCheck(0x116); }).code(), StopCode::kVideoTdrFailure);
  const BugCheck broken = stop([] { DbgBreakPoint(); });
  EXPECT_EQ(broken.parameters()[0], 0x80000003u);
  EXPECT_THAT(broken.cause(), HasSubstr("no debugger is attached"));
  EXPECT_EQ(stop([] { ExRaiseStatus(STATUS_NO_MEMORY); }).parameters()[0], 0xC0000017u);
  EXPECT_TRUE(KD_DEBUGGER_NOT_PRESENT);
  EXPECT_FALSE(KD_DEBUGGER_ENABLED);
  EXPECT_TRUE(KdRefreshDebuggerNotPresent());
}

TEST(EventTracing, SucceedsAndItsProvidersAreGivenBack) {
  std::string text;
  Printing machine(text);
  const GUID id{1, 2, 3, {4}};
  REGHANDLE provider;
  ASSERT_EQ(EtwRegister(&id, nullptr, nullptr, &provider), STATUS_SUCCESS);
  EVENT_DESCRIPTOR event{};
  event.Id = 7;
  event.Level = 4;
  EVENT_DATA_DESCRIPTOR data[2] = {{0, 8, 0}, {0, 4, 0}};
  EXPECT_FALSE(EtwEventEnabled(provider, &event));
  EXPECT_FALSE(EtwProviderEnabled(provider, 0, 0));
  EXPECT_EQ(EtwWrite(provider, &event, nullptr, 2, data), STATUS_SUCCESS);
  EXPECT_EQ(text, "event 7 of level 4, 12 bytes");
  EXPECT_EQ(machine.kernel.ledger().Leaks().at(0).kind, "etw_provider");
  EXPECT_EQ(EtwUnregister(provider), STATUS_SUCCESS);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
  EXPECT_THROW(EtwUnregister(provider), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
