// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hw/platform.h"
#include "iommu/vtd/caches.h"
#include "iommu/vtd/drain.h"
#include "iommu/vtd/events.h"
#include "iommu/vtd/interrupts.h"
#include "iommu/vtd/types.h"

namespace gmmu::sim {

/// A request in progress in the unit. VtdCore::Lookup creates it and VtdCore::Feed advances it. It is a value type: it
/// may be copied and stored.
class VtdWalk {
 public:
  bool done() const { return stage_ == Stage::kDone; }
  /// Returns the next read of the walk; valid only until the walk is done.
  const RemapRead& read() const { return read_; }
  /// Returns the translation result; valid only when the walk is done.
  const VtdResult& result() const { return result_; }
  const VtdRequest& request() const { return request_; }
  /// Returns how many reads Feed has supplied.
  unsigned reads() const { return reads_; }
  /// Whether the lookup hit the paging-structure caches, so that the walk started below the top
  /// table.
  bool below_top() const { return below_top_; }

 private:
  friend class VtdCore;
  enum class Stage : uint8_t { kRoot, kContext, kTable, kInterrupt, kDone };

  VtdRequest request_;
  VtdResult result_;
  Stage stage_ = Stage::kDone;
  RemapRead read_;
  VtdContext context_;
  bool has_context_ = false;
  uint32_t index_ = 0;                     ///< entry of the interrupt remapping table
  bool interrupt_fpd_ = false;             ///< that entry's FPD
  uint8_t level_ = 0;                      ///< level of the table being read
  bool read_ok_ = true, write_ok_ = true;  ///< permissions of all entries so far, ANDed
  uint64_t generation_ = 0;
  uint64_t root_ = 0;
  uint64_t epoch_ = 0;
  unsigned reads_ = 0;
  bool missed_ = false, context_counted_ = false, iotlb_counted_ = false;  ///< counters that include the request
  bool below_top_ = false;
};

/// An Intel VT-d unit in legacy mode: registers, translation, caches, invalidation and faults, but
/// no time.
///
/// A timed unit calls it in steps and performs each memory access itself:
///
///   walk = Lookup(request)            searches the caches; a hit or a fault is done immediately
///   while (!walk.done()) Feed(walk, ok, low, high) with the bytes at walk.read()
///   ... the access itself, at walk.result().hpa ...
///   Finish(walk)                      once per Lookup, when the access is complete or blocked
///
/// Any number of walks may be in progress. A fault is recorded when its walk is done. An
/// invalidation does not stop walks, but walks that started before it fill no cache. A wait
/// descriptor (for the registers: the busy bits ICC and IVT, and TES) completes only when those
/// walks and, with DR or DW, the accesses that were translated before the invalidation have
/// finished.
///
/// The invalidation queue is driven in the same way: NextWork() returns its next access. Register
/// accesses take effect immediately.
class VtdCore {
 public:
  /// Throws std::invalid_argument, whose message names the parameter, if a parameter is out of range.
  explicit VtdCore(const VtdParameters& parameters);

  const VtdParameters& parameters() const { return parameters_; }
  /// The sink receives the fault and invalidation-completion interrupts. Their addresses are not
  /// translated.
  void set_message_sink(const VtdMessageSink& sink);

  // ---- registers: `offset` from the unit's base, below register_bytes()

  uint32_t register_bytes() const { return register_bytes_; }
  /// `size` is 4 or 8, naturally aligned; other accesses read all ones. Offsets without a register
  /// read 0.
  uint64_t ReadRegister(uint32_t offset, unsigned size) const;
  /// A 64-bit register accepts one 64-bit or two 32-bit writes, a 32-bit register one 32-bit write;
  /// other writes are dropped and counted. Call NextWork() afterwards, because the queue may have
  /// work.
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value);

  // ---- translation in steps

