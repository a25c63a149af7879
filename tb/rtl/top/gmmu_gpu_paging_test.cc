// SPDX-License-Identifier: Apache-2.0
// Tests paging commands that change pages while clients and copies use them, through the whole GPU.
#include <gtest/gtest.h>

#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::CommandHeaderWord;
using regs::Opcode;
using regs::PteEntry;
using regs::Target;

constexpr uint64_t kRing = 0x10000, kBuffer = 0x20000, kFence = 0x40000;
constexpr uint64_t kOld = 0x1'0000'0000, kDummy = 0x60000;
constexpr uint64_t kApertureTable = 0x300000, kApertureVa = 0x600000;
constexpr unsigned kAperturePage = 4, kPages = 8;

class PagingLoad : public ::testing::TestWithParam<unsigned> {
 protected:
  PagingLoad() : gpu(GetParam()) {
    gpu.host.memory.Make(kRing, 0x1000);
    gpu.host.memory.Make(kBuffer, 0x10000);
    gpu.host.memory.Make(kFence, 0x1000);
    gpu.host.memory.Make(kOld, kPages << 12);
    gpu.host.memory.Make(kDummy, 0x1000);
    gpu.MakeSpace(1, 0x800000);
    gpu.MapPages(1, kApertureVa, Target::kAperture, kAperturePage << 12, kPages);
    gpu.Set(regs::ApertureBase{kApertureTable});
    gpu.Set(regs::AperturePages{64});
    const uint32_t ring = TopMachine::RingAt(0);
    gpu.Set(regs::RingBase{}.set_address(kRing).set_target(Target::kSystem), ring);
    gpu.Set(regs::RingFenceAddress{kFence}, ring);
    gpu.Set(regs::RingCtrl{}.set_size_lg2(4).set_enable(1).set_privileged(1), ring);
    gpu.Set(regs::Ctrl{1});
    gpu.vram.shuffle = gpu.host.shuffle = true;
  }
  ~PagingLoad() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }

  static CommandHeaderWord Header(Opcode opcode, unsigned words) {
    return CommandHeaderWord{}.set_opcode(opcode).set_words(words);
  }
  /// Runs a paging buffer and waits until its fence record is in memory.
  void Execute(const std::vector<uint64_t>& words) {
    for (size_t i = 0; i < words.size(); ++i) gpu.host.memory.Write64(kBuffer + 8 * i, words[i]);
    const uint64_t entry = kRing + 32 * (tail_ % 16);
    gpu.host.memory.Write64(entry, kBuffer);
    gpu.host.memory.Write64(
        entry + 8, regs::RingEntryShape{}.set_bytes(words.size() * 8).set_physical(1).set_target(Target::kSystem).raw);
    gpu.host.memory.Write64(entry + 16, ++fence_);
    tail_ = (tail_ + 1) % 16;
    gpu.Set(regs::RingTail{tail_}, TopMachine::RingAt(0));
    gpu.Until([&] { return static_cast<uint32_t>(gpu.host.memory.Read64(kFence)) == fence_; }, "the fence");
  }

  TopMachine gpu;
  uint64_t tail_ = 0;
  uint32_t fence_ = 0;
};

// Tests the epoch rule for the aperture: once the fence of an unmap has been written, the unmapped
// pages may be reused.
TEST_P(PagingLoad, AfterTheFenceOfAnUnmapNoAccessReachesTheOldPages) {
  gpu.host.latency = 150 + gpu.rng() % 300;
  gpu.host.stall_percent = gpu.rng() % 40;
  uint64_t old_beats = 0;
  gpu.host.on_beat = [&](uint64_t at) { old_beats += at >= kOld && at < kOld + (kPages << 12); };
  for (int round = 0; round < 6; ++round) {
    Execute({Header(Opcode::kApertureMap, 3).raw, kAperturePage | uint64_t{kPages} << 32, kOld | 1});
    old_beats = 0;
    for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
      auto ctrl = regs::ClientCtrl{}.set_space(1);
      if (c == TopMachine::kLast) ctrl.set_access(regs::Access::kWrite);
      gpu.StartTraffic(c, ctrl, kApertureVa, 0, 1, 64 * kPages, 37);
    }
    gpu.Run(1 + gpu.rng() % 400);
    Execute({Header(Opcode::kApertureUnmap, 3).raw, kAperturePage | uint64_t{kPages} << 32, kDummy | 1});
    EXPECT_GT(old_beats, 0u);
    old_beats = 0;
    for (unsigned c = 0; c < TopMachine::kEngines; ++c) EXPECT_EQ(gpu.EndTraffic(c).count(), 64 * kPages);
    EXPECT_EQ(old_beats, 0u) << "beats on pages that were given back, round " << round;
  }
}

