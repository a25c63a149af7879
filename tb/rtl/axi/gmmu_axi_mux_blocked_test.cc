// SPDX-License-Identifier: Apache-2.0
// Tests the mux while a memory accepts nothing or only some channels: other traffic continues, and
// every offer is held.
#include "tb/rtl/axi/mux_machine.h"

namespace gmmu {
namespace {

TEST(AxiMux, AddressesThatTheMemoriesDoNotAcceptAreKept) {
  for (unsigned q = 0; q < kRequesters; ++q) {
    for (unsigned port : {kVram, kHost}) {
      SCOPED_TRACE(testing::Message() << "requester " << q << ", port " << port);
      MuxMachine bench(0, 1);
      bench.hold_ax = true;  // The memories accept W but no AR or AW.
      for (unsigned i = 0; i < 60; ++i) {
        if (q != 3) bench.Write(q, port, 0);
        if (q != 2) bench.Read(q, port, 0);
      }
      bench.Run(300);
      bench.hold_ax = false;
      bench.Finish();
    }
  }
}

TEST(AxiMux, WritesThatAreNotTakenDoNotHoldReadsUp) {
  MuxMachine bench(0, 1);
  bench.hold_writes = true;
  for (int i = 0; i < 40; ++i) {
    for (unsigned q = 0; q < 3; ++q) bench.Write(q, i % 2, 7);
  }
  bench.Run(100);
  for (int i = 0; i < 20; ++i) {
    bench.Read(0, i % 2, 3);
    bench.Read(3, i % 2, 3);
  }
  bench.Run(1000);
  EXPECT_EQ(bench.r_beats, 160u);
  bench.hold_writes = false;
  bench.Finish();
}

TEST(AxiMux, DataThatWaitsForItsTurnBlocksNobodyForEver) {
  // Each requester alternates between the ports, so the order at each port depends on the other
  // port.
  MuxMachine bench(20, 9);
  for (int i = 0; i < 200; ++i) {
    for (unsigned q = 0; q < 3; ++q) bench.Write(q, (i + q) % 3, 15);
  }
  bench.Finish();
}

// Ways in which the host port's memory may block forever; `name` says what it still accepts.
struct Blocked {
  const char* name;
  bool take_ax, bus_master;
};
constexpr Blocked kBlocked[] = {{"nothing is taken", false, true},
                                {"AR and AW are taken, W is not", true, true},
                                {"the port is closed", false, false}};

class AxiMuxBlocked : public testing::TestWithParam<Blocked> {
 protected:
  void Block(MuxMachine& bench) const {
    bench.block_host = true;
    bench.take_host_ax = GetParam().take_ax;
    bench.t.host_enable_i = GetParam().bus_master;
  }
  static void Release(MuxMachine& bench) {
    bench.block_host = false;
    bench.t.host_enable_i = 1;
    bench.Finish();
  }
};

TEST_P(AxiMuxBlocked, VramWritesGoOnForEverybodyElse) {
  for (unsigned stall : {0u, 40u}) {
    for (unsigned stuck = 0; stuck < 3; ++stuck) {
      for (unsigned port : {kHost, kPeer}) {
        SCOPED_TRACE(testing::Message() << "requester " << stuck << ", stall " << stall << ", port " << port);
        MuxMachine bench(stall, 1 + stuck);
        Block(bench);
        for (int i = 0; i < 5; ++i) bench.Write(stuck, kVram, i % 4);
        for (int i = 0; i < 3; ++i) bench.Write(stuck, port, 7), bench.Write(stuck, kVram, 7);
        bench.Run(2000);
        EXPECT_EQ(bench.vram_writes_done[stuck], 5u) << "those before its first to the host";
        for (int i = 0; i < 60; ++i)
          for (unsigned q = 0; q < 3; ++q)
            if (q != stuck) bench.Write(q, kVram, (i + q) % 8);
        bench.Run(4000);
        for (unsigned q = 0; q < 3; ++q)
          EXPECT_EQ(bench.vram_writes_done[q], q == stuck ? 5u : 60u) << "requester " << q;
        Release(bench);
        if (HasFailure()) return;
      }
    }
  }
}

TEST_P(AxiMuxBlocked, VramReadsAndWritesOfTheOneWhoNeedsNoHostGoOn) {
  // All requesters but one use both ports until they are blocked. The remaining requester must
  // never be delayed.
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    MuxMachine bench(seed % 2 ? 0 : 30, seed);
    std::mt19937_64 random(seed);
    const unsigned free = seed % 3;
    for (int i = 0; i < 100; ++i)
      for (unsigned q = 0; q < 3; ++q)
        if (q != free) bench.Write(q, random() % 3, random() % 16);
    for (int i = random() % 200; i > 0; --i) bench.Step();
    Block(bench);
    bench.Run(2000);
    const unsigned before = bench.vram_writes_done[free];
    const uint64_t beats = bench.r_beats;
    for (int i = 0; i < 50; ++i) {
      bench.Write(free, kVram, random() % 16);
      if (free != 2) bench.Read(free, kVram, 3);
    }
    bench.Run(6000);
    EXPECT_EQ(bench.vram_writes_done[free], before + 50);
    if (free != 2) EXPECT_GE(bench.r_beats, beats + 200);
    Release(bench);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Host, AxiMuxBlocked, testing::ValuesIn(kBlocked),
                         [](const auto& info) { return std::string(1, static_cast<char>('a' + info.index)); });

}  // namespace
}  // namespace gmmu
