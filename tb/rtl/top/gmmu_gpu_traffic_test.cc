// SPDX-License-Identifier: Apache-2.0
// Tests traffic engines with translation, routing and both memories.
#include <gtest/gtest.h>

#include "hw/traffic.h"
#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::Access;
using regs::Target;

constexpr uint64_t kVa = 0x10000000;
constexpr uint64_t kTables = 0x800000;
constexpr uint64_t kHostData = 0x1'2345'0000;

uint32_t Crc32c(const std::vector<uint8_t>& bytes) {
  uint32_t crc = ~0u;
  for (uint8_t byte : bytes) {
    crc ^= byte;
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0x82F63B78u : 0);
  }
  return ~crc;
}

class GpuTraffic : public ::testing::Test {
 protected:
  GpuTraffic() {
    gpu.host.memory.Make(kHostData, 64 << 10);
    for (uint64_t i = 0; i < 64 << 10; i += 8) {
      gpu.vram.memory.Write64(i, gpu.rng());
      gpu.host.memory.Write64(kHostData + i, gpu.rng());
    }
    gpu.MakeSpace(3, kTables);
    gpu.MapPages(3, kVa, Target::kVram, 0, 16);
    gpu.MapPages(3, kVa + 0x10000, Target::kSystem, kHostData, 16);
    gpu.Set(regs::Ctrl{1});
  }
  ~GpuTraffic() override {
    for (const auto& error : gpu.vram.errors) ADD_FAILURE() << error;
    for (const auto& error : gpu.host.errors) ADD_FAILURE() << error;
  }

  uint8_t At(uint64_t va) {
    const uint64_t offset = va - kVa;
    return offset < 0x10000 ? gpu.vram.memory.Read(offset) : gpu.host.memory.Read(kHostData + offset - 0x10000);
  }
  uint32_t ExpectedCrc(uint64_t base, uint32_t first, uint32_t stride, uint32_t count, uint32_t step) {
    std::vector<uint8_t> bytes;
    uint64_t k = 0;
    for (uint32_t i = 0; i < count; ++i, k = (k + step) % count) {
      for (unsigned b = 0; b < 64; ++b) bytes.push_back(At(base + 64 * (first + stride * k) + b));
    }
    return Crc32c(bytes);
  }

  TopMachine gpu;
  regs::ClientCtrl space3 = regs::ClientCtrl{}.set_space(3);
};

TEST_F(GpuTraffic, ReadsInSequenceAndPermutedWithTheRightChecksum) {
  for (const auto& [first, stride, count, step] : std::vector<std::array<uint32_t, 4>>{
           {0, 1, 2048, 1}, {1, 4, 512, 1}, {0, 1, 2048, 1021}, {3, 7, 290, 17}, {5, 1, 1, 1}}) {
    const auto status = gpu.Traffic(0, space3, kVa, first, stride, count, step);
    EXPECT_EQ(status.fault(), 0u);
    EXPECT_EQ(status.count(), count);
    EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(0)).crc(), ExpectedCrc(kVa, first, stride, count, step));
  }
}

TEST_F(GpuTraffic, AllEnginesAtOnceEachTheirShare) {
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = 20;
  for (unsigned i = 0; i < TopMachine::kEngines; ++i) gpu.StartTraffic(i, space3, kVa, i, 4, 512, 5);
  for (unsigned i = 0; i < TopMachine::kEngines; ++i) {
    EXPECT_EQ(gpu.EndTraffic(i).count(), 512u);
    EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(i)).crc(), ExpectedCrc(kVa, i, 4, 512, 5));
  }
  uint64_t lookups = 0;
  for (unsigned i = 0; i < TopMachine::kEngines; ++i) {
    const uint32_t at = regs::kPortCountersBase + i * regs::kPortCountersStride;
    const uint64_t n = gpu.Get<regs::PortCountersLookups>(at).n();
    EXPECT_EQ(n, gpu.Get<regs::PortCountersHits>(at).n() + gpu.Get<regs::PortCountersMisses>(at).n() +
                     gpu.Get<regs::PortCountersMerged>(at).n() + gpu.Get<regs::PortCountersFaults>(at).n());
    lookups += n;
  }
  EXPECT_EQ(lookups, TopMachine::kEngines * 512u);
  EXPECT_EQ(gpu.Get<regs::CountersClientReadBytes>(regs::kCountersBase).n(), TopMachine::kEngines * 512u * 64);
}

