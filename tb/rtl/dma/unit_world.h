// SPDX-License-Identifier: Apache-2.0
// Models the environment of one reader, writer or fetcher in a unit bench: translation, aperture
// map and memory, all of which respond with delays and in random order.
#pragma once

#include <map>
#include <set>

#include "hw/gmmu_regs.h"
#include "tb/rtl/dma/blocks.h"

namespace gmmu::dma {

/// A page of virtual space 3. Aperture page p is mapped to host page p + 0x100.
struct UnitPage {
  regs::Target target = regs::Target::kVram;
  uint64_t page = 0;
  bool zero = false, coherent = true;
  regs::Fault fault = regs::Fault::kNone;
  unsigned level = 0;
};

constexpr unsigned kUnitSpace = 3;  ///< the space of all virtual jobs

/// A range that a unit processes.
struct UnitJob {
  bool physical = false;
  regs::Target target = regs::Target::kVram;
  uint64_t address = 0, length = 0;
  uint8_t label = 0;
};

/// The environment of unit `unit` of a bench. Each side of a mover is a unit.
template <typename Bench>
class WorldOf {
  using Structs = typename Bench::Structs;

 public:
  using Address = std::pair<int, uint64_t>;  // {port, byte}

  WorldOf(Bench& blocks, int unit, Manner manner) : blocks_(blocks), unit_(unit), manner_(manner) {}

  std::map<uint64_t, UnitPage> pages;             // indexed by va >> 12
  std::set<std::pair<int, uint64_t>> bus_errors;  // {port, page}
  std::set<uint64_t> bad_aperture;                // aperture pages without an entry
  std::map<Address, uint8_t> written;             // bytes written by the unit, recorded at their B
  unsigned latency = 0;
  uint64_t bursts = 0;
  const WorldOf* beside = nullptr;       // the unit driven before this one; both share ap_rsp
  std::map<unsigned, bool> generations;  // generation of each tag's latest translation

  /// Returns the initial value of a byte of memory, a fixed function of its address.
  static uint8_t Fresh(Address at) {
    uint64_t x = at.second * 0x9e3779b97f4a7c15 + at.first * 77;
    return x >> 32 ^ x >> 51;
  }
  /// The location of a byte of a job: `at`, unless the byte is in a zero page or inaccessible
  /// (`fault`).
  struct Place {
    bool zero = false, coherent = true;
    regs::Fault fault = regs::Fault::kNone;
    unsigned level = 0;
    Address at{};
  };
  Place Find(const UnitJob& job, uint64_t address, bool write) const {
    Place place;
    regs::Target target = job.target;
    uint64_t offset = address;
    if (!job.physical) {
      const UnitPage& page = pages.at(address >> 12);
      place.coherent = page.coherent;
      if (page.fault != regs::Fault::kNone || page.zero) {
        place.zero = page.fault == regs::Fault::kNone;
        place.fault = page.fault;
        place.level = page.level;
        return place;
      }
      target = page.target;
      offset = page.page << 12 | (address & 0xfff);
    }
    place.at = {target != regs::Target::kVram, offset};
    if (target == regs::Target::kVram && offset >= blocks_.t.vram_bytes_i) place.fault = regs::Fault::kVramRange;
    if (target == regs::Target::kPeer) place.fault = regs::Fault::kPeerAbsent;
    if (target == regs::Target::kAperture) {
      place.coherent = true;
      place.at.second += 0x100000;
      if (bad_aperture.count(offset >> 12)) place.fault = regs::Fault::kApertureEntry;
    }
    if (place.fault == regs::Fault::kNone && bus_errors.count({place.at.first, place.at.second >> 12}))
      place.fault = write ? regs::Fault::kBusWrite : regs::Fault::kBusRead;
    return place;
  }

