// SPDX-License-Identifier: Apache-2.0
// The same bare software on both engines: whatever does not depend on time is equal.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <functional>

#include "platform/engine.h"
#include "tb/system/script.h"

namespace gmmu::test {
namespace {

using regs::Access;
using regs::Opcode;
using regs::Scope;
using regs::Target;
using Bare = Script::Bare;

constexpr uint64_t kSrcPhysical = 1 << 12, kDstPhysical = 1 << 13;
constexpr uint64_t kVram = 0x800000;  // data

uint64_t Src(Target target) { return kSrcPhysical | uint64_t{static_cast<unsigned>(target)} << 14; }
uint64_t Dst(Target target) { return kDstPhysical | uint64_t{static_cast<unsigned>(target)} << 16; }
uint64_t SrcSpace(unsigned space) { return uint64_t{space} << 24; }
uint64_t DstSpace(unsigned space) { return uint64_t{space} << 32; }

std::vector<std::string> LinesOf(const std::function<void(Script&)>& scene, bool rtl, bool checker) {
  sim::MachineConfig config = sim::MachineConfig::Default();
  config.sim.checker = checker;
  const auto engine = rtl ? sim::Engine::CreateRtl(config, {}) : sim::Engine::CreateFast(config, {});
  std::vector<std::string> lines;
  engine->Run([&](hw::Platform& platform) {
    Script script(platform);
    scene(script);
    lines = script.lines();
    for (const hw::Finding& finding : platform.instruments()->Findings())
      ADD_FAILURE() << (rtl ? "rtl: " : "fast: ") << finding.text;
    return 0;
  });
  return lines;
}

/// `checker` off: the scene does what the reference walk does not know.
void ExpectSame(const std::function<void(Script&)>& scene, bool checker = true) {
  const auto rtl = LinesOf(scene, true, checker), fast = LinesOf(scene, false, checker);
  std::string before;
  for (size_t i = 0; i < std::min(rtl.size(), fast.size()); ++i) {
    if (rtl[i][0] != ' ') before = rtl[i];
    EXPECT_EQ(rtl[i], fast[i]) << "line " << i << " of " << before;
  }
  EXPECT_EQ(rtl.size(), fast.size());
  EXPECT_GT(rtl.size(), 3u);
}

/// Space 1: VRAM from kVram at 0, host data at 0x40000, a hole at 0x80000, a read-only page, one that
/// must not execute, zero, aperture, peer, past the end of VRAM, a logical page that nobody backs.
void MakePages(Script& s) {
  s.MakeSpace(1);
  for (uint64_t i = 0; i < 16; ++i) {
    s.Map(1, i * 4096, Script::Page(Target::kVram, kVram + (i ^ 5) * 4096));
    s.Map(1, 0x40000 + i * 4096, Script::Page(Target::kSystem, Script::kData + (i ^ 3) * 4096));
  }
  s.Map(1, 0x90000, Script::Page(Target::kVram, kVram).set_read_only(1));
  s.Map(1, 0x91000, Script::Page(Target::kVram, kVram).set_no_execute(1));
  s.Map(1, 0x92000, regs::PteEntry().set_zero(1));
  s.Map(1, 0x93000, Script::Page(Target::kAperture, 0x3000));
  s.Map(1, 0x94000, Script::Page(Target::kPeer, 0));
  s.Map(1, 0x95000, Script::Page(Target::kVram, uint64_t{1} << 40));
  s.Map(1, 0x96000, Script::Page(Target::kSystem, uint64_t{1} << 45));
  s.Map(1, 0x97000, Script::Page(Target::kVram, kVram).set_reserved63(1));
  s.Map(1, 0x98000, Script::Page(Target::kAperture, uint64_t{1} << 30));
  s.Map(1, 0x99000, Script::Page(Target::kAperture, 0x5000));
  std::vector<uint8_t> bytes(0x10000);
  for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<uint8_t>(i * 31 + i / 256);
  s.bare().WriteVram(kVram, bytes.data(), bytes.size());
  s.Write(regs::ApertureBase::kOffset, 0x700000);
  s.Write(regs::AperturePages::kOffset, 64);
  s.PutVram(0x700000 + 8 * 3, regs::ApertureEntryEntry().set_valid(1).set_page((Script::kData >> 12) + 40).raw);
  s.PutVram(0x700000 + 8 * 5, 0);
}

TEST(Engines, HaveTheSameRegisters) {
  ExpectSame([](Script& s) {
    for (uint32_t offset = 0; offset < 0xB000; offset += 8) {
      const bool time = offset == regs::Cycle::kOffset ||
                        offset == regs::kCountersBase + regs::CountersInvalidationCycles::kOffset;
      if (!time) s.Say(fmt::format("at {:#x}", offset), s.Read(offset));
    }
    const auto keeps = [&](uint32_t offset) {
      for (const uint64_t value : {~uint64_t{0}, uint64_t{0x123456789ABCDEF0}, uint64_t{0}}) {
        s.Write(offset, value);
        s.Say(fmt::format("{:#x} after {:#x}", offset, value), s.Read(offset));
      }
    };
    for (uint32_t offset = regs::WindowBase::kOffset; offset < 0x400; offset += 8) {
      if (offset != regs::InvCmd::kOffset && offset != regs::IntEnable::kOffset) keeps(offset);
    }
    for (const uint32_t offset : {0x0u, 0x18u, 0x20u, 0x28u, 0x30u, 0x38u, 0x40u, 0x48u}) {
      if (offset != regs::RingTail::kOffset) keeps(regs::kRingBase + offset);
    }
    s.Write(regs::kRingBase + regs::RingCtrl::kOffset, 0xFFFFFFFFFFFFFEFF);  // not enabled
    s.Say("ring.ctrl", s.Read(regs::kRingBase + regs::RingCtrl::kOffset));
    keeps(regs::kRingBase + regs::kRingStride);
    keeps(regs::kSpaceBase + 0x50);
    keeps(regs::kSpaceBase + 0x58);
    for (uint32_t offset = 8; offset < 0x40; offset += 8) keeps(regs::kClientBase + offset);
    s.Write(regs::kClientBase, ~uint64_t{1});
    s.Say("client.ctrl", s.Read(regs::kClientBase));
    keeps(regs::kPortCountersBase);
    keeps(regs::kCountersBase);
  });
}

TEST(Engines, SplitRegistersTheSameWay) {
  ExpectSame([](Script& s) {
    hw::Platform& p = s.platform();
    const uint64_t at = Bare::kRegisters + regs::InvStart::kOffset;
    s.Write(regs::InvStart::kOffset, 0x1122334455667788);
    for (const unsigned size : {1u, 2u, 4u, 8u}) {
      for (unsigned lane = 0; lane < 8; lane += size)
        s.Say(fmt::format("{} bytes at lane {}", size, lane), p.MmioRead(at + lane, size));
    }
    s.Say("high half behind another register", (void(p.MmioRead(at + 8, 4)), p.MmioRead(at + 4, 4)));
    const auto say = [&](const char* what) { s.Say(what, s.Read(regs::InvStart::kOffset)); };
    p.MmioWrite(at, 4, 0xAAAAAAAA), say("low half");
    p.MmioWrite(at + 4, 4, 0xBBBBBBBB), say("high half");
    p.MmioWrite(at + 4, 4, 0xCCCCCCCC), say("high half alone");
    p.MmioWrite(at + 8, 4, 1), p.MmioWrite(at + 4, 4, 2), say("behind another low half");
    p.MmioWrite(at, 1, 3), say("a byte");
    p.MmioWrite(at, 2, 3), say("two bytes");
    p.MmioWrite(at, 4, 5), p.MmioWrite(at, 1, 3), p.MmioWrite(at + 4, 4, 6), say("a byte between");
  });
}

TEST(Engines, DoCommandsTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    s.StartRing();
    s.Submit("empty", {});
    s.Submit("nop", {Script::Head(Opcode::kNop, 3), 1, 2});
    s.Submit("copy", {Script::Head(Opcode::kCopy, 4, SrcSpace(1) | DstSpace(1)), 0x40123, 0x1077, 9000});
    s.Submit("copy out", {Script::Head(Opcode::kCopy, 4, Src(Target::kVram) | Dst(Target::kSystem)), kVram + 5,
                          Script::kData + 0x80003, 8191});
    s.Submit("copy of nothing", {Script::Head(Opcode::kCopy, 4, SrcSpace(1) | DstSpace(1)), 0x80000, 0x80000, 0});
    s.Submit("fill", {Script::Head(Opcode::kFill, 4, DstSpace(1)), 0x3001, 5000, 0x11223344});
    s.Submit("to a zero page", {Script::Head(Opcode::kCopy, 4, SrcSpace(1) | DstSpace(1)), 0x40000, 0x92000, 4096});
    s.Submit("from a zero page", {Script::Head(Opcode::kCopy, 4, SrcSpace(1) | DstSpace(1)), 0x92004, 0x5000, 100});
    s.Submit("by the aperture", {Script::Head(Opcode::kCopy, 4, SrcSpace(1) | DstSpace(1)), 0x93010, 0x6000, 300});
    s.Submit("table", {Script::Head(Opcode::kTableWrite, 5, Dst(Target::kVram)), kVram + 0x8000, 7, 8, 9});
    s.Submit("repeat", {Script::Head(Opcode::kTableRepeat, 5, Dst(Target::kVram)), kVram + 0x9000, 700, 5, 4096});
    s.Submit("map", {Script::Head(Opcode::kApertureMap, 3), 8 | uint64_t{3} << 32, (Script::kData & ~0xFFFull) | 5,
                     Script::Head(Opcode::kCopy, 4, Src(Target::kAperture) | Dst(Target::kVram)), 0x8000,
                     kVram + 0xA000, 0x3000});
    s.Submit("list",
             {Script::Head(Opcode::kApertureList, 4), 20 | uint64_t{2} << 32, (Script::kData + 0x5000) | 1,
              (Script::kData + 0x2000) | 1, Script::Head(Opcode::kCopy, 4, Src(Target::kAperture) | Dst(Target::kVram)),
              0x14000, kVram + 0xD000, 0x2000});
    s.Submit("unmap", {Script::Head(Opcode::kApertureUnmap, 3), 8 | uint64_t{2} << 32, (Script::kData + 0x9000) | 1,
                       Script::Head(Opcode::kCopy, 4, Src(Target::kAperture) | Dst(Target::kVram)), 0x8000,
                       kVram + 0xF000, 0x1000});
    s.Submit("signal", {Script::Head(Opcode::kSignalFence, 3, Dst(Target::kSystem) | 1 << 9), Script::kData + 0xF0000,
                        0x1234567890});
    s.Submit("flushes",
             {Script::Head(Opcode::kFlushTlb, 3), 0, 0, Script::Head(Opcode::kFlushTlb, 3, 1 << 10 | DstSpace(1)), 0, 0,
              Script::Head(Opcode::kFlushTlb, 3, 2 << 10 | DstSpace(1)), 0x1000, 0x9000});
    s.SayVram(kVram, 0x10000);
    s.SayVram(0x700000, 0x1000);
    s.SayHost(Script::kData, 1 << 20);
    for (const uint32_t counter :
         {regs::CountersRingEntries::kOffset, regs::CountersCommands::kOffset, regs::CountersCopyReadBytes::kOffset,
          regs::CountersCopyWriteBytes::kOffset, regs::CountersInvalidations::kOffset, regs::CountersApLookups::kOffset,
          regs::CountersVramWriteBytes::kOffset, regs::CountersHostReadBytes::kOffset,
          regs::CountersHostWriteBytes::kOffset})
      s.Say(fmt::format("counter {:#x}", counter), s.Read(regs::kCountersBase + counter));
    for (uint32_t port = 4; port < 7; ++port)
      s.Say("lookups", s.Read(regs::kPortCountersBase + port * regs::kPortCountersStride));
  });
}

