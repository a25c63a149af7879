// SPDX-License-Identifier: Apache-2.0
// Tests rules that involve the whole GPU: doorbells, fences and messages, deadlock freedom, silence
// and reset. docs/rules.md lists the planted faults that these tests must detect.
#include <gtest/gtest.h>

#include <algorithm>

#include "tb/rtl/top/one_ring.h"

namespace gmmu::top {
namespace {

using regs::Target;

constexpr unsigned kIsolatorTimeout = 4096;

struct RulesDoorbell : OneRing {};
struct RulesFence : OneRing {};
struct RulesDeadlock : OneRing {};
struct RulesReset : OneRing {};
struct RulesFaults : OneRing {};
struct RulesAxi : OneRing {};

// ---- Doorbells.

TEST_F(RulesDoorbell, EveryKindOfRegisterComesAfterAllEarlierWindowWrites) {
  gpu.vram.write_latency = 300;
  const std::vector<std::pair<const char*, uint32_t>> registers = {
      {"tail", TopMachine::RingAt(0) + regs::RingTail::kOffset},
      {"root", TopMachine::SpaceAt(2) + regs::SpaceRoot::kOffset},
      {"flush", regs::InvCmd::kOffset},
      {"ring", TopMachine::RingAt(0) + regs::RingBase::kOffset},
      {"window", regs::WindowBase::kOffset}};
  for (const auto& [name, offset] : registers) {
    for (uint32_t i = 0; i < 8; ++i) gpu.WindowWrite(0x200000 + 8 * i, i + 1);
    ASSERT_FALSE(gpu.vram.idle()) << name;
    gpu.Write(offset, 0);
    EXPECT_TRUE(gpu.vram.idle()) << name << " took effect while window writes had no B";
    gpu.Until([&] { return gpu.Get<regs::InvStatus>().busy() == 0; }, "the operation");
  }
}

TEST_F(RulesDoorbell, AStreamOfWindowWritesDoesNotHoldARegisterWriteUp) {
  auto& t = gpu.t;
  t.s_win_awvalid = t.s_win_wvalid = 1;
  t.s_win_awaddr = 0x200000;
  t.s_win_wstrb = 0xff;
  gpu.Run(200);
  const uint64_t start = gpu.now;
  gpu.Set(regs::IntEnable{1});
  EXPECT_LT(gpu.now - start, 500u);
}

TEST_F(RulesDoorbell, AWindowWriteThatLacksItsDataOrItsAddressHoldsNothingUp) {
  auto& t = gpu.t;
  for (bool data_is_late : {true, false}) {
    auto& first = data_is_late ? t.s_win_awvalid : t.s_win_wvalid;
    auto& second = data_is_late ? t.s_win_wvalid : t.s_win_awvalid;
    t.s_win_awaddr = 0x200000;
    t.s_win_wdata = 0x1234 + data_is_late;
    t.s_win_wstrb = 0xff;
    t.s_win_bready = 1;
    first = 1;
    gpu.Settle();
    gpu.Until([&] { return data_is_late ? t.s_win_awready : t.s_win_wready; }, "half of the write to be taken");
    gpu.Step();
    first = 0;
    gpu.Set(regs::IntEnable{1});
    EXPECT_EQ(gpu.Get<regs::IntEnable>().raw, 1u);
    gpu.WindowRead(0x200000);
    Submit(Copy(0x500000, 0x400000, 64), 3 + data_is_late);
    gpu.Until([&] { return Fenced(3 + data_is_late); }, "the fence");
    second = 1;
    gpu.Settle();
    gpu.Until([&] { return data_is_late ? t.s_win_wready : t.s_win_awready; }, "the other half to be taken");
    gpu.Step();
    second = 0;
    EXPECT_EQ(gpu.WindowRead(0x200000), 0x1234u + data_is_late);
  }
}

// ---- Fences and messages.

TEST_F(RulesFence, TheRecordComesAfterTheLastBOfVram) {
  gpu.vram.write_latency = 600;
  Submit(Copy(0x500000, 0x400000, 0x1000), 7);
  gpu.Until([&] { return !gpu.vram.idle() && gpu.vram.writes >= 0x1000 / TopMachine::kBurst; }, "the copy's writes");
  gpu.Until([&] { return Fenced(7); }, "the fence");
  EXPECT_TRUE(gpu.vram.idle()) << "the fence passed writes that had no B";
}

TEST_F(RulesFence, OnTheHostPortDataComesBeforeTheRecordAndTheMessageBehindIt) {
  gpu.host.write_latency = 200;
  gpu.host.stall_percent = 30;
  for (uint64_t i = 0; i < 0x2000; i += 8) gpu.vram.memory.Write64(0x100000 + i, i * 0x9e3779b97f4a7c15);
  Submit(Copy(0x400000, 0x500000, 0x2000), 9);
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
  ASSERT_EQ(gpu.host.log.size(), 0x2000u / TopMachine::kBurst + 2);
  const auto& log = gpu.host.log;
  EXPECT_EQ(log.back().kind, 2u);
  EXPECT_EQ(log[log.size() - 2].address, kFence);
  for (size_t i = 0; i + 2 < log.size(); ++i) EXPECT_EQ(log[i].address >> 16, kSource >> 16) << i;
  EXPECT_EQ(gpu.host.memory.Bytes(kSource, 0x2000), gpu.vram.memory.Bytes(0x100000, 0x2000));
}

TEST_F(RulesFence, TheMessageWaitsForTheRecordsB) {
  gpu.host.write_latency = 400;
  Submit(Copy(0x500000, 0x400000, 64), 5);
  gpu.Until([&] { return gpu.Messages() == 1 || Fenced(5); }, "record or message");
  EXPECT_EQ(gpu.Messages(), 0u) << "the message came before the record";
  gpu.Run(300);
  EXPECT_EQ(gpu.Messages(), 0u) << "the message left before the record's B";
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
}

// ---- Deadlock freedom.

TEST_F(RulesDeadlock, FaultsOfAClosedBusDoNotHoldClientsUp) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(4).set_enable(1));
  gpu.t.bus_master_i = 0;
  for (int round = 0; round < 8; ++round) {  // more faults than the log's queue holds
    for (unsigned c = 0; c < TopMachine::kEngines; ++c)
      gpu.StartTraffic(c, regs::ClientCtrl{}.set_space(1), 0x700000, 0, 1, 4, 1);
    for (unsigned c = 0; c < TopMachine::kEngines; ++c)
      EXPECT_NE(gpu.EndTraffic(c).reason(), regs::Fault::kNone) << "round " << round;
  }
  gpu.t.bus_master_i = 1;
}

