// SPDX-License-Identifier: Apache-2.0
// Tests two routers and their aperture map against a plain model: every access gets the right
// address or fault, in order, and no response after a flush comes from an older entry.
#include <deque>
#include <vector>

#include "Vgmmu_aperture_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_test.h"
#include "tb/rtl/structs.h"

namespace gmmu {
namespace {

using regs::Fault;
using regs::Target;

constexpr uint64_t kVram = 1 << 20, kBase = 0x40000;
constexpr unsigned kPages = 200;

struct Access {
  Target target = Target::kSystem;
  uint64_t offset = 0;
  unsigned adapter = 0, bytes = 1, tag = 0;
  bool coherent = false;
};
struct Answer {
  unsigned tag = 0, port = 0;
  uint64_t address = 0;
  bool coherent = false;
  Fault fault = Fault::kNone;
};

class Bench : public BlockBench<Vgmmu_aperture_bench> {
 public:
  Bench(unsigned stall, uint64_t seed) : BlockBench(seed) {
    manner = {stall, stall};
    t.vram_bytes_i = kVram, t.base_i = kBase, t.pages_i = kPages;
    Reset();
  }

  std::vector<uint64_t> table = std::vector<uint64_t>(kPages + 8);
  int bad_line = -1;  // the table line whose read fails
  int bad_beat = -1;  // the only beat of bad_line that fails; -1: all beats
  uint64_t base = kBase;
  bool closed = false;  // the routers' outputs are stalled
  unsigned latency = 5;
  unsigned adapters = 0, own = 0;  // fields of register `link`
  uint64_t lookups = 0, hits = 0, fetches = 0;
  std::deque<Access> in[2];
  std::vector<Answer> out[2];

  Answer Expect(const Access& a) const {
    Answer r;
    r.tag = a.tag, r.address = a.offset, r.coherent = a.coherent;
    switch (a.target) {
      case Target::kSystem: r.port = 1; break;
      case Target::kVram: r.fault = a.offset + a.bytes > kVram ? Fault::kVramRange : Fault::kNone; break;
      case Target::kPeer:
        if (a.adapter >= adapters || a.adapter == own || a.offset >> 42 != 0) r.fault = Fault::kPeerAbsent;
        r.port = 2;
        r.address = uint64_t{a.adapter} << 42 | a.offset;
        break;
      case Target::kAperture: {
        r.port = 1;
        const uint64_t page = a.offset >> 12;
        if (page >= kPages) r.fault = Fault::kApertureRange;
        else if (static_cast<int>(page / 8) == bad_line) r.fault = Fault::kApertureRead;
        else if ((table[page] & 1) == 0) r.fault = Fault::kApertureEntry;
        else r.address = (table[page] & 0xfffffffff000) | (a.offset & 0xfff), r.coherent = table[page] >> 2 & 1;
      }
    }
    return r;
  }

