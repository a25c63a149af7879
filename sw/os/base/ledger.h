// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace gmmu::os {

/// A resource that was allocated and not freed.
struct Leak {
  std::string kind;        ///< "memory_object", "adl", "cpu_view", "domain_mapping", ...
  std::string name;        ///< identifies the resource: handle, address, size
  std::string owner;       ///< the component that must free it: "driver", "vidmm", "application", ...
  std::string created_by;  ///< the call that allocated it
};

/// Records every resource that must be freed before power-off.
///
/// Kinds in use: process, device, context, allocation, memory_object, adapter_object, adl,
/// cpu_view, pinned_page, page, domain, domain_mapping, logical_range, attached_device, vram_range,
/// contiguous_memory, isolation_memory, isolation_mdl, iommu_mdl, commit_charge, pinned_frame_buffer,
/// aperture_range, va_range, page_table, dma_buffer, fence, pool, mmio_view, invalidation, handle,
/// object_reference, system_thread, work_item, etw_provider.
class Ledger {
 public:
  using Ticket = uint64_t;

  Ticket Open(const std::string& kind, std::string name, const std::string& owner, const std::string& created_by);
  /// Like Open, but for a range, whose name is "START+SIZE" in hexadecimal.
  Ticket OpenRange(const std::string& kind, uint64_t start, uint64_t size, const std::string& owner,
                   const std::string& created_by);
  /// Throws std::logic_error if the ticket is not open, which is a bug of the OS model.
  void Close(Ticket ticket);
  bool IsOpen(Ticket ticket, const std::string& kind) const;
  /// Returns the owner of an open ticket.
  const std::string& OwnerOf(Ticket ticket) const { return *open_.at(ticket).owner; }
  size_t open() const { return open_.size(); }
  /// Returns all open entries, in the order in which they were opened.
  std::vector<Leak> Leaks() const;

 private:
  /// Each distinct string is stored only once, in `texts_`, because there can be millions of
  /// entries.
  struct Entry {
    const std::string* kind;
    const std::string* owner;
    const std::string* created_by;
    std::string name;  // empty for a range
    uint64_t start = 0;
    uint64_t size = 0;  // 0 if the entry is not a range
  };
  Ticket Add(const std::string& kind, const std::string& owner, const std::string& created_by, Entry entry);

  std::unordered_set<std::string> texts_;
  std::unordered_map<Ticket, Entry> open_;
  Ticket next_ = 1;
};

}  // namespace gmmu::os
