// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kBlock = os::kBytesOf64k;
constexpr uint64_t kPagesOfBlock = os::kPagesOf64k;

/// True if VidMm may map the buffer with 64 KiB pages: the pages of each 64 KiB block must have
/// consecutive, aligned GPU addresses.
bool MayBe64k(const Life& life, const os::SystemBuffer& buffer) {
  if (life.gpu().CapOf("DXGK_GPUMMUCAPS.SysMem64KBPageSupported") == 0 || !life.options.os.system_64k_mapped)
    return false;
  for (uint64_t page = 0; page < buffer.bytes() / kPage; ++page) {
    const uint64_t first = buffer.page(page / kPagesOfBlock * kPagesOfBlock);
    if (first % kPagesOfBlock != 0 || buffer.page(page) != first + page % kPagesOfBlock) return false;
  }
  return true;
}

/// A process with an allocation that is mapped within one leaf table and contains a different word
/// in each page.
class Field {
 public:
  Field(Life& life, uint64_t pages) : life_(life), words_(life), pages_(pages) {
    const uint64_t coverage = life.gpu().facts().geometry.Coverage(0);
    if (pages * kPage + 2 * kBlock > coverage)
      throw WrongMachine("blocks: a leaf table covers " + std::to_string(coverage / kBlock) +
                         ", which must be two more ([machine.gpu] page_table_bits)");
    life.Work([&] {
      process_ = life.vidmm.CreateProcess("process");
      allocation_ = words_.Make("data", pages, kFirst);
      reserved_ = life.vidmm.ReserveVa(*process_, 2 * coverage);
    });
    va_ = (reserved_ + coverage - 1) / coverage * coverage;
  }
  void End() {
    life_.Work([&] {
      life_.vidmm.FreeVa(*process_, reserved_);
      life_.vidmm.DestroyAllocation(allocation_);
      life_.vidmm.DestroyProcess(process_);
    });
  }
  os::GpuProcess& process() { return *process_; }
  os::Allocation& allocation() { return *allocation_; }
  uint64_t va() const { return va_; }
  uint64_t pages() const { return pages_; }
  bool Is64k(uint64_t va) const { return os::Is64k(*process_, va); }

  void Map(uint64_t va, uint64_t first, uint64_t pages) {
    life_.Work([&] { life_.vidmm.Map(*process_, va, *allocation_, first, pages); });
  }
  static std::vector<uint32_t> Words(uint64_t first, uint64_t pages) {
    return PageWords::Words(kFirst + static_cast<uint32_t>(first), pages);
  }
  void Reads(const std::string& what, uint64_t va, uint64_t first, uint64_t pages) {
    words_.Read(process_, what, va, Words(first, pages));
  }
  void Faults(const std::string& what, uint64_t va) { words_.Fault(process_, what, va, regs::Fault::kEntryInvalid); }

 private:
  static constexpr uint32_t kFirst = 0xA5000000;
  Life& life_;
  PageWords words_;
  uint64_t pages_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* allocation_ = nullptr;
  uint64_t reserved_ = 0, va_ = 0;
};

/// Tests 64 KiB and 4 KiB pages within one leaf table, every conversion between them that level-1
/// entries allow, and a move to system memory and back.
void RunPages64k(Life& life, const ParameterValues& values) {
  const os::Geometry geometry = life.gpu().facts().geometry;
  NeedCap(geometry.leaf_64k_bytes != 0, "DXGK_SEGMENTFLAGS.Use64KBPages");
  const bool dual = geometry.dual;
  os::VidMm& vidmm = life.vidmm;
  Field field(life, values.at("blocks") * kPagesOfBlock);
  const uint64_t va = field.va(), second = va + kBlock, small = va + field.pages() * kPage + kBlock + 3 * kPage;
  const auto is_64k = [&](const std::string& what, uint64_t at, bool wanted) {
    life.Compare(what, field.Is64k(at) == wanted ? "" : wanted ? "no" : "still 64 KiB");
  };

  field.Map(va, 0, field.pages());
  is_64k("aligned, whole and in VRAM: pages of 64 KiB", va, true);
  field.Reads("pages of 64 KiB", va, 0, field.pages());

  field.Map(small, 3, 3);
  is_64k(dual ? "pages of 64 KiB stay beside pages of 4 KiB" : "the leaf table has 4 KiB entries from now on", va,
         dual);
  field.Reads("beside pages of 4 KiB", va, 0, field.pages());
  field.Reads("pages of 4 KiB", small, 3, 3);

  life.Work([&] { vidmm.Unmap(field.process(), second + 5 * kPage, 1); });
  is_64k("a block that lost a page", second, false);
  is_64k("the block before it", va, dual);
  field.Faults("the page that was unmapped", second + 5 * kPage);
  field.Reads("the pages before it", va, 0, kPagesOfBlock + 5);
  field.Reads("the pages behind it", second + 6 * kPage, kPagesOfBlock + 6, field.pages() - kPagesOfBlock - 6);

  field.Map(va, 0, field.pages());
  is_64k(dual ? "mapped as a whole: 64 KiB again" : "mapped as a whole: no way back", second, dual);
  field.Reads("mapped as a whole", va, 0, field.pages());
  field.Reads("pages of 4 KiB, still", small, 3, 3);

  os::SystemBuffer host = os::MakeHostMemory(life.vidmm, field.pages() * kPage);
  life.Work([&] {
    vidmm.transfers().PageOut(field.allocation(), host, host.bytes());
    vidmm.mappings().MapSystem(field.process(), va, host);
  });
  is_64k("moved to system memory", va, MayBe64k(life, host));
  field.Reads("moved to system memory", va, 0, field.pages());
  const std::vector<uint8_t> expected = PageWords::Bytes(Field::Words(0, field.pages()));
  life.Compare("bytes in system memory",
               std::memcmp(host.Map(0, host.bytes()), expected.data(), expected.size()) == 0 ? "" : "differ");
  host.Unmap();
  life.Work([&] {
    vidmm.transfers().Fill(field.allocation(), 0, host.bytes(), 0);
    vidmm.transfers().PageIn(field.allocation(), host, host.bytes());
  });
  field.Map(va, 0, field.pages());
  is_64k("moved back to VRAM", va, dual);
  field.Reads("moved back to VRAM", va, 0, field.pages());

  life.Work([&] { vidmm.mappings().UnmapAndFreeTables(field.process(), va, geometry.Coverage(0) / kPage); });
  field.Faults("after the tables are freed", va);
  field.Map(va, 0, field.pages());
  is_64k("in a new leaf table", va, true);
  field.Reads("in a new leaf table", va, 0, field.pages());
  host.Release();
  field.End();
}

}  // namespace

Procedure Pages64kProcedure() {
  return {"pages_64k",
          "64 KiB and 4 KiB pages in one range are partly unmapped, and moved to system memory and back. A client "
          "reads each result.",
          {{"blocks", 3, 2, 64, "Number of 64 KiB blocks in the range."}},
          RunPages64k};
}

}  // namespace gmmu::workload
