// SPDX-License-Identifier: Apache-2.0
// Tests which status the memory callbacks return for each failure, with one case per row of the
// table in docs/ddi/statuses.md. The documentation names only STATUS_INVALID_PARAMETER. The status
// for a failing allocation of contiguous memory was observed on Windows build 26100.
#include <gtest/gtest.h>

#include <functional>

#include "tb/sw/os/driver_front.h"
#include "tb/sw/os/machine.h"
#include "os/memory/isolation_memory.h"

namespace gmmu::os {
namespace {

struct Bench : Objects {
  Bench() { isolation.AddAdapter(adapter, {domain, "test"}); }
  static DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT Wanted(DXGK_PHYSICAL_MEMORY_TYPE type) {
    return os::Wanted(type, 8192);
  }
  NTSTATUS AllocateAdl(uint64_t offset, uint64_t size, bool require_contiguous = false) {
    const auto object = Create(8192, adapter);
    auto args = Adl(object.hAdapterMemoryObject, offset, size);
    args.Flags.RequireContiguous = require_contiguous;
    const NTSTATUS status = objects.AllocateAdl(args, "test");
    EXPECT_EQ(args.pAdl, nullptr);
    return status;
  }
  NTSTATUS Map(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& made, uint64_t offset, uint64_t size, int mode = 0) {
    auto object = made;
    EXPECT_EQ(objects.Create(object, "test"), STATUS_SUCCESS);
    DXGKARGCB_MAP_PHYSICAL_MEMORY args{object.hPhysicalMemoryObject, static_cast<DXGK_ACCESS_MODE>(mode), offset, size,
                                       nullptr};
    const NTSTATUS status = objects.Map(args, "test");
    EXPECT_EQ(args.pMappedAddress, nullptr);
    return status;
  }
  IsolationMemory isolation{kernel};
};

constexpr auto kMdl = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
constexpr auto kContiguous = DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY;
constexpr auto kSection = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
constexpr auto kIoSpace = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
using Create = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

struct Case {
  const char* name;
  NTSTATUS status;
  std::function<NTSTATUS(Bench&)> call;
};

/// Returns a function that makes a create call in which `spoil` has invalidated one argument.
std::function<NTSTATUS(Bench&)> Creating(DXGK_PHYSICAL_MEMORY_TYPE type, void (*spoil)(Create&)) {
  return [type, spoil](Bench& bench) {
    Create args = Bench::Wanted(type);
    spoil(args);
    return bench.TryCreate(args);
  };
}

DXGKARGCB_ALLOCATECONTIGUOUSMEMORY Contiguous(uint64_t bytes) {
  DXGKARGCB_ALLOCATECONTIGUOUSMEMORY args{};
  args.NumberOfBytes = bytes;
  args.HighestAcceptableAddress.QuadPart = -1;
  return args;
}

const Case kCases[] = {
    {"CreateOfNoBytes", STATUS_INVALID_PARAMETER, Creating(kMdl, [](Create& a) { a.Size = 0; })},
    {"CreateOfMoreThanMemory", STATUS_INVALID_PARAMETER,
     Creating(kContiguous, [](Create& a) { a.Size = uint64_t{1} << 60; })},
    {"CreateOnAnUnknownAdapter", STATUS_INVALID_PARAMETER, Creating(kMdl, [](Create& a) { a.hAdapter = &a; })},
    {"CreateOfAnUnknownType", STATUS_INVALID_PARAMETER,
     Creating(kMdl, [](Create& a) { a.Type = static_cast<DXGK_PHYSICAL_MEMORY_TYPE>(4); })},
    {"CreateOfAnUnknownCacheType", STATUS_INVALID_PARAMETER,
     Creating(kMdl, [](Create& a) { a.CacheType = static_cast<DXGK_MEMORY_CACHING_TYPE>(3); })},
    {"MdlWithUnknownFlags", STATUS_INVALID_PARAMETER, Creating(kMdl, [](Create& a) { a.Mdl.Flags = 1u << 31; })},
    {"MdlWithSkipBytesOfNoPages", STATUS_INVALID_PARAMETER,
     Creating(kMdl, [](Create& a) { a.Mdl.SkipBytes.QuadPart = 100; })},
    {"MdlWithCrossedBounds", STATUS_INVALID_PARAMETER,
     Creating(kMdl,
              [](Create& a) {
                a.Mdl.LowAddress.QuadPart = 0x200000;
                a.Mdl.HighAddress.QuadPart = 0x100000;
              })},
    {"MdlWithoutMemory", STATUS_NO_MEMORY, Creating(kMdl, [](Create& a) { a.Mdl.HighAddress.QuadPart = 0xFFF; })},
    {"ContiguousAtAnOddBoundary", STATUS_INVALID_PARAMETER,
     Creating(kContiguous, [](Create& a) { a.ContiguousMemory.BoundaryAddressMultiple.QuadPart = 0x3000; })},
    {"ContiguousWithoutMemory", STATUS_INSUFFICIENT_RESOURCES,
     Creating(kContiguous, [](Create& a) { a.ContiguousMemory.HighestAcceptableAddress.QuadPart = 0xFFF; })},
    {"SectionThatIsNotCached", STATUS_INVALID_PARAMETER,
     Creating(kSection, [](Create& a) { a.CacheType = DXGK_MEMORY_CACHING_TYPE_NON_CACHED; })},
    {"SectionWithOtherAttributes", STATUS_INVALID_PARAMETER,
     Creating(kSection, [](Create& a) { a.Section.AllocationAttributes = SEC_COMMIT | 0x400000; })},
    {"SectionWithAnotherProtection", STATUS_INVALID_PARAMETER,
     Creating(kSection, [](Create& a) { a.Section.PageProtection = 0x100; })},
    {"SectionBeyondTheCommitLimit", STATUS_COMMITMENT_LIMIT,
     [](Bench& bench) {
       PageAllocator& pages = bench.kernel.pages();
       pages.set_page_file(0);
       EXPECT_TRUE(pages.Charge(pages.installed_pages() - pages.allocated() - 1));
       return bench.TryCreate(Bench::Wanted(kSection));
     }},
    {"SectionWithAttributesOfAnotherLength", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       OBJECT_ATTRIBUTES attributes{};
       Create args = Bench::Wanted(kSection);
       args.Section.ObjectAttributes = &attributes;
       return bench.TryCreate(args);
     }},
    {"IoSpaceThatBeginsInsideAPage", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       Create args = Bench::Wanted(kIoSpace);
       args.Size = 4096;  // still inside the device's registers
       const uint64_t registers = bench.kernel.pci().Enumerate().front().bars[0].address;
       args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(registers + 0x10);
       return bench.TryCreate(args);
     }},
    {"IoSpaceThatNoDeviceDecodes", STATUS_INVALID_PARAMETER,
     Creating(kIoSpace, [](Create& a) { a.IOSpace.BaseAddress.QuadPart = 0x100000; })},
    {"OpenOnAnUnknownAdapter", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{bench.Create(4096, nullptr).hPhysicalMemoryObject, &bench, nullptr};
       return bench.objects.Open(open, "test");
     }},
    {"OpenAgain", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{bench.Create(4096, bench.adapter).hPhysicalMemoryObject,
                                                  bench.adapter, nullptr};
       return bench.objects.Open(open, "test");
     }},
    {"AdlOffsetInsideAPage", STATUS_INVALID_PARAMETER, [](Bench& bench) { return bench.AllocateAdl(1, 4096); }},
    {"AdlSizeOfNoPages", STATUS_INVALID_PARAMETER, [](Bench& bench) { return bench.AllocateAdl(0, 4095); }},
    {"AdlOfNothing", STATUS_INVALID_PARAMETER, [](Bench& bench) { return bench.AllocateAdl(0, 0); }},
    {"AdlBehindTheEnd", STATUS_INVALID_PARAMETER, [](Bench& bench) { return bench.AllocateAdl(4096, 8192); }},
    {"AdlThatRequiresContiguousPagesOfAnMdl", STATUS_INVALID_PARAMETER,
     [](Bench& bench) { return bench.AllocateAdl(0, 4096, true); }},
    {"AdlWithoutLogicalAddresses", STATUS_INSUFFICIENT_RESOURCES,
     [](Bench& bench) {
       bench.domain->logical().Exclude(hw::kPageSize, 0xFEE00000);
       bench.domain->logical().Exclude(0xFEF00000, uint64_t{1} << 33);
       return bench.AllocateAdl(0, 4096);
     }},
    {"ViewOfNothing", STATUS_INVALID_PARAMETER, [](Bench& bench) { return bench.Map(Bench::Wanted(kMdl), 0, 0); }},
    {"ViewBehindTheEnd", STATUS_INVALID_PARAMETER,
     [](Bench& bench) { return bench.Map(Bench::Wanted(kMdl), 4096, 8192); }},
    {"ViewInAnUnknownMode", STATUS_INVALID_PARAMETER,
     [](Bench& bench) { return bench.Map(Bench::Wanted(kMdl), 0, 4096, 2); }},
    {"UserViewOfIoSpace", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       Create args = Bench::Wanted(kIoSpace);
       args.Size = 4096;
       for (const PciFunction& function : bench.kernel.pci().Enumerate()) {
         for (const Bar& bar : function.bars)
           if (bar.size >= 4096) args.IOSpace.BaseAddress.QuadPart = static_cast<LONGLONG>(bar.address);
       }
       return bench.Map(args, 0, 4096, DXGK_ACCESS_MODE_USER_MODE);
     }},
    {"ViewOfASectionWithoutAccess", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       Create args = Bench::Wanted(kSection);
       args.Section.DesiredAccess = 0x0001;
       return bench.Map(args, 0, 4096);
     }},
    {"IsolationMemoryBehindARemappedDomain", STATUS_NOT_SUPPORTED,
     [](Bench& bench) {
       auto args = Contiguous(4096);
       return bench.isolation.AllocateContiguous(bench.adapter, args);
     }},
    {"IsolationMemoryOfNoBytes", STATUS_INVALID_PARAMETER,
     [](Bench& bench) {
       bench.isolation.DropDomain(bench.adapter);
       auto args = Contiguous(0);
       return bench.isolation.AllocateContiguous(bench.adapter, args);
     }},
    {"IsolationMemoryWithoutMemory", STATUS_NO_MEMORY,
     [](Bench& bench) {
       bench.isolation.DropDomain(bench.adapter);
       auto args = Contiguous(4096);
       args.HighestAcceptableAddress.QuadPart = 0xFFF;
       return bench.isolation.AllocateContiguous(bench.adapter, args);
     }},
};

class MemoryStatus : public ::testing::TestWithParam<Case> {};

TEST_P(MemoryStatus, IsThatOfTheTable) {
  Bench bench;
  EXPECT_EQ(static_cast<uint32_t>(GetParam().call(bench)), static_cast<uint32_t>(GetParam().status));
}

INSTANTIATE_TEST_SUITE_P(All, MemoryStatus, ::testing::ValuesIn(kCases),
                         [](const auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace gmmu::os
