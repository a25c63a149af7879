// SPDX-License-Identifier: Apache-2.0
#include "kmd/build/entry_format.h"

#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {
constexpr uint64_t kPageLimit = uint64_t{1} << 36;  // limit of page numbers in 48-bit addresses
static_assert(regs::PteEntry{}.set_page(1).raw == kNextPage, "a page number counts from bit 12");

/// Sets `large` to true if a level-1 entry points to a leaf table of 64 KiB entries, otherwise to
/// false. Returns false if the hardware has no such entry.
bool KindOfTable(const DXGK_PTE& pte, EntryForm form, bool* large) {
  *large = form == EntryForm::kHalf64k;
  if (form == EntryForm::kHalf4k || form == EntryForm::kHalf64k) return true;
  *large = pte.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_64KB;
  return pte.PageTablePageSize == DXGK_PTE_PAGE_TABLE_PAGE_4KB || (*large && form == EntryForm::kSingle);
}
}  // namespace

bool ToHardware(const DXGK_PTE& pte, uint32_t level, EntryForm form, bool contiguous, regs::PteEntry* entry,
                uint32_t own, const HiddenPages& hidden, uint64_t system_page) {
  if (pte.Zero) {
    *entry = regs::PteEntry{}.set_zero(1).set_valid(pte.Valid);
    return true;
  }
  if (!pte.Valid) {
    *entry = regs::PteEntry{};
    return true;
  }

  const uint64_t adapter = pte.PhysicalAdapterIndex;
  const uint64_t first_hidden = pte.Segment == kHiddenSegment && adapter < hidden.size()
                                    ? hidden[static_cast<size_t>(adapter)]
                                    : 0;
  regs::Target target = regs::Target::kVram;
  if (first_hidden == 0 && !TargetOf(static_cast<uint32_t>(pte.Segment), &target)) return false;
  const bool populated = system_page != 0 && pte.Segment == kVramSegment;
  if (populated) target = regs::Target::kSystem;
  const uint64_t page = pte.PageAddress + (populated ? system_page : first_hidden);
  if (page >= kPageLimit) return false;
  const bool maps_data = level == 0 || pte.LargePage;
  if (first_hidden != 0 && !maps_data) return false;
  if (level == 0 && pte.LargePage) return false;
  bool table_64k = false;
  if (level == 1 && !pte.LargePage && !KindOfTable(pte, form, &table_64k)) return false;
  if (form == EntryForm::kHalf64k && pte.LargePage) return false;
  if (form == EntryForm::kLeaf64k && page % (1u << kPagesOf64kLg2) != 0) return false;
  const bool vram = target == regs::Target::kVram;
  if (!vram && adapter != 0) return false;
  const bool peer = vram && adapter != own;
  if (peer) target = regs::Target::kPeer;
  const bool in_own_memory = target == regs::Target::kVram || target == regs::Target::kSystem;
  if (!maps_data && !in_own_memory) return false;

  auto made = regs::PteEntry{}
                  .set_valid(1)
                  .set_coherent(pte.CacheCoherent || populated)
                  .set_target(target)
                  .set_page(page)
                  .set_table_64k(table_64k)
                  .set_adapter(peer ? adapter : 0)
                  .set_segment(pte.Segment);
  if (maps_data) {  // entries that point to a table have no attributes
    made.set_read_only(pte.ReadOnly).set_no_execute(pte.NoExecute).set_large(level != 0);
  }
  if (level == 0) made.set_contiguous(contiguous);
  *entry = made;
  return true;
}

}  // namespace gmmu::kmd
