// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "ddi/wdm.h"
#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

constexpr uint64_t kLead = 100;  // byte offset of a view in its first page
using Bytes = std::vector<uint8_t>;

struct Case {
  const char* name;
  DXGK_PHYSICAL_MEMORY_TYPE type;
  DXGK_MEMORY_CACHING_TYPE caching;
  bool attached;            // true: creating the object also opens it for the adapter
  bool require_contiguous;  // false: contiguity is only a hint
  UINT mdl_flags;
  uint64_t skip_bytes;
};

constexpr Case kCases[] = {
    {"MDL, cached", DXGK_PHYSICAL_MEMORY_TYPE_MDL, DXGK_MEMORY_CACHING_TYPE_CACHED, true, false, 0, 0},
    {"MDL in chunks of 8 KiB, write-combined", DXGK_PHYSICAL_MEMORY_TYPE_MDL, DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED,
     true, false, MM_ALLOCATE_REQUIRE_CONTIGUOUS_CHUNKS, 2 * kPage},
    {"contiguous, not cached", DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, DXGK_MEMORY_CACHING_TYPE_NON_CACHED, true,
     true, 0, 0},
    {"contiguous, cached, opened later", DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, DXGK_MEMORY_CACHING_TYPE_CACHED,
     false, true, 0, 0},
    {"section, cached, opened later", DXGK_PHYSICAL_MEMORY_TYPE_SECTION, DXGK_MEMORY_CACHING_TYPE_CACHED, false, false,
     0, 0},
    {"section, write-combined", DXGK_PHYSICAL_MEMORY_TYPE_SECTION, DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED, true, false,
     0, 0},
};

/// Uses physical memory objects as a driver does, through the table from DxgkDdiStartDevice:
/// create, map, make an ADL, use, unmap, free, destroy. The device reads the objects through the
/// aperture.
class MemoryServices {
 public:
  MemoryServices(Life& life, uint64_t pages)
      : life_(life), vidmm_(life.vidmm), pages_(pages), table_(life.gpu().Callbacks()) {}

  void Run() {
    life_.Work([&] {
      os::AllocationRequest request;
      request.name = "objects in the aperture";
      request.bytes = Seen();
      request.system_only = true;
      process_ = vidmm_.CreateProcess("writer");
      allocation_ = vidmm_.CreateAllocation(request, process_);
      va_ = vidmm_.ReserveVa(*process_, Seen());
      copy_ = std::make_unique<DeviceCopy>(life_, Seen());
    });
    for (const Case& one : kCases) RunCase(one);
    life_.Work([&] {
      IoSpace();
      copy_->Release();
      vidmm_.FreeVa(*process_, va_);
      vidmm_.DestroyProcess(process_);
      vidmm_.DestroyAllocation(allocation_);
    });
  }

 private:
  os::Aperture::Owner Owner() const { return {os::DeviceOf(*allocation_), os::HandleOf(*allocation_), false}; }
  /// Number of bytes that the device sees. The ADL omits the first page of the object, and the
  /// aperture omits the first page of the ADL.
  uint64_t Seen() const { return (pages_ - 2) * kPage; }
  void Compare(const Case& one, const char* what, const Bytes& found, const Bytes& expected) {
    life_.Compare(std::string(one.name) + ": " + what, Difference(found, expected));
  }