  VtdWalk Lookup(const VtdRequest& request);
  /// Supplies the data for walk.read(). `ok` is false if memory cannot be read; only 16-byte reads
  /// use `high`.
  void Feed(VtdWalk& walk, bool ok, uint64_t low, uint64_t high = 0);
  /// Restarts an unfinished walk with the present contents of the caches. Another walk may have
  /// filled them, or an invalidation may have made words that this walk has read stale. For
  /// draining, the walk still counts as started at its Lookup.
  void Restart(VtdWalk& walk);
  void Finish(const VtdWalk& walk);
  /// Recounts an IOTLB hit as a miss that waited for a walk in progress; `below_top` tells whether
  /// that walk started below the top table. This is for callers that perform accesses first and
  /// compute their times later (sim/twin): the times can show that the hit arrived while the walk
  /// for its page was in progress.
  void CountJoined(bool below_top);
  /// Returns the number of requests for which Lookup, but not yet Finish, has been called.
  uint64_t in_flight() const { return drains_.in_flight(); }

  // ---- translation at once

  /// Translates a device's request, using and updating caches, fault records and counters.
  VtdResult Translate(RemapMemory& memory, const VtdRequest& request);
  /// Translates by a table walk only, without using or changing any state. Used for dumps and debug
  /// accesses, and as the oracle for cached translation.
  VtdResult Peek(RemapMemory& memory, const VtdRequest& request) const;

  // ---- invalidation

  RemapWork NextWork();
  void FetchDone(bool ok, uint64_t low, uint64_t high);
  void StatusDone(bool ok);
  /// Executes commands until the queue is idle or must wait for requests in flight.
  void RunQueue(RemapMemory& memory);

  /// The number of invalidations. Results from an older generation must not be reused.
  uint64_t generation() const { return generation_; }

  // ---- observation

  /// Whether translation is enabled for a request that arrives now. It becomes enabled with the
  /// write that sets TE, even while TES still waits for earlier requests. It stays enabled until
  /// TES falls after a write that clears TE.
  bool translating() const { return translating_; }
  uint64_t root() const { return root_; }
  /// Returns, by SID, the translations that the tables at `root` grant to devices. They are exactly
  /// what Peek would return.
  std::vector<RemapDevice> MappingsOf(RemapMemory& memory, uint64_t root) const;
  /// Returns the number of faults by reason number, whether or not they were recorded.
  const std::array<uint64_t, 0x27>& faults() const { return faults_; }
  /// Returns the counters of block "iommu". Each request counts at most once in each lookup
  /// counter, whether or not it is restarted. While no request is in flight, these sums hold:
  ///
  ///   requests                      = bypassed + context_hits + context_misses
  ///   context_hits + context_misses = context_ended + iotlb_hits + iotlb_misses
  ///   iotlb_misses                  = table_cache_hits + table_cache_misses
  ///   missed                        = walks + waited
  std::vector<hw::Counter> Counters() const;

