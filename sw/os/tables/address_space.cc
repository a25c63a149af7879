// SPDX-License-Identifier: Apache-2.0
#include "os/tables/address_space.h"

#include <utility>

#include "os/dxgkrnl/physical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/tables/page_entries.h"
#include "os/tables/retired_tables.h"
#include "os/tables/table_moves.h"
#include "os/tables/table_tree.h"
#include "os/tables/windows_22621.h"
#include "os/tables/windows_26100.h"

namespace gmmu::os {
namespace {

RangeAllocator::Place PlaceOfTables(BringUp order, bool paging) {
  if (paging && order != BringUp::kLinked) return RangeAllocator::Place::kLowest;
  return order == BringUp::kWindows22621 ? RangeAllocator::Place::kHighest : RangeAllocator::Place::kBySeed;
}

}  // namespace

struct AddressSpace::Parts {
  Parts(PhysicalAdapter& gpu, const std::string& name, bool paging, uint64_t va_end)
      : order(gpu.kernel().parameters().bring_up),
        root_is_written_later(order == BringUp::kWindows22621 || (paging && order == BringUp::kWindows26100)),
        memory(gpu, name, paging, PlaceOfTables(order, paging)),
        retired(memory),
        tree(gpu, memory, retired),
        changes(gpu, tree, retired),
        copies(tree),
        entries(gpu, tree, changes, copies),
        moves(gpu, tree, memory, retired),
        windows_22621(tree),
        windows_26100(tree, memory, gpu.caps().coherent),
        va(gpu.caps().geometry.Coverage(0), va_end, gpu.kernel().parameters().seed, "va_range", name,
           gpu.kernel().ledger()) {
    if (order != BringUp::kWindows22621) return;
    tree.set_builder([this](unsigned level, uint64_t at, const UpdateSink& sink) -> PageTable& {
      return windows_22621.Build(level, at, sink);
    });
  }

