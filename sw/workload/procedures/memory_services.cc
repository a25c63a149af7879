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
  ULONG protection = PAGE_READWRITE;  // of a section
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

Case SectionOf(const char* name, ULONG protection) {
  return {name, DXGK_PHYSICAL_MEMORY_TYPE_SECTION, DXGK_MEMORY_CACHING_TYPE_CACHED, true, false, 0, 0, protection};
}
// Sections that two processes map. The name states the access that the first process has.
const Case kShared[] = {
    SectionOf("section, read-only, two processes", PAGE_READONLY),
    SectionOf("section, executable, two processes", PAGE_EXECUTE),
    SectionOf("section, writable, two processes", PAGE_READWRITE),
    SectionOf("section, copied on writes, two processes", PAGE_WRITECOPY),
};
constexpr uint64_t kProcesses[] = {0x7A, 0x7B};  // process numbers that no other thread attaches to

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
    for (const Case& one : kShared) RunShared(one);
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
  /// Number of bytes that the device can access. The ADL omits the first page of the object, and
  /// the aperture omits the first page of the ADL.
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
      create.Section.PageProtection = one.protection;
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

  /// Maps a CPU view of the bytes that the device can access, without the first `lead` bytes.
  DXGKARGCB_MAP_PHYSICAL_MEMORY Map(DXGK_ACCESS_MODE mode, uint64_t lead) {
    DXGKARGCB_MAP_PHYSICAL_MEMORY view{object_, mode, 2 * kPage + lead, Seen() - lead, nullptr};
    Require(table_.DxgkCbMapPhysicalMemory(&view), "a view of a memory object");
    return view;
  }
  static uint8_t* BytesOf(const DXGKARGCB_MAP_PHYSICAL_MEMORY& view) {
    return static_cast<uint8_t*>(view.pMappedAddress) + view.Offset;
  }

  DXGK_ADL* Allocate(const Case& one) {
    DXGKARGCB_ALLOCATE_ADL allocate{};
    allocate.hAdapterMemoryObject = opened_;
    allocate.Offset = kPage;
    allocate.Size = (pages_ - 1) * kPage;
    allocate.Flags.RequireContiguous = one.require_contiguous;
    allocate.Flags.PreferContiguous = !one.require_contiguous;
    Require(table_.DxgkCbAllocateAdl(&allocate), "an ADL");
    life_.Compare(std::string(one.name) + ": ADL",
                  allocate.pAdl->PageCount == pages_ - 1 && (allocate.pAdl->Flags.Contiguous || !one.require_contiguous)
                      ? ""
                      : "not the pages, or not the form that was asked for");
    return allocate.pAdl;
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
      view_ = Map(DXGK_ACCESS_MODE_KERNEL_MODE, kLead);
      view = BytesOf(view_);
      const Bytes first = Write(view, seed);
      adl = Allocate(one);
      range = vidmm_.aperture().Reserve(pages_ - 2);
      vidmm_.aperture().Map(Owner(), range, pages_ - 2, *adl, 1);
      Compare(one, "bytes of the CPU", copy_->FromAperture(range, Seen()), first);

      // Store through the view while the device uses the memory. If the device does not snoop, it
      // cannot see the stored bytes until the cache lines are written back.
      const Bytes second = Write(view, seed + 1);
      const bool hidden = one.caching == DXGK_MEMORY_CACHING_TYPE_CACHED &&
                          !life_.gpu().facts().aperture.cache_coherent;
      Compare(one, hidden ? "old bytes until the lines are written back" : "new bytes at once",
              copy_->FromAperture(range, Seen()), hidden ? first : second);
      KeInvalidateAllCaches();
      Compare(one, "bytes that were written back", copy_->FromAperture(range, Seen()), second);
      vidmm_.mappings().MapToAperture(*process_, va_, *allocation_, range, pages_ - 2);
    });
    const Bytes written = WriteByClient(one, seed);
    life_.Work([&] {
      Compare(one, "bytes of the client", Bytes(view, view + Seen() - kLead),
              Bytes(written.begin() + kLead, written.end()));
      vidmm_.Unmap(*process_, va_, pages_ - 2);
      vidmm_.aperture().Unmap(Owner(), range, pages_ - 2);
      vidmm_.aperture().Free(range);
      End(adl);
    });
  }

  Bytes WriteByClient(const Case& one, uint64_t seed) {
    ClientRun write = AllLines(process_, va_, Seen());
    write.write = true;
    write.pattern = seed;
    RunClients(vidmm_, {write}, std::string(one.name) + ": writes of a client", life_.result.checks);
    return PatternAt(va_, Seen(), seed);
  }

  /// Two processes have user views of the same section, which the device writes. Then the first
  /// process also writes it, if the section's protection permits that.
  void RunShared(const Case& one) {
    const uint64_t seed = life_.options.seed ^ static_cast<uint64_t>(&one - kShared + 0x40) << 8;
    uint64_t range = 0;
    DXGK_ADL* adl = nullptr;
    life_.Work([&] {
      Create(one);
      adl = Allocate(one);
      range = vidmm_.aperture().Reserve(pages_ - 2);
      vidmm_.aperture().Map(Owner(), range, pages_ - 2, *adl, 1);
      vidmm_.mappings().MapToAperture(*process_, va_, *allocation_, range, pages_ - 2);
    });
    const Bytes written = WriteByClient(one, seed);
    life_.Work([&] {
      std::vector<DXGKARGCB_MAP_PHYSICAL_MEMORY> views;
      const auto compare = [&](size_t process, const char* what, const Bytes& expected) {
        life_.host.AttachProcess(kProcesses[process]);
        const uint8_t* bytes = BytesOf(views[process]);
        Compare(one, what, Bytes(bytes, bytes + Seen()), expected);
      };
      for (size_t process = 0; process < 2; ++process) {
        life_.host.AttachProcess(kProcesses[process]);
        views.push_back(Map(DXGK_ACCESS_MODE_USER_MODE, 0));
        compare(process, process == 0 ? "bytes of the client in one process" : "bytes of the client in the other",
                written);
      }
      const bool copies = one.protection == PAGE_WRITECOPY;
      if (copies || one.protection == PAGE_READWRITE) {
        Bytes own(Seen());
        FillPattern(own.data(), own.size(), seed + 1);
        life_.host.AttachProcess(kProcesses[0]);
        std::memcpy(BytesOf(views[0]), own.data(), own.size());
        compare(0, "bytes of the process in its own view", own);
        compare(1, copies ? "the other process keeps the client's bytes" : "bytes of the process in the other",
                copies ? written : own);
        KeInvalidateAllCaches();
        Compare(one, copies ? "the device keeps the client's bytes" : "bytes of the process in the device",
                copy_->FromAperture(range, Seen()), copies ? written : own);
      }
      for (size_t process = 0; process < 2; ++process) {
        life_.host.AttachProcess(kProcesses[process]);
        if (process == 0) Unmap(views[process]);
        else view_ = views[process];
      }
      vidmm_.Unmap(*process_, va_, pages_ - 2);
      vidmm_.aperture().Unmap(Owner(), range, pages_ - 2);
      vidmm_.aperture().Free(range);
      End(adl);
      life_.host.AttachProcess(0);
    });
  }

  /// Accesses the GPU's registers as a memory object, which allows only kernel views and is always
  /// contiguous, and then through a user view that DxgkCbMapMemory creates.
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
    PHYSICAL_ADDRESS start{};
    start.QuadPart = create.IOSpace.BaseAddress.QuadPart;
    PVOID registers = nullptr;
    life_.host.AttachProcess(kProcesses[0]);
    Require(table_.DxgkCbMapMemory(table_.DeviceHandle, start, kPage, FALSE, TRUE, MmNonCached, &registers),
            "a user view of the registers");
    const ULONG seen = READ_REGISTER_ULONG(static_cast<volatile ULONG*>(registers));
    life_.Compare("registers in a user view", seen == direct ? "" : "another word than the register's");
    table_.DxgkCbUnmapMemory(table_.DeviceHandle, registers);
    life_.host.AttachProcess(0);
  }

  void Unmap(const DXGKARGCB_MAP_PHYSICAL_MEMORY& view) {
    const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap{object_, view.pMappedAddress, view.Size};
    table_.DxgkCbUnmapPhysicalMemory(&unmap);
  }

  /// Unmaps `view_`, frees the ADL and destroys the object.
  void End(DXGK_ADL* adl) {
    Unmap(view_);
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
          "reads and writes them through the aperture. Two processes share sections of every protection.",
          {{"pairs", 3, 2, 512, "Size of each object in pairs of pages."}},
          RunMemoryServices};
}

}  // namespace gmmu::workload