TEST_F(GpuTraffic, OneWordACycleFromVram) {
  gpu.Traffic(0, space3, kVa, 0, 1, 1024, 1);  // warm up the TLBs
  const uint64_t before = gpu.Get<regs::CountersClientCycles>(regs::kCountersBase).n();
  gpu.Traffic(0, space3, kVa, 0, 1, 1024, 1);
  const uint64_t cycles = gpu.Get<regs::CountersClientCycles>(regs::kCountersBase).n() - before;
  std::printf("64 KiB read by one client from VRAM at latency 20: %llu cycles, %.3f words a cycle\n",
              static_cast<unsigned long long>(cycles), 8192.0 / static_cast<double>(cycles));
  EXPECT_LT(cycles, 8192 * 1.1);
}

TEST_F(GpuTraffic, WritesThePatternOfItsSeed) {
  auto ctrl = space3;
  ctrl.set_access(Access::kWrite);
  // The lines extend into host memory.
  const auto status = gpu.Traffic(1, ctrl, kVa, 0x3f0, 1, 32, 1, /*seed=*/0x1000);
  EXPECT_EQ(status.count(), 32u);
  for (uint64_t w = 0; w < 32 * 8; ++w) {
    const uint64_t at = 0x3f0 * 64 + 8 * w;
    EXPECT_EQ(at < 0x10000 ? gpu.vram.memory.Read64(at) : gpu.host.memory.Read64(kHostData + at - 0x10000), 0x1000 + w);
  }
  EXPECT_EQ(gpu.Get<regs::CountersClientWriteBytes>(regs::kCountersBase).n(), 32u * 64);
}

TEST_F(GpuTraffic, TestsItsMemoriesByItself) {
  gpu.vram.shuffle = gpu.host.shuffle = true;
  gpu.vram.stall_percent = gpu.host.stall_percent = 10;
  auto ctrl = space3;
  ctrl.set_access(Access::kWrite).set_verify(1).set_footprint_lg2(11);  // The footprint covers both memories.
  ctrl.set_pattern(regs::Pattern::kRandom);
  const auto random = gpu.Traffic(0, ctrl, kVa, 0, 0, 700, 1, /*seed=*/12345);
  EXPECT_EQ(random.count(), 1400u);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(0)).mismatches(), 0u);
  ctrl.set_pattern(regs::Pattern::kOrder);
  gpu.Traffic(1, ctrl, kVa, 0, 1, 2048, 1, /*seed=*/99);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(1)).mismatches(), 0u);
  EXPECT_EQ(gpu.vram.memory.Read64(0x1238), hw::AddressPattern(99, kVa + 0x1238));

  // The next run must detect a corrupted byte in each memory.
  gpu.vram.memory.Write64(0x1238, gpu.vram.memory.Read64(0x1238) ^ 0x100);
  gpu.host.memory.Write64(kHostData + 0x40, gpu.host.memory.Read64(kHostData + 0x40) ^ 1);
  ctrl.set_access(Access::kRead);
  gpu.Traffic(TopMachine::kLast, ctrl, kVa, 0, 1, 2048, 1, /*seed=*/99);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(TopMachine::kLast)).mismatches(), 2u);
}

#if GMMU_TOP_TrafficEngines < GMMU_TOP_NumClients
TEST_F(GpuTraffic, AClientBuiltWithoutAnEngineReadsZeroAndStartsNothing) {
  EXPECT_EQ(gpu.Get<regs::Cap2>().traffic(), TopMachine::kEngines);
  gpu.StartTraffic(TopMachine::kEngines, space3, kVa, 0, 1, 16, 1);
  gpu.Run(300);
  EXPECT_TRUE(gpu.t.idle_o);
  for (uint32_t at = 0; at < regs::kClientStride; at += 8) {
    EXPECT_EQ(gpu.Read(TopMachine::ClientAt(TopMachine::kEngines) + at), 0u) << at;
  }
  EXPECT_EQ(gpu.Get<regs::CountersClientReadBytes>(regs::kCountersBase).n(), 0u);
}
#endif

