// SPDX-License-Identifier: Apache-2.0
// Measures the copy engine's bus utilisation at its job port, with the real MMU behind it: bytes /
// (bus bytes * cycles from the first AR to the last B), for 1 MiB after a reset. Data and page
// tables are in ideal memories on separate ports, with 100 cycles from AR to the first R. B comes
// one cycle after the last W, or 100 cycles in the rows that say so. The space has three levels of
// tables and scattered 4 KiB pages, and nothing is cached.
#include <gtest/gtest.h>

#include <cstdio>

#include "tb/rtl/dma/copy_speed.h"

namespace gmmu::dma {
namespace {

constexpr uint64_t kTotal = 1 << 20;

/// One row: copy k moves `size` bytes from k * stride + s of one window to k * stride + d of the
/// other.
struct Row {
  const char* name;
  CopyMachine::Size reads;
  bool physical;
  uint64_t size, stride;
  unsigned s, d;
  double target;   ///< share of the bus that the row must use, on a 64-bit bus
  double limit;    ///< upper bound: share of beats that carry data, or reads in flight / latency
  unsigned b = 1;  ///< cycles from the last W to B
};

double Measure(const Row& row) {
  const CopyFigure figure = MeasureCopies({row.reads, row.physical, row.size, row.stride, row.s, row.d, row.b});
  for (const std::string& error : figure.errors) ADD_FAILURE() << row.name << ": " << error;
  std::printf(
      "%-40s %.4f of the bus, %.4f of the limit %.4f (target %.3f; %u reads in flight, "
      "%llu table reads)\n",
      row.name, figure.use, figure.use / row.limit, row.limit, row.target, figure.most_reads,
      static_cast<unsigned long long>(figure.table_reads));
  return figure.use;
}

class CopySpeed : public ::testing::TestWithParam<Row> {};

TEST_P(CopySpeed, ReachesItsTarget) {
  const double use = Measure(GetParam());
  // On a wider bus, the memory latency limits the rate, so the target holds for a 64-bit bus only.
  if (CopyMachine::kBus == 8) EXPECT_GE(use, GetParam().target);
}

constexpr auto k32 = CopyMachine::kReads32, k128 = CopyMachine::kReads128;
INSTANTIATE_TEST_SUITE_P(
    Rows, CopySpeed,
    ::testing::Values(Row{"1 MiB through 4 KiB pages", k32, false, kTotal, kTotal, 0, 0, 0.98, 1},
                      Row{"4 KiB copies through 4 KiB pages", k32, false, 4096, 4096, 0, 0, 0.98, 1},
                      Row{"64 B copies through 4 KiB pages", k32, false, 64, 64, 0, 0, 0.95, 1},
                      Row{"1 MiB physical", k32, true, kTotal, kTotal, 0, 0, 0.998, 1},
                      Row{"64 B physical copies", k32, true, 64, 64, 0, 0, 0.999, 1},
                      Row{"8 B physical copies, 32 in flight", k32, true, 8, 8, 0, 0, 0.17, 0.32},
                      Row{"8 B physical copies, 128 in flight", k128, true, 8, 8, 0, 0, 0.6, 1},
                      // Each copy needs two translations, and the L1 TLB delivers one per cycle.
                      Row{"8 B copies through 4 KiB pages, 128", k128, false, 8, 8, 0, 0, 0.44, 0.5},
                      Row{"misaligned 4 KiB copies, physical", k32, true, 4096, 4104, 1, 6, 0.9965, 512.0 / 513},
                      Row{"misaligned 4 KiB copies, 7 to 1", k32, true, 4096, 4104, 7, 1, 0.9965, 512.0 / 513},
                      Row{"misaligned 4 KiB copies, 4 KiB pages", k32, false, 4096, 4104, 1, 6, 0.99, 512.0 / 513},
                      Row{"1 MiB through 4 KiB pages, B 100", k32, false, kTotal, kTotal, 0, 0, 0.98, 1, 100},
                      Row{"64 B copies through 4 KiB pages, B 100", k32, false, 64, 64, 0, 0, 0.95, 1, 100},
                      Row{"64 B physical copies, B 100", k32, true, 64, 64, 0, 0, 0.998, 1, 100},
                      Row{"8 B physical copies, 32, B 100", k32, true, 8, 8, 0, 0, 0.17, 0.32, 100},
                      Row{"8 B physical copies, 128, B 100", k128, true, 8, 8, 0, 0, 0.98, 1, 100}));

}  // namespace
}  // namespace gmmu::dma
