// SPDX-License-Identifier: Apache-2.0
// PCI, the IOMMU's driver and memory objects on the twin's machine.
#include "os/kernel.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <string>
#include <vector>

#include "ddi/wdm.h"
#include "os/bug_check.h"
#include "os/memory_objects.h"
#include "platform/host_image.h"
#include "twin/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Parameters TestParameters() {
  Parameters parameters;
  parameters.seed = 5;
  parameters.page_table_bits = {9, 9, 9, 9};
  return parameters;
}

struct Machine {
  sim::twin::Machine platform{sim::twin::MachineParameters::From(sim::MachineConfig::Default())};
  Kernel kernel{platform, TestParameters()};
  sim::RamOfIommu memory{platform.ram()};

  sim::VtdResult Translate(uint64_t logical, bool write = false) {
    return platform.iommu()->Translate(memory, {0x100, logical, write});
  }
};

TEST(Pci, FindsTheGpuAndGivesItsBarsAddressesBelow4GiB) {
  Machine machine;
  const auto functions = machine.kernel.pci().Enumerate();
  ASSERT_THAT(functions, SizeIs(1));
  const PciFunction& gpu = functions.front();
  EXPECT_EQ(gpu.bdf.ToString(), "01:00.0");
  EXPECT_EQ(gpu.bars[0].size, 64u << 10);
  EXPECT_EQ(gpu.bars[2].size, 64u << 20);
  for (unsigned bar : {0u, 2u}) {
    EXPECT_EQ(gpu.bars[bar].address % gpu.bars[bar].size, 0u);
    EXPECT_LT(gpu.bars[bar].address + gpu.bars[bar].size, uint64_t{4} << 30);
  }
  EXPECT_EQ(machine.kernel.hal().Read(gpu.bars[0].address, 8) & 0xFFFFFFFF, 0x554D4D47u);
}

TEST(RegisterViews, AreReachableByTheRegisterRoutinesOnly) {
  Machine machine;
  const auto gpu = machine.kernel.pci().Enumerate().front();
  void* view = machine.kernel.mmio().Map(gpu.bars[0].address, 0x1000, "test", "test");
  EXPECT_EQ(READ_REGISTER_ULONG64(static_cast<volatile ULONG64*>(view)) & 0xFFFFFFFF, 0x554D4D47u);
  EXPECT_THROW(READ_REGISTER_ULONG64(static_cast<volatile ULONG64*>(view) + 0x200), BugCheck);
  EXPECT_DEATH(*static_cast<volatile ULONG64*>(view) = 0, "");
  machine.kernel.mmio().Unmap(view);
  EXPECT_THROW(machine.kernel.mmio().Unmap(view), BugCheck);
}

TEST(Iommu, TranslatesWhatWasMappedForAttachedDevicesOnly) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  std::vector<IommuFault> faults;
  iommu.Enable([&](const IommuFault& fault) { faults.push_back(fault); });
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 33, false, "test");
  const std::vector<uint64_t> pfns = {0x12345, 0x777, 0x54321};
  iommu.Map(*domain, 0x1FFFFD000, pfns, "test", "test");

  EXPECT_EQ(machine.Translate(0x1FFFFD000).reason, sim::VtdReason::kRootNotPresent);
  const hw::Bdf gpu{1, 0, 0};
  iommu.Attach(gpu, *domain);
  for (uint64_t i = 0; i < pfns.size(); ++i) {
    EXPECT_EQ(machine.Translate(0x1FFFFD000 + i * 4096 + 0x123).hpa, pfns[i] * 4096 + 0x123);
    EXPECT_EQ(machine.Translate(0x1FFFFD000 + i * 4096, true).hpa, pfns[i] * 4096);
  }
  EXPECT_FALSE(machine.Translate(0x1FFFFC000).ok());
  iommu.Unmap(*domain, 0x1FFFFD000, pfns.size());
  EXPECT_FALSE(machine.Translate(0x1FFFFD000).ok()) << "the IOTLB still knows the page";
  machine.kernel.scheduler().Seam();
  ASSERT_FALSE(faults.empty());
  EXPECT_EQ(faults.front().requester, 0x100);
  EXPECT_EQ(faults.front().ReasonName(), "root entry not present");

  iommu.Detach(gpu, *domain);
  EXPECT_EQ(machine.Translate(0x1000).reason, sim::VtdReason::kContextNotPresent);
  iommu.DestroyDomain(domain);
  iommu.Disable();
  EXPECT_THAT(machine.kernel.ledger().Leaks(), IsEmpty());
  EXPECT_EQ(machine.kernel.pages().allocated(), 0u);
}