  void Drive() {
    auto& top = blocks_.t;
    const int u = unit_;
    auto ready = [&] { return !blocks_.Chance(manner_.stall_percent); };
    top.req_ready_i[u] = ready();
    top.ap_req_ready_i[u] = ready();
    rd_ = {}, wr_ = {};
    rd_.ar_ready = wr_.aw_ready = ready();
    wr_.w_ready = ready();
    if (!offered_ && !answers_.empty() && blocks_.Chance(70)) {
      std::swap(answers_[0], answers_[blocks_.rng() % answers_.size()]);
      offered_ = true;
    }
    top.rsp_valid_i[u] = offered_;
    if (offered_) {
      const Answer& answer = answers_[0];
      const UnitPage page = pages.count(answer.va >> 12) ? pages.at(answer.va >> 12) : UnitPage{};
      typename Structs::Response rsp{};
      rsp.tag = answer.tag, rsp.generation = answer.generation;
      rsp.gpa.target = static_cast<uint8_t>(page.target), rsp.gpa.offset = page.page << 12 | (answer.va & 0xfff);
      rsp.zero = page.zero, rsp.coherent = page.coherent;
      rsp.fault = static_cast<uint8_t>(page.fault), rsp.level = page.level;
      top.rsp_i[u] = Pack(rsp);
    }
    const bool taken = beside && top.ap_rsp_valid_i[beside->unit_];
    top.ap_rsp_valid_i[u] = !taken && !asked_.empty() && blocks_.Chance(50);
    if (top.ap_rsp_valid_i[u]) {
      typename Structs::ApertureResponse rsp{};
      if (bad_aperture.count(asked_.front())) rsp.fault = static_cast<uint8_t>(regs::Fault::kApertureEntry);
      rsp.coherent = 1, rsp.page = asked_.front() + 0x100;
      top.ap_rsp_i[u] = Pack(rsp);
      asked_.pop_front();
    }
    std::vector<size_t> ripe;
    for (size_t n = 0; n < reads_.size(); ++n)
      if (reads_[n].due <= blocks_.now) ripe.push_back(n);
    if (!ripe.empty() && ready()) {
      const size_t pick = ripe[blocks_.rng() % ripe.size()];
      Burst& burst = reads_[pick];
      const uint64_t at = (burst.address & ~uint64_t{kBeat - 1}) + kBeat * burst.beat;
      const bool error = bus_errors.count({burst.port, burst.address >> 12}) != 0;
      uint8_t data[kBeat];
      for (unsigned lane = 0; lane < kBeat; ++lane) data[lane] = Fresh({burst.port, at + lane});
      std::memcpy(&rd_.r.data, data, kBeat);
      rd_.r_valid = 1;
      rd_.r.id = burst.id;
      rd_.r.error = error;
      rd_.r.last = ++burst.beat == burst.beats;
      if (burst.beat == burst.beats) ids_.erase(burst.id), reads_.erase(reads_.begin() + pick);
    }
    if (!ended_.empty() && ready()) {
      const size_t pick = blocks_.rng() % ended_.size();
      if (ended_[pick].due <= blocks_.now) {
        const Burst burst = ended_[pick];
        ended_.erase(ended_.begin() + pick);
        const bool error = bus_errors.count({burst.port, burst.address >> 12}) != 0;
        if (!error)
          for (const auto& [at, value] : burst.data) written[{burst.port, at}] = value;
        wr_.b_valid = 1;
        wr_.b.id = burst.id;
        wr_.b.error = error;
        ids_.erase(burst.id);
      }
    }
    top.rd_rsp_i[u] = Pack(rd_), top.wr_rsp_i[u] = Pack(wr_);
  }