  void Create(const Case& one) {
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
    create.hAdapter = one.attached ? table_.DeviceHandle : nullptr;
    create.Size = pages_ * kPage;
    create.Context = reinterpret_cast<ULONG_PTR>(&one);
    create.Type = one.type;
    create.CacheType = one.caching;
    if (one.type == DXGK_PHYSICAL_MEMORY_TYPE_SECTION) {
      create.Section.DesiredAccess = SECTION_MAP_READ | SECTION_MAP_WRITE;
      create.Section.PageProtection = PAGE_READWRITE;
      create.Section.AllocationAttributes = SEC_COMMIT;
    } else if (one.type == DXGK_PHYSICAL_MEMORY_TYPE_MDL) {
      create.Mdl.HighAddress.QuadPart = -1;
      create.Mdl.SkipBytes.QuadPart = static_cast<LONGLONG>(one.skip_bytes);
      create.Mdl.Flags = one.mdl_flags;
    } else {
      create.ContiguousMemory.HighestAcceptableAddress.QuadPart = -1;
    }
    Require(table_.DxgkCbCreatePhysicalMemoryObject(&create), "a memory object");
    object_ = create.hPhysicalMemoryObject;
    opened_ = create.hAdapterMemoryObject;
    life_.Compare(std::string(one.name) + ": handles",
                  object_ != nullptr && (opened_ != nullptr) == one.attached ? "" : "not those that must come back");
    if (one.attached) return;
    DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object_, table_.DeviceHandle, nullptr};
    Require(table_.DxgkCbOpenPhysicalMemoryObject(&open), "opening a memory object");
    opened_ = open.hAdapterMemoryObject;
  }

  /// Maps a CPU view that starts at byte kLead of the first page in the aperture, and returns its
  /// address.
  uint8_t* Map() {
    view_ = {};
    view_.hPhysicalMemoryObject = object_;
    view_.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
    view_.Offset = 2 * kPage + kLead;
    view_.Size = Seen() - kLead;
    Require(table_.DxgkCbMapPhysicalMemory(&view_), "a view of a memory object");
    return static_cast<uint8_t*>(view_.pMappedAddress) + view_.Offset;
  }

  Bytes Write(uint8_t* view, uint64_t seed) {
    Bytes bytes(Seen(), 0);
    FillPattern(bytes.data(), bytes.size(), seed);
    std::memset(bytes.data(), 0, kLead);
    std::memcpy(view, bytes.data() + kLead, bytes.size() - kLead);
    return bytes;
  }

  void RunCase(const Case& one) {
    const uint64_t seed = life_.options.seed ^ static_cast<uint64_t>(&one - kCases) << 8;
    uint8_t* view = nullptr;
    uint64_t range = 0;
    DXGK_ADL* adl = nullptr;
    life_.Work([&] {
      Create(one);
      view = Map();
      const Bytes first = Write(view, seed);
      DXGKARGCB_ALLOCATE_ADL allocate{};
      allocate.hAdapterMemoryObject = opened_;
      allocate.Offset = kPage;
      allocate.Size = (pages_ - 1) * kPage;
      allocate.Flags.RequireContiguous = one.require_contiguous;
      allocate.Flags.PreferContiguous = !one.require_contiguous;
      Require(table_.DxgkCbAllocateAdl(&allocate), "an ADL");
      adl = allocate.pAdl;
      life_.Compare(std::string(one.name) + ": ADL",
                    adl->PageCount == pages_ - 1 && (adl->Flags.Contiguous || !one.require_contiguous)
                        ? ""
                        : "not the pages, or not the form that was asked for");
      range = vidmm_.aperture().Reserve(pages_ - 2);
      vidmm_.aperture().Map(Owner(), range, pages_ - 2, *adl, 1);
      Compare(one, "bytes of the CPU", copy_->FromAperture(range, Seen()), first);

      // Store through the view while the device uses the memory. If the device does not snoop, it
      // cannot see a store that is still in a cached line.
      const Bytes second = Write(view, seed + 1);
      const bool hidden = one.caching == DXGK_MEMORY_CACHING_TYPE_CACHED &&
                          !life_.gpu().facts().aperture.cache_coherent;
      Compare(one, hidden ? "old bytes until the lines are written back" : "new bytes at once",
              copy_->FromAperture(range, Seen()), hidden ? first : second);
      KeInvalidateAllCaches();
      Compare(one, "bytes that were written back", copy_->FromAperture(range, Seen()), second);
      vidmm_.mappings().MapToAperture(*process_, va_, *allocation_, range, pages_ - 2);
    });
    ClientRun write = AllLines(process_, va_, Seen());
    write.write = true;
    write.pattern = seed;
    RunClients(vidmm_, {write}, std::string(one.name) + ": writes of a client", life_.result.checks);
    const Bytes written = PatternAt(va_, Seen(), seed);
    life_.Work([&] {
      Compare(one, "bytes of the client", Bytes(view, view + Seen() - kLead),
              Bytes(written.begin() + kLead, written.end()));
      vidmm_.Unmap(*process_, va_, pages_ - 2);
      vidmm_.aperture().Unmap(Owner(), range, pages_ - 2);
      vidmm_.aperture().Free(range);
      End(adl);
    });
  }

  /// Uses the GPU's registers as a memory object. Such an object allows only kernel views and is always contiguous.
  void IoSpace() {
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
    create.hAdapter = table_.DeviceHandle;
    create.Size = 2 * kPage;
    create.Type = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
    create.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(life_.gpu().facts().registers);
    Require(table_.DxgkCbCreatePhysicalMemoryObject(&create), "IO space as a memory object");
    object_ = create.hPhysicalMemoryObject;
    opened_ = create.hAdapterMemoryObject;
    view_ = {object_, DXGK_ACCESS_MODE_USER_MODE, 0, kPage, nullptr};
    life_.Compare("IO space: no user view", NT_SUCCESS(table_.DxgkCbMapPhysicalMemory(&view_)) ? "it was given" : "");
    view_ = {object_, DXGK_ACCESS_MODE_KERNEL_MODE, 0, kPage, nullptr};
    Require(table_.DxgkCbMapPhysicalMemory(&view_), "a view of IO space");
    auto* word = reinterpret_cast<volatile ULONG*>(static_cast<uint8_t*>(view_.pMappedAddress) + view_.Offset);
    const ULONG id = READ_REGISTER_ULONG(word);
    const uint64_t direct = life_.host.platform().MmioRead(life_.gpu().facts().registers, 4);
    life_.Compare("IO space: a register", id == direct ? "" : "another word than the register's");
    DXGKARGCB_ALLOCATE_ADL allocate{};
    allocate.hAdapterMemoryObject = opened_;
    allocate.Offset = kPage;
    allocate.Size = kPage;
    allocate.Flags.RequireContiguous = 1;
    Require(table_.DxgkCbAllocateAdl(&allocate), "an ADL of IO space");
    life_.Compare("IO space: a contiguous ADL", allocate.pAdl->Flags.Contiguous && allocate.pAdl->PageCount == 1
                                                    ? ""
                                                    : "not contiguous, or not one page");
    End(allocate.pAdl);
  }

  void End(DXGK_ADL* adl) {
    const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap{object_, view_.pMappedAddress, view_.Size};
    table_.DxgkCbUnmapPhysicalMemory(&unmap);
    const DXGKARGCB_FREE_ADL free{opened_, adl};
    table_.DxgkCbFreeAdl(&free);
    const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT destroy{object_, opened_};
    table_.DxgkCbDestroyPhysicalMemoryObject(&destroy);
  }

  Life& life_;
  os::VidMm& vidmm_;
  const uint64_t pages_;
  const DXGKRNL_INTERFACE table_;
  os::Allocation* allocation_ = nullptr;
  os::GpuProcess* process_ = nullptr;
  std::unique_ptr<DeviceCopy> copy_;
  uint64_t va_ = 0;
  HANDLE object_ = nullptr, opened_ = nullptr;
  DXGKARGCB_MAP_PHYSICAL_MEMORY view_{};
};

void RunMemoryServices(Life& life, const ParameterValues& values) {
  NeedVersion(life, DXGKDDI_INTERFACE_VERSION_WDDM2_9, "WDDM 2.9");
  NeedAperture(life);
  MemoryServices(life, 2 * values.at("pairs")).Run();
}

}  // namespace

Procedure MemoryServicesProcedure() {
  return {"memory_services",
          "Creates physical memory objects of every type and cache type through the driver's callbacks. The device "
          "reads and writes them through the aperture.",
          {{"pairs", 3, 2, 512, "Size of each object in pairs of pages."}},
          RunMemoryServices};
}

}  // namespace gmmu::workload