TEST_F(RulesDeadlock, AHeldMessageHoldsNothingElseUp) {
  gpu.EnableMessages(false);
  for (uint32_t i = 1; i <= 4; ++i) {
    Submit(Copy(0x500000, 0x400000, 0x100), i);
    WaitFence(i);
  }
  EXPECT_EQ(gpu.Messages(), 0u);
  gpu.EnableMessages(true);
  gpu.Until([&] { return gpu.Messages() == 1; }, "the message");
}

TEST_F(RulesDeadlock, AHostThatDoesNotAnswerHoldsOnlyItsUsersUp) {
  gpu.host.latency = 50000;
  Submit(Copy(0x500000, 0x400000, 0x1000), 3);
  gpu.Run(100);
  const uint64_t start = gpu.now;
  EXPECT_EQ(gpu.Traffic(0, regs::ClientCtrl{}.set_space(1), 0x400000, 0, 1, 64, 1).count(), 64u);
  gpu.WindowWrite(0, 1);
  EXPECT_EQ(gpu.WindowRead(0), 1u);
  EXPECT_LT(gpu.now - start, 10000u);
}

// ---- Faults.

TEST_F(RulesFaults, EveryFieldOfARecordIsRight) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(4).set_enable(1));
  gpu.MapPages(1, 0x600000, Target::kVram, 0x200000, 1);
  const uint64_t entry = gpu.EntryAddress(1, 0x600000);
  gpu.vram.memory.Write64(entry, regs::PteEntry{gpu.vram.memory.Read64(entry)}.set_read_only(1).raw);
  struct {
    uint64_t va;
    regs::Fault reason;
    unsigned level;
  } const cases[] = {{0x10000040, regs::Fault::kEntryInvalid, 1},
                     {0x700080, regs::Fault::kEntryInvalid, 0},
                     {0x6000c0, regs::Fault::kWriteProtect, 0},
                     {0x40000000, regs::Fault::kVaRange, 1}};
  uint64_t record = 0x50000;
  uint32_t count = 0;
  for (const auto& c : cases) {
    const uint64_t before = gpu.now;
    EXPECT_EQ(gpu.Traffic(TopMachine::kLast, regs::ClientCtrl{}.set_space(1).set_access(regs::Access::kWrite), c.va, 0,
                          1, 1, 1)
                  .reason(),
              c.reason);
    gpu.Until([&] { return gpu.Get<regs::FaultQueueTail>().index() == count + 1; }, "the record");
    const regs::FaultRecordWhat what{gpu.host.memory.Read64(record)};
    EXPECT_EQ(what.reason(), c.reason);
    EXPECT_EQ(what.space(), 1u);
    EXPECT_EQ(what.port_index(), TopMachine::kLast);
    EXPECT_EQ(what.access(), regs::Access::kWrite);
    EXPECT_EQ(what.level(), c.level);
    EXPECT_EQ(what.physical(), 0u);
    EXPECT_EQ(gpu.host.memory.Read64(record + 8), c.va);
    EXPECT_GT(gpu.host.memory.Read64(record + 16), before);
    EXPECT_LE(gpu.host.memory.Read64(record + 16), gpu.now);
    EXPECT_EQ(gpu.host.memory.Read64(record + 24), count);
    record += 32, ++count;
  }
}

