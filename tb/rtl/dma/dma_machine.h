// SPDX-License-Identifier: Apache-2.0
// What stands around the paging engine on its bench: memories, translation, aperture map,
// invalidation, software.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Vgmmu_dma_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/coverage.h"
#include "verilated.h"

namespace gmmu::dma {

using regs::Fault;
using regs::Target;

/// Bytes in 4 KiB pages. Only pages that were made exist; touching another one is noted in
/// `strays`.
class Memory {
 public:
  void Make(uint64_t address, uint64_t bytes) {
    for (uint64_t page = address >> 12; page <= (address + bytes - 1) >> 12; ++page) pages_[page];
  }
  bool Has(uint64_t address) const { return pages_.count(address >> 12) != 0; }
  uint8_t Read(uint64_t address) const {
    auto page = pages_.find(address >> 12);
    if (page == pages_.end()) return ++strays_, 0;
    return page->second[address & 0xfff];
  }
  void Write(uint64_t address, uint8_t value) {
    auto page = pages_.find(address >> 12);
    if (page == pages_.end()) ++strays_;
    else page->second[address & 0xfff] = value;
  }
  uint64_t Read64(uint64_t address) const {
    uint64_t value = 0;
    for (int i = 7; i >= 0; --i) value = value << 8 | Read(address + i);
    return value;
  }
  void Write64(uint64_t address, uint64_t value) {
    for (int i = 0; i < 8; ++i) Write(address + i, value >> (8 * i));
  }
  unsigned strays() const { return strays_; }
  const std::map<uint64_t, std::array<uint8_t, 4096>>& pages() const { return pages_; }
  std::map<uint64_t, std::array<uint8_t, 4096>>& pages() { return pages_; }

 private:
  std::map<uint64_t, std::array<uint8_t, 4096>> pages_;
  mutable unsigned strays_ = 0;
};

/// What a virtual page translates to.
struct Page {
  Target target = Target::kSystem;
  uint64_t offset = 0;  // of the page
  bool zero = false;
  bool coherent = true;
  bool read_only = false;
  Fault fault = Fault::kNone;
  uint8_t level = 0;
};
using PageMap = std::map<std::pair<unsigned, uint64_t>, Page>;  // {space, va >> 12}

/// The answer to an access at va; not mapped: kEntryInvalid at level 1.
inline Page Translate(const PageMap& map, unsigned space, uint64_t va, bool write) {
  auto found = map.find({space, va >> 12});
  Page page;
  if (found == map.end()) {
    page.fault = Fault::kEntryInvalid;
    page.level = 1;
    return page;
  }
  page = found->second;
  if (page.fault == Fault::kNone && write && page.read_only && !page.zero)
    page.fault = Fault::kWriteProtect;
  return page;
}

/// Delays in cycles and behaviour of everything around the engine.
struct Timing {
  unsigned read_min = 5, read_max = 60;
  unsigned write_min = 3, write_max = 40;
  unsigned xlate_min = 1, xlate_max = 20;
  unsigned ready_percent = 70;  // of cycles in which AR, AW, W and requests are taken
  bool shuffle = true;          // answers in any order
  static Timing Ideal(unsigned latency) {
    return {latency, latency, latency, latency, 2, 2, 100, false};
  }
};

struct FaultSeen {
  uint8_t reason, space, port, access;
  bool physical;
  uint32_t fence;
  uint64_t address;
};
struct Control {
  unsigned scope, space;
  uint64_t start, end;
};

/// Bytes of a bus beat, as the bench was built.
inline constexpr unsigned kBus = sizeof(Vgmmu_dma_bench::w_data_o);

/// The engine with two rings in system memory. Time passes in Tick only. Broken rules are listed in
/// `complaints`.
class Machine {
 public:
  enum Path { kFetch, kRead, kWrite };
  static constexpr uint64_t kVramBytes = 64 << 20;
  static constexpr uint64_t kRingBase = 0x7f000000, kFenceBase = 0x7e000000;
  static constexpr uint64_t kBufferBase = 0x70000000;
  static constexpr unsigned kRings = 2;

  explicit Machine(uint64_t seed = 1, Timing timing = {});
  ~Machine();

