// SPDX-License-Identifier: Apache-2.0
// Compares the event port with the counters and the bus: every event appears exactly once, in
// sequence, with the id of its request.
#include <gtest/gtest.h>

#include <array>
#include <set>

#include "tb/rtl/top/bits.h"
#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {
namespace {

using regs::Opcode;
using regs::Target;

enum Lane { kWalkStart, kWalkEnd, kFill, kEvict, kInvalidated, kCommand, kFault, kVramWrite, kHostWrite, kLanes };

constexpr uint64_t kVa = 0x400000, kHostVa = 0x600000;
constexpr uint64_t kHost = 0x10000000;

using Named = std::pair<uint32_t, uint64_t>;  // request id, and word 1 of an event

/// Checks the event port in every cycle.
class Watcher {
 public:
  void operator()(const Vgmmu_gpu_axi& t) {
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      if ((t.ev_valid_o >> lane & 1) == 0) continue;
      const auto word = [&](unsigned i) { return Bits(t.ev_o, 192 * lane + 64 * i, 64); };
      EXPECT_EQ(word(0) & 0xFFFF'FFFF, count[lane]) << "sequence of lane " << lane;
      count[lane] += lane == kCommand ? word(1) : 1;
      Take(static_cast<Lane>(lane), static_cast<uint32_t>(word(0) >> 32), word(1), word(2));
    }
    for (unsigned port = 0; port < lookups.size(); ++port) {
      if (Bits(t.ev_xlate_valid_o, port, 1) == 0) continue;
      EXPECT_EQ(Bits(t.ev_xlate_id_o, 64 * port, 32), lookups[port]++) << "sequence of port " << port;
      EXPECT_LT(Bits(t.ev_xlate_id_o, 64 * port + 32, 32), 256u) << "a tag";
    }
    if (t.m_vram_awvalid && t.m_vram_awready) {
      ++bus_writes[0];
      EXPECT_EQ(last[kVramWrite], (Named{t.m_vram_awid, t.m_vram_awaddr}));
    }
    if (t.m_host_awvalid && t.m_host_awready) {
      ++bus_writes[1];
      EXPECT_EQ(last[kHostWrite], (Named{t.m_host_awid, t.m_host_awaddr}));
    }
  }

  std::array<uint64_t, kLanes> count{};  // number of events per lane
  std::array<uint32_t, TopMachine::kPorts> lookups{};
  std::array<Named, kLanes> last;
  std::array<uint64_t, kLanes> second{};
  uint64_t bus_writes[2] = {};
  std::set<uint32_t> walking;  // rows with a walk in progress

 private:
  void Take(Lane lane, uint32_t id, uint64_t first, uint64_t word2) {
    last[lane] = {id, first};
    second[lane] = word2;
    if (lane == kWalkStart) EXPECT_TRUE(walking.insert(id).second) << "row " << id << " walks";
    if (lane == kWalkEnd) EXPECT_EQ(walking.erase(id), 1u) << "row " << id << " does not walk";
    // With 4 walks or more, there are two more shared rows than walks that may read at a time.
    const unsigned spare = sizes::kNumWalks < 4 ? 0 : 2;
    if (lane <= kEvict) EXPECT_LE(id, sizes::kNumWalks + spare) << "a row; the last is the engine's";
  }
};

TEST(GpuEvents, EveryEventOnceWithItsNumberAndRequest) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    TopMachine gpu(seed);
    Watcher watcher;
    gpu.watch = [&](const Vgmmu_gpu_axi& t) { watcher(t); };
    gpu.vram.shuffle = gpu.host.shuffle = true;
    gpu.vram.stall_percent = gpu.host.stall_percent = 20;
    gpu.host.memory.Make(kHost, 2 << 20);
    gpu.MakeSpace(1, 0x800000);
    gpu.MapPages(1, kVa, Target::kVram, 0x100000, 512);
    gpu.MapPages(1, kHostVa, Target::kSystem, kHost, 512);
    const uint32_t ring = TopMachine::RingAt(0);
    const uint64_t entries = kHost, buffer = kHost + 0x1000, fence = kHost + 0x2000;
    gpu.Set(regs::RingBase{}.set_address(entries).set_target(Target::kSystem), ring);
    gpu.Set(regs::RingFenceAddress{fence}, ring);
    gpu.Set(regs::RingCtrl{}.set_size_lg2(4).set_enable(1).set_privileged(1), ring);
    gpu.Set(regs::Ctrl{1});

