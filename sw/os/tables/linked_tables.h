// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gmmu::os {

struct Segment;

/// Assigns the addresses of one process's page tables on linked adapters.
///
/// The root is LinkMirrored: it has the same physical address and the same contents on each GPU.
/// Therefore the tables that it points to also have the same address on each GPU. These are
/// LinkInstanced: each GPU has its own instance at that address, with its own contents. If the GPUs
/// have different geometries, their trees differ and only the roots share an address. These rules
/// come from the GPU virtual address documentation; they have not been observed on Windows. The
/// documentation does not state the addresses of the tables between root and leaves; they follow
/// from the mirrored root.
class LinkedTables {
 public:
  /// `segments`: for each GPU index, the memory segment that contains the GPU's page tables.
  LinkedTables(std::vector<Segment*> segments, bool same_geometry)
      : segments_(std::move(segments)), same_geometry_(same_geometry) {}

  /// Returns the offset for a table on `gpu`: the offset that was reserved when another GPU
  /// requested one for the same level and slot, or a new offset that is free on all GPUs. Throws
  /// NoRoom, which names the GPU that is full. The caller must eventually free the offset in the
  /// segment of `gpu`.
  uint64_t Take(unsigned gpu, bool root, unsigned level, uint64_t slot, uint64_t bytes, uint64_t alignment,
                const std::string& created_by);
  /// Frees all offsets that are reserved on a GPU but not yet used by that GPU.
  void ReleaseReserved();

 private:
  struct Place {
    uint64_t offset = 0, bytes = 0;
    std::vector<bool> waiting;  // per GPU: the offset is reserved but not yet used
  };
  uint64_t ReserveOnAll(uint64_t bytes, uint64_t alignment, const std::string& created_by);
  [[noreturn]] void Refuse(size_t gpu, const std::string& created_by) const;
  /// Frees the offset on the GPUs on which it is reserved but not yet used.
  void Release(const Place& place);

  std::vector<Segment*> segments_;
  bool same_geometry_;
  std::map<std::pair<unsigned, uint64_t>, Place> places_;
};

}  // namespace gmmu::os
