// SPDX-License-Identifier: Apache-2.0
// Models the environment of the paging engine: memories, translation, aperture map, invalidation,
// and software.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "Vgmmu_dma_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_bench.h"
#include "tb/rtl/paged_memory.h"
#include "tb/rtl/structs.h"

namespace gmmu::dma {

using regs::Fault;
using regs::Target;

using Memory = PagedMemory;

/// The translation of a virtual page.
struct Page {
  Target target = Target::kSystem;
  uint64_t offset = 0;  // offset in the target
  bool zero = false;
  bool coherent = true;
  bool read_only = false;
  Fault fault = Fault::kNone;
  uint8_t level = 0;
};
using PageMap = std::map<std::pair<unsigned, uint64_t>, Page>;  // {space, va >> 12}

/// Returns the translation of an access to va. For an unmapped page this is kEntryInvalid at level
/// 1.
inline Page Translate(const PageMap& map, unsigned space, uint64_t va, bool write) {
  auto found = map.find({space, va >> 12});
  Page page;
  if (found == map.end()) {
    page.fault = Fault::kEntryInvalid;
    page.level = 1;
    return page;
  }
  page = found->second;
  if (page.fault == Fault::kNone && write && page.read_only && !page.zero) page.fault = Fault::kWriteProtect;
  return page;
}

/// Delays, in cycles, and other properties of the models around the engine.
struct Timing {
  unsigned read_min = 5, read_max = 60;
  unsigned write_min = 3, write_max = 40;
  unsigned xlate_min = 1, xlate_max = 20;
  unsigned ready_percent = 70;  // probability that AR, AW, W or a request is accepted in a cycle
  bool shuffle = true;          // responses arrive in random order
  static Timing Ideal(unsigned latency) { return {latency, latency, latency, latency, 2, 2, 100, false}; }
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

/// Bytes per bus beat, which the build of the bench sets.
inline constexpr unsigned kBus = sizeof(GMMU_STRUCT(gmmu_dma_bench, w_t)::data);

/// The engine with two rings in system memory. Time advances only in Step. Protocol violations are
/// collected in `complaints`.
class Machine : public BlockBench<Vgmmu_dma_bench> {
 public:
  using RingConfig = GMMU_STRUCT(gmmu_dma_bench, ring_cfg_t);
  using RingState = GMMU_STRUCT(gmmu_dma_bench, ring_state_t);
  enum Path { kFetch, kRead, kWrite };
  static constexpr uint64_t kVramBytes = 64 << 20;
  static constexpr uint64_t kRingBase = 0x7f000000, kFenceBase = 0x7e000000;
  static constexpr uint64_t kBufferBase = 0x70000000;
  static constexpr unsigned kRings = 2;

  explicit Machine(uint64_t seed = 1, Timing timing = {});

  Memory vram, host;
  PageMap pages;
  std::set<std::pair<int, uint64_t>> bus_errors;  // {port, address >> 12}
  Timing timing;
  bool fault_ready = true;
  bool direct = false;  // kRead and kWrite select the separate mover's paths
  std::vector<std::string> complaints;
  std::vector<FaultSeen> faults;
  std::vector<Control> controls;
  unsigned fence_irqs = 0, error_irqs = 0, preempted_irqs = 0, aperture_flushes = 0;
  uint64_t commands = 0, entries = 0, read_bytes = 0, written_bytes = 0;
  unsigned most_reads = 0, most_writes = 0;  // most bursts in flight so far
  uint64_t last_buffer = 0;                  // address of the buffer that Submit placed last
  uint64_t first_ar = 0, last_b = 0;         // cycles of the transfers' first AR or AW and last B
  uint64_t bursts[3] = {};
  std::vector<std::pair<uint64_t, uint64_t>> write_beats;  // {address of lane 0, strobes}
  std::function<void(uint64_t va)> on_read_request;

  void Step() override;

  void StartRing(unsigned ring, bool privileged, unsigned size_lg2 = 4);
  void StopRing(unsigned ring);
  /// Sets members of a ring's configuration: `change` receives a RingConfig by reference.
  template <typename Change>
  void SetRing(unsigned ring, const Change& change) {
    Repack<RingConfig>(t.ring_i[ring], change);
  }
  RingState Ring(unsigned ring) const { return Unpack<RingState>(t.ring_o[ring]); }
  void Preempt(unsigned ring, bool preempt = true) {
    SetRing(ring, [&](RingConfig& c) { c.preempt = preempt; });
  }
  /// Disables the ring, withdraws its preemption request, sets its tail to 0, and enables the ring.
  void NewLife(unsigned ring);
  /// Submit puts a paging buffer into physical system memory and its entry into the ring, and
  /// returns the entry's fence id.
  unsigned buffer_space = 15;  // address space of the buffers that Submit places
  uint32_t Submit(unsigned ring, const std::vector<uint64_t>& words, bool interrupt = false);
  /// Writes a ring entry with this address, with `shape` as its second word and with a new fence
  /// id, without ringing the doorbell. Returns the fence id.
  uint32_t SubmitEntry(unsigned ring, uint64_t address, uint64_t shape);
  uint64_t PlaceBuffer(const std::vector<uint64_t>& words);
  /// Resubmits a buffer of `bytes` bytes that Submit placed at `address`, without its first
  /// `offset` bytes.
  uint32_t SubmitRest(unsigned ring, uint64_t address, uint64_t bytes, uint64_t offset);
  void Doorbell(unsigned ring);
  /// Steps until the engine is idle. Returns false after `limit` cycles.
  [[nodiscard]] bool Finish(unsigned limit = 200000);
  /// Checks that nothing is in flight and that every translation was returned. Adds a complaint for
  /// each violation.
  void CheckAtRest();
  /// Lent: translations that a path has not returned. ReadsInFlight: the transfers' read bursts
  /// that still lack data. WritesInFlight: write bursts without B, except those of fence records.
  int64_t Lent(Path path) const { return lent_[path][0] + lent_[path][1]; }
  int64_t ReadsInFlight() const { return static_cast<int64_t>(reads_[kRead].size()); }
  int64_t WritesInFlight() const {
    const auto counts = [](const Burst& b) { return b.port == 0 || b.address < kFenceBase; };
    return std::count_if(writes_.begin(), writes_.end(), counts) +
           std::count_if(answers_b_.begin(), answers_b_.end(), counts);
  }
  uint64_t FenceRecord(unsigned ring, int word) const { return host.Read64(kFenceBase + 0x1000 * ring + 8 * word); }

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
    std::vector<std::pair<uint64_t, uint8_t>> data;  // {address, byte} of a write
  };
  using ReadRequest = GMMU_STRUCT(gmmu_dma_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_dma_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_dma_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_dma_bench, wr_rsp_t);

  void Complain(const std::string& what);
  /// Return the bench index of the path's translation ports (At) and of its read channel (ReadAt).
  unsigned At(int path) const { return path + (direct && path != kFetch ? 2 : 0); }
  unsigned ReadAt(int path) const { return path + (direct && path != kFetch ? 1 : 0); }
  Memory& Of(int port) { return port == 0 ? vram : host; }
  bool Ready() { return rng() % 100 < timing.ready_percent; }
  void DriveAnswers();
  void DriveReads();
  void DriveWrites();
  void DriveAperture();
  void Sample();

  ReadResponse rd_[2]{};
  WriteResponse wr_{};
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

}  // namespace gmmu::dma
