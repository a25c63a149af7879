// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// A memory request from a device, which must not cross a 4 KiB boundary.
struct RemapRequest {
  uint16_t requester = 0;  ///< PCI requester id
  uint64_t logical = 0;    ///< bus address
  bool write = false;
  bool translated = false;  ///< the device marked the request as translated (PCIe AT)
  uint32_t data = 0;        ///< data of a write to the interrupt window
};

enum class RemapOutcome : uint8_t {
  kMemory,     ///< the access goes to `hpa`
  kInterrupt,  ///< an interrupt message: `data` is written to `hpa`
  kBlocked,    ///< a read fails, a write is dropped
};

struct RemapResult {
  RemapOutcome outcome = RemapOutcome::kBlocked;
  uint64_t hpa = 0;
  bool translated = false;  ///< false: the address passes untranslated
  bool snoop = false;       ///< the mapping requires a snoop, overriding No Snoop
  uint32_t data = 0;        ///< data of an interrupt message
  bool ok() const { return outcome != RemapOutcome::kBlocked; }
};

/// One read of host memory that a walk requests: 8 or 16 bytes, naturally aligned.
struct RemapRead {
  uint64_t address = 0;
  unsigned bytes = 0;
};

/// A request in progress. Remapper::Lookup creates it, Remapper::Feed advances it, and
/// Remapper::Finish completes it. It may be copied and stored; a copy refers to the same request.
struct RemapWalk {
  RemapRequest request;
  bool done = true;
  RemapRead read;          ///< next read of the walk, unless it is done
  RemapResult result;      ///< outcome; valid when the walk is done
  bool below_top = false;  ///< the walk started below the top table
  uint32_t slot = 0;       ///< for the remapper's own use
};

/// The remapper's own access to host memory: by host physical address, coherent with the CPU's
/// caches.
class RemapMemory {
 public:
  virtual ~RemapMemory() = default;
  /// Reads 8 aligned bytes. Returns false if no memory exists at that address.
  virtual bool Read64(uint64_t hpa, uint64_t* value) = 0;
  /// Writes 4 aligned bytes. Returns false if no memory exists at that address.
  virtual bool Write32(uint64_t hpa, uint32_t value) = 0;
};

/// The next memory access of the remapper's command queue, through which software requests
/// invalidations and waits.
struct RemapWork {
  enum class Kind : uint8_t {
    kIdle,    ///< no work until a register write, FetchDone or StatusDone
    kFetch,   ///< read the 16 bytes at `address`, then call FetchDone
    kDrain,   ///< a command waits for requests in flight: query again after each Finish
    kStatus,  ///< write `data` (32 bits) to `address`, then call StatusDone
  };
  Kind kind = Kind::kIdle;
  uint64_t address = 0;
  uint32_t data = 0;
};

/// A mapping of device accesses to [logical, logical + bytes) onto host memory [hpa, hpa + bytes).
struct RemapMapping {
  uint64_t logical = 0;
  uint64_t hpa = 0;
  uint64_t bytes = 0;
  bool read = false;
  bool write = false;
};

/// All mappings of one device.
struct RemapDevice {
  uint16_t requester = 0;
  uint16_t domain = 0;
  unsigned address_bits = 0;
  bool pass_through = false;           ///< all addresses pass untranslated, and `mappings` is empty
  std::vector<RemapMapping> mappings;  ///< ascending; contiguous mappings are merged
};

/// Sizes and options of a remapper. An architecture ignores the parameters that do not apply to it.
struct RemapperParameters {
  bool caches_refusals = false;    ///< also cache entries that map nothing
  bool write_buffer = false;       ///< software must flush a write buffer
  unsigned largest_page_lg2 = 30;  ///< 12, 21 or 30
  unsigned fault_records = 8;      ///< number of fault records visible to software
  unsigned device_entries = 64;    ///< cached device entries
  unsigned tlb_sets = 16, tlb_ways = 4;
  unsigned table_entries = 16;      ///< cached table pointers per level
  bool interrupt_remapping = true;  ///< the unit can remap interrupt messages
};

/// A unit that translates devices' requests. It models registers, translation, invalidation,
/// draining and faults, but no time.
///
/// A timed machine calls it in steps and performs each memory access itself:
///
///   walk = Lookup(request)         searches the caches; a hit or a fault is done immediately
///   while (!walk.done) Feed(walk, ok, low, high) with the bytes at walk.read
///   ... the access itself, at walk.result.hpa ...
///   Finish(walk)                   once per Lookup, when the access is complete or blocked
///
/// Any number of walks may be in progress. A fault is recorded when its walk is done, and is
/// reported to software through registers and messages. An invalidation does not stop walks, but
/// walks that started before it fill no cache. The invalidation completes only when those walks,
/// and the accesses that were translated before it, have finished.
class Remapper {
 public:
  using MessageSink = std::function<void(uint64_t address, uint32_t data)>;

  /// Constructs a unit of the architecture that firmware reports to the operating system. Throws
  /// std::invalid_argument, whose message names the parameter, if a parameter is out of range.
  static std::unique_ptr<Remapper> Make(const RemapperParameters& parameters);

  virtual ~Remapper() = default;

  /// The sink receives the unit's own interrupts. Their addresses are not translated.
  virtual void set_message_sink(const MessageSink& sink) = 0;

  /// Access the register at `offset` from the unit's base. `size` is 4 or 8, naturally aligned. A
  /// write takes effect immediately; call NextWork() afterwards, because the command queue may have
  /// work.
  virtual uint64_t ReadRegister(uint32_t offset, unsigned size) const = 0;
  virtual void WriteRegister(uint32_t offset, unsigned size, uint64_t value) = 0;

  virtual RemapWalk Lookup(const RemapRequest& request) = 0;
  /// Supplies the data for walk.read. `ok` is false if the memory cannot be read; `high` is used
  /// only for 16-byte reads.
  virtual void Feed(RemapWalk& walk, bool ok, uint64_t low, uint64_t high) = 0;
  /// Restarts an unfinished walk with the present contents of the caches. For draining, the walk
  /// still counts as started at its Lookup.
  virtual void Restart(RemapWalk& walk) = 0;
  virtual void Finish(const RemapWalk& walk) = 0;
  /// Recounts a cache hit as a miss that waited for a walk in progress; `below_top` tells whether
  /// that walk started below the top table. This is for callers that perform accesses first and
  /// compute their times later (host/host.h): the times can show that the hit arrived while the
  /// walk for its page was in progress.
  virtual void CountJoined(bool below_top) = 0;
  /// Translates by a table walk only, without using or changing any state.
  virtual RemapResult Peek(RemapMemory& memory, const RemapRequest& request) const = 0;

  virtual RemapWork NextWork() = 0;
  virtual void FetchDone(bool ok, uint64_t low, uint64_t high) = 0;
  virtual void StatusDone(bool ok) = 0;

  /// Whether translation is enabled for a request that arrives now.
  virtual bool translating() const = 0;
  /// Returns the host physical address of the root table.
  virtual uint64_t root() const = 0;
  /// Returns, by requester, the mappings that the tables grant to devices. They are exactly what
  /// Peek would return.
  virtual std::vector<RemapDevice> Mappings(RemapMemory& memory) const = 0;
  virtual std::vector<hw::Counter> Counters() const = 0;
};

}  // namespace gmmu::sim
