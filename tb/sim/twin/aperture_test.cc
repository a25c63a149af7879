// SPDX-License-Identifier: Apache-2.0

#include <cstring>
#include <vector>

#include "tb/sim/twin/work.h"

namespace gmmu::sim::twin {
namespace {

using regs::Fault;
using regs::Opcode;

TEST_F(Work, MapsTheApertureAndForgetsItAtTheUnmap) {
  b.bare.Write(regs::ApertureBase::kOffset, 0x300000);
  b.bare.Write(regs::AperturePages::kOffset, 64);
  b.bare.Put(0x500A40, 0x1111);
  b.bare.Put(0x600A40, 0x2222);
  const auto copy = [](uint64_t to) {
    return std::vector<uint64_t>{Head(Opcode::kCopy, 4, 1 << 12 | 2 << 14 | 1 << 13 | 1 << 16), 0x5A40, to, 8};
  };
  EXPECT_EQ(Execute({Head(Opcode::kApertureMap, 3), 4 | uint64_t{2} << 32, 0x4FF001}), Fault::kNone);
  EXPECT_EQ(Vram(0x300028), 0x500001u);
  EXPECT_EQ(Execute(copy(0x20000)), Fault::kNone);
  EXPECT_EQ(Execute({Head(Opcode::kApertureUnmap, 3), 5 | uint64_t{1} << 32, 0x600001}), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20008)), Fault::kNone);
  EXPECT_EQ(Vram(0x20000), 0x1111u);
  EXPECT_EQ(Vram(0x20008), 0x2222u);
  EXPECT_EQ(Execute({Head(Opcode::kApertureMap, 3), 63 | uint64_t{2} << 32, 1}), Fault::kApertureRange);
}

// Bit 2 of an aperture entry is Coherent. If it is 0, a request does not snoop the CPU's caches.
TEST_F(Work, AnApertureEntryWithoutCoherentReadsWhatTheCpuHasNotWrittenBack) {
  b.bare.Write(regs::ApertureBase::kOffset, 0x300000);
  b.bare.Write(regs::AperturePages::kOffset, 64);
  b.bare.Put(0x500A40, 0x1111);
  const uint64_t pfn = 0x500;
  auto* view = static_cast<uint8_t*>(b.machine.ram().MapPages(&pfn, 1, hw::Caching::kCached));
  const uint64_t fresh = 0x2222;
  std::memcpy(view + 0xA40, &fresh, sizeof fresh);
  const auto map = [](uint64_t flags) {
    return std::vector<uint64_t>{Head(Opcode::kApertureMap, 3), 5 | uint64_t{1} << 32, 0x500000 | flags};
  };
  const auto copy = [](uint64_t to) {
    return std::vector<uint64_t>{Head(Opcode::kCopy, 4, 1 << 12 | 2 << 14 | 1 << 13 | 1 << 16), 0x5A40, to, 8};
  };
  EXPECT_EQ(Execute(map(1)), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20000)), Fault::kNone);
  EXPECT_EQ(Vram(0x20000), 0x1111u);
  EXPECT_EQ(Execute(map(1 | 4)), Fault::kNone);
  EXPECT_EQ(Execute(copy(0x20008)), Fault::kNone);
  EXPECT_EQ(Vram(0x20008), 0x2222u);
  EXPECT_EQ(Execute(map(1)), Fault::kNone);
  b.machine.ram().cache().WriteBackAll();
  EXPECT_EQ(Execute(copy(0x20010)), Fault::kNone);
  EXPECT_EQ(Vram(0x20010), 0x2222u);
  b.machine.ram().UnmapPages(view, 1);
}

}  // namespace
}  // namespace gmmu::sim::twin