  void Step() override {
    GMMU_STRUCT(gmmu_aperture_bench, link_cfg_t) link{};
    link.adapters = adapters, link.own = own;
    t.link_i = Pack(link), t.base_i = base;
    for (unsigned i = 0; i < 2; ++i) {
      t.valid_i[i] = offer_[i].Now(!in[i].empty(), *this, manner.idle_percent);
      if (t.valid_i[i]) {
        const Access& a = in[i].front();
        GMMU_STRUCT(gmmu_aperture_bench, gpa_t) gpa{};
        gpa.target = static_cast<unsigned>(a.target), gpa.adapter = a.adapter, gpa.offset = a.offset;
        t.tag_i[i] = a.tag, t.gpa_i[i] = Pack(gpa), t.coherent_i[i] = a.coherent;
      }
      t.ready_i[i] = !closed && !Stall();
    }
    GMMU_STRUCT(gmmu_aperture_bench, rd_rsp_t) rd_in{};
    rd_in.ar_ready = !Stall();
    rd_in.r_valid = fetching_ && wait_ == 0 && !Stall();
    if (rd_in.r_valid) {
      rd_in.r.data = line_[beat_];
      rd_in.r.error = bad_ && (bad_beat < 0 || static_cast<int>(beat_) == bad_beat);
      rd_in.r.last = beat_ == 7;
    }
    t.rd_rsp_i = Pack(rd_in);
    Settle();
    for (unsigned i = 0; i < 2; ++i) {
      if (t.valid_i[i] && t.ready_o[i]) offer_[i].Taken(), in[i].pop_front();
      if (t.valid_o[i] && t.ready_i[i])
        out[i].push_back(
            {t.tag_o[i], t.port_o[i], t.addr_o[i], t.coherent_o[i] != 0, static_cast<Fault>(t.fault_o[i])});
    }
    lookups += t.lookup_o, hits += t.hit_o;
    if (fetching_) EXPECT_FALSE(t.idle_o);
    if (t.flush_done_o) flushed = true;
    if (rd_in.r_valid && ++beat_ == 8) fetching_ = false;
    if (wait_ != 0) --wait_;
    const auto rd = Unpack<GMMU_STRUCT(gmmu_aperture_bench, rd_req_t)>(t.rd_req_o);
    if (rd.ar_valid && rd_in.ar_ready) {
      EXPECT_FALSE(fetching_);
      EXPECT_EQ(rd.ar.len, 7u);
      EXPECT_EQ(rd.ar.addr % 64, 0u);
      EXPECT_GE(rd.ar.addr, base >> 47 ? 1ull << 47 : base) << "the address has wrapped";
      const bool past = base + 8 * table.size() < rd.ar.addr || rd.ar.addr < base;
      const uint64_t first = past ? 0 : (rd.ar.addr - base) / 8;
      // Later writes must not affect the fetched line.
      for (unsigned i = 0; i < 8; ++i) line_[i] = table.at(first + i);
      bad_ = past || static_cast<int>(first / 8) == bad_line;
      fetching_ = true, beat_ = 0, wait_ = latency;
      ++fetches;
    }
    Edge();
  }
  void Finish() {
    Until([&] { return in[0].empty() && in[1].empty() && Idle(); }, "the answers", 100000);
    Run(50);
  }
  bool Idle() const { return t.idle_o && !t.valid_o[0] && !t.valid_o[1]; }
  bool flushed = false;