TEST_F(GpuTraffic, ChasesPointersThroughBothMemories) {
  std::vector<uint8_t> bytes;
  for (unsigned i = 0; i < 500; ++i) {  // The 64 lines form a ring.
    const auto line = [](unsigned n) { return kVa + 64 * (n * 17 % 64 * 32); };
    const uint64_t at = line(i % 64) - kVa;
    auto& memory = at < 0x10000 ? gpu.vram.memory : gpu.host.memory;
    memory.Write64(at < 0x10000 ? at : kHostData + at - 0x10000, line((i + 1) % 64));
  }
  for (unsigned i = 0; i < 500; ++i) {
    for (unsigned b = 0; b < 64; ++b) bytes.push_back(At(kVa + 64 * (i * 17 % 64 * 32) + b));
  }
  auto ctrl = space3;
  ctrl.set_pattern(regs::Pattern::kChase);
  EXPECT_EQ(gpu.Traffic(TopMachine::kLast, ctrl, kVa, 0, 0, 500, 1).count(), 500u);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(TopMachine::kLast)).crc(), Crc32c(bytes));
}

TEST_F(GpuTraffic, StopsAtTheFirstFaultInAccessOrderAndLogsIt) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(4).set_enable(1));
  gpu.Set(regs::IntEnable{}.set_enable(4));
  gpu.Map(3, kVa + 0x3000, {});  // an invalid entry

  const auto status = gpu.Traffic(TopMachine::kLast, space3, kVa, 0x80, 1, 256, 1);
  EXPECT_EQ(status.fault(), 1u);
  EXPECT_EQ(status.reason(), regs::Fault::kEntryInvalid);
  EXPECT_EQ(status.level(), 0u);
  EXPECT_EQ(status.count(), 0x40u);
  EXPECT_EQ(gpu.Get<regs::ClientFaultAddress>(TopMachine::ClientAt(TopMachine::kLast)).va(), kVa + 0x3000);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(TopMachine::kLast)).crc(),
            ExpectedCrc(kVa, 0x80, 1, 0x40, 1));

  gpu.Run(200);
  EXPECT_EQ(gpu.Get<regs::FaultQueueTail>().index(), 1u);
  const regs::FaultRecordWhat what{gpu.host.memory.Read64(0x50000)};
  EXPECT_EQ(what.reason(), regs::Fault::kEntryInvalid);
  EXPECT_EQ(what.space(), 3u);
  EXPECT_EQ(what.port_index(), TopMachine::kLast);
  EXPECT_EQ(gpu.host.memory.Read64(0x50008), kVa + 0x3000);
  ASSERT_EQ(gpu.Messages(), 1u);
  // The record is written before the message is sent.
  EXPECT_EQ(gpu.host.log[0].address, 0x50000u);
  EXPECT_EQ(gpu.host.log[1].kind, 2u);

  gpu.MapPages(3, kVa + 0x3000, Target::kVram, 0x3000, 1);
  EXPECT_EQ(gpu.Traffic(TopMachine::kLast, space3, kVa, 0x80, 1, 256, 1).count(), 256u);  // Faults are not cached.
}

TEST_F(GpuTraffic, AFullFaultQueueDropsAndCounts) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  gpu.Set(regs::FaultQueueSize{}.set_size_lg2(1).set_enable(1));
  for (int i = 0; i < 3; ++i) {
    gpu.Traffic(0, space3, kVa + 0x100000, 0, 1, 1, 1);
    gpu.Run(100);
  }
  const auto tail = gpu.Get<regs::FaultQueueTail>();
  EXPECT_EQ(tail.index(), 1u);
  EXPECT_EQ(tail.dropped(), 2u);

  gpu.Set(regs::FaultQueueHead{1});
  gpu.Traffic(0, space3, kVa + 0x100000, 0, 1, 1, 1);
  gpu.Run(100);
  EXPECT_EQ(gpu.Get<regs::FaultQueueTail>().index(), 0u);
  EXPECT_EQ(gpu.host.memory.Read64(0x50000 + 32 + 24),
            3u);  // Dropped records also have sequence numbers.
}

