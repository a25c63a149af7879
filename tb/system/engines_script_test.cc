// SPDX-License-Identifier: Apache-2.0
// Makes the same register accesses and runs the same commands on both engines. Results must be equal, except for times.
#include "tb/system/engines_script.h"

namespace gmmu::test {
namespace {

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

/// Submits a buffer that consists of a nop and a malformed command.
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
    // The buffer is at virtual address 0, which the space maps to VRAM page 5.
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

}  // namespace
}  // namespace gmmu::test
