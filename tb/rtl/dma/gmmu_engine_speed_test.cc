// SPDX-License-Identifier: Apache-2.0
// Utilisation of the bus by the engine: bytes / (8 * cycles from first AR to last B), through the ring, memory of 100 cycles.
#include <cstdio>

#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class EngineSpeed : public Engine {
 protected:
  /// Many copies of `size` bytes, the k-th at source k * stride + s and destination k * stride + d.
  double Measure(const char* name, uint64_t size, uint64_t stride, unsigned s, unsigned d,
                 bool physical) {
    Start(1, Timing::Ideal(100));
    Buffer buffer;
    m->host.Make(0x8000000, kWindow);
    m->vram.Make(0x1000000, kWindow);
    uint64_t bytes = 0;
    for (uint64_t at = 0; at + stride <= kWindow; at += stride, bytes += size)
      buffer.Copy(physical ? Physical(Target::kSystem, 0x8000000 + at + s) : Src(at + s),
                  physical ? Physical(Target::kVram, 0x1000000 + at + d) : Dst(at + d), size);
    RunAndCompare(buffer);
    double use = double(bytes) / (8.0 * double(last_data_b_ - m->first_ar));
    std::printf("%-36s utilisation %.3f, reads in flight %u, writes %u\n", name, use, m->most_reads,
                m->most_writes);
    return use;
  }
  void RunAndCompare(const Buffer& buffer) {
    Model model(*m, kApertureBase);
    model.Execute(buffer.words);
    m->Submit(0, buffer.words);
    // The last B before the fence record's.
    uint64_t previous = 0, last = 0;
    for (unsigned n = 0; n < 400000 && m->entries == 0; ++n) {
      m->Tick();
      if (m->last_b != last) previous = last, last = m->last_b;
    }
    last_data_b_ = previous;
    ASSERT_TRUE(m->Run());
    Compare(model);
    AtRest();
  }
  uint64_t last_data_b_ = 0;
};

TEST_F(EngineSpeed, OneLongCopyFillsTheBus) {
  EXPECT_GE(Measure("256 KiB, 4 KiB pages", kWindow, kWindow, 0, 0, false), 0.98);
  EXPECT_GE(Measure("256 KiB - 8, misaligned, 4 KiB pages", kWindow - 8, kWindow, 3, 6, false), 0.97);
  EXPECT_GE(Measure("256 KiB, physical", kWindow, kWindow, 0, 0, true), 0.98);
  EXPECT_GE(m->most_reads, 8u);
  EXPECT_GE(m->most_writes, 4u);
}

TEST_F(EngineSpeed, PagesAndSmallCopies) {
  EXPECT_GE(Measure("4 KiB copies", 4096, 4096, 0, 0, false), 0.97);
  EXPECT_GE(Measure("misaligned 4 KiB copies", 4096, 4104, 1, 6, false), 0.96);
  EXPECT_GE(Measure("64 B copies", 64, 64, 0, 0, false), 0.6);
  EXPECT_GE(Measure("64 B physical copies", 64, 64, 0, 0, true), 0.6);
  Measure("8 B physical copies", 8, 8, 0, 0, true);
}

}  // namespace
}  // namespace gmmu::dma