  void Sample(bool write) {
    auto& top = blocks_.t;
    const int u = unit_;
    if (top.req_valid_o[u] && top.req_ready_i[u]) {
      const auto req = Unpack<typename Structs::Request>(top.req_o[u]);
      EXPECT_TRUE(tags_.insert(req.tag).second) << "tag used twice";
      EXPECT_EQ(req.space, kUnitSpace);
      EXPECT_EQ(req.access, write ? 1 : 0);
      answers_.push_back({req.tag, blocks_.Chance(50), req.va});
    }
    if (offered_ && top.rsp_ready_o[u]) {
      ++lent_[answers_[0].generation];
      generations[answers_[0].tag] = answers_[0].generation;
      tags_.erase(answers_[0].tag);
      answers_.erase(answers_.begin());
      offered_ = false;
    }
    const auto done = Unpack<typename Structs::Done>(top.done_o[u]);
    lent_[0] -= done.old0;
    lent_[1] -= done.old1;
    EXPECT_GE(lent_[0], 0) << "translation given back twice";
    EXPECT_GE(lent_[1], 0) << "translation given back twice";
    if (top.ap_req_valid_o[u] && top.ap_req_ready_i[u]) asked_.push_back(top.ap_req_page_o[u]);
    const auto rd = Unpack<typename Structs::ReadRequest>(top.rd_req_o[u]);
    const auto wr = Unpack<typename Structs::WriteRequest>(top.wr_req_o[u]);
    if ((write ? wr.aw_valid : rd.ar_valid) && rd_.ar_ready) {
      const auto& ax = write ? wr.aw : rd.ar;
      Burst burst;
      burst.id = ax.id;
      burst.port = ax.port;
      burst.address = ax.addr;
      burst.beats = ax.len + 1;
      burst.due = blocks_.now + latency + blocks_.rng() % 20;
      EXPECT_TRUE(ids_.insert(burst.id).second) << "AXI id used twice";
      EXPECT_LE(burst.port, 1) << "burst to no port";
      const uint64_t end = (burst.address & ~uint64_t{kBeat - 1}) + uint64_t{kBeat} * burst.beats;
      EXPECT_EQ(burst.address >> 12, (end - 1) >> 12) << "burst crosses 4 KiB";
      ++bursts;
      if (write) writes_.push_back(burst);
      else reads_.push_back(burst);
    }
    if (wr.w_valid && writes_.empty()) ADD_FAILURE() << "W before AW";
    if (wr.w_valid && wr_.w_ready && !writes_.empty()) {
      Burst& burst = writes_.front();
      const uint64_t at = (burst.address & ~uint64_t{kBeat - 1}) + kBeat * burst.beat;
      const Beat beat = TakeBeat(wr.w.data, wr.w.strb, wr.w.last);
      for (unsigned lane = 0; lane < kBeat; ++lane)
        if (beat.strb >> lane & 1) burst.data.push_back({at + lane, beat.data[lane]});
      EXPECT_EQ(beat.last, ++burst.beat == burst.beats);
      if (beat.last) {
        burst.due = blocks_.now + latency + blocks_.rng() % 20;
        ended_.push_back(burst);
        writes_.pop_front();
      }
    }
  }

  /// Checks that nothing is in flight and that all translations were returned.
  void ExpectRest() const {
    EXPECT_TRUE(ids_.empty() && tags_.empty() && asked_.empty()) << "in flight at rest";
    EXPECT_EQ(lent_[0], 0) << "not given back";
    EXPECT_EQ(lent_[1], 0) << "not given back";
  }

