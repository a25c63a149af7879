// SPDX-License-Identifier: Apache-2.0
// Random bursts of four requesters through the mux; each beat names its burst, so every loss,
// double or swap shows.
#include <deque>
#include <map>
#include <set>

#include "Vgmmu_axi_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu {
namespace {

constexpr unsigned kRequesters = 4;
constexpr unsigned kVram = 0, kHost = 1, kPeer = 2;  // of a burst; kPeer leaves by the host port
constexpr unsigned kExempt = 1;  // hold_i is not for it

struct Burst {
  unsigned requester = 0, id = 0, len = 0, beat = 0;
  unsigned port = 0;  // kVram, kHost, kPeer
  uint64_t address = 0;
};

uint64_t Word(const Burst& b, unsigned beat) { return b.address << 8 | beat; }

class Bench : public BlockBench<Vgmmu_axi_bench> {
 public:
  Bench(unsigned stall, uint64_t seed) : BlockBench(seed) {
    manner = {stall, stall};
    t.host_enable_i = 1;
    Reset();
  }

  void Read(unsigned requester, unsigned port, unsigned len) {
    to_read_[requester].push_back(Make(requester, port, len));
  }
  void Write(unsigned requester, unsigned port, unsigned len) {
    to_write_[requester].push_back(Make(requester, port, len));
  }
  bool Done() const { return asked_ == answered_; }
  /// Bursts of other requesters than the exempt one: offered to a memory, and not answered yet.
  uint64_t held_offers = 0;
  unsigned Unanswered() const {
    unsigned count = 0;
    for (const auto* list : {reads_, writing_, written_})
      for (unsigned p = 0; p < 2; ++p)
        for (const Burst& b : list[p]) count += b.id >> 8 != kExempt;
    return count;
  }
  unsigned host_requests = 0;
  bool hold_writes = false;   // the memories take no AW and no W
  bool block_host = false;    // the host port's memory takes no W,
  bool take_host_ax = false;  // and AR and AW only if this is true
  unsigned vram_writes_done[kRequesters] = {};
  uint64_t r_beats = 0, w_beats = 0;

  void Step() override {
    for (unsigned q = 0; q < kRequesters; ++q) {
      if (!ar_[q] && !to_read_[q].empty() && !Stall()) {
        const unsigned id = FreeId(read_of_[q]);
        if (id < 256) {
          ar_[q] = std::make_unique<Burst>(to_read_[q].front());
          to_read_[q].pop_front();
          ar_[q]->id = id;
          read_of_[q][id] = *ar_[q];
        }
      }
      t.ar_valid_i[q] = ar_[q] != nullptr;
      if (ar_[q])
        t.ar_id_i[q] = ar_[q]->id, t.ar_port_i[q] = ar_[q]->port, t.ar_addr_i[q] = ar_[q]->address,
        t.ar_len_i[q] = ar_[q]->len;
      if (!aw_[q] && !to_write_[q].empty() && !Stall()) {
        const unsigned id = FreeId(write_of_[q]);
        if (id < 256) {
          aw_[q] = std::make_unique<Burst>(to_write_[q].front());
          to_write_[q].pop_front();
          aw_[q]->id = id;
          write_of_[q][id] = *aw_[q];
          data_[q].push_back(*aw_[q]);
        }
      }
      t.aw_valid_i[q] = aw_[q] != nullptr;
      if (aw_[q])
        t.aw_id_i[q] = aw_[q]->id, t.aw_port_i[q] = aw_[q]->port, t.aw_addr_i[q] = aw_[q]->address,
        t.aw_len_i[q] = aw_[q]->len;
      if (!w_offered_[q]) w_offered_[q] = !data_[q].empty() && !Stall();
      t.w_valid_i[q] = w_offered_[q];
      if (w_offered_[q]) {
        const Burst& b = data_[q].front();
        t.w_data_i[q] = Word(b, b.beat), t.w_last_i[q] = b.beat == b.len;
      }
    }
    for (unsigned p = 0; p < 2; ++p) {
      const bool blocked = p == kHost && block_host;
      const bool closed = blocked && !take_host_ax;
      t.m_ar_ready_i[p] = !closed && !Stall();
      t.m_aw_ready_i[p] = !closed && !hold_writes && !Stall();
      t.m_w_ready_i[p] = !blocked && !hold_writes && !Stall();
      if (!r_offered_[p] && !reads_[p].empty() && !Stall()) {
        r_offered_[p] = true;
        pick_[p] = rng() % reads_[p].size();  // beats of different bursts interleave
      }
      t.m_r_valid_i[p] = r_offered_[p];
      if (r_offered_[p]) {
        const Burst& b = reads_[p][pick_[p]];
        t.m_r_id_i[p] = b.id, t.m_r_data_i[p] = Word(b, b.beat), t.m_r_last_i[p] = b.beat == b.len,
        t.m_r_error_i[p] = b.address % 5 == 0;
      }
      if (!b_offered_[p] && !written_[p].empty() && !Stall()) {
        b_offered_[p] = true;
        std::swap(written_[p][0], written_[p][rng() % written_[p].size()]);
      }
      t.m_b_valid_i[p] = b_offered_[p];
      if (b_offered_[p])
        t.m_b_id_i[p] = written_[p][0].id, t.m_b_error_i[p] = written_[p][0].address % 7 == 0;
    }
    Settle();
    Sample();
    Edge();
  }

