// SPDX-License-Identifier: Apache-2.0
// Tests rings: wrap-around, doorbells at any time, rotation, and disabling a ring that has work.
#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class EngineRings : public Engine {
 protected:
  /// Makes a new machine and submits one entry to ring 0. Every call behaves identically, cycle by
  /// cycle.
  void SubmitOneFill() {
    Start(6);
    m->Submit(0, Buffer().Fill(Dst(0), 64, 1).words, true);
  }
};

TEST_F(EngineRings, WrapWithDoorbellsWhileRunning) {
  Start(1);
  m->StopRing(0);
  m->Step();
  m->StartRing(0, true, 2);
  m->Run(3);
  uint32_t fence = 0;
  for (unsigned n = 0; n < 30; ++n) {
    // The ring holds up to three entries: wait until there is room for another.
    for (unsigned k = 0; ((n - m->entries) & 3) == 3 && k < 20000; ++k) m->Step();
    fence = m->Submit(0, Buffer().Fill(Dst(1000 * n), 900, n).words, n % 2 == 0);
    m->Run(m->Random(0, 300));
  }
  ASSERT_TRUE(m->Finish());
  EXPECT_EQ(m->entries, 30u);
  EXPECT_EQ(m->fence_irqs, 15u);
  EXPECT_EQ(m->Ring(0).head, 30 % 4);
  EXPECT_EQ(m->Ring(0).last_fence, fence);
  EXPECT_EQ(m->FenceRecord(0, 0), fence | uint64_t{30} << 32);
  AtRest();
}

TEST_F(EngineRings, TakeTurns) {
  Start(2);
  m->StartRing(1, false);
  m->buffer_space = 2;  // the only space that the unprivileged ring 1 may access
  m->t.enable_i = 0;
  for (unsigned n = 0; n < 4; ++n) {
    m->Submit(0, Buffer().Fill(Dst(100 * n), 100, n).words);
    m->Submit(1, Buffer().Fill(Dst(5000 + 100 * n), 100, n).words);
  }
  m->Run(500);
  EXPECT_EQ(m->entries, 0u);  // Nothing starts in a disabled engine.
  EXPECT_TRUE(m->t.idle_o);
  m->t.enable_i = 1;
  int ahead = 0;
  while (m->entries < 8 && m->now < 100000) {
    m->Step();
    ahead = std::max(ahead, std::abs(m->Ring(0).head - m->Ring(1).head));
  }
  EXPECT_EQ(m->entries, 8u);
  EXPECT_EQ(ahead, 1);
  ASSERT_TRUE(m->Finish());
  AtRest();
}

TEST_F(EngineRings, AnErrorOnOneDoesNotStopTheOther) {
  Start(3);
  m->StartRing(1, false);
  m->Submit(1, {0xff});
  uint32_t fence = m->Submit(0, Buffer().Copy(Src(0), Dst(0), 3000).words);
  ASSERT_TRUE(m->Finish());
  EXPECT_TRUE(m->Ring(1).error);
  EXPECT_FALSE(m->Ring(0).error);
  EXPECT_EQ(m->Ring(0).last_fence, fence);
  AtRest();
}

/// Disables the ring at a random moment while it works, for a random time.
TEST_F(EngineRings, SwitchedOffAbandonAndStartAnew) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Start(seed);
    Buffer buffer;
    buffer.Copy(Src(1), Dst(2), 20000).TableWrite(Dst(24000), std::vector<uint64_t>(200, 5));
    buffer.ApertureMap(0, 8, 5).Flush(Scope::kGlobal, 0, 0, 0).Fill(Dst(30000), 5000, 9);
    buffer.Copy(Src(1), Dst(40002), 20000);
    if (seed % 5 == 0) m->pages.erase({1, (kSrc >> 12) + 1});
    m->Submit(0, buffer.words, true);
    m->Run(m->Random(1, seed % 2 ? 300 : 4000));
    bool done = m->entries != 0 || m->error_irqs != 0;
    m->StopRing(0);
    m->Run(m->Random(1, seed % 3 ? 2 : 500));
    // The entry may still have ended after the ring was disabled.
    done = done || m->entries != 0 || m->error_irqs != 0;
    if (seed % 5 == 0) m->pages[{1, (kSrc >> 12) + 1}].zero = true;
    m->StartRing(0, true);
    m->Run(2);
    EXPECT_EQ(m->Ring(0).head, 0);
    EXPECT_FALSE(m->Ring(0).error);
    EXPECT_EQ(m->Ring(0).last_fence, 0u);
    ASSERT_TRUE(m->Finish());
    EXPECT_EQ(m->entries, done && m->error_irqs == 0 ? 1u : 0u);
    EXPECT_EQ(m->Ring(0).head, 0);
    uint64_t entries = m->entries;
    RunAndCompare(buffer);
    EXPECT_EQ(m->entries, entries + 1);
    EXPECT_EQ(m->FenceRecord(0, 0) >> 32, 1u);
  }
}

TEST_F(EngineRings, SwitchedOffForOneCycleWithinHandshakes) {
  for (unsigned seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Start(seed);
    Buffer buffer;
    for (unsigned n = 0; n < 20; ++n) buffer.Flush(Scope::kGlobal, 0, 0, 0).ApertureMap(n, 2, 5).Signal(Dst(64), n);
    m->Submit(0, buffer.words, true);
    m->Run(m->Random(150, 3000));
    ASSERT_EQ(m->entries, 0u);
    m->StopRing(0);
    m->Step();
    m->StartRing(0, true);
    ASSERT_TRUE(m->Finish());
    EXPECT_EQ(m->entries, 0u);
    EXPECT_EQ(m->Ring(0).head, 0);
    RunAndCompare(Buffer().Copy(Src(0), Dst(0), 3000));
  }
}