TEST(Iommu, NeverGivesOutTheInterruptWindowOrPageZero) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  iommu.Enable([](const IommuFault&) {});
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 32, false, "test");
  EXPECT_FALSE(domain->logical().AllocateAt(0, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(0xFEE00000, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(0xFEEFF000, 0x1000, "test"));
  EXPECT_TRUE(domain->logical().AllocateAt(0xFEF00000, 0x1000, "test"));
  EXPECT_FALSE(domain->logical().AllocateAt(uint64_t{1} << 32, 0x1000, "test"));
}

TEST(Iommu, BugChecksOnASecondMappingOfAPageAndOnAnUnknownUnmap) {
  Machine machine;
  Iommu& iommu = *machine.kernel.iommu();
  iommu.Enable([](const IommuFault&) {});
  IommuDomain* domain = iommu.CreateDomain(uint64_t{1} << 33, false, "test");
  iommu.Map(*domain, 0x5000, {1}, "test", "test");
  EXPECT_THROW(iommu.Map(*domain, 0x5000, {2}, "test", "test"), BugCheck);
  EXPECT_THROW(iommu.Unmap(*domain, 0x6000, 1), BugCheck);
}

// ---- memory objects

struct Objects : Machine {
  Objects() {
    kernel.iommu()->Enable([](const IommuFault&) {});
    domain = kernel.iommu()->CreateDomain(uint64_t{1} << 33, false, "test");
    kernel.iommu()->Attach({1, 0, 0}, *domain);
    objects.AddAdapter(adapter, {domain, "test"});
  }
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT Create(
      uint64_t bytes, HANDLE on, DXGK_PHYSICAL_MEMORY_TYPE type = DXGK_PHYSICAL_MEMORY_TYPE_MDL) {
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT args{};
    args.hAdapter = on;
    args.Size = bytes;
    args.Type = type;
    args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    EXPECT_EQ(objects.Create(args, "test"), STATUS_SUCCESS);
    return args;
  }
  DXGKARGCB_ALLOCATE_ADL Adl(HANDLE object, uint64_t offset, uint64_t size, bool prefer = true) {
    DXGKARGCB_ALLOCATE_ADL args{};
    args.hAdapterMemoryObject = object;
    args.Offset = offset;
    args.Size = size;
    args.Flags.PreferContiguous = prefer;
    return args;
  }
  int token = 0;
  HANDLE adapter = &token;
  IommuDomain* domain = nullptr;
  MemoryObjects objects{kernel};
};

TEST(MemoryObjects, CpuAndDeviceSeeTheSameBytesInTheSameOrder) {
  Objects test;
  const auto object = test.Create(5 * 4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 5 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_EQ(adl.pAdl->PageCount, 5u);
  ASSERT_TRUE(adl.pAdl->Flags.Contiguous);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096 + 100;
  map.Size = 8192;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);
  EXPECT_EQ(map.Offset, 100u);
  EXPECT_EQ(map.Size, 3 * 4096u);
  std::memcpy(static_cast<char*>(map.pMappedAddress) + map.Offset + 4090, "across", 6);
  char text[7] = {};
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t logical = (adl.pAdl->BasePageNumber + 1) * 4096 + 100 + 4090 + i;
    const auto result = test.Translate(logical);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(test.platform.ram().Read(result.hpa, &text[i], 1));
  }
  EXPECT_STREQ(text, "across");

  test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, map.Size});
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  EXPECT_EQ(test.domain->tables().leaves(0), 0u);
}

TEST(MemoryObjects, GiveBothFormsOfAnAdlToWhoAsksForNone) {
  Objects test;
  const auto object = test.Create(3 * 4096, test.adapter);
  bool base = false, list = false;
  for (int i = 0; i < 32; ++i) {
    auto adl = test.Adl(object.hAdapterMemoryObject, 4096, 2 * 4096, false);
    ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
    (adl.pAdl->Flags.Contiguous ? base : list) = true;
    test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  }
  EXPECT_TRUE(base);
  EXPECT_TRUE(list);
}

