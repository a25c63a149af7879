// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/dma/dma_machine.h"

#include <algorithm>
#include <cstring>

namespace gmmu::dma {

Machine::Machine(uint64_t seed, Timing with) : BlockBench(seed), timing(with) {
  t.rst_i = 1;
  t.enable_i = 1;
  t.vram_bytes_i = kVramBytes;
  Run(4);
  t.rst_i = 0;
}

void Machine::Complain(const std::string& what) {
  if (complaints.size() < 20) complaints.push_back(what + " at cycle " + std::to_string(now));
}

void Machine::Step() {
  DriveAnswers();
  DriveReads();
  DriveWrites();
  DriveAperture();
  t.fault_ready_i = fault_ready && Ready();
  t.ctl_ready_i = Ready() && control_done_at_ == 0;
  t.ctl_done_i = control_done_at_ != 0 && now >= control_done_at_;
  if (t.ctl_done_i) {
    control_done_at_ = 0;
    for (int path = 1; path < 3; ++path)
      if (lent_[path][0] + lent_[path][1] != 0) Complain("invalidation of translations in use");
  }
  t.cycle_i = now;
  for (int path : {kFetch, kRead}) t.rd_rsp_i[ReadAt(path)] = Pack(rd_[path]);
  t.wr_rsp_i[direct] = Pack(wr_);
  Settle();
  Sample();
  Edge();
}

void Machine::DriveAnswers() {
  for (int path = 0; path < 3; ++path) {
    const unsigned at = At(path);
    t.req_ready_i[at] = Ready();
    if (!offered_[path]) {  // An offered response stays until it is accepted.
      std::vector<size_t> ripe;
      for (size_t n = 0; n < answers_[path].size(); ++n)
        if (answers_[path][n].at <= now) ripe.push_back(n);
      if (!ripe.empty()) {
        size_t pick = timing.shuffle ? ripe[rng() % ripe.size()] : ripe[0];
        std::swap(answers_[path][pick], answers_[path][0]);
        if (!timing.shuffle && pick != 0) Complain("bench: order");
        offered_[path] = true;
      }
    }
    t.rsp_valid_i[at] = offered_[path];
    if (offered_[path]) {
      const Answer& answer = answers_[path][0];
      GMMU_STRUCT(gmmu_dma_bench, xlate_rsp_t) rsp{};
      rsp.tag = answer.tag, rsp.generation = answer.generation;
      rsp.gpa.target = static_cast<uint8_t>(answer.page.target), rsp.gpa.offset = answer.page.offset;
      rsp.zero = answer.page.zero, rsp.coherent = answer.page.coherent;
      rsp.fault = static_cast<uint8_t>(answer.page.fault), rsp.level = answer.page.level;
      t.rsp_i[at] = Pack(rsp);
    }
  }
}

void Machine::DriveReads() {
  for (int path = 0; path < 2; ++path) {
    rd_[path] = {};
    rd_[path].ar_ready = Ready();
    std::vector<size_t> ripe;
    for (size_t n = 0; n < reads_[path].size(); ++n)
      if (reads_[path][n].at <= now) {
        ripe.push_back(n);
        if (!timing.shuffle) break;
      }
    if (ripe.empty() || (timing.shuffle && rng() % 100 >= timing.ready_percent)) continue;
    size_t pick = ripe[rng() % ripe.size()];
    Burst& burst = reads_[path][pick];
    uint64_t address = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beat;
    uint8_t data[kBus];  // lanes below the address are undefined
    for (unsigned lane = 0; lane < kBus; ++lane)
      data[lane] = burst.error || address + lane < burst.address ? 0xe5 : Of(burst.port).Read(address + lane);
    auto& r = rd_[path].r;
    rd_[path].r_valid = 1;
    r.id = burst.id;
    std::memcpy(&r.data, data, kBus);
    r.error = burst.error;
    r.last = ++burst.beat == burst.beats;
    if (burst.beat == burst.beats) {
      ids_[path].erase(burst.id);
      reads_[path].erase(reads_[path].begin() + pick);
    }
  }
}

void Machine::DriveWrites() {
  wr_ = {};
  wr_.aw_ready = Ready();
  wr_.w_ready = Ready();
  std::vector<size_t> ripe;
  for (size_t n = 0; n < answers_b_.size(); ++n)
    if (answers_b_[n].at <= now) ripe.push_back(n);
  if (ripe.empty()) return;
  size_t pick = timing.shuffle ? ripe[rng() % ripe.size()] : ripe[0];
  Burst burst = answers_b_[pick];
  answers_b_.erase(answers_b_.begin() + pick);
  if (!burst.error)  // A write changes memory in the cycle of its B.
    for (auto& [address, value] : burst.data) Of(burst.port).Write(address, value);
  wr_.b_valid = 1;
  wr_.b.id = burst.id;
  wr_.b.error = burst.error;
  ids_[kWrite].erase(burst.id);
  last_b = now;
}

void Machine::DriveAperture() {
  bool answered = false;
  for (int path = 0; path < 3; ++path) {
    const unsigned at = At(path);
    t.ap_req_ready_i[at] = Ready();
    t.ap_rsp_valid_i[at] = 0;
    if (answered || aperture_asks_[path].empty() || !Ready()) continue;
    uint64_t page = aperture_asks_[path].front();
    aperture_asks_[path].pop_front();
    Fault fault = Fault::kNone;
    uint64_t entry = 0;
    if (page >= t.aperture_pages_i) {
      fault = Fault::kApertureRange;
    } else {
      if (!aperture_cache_.count(page)) aperture_cache_[page] = vram.Read64(t.aperture_base_i + 8 * page);
      entry = aperture_cache_[page];
      if (!(entry & 1)) fault = Fault::kApertureEntry;
    }
    t.ap_rsp_valid_i[at] = 1;
    GMMU_STRUCT(gmmu_dma_bench, aperture_rsp_t) rsp{};
    rsp.fault = static_cast<uint8_t>(fault), rsp.coherent = entry >> 2 & 1, rsp.page = entry >> 12 & 0xfffffffff;
    t.ap_rsp_i = Pack(rsp);
    answered = true;
  }
  t.aperture_flush_done_i = aperture_flush_at_ != 0 && now >= aperture_flush_at_;
  if (t.aperture_flush_done_i) {
    aperture_flush_at_ = 0;
    aperture_cache_.clear();
  }
}

void Machine::Sample() {
  if (t.rst_i) return;
  const auto wr = Unpack<WriteRequest>(t.wr_req_o[direct]);
  for (int path = 0; path < 3; ++path) {
    const unsigned at = At(path);
    if (t.req_valid_o[at] && t.req_ready_i[at]) {
      const auto req = Unpack<GMMU_STRUCT(gmmu_dma_bench, xlate_req_t)>(t.req_o[at]);
      if (path == kRead && on_read_request) on_read_request(req.va);
      if (!tags_[path].insert(req.tag).second) Complain("tag used twice");
      if (req.access != (path == kWrite ? 1 : 0)) Complain("wrong access kind");
      Page page = Translate(pages, req.space, req.va, path == kWrite);
      page.offset |= req.va & 0xfff;
      bool generation = timing.shuffle && (rng() & 1);
      answers_[path].push_back({now + Random(timing.xlate_min, timing.xlate_max), req.tag, generation, page});
    }
    if (t.rsp_valid_i[at] && t.rsp_ready_o[at]) {
      const Answer& answer = answers_[path][0];
      ++lent_[path][answer.generation];
      tags_[path].erase(answer.tag);
      answers_[path].erase(answers_[path].begin());
      offered_[path] = false;
    }
    const auto done = Unpack<GMMU_STRUCT(gmmu_dma_bench, xlate_done_t)>(t.done_o[at]);
    lent_[path][0] -= done.old0;
    lent_[path][1] -= done.old1;
    if (lent_[path][0] < 0 || lent_[path][1] < 0) Complain("translation given back twice");
    if (t.ap_req_valid_o[at] && t.ap_req_ready_i[at]) aperture_asks_[path].push_back(t.ap_req_page_o[at]);
    ReadRequest rd{};
    if (path != kWrite) rd = Unpack<ReadRequest>(t.rd_req_o[ReadAt(path)]);
    if (path == kWrite ? wr.aw_valid && wr_.aw_ready : rd.ar_valid && rd_[path].ar_ready) {
      auto ax = path == kWrite ? wr.aw : rd.ar;
      Burst burst;
      burst.id = ax.id;
      burst.port = ax.port;
      burst.address = ax.addr;
      burst.beats = ax.len + 1;
      burst.error = bus_errors.count({burst.port, burst.address >> 12}) != 0;
      ++bursts[path];
      if (!ids_[path].insert(burst.id).second) Complain("AXI id used twice");
      if (burst.port > 1) Complain("burst to no port");
      ax.user.no_snoop = 0;  // follows the page
      if (Pack(ax.user) != 0) Complain("wrong AxUSER");
      uint64_t end = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beats;
      if (burst.address >> 12 != (end - 1) >> 12) Complain("burst crosses 4 KiB");
      if (path != kFetch && first_ar == 0) first_ar = now;
      if (path == kWrite) {
        writes_.push_back(burst);
      } else {
        burst.at = now + Random(timing.read_min, timing.read_max);
        reads_[path].push_back(burst);
      }
    }
  }
  if (wr.w_valid) {
    if (writes_.empty()) {
      Complain("W before AW");
    } else if (wr_.w_ready) {
      Burst& burst = writes_.front();
      uint64_t address = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beat;
      uint8_t data[kBus];
      std::memcpy(data, &wr.w.data, kBus);
      write_beats.push_back({address, wr.w.strb});
      if (wr.w.strb == 0) Complain("beat without a byte");
      for (unsigned lane = 0; lane < kBus; ++lane)
        if (wr.w.strb >> lane & 1) burst.data.push_back({address + lane, data[lane]});
      if (!burst.data.empty() && burst.data[0].first != burst.address) Complain("strobes miss AW");
      bool last = ++burst.beat == burst.beats;
      if (last != wr.w.last) Complain("WLAST wrong");
      w_running_ = !last;
      if (last) {
        burst.at = now + Random(timing.write_min, timing.write_max);
        answers_b_.push_back(burst);
        writes_.erase(writes_.begin());
      }
    }
  } else if (w_running_) {
    Complain("gap inside a W burst");
  }
  most_reads = std::max<unsigned>(most_reads, reads_[1].size());
  most_writes = std::max<unsigned>(most_writes, answers_b_.size() + writes_.size());

  if (t.ctl_valid_o && t.ctl_ready_i) {
    const auto ctl = Unpack<GMMU_STRUCT(gmmu_dma_bench, mmu_ctl_t)>(t.ctl_o);
    if (ctl.op != 0) Complain("wrong control operation");
    controls.push_back({ctl.scope, ctl.space, ctl.va_start, ctl.va_end});
    if (!writes_.empty() || !answers_b_.empty()) Complain("invalidation before B of writes");
    control_done_at_ = now + Random(1, 30);
  }
  if (t.aperture_flush_o) {
    ++aperture_flushes;
    if (!writes_.empty() || !answers_b_.empty()) Complain("aperture flush before B of writes");
    aperture_flush_at_ = now + Random(1, 100);
  }
  if (t.fault_valid_o && t.fault_ready_i) {
    const auto f = Unpack<GMMU_STRUCT(gmmu_dma_bench, fault_info_t)>(t.fault_o);
    faults.push_back({f.reason, f.space, f.port, f.access, f.physical != 0, f.fence, f.address});
  }
  fence_irqs += t.fence_irq_o;
  error_irqs += t.error_irq_o;
  preempted_irqs += t.preempted_irq_o;
  commands += t.count_commands_o;
  entries += t.count_entry_o;
  read_bytes += t.count_read_bytes_o;
  written_bytes += t.count_write_bytes_o;
}

void Machine::StartRing(unsigned ring, bool privileged, unsigned size_lg2) {
  host.Make(kRingBase + 0x100000 * ring, 32 << size_lg2);
  host.Make(kFenceBase + 0x1000 * ring, 4096);
  SetRing(ring, [&](RingConfig& c) {
    c.enable = 1, c.privileged = privileged, c.size_lg2 = size_lg2, c.base_target = 0, c.tail = 0;
    c.base = kRingBase + 0x100000 * ring, c.fence_address = kFenceBase + 0x1000 * ring;
  });
  tail_[ring] = 0;
  size_lg2_[ring] = size_lg2;
}

void Machine::StopRing(unsigned ring) {
  SetRing(ring, [](RingConfig& c) { c.enable = 0; });
}

void Machine::NewLife(unsigned ring) {
  StopRing(ring);
  Preempt(ring, false);
  tail_[ring] = 0;
  Doorbell(ring);
  Step();
  SetRing(ring, [](RingConfig& c) { c.enable = 1; });
  Run(2);
}

uint64_t Machine::PlaceBuffer(const std::vector<uint64_t>& words) {
  uint64_t address = next_buffer_;
  host.Make(address, words.size() * 8 + 8);
  for (size_t n = 0; n < words.size(); ++n) host.Write64(address + 8 * n, words[n]);
  next_buffer_ += (words.size() * 8 + 8 * Random(0, 100) + 7) & ~uint64_t{7};
  return address;
}

uint32_t Machine::SubmitEntry(unsigned ring, uint64_t address, uint64_t shape) {
  uint64_t entry = kRingBase + 0x100000 * ring + 32 * tail_[ring];
  host.Write64(entry, address);
  host.Write64(entry + 8, shape);
  host.Write64(entry + 16, next_fence_);
  host.Write64(entry + 24, rng());
  tail_[ring] = (tail_[ring] + 1) & ((1u << size_lg2_[ring]) - 1);
  return next_fence_++;
}

uint32_t Machine::Submit(unsigned ring, const std::vector<uint64_t>& words, bool interrupt) {
  // Also map the buffer at the virtual address that equals its physical address, so that
  // unprivileged rings can use it.
  uint64_t address = PlaceBuffer(words);
  last_buffer = address;
  for (uint64_t page = address >> 12; page <= (address + words.size() * 8) >> 12; ++page)
    pages[{buffer_space, page}] = {Target::kSystem, page << 12};
  uint32_t fence = SubmitEntry(ring, address,
                               words.size() * 8 | uint64_t{buffer_space} << 40 | (interrupt ? uint64_t{1} << 48 : 0));
  Doorbell(ring);
  return fence;
}

uint32_t Machine::SubmitRest(unsigned ring, uint64_t address, uint64_t bytes, uint64_t offset) {
  uint32_t fence = SubmitEntry(ring, address + offset, (bytes - offset) | uint64_t{buffer_space} << 40);
  Doorbell(ring);
  return fence;
}

void Machine::Doorbell(unsigned ring) {
  SetRing(ring, [&](RingConfig& c) { c.tail = tail_[ring]; });
}

bool Machine::Finish(unsigned limit) {
  Run(4);
  for (unsigned n = 0; n < limit; ++n) {
    if (t.idle_o) {
      Run(4);
      return true;
    }
    Step();
  }
  return false;
}

void Machine::CheckAtRest() {
  for (int path = 0; path < 3; ++path) {
    if (!ids_[path].empty()) Complain("burst in flight at rest");
    if (!answers_[path].empty()) Complain("lookup in flight at rest");
    if (lent_[path][0] != 0 || lent_[path][1] != 0) Complain("translation not given back");
  }
  if (vram.strays() != 0 || host.strays() != 0) Complain("access outside the made pages");
}

}  // namespace gmmu::dma
