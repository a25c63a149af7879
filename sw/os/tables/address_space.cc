// SPDX-License-Identifier: Apache-2.0
#include "os/tables/address_space.h"

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"

namespace gmmu::os {
namespace {

/// Returns where in a segment tables are placed. `bring_up` is true while the tables of the paging
/// process are being built.
RangeAllocator::Place PlaceOfTables(const Parameters& parameters, bool bring_up) {
  const BringUp order = parameters.bring_up;
  if (bring_up && order != BringUp::kLinked) return RangeAllocator::Place::kLowest;
  const bool at_end = order == BringUp::kWindows22621 || parameters.vram_placement == VramPlacement::kFirstFit;
  return at_end ? RangeAllocator::Place::kHighest : RangeAllocator::Place::kBySeed;
}

}  // namespace

AddressSpace::AddressSpace(PhysicalAdapter& gpu, const std::string& name, bool paging, uint64_t va_end)
    : order_(gpu.kernel().parameters().bring_up),
      root_is_written_later_(order_ == BringUp::kWindows22621 || (paging && order_ == BringUp::kWindows26100)),
      memory_(gpu, name, paging, PlaceOfTables(gpu.kernel().parameters(), paging)),
      retired_(memory_),
      tree_(gpu, memory_, retired_),
      changes_(gpu, tree_, retired_),
      copies_(tree_),
      entries_(gpu, tree_, changes_, copies_),
      moves_(gpu, tree_, memory_, retired_),
      windows_22621_(tree_),
      va_(gpu.caps().geometry.Coverage(0), va_end, gpu.kernel().parameters().seed, "va_range", name,
          gpu.kernel().ledger()) {
  if (order_ != BringUp::kWindows22621) return;
  tree_.set_builder([this](unsigned level, uint64_t at, const UpdateSink& sink) -> PageTable& {
    return windows_22621_.Build(level, at, sink);
  });
}

void AddressSpace::SetBringUp(bool in_progress) {
  const Parameters& parameters = memory_.adapter().kernel().parameters();
  if (parameters.vram_placement == VramPlacement::kFirstFit) memory_.set_place(PlaceOfTables(parameters, in_progress));
}

void AddressSpace::CreateRoot(const UpdateSink& sink, uint64_t entries) {
  static_cast<void>(tree_.root().Renew(entries));
  if (!root_is_written_later_) tree_.root().Write(sink);
}

void AddressSpace::FreeRoot() {
  retired_.Free();
  tree_.root().Free();
}

void AddressSpace::InvalidateAll(const UpdateSink& sink) {
  retired_.Invalidate(sink);
  tree_.InvalidateAll(sink);
}

void AddressSpace::ForEachTable(const std::function<void(const PageTable&)>& visit) const {
  if (tree_.root().table().bytes != 0) visit(tree_.root().table());
  for (const auto& [slot, table] : tree_.tables()) visit(table);
  for (const auto& [leaf, held] : tree_.leaves_64k().all()) visit(held.table);
  retired_.ForEach(visit);
}

void AddressSpace::FreeTables() {
  tree_.FreeAll();
  moves_.Forget();
  FreeRoot();
}

}  // namespace gmmu::os