/// Takes the logical space (8 GiB) but for `left` single pages with a page between them.
std::vector<uint64_t> FragmentLogicalSpace(IommuDomain& domain, unsigned left) {
  constexpr uint64_t kFirst = 0x100000;
  std::vector<uint64_t> taken;
  const auto take = [&](uint64_t start, uint64_t end) {
    EXPECT_TRUE(domain.logical().AllocateAt(start, end - start, "filler"));
    taken.push_back(start);
  };
  take(0x1000, kFirst);
  for (unsigned i = 0; i < left; ++i) take(kFirst + 0x2000 * i + 0x1000, kFirst + 0x2000 * (i + 1));
  take(kFirst + 0x2000 * left, 0xFEE00000);
  take(0xFEF00000, uint64_t{1} << 33);
  EXPECT_EQ(domain.logical().free_bytes(), left * 0x1000u);
  return taken;
}

TEST(MemoryObjects, AFragmentedLogicalSpaceMakesPageArrays) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter);
  const auto taken = FragmentLogicalSpace(*test.domain, 8);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 6 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_FALSE(adl.pAdl->Flags.Contiguous) << "preferred, but there is no room for it";
  const auto& pfns = test.objects.PagesOf(object.hPhysicalMemoryObject);
  std::set<uint64_t> logical;
  for (unsigned i = 0; i < 6; ++i) {
    logical.insert(adl.pAdl->Pages[i]);
    EXPECT_EQ(test.Translate(adl.pAdl->Pages[i] * 4096).hpa, pfns[i] * 4096);
  }
  EXPECT_EQ(logical.size(), 6u);
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  for (uint64_t page : logical) EXPECT_FALSE(test.Translate(page * 4096).ok());
  test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  for (uint64_t start : taken) test.domain->logical().Free(start);
}

TEST(MemoryObjects, AnExhaustedLogicalSpaceRefusesAndTakesNothing) {
  Objects test;
  const auto object = test.Create(6 * 4096, test.adapter);
  const auto contiguous = test.Create(6 * 4096, test.adapter, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY);
  FragmentLogicalSpace(*test.domain, 4);
  const uint64_t free_bytes = test.domain->logical().free_bytes();
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 6 * 4096);
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INSUFFICIENT_RESOURCES);
  EXPECT_EQ(adl.pAdl, nullptr);
  EXPECT_EQ(test.domain->logical().free_bytes(), free_bytes);
  EXPECT_EQ(test.domain->tables().leaves(0), 0u);
  auto required = test.Adl(contiguous.hAdapterMemoryObject, 0, 2 * 4096);
  required.Flags.RequireContiguous = 1;
  EXPECT_EQ(test.objects.AllocateAdl(required, "test"), STATUS_INSUFFICIENT_RESOURCES)
      << "two pages are free, but not beside each other";
  EXPECT_EQ(test.domain->logical().free_bytes(), free_bytes);
}

TEST(MemoryObjects, InA1To1DomainTheGpuReachesWhatItHasAndNothingElse) {
  Machine machine;
  Kernel& kernel = machine.kernel;
  kernel.iommu()->Enable([](const IommuFault&) {});
  IommuDomain* domain = kernel.iommu()->CreateDomain(uint64_t{1} << 40, true, "test");
  kernel.iommu()->Attach({1, 0, 0}, *domain);
  int token = 0;
  MemoryObjects objects(kernel);
  objects.AddAdapter(&token, {domain, "test"});
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  create.hAdapter = &token;
  create.Size = 3 * 4096;
  create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  ASSERT_EQ(objects.Create(create, "test"), STATUS_SUCCESS);
  const std::vector<uint64_t> pfns = objects.PagesOf(create.hPhysicalMemoryObject);
  EXPECT_FALSE(machine.Translate(pfns[0] * 4096).ok()) << "an object without an ADL is nobody's";
  DXGKARGCB_ALLOCATE_ADL whole{}, part{};
  whole.hAdapterMemoryObject = part.hAdapterMemoryObject = create.hAdapterMemoryObject;
  whole.Size = 3 * 4096;
  part.Offset = 4096, part.Size = 4096;
  ASSERT_EQ(objects.AllocateAdl(whole, "test"), STATUS_SUCCESS);
  ASSERT_EQ(objects.AllocateAdl(part, "test"), STATUS_SUCCESS);
  for (unsigned i = 0; i < 3; ++i) {
    EXPECT_EQ(whole.pAdl->Pages[i], pfns[i]);
    EXPECT_EQ(machine.Translate(pfns[i] * 4096 + 8, true).hpa, pfns[i] * 4096 + 8);
  }
  objects.FreeAdl({create.hAdapterMemoryObject, whole.pAdl});
  EXPECT_FALSE(machine.Translate(pfns[0] * 4096).ok());
  EXPECT_TRUE(machine.Translate(pfns[1] * 4096).ok()) << "the other ADL has it still";
  objects.FreeAdl({create.hAdapterMemoryObject, part.pAdl});
  EXPECT_FALSE(machine.Translate(pfns[1] * 4096).ok());
  objects.Destroy({create.hPhysicalMemoryObject, create.hAdapterMemoryObject});
}