TEST_F(GpuTraffic, TheFaultQueueGoesOnWhereItWasWhenItIsSwitchedOffAndOn) {
  gpu.host.memory.Make(0x50000, 0x1000);
  gpu.Set(regs::FaultQueueBase{0x50000});
  const auto size = regs::FaultQueueSize{}.set_size_lg2(4);
  for (unsigned life = 0; life < 3; ++life) {
    const auto tail = gpu.Get<regs::FaultQueueTail>();
    EXPECT_EQ(tail.index(), life);
    gpu.Set(regs::FaultQueueHead{tail.index()});
    gpu.Set(regs::FaultQueueSize{size}.set_enable(1));
    gpu.Traffic(0, space3, kVa + 0x100000, 0, 1, 1, 1);
    gpu.Run(100);
    EXPECT_EQ(gpu.host.memory.Read64(0x50000 + 32 * life + 8), kVa + 0x100000);
    gpu.Set(size);
    gpu.Traffic(0, space3, kVa + 0x100000, 0, 1, 1, 1);  // This fault uses up a sequence number.
    gpu.Run(100);
  }
  EXPECT_EQ(gpu.host.memory.Read64(0x50000 + 32 * 2 + 24), 4u);
}

TEST_F(GpuTraffic, ZeroPagesReadZeroAndReadOnlyPagesRefuseWrites) {
  gpu.Map(3, kVa + 0x40000, regs::PteEntry{}.set_zero(1));
  gpu.Map(3, kVa + 0x41000, regs::PteEntry{}.set_valid(1).set_read_only(1).set_target(Target::kVram).set_page(1));
  auto write = space3;
  write.set_access(Access::kWrite);

  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x40000, 0, 1, 64, 1).count(), 64u);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(0)).crc(), Crc32c(std::vector<uint8_t>(4096)));
  const uint64_t writes = gpu.vram.writes;
  EXPECT_EQ(gpu.Traffic(0, write, kVa + 0x40000, 0, 1, 64, 1).count(), 64u);
  EXPECT_EQ(gpu.vram.writes, writes);
  const auto status = gpu.Traffic(0, write, kVa + 0x41000, 0, 1, 64, 1);
  EXPECT_EQ(status.reason(), regs::Fault::kWriteProtect);
  EXPECT_EQ(status.count(), 0u);
  EXPECT_EQ(gpu.vram.writes, writes);
}

TEST_F(GpuTraffic, BusAndRangeFaultsAreNamed) {
  gpu.Map(3, kVa + 0x40000, regs::PteEntry{}.set_valid(1).set_target(Target::kSystem).set_page(0x77777));
  gpu.Map(3, kVa + 0x41000,
          regs::PteEntry{}.set_valid(1).set_target(Target::kVram).set_page(TopMachine::kVramBytes >> 12));
  gpu.Map(3, kVa + 0x42000, regs::PteEntry{}.set_valid(1).set_target(Target::kPeer).set_page(1));
  gpu.Map(3, kVa + 0x43000, regs::PteEntry{}.set_valid(1).set_target(Target::kAperture).set_page(1));
  auto write = space3;
  write.set_access(Access::kWrite);

  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x40000, 0, 1, 2, 1).reason(), regs::Fault::kBusRead);
  EXPECT_EQ(gpu.Traffic(0, write, kVa + 0x40000, 0, 1, 2, 1).reason(), regs::Fault::kBusWrite);
  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x41000, 0, 1, 2, 1).reason(), regs::Fault::kVramRange);
  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x42000, 0, 1, 2, 1).reason(), regs::Fault::kPeerAbsent);
  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x43000, 0, 1, 2, 1).reason(), regs::Fault::kApertureRange);
  gpu.Set(regs::ApertureBase{0x300000});
  gpu.Set(regs::AperturePages{16});
  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x43000, 0, 1, 2, 1).reason(), regs::Fault::kApertureEntry);
  gpu.Set(regs::ApertureBase{TopMachine::kVramBytes});
  EXPECT_EQ(gpu.Traffic(0, space3, kVa + 0x43000, 0, 1, 2, 1).reason(), regs::Fault::kApertureRead);
}