/// Each is the last command of a buffer that begins with a nop.
void SubmitBad(Script& s, const std::string& name, std::vector<uint64_t> words) {
  words.insert(words.begin(), Script::Head(Opcode::kNop, 1));
  s.Submit(name, words);
}

TEST(Engines, RefuseBadCommandsTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    s.StartRing();
    const auto copy = [](uint64_t more, uint64_t from, uint64_t to, uint64_t bytes) {
      return std::vector<uint64_t>{Script::Head(Opcode::kCopy, 4, more), from, to, bytes};
    };
    const uint64_t both = SrcSpace(1) | DstSpace(1);
    SubmitBad(s, "opcode", {Script::Head(static_cast<Opcode>(77), 1)});
    SubmitBad(s, "no words", {0});
    SubmitBad(s, "past the end", {Script::Head(Opcode::kNop, 5)});
    SubmitBad(s, "copy of five words", {Script::Head(Opcode::kCopy, 5, both), 0, 0, 0, 0});
    SubmitBad(s, "reserved bit", copy(both | 1 << 20, 0, 0, 8));
    SubmitBad(s, "scope", {Script::Head(Opcode::kFlushTlb, 3, 3 << 10), 0, 0});
    SubmitBad(s, "too long", copy(both, 0, 0, uint64_t{1} << 48));
    SubmitBad(s, "wraps", copy(both, ~uint64_t{0} - 10, 0, 99));
    SubmitBad(s, "physical end", copy(SrcSpace(1) | Dst(Target::kSystem), 0, (uint64_t{1} << 48) - 8, 9));
    SubmitBad(s, "fill value", {Script::Head(Opcode::kFill, 4, both), 0, 8, uint64_t{1} << 32});
    SubmitBad(s, "misaligned table", {Script::Head(Opcode::kTableWrite, 3, both), 4, 1});
    SubmitBad(s, "misaligned fence", {Script::Head(Opcode::kSignalFence, 3, both), 4, 1});
    SubmitBad(s, "list size", {Script::Head(Opcode::kApertureList, 3), uint64_t{3} << 32, 1});
    SubmitBad(s, "flush backwards", {Script::Head(Opcode::kFlushTlb, 3, 2 << 10 | both), 0x3000, 0x2000});
    SubmitBad(s, "source space", copy(SrcSpace(16) | DstSpace(1), 0, 0, 8));
    SubmitBad(s, "flush space", {Script::Head(Opcode::kFlushTlb, 3, 1 << 10 | DstSpace(64)), 0, 0});
    SubmitBad(s, "aperture pages", {Script::Head(Opcode::kApertureMap, 3), 63 | uint64_t{2} << 32, 1});
    SubmitBad(s, "bad and unbuilt", copy(SrcSpace(16) | DstSpace(1), 0, 0, uint64_t{1} << 50));
    SubmitBad(s, "read hole", copy(both, 0x7F000, 0x1000, 0x3000));
    SubmitBad(s, "write hole", copy(both, 0x1000, 0x7FFF0, 0x3000));
    SubmitBad(s, "write protect", copy(both, 0x1000, 0x90080, 0x100));
    SubmitBad(s, "vram range", copy(both, 0x95000, 0x1000, 0x100));
    SubmitBad(s, "peer", copy(both, 0x94000, 0x1000, 0x100));
    SubmitBad(s, "aperture range", copy(both, 0x98010, 0x1000, 0x100));
    SubmitBad(s, "aperture entry", copy(both, 0x99010, 0x1000, 0x100));
    SubmitBad(s, "bus read", copy(both, 0x96100, 0x1000, 0x100));
    SubmitBad(s, "reserved entry", copy(both, 0x97000, 0x1000, 0x100));
    SubmitBad(s, "va range", copy(both, uint64_t{1} << 40, 0x1000, 0x100));
    SubmitBad(s, "root bound", copy(both, uint64_t{9} << 21, 0x1000, 0x100));
    SubmitBad(s, "disabled", copy(SrcSpace(3) | DstSpace(1), 0, 0x1000, 0x100));
    SubmitBad(s, "physical peer", copy(Src(Target::kPeer) | DstSpace(1), 0, 0x1000, 0x100));
    SubmitBad(s, "physical end of VRAM", copy(Src(Target::kVram) | DstSpace(1), (64 << 20) - 10, 0x1000, 100));
    s.SayVram(kVram, 0x10000);
  });
}