  const BringUp order;
  const bool root_is_written_later;
  TableMemory memory;
  RetiredTables retired;
  TableTree tree;
  LeafChanges changes;
  MappingCopies copies;
  os::PageEntries entries;
  TableMoves moves;
  Windows22621 windows_22621;
  Windows26100 windows_26100;
  RangeAllocator va;
};

AddressSpace::AddressSpace(PhysicalAdapter& gpu, const std::string& name, bool paging, uint64_t va_end)
    : parts_(std::make_unique<Parts>(gpu, name, paging, va_end)) {}
AddressSpace::~AddressSpace() = default;

void AddressSpace::set_placer(Placer placer) { parts_->memory.set_placer(std::move(placer)); }
void AddressSpace::set_table_views(TableViews views) { parts_->memory.set_views(std::move(views)); }
void AddressSpace::set_change_hooks(ChangeHooks hooks) { parts_->changes.set_hooks(std::move(hooks)); }
void AddressSpace::set_root_grower(RootGrower grower) { parts_->tree.root().set_grower(std::move(grower)); }

void AddressSpace::CreateRoot(const Sink& sink, uint64_t entries) {
  static_cast<void>(parts_->tree.root().Renew(entries));
  if (!parts_->root_is_written_later) parts_->tree.root().Write(sink);
}
void AddressSpace::ReplaceRoot(uint64_t entries, const Sink& sink) { parts_->tree.ReplaceRoot(entries, sink); }
void AddressSpace::FreeRoot() {
  ReleaseRetired();
  parts_->tree.root().Free();
}
void AddressSpace::RestoreRoot(const Sink& sink) { parts_->moves.RestoreRoot(sink); }
bool AddressSpace::ready() const { return parts_->tree.root().table().written; }
D3DGPU_PHYSICAL_ADDRESS AddressSpace::root() const { return parts_->tree.root().table().gpu; }
uint64_t AddressSpace::root_entries() const { return parts_->tree.root().entries(); }

void AddressSpace::MakeWhole(uint64_t va_end, const Sink& sink) { parts_->windows_22621.MakeWhole(va_end, sink); }
std::vector<DXGK_PTE> AddressSpace::MakeFirst(uint64_t va, uint64_t large, const Sink& sink) {
  return parts_->windows_26100.MakeFirst(va, large, sink);
}
void AddressSpace::MakeWholeRoot(const Sink& sink) { parts_->windows_26100.MakeWholeRoot(sink); }

void AddressSpace::SetEntries(uint64_t va, uint64_t pages, const std::vector<DXGK_PTE>& entries, HANDLE allocation,
                              uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection) {
  parts_->entries.Set(va, pages, entries, allocation, allocation_offset, driver_protection, sink);
}
void AddressSpace::Invalidate(uint64_t va, uint64_t pages, const Sink& sink) {
  SetEntries(va, pages, std::vector<DXGK_PTE>(1), nullptr, 0, sink);
}
void AddressSpace::SetUpper(unsigned level, uint64_t va, const DXGK_PTE& entry, HANDLE allocation,
                            uint64_t allocation_offset, const Sink& sink, uint64_t driver_protection) {
  parts_->tree.WriteUpper(level, va, {entry, {}, allocation, allocation_offset, driver_protection}, sink);
}
void AddressSpace::SetZero(uint64_t va, uint64_t pages, const Sink& sink) { parts_->entries.SetZero(va, pages, sink); }
bool AddressSpace::Clear(uint64_t va, uint64_t pages, const Contents& contents, const Sink& sink) {
  return parts_->entries.Clear(va, pages, contents, sink);
}
void AddressSpace::EnsureTables(uint64_t va, uint64_t pages, const Sink& sink, bool large) {
  parts_->entries.EnsureTables(va, pages, large, sink);
}
bool AddressSpace::Is64k(uint64_t va) const { return parts_->tree.leaves_64k().Is64k(va); }
bool AddressSpace::Any64k(uint64_t va, uint64_t pages) const { return parts_->tree.leaves_64k().Any64k(va, pages); }

std::vector<AddressSpace::CopyPiece> AddressSpace::CopyPieces(uint64_t source, uint64_t target, uint64_t bytes) const {
  return parts_->copies.Pieces(source, target, bytes);
}
AddressSpace::LeafPlace AddressSpace::PlaceOfLeaf(uint64_t va) const { return parts_->copies.PlaceOfLeaf(va); }
std::vector<HeldEntry> AddressSpace::PageEntries(const CopyPiece& piece, const Contents& contents) const {
  return parts_->copies.Entries(piece, contents);
}
TableUpdate AddressSpace::NoteCopied(const CopyPiece& piece, const std::vector<HeldEntry>& entries) {
  return parts_->copies.NoteCopied(piece, entries);
}

void AddressSpace::FreeTables(uint64_t va, uint64_t pages, const Sink& sink) { parts_->tree.Free(va, pages, sink); }
bool AddressSpace::InvalidateRetired(const Sink& sink) { return parts_->retired.Invalidate(sink); }
void AddressSpace::ReleaseRetired() { parts_->retired.Free(); }
void AddressSpace::InvalidateAll(const Sink& sink) {
  InvalidateRetired(sink);
  parts_->tree.InvalidateAll(sink);
}
void AddressSpace::FreeTables() {
  parts_->tree.FreeAll();
  parts_->moves.Forget();
  FreeRoot();
}

void AddressSpace::MoveTables(const Contents& contents, const Sink& sink) { parts_->moves.Move(contents, sink); }
void AddressSpace::EvictTables(const Contents& contents, const Sink& sink) { parts_->moves.Evict(contents, sink); }
void AddressSpace::RestoreTables(const Sink& sink) { parts_->moves.Restore(sink); }
bool AddressSpace::evicted() const { return parts_->tree.evicted(); }

RangeAllocator& AddressSpace::va() { return parts_->va; }
size_t AddressSpace::tables() const { return parts_->tree.tables().size() + tables_64k(); }
size_t AddressSpace::tables_64k() const { return parts_->tree.leaves_64k().all().size(); }

}  // namespace gmmu::os