// ---- AXI.

TEST_F(RulesAxi, TheHostPortsUserIsThePagesAndTheMessages) {
  // The first eight pages of the source are coherent, the last eight are not. The pages of the
  // ring, the buffer and the fence record are coherent.
  constexpr uint64_t kHalf = 0x8000;
  constexpr uint32_t kNoSnoop = 1u << 23, kMessage = 2;
  for (uint64_t at = 0; at < kHalf; at += 4096) {
    gpu.Map(1, 0x500000 + at,
            regs::PteEntry{}.set_valid(1).set_coherent(1).set_target(Target::kSystem).set_page((kSource + at) >> 12));
  }
  unsigned reads[2] = {}, writes[2] = {}, messages = 0, wrong = 0;
  const auto check = [&](uint64_t address, uint32_t user, unsigned* seen) {
    const bool page = address >= kSource && address < kSource + 2 * kHalf;
    const bool snooped = address < kSource + kHalf || !page;
    const bool message = address >> 20 == 0xfee;
    if (page) ++seen[snooped];
    messages += message;
    if (user != (message ? kMessage : snooped ? 0 : kNoSnoop) && ++wrong < 5) {
      ADD_FAILURE() << "user " << std::hex << user << " at address " << address;
    }
  };
  gpu.watch = [&](const Vgmmu_gpu_axi& t) {
    if (t.m_host_arvalid && t.m_host_arready) check(t.m_host_araddr, t.m_host_aruser, reads);
    if (t.m_host_awvalid && t.m_host_awready) check(t.m_host_awaddr, t.m_host_awuser, writes);
  };
  const auto each = [&](unsigned* seen, const char* what) {
    EXPECT_GT(std::min(seen[0], seen[1]), 8u) << what;
    seen[0] = seen[1] = 0;
  };
  Submit(Copy(0x506000, 0x404000, 0x4000), 1);
  WaitFence(1);
  each(reads, "reads of the paging engine");
  Submit(Copy(0x400000, 0x506000, 0x4000), 2);
  WaitFence(2);
  each(writes, "writes of the paging engine");
  gpu.Until([&] { return messages >= 1; }, "the message");
  auto ctrl = regs::ClientCtrl{}.set_space(1);
  EXPECT_EQ(gpu.Traffic(0, ctrl, 0x506000, 0, 1, 256, 1).count(), 256u);
  each(reads, "reads of a client");
  EXPECT_EQ(gpu.Traffic(0, ctrl.set_access(regs::Access::kWrite), 0x506000, 0, 1, 256, 1).count(), 256u);
  each(writes, "writes of a client");
}

// ---- Silence and reset.

TEST_F(RulesReset, AnswersThatComeAfterAResetAreSwallowed) {
  gpu.host.latency = 3 * kIsolatorTimeout;
  Submit(Copy(0x500000, 0x400000, 0x1000), 1);
  gpu.Run(200);  // The read of the ring's entry is still outstanding.
  ASSERT_FALSE(gpu.host.idle());
  Reset();
  gpu.Run(kIsolatorTimeout + 200);
  ASSERT_FALSE(gpu.host.idle()) << "the answer must be late for this test";
  EXPECT_EQ(gpu.Get<regs::Ctrl>().raw, 0u);
  EXPECT_EQ(gpu.Get<regs::RingCtrl>(TopMachine::RingAt(0)).raw, 0u);

  // After the reset, the same requesters issue reads with the same ids while the old responses
  // arrive.
  gpu.host.latency = 2 * kIsolatorTimeout;
  Program();
  constexpr uint64_t kBytes = 0x200 * sizes::kReadsInFlight;
  Submit(Copy(0x500000, 0x400000, kBytes), 2);
  WaitFence(2);
  EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, kBytes), gpu.host.memory.Bytes(kSource, kBytes));
  gpu.host.latency = 20;
  gpu.Run(3 * kIsolatorTimeout);
  EXPECT_TRUE(gpu.host.idle());
  EXPECT_TRUE(gpu.t.idle_o);
}