 private:
  struct Answer {
    uint8_t tag;
    bool generation;
    uint64_t va;
  };
  struct Burst {
    uint64_t due = 0;
    unsigned id = 0;
    int port = 0;
    uint64_t address = 0;
    unsigned beats = 0, beat = 0;
    std::vector<std::pair<uint64_t, uint8_t>> data;
  };
  Bench& blocks_;
  const int unit_;
  const Manner manner_;
  typename Structs::ReadResponse rd_{};
  typename Structs::WriteResponse wr_{};
  std::vector<Answer> answers_;
  bool offered_ = false;
  std::set<unsigned> tags_, ids_;
  int lent_[2] = {};
  std::deque<uint64_t> asked_;
  std::vector<Burst> reads_, ended_;
  std::deque<Burst> writes_;
};

using UnitWorld = WorldOf<Blocks>;

/// Makes `count` virtual pages from va 0x10000000 on, of random kinds that do not fail.
template <typename Bench>
void MakeWindow(WorldOf<Bench>& world, Bench& blocks, unsigned count) {
  for (unsigned n = 0; n < count; ++n) {
    UnitPage page;
    page.target = static_cast<regs::Target>(blocks.Random(0, 2));
    page.page = 0x40 + n;
    page.zero = blocks.Chance(10);
    page.coherent = blocks.Chance(50);
    world.pages[0x10000 + n] = page;
  }
}
/// Makes a page fail in a random way. If its translation fails, the reason is `fault`.
template <typename Bench>
void BreakPage(WorldOf<Bench>& world, Bench& blocks, UnitPage& page, regs::Fault fault) {
  page.zero = false;
  switch (blocks.Random(0, 4)) {
    case 0: page.fault = fault, page.level = blocks.Random(0, 3); break;
    case 1: page.target = regs::Target::kPeer; break;
    case 2: page.target = regs::Target::kVram, page.page = 64 << 8; break;  // an address past the end of VRAM
    case 3: page.target = regs::Target::kAperture, world.bad_aperture.insert(page.page); break;
    default: page.target = regs::Target::kSystem; world.bus_errors.insert({1, page.page});
  }
}
template <typename Bench>
UnitJob RandomJob(Bench& blocks, unsigned pages, uint64_t most) {
  UnitJob job;
  job.length = blocks.Random(1, most);
  job.label = blocks.rng();
  job.address = 0x10000000 + blocks.Random(0, 4096 * pages - job.length);
  if (blocks.Chance(25)) {
    job.physical = true;
    job.target = static_cast<regs::Target>(blocks.Random(0, 2));
    job.address = blocks.Random(0, 0x20000);
  }
  return job;
}
constexpr uint64_t kEndMask = (uint64_t{1} << 49) - 1;  ///< the bits of end_t
inline void OfferJob(Blocks& blocks, int unit, const UnitJob& job) {
  auto& top = blocks.t;
  GMMU_STRUCT(gmmu_dma_blocks_bench, place_t) place{};
  place.physical = job.physical, place.target = static_cast<uint8_t>(job.target);
  place.space = kUnitSpace, place.address = job.address;
  top.job_place_i[unit] = Pack(place);
  top.job_end_i[unit] = (job.address + job.length - 1) & kEndMask;
  top.job_label_i[unit] = job.label;
}
inline auto FaultOf(const Blocks& blocks, int unit) {
  return Unpack<GMMU_STRUCT(gmmu_dma_blocks_bench, dma_fault_t)>(blocks.t.fault_o[unit]);
}
/// Stops a unit, waits until nothing is in flight, and clears its state.
inline void GiveUp(Blocks& blocks, UnitWorld& world, int unit, bool write) {
  auto& top = blocks.t;
  const auto step = [&] { blocks.Step([&] { world.Drive(); }, [&] { world.Sample(write); }); };
  top.stop_i[unit] = 1;
  for (int n = 0; n < 5000 && (n == 0 || !top.quiet_o[unit]); ++n) step();
  ASSERT_TRUE(top.quiet_o[unit]) << "not quiet after 5000 cycles";
  top.clear_i[unit] = 1;
  step();
  top.clear_i[unit] = top.stop_i[unit] = 0;
  for (int n = 0; n < 3; ++n) step();
  world.ExpectRest();
}
/// Returns the first byte of the job's first failing burst, or the job's end. Bursts end at
/// multiples of `chunk` bytes.
template <typename Bench>
uint64_t FirstBad(const WorldOf<Bench>& world, const UnitJob& job, uint64_t chunk, bool write) {
  for (uint64_t at = job.address, end = at + job.length; at < end;) {
    if (world.Find(job, at, write).fault != regs::Fault::kNone) return at;
    // A burst fails as a whole, and a page consists of whole chunks, so check one byte per burst.
    at = (at | (chunk - 1)) + 1;
  }
  return job.address + job.length;
}

}  // namespace gmmu::dma