  void Finish() {
    Until([&] { return Done(); }, "the answers", 200000);
    Run(10);
    EXPECT_TRUE(t.idle_o);
  }

 private:
  Burst Make(unsigned requester, unsigned port, unsigned len) {
    ++asked_;
    Burst b;
    b.requester = requester, b.port = port, b.len = len;
    b.address = uint64_t{port} << 40 | (64 * ++serial_ + requester);
    return b;
  }
  /// A burst leaves by its memory port, and says that it is a peer's if and only if it is.
  static void CheckPort(const Burst& b, unsigned p, unsigned kind) {
    const unsigned port = static_cast<unsigned>(b.address >> 40);
    EXPECT_EQ(p, port == kVram ? 0u : 1u);
    EXPECT_EQ(kind, port == kPeer ? 3u : 0u);
  }
  static unsigned FreeId(const std::map<unsigned, Burst>& used) {
    for (unsigned id = 0; id < 32; ++id) {
      if (used.count(id * 7 % 256) == 0) return id * 7 % 256;
    }
    return 256;
  }
  void Sample() {
    for (unsigned q = 0; q < kRequesters; ++q) {
      if (t.ar_valid_i[q] && t.ar_ready_o[q]) ar_[q].reset();
      if (t.aw_valid_i[q] && t.aw_ready_o[q]) aw_[q].reset();
      if (t.w_valid_i[q] && t.w_ready_o[q]) {
        w_offered_[q] = false;
        if (data_[q].front().beat++ == data_[q].front().len) data_[q].pop_front();
      }
      if (t.r_valid_o[q]) {
        auto found = read_of_[q].find(t.r_id_o[q]);
        ASSERT_NE(found, read_of_[q].end());
        Burst& b = found->second;
        EXPECT_EQ(t.r_data_o[q], Word(b, b.beat));
        EXPECT_EQ(t.r_error_o[q], b.address % 5 == 0);
        EXPECT_EQ(t.r_last_o[q], b.beat == b.len);
        ++r_beats;
        if (b.beat++ == b.len) read_of_[q].erase(found), ++answered_;
      }
      if (t.b_valid_o[q]) {
        auto found = write_of_[q].find(t.b_id_o[q]);
        ASSERT_NE(found, write_of_[q].end());
        EXPECT_EQ(t.b_error_o[q], found->second.address % 7 == 0);
        vram_writes_done[q] += found->second.port == kVram;
        write_of_[q].erase(found);
        ++answered_;
      }
    }
    for (unsigned p = 0; p < 2; ++p) {
      held_offers += t.m_ar_valid_o[p] && t.m_ar_id_o[p] >> 8 != kExempt;
      held_offers += t.m_aw_valid_o[p] && t.m_aw_id_o[p] >> 8 != kExempt;
      if (t.m_r_valid_i[p] && t.m_r_ready_o[p]) {
        r_offered_[p] = false;
        if (reads_[p][pick_[p]].beat++ == reads_[p][pick_[p]].len)
          reads_[p].erase(reads_[p].begin() + pick_[p]);
      }
      if (t.m_b_valid_i[p] && t.m_b_ready_o[p]) b_offered_[p] = false, written_[p].pop_front();
      if (t.m_ar_valid_o[p] && t.m_ar_ready_i[p]) {
        Burst b;
        b.id = t.m_ar_id_o[p], b.address = t.m_ar_addr_o[p], b.len = t.m_ar_len_o[p];
        EXPECT_EQ(b.id >> 8, b.address % 64) << "requester in the id";
        CheckPort(b, p, t.m_ar_kind_o[p]);
        reads_[p].push_back(b);
        host_requests += p;
      }
      // W may come before its AW: beats and addresses are matched when both are there.
      if (t.m_aw_valid_o[p] && t.m_aw_ready_i[p]) {
        Burst b;
        b.id = t.m_aw_id_o[p], b.address = t.m_aw_addr_o[p], b.len = t.m_aw_len_o[p];
        EXPECT_EQ(b.id >> 8, b.address % 64);
        CheckPort(b, p, t.m_aw_kind_o[p]);
        writing_[p].push_back(b);
        host_requests += p;
      }
      if (t.m_w_valid_o[p] && t.m_w_ready_i[p])
        beats_[p].push_back({t.m_w_data_o[p], t.m_w_last_o[p] != 0}), ++w_beats;
      while (!writing_[p].empty() && !beats_[p].empty()) {
        Burst& b = writing_[p].front();
        EXPECT_EQ(beats_[p].front().first, Word(b, b.beat));
        EXPECT_EQ(beats_[p].front().second, b.beat == b.len);
        beats_[p].pop_front();
        if (b.beat++ == b.len) written_[p].push_back(b), writing_[p].pop_front();
      }
    }
  }