TEST(Engines, RefuseBadEntriesAndWhatIsNotPrivilegedTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    s.StartRing();
    const uint64_t physical = regs::RingEntryShape().set_physical(1).raw;
    const uint64_t space = regs::RingEntryShape().set_space(1).raw;
    s.SubmitEntry("misaligned", 0x1004, 8 | physical);
    s.SubmitEntry("odd size", 0x1000, 12 | physical);
    s.SubmitEntry("reserved", 0x1000, 8 | physical | uint64_t{1} << 60);
    s.SubmitEntry("wraps", ~uint64_t{7}, 16 | space);
    s.SubmitEntry("beyond", uint64_t{1} << 48, 8 | physical);
    s.SubmitEntry("unbuilt", 0x1000, 8 | regs::RingEntryShape().set_space(16).raw);
    s.SubmitEntry("no such buffer", uint64_t{1} << 45, 8 | physical);
    s.SubmitEntry("hole", 0x80000, 8 | space);
    s.SubmitEntry("VRAM end", (64 << 20), 8 | physical | regs::RingEntryShape().set_target(Target::kVram).raw);
    s.StartRing(false);
    s.Submit("physical buffer", {Script::Head(Opcode::kNop, 1)});
    // a buffer in the space: through VRAM page 5 at va 0
    const auto submit = [&](const std::string& name, const std::vector<uint64_t>& words) {
      s.bare().WriteVram(kVram + 5 * 4096, words.data(), words.size() * 8);
      s.SubmitEntry(name, 0, words.size() * 8 | space);
    };
    const uint64_t both = SrcSpace(1) | DstSpace(1);
    submit("virtual", {Script::Head(Opcode::kCopy, 4, both), 0x1000, 0x2000, 64});
    submit("flush of a space", {Script::Head(Opcode::kFlushTlb, 3, 1 << 10 | both), 0, 0});
    submit("global flush", {Script::Head(Opcode::kFlushTlb, 3), 0, 0});
    submit("physical source", {Script::Head(Opcode::kCopy, 4, Src(Target::kVram) | both), 0, 0x2000, 64});
    submit("physical signal", {Script::Head(Opcode::kSignalFence, 3, Dst(Target::kVram)), 0, 1});
    submit("table", {Script::Head(Opcode::kTableWrite, 3, both), 0x2000, 1});
    submit("aperture", {Script::Head(Opcode::kApertureMap, 3), uint64_t{1} << 32, 1});
    submit("bad first", {Script::Head(Opcode::kTableWrite, 2, both), 0x2000});
    submit("privilege before operands", {Script::Head(Opcode::kTableWrite, 3, both), 0x2004, 1});
    s.SayVram(kVram, 0x10000);
  });
}