TEST(MemoryObjects, RefuseBadArgumentsAndChangeNothing) {
  Objects test;
  const auto object = test.Create(2 * 4096, test.adapter);
  const size_t open = test.kernel.ledger().open();
  for (const auto& [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {1, 4096}, {0, 4095}, {0, 0}, {4096, 8192}, {8192, 4096}, {0, 3 * 4096}}) {
    auto adl = test.Adl(object.hAdapterMemoryObject, offset, size);
    EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER)
        << offset << " " << size;
    EXPECT_EQ(adl.pAdl, nullptr);
  }
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  adl.Flags.RequireContiguous = 1;  // legal for contiguous memory and I/O space only
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER);

  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "no size";
  create.Size = 4096;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an uncached section";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
  create.IOSpace.BaseAddress.QuadPart = 0x100000;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "RAM as I/O space";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
  create.hAdapter = &create;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an unknown adapter";
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT again{object.hPhysicalMemoryObject, test.adapter, nullptr};
  EXPECT_EQ(test.objects.Open(again, "test"), STATUS_INVALID_PARAMETER) << "opened already";
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096;
  map.Size = 8192;
  EXPECT_EQ(test.objects.Map(map, "test"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(test.kernel.ledger().open(), open);
}

TEST(MemoryObjects, BugCheckOnMisuse) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  const auto other = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Size = 4096;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);

  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, nullptr}), BugCheck)
      << "open on an adapter";
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck) << "an ADL exists";
  EXPECT_THROW(test.objects.FreeAdl({other.hAdapterMemoryObject, adl.pAdl}), BugCheck)
      << "another object's handle";
  EXPECT_THROW(test.objects.Unmap({other.hPhysicalMemoryObject, map.pMappedAddress, 4096}),
               BugCheck);
  EXPECT_THROW(test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, 8192}),
               BugCheck)
      << "wrong size";
  EXPECT_THROW(test.objects.Destroy({&test, nullptr}), BugCheck) << "unknown handle";
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  EXPECT_THROW(test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}), BugCheck)
      << "freed twice";
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}),
               BugCheck)
      << "a view";

  test.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(test.Create(4096, test.adapter), BugCheck) << "above APC level";
}

TEST(MemoryObjects, StayUnattachedUntilOpened) {
  Objects test;
  const auto object = test.Create(4096, nullptr);
  EXPECT_EQ(object.hAdapterMemoryObject, nullptr);
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  ASSERT_EQ(test.objects.Open(open, "test"), STATUS_SUCCESS);
  test.objects.Close({open.hAdapterMemoryObject});
  test.objects.Destroy({object.hPhysicalMemoryObject, nullptr});
}

TEST(MemoryObjects, NameWhatIsLeft) {
  Objects test;
  const size_t before = test.kernel.ledger().Leaks().size();
  const auto object = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "somebody"), STATUS_SUCCESS);
  const auto leaks = test.kernel.ledger().Leaks();
  std::string kinds;
  for (size_t i = before; i < leaks.size(); ++i)
    kinds += leaks[i].kind + "/" + leaks[i].owner + "/" + leaks[i].created_by + " ";
  EXPECT_THAT(kinds, HasSubstr("memory_object/test/DxgkCbCreatePhysicalMemoryObject"));
  EXPECT_THAT(kinds, HasSubstr("adl/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("domain_mapping/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("pinned_page/somebody/DxgkCbAllocateAdl"));
}

}  // namespace
}  // namespace gmmu::os
