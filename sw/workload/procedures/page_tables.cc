// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "os/base/page_math.h"
#include "os/base/text.h"
#include "os/vidmm/process_tables.h"
#include "workload/clients.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/plug_in.h"
#include "workload/procedures/procedures.h"
#include "workload/scenario.h"

namespace gmmu::workload {
namespace {
using regs::Fault;

/// A process with one allocation, which is filled with kFill, and functions that make client 0
/// access mapped addresses.
class Subject {
 public:
  Subject(Life& life, uint64_t pages, uint64_t contiguous, uint64_t root_entries)
      : life_(life), words_(life), pages_(pages) {
    life.Work([&] {
      process_ = life.vidmm.CreateProcess("process", root_entries);
      allocation_ = life.vidmm.allocations().CreateContiguous("data", pages * kPage, contiguous);
      life.vidmm.MakeResident(*allocation_);
      life.vidmm.transfers().Fill(*allocation_, 0, pages * kPage, kFill);
    });
  }
  void End() {
    life_.Work([&] {
      life_.vidmm.DestroyAllocation(allocation_);
      life_.vidmm.DestroyProcess(process_);
    });
  }
  os::GpuProcess& process() { return *process_; }
  os::Allocation& allocation() { return *allocation_; }
  uint64_t pages() const { return pages_; }

  /// Reads `pages` pages that start at `va`. Every 4-byte word must equal `pattern`.
  void Reads(const std::string& what, uint64_t va, uint64_t pages, uint32_t pattern) {
    words_.Read(process_, what, va, std::vector<uint32_t>(pages, pattern));
  }
  void Writes(const std::string& what, uint64_t va, uint64_t pages) {
    ClientRun run = AllLines(process_, va, pages * kPage);
    run.write = true;
    RunClients(life_.vidmm, {run}, what, life_.result.checks);
  }
  void Faults(const std::string& what, uint64_t va, Fault fault, regs::Access access = regs::Access::kRead) {
    words_.Fault(process_, what, va, fault, access);
  }
  void Executes(const std::string& what, uint64_t va) { words_.Read(process_, what, va, {kFill}, true); }
  static constexpr uint32_t kFill = 0xC1C1C1C1;