 private:
  Offer offer_[2];
  bool fetching_ = false, bad_ = false;
  unsigned beat_ = 0, wait_ = 0;
  uint64_t line_[8] = {};
};

void Compare(const Answer& got, const Answer& expected) {
  EXPECT_EQ(got.tag, expected.tag);
  EXPECT_EQ(got.fault, expected.fault);
  if (expected.fault != Fault::kNone) return;
  EXPECT_EQ(got.port, expected.port);
  EXPECT_EQ(got.address, expected.address);
  EXPECT_EQ(got.coherent, expected.coherent);
}

TEST(Aperture, RandomAccessesGoWhereTheModelSays) {
  for (unsigned stall : {0u, 40u}) {
    for (uint64_t seed = 1; seed <= 5; ++seed) {
      Bench bench(stall, seed);
      std::mt19937_64 random(seed);
      for (auto& entry : bench.table) entry = (random() & 0xfffffffff000) | (random() % 8 != 0) | (random() % 2) << 2;
      bench.bad_line = seed % 2 ? 3 : -1;
      bench.adapters = seed % 2 ? 4 : random() % 8, bench.own = random() % 4;
      std::vector<Answer> expected[2];
      uint64_t asked = 0, inside = 0;
      for (int n = 0; n < 3000; ++n) {
        Access a;
        a.target = static_cast<Target>(random() % 4);
        if (random() % 2) a.target = Target::kAperture;
        a.bytes = 1 + random() % 128;
        a.offset = random() % (a.target == Target::kAperture ? (kPages + 8) << 12 : 2 * kVram);
        if (random() % 50 == 0) a.offset |= 1ull << 47;
        a.adapter = random() % 4 == 0 ? random() % 64 : random() % 5;
        if (a.target == Target::kPeer) a.offset ^= random() & (random() % 4 == 0 ? (1ull << 48) - 1 : (1ull << 42) - 1);
        if (a.target == Target::kVram && random() % 4 == 0) a.offset = kVram - 1 - random() % 256;
        if ((a.offset & 0xfff) + a.bytes > 4096) a.offset &= ~0xffull;
        a.tag = random() % 256;
        a.coherent = random() % 2;
        const unsigned i = random() % 2;
        asked += a.target == Target::kAperture;
        inside += a.target == Target::kAperture && a.offset >> 12 < kPages;
        bench.in[i].push_back(a);
        expected[i].push_back(bench.Expect(a));
      }
      bench.Finish();
      for (unsigned i = 0; i < 2; ++i) {
        ASSERT_EQ(bench.out[i].size(), expected[i].size());
        for (size_t n = 0; n < expected[i].size(); ++n) Compare(bench.out[i][n], expected[i][n]);
      }
      EXPECT_GT(bench.hits, 0u);
      EXPECT_EQ(bench.lookups, asked) << "each lookup is counted once, and nothing else";
      EXPECT_EQ(bench.hits + bench.fetches, inside) << "a lookup hits or fetches its line";
    }
  }
}

TEST(Aperture, APeerIsAbsentUnlessItIsLinkedAndAnotherOneAndItsOffsetFits) {
  for (unsigned adapters = 0; adapters < 8; ++adapters) {
    for (unsigned own = 0; own < 8; ++own) {
      SCOPED_TRACE(testing::Message() << adapters << " adapters, own " << own);
      Bench bench(0, 1);
      bench.adapters = adapters, bench.own = own;
      std::vector<Access> asked;
      for (unsigned adapter : {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 16, 33, 63}) {
        for (uint64_t offset : {0ull, 0x123ull, kVram + 0ull, (1ull << 42) - 1, 1ull << 42, 1ull << 44, 1ull << 47}) {
          Access a;
          a.target = Target::kPeer, a.adapter = adapter, a.offset = offset, a.tag = adapter;
          asked.push_back(a);
          a.target = Target::kSystem;  // Only peer targets use the adapter number.
          asked.push_back(a);
        }
      }
      bench.in[0].assign(asked.begin(), asked.end());
      bench.Finish();
      ASSERT_EQ(bench.out[0].size(), asked.size());
      unsigned present = 0;
      for (size_t i = 0; i < asked.size(); ++i) {
        Compare(bench.out[0][i], bench.Expect(asked[i]));
        present += asked[i].target == Target::kPeer && bench.out[0][i].fault == Fault::kNone;
      }
      EXPECT_EQ(present, 4u * (adapters - (own < adapters)));
      if (HasFailure()) return;
    }
  }
}

TEST(Aperture, AFetchUnderWayWhenTheFlushComesDoesNotFill) {
  for (unsigned when = 0; when < 24; ++when) {
    Bench bench(0, 1);
    for (auto& entry : bench.table) entry = 0x1000 | 1;
    Access a;
    a.target = Target::kAperture, a.offset = 0x3000, a.tag = 1;
    bench.in[0].push_back(a);
    bench.Run(when);
    for (auto& entry : bench.table) entry = 0x2000 | 1;
    bench.t.flush_i = 1;
    bench.Step();
    bench.t.flush_i = 0;
    bench.Until([&] { return bench.flushed; }, "the flush", 10);
    const size_t before = bench.out[0].size();
    a.tag = 2;
    bench.in[0].push_back(a);
    bench.Finish();
    ASSERT_EQ(bench.out[0].size(), 2u);
    for (size_t i = before; i < 2; ++i) EXPECT_EQ(bench.out[0][i].address, 0x2000u) << "flush at cycle " << when;
  }
}

TEST(Aperture, AReadErrorIsNotCached) {
  Bench bench(0, 1);
  for (auto& entry : bench.table) entry = 0x5000 | 1;
  bench.bad_line = 0;
  Access a;
  a.target = Target::kAperture;
  bench.in[0].push_back(a);
  bench.Finish();
  bench.bad_line = -1;
  bench.in[0].push_back(a);
  bench.Finish();
  EXPECT_EQ(bench.out[0][0].fault, Fault::kApertureRead);
  EXPECT_EQ(bench.out[0][1].fault, Fault::kNone);
  EXPECT_EQ(bench.fetches, 2u);  // A line read with an error is not cached.
}

TEST(Aperture, AnswersThatAreNotTakenHoldUpWhatComesBehindThemAndLoseNothing) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    SCOPED_TRACE(seed);
    Bench bench(0, seed);
    std::mt19937_64 random(seed);
    for (auto& entry : bench.table) entry = (random() & 0xfffffffff000) | 1;
    std::vector<Answer> expected[2];
    for (unsigned i = 0; i < 2; ++i) {
      for (int n = 0; n < 60; ++n) {
        Access a;
        a.target = random() % 100 < 5 * seed ? Target::kAperture : Target::kSystem;
        a.offset = random() % (kPages << 12);
        a.tag = random() % 256;
        bench.in[i].push_back(a);
        expected[i].push_back(bench.Expect(a));
      }
    }
    while ((!bench.in[0].empty() || !bench.in[1].empty()) && !HasFailure()) {
      bench.closed = true;
      bench.Run(500);  // Each router then holds as many accesses as it can.
      for (unsigned i = 0; i < 2; ++i) {
        EXPECT_LE(60 - bench.in[i].size(), bench.out[i].size() + 9);
        if (!bench.in[i].empty()) EXPECT_GE(60 - bench.in[i].size(), bench.out[i].size() + 8);
      }
      bench.closed = false;
      bench.Run(1 + random() % 20);
    }
    bench.Finish();
    for (unsigned i = 0; i < 2; ++i) {
      ASSERT_EQ(bench.out[i].size(), expected[i].size());
      for (size_t n = 0; n < expected[i].size(); ++n) Compare(bench.out[i][n], expected[i][n]);
    }
  }
}