TEST_F(EngineRings, SwitchedOffAroundItsCompletionNeverMovesTheNewLifesHead) {
  SubmitOneFill();
  while (m->entries == 0 && m->now < 10000) m->Step();
  const uint64_t end = m->now;
  for (uint64_t at = end - 60; at < end + 10; ++at)
    for (unsigned off : {1u, 2u}) {
      SCOPED_TRACE(at - end);
      SubmitOneFill();
      while (m->now < at) m->Step();
      m->StopRing(0);
      m->Run(off);
      m->StartRing(0, true);
      ASSERT_TRUE(m->Finish());
      EXPECT_EQ(m->Ring(0).head, 0);
      EXPECT_EQ(m->Ring(0).last_fence, 0u);
      AtRest();
      uint32_t fence = m->Submit(0, Buffer().Fill(Dst(0), 64, 1).words, true);
      ASSERT_TRUE(m->Finish());
      EXPECT_EQ(m->FenceRecord(0, 0), fence | uint64_t{1} << 32);
    }
}

TEST_F(EngineRings, SwitchedOffInAnyCycleOfItsStartEndsNothing) {
  SubmitOneFill();
  const uint64_t begin = m->now;
  while (m->entries == 0 && m->now < 10000) m->Step();
  const uint64_t end = m->now;
  ASSERT_GT(end, begin + 100);
  // In these cycles, the engine requests, reads and checks the entry, and requests its buffer.
  for (uint64_t at = begin; at < end - 60; ++at) {
    SCOPED_TRACE(at - begin);
    SubmitOneFill();
    while (m->now < at) m->Step();
    m->StopRing(0);
    m->Step();
    m->StartRing(0, true);
    ASSERT_TRUE(m->Finish());
    EXPECT_EQ(m->entries, 0u);
    EXPECT_EQ(m->Ring(0).head, 0);
    AtRest();
    uint32_t fence = m->Submit(0, Buffer().Fill(Dst(0), 64, 1).words, true);
    ASSERT_TRUE(m->Finish());
    EXPECT_EQ(m->FenceRecord(0, 0), fence | uint64_t{1} << 32);
  }
}

TEST_F(EngineRings, WaitHoldsACommandUntilEarlierWritesAreDone) {
  Timing timing;
  timing.write_min = timing.write_max = 2000;
  Start(4, timing);
  uint64_t first_read_of_second = 0;
  m->on_read_request = [&](uint64_t va) {
    if (va >= kSrc + 8192 && first_read_of_second == 0) first_read_of_second = m->now;
  };
  m->Submit(0, Buffer().Fill(Dst(0), 64, 1).Copy(Src(8192), Dst(4096), 64).words);
  ASSERT_TRUE(m->Finish());
  EXPECT_LT(first_read_of_second, 500u);  // Without a wait bit, the read overtakes the write.
  uint64_t begin = m->now;
  first_read_of_second = 0;
  m->Submit(0, Buffer().Fill(Dst(0), 64, 1).Wait().Copy(Src(8192), Dst(4096), 64).words);
  ASSERT_TRUE(m->Finish());
  EXPECT_GT(first_read_of_second, begin + 2000);
  AtRest();
}

TEST_F(EngineRings, WorkedExampleOfTheFoldersPage) {
  Start(5, Timing::Ideal(20));
  m->StopRing(0);
  m->Step();
  m->host.Make(0x10000, 512);
  m->host.Make(0x20000, 16);
  m->host.Make(0x30000, 32);
  m->vram.Make(0x2000, 4096);
  for (uint64_t page : {0x1000, 0x1001}) {
    m->host.Make(0x40000000 + (page << 12), 4096);
    m->pages[{0, page}] = {Target::kSystem, 0x40000000 + (page << 12)};
  }
  for (unsigned n = 0; n < 100; ++n) m->host.Write(0x41000ffc + n, n + 1);
  const uint64_t entry[] = {0x30000, 32 | uint64_t{1} << 32 | uint64_t{1} << 48, 7, 0};
  const uint64_t copy[] = {0x0004000000012001, 0x1000ffc, 0x2003, 100};
  for (unsigned n = 0; n < 4; ++n) {
    m->host.Write64(0x10000 + 8 * n, entry[n]);
    m->host.Write64(0x30000 + 8 * n, copy[n]);
  }
  m->SetRing(0, [](auto& ring) { ring.enable = ring.tail = 1, ring.base = 0x10000, ring.fence_address = 0x20000; });
  ASSERT_TRUE(m->Finish());
  for (unsigned n = 0; n < 100; ++n) ASSERT_EQ(m->vram.Read(0x2003 + n), n + 1);
  EXPECT_EQ(m->bursts[Machine::kFetch], 2u);
  EXPECT_EQ(m->bursts[Machine::kRead], 2u);
  EXPECT_EQ(m->bursts[Machine::kWrite], 2u);
  if (kBus == 8) {
    ASSERT_EQ(m->write_beats.size(), 15u);
    EXPECT_EQ(m->write_beats[0], std::make_pair(uint64_t{0x2000}, uint64_t{0xf8}));
    EXPECT_EQ(m->write_beats[12], std::make_pair(uint64_t{0x2060}, uint64_t{0x7f}));
  }
  EXPECT_EQ(m->host.Read64(0x20000), uint64_t{1} << 32 | 7);
  EXPECT_EQ(m->Ring(0).head, 1);
  EXPECT_EQ(m->Ring(0).last_fence, 7u);
  EXPECT_EQ(m->fence_irqs, 1u);
  AtRest();
}

}  // namespace
}  // namespace gmmu::dma
