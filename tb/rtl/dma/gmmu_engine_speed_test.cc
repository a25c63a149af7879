// SPDX-License-Identifier: Apache-2.0
// Measures bus utilisation: bytes / (bus bytes * cycles from the first AR to the last B), for 256
// KiB, with a memory latency of 100 cycles and a translation latency of 2. Commands are fetched
// through a separate port.
#include <cstdio>

#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {
namespace {

class EngineSpeed : public Engine {
 protected:
  /// Measures copies of `size` bytes; copy k has source k * stride + s and destination k * stride +
  /// d. Runs them once through the ring and once at the transfer engine's job port. Prints both
  /// utilisations and returns the one at the job port.
  double Measure(const char* name, uint64_t size, uint64_t stride, unsigned s, unsigned d, bool physical) {
    double use[2];
    unsigned reads[2];
    for (bool direct : {false, true}) {
      Start(1, Timing::Ideal(100));
      m->host.Make(0x8000000, kWindow);
      m->vram.Make(0x1000000, kWindow);
      Buffer buffer;
      uint64_t bytes = 0;
      for (uint64_t at = 0; at + stride <= kWindow; at += stride, bytes += size)
        buffer.Copy(physical ? Physical(Target::kSystem, 0x8000000 + at + s) : Src(at + s),
                    physical ? Physical(Target::kVram, 0x1000000 + at + d) : Dst(at + d), size);
      Model model(*m, kApertureBase);
      model.Execute(buffer.words);
      uint64_t end = direct ? RunDirect(buffer) : RunRing(buffer);
      Compare(model);
      AtRest();
      use[direct] = double(bytes) / (double(kBus) * double(end - m->first_ar));
      reads[direct] = m->most_reads;
    }
    std::printf("%-36s utilisation %.3f at the port (%2u reads in flight), %.3f by ring (%2u)\n", name, use[1],
                reads[1], use[0], reads[0]);
    by_ring_ = use[0];
    return use[1];
  }
  double by_ring_ = 0;  ///< the latest measurement's utilisation through the ring

  /// Returns the utilisation that this bus must reach. `ratio` is the value for a 64-bit bus. On a
  /// wider bus, the latency limits the rate: at most 32 copies of `bytes` are in flight, each for
  /// 100 cycles plus the pipeline's delay.
  static double Least(double ratio, unsigned bytes = kWindow) {
    if (kBus == 8) return ratio;
    return std::min(ratio / 2, 0.95 * 32 * bytes / kBus / 115);
  }
  /// Runs the buffer through the ring. Returns the cycle of the last B before the fence record's B.
  uint64_t RunRing(const Buffer& buffer) {
    m->Submit(0, buffer.words);
    uint64_t previous = 0, last = 0;
    for (unsigned n = 0; n < 400000 && m->entries == 0; ++n) {
      m->Step();
      if (m->last_b != last) previous = last, last = m->last_b;
    }
    EXPECT_TRUE(m->Finish());
    return previous;
  }
  uint64_t RunDirect(const Buffer& buffer) {
    auto& top = m->t;
    m->direct = true;
    m->Run(2);
    GMMU_STRUCT(gmmu_dma_bench, job_t) job{};  // SourceCopy
    for (size_t at = 0; at < buffer.words.size(); at += 4) {
      CommandHeaderWord header{buffer.words[at]};
      top.job_valid_i = 1;
      job.src.physical = header.src_physical(), job.src.target = static_cast<uint8_t>(header.src_target());
      job.src.space = header.src_space(), job.src.address = buffer.words[at + 1];
      job.dst.physical = header.dst_physical(), job.dst.target = static_cast<uint8_t>(header.dst_target());
      job.dst.space = header.dst_space(), job.dst.address = buffer.words[at + 2];
      job.src_end = job.src.address + buffer.words[at + 3] - 1;
      job.dst_end = job.dst.address + buffer.words[at + 3] - 1;
      top.job_i = Pack(job);
      ++job.id;
      bool taken = false;
      for (unsigned n = 0; n < 20000 && !taken; ++n) {
        top.eval();
        taken = top.job_ready_o;
        m->Step();
      }
      EXPECT_TRUE(taken);
    }
    top.job_valid_i = 0;
    m->Step();
    for (unsigned n = 0; n < 400000 && !top.mover_idle_o; ++n) m->Step();
    m->Run(4);
    EXPECT_TRUE(top.mover_idle_o);
    return m->last_b;
  }
};

TEST_F(EngineSpeed, OneLongCopyFillsTheBus) {
  EXPECT_GE(Measure("256 KiB, 4 KiB pages", kWindow, kWindow, 0, 0, false), Least(0.98));
  EXPECT_GE(Measure("256 KiB - 8, misaligned", kWindow - 8, kWindow, 3, 6, false), Least(0.97));
  EXPECT_GE(Measure("256 KiB, physical", kWindow, kWindow, 0, 0, true), Least(0.98));
  EXPECT_GE(m->most_reads, 8u);
  EXPECT_GE(m->most_writes, 4u);
}

TEST_F(EngineSpeed, PagesAndSmallCopies) {
  EXPECT_GE(Measure("4 KiB copies", 4096, 4096, 0, 0, false), Least(0.97));
  EXPECT_GE(Measure("misaligned 4 KiB copies", 4096, 4104, 1, 6, false), Least(0.96));
  // The last destination beat of a copy leaves while the first bytes of the next copy arrive.
  EXPECT_GE(Measure("4 KiB copies, 514 beats a piece", 4096, 4104, 7, 1, false), Least(0.990));
  EXPECT_GE(Measure("64 B copies", 64, 64, 0, 0, false), Least(0.95, 64));
  EXPECT_GE(Measure("64 B physical copies", 64, 64, 0, 0, true), Least(0.95, 64));
  Measure("8 B physical copies", 8, 8, 0, 0, true);
  if (kBus == 8) EXPECT_GE(by_ring_, 0.195);  // 0.2 is one command every five cycles
}

}  // namespace
}  // namespace gmmu::dma
