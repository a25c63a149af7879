// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>
#include <vector>

#include "os/miniport/mdl.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/placement.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {
using Bytes = std::vector<uint8_t>;

/// Calls the ten GPU isolation callbacks as a driver does, through the table from
/// DxgkDdiStartDevice, before and after a domain exists. The device moves bytes from contiguous
/// memory to VRAM (TRANSFER), and from there to the pages of each list (SPECIAL_LOCK_TRANSFER).
/// Call on the VidMm worker thread only.
class IsolationCallbacks {
 public:
  IsolationCallbacks(Life& life, uint64_t pages) : life_(life), pages_(pages), table_(life.gpu().Callbacks()) {}

  void Run() {
    vram_ = life_.vidmm.allocations().CreateContiguous("what lists are compared with", Size(), kPage);
    life_.vidmm.MakeResident(*vram_);
    AllocateList();
    life_.graphics.StartSecureVm();
    life_.Compare("a domain of its own numbers",
                  life_.graphics.mode() == os::DmaMode::kIdentity ? "" : "there is none");
    Reached("pages given before the domain", os::Mdl::PagesOf(list_), true);
    ContiguousIntoVram();
    Out("pages of the callback's list", list_);
    DriversOwnList();
    SavedFrameBuffer();
    const std::vector<uint64_t> pfns = os::Mdl::PagesOf(list_);
    const DXGKARGCB_FREEPAGESFROMMDL free{pages_handle_};
    Require(table_.DxgkCbFreePagesFromMdl(Device(), &free), "the return of pages");
    Reached("pages that were given back", pfns, false);
    life_.vidmm.placement().Evict(*vram_);
    life_.vidmm.DestroyAllocation(vram_);
  }

 private:
  HANDLE Device() const { return table_.DeviceHandle; }
  uint64_t Size() const { return pages_ * kPage; }
  /// Checks that the domain maps the pages if `given` is true, and does not map them otherwise. A
  /// domain of all memory maps them in both cases.
  void Reached(const std::string& what, const std::vector<uint64_t>& pfns, bool given) {
    const bool all = life_.graphics.domain_has_all(), wanted = given || all;
    uint64_t reached = 0;
    for (const uint64_t pfn : pfns) reached += life_.graphics.At(pfn) == pfn;
    const std::string found = std::to_string(reached) + " of " + std::to_string(pages_) + " are in it";
    const char* const must = given ? " are in the domain"
                             : all ? " are in the domain of all memory"
                                   : " are out of the domain";
    life_.Compare(what + must, reached == (wanted ? pages_ : 0) ? "" : found);
  }

  void AllocateList() {
    DXGKARGCB_ALLOCATEPAGESFORMDL allocate{};
    allocate.HighAddress.QuadPart = -1;
    allocate.TotalBytes = Size();
    allocate.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    const NTSTATUS status = table_.DxgkCbAllocatePagesForMdl(Device(), &allocate);
    if (status == STATUS_NOT_SUPPORTED) {
      throw WrongMachine(
          "the callbacks of GPU isolation are refused to a driver that supports DMA remapping "
          "(DXGK_IOMMU_CAPS.DmaRemappingSupported)");
    }
    Require(status, "pages behind an MDL");
    pages_handle_ = allocate.hMemoryHandle;
    list_ = allocate.pMdl;
  }

  void ContiguousIntoVram() {
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY allocate{};
    allocate.NumberOfBytes = Size();
    allocate.HighestAcceptableAddress.QuadPart = -1;
    allocate.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    Require(table_.DxgkCbAllocateContiguousMemory(Device(), &allocate), "contiguous memory");
    bytes_.resize(Size());
    FillPattern(bytes_.data(), bytes_.size(), life_.options.seed ^ 0x69736F6C);
    std::memcpy(allocate.pMemory, bytes_.data(), bytes_.size());
    std::vector<uint64_t> pfns;
    for (uint64_t page = 0; page < pages_; ++page) {
      const uint8_t* at = static_cast<uint8_t*>(allocate.pMemory) + page * kPage;
      pfns.push_back(*life_.host.platform().ram().PhysicalOf(at) / kPage);
      life_.Compare("contiguous memory, page " + std::to_string(page),
                    pfns[page] == pfns[0] + page ? "" : "it is elsewhere");
    }
    os::Mdl list(pfns);
    Reached("contiguous memory's pages", pfns, true);
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_TRANSFER;
    operation.Transfer.Source.pMdl = list.get();
    Move(operation.Transfer, operation.Transfer.Destination);
    life_.vidmm.work().Operate(operation);
    const DXGKARGCB_FREECONTIGUOUSMEMORY free{allocate.hMemoryHandle};
    Require(table_.DxgkCbFreeContiguousMemory(Device(), &free), "the return of contiguous memory");
    Reached("contiguous memory's pages that were given back", pfns, false);
  }

