// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>

#include "host/agenda.h"
#include "host/host_access.h"
#include "host/host_side.h"
#include "hw/host_ram.h"
#include "hw/platform.h"
#include "iommu/remapper.h"
#include "memory/page_owners.h"

namespace gmmu::sim {

class HostTime;
struct TimeParameters;

/// The host's side of the PCIe links: the IOMMU in front of memory, shared by all GPUs of the
/// machine.
///
/// A device's access is translated and performed immediately, with two exceptions: writes of at
/// most 16 bytes (fence records) and interrupt messages take effect when the link has delivered
/// them. Until then the IOMMU counts them as in flight, so an invalidation that drains writes
/// completes after them. The delay matters because software polls fence values without waiting for
/// a message and must not see a value early. As on PCIe, a device's read first pushes earlier short
/// writes to the same bytes into memory. Every access that is performed is checked: its page must
/// have an owner.
class Host : public HostAccess, public HostSide {
 public:
  using MessageSink = std::function<void(uint64_t address, uint32_t data)>;

  /// If `iommu` is null, addresses pass untranslated.
  Host(hw::HostRam& ram, std::unique_ptr<Remapper> iommu, const TimeParameters& timing, Agenda& agenda,
       MessageSink messages);
  ~Host() override;

  bool Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop) override;
  void Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop) override;
  uint64_t Serve(uint16_t requester, uint64_t logical, size_t size, bool write, uint64_t at_ps) override;
  bool Peek(uint16_t requester, uint64_t logical, uint64_t* word) const override;

  // HostSide
  Remapper* iommu() override { return iommu_.get(); }
  uint64_t ReadRegister(uint32_t offset, unsigned size) override { return iommu_->ReadRegister(offset, size); }
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value) override;
  std::vector<hw::Counter> Counters() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override { return bus_counts_[device.requester_id()]; }
  uint64_t PageAccesses(uint64_t pfn) override { return watched_[pfn]; }
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  PageOwners& owners() override { return owners_; }

 private:
  // The size of a fence record in bytes. Writes up to this size are delayed.
  static constexpr size_t kRecord = 16;
  struct Posted {
    uint64_t hpa;
    size_t size;
    bool snoop;
    std::array<uint8_t, kRecord> bytes;
    bool Touches(uint64_t at, size_t bytes_there) const { return hpa < at + bytes_there && at < hpa + size; }
  };
  /// Translates an access. The caller must call Finish with the same `walk` once the access has been performed.
  RemapResult Translate(const RemapRequest& request, RemapWalk& walk);
  void Finish(const RemapWalk& walk);
  void Land(uint64_t way_ps, const RemapWalk& walk, std::function<void()> access);
  void Touch(uint64_t hpa, bool write);
  /// Performs, in order, those writes in `posted_` that overlap [hpa, hpa + size) and have a number
  /// below `before`.
  void Push(uint64_t hpa, size_t size, uint64_t before);
  void PumpQueue();

  hw::HostRam& ram_;
  const std::unique_ptr<Remapper> iommu_;
  Agenda& agenda_;
  const MessageSink messages_;
  const std::unique_ptr<HostTime> time_;
  bool queue_busy_ = false;
  struct {
    uint16_t requester = 0;
    uint64_t logical = 0, size = 0;
  } begun_;  ///< the most recent access
  std::map<uint16_t, hw::BusCounts> bus_counts_;
  std::unordered_map<uint64_t, uint64_t> watched_;  ///< number of accesses, by watched page
  PageOwners owners_;
  uint64_t posts_ = 0;                 ///< number of delayed writes so far
  std::map<uint64_t, Posted> posted_;  ///< delayed writes in flight, by number
};

}  // namespace gmmu::sim
