// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "host/agenda.h"
#include "host/time_model.h"
#include "hw/gmmu_regs.h"
#include "hw/host_ram.h"
#include "memory/vram.h"
#include "twin/counters.h"
#include "twin/gpu_parameters.h"

namespace gmmu::sim {
class HostAccess;
}

namespace gmmu::sim::twin {

class Peers;

/// The two memory ports of a GPU: VRAM and host. Accesses to peers also go through the host port.
/// An access is performed and counted immediately; its time is added to a Cost.
class Memory {
 public:
  Memory(VramCore& vram, HostAccess& host, Peers& peers, unsigned unit, uint16_t requester, TimeModel& time,
         Agenda& agenda, Counters& counters, const MemoryFaults& faults)
      : vram_(vram),
        host_(host),
        peers_(peers),
        unit_(unit),
        requester_(requester),
        time_(time),
        agenda_(agenda),
        counters_(counters),
        faults_(faults) {}

  VramCore& vram() { return vram_; }
  uint64_t vram_bytes() const { return vram_.size(); }

  /// Access VRAM for the CPU. The accesses are counted but take no time.
  bool ReadWindow(uint64_t offset, void* to, size_t size);
  bool WriteWindow(uint64_t offset, const void* from, size_t size);
  /// Return false, and transfer nothing, if the access extends past the end of VRAM.
  bool ReadVram(uint64_t offset, void* to, size_t size, Cost& cost);
  bool WriteVram(uint64_t offset, const void* from, size_t size, Cost& cost);
  /// Reads inside a 4 KiB page. Returns false if the read was blocked. If `snoop` is true, the read snoops the CPU's
  /// caches.
  bool ReadHost(uint64_t logical, void* to, size_t size, Cost& cost, bool snoop = true);
  /// Writes inside a 4 KiB page. The write is posted, so it is always accepted.
  void WriteHost(uint64_t logical, const void* from, size_t size, Cost& cost, bool snoop = true);
  /// Access a linked adapter's VRAM. A write is done when the peer's VRAM has the bytes. Return
  /// false if the peer does not exist or the access extends past the end of its VRAM.
  bool ReadPeer(unsigned adapter, uint64_t offset, void* to, size_t size, Cost& cost);
  bool WritePeer(unsigned adapter, uint64_t offset, const void* from, size_t size, Cost& cost);
  /// Whether register `link` permits an access to `offset` in the VRAM of `adapter`.
  bool Linked(unsigned adapter, uint64_t offset) const {
    return adapter < link_.adapters() && adapter != link_.own() && offset >> kPeerOffsetBits == 0;
  }
  regs::Link link() const { return link_; }
  void set_link(regs::Link link) { link_ = link; }
  /// Reads a table entry. For VRAM, the caller must call TableTime, which adds time and counters.
  /// Returns false on a bus error.
  bool ReadEntry(bool vram, uint64_t address, uint64_t* entry);
  /// Reads table words without requests, time or counters. Words that cannot be read are returned
  /// as 0.
  void PeekTable(bool vram, uint64_t address, uint64_t* words, unsigned count);
  /// Counts a table read that is issued at `at`. Returns the time at which its words have arrived.
  uint64_t TableTime(bool vram, uint64_t address, uint64_t bytes, uint64_t at);

  /// Whether register ctrl.silence is set. It keeps the paging engine and the clients from starting
  /// accesses at either port.
  bool held() const { return held_; }
  void set_held(bool on) { held_ = on; }
  /// Records that an access by the paging engine or the clients lasts until `ps`.
  void Busy(uint64_t ps) { busy_until_ = std::max(busy_until_, ps); }
  uint64_t busy_until() const { return std::max(busy_until_, host_busy_until_); }
  /// Whether the host port may issue requests: bus mastering is on, and both the silence pin and
  /// ctrl.silence are off.
  bool host_open() const { return bus_master_ && !silence_ && !held_; }
  void set_bus_master(bool on) { bus_master_ = on; }
  void set_silence(bool on) { silence_ = on; }
  bool bus_master() const { return bus_master_; }

  /// Injected fault: reads of the host page at `logical` complete at `until_ps` or later.
  void HoldReads(uint64_t logical, uint64_t until_ps) { hold_ = {logical / hw::kPageSize, until_ps}; }

  /// Return the time at which the host port's last read, or its last burst of any kind, completes.
  uint64_t host_reads_until() const { return host_reads_until_; }
  uint64_t host_busy_until() const { return host_busy_until_; }
  uint64_t writes_lost() const { return writes_lost_; }
  uint64_t bits_flipped() const { return bits_flipped_; }

 private:
  static constexpr unsigned kPeerOffsetBits = 42;
  uint64_t Begin(const Cost& cost) const { return std::max(cost.at, agenda_.now()); }
  uint64_t HostReadTime(uint64_t logical, uint64_t size, uint64_t at, bool alone = false);
  uint64_t WholeBeats(uint64_t address, uint64_t size) const;

  VramCore& vram_;
  HostAccess& host_;
  Peers& peers_;
  const unsigned unit_;
  const uint16_t requester_;
  TimeModel& time_;
  Agenda& agenda_;
  Counters& counters_;
  const MemoryFaults faults_;
  regs::Link link_;
  bool bus_master_ = false, silence_ = false, held_ = false;
  uint64_t busy_until_ = 0;
  uint64_t vram_written_ = 0, bits_flipped_ = 0, writes_lost_ = 0;
  struct {
    uint64_t page = 0, until_ps = 0;
  } hold_;
  uint64_t host_reads_until_ = 0, host_busy_until_ = 0;
};

}  // namespace gmmu::sim::twin