  Memory vram, host;
  PageMap pages;
  std::set<std::pair<int, uint64_t>> bus_errors;  // {port, address >> 12}
  Timing timing;
  bool fault_ready = true;
  std::vector<std::string> complaints;
  std::vector<FaultSeen> faults;
  std::vector<Control> controls;
  unsigned fence_irqs = 0, error_irqs = 0, preempted_irqs = 0, aperture_flushes = 0;
  uint64_t commands = 0, entries = 0, read_bytes = 0, written_bytes = 0;
  unsigned most_reads = 0, most_writes = 0;       // bursts in flight
  uint64_t last_buffer = 0;                       // placed by Submit
  uint64_t first_ar = 0, last_b = 0;              // cycles, of the transfer paths
  uint64_t bursts[3] = {};
  std::vector<std::pair<uint64_t, uint64_t>> write_beats;  // {address of lane 0, strobes}
  std::function<void(uint64_t va)> on_read_request;

  Vgmmu_dma_bench& top() { return *top_; }
  uint64_t now() const { return now_; }
  std::mt19937_64& rng() { return rng_; }
  uint64_t Random(uint64_t low, uint64_t high) {  // both included
    return low + rng_() % (high - low + 1);
  }

  void Tick();
  void Ticks(unsigned count) {
    while (count--) Tick();
  }

  void StartRing(unsigned ring, bool privileged, unsigned size_lg2 = 4);
  void StopRing(unsigned ring);
  void Preempt(unsigned ring, bool preempt = true) { top_->ring_preempt_i[ring] = preempt; }
  /// Off and on again, its request taken back.
  void NewLife(unsigned ring);
  /// Puts a paging buffer into physical memory (system) and an entry into the ring. Returns its
  /// fence id.
  unsigned buffer_space = 15;  // of what Submit submits
  uint32_t Submit(unsigned ring, const std::vector<uint64_t>& words, bool interrupt = false);
  /// The same with an entry as given (fence is filled in).
  uint32_t SubmitEntry(unsigned ring, uint64_t address, uint64_t shape);
  uint64_t PlaceBuffer(const std::vector<uint64_t>& words);
  /// What is left from byte `offset` on of a buffer that Submit placed at `address`.
  uint32_t SubmitRest(unsigned ring, uint64_t address, uint64_t bytes, uint64_t offset);
  void Doorbell(unsigned ring);
  /// Until the engine is idle; false when that takes more than `limit` cycles.
  [[nodiscard]] bool Run(unsigned limit = 200000);
  /// Nothing is in flight and every translation was given back. Adds complaints.
  void CheckAtRest();
  /// Translations of a path that it has not given back; bursts without all their data, without B
  /// (the fence record is physical and not counted).
  int64_t Lent(Path path) const { return lent_[path][0] + lent_[path][1]; }
  int64_t ReadsInFlight() const { return static_cast<int64_t>(reads_[kRead].size()); }
  int64_t WritesInFlight() const {
    const auto counts = [](const Burst& b) { return b.port == 0 || b.address < kFenceBase; };
    return std::count_if(writes_.begin(), writes_.end(), counts) +
           std::count_if(answers_b_.begin(), answers_b_.end(), counts);
  }
  uint64_t FenceRecord(unsigned ring, int word) const {
    return host.Read64(kFenceBase + 0x1000 * ring + 8 * word);
  }

