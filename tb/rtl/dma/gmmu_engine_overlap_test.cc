// SPDX-License-Identifier: Apache-2.0
// Tests commands whose accesses overlap those of the previous command; wait bits order them.
#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class Overlap : public Engine, public ::testing::WithParamInterface<int> {
 protected:
  /// Makes copies and fills inside three pages. No copy overlaps itself, and about half of the
  /// sources start inside the previous destination.
  Buffer Chain(bool wait) {
    Buffer buffer;
    uint64_t last_to = 0, last_length = 1;
    for (int n = 0; n < 80;) {
      const uint64_t length = m->Random(1, m->Random(0, 1) ? 30 : 3000);
      uint64_t from = m->Random(0, 3 * 4096 - length), to = m->Random(0, 3 * 4096 - length);
      if (m->Random(0, 1)) from = std::min(last_to + m->Random(0, last_length - 1), 3 * 4096 - length);
      if (from < to + length && to < from + length) continue;
      buffer.Wait(wait);
      if (m->Random(0, 9) == 0) buffer.Fill(Dst(to), length, m->rng());
      else buffer.Copy(Dst(from), Dst(to), length);
      last_to = to, last_length = length;
      ++n;
    }
    return buffer;
  }
};

TEST_P(Overlap, WaitBitsMakeItTheModelsBytes) {
  Timing timing;
  if (GetParam() % 2) timing = Timing::Ideal(100);
  Start(GetParam(), timing);
  RunAndCompare(Chain(true), 2000000);
}

// Without wait bits, the same commands must produce different bytes; otherwise the test above would
// prove nothing.
TEST_P(Overlap, WithoutThemItIsNot) {
  Start(GetParam(), Timing::Ideal(100));
  Buffer buffer = Chain(false);
  Model model(*m, kApertureBase);
  model.Execute(buffer.words);
  m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Finish(400000));
  bool equal = true;
  for (auto* pair : {&m->vram, &m->host})
    for (auto& [page, bytes] : (pair == &m->vram ? model.vram : model.host).pages())
      if (page << 12 < Machine::kBufferBase) equal &= pair->pages().at(page) == bytes;
  EXPECT_FALSE(equal);
  AtRest();
}

INSTANTIATE_TEST_SUITE_P(Seeds, Overlap, ::testing::Range(700, 712));

}  // namespace
}  // namespace gmmu::dma
