// SPDX-License-Identifier: Apache-2.0
#include "probe/wait_checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::sim {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Memory = WaitChecker::Memory;

TEST(WaitChecker, NamesBothCommandsTheByteAndTheBuffer) {
  WaitChecker checker;
  checker.Begin({"fill", 0x20, 7}, true);
  checker.Write(Memory::kVram, 0x1000, 0x100);
  checker.Begin({"copy", 0x40, 7}, false);
  checker.Read(Memory::kVram, 0x10F8, 0x100);
  ASSERT_THAT(checker.findings(), SizeIs(1));
  EXPECT_EQ(checker.findings()[0].probe, "waits");
  EXPECT_THAT(checker.findings()[0].text,
              AllOf(HasSubstr("missing wait: copy at byte 0x40 of fence 7 reads VRAM 0x10f8"),
                    HasSubstr("which fill at byte 0x20 of the same buffer writes")));
}

TEST(WaitChecker, AWriteOverAReadOrAWriteNeedsAWait) {
  for (const bool reads : {false, true}) {
    WaitChecker checker;
    checker.Begin({"copy", 0, 1}, false);
    if (reads) checker.Read(Memory::kHost, 0x5000, 8);
    else checker.Write(Memory::kHost, 0x5000, 8);
    checker.Begin({"fill", 32, 1}, false);
    checker.Write(Memory::kHost, 0x4000, 0x1004);
    EXPECT_THAT(checker.findings(), SizeIs(1));
  }
}

TEST(WaitChecker, AWaitOnTheCommandOrOnOneBetweenIsEnough) {
  WaitChecker checker;
  checker.Begin({"fill", 0, 1}, false);
  checker.Write(Memory::kVram, 0, 64);
  checker.Begin({"copy", 32, 1}, true);
  checker.Read(Memory::kVram, 0, 64);
  checker.Write(Memory::kVram, 64, 64);
  checker.Begin({"flush_tlb", 64, 1}, true);
  checker.Begin({"fill", 96, 1}, false);
  checker.Write(Memory::kVram, 0, 128);
  checker.Done();  // the entry ends here
  checker.Begin({"fill", 0, 2}, false);
  checker.Write(Memory::kVram, 0, 128);
  EXPECT_THAT(checker.findings(), IsEmpty());
}

TEST(WaitChecker, OtherBytesOtherMemoryAndTwoReadsNeedNone) {
  WaitChecker checker;
  checker.Begin({"copy", 0, 1}, false);
  checker.Read(Memory::kVram, 0x100, 0x100);
  checker.Write(Memory::kVram, 0x200, 0x100);
  checker.Begin({"copy", 32, 1}, false);
  checker.Read(Memory::kVram, 0x100, 0x100);
  checker.Write(Memory::kHost, 0x200, 0x100);
  checker.Write(Memory::kVram, 0x300, 0x100);
  checker.Write(Memory::kVram, 0, 0x100);
  checker.Write(WaitChecker::Peer(1), 0x200, 0x100);
  checker.Begin({"copy", 64, 1}, false);
  checker.Write(WaitChecker::Peer(2), 0x200, 0x100);
  EXPECT_THAT(checker.findings(), IsEmpty());
}

// The pieces of one command are adjacent and arrive in order. The checker does not check for overlaps within a command.
TEST(WaitChecker, ACommandIsOneHoweverManyPiecesItHas) {
  WaitChecker checker;
  checker.Begin({"copy", 0, 1}, false);
  for (uint64_t at = 0; at < 0x10000; at += 0x1000) {
    checker.Read(Memory::kVram, at + 0x800, 0x1000);
    checker.Write(Memory::kVram, at, 0x1000);
  }
  EXPECT_THAT(checker.findings(), IsEmpty());
  checker.Begin({"fill", 32, 1}, false);
  for (uint64_t at = 0; at < 0x10000; at += 0x1000) checker.Write(Memory::kVram, at, 0x1000);
  EXPECT_THAT(checker.findings(), SizeIs(1)) << "a command is told once";
}

TEST(WaitChecker, KeepsEachCommandsBytesWhereSeveralReadThem) {
  WaitChecker checker;
  checker.Begin({"copy", 0, 1}, false);
  checker.Read(Memory::kVram, 0x100, 0x100);
  checker.Begin({"copy", 32, 1}, false);
  checker.Read(Memory::kVram, 0x80, 0x200);
  checker.Begin({"fill", 64, 1}, false);
  checker.Write(Memory::kVram, 0x270, 0x10);
  ASSERT_THAT(checker.findings(), SizeIs(1));
  EXPECT_THAT(checker.findings()[0].text, HasSubstr("which copy at byte 0x20"));
}

TEST(WaitChecker, KeepsTheFirst64Findings) {
  WaitChecker checker;
  for (uint64_t i = 0; i < 100; ++i) {
    checker.Begin({"fill", 32 * i, 1}, false);
    checker.Write(Memory::kVram, 0, 8);
  }
  EXPECT_THAT(checker.findings(), SizeIs(64));
}

}  // namespace
}  // namespace gmmu::sim