 private:
  struct Answer {
    uint64_t at;
    uint8_t tag;
    bool generation;
    Page page;
  };
  struct Burst {
    uint64_t at = 0;
    uint8_t id = 0;
    int port = 0;
    uint64_t address = 0;
    unsigned beats = 0, beat = 0;
    bool error = false;
    std::vector<std::pair<uint64_t, uint8_t>> data;  // writes
  };
  void Complain(const std::string& what);
  Memory& Of(int port) { return port == 0 ? vram : host; }
  bool Ready() { return rng_() % 100 < timing.ready_percent; }
  void DriveAnswers();
  void DriveReads();
  void DriveWrites();
  void DriveAperture();
  void Sample();

  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vgmmu_dma_bench> top_;
  std::unique_ptr<Coverage> coverage_;
  std::mt19937_64 rng_;
  uint64_t now_ = 0;
  std::vector<Answer> answers_[3];
  std::set<uint8_t> tags_[3];
  int64_t lent_[3][2] = {};
  bool offered_[3] = {};
  std::vector<Burst> reads_[2], writes_, answers_b_;
  std::set<uint8_t> ids_[3];
  bool w_running_ = false;
  std::deque<uint64_t> aperture_asks_[3];
  std::map<uint64_t, uint64_t> aperture_cache_;
  uint64_t aperture_flush_at_ = 0, control_done_at_ = 0;
  uint32_t next_fence_ = 100;
  uint64_t next_buffer_ = kBufferBase;
  unsigned tail_[kRings] = {}, size_lg2_[kRings] = {};
};


inline Machine::Machine(uint64_t seed, Timing with) : timing(with), rng_(seed) {
  context_ = std::make_unique<VerilatedContext>();
  top_ = std::make_unique<Vgmmu_dma_bench>(context_.get());
  coverage_ = std::make_unique<Coverage>(*context_);
  top_->rst_i = 1;
  top_->enable_i = 1;
  top_->vram_bytes_i = kVramBytes;
  for (int n = 0; n < 4; ++n) Tick();
  top_->rst_i = 0;
}

inline Machine::~Machine() { top_->final(); }

inline void Machine::Complain(const std::string& what) {
  if (complaints.size() < 20) complaints.push_back(what + " at cycle " + std::to_string(now_));
}

inline void Machine::Tick() {
  DriveAnswers();
  DriveReads();
  DriveWrites();
  DriveAperture();
  top_->fault_ready_i = fault_ready && Ready();
  top_->ctl_ready_i = Ready() && control_done_at_ == 0;
  top_->ctl_done_i = control_done_at_ != 0 && now_ >= control_done_at_;
  if (top_->ctl_done_i) {
    control_done_at_ = 0;
    for (int path = 1; path < 3; ++path)
      if (lent_[path][0] + lent_[path][1] != 0) Complain("invalidation of translations in use");
  }
  top_->cycle_i = now_;
  top_->clk_i = 0;
  top_->eval();
  Sample();
  top_->clk_i = 1;
  top_->eval();
  ++now_;
}

inline void Machine::DriveAnswers() {
  for (int path = 0; path < 3; ++path) {
    top_->req_ready_i[path] = Ready();
    if (!offered_[path]) {  // an offer stands until it is taken
      std::vector<size_t> ripe;
      for (size_t n = 0; n < answers_[path].size(); ++n)
        if (answers_[path][n].at <= now_) ripe.push_back(n);
      if (!ripe.empty()) {
        size_t pick = timing.shuffle ? ripe[rng_() % ripe.size()] : ripe[0];
        std::swap(answers_[path][pick], answers_[path][0]);
        if (!timing.shuffle && pick != 0) Complain("bench: order");
        offered_[path] = true;
      }
    }
    top_->rsp_valid_i[path] = offered_[path];
    if (offered_[path]) {
      const Answer& answer = answers_[path][0];
      top_->rsp_tag_i[path] = answer.tag;
      top_->rsp_generation_i[path] = answer.generation;
      top_->rsp_target_i[path] = static_cast<int>(answer.page.target);
      top_->rsp_offset_i[path] = answer.page.offset;
      top_->rsp_zero_i[path] = answer.page.zero;
      top_->rsp_coherent_i[path] = answer.page.coherent;
      top_->rsp_fault_i[path] = static_cast<int>(answer.page.fault);
      top_->rsp_level_i[path] = answer.page.level;
    }
  }
}

inline void Machine::DriveReads() {
  for (int path = 0; path < 2; ++path) {
    top_->ax_ready_i[path] = Ready();
    top_->r_valid_i[path] = 0;
    std::vector<size_t> ripe;
    for (size_t n = 0; n < reads_[path].size(); ++n)
      if (reads_[path][n].at <= now_) {
        ripe.push_back(n);
        if (!timing.shuffle) break;
      }
    if (ripe.empty() || (timing.shuffle && rng_() % 100 >= timing.ready_percent)) continue;
    size_t pick = ripe[rng_() % ripe.size()];
    Burst& burst = reads_[path][pick];
    uint64_t address = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beat;
    uint8_t data[kBus];  // lanes below the address carry nothing
    for (unsigned lane = 0; lane < kBus; ++lane)
      data[lane] = burst.error || address + lane < burst.address
                       ? 0xe5
                       : Of(burst.port).Read(address + lane);
    top_->r_valid_i[path] = 1;
    top_->r_id_i[path] = burst.id;
    std::memcpy(&top_->r_data_i[path], data, kBus);
    top_->r_error_i[path] = burst.error;
    top_->r_last_i[path] = ++burst.beat == burst.beats;
    if (burst.beat == burst.beats) {
      ids_[path].erase(burst.id);
      reads_[path].erase(reads_[path].begin() + pick);
    }
  }
}

inline void Machine::DriveWrites() {
  top_->ax_ready_i[kWrite] = Ready();
  top_->w_ready_i = Ready();
  top_->b_valid_i = 0;
  std::vector<size_t> ripe;
  for (size_t n = 0; n < answers_b_.size(); ++n)
    if (answers_b_[n].at <= now_) ripe.push_back(n);
  if (ripe.empty()) return;
  size_t pick = timing.shuffle ? ripe[rng_() % ripe.size()] : ripe[0];
  Burst burst = answers_b_[pick];
  answers_b_.erase(answers_b_.begin() + pick);
  if (!burst.error)  // what a write does is visible with its B, not before
    for (auto& [address, value] : burst.data) Of(burst.port).Write(address, value);
  top_->b_valid_i = 1;
  top_->b_id_i = burst.id;
  top_->b_error_i = burst.error;
  ids_[kWrite].erase(burst.id);
  last_b = now_;
}

inline void Machine::DriveAperture() {
  bool answered = false;
  for (int path = 0; path < 3; ++path) {
    top_->ap_req_ready_i[path] = Ready();
    top_->ap_rsp_valid_i[path] = 0;
    if (answered || aperture_asks_[path].empty() || !Ready()) continue;
    uint64_t page = aperture_asks_[path].front();
    aperture_asks_[path].pop_front();
    Fault fault = Fault::kNone;
    uint64_t entry = 0;
    if (page >= top_->aperture_pages_i) {
      fault = Fault::kApertureRange;
    } else {
      if (!aperture_cache_.count(page))
        aperture_cache_[page] = vram.Read64(top_->aperture_base_i + 8 * page);
      entry = aperture_cache_[page];
      if (!(entry & 1)) fault = Fault::kApertureEntry;
    }
    top_->ap_rsp_valid_i[path] = 1;
    top_->ap_rsp_fault_i = static_cast<int>(fault);
    top_->ap_rsp_coherent_i = entry >> 2 & 1;
    top_->ap_rsp_page_i = entry >> 12 & 0xfffffffff;
    answered = true;
  }
  top_->aperture_flush_done_i = aperture_flush_at_ != 0 && now_ >= aperture_flush_at_;
  if (top_->aperture_flush_done_i) {
    aperture_flush_at_ = 0;
    aperture_cache_.clear();
  }
}

inline void Machine::Sample() {
  if (top_->rst_i) return;
  for (int path = 0; path < 3; ++path) {
    if (top_->req_valid_o[path] && top_->req_ready_i[path]) {
      uint64_t va = top_->req_va_o[path];
      if (path == kRead && on_read_request) on_read_request(va);
      if (!tags_[path].insert(top_->req_tag_o[path]).second) Complain("tag used twice");
      if (top_->req_access_o[path] != (path == kWrite ? 1 : 0)) Complain("wrong access kind");
      Page page = Translate(pages, top_->req_space_o[path], va, path == kWrite);
      page.offset |= va & 0xfff;
      bool generation = timing.shuffle && (rng_() & 1);
      answers_[path].push_back({now_ + Random(timing.xlate_min, timing.xlate_max),
                                top_->req_tag_o[path], generation, page});
    }
    if (top_->rsp_valid_i[path] && top_->rsp_ready_o[path]) {
      const Answer& answer = answers_[path][0];
      ++lent_[path][answer.generation];
      tags_[path].erase(answer.tag);
      answers_[path].erase(answers_[path].begin());
      offered_[path] = false;
    }
    lent_[path][0] -= top_->done0_o[path];
    lent_[path][1] -= top_->done1_o[path];
    if (lent_[path][0] < 0 || lent_[path][1] < 0) Complain("translation given back twice");
    if (top_->ap_req_valid_o[path] && top_->ap_req_ready_i[path])
      aperture_asks_[path].push_back(top_->ap_req_page_o[path]);
    if (top_->ax_valid_o[path] && top_->ax_ready_i[path]) {
      Burst burst;
      burst.id = top_->ax_id_o[path];
      burst.port = top_->ax_port_o[path];
      burst.address = top_->ax_addr_o[path];
      burst.beats = top_->ax_len_o[path] + 1;
      burst.error = bus_errors.count({burst.port, burst.address >> 12}) != 0;
      ++bursts[path];
      if (!ids_[path].insert(burst.id).second) Complain("AXI id used twice");
      if (burst.port > 1) Complain("burst to no port");
      if (top_->ax_user_o[path] != 0) Complain("wrong AxUSER");
      uint64_t end = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beats;
      if (burst.address >> 12 != (end - 1) >> 12) Complain("burst crosses 4 KiB");
      if (path != kFetch && first_ar == 0) first_ar = now_;
      if (path == kWrite) {
        writes_.push_back(burst);
      } else {
        burst.at = now_ + Random(timing.read_min, timing.read_max);
        reads_[path].push_back(burst);
      }
    }
  }
  if (top_->w_valid_o) {
    if (writes_.empty()) {
      Complain("W before AW");
    } else if (top_->w_ready_i) {
      Burst& burst = writes_.front();
      uint64_t address = (burst.address & ~uint64_t{kBus - 1}) + kBus * burst.beat;
      uint8_t data[kBus];
      std::memcpy(data, &top_->w_data_o, kBus);
      write_beats.push_back({address, top_->w_strb_o});
      if (top_->w_strb_o == 0) Complain("beat without a byte");
      for (unsigned lane = 0; lane < kBus; ++lane)
        if (top_->w_strb_o >> lane & 1) burst.data.push_back({address + lane, data[lane]});
      if (!burst.data.empty() && burst.data[0].first != burst.address) Complain("strobes miss AW");
      bool last = ++burst.beat == burst.beats;
      if (last != top_->w_last_o) Complain("WLAST wrong");
      w_running_ = !last;
      if (last) {
        burst.at = now_ + Random(timing.write_min, timing.write_max);
        answers_b_.push_back(burst);
        writes_.erase(writes_.begin());
      }
    }
  } else if (w_running_) {
    Complain("gap inside a W burst");
  }
  most_reads = std::max<unsigned>(most_reads, reads_[1].size());
  most_writes = std::max<unsigned>(most_writes, answers_b_.size() + writes_.size());

  if (top_->ctl_valid_o && top_->ctl_ready_i) {
    if (top_->ctl_op_o != 0) Complain("wrong control operation");
    controls.push_back({top_->ctl_scope_o, top_->ctl_space_o, top_->ctl_start_o, top_->ctl_end_o});
    if (!writes_.empty() || !answers_b_.empty()) Complain("invalidation before B of writes");
    control_done_at_ = now_ + Random(1, 30);
  }
  if (top_->aperture_flush_o) {
    ++aperture_flushes;
    if (!writes_.empty() || !answers_b_.empty()) Complain("aperture flush before B of writes");
    aperture_flush_at_ = now_ + Random(1, 100);
  }
  if (top_->fault_valid_o && top_->fault_ready_i)
    faults.push_back({top_->fault_reason_o, top_->fault_space_o, top_->fault_port_o,
                      top_->fault_access_o, top_->fault_physical_o != 0, top_->fault_fence_o,
                      top_->fault_address_o});
  fence_irqs += top_->fence_irq_o;
  error_irqs += top_->error_irq_o;
  preempted_irqs += top_->preempted_irq_o;
  commands += top_->count_commands_o;
  entries += top_->count_entry_o;
  read_bytes += top_->count_read_bytes_o;
  written_bytes += top_->count_write_bytes_o;
}

inline void Machine::StartRing(unsigned ring, bool privileged, unsigned size_lg2) {
  host.Make(kRingBase + 0x100000 * ring, 32 << size_lg2);
  host.Make(kFenceBase + 0x1000 * ring, 4096);
  top_->ring_size_lg2_i[ring] = size_lg2;
  top_->ring_target_i[ring] = 0;
  top_->ring_base_i[ring] = kRingBase + 0x100000 * ring;
  top_->ring_fence_address_i[ring] = kFenceBase + 0x1000 * ring;
  top_->ring_tail_i[ring] = 0;
  top_->ring_privileged_i[ring] = privileged;
  top_->ring_enable_i[ring] = 1;
  tail_[ring] = 0;
  size_lg2_[ring] = size_lg2;
}

inline void Machine::StopRing(unsigned ring) { top_->ring_enable_i[ring] = 0; }

inline void Machine::NewLife(unsigned ring) {
  StopRing(ring);
  Preempt(ring, false);
  top_->ring_tail_i[ring] = tail_[ring] = 0;
  Tick();
  top_->ring_enable_i[ring] = 1;
  Ticks(2);
}

inline uint64_t Machine::PlaceBuffer(const std::vector<uint64_t>& words) {
  uint64_t address = next_buffer_;
  host.Make(address, words.size() * 8 + 8);
  for (size_t n = 0; n < words.size(); ++n) host.Write64(address + 8 * n, words[n]);
  next_buffer_ += (words.size() * 8 + 8 * Random(0, 100) + 7) & ~uint64_t{7};
  return address;
}

inline uint32_t Machine::SubmitEntry(unsigned ring, uint64_t address, uint64_t shape) {
  uint64_t entry = kRingBase + 0x100000 * ring + 32 * tail_[ring];
  host.Write64(entry, address);
  host.Write64(entry + 8, shape);
  host.Write64(entry + 16, next_fence_);
  host.Write64(entry + 24, rng_());
  tail_[ring] = (tail_[ring] + 1) & ((1u << size_lg2_[ring]) - 1);
  return next_fence_++;
}

inline uint32_t Machine::Submit(unsigned ring, const std::vector<uint64_t>& words, bool interrupt) {
  // The buffer is virtual, page by page at its own address, so that any ring may use it.
  uint64_t address = PlaceBuffer(words);
  last_buffer = address;
  for (uint64_t page = address >> 12; page <= (address + words.size() * 8) >> 12; ++page)
    pages[{buffer_space, page}] = {Target::kSystem, page << 12};
  uint32_t fence = SubmitEntry(ring, address, words.size() * 8 | uint64_t{buffer_space} << 40 |
                                                  (interrupt ? uint64_t{1} << 48 : 0));
  Doorbell(ring);
  return fence;
}

inline uint32_t Machine::SubmitRest(unsigned ring, uint64_t address, uint64_t bytes,
                                    uint64_t offset) {
  uint32_t fence = SubmitEntry(ring, address + offset, (bytes - offset) | uint64_t{buffer_space} << 40);
  Doorbell(ring);
  return fence;
}

inline void Machine::Doorbell(unsigned ring) { top_->ring_tail_i[ring] = tail_[ring]; }

inline bool Machine::Run(unsigned limit) {
  Ticks(4);
  for (unsigned n = 0; n < limit; ++n) {
    if (top_->idle_o) {
      Ticks(4);
      return true;
    }
    Tick();
  }
  return false;
}

inline void Machine::CheckAtRest() {
  for (int path = 0; path < 3; ++path) {
    if (!ids_[path].empty()) Complain("burst in flight at rest");
    if (!answers_[path].empty()) Complain("lookup in flight at rest");
    if (lent_[path][0] != 0 || lent_[path][1] != 0) Complain("translation not given back");
  }
  if (vram.strays() != 0 || host.strays() != 0) Complain("access outside the made pages");
}

}  // namespace gmmu::dma