TEST(Engines, RunClientsTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    const auto ctrl = [] { return regs::ClientCtrl().set_space(1); };
    Script::Run run;
    run.count = 0;
    s.Client("nothing", run);
    run.count = 300;
    s.Client("read", run);
    run.stride = 4, run.count = 200, run.step = 7, run.first = 1;
    s.Client("permuted", run);
    run.client = 2;
    run.ctrl = ctrl().set_access(Access::kExecute);
    s.Client("execute", run);
    run.ctrl = ctrl().set_access(Access::kWrite);
    run.seed = 0x123456789ABCDEF;
    run.base = 0x40000, run.stride = 1, run.count = 100, run.step = 1;
    s.Client("write", run);
    run.ctrl.set_verify(1);
    s.Client("verified write", run);
    run.ctrl = ctrl().set_verify(1);
    s.Client("verified read", run);
    run.seed ^= 1;
    s.Client("verified read of another seed", run);
    run.ctrl = ctrl().set_pattern(regs::Pattern::kRandom).set_footprint_lg2(8);
    run.base = 0;
    s.Client("random", run);
    run.ctrl.set_access(Access::kWrite).set_verify(1);
    s.Client("random verified write", run);
    for (uint64_t i = 0; i < 16; ++i) s.PutVram(kVram + (i ^ 5) * 4096 + 64, (i + 5) % 16 * 4096 + 64);
    run = Script::Run();
    run.ctrl = ctrl().set_pattern(regs::Pattern::kChase).set_access(Access::kWrite);
    run.first = 1, run.count = 40;
    s.Client("chase", run);
    s.PutVram(kVram + (5 ^ 5) * 4096 + 64, 0x2043);  // the low bits of a pointer
    s.Client("chase of a crooked pointer", run);
    s.SayVram(kVram, 0x10000);
    s.SayHost(Script::kData, 1 << 20);
    s.Say("read bytes", s.Read(regs::kCountersBase + regs::CountersClientReadBytes::kOffset));
    s.Say("written bytes", s.Read(regs::kCountersBase + regs::CountersClientWriteBytes::kOffset));
    for (uint32_t port = 0; port < 4; ++port) {
      s.Say("lookups", s.Read(regs::kPortCountersBase + port * regs::kPortCountersStride));
      s.Say("faults",
            s.Read(regs::kPortCountersBase + port * regs::kPortCountersStride + regs::PortCountersFaults::kOffset));
    }
    const auto one = [&](const std::string& name, uint64_t va, Access access, uint32_t lines = 3) {
      Script::Run fault;
      fault.ctrl = ctrl().set_access(access);
      fault.base = va;
      fault.count = lines;
      s.Client(name, fault);
    };
    one("hole", 0x80000, Access::kRead);
    one("into a hole", 0x7FF80 - 0x10000, Access::kWrite, 20);
    one("read only", 0x90000, Access::kWrite);
    one("no execute", 0x91000, Access::kExecute);
    one("zero", 0x92000, Access::kRead);
    one("zero written", 0x92000, Access::kWrite);
    one("aperture", 0x93000, Access::kRead);
    one("peer", 0x94000, Access::kRead);
    one("VRAM range", 0x95000, Access::kWrite);
    one("bus read", 0x96000, Access::kRead);
    one("bus write", 0x96000, Access::kWrite);
    one("reserved", 0x97000, Access::kRead);
    one("aperture range", 0x98000, Access::kRead);
    one("aperture entry", 0x99000, Access::kRead);
    one("va range", uint64_t{1} << 40, Access::kRead);
    one("root bound", uint64_t{8} << 21, Access::kRead);
    run = Script::Run();
    run.ctrl.set_space(2);
    s.Client("disabled", run);
    run.ctrl.set_space(40);
    s.Client("not built", run);
    run.ctrl = ctrl().set_pattern(static_cast<regs::Pattern>(3));
    s.Client("pattern 3", run);
    run.ctrl = ctrl().set_access(static_cast<Access>(3));
    s.Client("access 3", run);
    run.ctrl = ctrl();
    run.base = 0x1010;
    s.Client("crooked base", run);
  });
}

