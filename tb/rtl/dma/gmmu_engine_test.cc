// SPDX-License-Identifier: Apache-2.0
// Directed tests of each paging command, compared with the reference model.
#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

TEST_F(Engine, CopiesAtEveryAlignment) {
  Start(1);
  Buffer buffer;
  uint64_t at = 0;
  for (unsigned s = 0; s < 8; ++s)
    for (unsigned d = 0; d < 8; ++d) {
      buffer.Copy(Src(at + s), Dst(at + d), 1 + (7 * s + 13 * d) % 61);
      at += 80;
    }
  RunAndCompare(buffer);
  EXPECT_EQ(m->commands, 64u);
}

TEST_F(Engine, CopiesAcrossPagesAndMemories) {
  Start(2);
  Buffer buffer;
  buffer.Copy(Src(5), Dst(4093), 20000).Copy(Src(30001), Dst(40000), 20000);
  buffer.Copy(Physical(Target::kVram, 0x401000 + 9), Dst(70003), 3000);
  m->vram.Make(0x401000, 4096);
  m->host.Make(0x900000, 8192);
  buffer.Copy(Src(100), Physical(Target::kSystem, 0x900ff1), 3000);
  RunAndCompare(buffer);
  EXPECT_EQ(m->read_bytes, 46000u);
  EXPECT_EQ(m->written_bytes, 46000u);
}

TEST_F(Engine, FillsAtAnyAlignment) {
  Start(3);
  Buffer buffer;
  for (unsigned n = 0; n < 16; ++n) buffer.Fill(Dst(2000 * n + n), 1 + 117 * n, 0x44332211 + n);
  RunAndCompare(buffer);
}

TEST_F(Engine, WritesTables) {
  Start(4);
  Buffer buffer;
  std::vector<uint64_t> entries;
  for (int n = 0; n < 700; ++n) entries.push_back(m->rng());
  buffer.TableWrite(Dst(8), {1}).TableWrite(Dst(4088), {2, 3}).TableWrite(Dst(8192), entries);
  buffer.TableRepeat(Dst(40000), 777, 0x123000, 0x1000).TableRepeat(Dst(60000), 0, 1, 1);
  RunAndCompare(buffer);
  EXPECT_EQ(m->commands, 5u);
}

TEST_F(Engine, ZeroPagesReadZeroAndDropWrites) {
  Start(5);
  m->pages[{1, (kSrc >> 12) + 1}].zero = true;
  m->pages[{2, (kDst >> 12) + 3}].zero = true;
  Buffer buffer;
  buffer.Copy(Src(3), Dst(5), 20000).Fill(Dst(20480 + 4000), 300, 7);
  RunAndCompare(buffer);
}

TEST_F(Engine, ApertureCommandsTakeEffectBeforeTheNextCommand) {
  Start(6);
  m->host.Make(0x5000000, 16 * 4096);
  for (auto& [page, bytes] : m->host.pages())
    if (page >> 4 == 0x500) bytes.fill(page);
  auto entry = [](uint64_t page) { return page << 12 | 5; };
  Buffer buffer;
  buffer.ApertureMap(2, 4, entry(0x5000));
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(0), 9000);
  buffer.ApertureList(2, {entry(0x5009), entry(0x5003), entry(0x500c)});
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(20000), 12000);
  buffer.ApertureUnmap(2, 4, entry(0x500f));
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(40000), 12000);
  buffer.ApertureMap(60, 4, entry(0x5000)).ApertureMap(0, 0, 0);
  // The copies go through the aperture map, whose table the model reads when it executes them.
  RunAndCompare(buffer);
  EXPECT_GE(m->aperture_flushes, 4u);
  // Of these commands, only the unmap waits for accesses that were translated earlier: it
  // invalidates an empty range.
  ASSERT_EQ(m->controls.size(), 1u);
  EXPECT_EQ(m->controls[0].scope, 2u);
  EXPECT_EQ(m->controls[0].start, m->controls[0].end);
  EXPECT_EQ(m->commands, 8u);
}

TEST_F(Engine, FlushesInOrderWithScope) {
  Start(7);
  Buffer buffer;
  buffer.Copy(Src(0), Dst(0), 5000).Flush(Scope::kRange, 2, 0x1000, 0x3000);
  buffer.Copy(Src(0), Dst(8000), 5000).Flush(Scope::kSpace, 1, 0, 0);
  buffer.Flush(Scope::kGlobal, 0, 0, 0);
  RunAndCompare(buffer);
  ASSERT_EQ(m->controls.size(), 3u);
  EXPECT_EQ(m->controls[0].scope, 2u);
  EXPECT_EQ(m->controls[0].space, 2u);
  EXPECT_EQ(m->controls[0].start, 0x1000u);
  EXPECT_EQ(m->controls[0].end, 0x3000u);
  EXPECT_EQ(m->controls[1].scope, 1u);
  EXPECT_EQ(m->controls[1].space, 1u);
  EXPECT_EQ(m->controls[2].scope, 0u);
  EXPECT_EQ(m->commands, 5u);
}

TEST_F(Engine, SignalsFencesAndInterrupts) {
  Start(8);
  Buffer buffer;
  buffer.Copy(Src(0), Dst(64), 3000).Signal(Dst(0), 0x1122334455667788, true).Signal(Dst(8), 9);
  buffer.Nop(0).Nop(5);
  RunAndCompare(buffer);
  EXPECT_EQ(m->fence_irqs, 1u);
  m->Submit(0, buffer.words, true);
  ASSERT_TRUE(m->Finish());
  EXPECT_EQ(m->fence_irqs, 3u);
  EXPECT_EQ(m->FenceRecord(0, 0) >> 32, 2u);
  EXPECT_LT(m->FenceRecord(0, 1), m->now);
  EXPECT_GT(m->FenceRecord(0, 1), 0u);
}

TEST_F(Engine, AnEmptyBufferOnlySignals) {
  Start(9);
  RunAndCompare(Buffer());
  EXPECT_EQ(m->entries, 1u);
  EXPECT_EQ(m->commands, 0u);
}

}  // namespace
}  // namespace gmmu::dma
