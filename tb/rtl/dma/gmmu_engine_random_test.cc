// SPDX-License-Identifier: Apache-2.0
// Tests random command lists against the reference model, with and without failing pages.
#include "tb/rtl/dma/random_commands.h"

namespace gmmu::dma {
namespace {

TEST_P(Random, CommandListsGiveTheModelsBytes) {
  Timing timing;
  if (GetParam() % 3 == 1) timing = Timing::Ideal(100);
  if (GetParam() % 3 == 2) timing.ready_percent = 25, timing.xlate_max = 200;
  Start(GetParam(), timing);
  for (auto& [where, page] : m->pages) {
    if (m->Random(0, 15) == 0) page.zero = true;
    page.coherent = m->Random(0, 1);
  }
  RunAndCompare(Commands(60, true), 2000000);
  EXPECT_EQ(m->Ring(0).head, 1);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Random, ::testing::Range(100, 124));

class RandomErrors : public Random {};

TEST_P(RandomErrors, StopAtTheFirstCommandThatFails) {
  Start(GetParam());
  Buffer buffer = Commands(60, false);
  // A few pages fault for different reasons.
  auto page = [&](unsigned space, uint64_t base) -> Page& {
    return m->pages[{space, (base >> 12) + m->Random(0, kWindow / 4096 - 1)}];
  };
  for (int n = 0; n < 2; ++n) {
    Page& source = page(1, kSrc);
    Page& target = page(2, kDst);
    switch (m->Random(0, 5)) {
      case 0: source.fault = Fault::kEntryInvalid; break;
      case 1: m->bus_errors.insert({source.target == Target::kSystem, source.offset >> 12}); break;
      case 2: target.read_only = true; break;
      case 3: m->bus_errors.insert({target.target == Target::kSystem, target.offset >> 12}); break;
      case 4: target.fault = Fault::kEntryReserved; break;
      default: target.target = Target::kVram, target.offset = Machine::kVramBytes; break;
    }
  }
  // Find the first command that touches a failing page: the ring must stop there.
  uint64_t stop = ~uint64_t{0}, header = 0;
  auto bad = [&](unsigned space, uint64_t start, uint64_t bytes, bool write) {
    for (uint64_t va = start & ~uint64_t{0xfff}; va < start + bytes; va += 4096) {
      Page at = Translate(m->pages, space, va, write);
      if (at.fault != Fault::kNone) return true;
      if (at.target == Target::kVram && at.offset >= Machine::kVramBytes) return true;
      if (m->bus_errors.count({at.target == Target::kSystem, at.offset >> 12})) return true;
    }
    return false;
  };
  for (size_t at = 0; at < buffer.words.size() && stop == ~uint64_t{0};) {
    CommandHeaderWord word{buffer.words[at]};
    const uint64_t* w = &buffer.words[at];
    bool fails = false;
    if (word.opcode() == Opcode::kCopy) fails = w[3] != 0 && (bad(1, w[1], w[3], false) || bad(2, w[2], w[3], true));
    if (word.opcode() == Opcode::kFill) fails = w[2] != 0 && bad(2, w[1], w[2], true);
    if (word.opcode() == Opcode::kTableWrite) fails = bad(2, w[1], 8 * (word.words() - 2), true);
    if (word.opcode() == Opcode::kTableRepeat) fails = w[2] != 0 && bad(2, w[1], 8 * w[2], true);
    if (fails) stop = 8 * at, header = word.raw;
    at += word.words();
  }
  Model before(*m, kApertureBase), after(*m, kApertureBase);
  const Memory old_vram = m->vram, old_host = m->host;
  before.Execute(buffer.words, stop);
  after.Execute(buffer.words);
  uint32_t fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish(2000000));
  AtRest();
  if (stop == ~uint64_t{0}) {
    EXPECT_FALSE(m->Ring(0).error);
    Compare(after);
    return;
  }
  EXPECT_TRUE(m->Ring(0).error);
  EXPECT_EQ(m->Ring(0).error_offset, stop);
  EXPECT_EQ(m->Ring(0).error_header, header & 0xffffffff);
  EXPECT_EQ(m->Ring(0).fence, fence);
  // The fence record must be unchanged.
  EXPECT_EQ(m->FenceRecord(0, 0), before.host.Read64(Machine::kFenceBase));
  EXPECT_EQ(m->faults.size(), 1u);
  // Earlier commands must be complete. The failed command and later ones may have been executed in
  // part.
  unsigned wrong = 0;
  auto check = [&](const Memory& seen, const Memory& complete, const Memory& all) {
    for (auto& [number, bytes] : complete.pages()) {
      if (number << 12 >= Machine::kBufferBase) continue;
      for (unsigned n = 0; n < 4096; ++n) {
        uint8_t value = seen.pages().at(number)[n];
        if (value != bytes[n] && value != all.pages().at(number)[n]) ++wrong;
      }
    }
  };
  check(m->vram, before.vram, after.vram);
  check(m->host, before.host, after.host);
  EXPECT_EQ(wrong, 0u);

  // After the ring is restarted with working pages, the old entries have no further effect.
  m->bus_errors.clear();
  for (auto& [where, entry] : m->pages) {
    entry.fault = Fault::kNone;
    entry.read_only = false;
    if (entry.offset >= Machine::kVramBytes) entry.zero = true;
  }
  m->StopRing(0);
  m->Step();
  m->StartRing(0, true);
  m->Run(3);
  EXPECT_FALSE(m->Ring(0).error);
  EXPECT_EQ(m->Ring(0).head, 0);
  m->faults.clear();
  RunAndCompare(Commands(20, false), 2000000);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomErrors, ::testing::Range(500, 540));

}  // namespace
}  // namespace gmmu::dma