// A table page is alternately the leaf table of one range and the level-1 table of another one, in
// a space of three levels. Commands write the tables and copies use them, while clients and another
// copy keep the same space busy.
TEST_P(PagingLoad, ATablePageComesBackAtAnotherLevel) {
  constexpr uint64_t kRoot = 0x700000, kUpperA = 0x701000, kUpperC = 0x702000, kLeafC = 0x703000, kLeafB = 0x704000,
                     kShared = 0x705000;
  constexpr uint64_t kVaA = 0x40000000, kVaB = 0x80000000, kVaC = 0xC0000000;  // root indices 1, 2, 3
  constexpr uint64_t kData = 0x100000;                                         // 64 source pages
  constexpr uint64_t kToA = 0x180000, kToB = 0x190000, kToC = 0x1a0000;
  gpu.vram.stall_percent = gpu.rng() % 30;
  gpu.vram.latency = 20 + gpu.rng() % 80;
  for (uint64_t at = 0; at < 0x80000; at += 8) gpu.vram.memory.Write64(kData + at, gpu.rng());
  const auto table = [](uint64_t at) {
    return PteEntry{}.set_valid(1).set_target(Target::kVram).set_page(at >> 12).raw;
  };
  gpu.vram.memory.Write64(kRoot + 8, table(kUpperA));
  gpu.vram.memory.Write64(kRoot + 24, table(kUpperC));
  gpu.vram.memory.Write64(kUpperC, table(kLeafC));
  for (unsigned page = 0; page < 16; ++page) gpu.vram.memory.Write64(kLeafC + 8 * page, table(kData + 4096ull * page));
  const uint32_t space = TopMachine::SpaceAt(2);
  gpu.Set(regs::SpaceGeometry{}.set_levels(3).set_bits0(9).set_bits1(9).set_bits2(9).set_root_entries(512), space);
  gpu.Set(regs::SpaceRoot{}.set_address(kRoot).set_target(Target::kVram).set_enable(1), space);

  std::vector<uint64_t> words;
  const auto physical = [&](Opcode opcode, unsigned count, bool wait) {
    words.push_back(Header(opcode, count).set_dst_physical(1).set_dst_target(Target::kVram).set_wait_writes(wait).raw);
  };
  const auto write = [&](uint64_t at, uint64_t entry) {
    physical(Opcode::kTableWrite, 3, true);
    words.insert(words.end(), {at, entry});
  };
  const auto copy = [&](uint64_t from, uint64_t to, uint64_t bytes, bool wait) {
    words.push_back(Header(Opcode::kCopy, 4)
                        .set_src_space(2)
                        .set_dst_physical(1)
                        .set_dst_target(Target::kVram)
                        .set_wait_writes(wait)
                        .raw);
    words.insert(words.end(), {from, to, bytes});
  };
  const auto flush = [&](uint64_t from, uint64_t to) {
    words.push_back(Header(Opcode::kFlushTlb, 3).set_scope(regs::Scope::kRange).set_dst_space(2).raw);
    words.insert(words.end(), {from, to});
  };
  for (unsigned c = 0; c < TopMachine::kEngines; ++c)
    gpu.StartTraffic(c, regs::ClientCtrl{}.set_space(2), kVaC, 0, 1, 1024, 67 + 2 * c);
  for (int round = 0; round < 10; ++round) {
    words.clear();
    std::vector<uint64_t> from_a, from_b;
    const uint64_t upper = gpu.rng() % 512, leaf_b = gpu.rng() % 512;
    const uint64_t first_a = 8 * (gpu.rng() % 63), first_b = 8 * (gpu.rng() % 63);
    // First, the shared page becomes the leaf table of A.
    physical(Opcode::kTableRepeat, 5, true);
    words.insert(words.end(), {kShared, 512, 0, 0});
    physical(Opcode::kTableWrite, 2 + 8, true);
    words.push_back(kShared + 8 * first_a);
    for (unsigned n = 0; n < 8; ++n) {
      from_a.push_back(kData + 4096 * (gpu.rng() % 64));
      words.push_back(table(from_a.back()));
    }
    write(kUpperA + 8 * upper, table(kShared));
    const uint64_t va_a = kVaA + (upper << 21) + (first_a << 12), odd = gpu.rng() % 100;
    copy(kVaC + odd, kToC, 0x9000, true);
    copy(va_a + odd, kToA, 0x8000 - 100, false);
    write(kUpperA + 8 * upper, 0);
    flush(va_a & ~uint64_t{0x1fffff}, (va_a & ~uint64_t{0x1fffff}) + 0x200000);
    // Then the shared page becomes the level-1 table of B.
    physical(Opcode::kTableRepeat, 5, true);
    words.insert(words.end(), {kShared, 512, 0, 0});
    physical(Opcode::kTableRepeat, 5, true);
    words.insert(words.end(), {kLeafB, 512, 0, 0});
    physical(Opcode::kTableWrite, 2 + 8, true);
    words.push_back(kLeafB + 8 * first_b);
    for (unsigned n = 0; n < 8; ++n) {
      from_b.push_back(kData + 4096 * (gpu.rng() % 64));
      words.push_back(table(from_b.back()));
    }
    write(kShared + 8 * leaf_b, table(kLeafB));
    write(kRoot + 16, table(kShared));
    copy(kVaC + odd + 8, kToC, 0x9000, true);
    copy(kVaB + (leaf_b << 21) + (first_b << 12) + odd, kToB, 0x8000 - 100, false);
    write(kRoot + 16, 0);
    flush(kVaB, kVaB + 0x40000000);
    Execute(words);
    const auto expected = [&](const std::vector<uint64_t>& pages) {
      std::vector<uint8_t> bytes;
      for (uint64_t n = odd; n < odd + 0x8000 - 100; ++n)
        bytes.push_back(gpu.vram.memory.Read(pages[n >> 12] + (n & 0xfff)));
      return bytes;
    };
    EXPECT_TRUE(gpu.vram.memory.Bytes(kToA, 0x8000 - 100) == expected(from_a)) << round;
    EXPECT_TRUE(gpu.vram.memory.Bytes(kToB, 0x8000 - 100) == expected(from_b)) << round;
    EXPECT_TRUE(gpu.vram.memory.Bytes(kToC, 0x9000) == gpu.vram.memory.Bytes(kData + odd + 8, 0x9000)) << round;
    for (unsigned c = 0; c < TopMachine::kEngines; ++c) {
      if (gpu.Get<regs::ClientStatus>(TopMachine::ClientAt(c)).busy() != 0) continue;
      EXPECT_EQ(gpu.EndTraffic(c).count(), 1024u);
      gpu.StartTraffic(c, regs::ClientCtrl{}.set_space(2), kVaC, 0, 1, 1024, 67 + 2 * c);
    }
  }
  for (unsigned c = 0; c < TopMachine::kEngines; ++c) EXPECT_EQ(gpu.EndTraffic(c).count(), 1024u);
  EXPECT_EQ(gpu.Get<regs::RingStatus>(TopMachine::RingAt(0)).error(), 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PagingLoad, ::testing::Range(1u, 5u));

}  // namespace
}  // namespace gmmu::top