TEST(Engines, TranslateEveryFormTheSameWay) {
  ExpectSame(
      [](Script& s) {
        MakePages(s);
        const uint32_t block = regs::kSpaceBase + 4 * regs::kSpaceStride;
        const auto configure = [&](uint64_t geometry, uint64_t root) {
          s.Write(block, geometry);
          s.Write(block + 8, root);
          while ((s.Read(regs::InvStatus::kOffset) & 1) != 0) {}
          s.Say("operations", s.Read(regs::InvStatus::kOffset));
          s.Say("causes", s.Read(regs::IntStatus::kOffset));
        };
        const auto probe = [&](const std::string& name, uint64_t va, Access access = Access::kRead) {
          Script::Run run;
          run.ctrl.set_space(4).set_access(access);
          run.base = va;
          run.count = 2;
          s.Client(name, run);
        };
        const uint64_t root = regs::SpaceRoot().set_address(0x400000).set_target(Target::kVram).set_enable(1).raw;
        const auto geometry =
            regs::SpaceGeometry().set_levels(3).set_bits0(4).set_bits1(5).set_bits2(6).set_root_entries(64);
        configure(geometry.raw, root);
        configure(geometry.raw, root);  // equal
        const auto entry = [&](uint64_t at, regs::PteEntry word) { s.PutVram(0x400000 + at, word.raw); };
        entry(0, Script::Page(Target::kVram, 0x401000));
        entry(8, Script::Page(Target::kVram, kVram).set_large(1));            // 2 MiB, aligned
        entry(16, Script::Page(Target::kVram, kVram + 0x1000).set_large(1));  // not aligned
        entry(24, regs::PteEntry().set_zero(1));
        entry(32, Script::Page(Target::kPeer, 0x401000));
        entry(40, Script::Page(Target::kVram, uint64_t{1} << 40));
        entry(0x1000, Script::Page(Target::kVram, 0x402000));
        entry(0x1008, Script::Page(Target::kVram, kVram).set_large(1));  // 64 KiB
        entry(0x1010, Script::Page(Target::kVram, 0x402000).set_contiguous(1));
        entry(0x1018, Script::Page(Target::kVram, 0x402000).set_read_only(1).set_no_execute(1));
        for (uint64_t i = 0; i < 16; ++i)
          entry(0x2000 + 8 * i, Script::Page(Target::kVram, kVram + i * 4096).set_contiguous(1));
        probe("contiguous", 0x3000);
        probe("large 64 KiB", 0x15000);
        probe("contiguous above", 0x20000);
        probe("attributes above", 0x31000, Access::kWrite);
        probe("large 2 MiB", 0x205000);
        probe("misaligned large", 0x400000);
        probe("zero above", 0x612340);
        probe("table at a peer", 0x800000);
        probe("table past VRAM", 0xA00000);
        entry(0x1000, Script::Page(Target::kVram, 0x403000));  // kept until flushed
        probe("stale", 0x3000);
        s.Write(regs::InvStart::kOffset, 0x3000);
        s.Write(regs::InvEnd::kOffset, 0x3001);
        s.Write(regs::InvCmd::kOffset, regs::InvCmd().set_scope(Scope::kRange).set_space(4).raw);
        while ((s.Read(regs::InvStatus::kOffset) & 1) != 0) {}
        probe("flushed", 0x3000);
        for (const uint64_t levels : {0, 1, 2, 6, 7}) {
          auto other = geometry;
          configure(other.set_levels(levels).set_bits3(3).set_bits4(3).set_bits5(3).raw, root);
          probe(fmt::format("{} levels", levels), 0x3000);
        }
        configure(regs::SpaceGeometry(geometry).set_bits1(14).raw, root);
        probe("14 bits", 0x3000);
        configure(regs::SpaceGeometry(geometry).set_bits1(0).raw, root);
        probe("no bits", 0x3000);
        configure(regs::SpaceGeometry().set_levels(3).set_bits0(13).set_bits1(13).set_bits2(13).set_root_entries(9).raw,
                  root);
        probe("51 bits", 0x3000);
        configure(geometry.raw, regs::SpaceRoot{root}.set_target(Target::kAperture).raw);
        probe("root in the aperture", 0x3000);
        configure(geometry.raw, regs::SpaceRoot{root}.set_enable(0).raw);
        probe("disabled", 0x3000);
      },
      /*checker=*/false);  // it knows no built width
}