TEST(Aperture, AnErrorOfAnyBeatIsNotCached) {
  for (int beat = 0; beat < 8; ++beat) {
    SCOPED_TRACE(beat);
    Bench bench(0, 1);
    for (auto& entry : bench.table) entry = 0x5000 | 1;
    bench.bad_line = 0, bench.bad_beat = beat;
    Access a;
    a.target = Target::kAperture;
    bench.in[0].push_back(a);
    bench.Finish();
    EXPECT_EQ(bench.out[0][0].fault, Fault::kApertureRead);
    bench.bad_line = -1;
    bench.in[0].push_back(a);
    bench.Finish();
    EXPECT_EQ(bench.out[0][1].fault, Fault::kNone);
    EXPECT_EQ(bench.fetches, 2u);
  }
}

TEST(Aperture, ATableThatWrapsIsReadPastTheEndOfVram) {
  Bench bench(0, 1);
  bench.base = 0xffff'ffff'f000;  // 512 entries fit below the end of the 48-bit range
  bench.t.pages_i = 1024;
  bench.table.assign(512, 0x5000 | 1);
  Access a;
  a.target = Target::kAperture;
  for (const uint64_t page : {511, 512, 900}) {
    a.offset = page << 12;
    bench.in[0].push_back(a);
  }
  bench.Finish();
  ASSERT_EQ(bench.out[0].size(), 3u);
  EXPECT_EQ(bench.out[0][0].fault, Fault::kNone);
  EXPECT_EQ(bench.out[0][1].fault, Fault::kApertureRead);
  EXPECT_EQ(bench.out[0][2].fault, Fault::kApertureRead);
}

TEST(Aperture, PlainAccessesFlowOneACycleAndHitsEveryThird) {
  Bench bench(0, 1);
  for (auto& entry : bench.table) entry = 0x5000 | 1;
  Access a;
  for (int i = 0; i < 1000; ++i) bench.in[0].push_back(a);
  int cycles = 0;
  for (; bench.out[0].size() < 1000; ++cycles) bench.Step();
  EXPECT_LE(cycles, 1004);
  bench.out[0].clear();
  bench.adapters = 2, a.target = Target::kPeer, a.adapter = 1;
  for (int i = 0; i < 1000; ++i) bench.in[0].push_back(a);
  for (cycles = 0; bench.out[0].size() < 1000; ++cycles) bench.Step();
  EXPECT_LE(cycles, 1004);
  a.target = Target::kAperture;
  for (int i = 0; i < 1000; ++i) bench.in[0].push_back(a);
  for (cycles = 0; bench.out[0].size() < 2000; ++cycles) bench.Step();
  std::printf("1000 aperture accesses to one page, one fetch of latency 5: %d cycles\n", cycles);
  EXPECT_LE(cycles, 3030);
  EXPECT_EQ(bench.fetches, 1u);
}

}  // namespace
}  // namespace gmmu
