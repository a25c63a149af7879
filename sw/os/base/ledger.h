// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gmmu::os {

/// Something that was taken and not given back.
struct Leak {
  std::string kind;        ///< "memory_object", "adl", "cpu_view", "domain_mapping", ...
  std::string name;        ///< which one: handle, address, size
  std::string owner;       ///< the part that should have given it back: "driver", "vidmm", "application", ...
  std::string created_by;  ///< the call that took it
};

/// The one account of everything that must be back at power-off.
///
/// Kinds in use: process, device, context, allocation, memory_object, adapter_object, adl,
/// cpu_view, pinned_page, page, domain, domain_mapping, logical_range, attached_device, vram_range,
/// contiguous_memory, isolation_memory, isolation_mdl, iommu_mdl, commit_charge, pinned_frame_buffer,
/// aperture_range, va_range, page_table, dma_buffer, fence, pool, mmio_view, invalidation, handle,
/// object_reference, system_thread, work_item, etw_provider.
class Ledger {
 public:
  using Ticket = uint64_t;

  Ticket Open(std::string kind, std::string name, std::string owner, std::string created_by);
  /// A ticket that is not open is a fault of the OS model: throws std::logic_error.
  void Close(Ticket ticket);
  bool IsOpen(Ticket ticket, const std::string& kind) const;
  size_t open() const { return open_.size(); }
  /// What is open, in the order in which it was opened.
  std::vector<Leak> Leaks() const;

 private:
  std::map<Ticket, Leak> open_;
  Ticket next_ = 1;
};

}  // namespace gmmu::os