TEST(Engines, CountAndHoldTheSameWay) {
  ExpectSame([](Script& s) {
    MakePages(s);
    s.Write(regs::IntEnable::kOffset, 0x1F);
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).set_enable(1).raw);
    Script::Run run;
    run.base = 0x80000;
    for (int i = 0; i < 3; ++i) {  // nobody moves the head
      s.Write(regs::kClientBase + 8, run.base);
      s.Write(regs::kClientBase + 0x18, regs::ClientOrder().set_count(1).set_step(1).raw);
      s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
      static_cast<void>(s.platform().WaitForMessage(20'000));
      while (s.platform().TakeMessage()) {}
      s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    }
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(1).raw);
    s.Client("off", run);
    s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    // without bus mastering: the fault is dropped, the read of host memory waits
    s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(7).set_enable(1).raw);
    s.platform().ConfigWrite(Bare::kGpu, 4, 2, 2);
    s.Client("dropped", run);
    s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
    s.Write(regs::kClientBase + 8, 0x40000);
    s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
    s.Say("no message", s.platform().WaitForMessage(20'000));
    s.Say("status", s.Read(regs::kClientBase + regs::ClientStatus::kOffset));
    s.Say("idle", s.Read(regs::Status::kOffset));
    s.platform().ConfigWrite(Bare::kGpu, 4, 2, 6);
    s.Say("message", s.platform().WaitForMessage(20'000));
    static_cast<void>(s.platform().WaitForMessage(5'000));
    while (s.platform().TakeMessage()) {}
    s.Say("status", s.Read(regs::kClientBase + regs::ClientStatus::kOffset));
    s.Say("causes", s.Read(regs::IntStatus::kOffset));
    s.Write(regs::IntStatus::kOffset, 4);  // leaves one standing
    s.Say("message", s.platform().WaitForMessage(20'000));
    while (s.platform().TakeMessage()) {}
    s.Write(regs::IntStatus::kOffset, 8);
    s.Say("message", s.platform().WaitForMessage(20'000));
    s.Say("idle", s.Read(regs::Status::kOffset));
    // A queue that is smaller when it is switched on again.
    for (const unsigned lg2 : {7u, 2u, 1u}) {
      s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).raw);
      s.Say("off: tail", s.Read(regs::FaultQueueTail::kOffset));
      s.Write(regs::FaultQueueSize::kOffset, regs::FaultQueueSize().set_size_lg2(lg2).set_enable(1).raw);
      s.Say(fmt::format("2^{} records: tail", lg2), s.Read(regs::FaultQueueTail::kOffset));
      for (int i = 0; i < 5; ++i) {
        s.Write(regs::kClientBase + 8, 0x80000);
        s.Write(regs::kClientBase, regs::ClientCtrl().set_start(1).set_space(1).raw);
        static_cast<void>(s.platform().WaitForMessage(5'000));
        while (s.platform().TakeMessage()) {}
        s.Say("tail", s.Read(regs::FaultQueueTail::kOffset));
      }
    }
  });
}

}  // namespace
}  // namespace gmmu::test
