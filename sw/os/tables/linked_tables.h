// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gmmu::os {

struct Segment;

/// Where the page tables of one process over linked adapters lie.
///
/// The root is LinkMirrored: at the same physical address on each GPU, with the same content. So the tables that it
/// names are at the same address on each GPU too. They are LinkInstanced: one place, an instance on each GPU with a
/// content of its own. Where the geometries of the GPUs differ, so do their trees, and only the roots share a place.
/// (GPU virtual address documents only. They do not say where tables between root and leaves lie; that
/// follows from the mirrored root.)
class LinkedTables {
 public:
  /// `segments`: the memory segment of page tables of each GPU, by index.
  LinkedTables(std::vector<Segment*> segments, bool same_geometry)
      : segments_(std::move(segments)), same_geometry_(same_geometry) {}

  /// The place of a table of `gpu`: the one that another GPU's table of the same level and slot got, or a new one
  /// that is free on all. Throws NoRoom, which names the GPU that has none. The caller gives it back to its own segment.
  uint64_t Take(unsigned gpu, bool root, unsigned level, uint64_t slot, uint64_t bytes, uint64_t alignment,
                const std::string& created_by);
  /// Frees the places that were reserved on GPUs but not taken.
  void ReleaseReserved();

 private:
  struct Place {
    uint64_t offset = 0, bytes = 0;
    std::vector<bool> waiting;  // by GPU: the place is reserved and not yet taken
  };
  uint64_t ReserveOnAll(uint64_t bytes, uint64_t alignment, const std::string& created_by);
  [[noreturn]] void Refuse(size_t gpu, const std::string& created_by) const;
  /// Frees the part of a place that is reserved and not taken.
  void Release(const Place& place);

  std::vector<Segment*> segments_;
  bool same_geometry_;
  std::map<std::pair<unsigned, uint64_t>, Place> places_;
};

}  // namespace gmmu::os