  uint64_t serial_ = 0, asked_ = 0, answered_ = 0;
  std::deque<Burst> to_read_[kRequesters], to_write_[kRequesters], data_[kRequesters];
  std::unique_ptr<Burst> ar_[kRequesters], aw_[kRequesters];
  bool w_offered_[kRequesters] = {};
  std::map<unsigned, Burst> read_of_[kRequesters], write_of_[kRequesters];
  std::deque<Burst> reads_[2], writing_[2], written_[2];
  std::deque<std::pair<uint64_t, bool>> beats_[2];
  bool r_offered_[2] = {}, b_offered_[2] = {};
  size_t pick_[2] = {};
};

TEST(AxiMux, EveryBurstReachesItsPortAndEveryAnswerItsRequester) {
  for (unsigned stall : {0u, 30u, 70u}) {
    for (uint64_t seed = 1; seed <= 4; ++seed) {
      Bench bench(stall, seed);
      std::mt19937_64 random(seed);
      for (int i = 0; i < 1500; ++i) {
        const unsigned q = random() % kRequesters;
        const unsigned port = random() % 3;
        const unsigned len = random() % 8;
        if (q != 2 && (q == 3 || random() % 2))
          bench.Read(q, port, len);
        else
          bench.Write(q, port, len);
      }
      bench.Finish();
      if (HasFailure()) return;
    }
  }
}

TEST(AxiMux, CarriesABeatACycleOnEveryChannel) {
  Bench bench(0, 1);
  for (int i = 0; i < 64; ++i) {
    bench.Read(0, kVram, 7);
    bench.Read(1, kHost, 7);
    bench.Write(2, kVram, 7);
    bench.Write(0, kHost, 7);
  }
  while (!bench.Done() && bench.now < 5000) bench.Step();
  std::printf("512 beats on each of four channels: %llu cycles\n",
              static_cast<unsigned long long>(bench.now));
  EXPECT_LE(bench.now, 512u + 20);
}

TEST(AxiMux, TwoPortsThatAnswerOneRequesterTakeTurns) {
  Bench bench(0, 1);
  for (int i = 0; i < 32; ++i) {
    bench.Read(0, false, 7);
    bench.Read(0, true, 7);
  }
  while (!bench.Done() && bench.now < 5000) bench.Step();
  EXPECT_LE(bench.now, 512u + 20);  // the requester's one beat a cycle is used
}

TEST(AxiMux, NoNewHostRequestLeavesWhileTheHostIsClosed) {
  Bench bench(0, 1);
  bench.t.host_enable_i = 0;
  bench.Read(0, true, 3);
  bench.Write(1, true, 3);
  bench.Read(3, false, 3);
  bench.Write(2, false, 3);
  bench.Run(200);
  EXPECT_EQ(bench.host_requests, 0u);
  EXPECT_EQ(bench.r_beats, 4u);  // VRAM goes on
  bench.t.host_enable_i = 1;
  bench.Finish();
  EXPECT_EQ(bench.host_requests, 2u);
}

TEST(AxiMux, HeldItBeginsNothingAndSaysWhenEverythingIsAnswered) {
  for (unsigned stall : {0u, 30u, 70u}) {
    for (uint64_t seed = 1; seed <= 6; ++seed) {
      SCOPED_TRACE(testing::Message() << "stall " << stall << ", seed " << seed);
      Bench bench(stall, seed);
      std::mt19937_64 random(seed);
      const auto ask = [&](unsigned q) {
        if (q != 2 && (q == 3 || random() % 2)) bench.Read(q, random() % 3, random() % 8);
        else bench.Write(q, random() % 3, random() % 8);
      };
      for (int round = 0; round < 12; ++round) {
        for (int i = 0; i < 60; ++i) ask(random() % kRequesters);
        for (int i = random() % 150; i > 0; --i) bench.Step();
        bench.t.hold_i = 1;
        const bool traffic = round % 2;  // of the exempt one, all the time
        int waits = 0;
        for (; waits < 20000 && !bench.t.silent_o; ++waits) {
          if (traffic && waits % 4 == 0) ask(kExempt);
          bench.Step();
        }
        ASSERT_LT(waits, 20000) << "never silent";
        ASSERT_EQ(bench.Unanswered(), 0u) << "silent with bursts unanswered";
        const uint64_t offers = bench.held_offers;
        for (int i = 0; i < 100; ++i) {
          if (traffic && i % 4 == 0) ask(kExempt);
          const unsigned held = random() % kRequesters;  // what is asked for now waits
          if (i % 5 == 0 && held != kExempt) ask(held);
          bench.Step();
          ASSERT_TRUE(bench.t.silent_o);
        }
        EXPECT_EQ(bench.held_offers, offers) << "it begins something";
        const uint64_t beats = bench.r_beats;
        bench.Read(kExempt, round % 3 == 0, 3);
        for (int i = 0; i < 2000 && bench.r_beats < beats + 4; ++i) bench.Step();
        EXPECT_GE(bench.r_beats, beats + 4) << "the exempt one is held too";
        bench.t.hold_i = 0;
        bench.Step();
        EXPECT_FALSE(bench.t.silent_o);
      }
      bench.Finish();
      if (testing::Test::HasFailure()) return;
    }
  }
}

TEST(AxiMux, HeldAndIdleItIsSilentAtOnceAndIdleWhenItIs) {
  Bench bench(0, 1);
  bench.Run(20);
  bench.t.hold_i = 1;
  bench.Step();
  EXPECT_TRUE(!bench.t.idle_o || bench.t.silent_o);
  bench.Run(4);
  EXPECT_TRUE(bench.t.silent_o && bench.t.idle_o);
  bench.Read(0, false, 3);
  bench.Run(50);
  EXPECT_TRUE(bench.t.silent_o);
  EXPECT_FALSE(bench.t.idle_o);  // something waits
  EXPECT_EQ(bench.r_beats, 0u);
  bench.t.hold_i = 0;
  bench.Finish();
}

TEST(AxiMux, BurstsThatAClosedHostPortKeepsAreNotSilent) {
  Bench bench(0, 1);
  for (int i = 0; i < 12; ++i) bench.Read(0, true, 7), bench.Write(2, true, 7);
  bench.Run(12);
  bench.t.host_enable_i = 0;
  bench.t.hold_i = 1;
  bench.Run(500);
  const bool kept = !bench.t.silent_o;
  bench.t.host_enable_i = 1;
  const uint64_t offers = bench.held_offers;
  bench.Run(500);
  EXPECT_EQ(kept, bench.held_offers != offers) << "what was kept leaves, else it was silent";
  EXPECT_TRUE(bench.t.silent_o);
  bench.t.hold_i = 0;
  bench.Finish();
}

TEST(AxiMux, HeldWithACandidateThatHasNoRoomItIsNotSilent) {
  // The host port is closed, so what was chosen for it before the hold waits, and leaves once it opens.
  for (bool write : {false, true}) {
    SCOPED_TRACE(write ? "write" : "read");
    Bench bench(0, 1);
    bench.t.host_enable_i = 0;
    bench.Run(10);
    if (write) bench.Write(0, kHost, 3);
    else bench.Read(0, kHost, 3);
    bench.Run(30);
    bench.t.hold_i = 1;
    for (int i = 0; i < 100; ++i) {
      bench.Step();
      ASSERT_FALSE(bench.t.silent_o) << "silent with a candidate";
    }
    EXPECT_EQ(bench.host_requests, 0u);
    bench.t.host_enable_i = 1;
    bench.Run(100);
    EXPECT_EQ(bench.host_requests, 1u);
    EXPECT_TRUE(bench.t.silent_o);
    bench.t.hold_i = 0;
    bench.Finish();
  }
}

TEST(AxiMux, WritesThatAreNotTakenDoNotHoldReadsUp) {
  Bench bench(0, 1);
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
  // Each requester alternates between the ports, so the orders of both ports depend on each other.
  Bench bench(20, 9);
  for (int i = 0; i < 200; ++i) {
    for (unsigned q = 0; q < 3; ++q) bench.Write(q, (i + q) % 3, 15);
  }
  bench.Finish();
}

// What the host port's memory may do for ever, each beside what it still takes.
struct Blocked {
  const char* name;
  bool take_ax, bus_master;
};
constexpr Blocked kBlocked[] = {{"nothing is taken", false, true},
                                {"AR and AW are taken, W is not", true, true},
                                {"the port is closed", false, false}};

class AxiMuxBlocked : public testing::TestWithParam<Blocked> {
 protected:
  void Block(Bench& bench) const {
    bench.block_host = true;
    bench.take_host_ax = GetParam().take_ax;
    bench.t.host_enable_i = GetParam().bus_master;
  }
  static void Release(Bench& bench) {
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
        Bench bench(stall, 1 + stuck);
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
  // Everybody but one mixes both ports until it stands; that one never notices.
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    Bench bench(seed % 2 ? 0 : 30, seed);
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

TEST(AxiMux, ARequesterThatStaysAtOnePortGetsItsAwWithoutAPause) {
  Bench bench(0, 1);
  for (int i = 0; i < 256; ++i) bench.Write(0, kVram, 3), bench.Write(1, kPeer, 3);
  while (!bench.Done() && bench.now < 5000) bench.Step();
  EXPECT_LE(bench.now, 4 * 256u + 20);
}

TEST(AxiMux, WhatAChangeOfThePortCosts) {
  // One requester, 8 beats a burst: all to one port, then every burst to the other one.
  unsigned cycles[2];
  for (unsigned change = 0; change < 2; ++change) {
    Bench bench(0, 1);
    for (int i = 0; i < 64; ++i) bench.Write(0, change ? i % 2 : 0, 7);
    while (!bench.Done() && bench.now < 5000) bench.Step();
    cycles[change] = static_cast<unsigned>(bench.now);
  }
  std::printf("64 bursts of 8 beats: %u cycles, to the ports in turn %u\n", cycles[0], cycles[1]);
  EXPECT_LE(cycles[0], 512u + 20);
  EXPECT_LE(cycles[1], 64u * (8 + 8) + 20);
}

}  // namespace
}  // namespace gmmu