TEST_F(RulesReset, AResetUnderLoadFinishesWhatThePortsWerePromised) {
  for (unsigned when = 0; when < 24; ++when) {
    gpu.rng.seed(when + 1);
    gpu.vram.shuffle = gpu.host.shuffle = true;
    gpu.vram.stall_percent = gpu.host.stall_percent = when % 2 == 0 ? 0 : 60;
    gpu.vram.latency = gpu.host.latency = 20 + 30 * (when % 5);
    Submit(Copy(0x500000, 0x400000, 0x8000), 100 + when);
    for (unsigned c = 0; c < TopMachine::kEngines; ++c)
      gpu.StartTraffic(c, regs::ClientCtrl{}.set_space(1).set_access(regs::Access::kWrite), 0x408000, c, 4, 1000, 1);
    gpu.Run(37 * when);
    Reset();
    gpu.Until([&] { return gpu.t.idle_o && gpu.vram.idle() && gpu.host.idle(); }, "the reset");
    ASSERT_TRUE(gpu.vram.errors.empty()) << "reset at " << 37 * when << ": " << gpu.vram.errors[0];
    ASSERT_TRUE(gpu.host.errors.empty()) << "reset at " << 37 * when << ": " << gpu.host.errors[0];
    gpu.vram.stall_percent = gpu.host.stall_percent = 0;
    Program();
    Submit(Copy(0x500000, 0x400000, 0x2000), 200 + when);
    WaitFence(200 + when);
    EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x2000), gpu.host.memory.Bytes(kSource, 0x2000));
  }
}

TEST_F(RulesReset, BeatsThatAResetLeavesOwedFollowWithoutStrobes) {
  gpu.host.hold_w = true;  // AW is accepted but W is not, so bursts stay open past the time-out.
  const auto before = gpu.host.memory.Bytes(kSource, 0x1000);
  Submit(Copy(0x400000, 0x500000, 0x1000), 1);
  gpu.Until([&] { return gpu.host.HasWrite(); }, "the first burst");
  gpu.Run(300);
  Reset();
  gpu.Run(2 * kIsolatorTimeout);
  gpu.host.hold_w = false;
  gpu.Until([&] { return gpu.t.idle_o && gpu.host.idle(); }, "the reset");
  EXPECT_FALSE(gpu.host.log.empty());
  size_t changed = 0;
  const auto after = gpu.host.memory.Bytes(kSource, 0x1000);
  for (size_t i = 0; i < before.size(); ++i) changed += before[i] != after[i];
  EXPECT_LE(changed, 8u) << "only the beat that was being offered may still be written";
  Program();
  Submit(Copy(0x500000, 0x400000, 0x2000), 2);
  WaitFence(2);
  EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x2000), gpu.host.memory.Bytes(kSource, 0x2000));
}

TEST_F(RulesReset, SilenceStopsTheHostPortDrainsItAndGoesOnAfterwards) {
  for (unsigned when = 0; when < 400; when += 23) {
    const unsigned messages = gpu.Messages();
    Submit(Copy(0x500000, 0x400000, 0x2000), 500 + when);
    gpu.Run(when);
    gpu.t.silence_i = 1;
    gpu.Until([&] { return gpu.t.silent_o; }, "silence");
    ASSERT_TRUE(gpu.host.idle()) << "silent with bursts unanswered, at " << when;
    const uint64_t begun = gpu.host.reads + gpu.host.writes;
    const unsigned held = gpu.Messages();
    // VRAM accesses continue.
    EXPECT_EQ(gpu.Traffic(0, regs::ClientCtrl{}.set_space(1), 0x400000, 0, 1, 16, 1).count(), 16u);
    gpu.Run(1000);
    EXPECT_EQ(gpu.host.reads + gpu.host.writes, begun) << "the host port spoke, at " << when;
    EXPECT_EQ(gpu.Messages(), held);
    gpu.t.silence_i = 0;
    WaitFence(500 + when);
    gpu.Until([&] { return gpu.Messages() > messages; }, "the message");
    gpu.Set(regs::IntStatus{0x1f});
    EXPECT_EQ(gpu.vram.memory.Bytes(0x100000, 0x2000), gpu.host.memory.Bytes(kSource, 0x2000));
  }
}

}  // namespace
}  // namespace gmmu::top