TEST_F(GpuTraffic, ReadsHostPagesThroughTheAperture) {
  gpu.Set(regs::ApertureBase{0x300000});
  gpu.Set(regs::AperturePages{64});
  for (uint64_t i = 0; i < 16; ++i) {
    gpu.vram.memory.Write64(0x300000 + 8 * i,
                            (kHostData + 4096 * (15 - i)) | 1);  // The pages are in reverse order.
  }
  gpu.MapPages(3, kVa + 0x80000, Target::kAperture, 0, 16);
  std::vector<uint8_t> expected;
  for (uint64_t i = 0; i < 16; ++i) {
    const auto page = gpu.host.memory.Bytes(kHostData + 4096 * (15 - i), 4096);
    expected.insert(expected.end(), page.begin(), page.end());
  }

  EXPECT_EQ(gpu.Traffic(TopMachine::kLast, space3, kVa + 0x80000, 0, 1, 1024, 1).count(), 1024u);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(TopMachine::kLast)).crc(), Crc32c(expected));
  EXPECT_EQ(gpu.Get<regs::CountersApLookups>(regs::kCountersBase).n(), 1024u);
  EXPECT_EQ(gpu.Get<regs::CountersApHits>(regs::kCountersBase).n(), 1022u);
}

TEST_F(GpuTraffic, NothingGoesToTheHostWhileTheGpuIsNoBusMaster) {
  gpu.t.bus_master_i = 0;
  gpu.StartTraffic(0, space3, kVa + 0x10000, 0, 1, 64, 1);
  gpu.Run(2000);
  EXPECT_EQ(gpu.host.reads, 0u);
  EXPECT_EQ(gpu.Traffic(1, space3, kVa, 0, 1, 64, 1).count(), 64u);  // VRAM accesses continue.
  gpu.t.bus_master_i = 1;
  EXPECT_EQ(gpu.EndTraffic(0).count(), 64u);
}

TEST_F(GpuTraffic, ARunWaitsForTheEnableBitAndTheGpuIsIdleMeanwhile) {
  gpu.Set(regs::Ctrl{0});
  gpu.StartTraffic(0, space3, kVa, 0, 1, 64, 1);
  gpu.Run(200);
  EXPECT_EQ(gpu.Get<regs::ClientStatus>(TopMachine::ClientAt(0)).busy(), 1u);
  gpu.Run(10);
  EXPECT_TRUE(gpu.t.idle_o);
  gpu.Set(regs::Ctrl{1});
  EXPECT_EQ(gpu.EndTraffic(0).count(), 64u);
  gpu.Run(50);
  EXPECT_TRUE(gpu.t.idle_o);
}

TEST_F(GpuTraffic, AnInvalidationMakesAChangedEntryVisible) {
  gpu.Traffic(0, space3, kVa, 0, 1, 64, 1);
  gpu.MapPages(3, kVa, Target::kSystem, kHostData, 1);
  gpu.Set(regs::InvStart{kVa});
  gpu.Set(regs::InvEnd{kVa + 0x1000});
  gpu.Set(regs::InvCmd{}.set_scope(regs::Scope::kRange).set_space(3));
  gpu.Until([&] { return gpu.Get<regs::InvStatus>().busy() == 0; }, "the invalidation");
  EXPECT_EQ(gpu.Get<regs::InvStatus>().done(), 2u);  // The write of the space's root also counts.

  gpu.Traffic(0, space3, kVa, 0, 1, 64, 1);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(0)).crc(), Crc32c(gpu.host.memory.Bytes(kHostData, 4096)));
}

TEST_F(GpuTraffic, DifferentSpacesSeeDifferentBytesAtOneAddress) {
  gpu.MakeSpace(7, kTables + 0x100000);
  gpu.MapPages(7, kVa, Target::kVram, 0x4000, 1);
  auto space7 = regs::ClientCtrl{}.set_space(7);
  gpu.StartTraffic(0, space3, kVa, 0, 1, 64, 1);
  gpu.StartTraffic(1, space7, kVa, 0, 1, 64, 1);
  gpu.EndTraffic(0);
  gpu.EndTraffic(1);
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(0)).crc(), Crc32c(gpu.vram.memory.Bytes(0, 4096)));
  EXPECT_EQ(gpu.Get<regs::ClientResult>(TopMachine::ClientAt(1)).crc(), Crc32c(gpu.vram.memory.Bytes(0x4000, 4096)));
}

}  // namespace
}  // namespace gmmu::top