  /// Fills in a transfer of all bytes in one operation. `vram` is the side of `operand` (source or
  /// destination) in VRAM.
  template <typename Operand, typename Side>
  void Move(Operand& operand, Side& vram) const {
    const os::SegmentFacts local = life_.gpu().facts().local;
    operand.hAllocation = os::HandleOf(*vram_);
    operand.TransferSize = Size();
    vram.SegmentId = local.id;
    vram.SegmentAddress.QuadPart = static_cast<LONGLONG>(local.base + *os::VramOffset(*vram_));
    operand.Flags.TransferStart = operand.Flags.TransferEnd = 1;
  }

  void Out(const std::string& what, PMDL list) {
    DXGKARG_BUILDPAGINGBUFFER operation{};
    operation.Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    operation.SpecialLockTransfer.Destination.pMdl = list;
    Move(operation.SpecialLockTransfer, operation.SpecialLockTransfer.Source);
    life_.vidmm.work().Operate(operation);
    Bytes found(Size());
    uint64_t at = 0;
    for (const uint64_t pfn : os::Mdl::PagesOf(list)) {
      if (!life_.host.platform().ram().Read(pfn * kPage, &found[at], kPage))
        throw os::OsError("a list names no memory");
      at += kPage;
    }
    life_.Compare("the device wrote " + what, Difference(found, bytes_));
  }

  /// Maps a page list that the driver built itself, from memory that no callback allocated.
  void DriversOwnList() {
    const std::vector<uint64_t> pfns = life_.host.TakePages(pages_, "driver", "a list of its own");
    os::Mdl list(pfns);
    Reached("the driver's own pages before the map", pfns, false);
    DXGKARGCB_MAPMDLTOIOMMU map{list.get(), nullptr};
    Require(table_.DxgkCbMapMdlToIoMmu(Device(), &map), "the map of an MDL");
    Out("the driver's own list", list.get());
    const DXGKARGCB_UNMAPMDLFROMIOMMU unmap{map.hMemoryHandle};
    table_.DxgkCbUnmapMdlFromIoMmu(Device(), &unmap);
    Reached("the driver's own pages after the unmap", pfns, false);
    life_.host.FreePages(pfns);
  }

  void SavedFrameBuffer() {
    DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, Size(), nullptr};
    Require(table_.DxgkCbPinFrameBufferForSave(Device(), &pin), "the pin of the frame buffer's section");
    Out("the frame buffer's section", pin.pMdl);
    const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE unpin{0};
    Require(table_.DxgkCbUnpinFrameBufferForSave(Device(), &unpin), "its unpin");
    DXGKARGCB_MAPFRAMEBUFFERPOINTER window{0, Size() - kPage, kPage, nullptr};
    Require(table_.DxgkCbMapFrameBufferPointer(Device(), &window), "a window of the section");
    const uint8_t* view = static_cast<const uint8_t*>(window.pBaseAddress) + window.Offset;
    life_.Compare("the section's window from its second page on",
                  Difference(Bytes(view, view + Size() - kPage), Bytes(bytes_.begin() + kPage, bytes_.end())));
    const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER unmap{0, window.pBaseAddress};
    Require(table_.DxgkCbUnmapFrameBufferPointer(Device(), &unmap), "the window's end");
  }

  Life& life_;
  const uint64_t pages_;
  const DXGKRNL_INTERFACE table_;
  os::Allocation* vram_ = nullptr;
  PMDL list_ = nullptr;
  HANDLE pages_handle_ = nullptr;
  Bytes bytes_;  ///< expected contents of VRAM
};

void RunIsolationMemory(Life& life, const ParameterValues& values) {
  NeedVersion(life, DXGKDDI_INTERFACE_VERSION_WDDM2_4, "WDDM 2.4");
  NeedIsolation(life);
  life.Work([&] { IsolationCallbacks(life, values.at("pages")).Run(); });
}

}  // namespace

Procedure IsolationMemoryProcedure() {
  return {"isolation_memory",
          "Calls the ten callbacks of GPU isolation: memory allocated before and after the domain is attached, the "
          "driver's own pages, and the frame buffer's section. The device uses each of them; afterwards none is mapped "
          "in the domain.",
          {{"pages", 3, 2, 4, "Number of pages in each piece of memory; the save section must have at least as many."}},
          RunIsolationMemory};
}

}  // namespace gmmu::workload
