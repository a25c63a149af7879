// SPDX-License-Identifier: Apache-2.0
// Tests preemption of the whole engine: preempted and resumed buffers have the same effect as
// uninterrupted ones, and a preempted ring has nothing in flight.
#include "tb/rtl/dma/random_commands.h"

namespace gmmu::dma {
namespace {

class Preempted : public Random {
 protected:
  /// Requests a preemption and waits for it. Returns false if the ring stopped with an error
  /// instead.
  bool Stop(unsigned ring, unsigned limit = 60000) {
    const unsigned before = m->preempted_irqs;
    m->Preempt(ring);
    for (unsigned i = 0; i < limit; ++i) {
      m->Step();
      if (m->Ring(ring).preempted || m->Ring(ring).error) break;
    }
    EXPECT_NE(m->Ring(ring).preempted, m->Ring(ring).error) << "no answer";
    m->Step();
    EXPECT_EQ(m->preempted_irqs, before + m->Ring(ring).preempted);
    return m->Ring(ring).preempted;
  }
  /// Expects that nothing is in flight and that no further burst or command starts.
  void ExpectRest() {
    EXPECT_EQ(m->WritesInFlight(), 0);
    const uint64_t bursts = m->bursts[0] + m->bursts[1] + m->bursts[2];
    const auto commands = m->commands;
    const auto others = m->controls.size() + m->aperture_flushes + m->fence_irqs;
    AtRest();
    m->Run(200);
    EXPECT_EQ(m->bursts[0] + m->bursts[1] + m->bursts[2], bursts) << "it goes on";
    EXPECT_EQ(m->commands, commands);
    EXPECT_EQ(m->controls.size() + m->aperture_flushes + m->fence_irqs, others);
    EXPECT_TRUE(m->t.idle_o);
  }
  /// Runs the buffer on ring 0 and preempts it every `gap()` cycles. Checks memory at each
  /// preemption and compares the final result with the model. Returns how often the entry was
  /// preempted.
  template <typename Gap>
  unsigned RunInPieces(const Buffer& buffer, Gap gap) {
    Model start(*m, kApertureBase), end(*m, kApertureBase);
    end.Execute(buffer.words);
    std::set<uint64_t> borders;
    for (size_t at = 0; at < buffer.words.size(); at += CommandHeaderWord{buffer.words[at]}.words())
      borders.insert(8 * at);
    uint32_t fence = m->Submit(0, buffer.words);
    const uint64_t address = m->last_buffer;
    uint64_t offset = 0;
    unsigned interrupted = 0;
    for (unsigned i = 0; i < 400; ++i) {
      const uint64_t entries = m->entries;
      const uint64_t record = m->FenceRecord(0, 0);
      m->Run(gap());
      if (!Stop(0)) break;
      if (m->Ring(0).fence == 0) {
        EXPECT_EQ(m->Ring(0).error_offset, 0u);
        const bool done = m->Ring(0).head == 1;
        EXPECT_EQ(m->Ring(0).last_fence, done ? fence : 0);
        EXPECT_EQ(m->entries, entries + done);
        if (done) break;  // otherwise the entry has not started
      } else {
        ++interrupted;
        EXPECT_EQ(m->Ring(0).fence, fence);
        EXPECT_EQ(m->Ring(0).head, 0);
        EXPECT_EQ(m->FenceRecord(0, 0), record) << "a record of an interrupted entry";
        EXPECT_EQ(m->entries, entries);
        EXPECT_EQ(m->Ring(0).error_header, 0u);
        offset += m->Ring(0).error_offset;
        EXPECT_EQ(borders.count(offset), 1u) << offset;
        Model model = start;
        model.Execute(buffer.words, offset);
        Compare(model);
      }
      ExpectRest();
      if (HasFailure()) return interrupted;
      m->NewLife(0);
      fence = m->SubmitRest(0, address, buffer.bytes(), offset);
    }
    EXPECT_FALSE(m->Ring(0).error);
    EXPECT_EQ(m->FenceRecord(0, 0) & 0xffffffff, fence);
    Compare(end);
    AtRest();
    return interrupted;
  }
};

TEST_P(Preempted, AtRandomCyclesAndResumedGivesTheModelsBytes) {
  Timing timing;
  if (GetParam() % 3 == 1) timing = Timing::Ideal(100);
  if (GetParam() % 3 == 2) timing.ready_percent = 25, timing.xlate_max = 200;
  Start(GetParam(), timing);
  for (auto& [where, page] : m->pages) page.zero = m->Random(0, 15) == 0;
  const Buffer buffer = Commands(40, true);
  EXPECT_GT(RunInPieces(buffer, [&] { return m->Random(100, 1000); }), 2u);
}

TEST_P(Preempted, WithFlushesFencesAndTheAperture) {
  Start(GetParam());
  Buffer buffer;
  for (unsigned n = 0; n < 6; ++n) {
    buffer.ApertureMap(n, 2, 0x400005 + 0x2000 * n).Flush(Scope::kGlobal, 0, 0, 0);
    buffer.Copy(Src(100 * n), Dst(5000 * n), 3000).Wait();
    buffer.Signal(Dst(60000 + 8 * n), n + 1, true).Nop(n).ApertureList(8, {9, 10, 11});
    buffer.TableWrite(Dst(70000 + 64 * n), {n, 2, 3}).ApertureUnmap(n, 2, 1);
  }
  EXPECT_GT(RunInPieces(buffer, [&] { return m->Random(100, 900); }), 2u);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Preempted, ::testing::Range(700, 712));

class PreemptedRings : public Preempted {};

TEST_F(PreemptedRings, AnIdleRingAnswersAtOnce) {
  Start(1);
  m->Run(10);
  m->Preempt(0);
  m->Run(4);
  EXPECT_TRUE(m->Ring(0).preempted);
  EXPECT_EQ(m->Ring(0).fence, 0u);
  EXPECT_EQ(m->preempted_irqs, 1u);
  m->Submit(0, Buffer().Fill(Dst(0), 64, 1).words);
  m->Run(200);
  EXPECT_EQ(m->bursts[0], 0u);
  EXPECT_TRUE(m->t.idle_o);
}

TEST_F(PreemptedRings, OthersGoOnMeanwhile) {
  Start(2);
  m->StartRing(1, true);
  for (unsigned n = 0; n < 6; ++n) {
    m->Submit(0, Buffer().Copy(Src(0), Dst(4000 * n), 4000).Fill(Dst(30000), 9, n).words);
    m->Submit(1, Buffer().Fill(Dst(100000 + 900 * n), 900, n).words);
  }
  m->Run(2000);
  ASSERT_TRUE(Stop(0));
  const unsigned head = m->Ring(0).head;
  EXPECT_LT(head, 6u);
  ASSERT_TRUE(m->Finish());
  EXPECT_EQ(m->Ring(1).head, 6);
  EXPECT_EQ(m->Ring(0).head, head);
  ASSERT_TRUE(Stop(1));
  EXPECT_EQ(m->Ring(1).fence, 0u);
  EXPECT_EQ(m->preempted_irqs, 2u);
  AtRest();
}

TEST_F(PreemptedRings, AnErrorOfACommandUnderWayWins) {
  unsigned errors = 0, stops = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Start(seed);
    m->pages[{2, (kDst >> 12) + 3}].read_only = true;
    Buffer buffer;
    buffer.Copy(Src(0), Dst(0), 9000).Copy(Src(0), Dst(8192), 9000).Fill(Dst(40000), 9000, 5);
    m->Submit(0, buffer.words);
    m->Run(m->Random(1, seed % 2 ? 200 : 2500));
    if (Stop(0)) {
      ++stops;
      EXPECT_LE(m->Ring(0).error_offset, 32u) << "behind a command that failed";
      EXPECT_TRUE(m->faults.empty());
    } else {
      ++errors;
      EXPECT_EQ(m->Ring(0).error_offset, 32u);
      EXPECT_EQ(m->preempted_irqs, 0u);
      EXPECT_EQ(m->faults.size(), 1u);
      m->Run(50);  // The preemption request stays set.
      EXPECT_FALSE(m->Ring(0).preempted) << "a ring at an error is not preempted too";
      EXPECT_EQ(m->preempted_irqs, 0u);
    }
    ASSERT_TRUE(m->Finish());
    AtRest();
  }
  EXPECT_GT(errors, 5u);
  EXPECT_GT(stops, 5u);
}

TEST_F(PreemptedRings, ARequestThatIsTakenBackLosesNothing) {
  unsigned stopped = 0;
  for (unsigned seed = 0; seed < 30; ++seed) {
    SCOPED_TRACE(seed);
    Start(seed);
    const Buffer buffer = Commands(12, true);
    Model model(*m, kApertureBase);
    model.Execute(buffer.words);
    m->Submit(0, buffer.words);
    const uint64_t address = m->last_buffer;
    m->Run(m->Random(1, 1500));
    m->Preempt(0);
    m->Run(m->Random(1, 40));
    m->Preempt(0, false);
    ASSERT_TRUE(m->Finish());
    if (m->Ring(0).preempted) {
      ++stopped;
      const bool begun = m->Ring(0).fence != 0;
      const uint64_t offset = m->Ring(0).error_offset;
      const bool done = m->Ring(0).head == 1;
      m->NewLife(0);
      if (!done) m->SubmitRest(0, address, buffer.bytes(), begun ? offset : 0);
      ASSERT_TRUE(m->Finish());
    }
    Compare(model);
    AtRest();
  }
  EXPECT_GT(stopped, 0u);
}

}  // namespace
}  // namespace gmmu::dma