 private:
  Life& life_;
  PageWords words_;
  uint64_t pages_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* allocation_ = nullptr;
};

/// Returns the required alignment, in pages, of the address at which an allocation's first page is
/// mapped. With 64 KiB pages, the low 16 bits of the virtual address must equal those of the
/// allocation's first page in its segment.
uint64_t FirstPages(const os::Geometry& geometry) { return geometry.leaf_64k_bytes == 0 ? 1 : os::kPagesOf64k; }

/// Throws OsError if the debug view does not contain the entries that map the allocation.
void RequireShown(const os::GpuProcess& process, uint64_t va, const os::Allocation& allocation, uint64_t pages,
                  const os::Protection& protection) {
  if (!os::DebuggerShows(process, va, allocation, pages, protection))
    throw os::OsError("a debugger is not shown the entries that are mapped at " + os::Hex(va));
}

/// Tests a root page table that starts small, grows, moves, and shrinks when its upper part is
/// free. Addresses in the remaining part stay mapped; addresses beyond it fault.
void ResizableRoot(Life& life, const ParameterValues& values) {
  const os::Geometry geometry = life.gpu().facts().geometry;
  NeedCap(geometry.count() == 2, "DXGK_GPUMMUCAPS.PageTableLevelCount of 2: only such a root is resizable");
  const uint64_t unit = uint64_t{1} << geometry.Shift(1);  // bytes of address space per root entry
  Subject subject(life, values.at("pages"), 0, 1);
  os::VidMm& vidmm = life.vidmm;
  os::GpuProcess& process = subject.process();
  const auto entries = [&] { return os::RootEntries(process); };
  // The built-in hardware has a separate fault code for an address beyond the root; a plug-in
  // reports an invalid entry.
  const Fault beyond = PlugIn::Current() == nullptr ? Fault::kRootBound : Fault::kEntryInvalid;
  const uint64_t low = unit;
  const auto map = [&](uint64_t va) {
    life.Work([&] { vidmm.Map(process, va, subject.allocation(), 0, subject.pages()); });
  };
  const auto replace = [&](uint64_t wanted) { life.Work([&] { vidmm.tables().ReplaceRoot(process, wanted); }); };

  map(low);
  const uint64_t small = entries(), large = 2 * std::max<uint64_t>(small, 3), high = (small + 2) * unit;
  if (large > geometry.Entries(1)) {
    subject.End();
    throw NotApplicable("DxgkDdiGetRootPageTableSize has a root of " + std::to_string(small) + " entries at once");
  }
  if (PlugIn::Current() == nullptr)
    life.Compare("a small root has the entries of whole pages", small % (kPage / 8) == 0 ? "" : std::to_string(small));
  subject.Reads("within a small root", low, subject.pages(), Subject::kFill);
  subject.Faults("beyond a small root", high, beyond);
  const uint64_t before = os::RootOffset(process);
  replace(large);
  life.Compare("a grown root lies elsewhere", os::RootOffset(process) != before && entries() == large ? "" : "no");
  subject.Reads("after the root has grown", low, subject.pages(), Subject::kFill);
  subject.Faults("not mapped in the grown part", high, Fault::kEntryInvalid);
  map(high);
  subject.Reads("in the grown part", high, subject.pages(), Subject::kFill);
  replace(0);  // moves the root without changing its number of entries
  subject.Reads("after the root has moved, below", low, subject.pages(), Subject::kFill);
  subject.Reads("after the root has moved, above", high, subject.pages(), Subject::kFill);
  life.Work([&] { vidmm.mappings().UnmapAndFreeTables(process, high, unit / kPage); });
  life.Compare("a shrunk root has the entries of a small one", entries() == small ? "" : std::to_string(entries()));
  subject.Reads("in the kept part", low, subject.pages(), Subject::kFill);
  subject.Faults("beyond a shrunk root", high, beyond);
  subject.End();
}

/// Tests protections, zero pages at every level, and a large page that is later split.
void PageEntries(Life& life, const ParameterValues&) {
  for (const char* cap :
       {"ReadOnlyMemorySupported", "NoExecuteMemorySupported", "ZeroInPteSupported", "LargePageSupported"})
    NeedCaps(life.gpu(), {{std::string("DXGK_GPUMMUCAPS.") + cap, std::nullopt, false}});
  const os::Geometry geometry = life.gpu().facts().geometry;
  const uint64_t large = uint64_t{1} << geometry.Shift(1);
  NeedCap(large / kPage >= 64, "DXGK_PAGE_TABLE_LEVEL_DESC.PageTableIndexBitCount of level 0: a large page has " +
                                   std::to_string(large / kPage) + " pages, 64 are needed");
  Subject subject(life, large / kPage, large, 0);
  os::VidMm& vidmm = life.vidmm;
  os::GpuProcess& process = subject.process();
  uint64_t reserved = 0;
  life.Work([&] { reserved = vidmm.ReserveVa(process, 8 * large); });
  const uint64_t va = (reserved + large - 1) / large * large;
  const auto map = [&](uint64_t at, uint64_t pages, os::Protection protection) {
    life.Work([&] {
      vidmm.Map(process, at, subject.allocation(), 0, pages, protection);
      RequireShown(process, at, subject.allocation(), pages, protection);
    });
  };
  os::Protection read_only = os::Protection::All(), no_execute = read_only, none = read_only, zero = read_only;
  read_only.type.Write = 0;
  no_execute.type.Execute = 0;
  none.type.NoAccess = 1;
  zero.type.Zero = 1;

  map(va, 4, read_only);
  subject.Reads("read-only, read", va, 4, Subject::kFill);
  subject.Executes("read-only, executed", va);
  subject.Faults("read-only, written", va, Fault::kWriteProtect, regs::Access::kWrite);
  map(va, 4, no_execute);
  subject.Reads("no-execute, read", va, 4, Subject::kFill);
  subject.Faults("no-execute, executed", va, Fault::kExecuteProtect, regs::Access::kExecute);
  map(va, 4, none);
  subject.Faults("no access, read", va, Fault::kEntryInvalid);
  map(va, 4, zero);
  subject.Reads("zero, read", va, 4, 0);

  life.Work([&] { vidmm.mappings().MapLarge(process, va + large, 1, subject.allocation()); });
  subject.Reads("a large page, its first pages", va + large, 4, Subject::kFill);
  subject.Reads("a large page, its last pages", va + 2 * large - 4 * kPage, 4, Subject::kFill);
  life.Work([&] { vidmm.mappings().MapZero(process, va + large + 16 * kPage, 16); });
  subject.Reads("a large page that was split, before the zeros", va + large, 16, Subject::kFill);
  subject.Reads("zeros in a large page", va + large + 16 * kPage, 16, 0);
  subject.Reads("a large page that was split, behind the zeros", va + large + 32 * kPage, 16, Subject::kFill);

  life.Work([&] { vidmm.mappings().MapZero(process, va + 2 * large - 8 * kPage, (2 * large) / kPage); });
  subject.Reads("before zeros that begin in the middle of a table", va + 2 * large - 16 * kPage, 8, Subject::kFill);
  subject.Reads("zeros across tables", va + 2 * large - 8 * kPage, 16, 0);
  subject.Writes("writes to zeros are dropped", va + 2 * large, 4);
  subject.Reads("zeros that were written", va + 2 * large, 4, 0);
  // Map the allocation's first page at an address with the alignment that FirstPages returns.
  const uint64_t among = va + 2 * large + std::max<uint64_t>(FirstPages(geometry), 8) * kPage;
  map(among, 2, os::Protection::All());
  subject.Reads("two pages among zeros", among, 2, Subject::kFill);
  subject.Reads("zeros beside them", among + 2 * kPage, 8, 0);

  const size_t tables = os::TablesOf(process);
  life.Work([&] { vidmm.mappings().UnmapAndFreeTables(process, va, 7 * large / kPage); });
  life.Compare("tables of an unmapped range are freed", os::TablesOf(process) < tables ? "" : "none");
  subject.Faults("after the tables are freed", va + large, Fault::kEntryInvalid);
  life.Work([&] { vidmm.Map(process, va + large, subject.allocation(), 0, 8); });
  subject.Reads("mapped again, in tables that were others before", va + large, 8, Subject::kFill);
  life.Work([&] { vidmm.tables().ReplaceRoot(process, 0); });
  subject.Reads("after the root has moved", va + large, 8, Subject::kFill);
  life.Work([&] { vidmm.FreeVa(process, reserved); });
  subject.End();
}

/// Tests executable and no-execute pages, and the change between them, across the boundary of two
/// leaf tables.
void NoExecute(Life& life, const ParameterValues& values) {
  const os::Geometry geometry = life.gpu().facts().geometry;
  const uint64_t unit = FirstPages(geometry), leaf = geometry.Coverage(0);
  // Each of the two leaf tables maps half of the pages. The first page's address has the alignment
  // that FirstPages returns.
  const uint64_t pages = unit == 1 ? values.at("pages") : 2 * os::RoundUp(values.at("pages") / 2, unit);
  Subject subject(life, pages, 0, 0);
  os::VidMm& vidmm = life.vidmm;
  os::GpuProcess& process = subject.process();
  uint64_t reserved = 0;
  life.Work([&] { reserved = vidmm.ReserveVa(process, 3 * leaf); });
  const uint64_t va = (reserved / leaf + 2) * leaf - pages / 2 * kPage, last = va + (pages - 1) * kPage;
  os::Protection no_execute = os::Protection::All();
  no_execute.type.Execute = 0;
  const auto map = [&](const os::Protection& protection) {
    life.Work([&] { vidmm.Map(process, va, subject.allocation(), 0, pages, protection); });
  };
  const auto faults = [&](const std::string& what, uint64_t at) {
    ClientRun run = AllLines(&process, at, kLine);
    run.execute = true;
    run.fault = Fault::kExecuteProtect;
    RunClients(vidmm, {run}, what, life.result.checks);
  };

  map(os::Protection::All());
  subject.Executes("a page that may be executed", va);
  subject.Executes("another, in the next table", last);
  map(no_execute);
  faults("a page that may no longer be executed", va);
  subject.Reads("no-execute, read", va, pages, Subject::kFill);
  faults("another, in the next table", last);
  subject.Writes("no-execute, written", last, 1);
  no_execute.type.Write = 0;
  map(no_execute);
  faults("read-only and no-execute, executed", va);
  subject.Reads("read-only and no-execute, read", va, pages - 1, Subject::kFill);
  map(os::Protection::All());
  subject.Executes("a page that may be executed again", va);
  life.Work([&] { vidmm.FreeVa(process, reserved); });
  subject.End();
}

/// Tests zero pages that are written and read back, zero pages that are never written, and the
/// memory next to them.
void ZeroPages(Life& life, const ParameterValues& values) {
  const os::Geometry geometry = life.gpu().facts().geometry;
  const uint64_t pages = values.at("pages"), leaf = geometry.Coverage(0);
  Subject subject(life, pages, 0, 0);
  os::VidMm& vidmm = life.vidmm;
  os::GpuProcess& process = subject.process();
  uint64_t reserved = 0;
  life.Work([&] { reserved = vidmm.ReserveVa(process, 5 * leaf); });
  const uint64_t va = os::RoundUp(reserved, leaf), tables = va + leaf;
  const uint64_t mapped = va + os::RoundUp(2 * pages, FirstPages(geometry)) * kPage;
  const auto zero = [&](uint64_t at, uint64_t count) {
    life.Work([&] { vidmm.mappings().MapZero(process, at, count); });
  };

  zero(va, pages);
  subject.Reads("zero pages", va, pages, 0);
  subject.Writes("a write to zero pages", va, pages);
  subject.Reads("zero pages that were written", va, pages, 0);
  zero(tables, 2 * leaf / kPage);
  subject.Reads("zero pages that nobody wrote, of whole tables", tables, 2, 0);
  subject.Writes("a write across two tables of zero pages", tables + leaf - kPage, 2);
  subject.Reads("zero pages of whole tables that were written", tables + leaf - kPage, 2, 0);

  life.Work([&] {
    vidmm.Map(process, mapped, subject.allocation(), 0, pages);
    vidmm.mappings().MapZero(process, mapped + kPage, 1);
  });
  subject.Writes("a write to a zero page among pages of memory", mapped + kPage, 1);
  subject.Reads("the page before it", mapped, 1, Subject::kFill);
  subject.Reads("a zero page among pages of memory that was written", mapped + kPage, 1, 0);
  subject.Reads("the pages behind it", mapped + 2 * kPage, pages - 2, Subject::kFill);
  life.Work([&] { vidmm.Map(process, va, subject.allocation(), 0, pages); });
  subject.Reads("memory where zero pages were, none of it written", va, pages, Subject::kFill);
  life.Work([&] { vidmm.FreeVa(process, reserved); });
  subject.End();
}

}  // namespace

Procedure ResizableRootProcedure() {
  return {"resizable_root",
          "The root table of a two-level geometry starts with one page, then grows, moves and shrinks while the "
          "process stays usable. Addresses beyond the root fault.",
          {{"pages", 16, 1, 256, "Number of pages mapped in each part of the address space."}},
          ResizableRoot};
}

Procedure PageEntriesProcedure() {
  return {"page_entries",
          "Protections, zero pages and large pages are mapped in one process, split, freed and reused. A client "
          "accesses each of them.",
          {},
          PageEntries};
}

Procedure NoExecuteProcedure() {
  return {"no_execute",
          "A client executes pages on both sides of a leaf table boundary: executable, then no-execute, then "
          "executable again. No-execute pages fault when executed, but can be read and written.",
          {{"pages", 8, 4, 256, "Number of pages mapped."}},
          NoExecute};
}

Procedure ZeroPagesProcedure() {
  return {"zero_pages",
          "A client writes to zero pages and reads zeros again: in a range of pages, in whole tables, and in a single "
          "zero page between memory pages, which keep their bytes.",
          {{"pages", 8, 4, 256, "Number of zero pages, and of memory pages next to them."}},
          ZeroPages};
}

}  // namespace gmmu::workload
