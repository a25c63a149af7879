// SPDX-License-Identifier: Apache-2.0
// Tests GPU isolation on a running machine. The expected behaviour follows Microsoft's
// documentation; no open-source driver is known to use GPU isolation.

#include "tb/sw/os/dxgkrnl/isolation_bench.h"

namespace gmmu::os::isolation_test {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

TEST_F(Isolation, StaysOnOverARestartOfTheAdapter) {
  const auto result = Run([](workload::Life& life) {
    SecureVm(life);
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    between.attached = false;
    life.restart(RemapPolicy::kNever);
    life.Compare("attached at the start", between.attached ? "" : "later");
    life.Compare("on again", life.adapter.mode() == DmaMode::kIdentity ? "" : NameOf(life.adapter.mode()));
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(Isolation, ASecureVmFailsToStartWhenTheDriverLacksSupport) {
  options.os.driver["Isolation"] = 0;
  const auto result = Run(SecureVm);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("IoMmuSecureModeSupported is 0"));
}

/// With the secure VM key off, a secure VM starts even if the driver does not support isolation. If
/// IOMMUFlags force isolation on, the secure VM still requires the driver's support.
TEST_F(Isolation, WithTheKeyOffASecureVmStartsUnlessIsolationIsOn) {
  options.os.driver["Isolation"] = 0;
  options.os.secure_vm_key = false;
  for (const RemapPolicy remap : {RemapPolicy::kNever, RemapPolicy::kWhenPossible}) {
    options.os.iommu = remap;
    const auto result = Run(SecureVm);
    EXPECT_TRUE(result.Passed()) << Texts(result);
  }
  options.os.iommu = RemapPolicy::kNever;
  options.os.iommu_flags = 0xF;  // kBypassDriverCap and the three enable bits
  const auto result = Run(SecureVm);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("IoMmuSecureModeSupported is 0"));
}

TEST_F(Isolation, AFailureIsIgnoredOnTheForcedPathOnlyWhereItIsAllowed) {
  config.iommu.present = false;
  options.os.iommu_flags = IommuFlags::kEnabled | IommuFlags::kEnableMappings | IommuFlags::kEnableAttach;
  auto result = Run([](workload::Life&) {});
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("GPU isolation needs an IOMMU"));

  options.os.iommu_flags |= IommuFlags::kAllowFailure;
  result = Run([](workload::Life& life) {
    life.Compare("noted", life.adapter.isolation().ignored_failure().empty() ? "no failure is noted" : "");
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  result = Run(SecureVm);  // kAllowFailure does not apply to the start of a secure VM
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("GPU isolation needs an IOMMU"));
}

TEST_F(Isolation, DomainAndMappingsWithoutAttachLeaveTheGpuAsItIs) {
  for (const uint32_t flags : {0x1u, 0x3u}) {
    options.os.iommu_flags = flags;
    const auto result = Run([](workload::Life& life) {
      life.Compare("off", life.adapter.isolation().active() ? "on" : "");
      life.Compare("a domain", life.adapter.domain() != nullptr ? "" : "none");
      workload::MainJob(life).Run();
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
  }
}

/// These flags create a domain but do not attach the GPU to it. A logical adapter has only one
/// domain, so a switch of the DMA mode attaches the GPU to this one.
TEST_F(Isolation, AWaitingDomainIsEnteredByASwitchOfTheMode) {
  for (const uint32_t flags : {0x1u, 0x3u}) {
    options.os.iommu_flags = flags;
    const auto result = Run([](workload::Life& life) {
      const RemappingDomain* waiting = life.adapter.domain();
      SwitchDma(life.adapter, DmaMode::kIdentity);
      life.Compare("the domain", life.adapter.domain() == waiting ? "" : "another one");
      workload::MainJob(life).Run();
      SwitchDma(life.adapter, DmaMode::kPhysical);
      life.Compare("no domain", life.adapter.domain() == nullptr ? "" : "there is one");
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
  }
}

/// With bit 0x8, the enable bits apply even if the driver lacks the capability; without it, they
/// are ignored for such a driver.
TEST_F(Isolation, BypassDriverCapIsolatesADriverWithoutTheCapability) {
  options.os.driver["Isolation"] = 0;
  for (const uint32_t flags : {0xFu, 0x1Fu}) {
    options.os.iommu_flags = flags;
    const auto result = Run([](workload::Life& life) {
      life.Compare("on", life.adapter.isolation().active() ? "" : "off");
      workload::MainJob(life).Run();
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
    EXPECT_THAT(between.calls, Contains("BeginExclusiveAccess"));
  }
}

TEST_F(Isolation, WithoutTheCapabilityTheEnableBitsAreIgnored) {
  options.os.driver["Isolation"] = 0;
  for (const uint32_t flags : {0x7u, 0x17u}) {
    options.os.iommu_flags = flags;
    const auto result = Run([](workload::Life& life) {
      life.Compare("off", life.adapter.isolation().active() ? "on" : "");
      life.Compare("no domain", life.adapter.domain() == nullptr ? "" : "there is one");
      life.Compare("the IOMMU is off", life.kernel.iommu()->enabled() ? "it is on" : "");
      workload::MainJob(life).Run();
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
    EXPECT_THAT(between.calls, Not(Contains("BeginExclusiveAccess")));
  }
}

TEST_F(Isolation, ADriverThatNeedsItIsIsolatedFromTheStartOrNotStarted) {
  options.os.driver["IsolationRequired"] = 1;
  auto result = Run([](workload::Life& life) {
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    const uint64_t other = life.host.TakePages(1, "application", "a page that the GPU was not given")[0];
    life.Compare("other memory", life.graphics.At(other) == other ? "mapped" : "");
    life.host.FreePages({other});
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  EXPECT_TRUE(between.attached) << "when DxgkDdiStartDevice is called";
  EXPECT_THAT(between.calls, Not(Contains("BeginExclusiveAccess"))) << "there is nothing to switch";
  EXPECT_GT(Counter(result, "requests"), 500u);
  EXPECT_EQ(Counter(result, "passed"), 0u) << "requests of the device that no domain translated";
  config.iommu.present = false;
  result = Run([](workload::Life&) {});
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DXGK_IOMMU_CAPS.IommuIsolationRequired is 1"));
}

/// Before WDDM 2.9, the system does not query isolation before the start. The driver reports that
/// it needs isolation later, in DXGK_VIDMMCAPS.
TEST_F(Isolation, ADriverBeforeWddm29ThatNeedsItIsIsolatedOnceItHasStarted) {
  options.os.driver["IsolationRequired"] = 1;
  options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_8;
  auto result = Run([](workload::Life& life) {
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  EXPECT_FALSE(between.attached) << "when DxgkDdiStartDevice is called";
  config.iommu.present = false;
  result = Run([](workload::Life&) {});
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("GPU isolation needs an IOMMU"));
}

/// A device may access memory while its driver starts it. Even then, every access goes through the
/// domain.
TEST_F(Isolation, WhatADeviceReadsInItsStartMeetsTheDomain) {
  options.os.driver["IsolationRequired"] = 1;
  between.starting = [](hw::Bdf device) {
    Kernel::Current().instruments()->StrayAccess(device, hw::Stray::kRead, uint64_t{0x150} << 20);
  };
  const auto result = Run([](workload::Life&) {});
  EXPECT_EQ(Counter(result, "passed"), 0u);
  EXPECT_GE(Counter(result, "requests"), 1u);
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].source, "iommu");
  EXPECT_THAT(result.faults[0].text, HasSubstr("read of logical page 0x15000000"));
}

/// The driver must report before the start and again after it whether it needs isolation. Both
/// reports must agree, because the domain is attached in between.
TEST_F(Isolation, ADriverThatNeedsItSaysSoBeforeTheStart) {
  options.os.driver["IsolationRequired"] = 1;
  between.queried = [](const DXGKARG_QUERYADAPTERINFO& args, NTSTATUS status) {
    return args.Type == DXGKQAITYPE_IOMMU_CAPS ? STATUS_NOT_SUPPORTED : status;
  };
  const auto result = Run([](workload::Life&) {});
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("IoMmuSecureModeRequired is 1, and DXGKQAITYPE_IOMMU_CAPS is refused"));
}

TEST_F(Isolation, EnableMappingsMapsAllPhysicalMemoryAndASecureVmWhatTheGpuWasGiven) {
  for (const uint32_t flags : {7u, 0u}) {
    options.os.iommu_flags = flags;
    const auto result = Run([flags](workload::Life& life) {
      SecureVm(life);
      const uint64_t other = life.host.TakePages(1, "application", "a page that the GPU was not given")[0];
      const bool mapped = life.graphics.At(other) == other;
      life.Compare("another page", mapped == (flags != 0) ? "" : mapped ? "mapped" : "not mapped");
      life.host.FreePages({other});
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
  }
}

/// Adds a third segment: the 64 KiB that begin at `base`.
void AddSegmentOfSystemMemory(const DXGKARG_QUERYADAPTERINFO& args, uint64_t base) {
  auto* out = static_cast<DXGK_QUERYSEGMENTOUT4*>(args.pOutputData);
  if (out->pSegmentDescriptor == nullptr) {
    ++out->NbSegment;
    return;
  }
  DXGK_SEGMENTDESCRIPTOR4 segment{};
  segment.Flags.PopulatedFromSystemMemory = segment.Flags.CpuVisible = 1;
  segment.BaseAddress.QuadPart = 0x7000000000;
  segment.CpuTranslatedAddress.QuadPart = static_cast<LONGLONG>(base);
  segment.Size = 16 * hw::kPageSize;
  std::memcpy(out->pSegmentDescriptor + 2 * out->SegmentDescriptorStride, &segment, sizeof segment);
}

/// The driver has allocated the memory of a system memory segment with a routine that maps it into
/// no domain. VidMm therefore maps it 1:1, at the physical address that the driver reports.
TEST_F(Isolation, SegmentsOfSystemMemoryAreInTheDomainBeforeItIsAttached) {
  std::optional<uint64_t> first;  // first page number
  between.queried = [&](const DXGKARG_QUERYADAPTERINFO& args, NTSTATUS status) {
    if (args.Type != DXGKQAITYPE_QUERYSEGMENT4) return status;
    if (!first) first = Kernel::Current().pages().AllocateContiguous(16, 0, ~uint64_t{0}, 0, "driver", "test");
    AddSegmentOfSystemMemory(args, *first * hw::kPageSize);
    return status;
  };
  const auto mapped = [&](workload::Life& life) {
    uint64_t count = 0;
    for (uint64_t page = 0; page < 16; ++page) count += life.graphics.At(*first + page) == *first + page;
    return count == 16 ? std::string() : std::to_string(count) + " of 16 pages";
  };
  const auto free = [&] {
    for (uint64_t page = 0; page < 16; ++page) Kernel::Current().pages().Free(*first + page);
    first.reset();
  };
  // In this run, the domain is attached while the adapter runs.
  auto result = Run([&](workload::Life& life) {
    bool looked = false;
    between.begin = [&] {
      looked = true;
      life.Compare("the segment before the attach", mapped(life));
      return real.DxgkDdiBeginExclusiveAccess(life.adapter.miniport().driver().lead(), nullptr);
    };
    SecureVm(life);
    between.begin = nullptr;
    life.Compare("an attach", looked ? "" : "none");
    free();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
  // The adapter is isolated from the start, so the segment is mapped when the driver reports it.
  options.os.driver["IsolationRequired"] = 1;
  result = Run([&](workload::Life& life) {
    life.Compare("the segment", mapped(life));
    free();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

/// The documentation lists four kinds of memory that the domain maps. The second kind is VidMm's
/// own: backing stores of evicted allocations, and fence pages.
TEST_F(Isolation, BackingStoresAndFencesAreWithinReachWhileTheyAreUsed) {
  const auto result = Run([](workload::Life& life) {
    SecureVm(life);
    life.worker.Call([&] {
      const auto mapped = [&](uint64_t pfn) { return life.adapter.domain()->Lookup(pfn) == pfn; };
      Allocation* data = life.vidmm.CreateAllocation("data", 4 * hw::kPageSize);
      Residency& residency = life.vidmm.residency();
      residency.MakeResident({data});
      unsigned transfers = 0, unmapped = 0;
      between.built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return;
        ++transfers;
        for (const uint64_t pfn : data->backing->host_pages()) unmapped += !mapped(pfn);
      };
      residency.Evict(*data);
      residency.MakeResident({data});
      between.built = nullptr;
      life.Compare("transfers out and in", transfers >= 2 ? "" : std::to_string(transfers));
      life.Compare("pages that were out of reach in one", unmapped == 0 ? "" : std::to_string(unmapped));
      const std::vector<uint64_t> pages = data->backing->host_pages();
      for (const uint64_t pfn : pages) life.Compare("the backing store stays", mapped(pfn) ? "" : "not mapped");
      life.vidmm.DestroyAllocation(data);
      for (const uint64_t pfn : pages) life.Compare("and goes", mapped(pfn) ? "still mapped" : "");

      MonitoredFence fence(life.vidmm, 7);
      const auto at = life.kernel.hal().ram().PhysicalOf(const_cast<const uint64_t*>(fence.cpu()));
      ASSERT_TRUE(at);
      life.Compare("a fence's page", mapped(*at / hw::kPageSize) ? "" : "not mapped");
      life.vidmm.work().Signal(fence.va(), 8, fence.memory());
      life.Compare("the GPU signals it", fence.Value() == 8 ? "" : std::to_string(fence.Value()));
      fence.Release();
      life.Compare("a fence's page goes", mapped(*at / hw::kPageSize) ? "still mapped" : "");
    });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}

/// Once isolation is active, the domain maps the four kinds of memory that the documentation lists,
/// and nothing else.
TEST_F(Isolation, EachOfTheFourKindsOfMemoryIsWithinReachAndNothingElse) {
  config.host.gpu_reserved_kib = 64;
  options.os.driver["DmaRemapping"] = 0;
  options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&] {
      LogicalAdapter& adapter = life.adapter;
      const auto mapped = [&](uint64_t pfn) { return adapter.domain()->Lookup(pfn) == pfn; };
      DXGKARGCB_ALLOCATEPAGESFORMDL own{};  // kind 1: allocated by the driver through the callbacks
      own.HighAddress.QuadPart = -1;
      own.TotalBytes = 2 * hw::kPageSize;
      Miniport::Require(adapter.dxgkrnl().isolation_memory().AllocatePagesForMdl(adapter.handle(), own), "memory");
      const uint64_t before = Mdl::PagesOf(own.pMdl)[1];
      adapter.isolation().OnSecureVm();
      life.Compare("driver's memory", mapped(before) ? "" : "not mapped");
      SystemBuffer buffer(life.kernel, adapter.objects(), adapter.handle(), hw::kPageSize,
                          SystemBuffer::Shape::kScattered, "application");  // kind 2: VidMm's
      const uint64_t paged = buffer.host_pages()[0];
      life.Compare("VidMm's memory", mapped(paged) ? "" : "not mapped");
      buffer.Release();
      life.Compare("VidMm's memory goes with its use", mapped(paged) ? "still mapped" : "");
      DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, hw::kPageSize, nullptr};  // kind 3: frame buffer save memory
      Miniport::Require(life.dxgkrnl.frame_buffer().Pin(adapter.handle(), pin), "pin");
      const uint64_t saved = Mdl::PagesOf(pin.pMdl)[0];
      life.Compare("save memory", mapped(saved) ? "" : "not mapped");
      life.dxgkrnl.frame_buffer().Unpin(adapter.handle(), {0});
      life.Compare("save memory goes with the pin", mapped(saved) ? "still mapped" : "");
      // kind 4: memory reserved by firmware
      const uint64_t reserved = adapter.dma().reserved_ranges().at(0).BaseAddress / hw::kPageSize;
      life.Compare("reserved memory", mapped(reserved) ? "" : "not mapped");
      // A page that was not allocated through the callbacks is not mapped.
      const uint64_t other = life.kernel.pages().AllocatePage("driver", "MmAllocatePagesForMdl");
      life.Compare("other memory", mapped(other) ? "mapped" : "");
      life.kernel.pages().Free(other);
      adapter.dxgkrnl().isolation_memory().FreePagesFromMdl(adapter.handle(), {own.hMemoryHandle});
    });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}

/// According to the documentation of DXGKCB_MAPMDLTOIOMMU, hAdapter is the handle of the lead
/// adapter.
TEST_F(Isolation, AListIsMappedForTheLeadAdapterOnly) {
  config.gpu.count = 2;
  options.os.driver["DmaRemapping"] = 0;
  options.os.driver["InterfaceVersion"] = DXGKDDI_INTERFACE_VERSION_WDDM2_9;
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&] {
      const auto pfns = *life.kernel.pages().AllocateScattered(1, 0, ~uint64_t{0}, "driver", "test");
      Mdl list(pfns);
      for (unsigned i = 0; i < 2; ++i) {
        const DXGKRNL_INTERFACE table = MakeInterface(life.adapter.physical(i));
        const bool lead = table.DeviceHandle == life.adapter.handle();
        DXGKARGCB_MAPMDLTOIOMMU map{list.get(), nullptr};
        const NTSTATUS status = table.DxgkCbMapMdlToIoMmu(table.DeviceHandle, &map);
        EXPECT_EQ(status, lead ? STATUS_SUCCESS : STATUS_INVALID_PARAMETER);
        EXPECT_EQ(map.hMemoryHandle != nullptr, lead);
        const DXGKARGCB_UNMAPMDLFROMIOMMU unmap{map.hMemoryHandle};
        if (lead) table.DxgkCbUnmapMdlFromIoMmu(table.DeviceHandle, &unmap);
      }
      life.kernel.pages().Free(pfns);
    });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

}  // namespace
}  // namespace gmmu::os::isolation_test