 private:
  // walk.cc: the result of one table read, which is cached if the walk may fill the caches
  struct Learned {
    enum class Kind : uint8_t { kNothing, kContext, kTable, kPage, kInterrupt } kind = Kind::kNothing;
    VtdContext context;
    VtdTableEntry table;
    VtdTlbEntry page;
    VtdInterruptEntry interrupt;
  };
  void Begin(VtdWalk& walk) const;         // requests the root entry, or completes the walk
  void Search(VtdWalk& walk);              // searches all caches
  bool SearchTranslations(VtdWalk& walk);  // searches IOTLB and table caches; needs the context
  void EnterDomain(VtdWalk& walk) const;   // proceeds to the top table, or completes the walk
  Learned Step(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const;
  Learned StepContext(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const;
  Learned StepTable(VtdWalk& walk, bool ok, uint64_t entry) const;
  // interrupt_walk.cc: requests to the interrupt window
  void BeginInterrupt(VtdWalk& walk) const;
  Learned StepInterrupt(VtdWalk& walk, bool ok, uint64_t low, uint64_t high) const;
  static void EndInterrupt(VtdWalk& walk, const VtdInterruptEntry& entry);
  void WantTable(VtdWalk& walk, unsigned level, uint64_t table) const;
  static void Grant(VtdWalk& walk, uint64_t hpa, bool translated, bool snoop);
  static void Block(VtdWalk& walk, VtdReason reason);
  void Keep(const VtdWalk& walk, const Learned& learned);
  void Finished(VtdWalk& walk);  // counters, fault record, draining
  uint64_t ReservedBits(unsigned level, bool leaf) const;
  bool LevelHasPages(unsigned level) const;
  unsigned LargestWidth() const;

  // mappings.cc
  void MapTable(RemapMemory& memory, unsigned level, uint64_t table, uint64_t iova, bool read, bool write,
                RemapDevice& to) const;

  // registers.cc
  uint64_t Cap() const;
  uint64_t Ecap() const;
  uint32_t Read32(uint32_t offset) const;
  uint64_t Read64(uint32_t offset) const;
  void Write32(uint32_t offset, uint32_t value);
  void WriteHalf(uint32_t offset, uint32_t value);
  void WriteCommand(uint32_t value);
  void WriteInterruptCommand(uint32_t value);
  bool Is64Bit(uint32_t offset) const;
  bool IsRecord(uint32_t offset) const;
  uint32_t iva_offset() const { return parameters_.iro * 16; }
  uint32_t iotlb_offset() const { return parameters_.iro * 16 + 8; }
  uint32_t records_offset() const { return parameters_.fro * 16; }
  void CheckDrains();

  // queue.cc
  void ContextCommand();
  void IotlbCommand();
  bool InvalidateContext(unsigned grain, uint16_t did, uint16_t sid, unsigned function_mask);
  bool InvalidateInterrupts(uint64_t descriptor);
  bool InvalidateIotlb(unsigned grain, uint16_t did, uint64_t address);
  void FailQueue(uint8_t reason);
  void Retire();
  std::optional<uint8_t> Execute(uint64_t low, uint64_t high);
  void StopQueue();
  bool queue_on() const;
  uint64_t QueueBytes() const { return uint64_t{256 * 16} << (iqa_ & 7); }

  const VtdParameters parameters_;
  uint32_t register_bytes_ = 0;

  // registers
  uint32_t status_ = 0;  // GSTS
  bool translating_ = false;
  uint64_t rtaddr_ = 0;  // as written
  uint64_t root_ = 0;    // as latched when software set SRTP
  uint64_t ccmd_ = 0, iva_ = 0, iotlb_command_ = 0;
  uint64_t iqh_ = 0, iqt_ = 0, iqa_ = 0, iqercd_ = 0, irta_ = 0;
  uint32_t ics_ = 0;
  VtdFaultLog log_;
  VtdEvent completion_;

  // caches
  VtdContextCache contexts_;
  VtdIotlb iotlb_;
  VtdTableCache tables_;
  VtdInterrupts interrupts_;
  uint64_t generation_ = 0;
  VtdDrainTracker drains_;

  // operations in progress
  VtdDrainTracker::Wait enable_wait_, disable_wait_, context_wait_, iotlb_wait_;
  bool enabling_ = false, disabling_ = false, context_busy_ = false, iotlb_busy_ = false;
  enum class QueueState : uint8_t { kReady, kFetching, kWaiting, kWriting } queue_ = QueueState::kReady;
  VtdDrainTracker::Wait queue_wait_;  // requests that the next wait descriptor waits for
  uint64_t wait_low_ = 0, wait_high_ = 0;

  // counters
  std::array<uint64_t, 0x27> faults_{};
  struct {
    uint64_t requests = 0, passed = 0, interrupts = 0, bypassed = 0, reads = 0, fills_refused = 0;
    uint64_t context_ended = 0, missed = 0, walks = 0, waited = 0;
    uint64_t context_hits = 0, context_misses = 0, iotlb_hits = 0, iotlb_misses = 0;
    uint64_t table_hits = 0, table_misses = 0;
    uint64_t interrupts_remapped = 0, interrupt_hits = 0, interrupt_invalidations = 0;
    uint64_t context_invalidations = 0, iotlb_invalidations = 0, entries_dropped = 0, waits = 0;
    uint64_t queue_errors = 0, flushes = 0, bad_accesses = 0;
  } count_;
};

}  // namespace gmmu::sim