    // Traffic of all clients to both memories causes walks, fills and, with 1024 pages, evictions.
    auto ctrl = regs::ClientCtrl{}.set_space(1).set_pattern(regs::Pattern::kRandom);
    ctrl.set_footprint_lg2(16);
    for (unsigned i = 0; i < TopMachine::kEngines; ++i) gpu.StartTraffic(i, ctrl, kVa, 0, 0, 300, 1, seed * 10 + i);
    for (unsigned i = 0; i < TopMachine::kEngines; ++i) EXPECT_EQ(gpu.EndTraffic(i).count(), 300u);

    // Run a ring entry with two copies and a flush.
    std::vector<uint64_t> words;
    for (int i = 0; i < 2; ++i) {
      words.push_back(
          regs::CommandHeaderWord{}.set_opcode(Opcode::kCopy).set_src_space(1).set_dst_space(1).set_words(4).raw);
      words.insert(words.end(), {kHostVa + 0x8000, kVa + 0x8000u * i, 0x1800});
    }
    words.push_back(regs::CommandHeaderWord{}
                        .set_opcode(Opcode::kFlushTlb)
                        .set_wait_writes(1)
                        .set_scope(regs::Scope::kGlobal)
                        .set_words(3)
                        .raw);
    words.insert(words.end(), {0, 0});
    for (size_t i = 0; i < words.size(); ++i) gpu.host.memory.Write64(buffer + 8 * i, words[i]);
    gpu.host.memory.Write64(entries, buffer);
    gpu.host.memory.Write64(
        entries + 8,
        regs::RingEntryShape{}.set_bytes(words.size() * 8).set_physical(1).set_target(Target::kSystem).raw);
    gpu.host.memory.Write64(entries + 16, 5);
    gpu.Set(regs::RingTail{1}, ring);
    gpu.Until([&] { return static_cast<uint32_t>(gpu.host.memory.Read64(fence)) == 5; }, "the fence");

    // Cause a fault, then an invalidation by a register write.
    const auto plain = regs::ClientCtrl{}.set_space(1);
    EXPECT_TRUE(gpu.Traffic(TopMachine::kLast, plain, 0x3F'0000'0000, 0, 1, 1, 1).fault());
    gpu.Set(regs::InvCmd{}.set_scope(regs::Scope::kSpace).set_space(1));
    gpu.Until([&] { return gpu.Get<regs::InvStatus>().busy() == 0; }, "the invalidation");
    gpu.Run(100);

    const uint32_t at = regs::kCountersBase;
    EXPECT_EQ(watcher.count[kWalkStart], gpu.Get<regs::CountersWalks>(at).n());
    EXPECT_EQ(watcher.count[kWalkEnd], watcher.count[kWalkStart]);
    EXPECT_TRUE(watcher.walking.empty());
    EXPECT_EQ(watcher.count[kFill], gpu.Get<regs::CountersL2Fills>(at).n());
    EXPECT_EQ(watcher.count[kEvict], gpu.Get<regs::CountersL2Evictions>(at).n());
    EXPECT_EQ(watcher.count[kInvalidated], gpu.Get<regs::CountersInvalidations>(at).n());
    EXPECT_EQ(watcher.count[kCommand], gpu.Get<regs::CountersCommands>(at).n());
    EXPECT_EQ(watcher.count[kCommand], 3u);
    EXPECT_EQ(watcher.last[kCommand].first, 0u) << "of the first ring entry";
    EXPECT_EQ(watcher.count[kFault], 1u);
    EXPECT_EQ(watcher.last[kFault], (Named{TopMachine::kLast, 0x3F'0000'0000}));
    EXPECT_EQ(regs::FaultRecordWhat{watcher.second[kFault]}.port_index(), TopMachine::kLast);
    EXPECT_EQ(watcher.count[kVramWrite], watcher.bus_writes[0]);
    EXPECT_EQ(watcher.count[kHostWrite], watcher.bus_writes[1]);
    if (sizes::kL2Entries < 1024) EXPECT_GT(watcher.count[kEvict], 0u);  // The L2 overflows.
    EXPECT_GT(watcher.count[kVramWrite], 0u);
    for (unsigned port = 0; port < TopMachine::kPorts; ++port) {
      EXPECT_EQ(watcher.lookups[port],
                gpu.Get<regs::PortCountersLookups>(regs::kPortCountersBase + port * regs::kPortCountersStride).n());
    }
  }
}

}  // namespace
}  // namespace gmmu::top
