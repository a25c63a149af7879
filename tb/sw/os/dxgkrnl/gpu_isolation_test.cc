// SPDX-License-Identifier: Apache-2.0
// GPU isolation and exclusive access on a machine that runs: between Dxgkrnl and the real driver stands a
// function that watches or misbehaves. Documents only; no open driver was seen with either.
#include "os/dxgkrnl/gpu_isolation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "hw/gmmu_regs.h"
#include "kmd/escape.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/dxgkrnl/domain_switch.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/kernel/worker.h"
#include "os/memory/system_buffer.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/paging_work.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/vidmm_link.h"
#include "platform/config.h"
#include "twin/machine.h"
#include "workload/copier.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/main_job.h"
#include "workload/procedures/procedures.h"
#include "os/kernel/iommu.h"

namespace gmmu::os {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;

/// Between the two tables: the names of calls in their order, and functions of the test's.
struct Between {
  std::vector<std::string> calls;
  std::function<NTSTATUS(const DXGKARG_QUERYADAPTERINFO&, NTSTATUS)> queried;  // after the real one
  std::function<NTSTATUS()> begin;                                             // instead of the real one
  std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;                 // before the driver has it
  bool attached = false;                                                       // at StartDevice
};
Between between;
DRIVER_INITIALIZATION_DATA real;

/// The IOMMU is on and has a present context entry of the device, as its tables in memory say.
bool Attached(hw::Bdf device) {
  Kernel& kernel = Kernel::Current();
  if (kernel.iommu() == nullptr || !kernel.iommu()->enabled()) return false;
  uint64_t root = 0, entry = 0;
  const auto& ram = kernel.hal().ram();
  if (!ram.Read(kernel.iommu()->root_address() + 16 * (device.requester_id() >> 8), &root, 8) || (root & 1) == 0)
    return false;
  return ram.Read((root & ~uint64_t{0xFFF}) + 16 * (device.requester_id() & 0xFF), &entry, 8) && (entry & 1) != 0;
}

NTSTATUS AddDevice(PDEVICE_OBJECT device, PVOID* context) {
  between.calls.push_back("AddDevice");
  return real.DxgkDdiAddDevice(device, context);
}
NTSTATUS StartDevice(PVOID context, PDXGK_START_INFO start, PDXGKRNL_INTERFACE interface, PULONG sources,
                     PULONG children) {
  between.calls.push_back("StartDevice");
  between.attached = Attached(Dxgkrnl::Current().FromHandle(interface->DeviceHandle).function().bdf);
  return real.DxgkDdiStartDevice(context, start, interface, sources, children);
}
NTSTATUS Query(HANDLE context, CONST DXGKARG_QUERYADAPTERINFO* args) {
  if (args->Type == DXGKQAITYPE_PHYSICAL_MEMORY_CAPS) between.calls.push_back("PHYSICAL_MEMORY_CAPS");
  if (args->Type == DXGKQAITYPE_IOMMU_CAPS) between.calls.push_back("IOMMU_CAPS");
  if (args->Type == DXGKQAITYPE_HARDWARERESERVEDRANGES) between.calls.push_back("HARDWARERESERVEDRANGES");
  const NTSTATUS status = real.DxgkDdiQueryAdapterInfo(context, args);
  return between.queried ? between.queried(*args, status) : status;
}
NTSTATUS Begin(HANDLE context, DXGKARG_BEGINEXCLUSIVEACCESS* args) {
  between.calls.push_back("BeginExclusiveAccess");
  return between.begin ? between.begin() : real.DxgkDdiBeginExclusiveAccess(context, args);
}
NTSTATUS End(HANDLE context, DXGKARG_ENDEXCLUSIVEACCESS* args) {
  between.calls.push_back("EndExclusiveAccess");
  return real.DxgkDdiEndExclusiveAccess(context, args);
}
NTSTATUS Escape(HANDLE context, CONST DXGKARG_ESCAPE* args) {
  between.calls.push_back("Escape");
  return real.DxgkDdiEscape(context, args);
}

NTSTATUS Build(HANDLE context, DXGKARG_BUILDPAGINGBUFFER* args) {
  if (between.built) between.built(*args);
  return real.DxgkDdiBuildPagingBuffer(context, args);
}

NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  const NTSTATUS status = DriverEntry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiAddDevice = AddDevice;
  table.DxgkDdiStartDevice = StartDevice;
  table.DxgkDdiQueryAdapterInfo = Query;
  table.DxgkDdiBeginExclusiveAccess = Begin;
  table.DxgkDdiEndExclusiveAccess = End;
  table.DxgkDdiEscape = Escape;
  table.DxgkDdiBuildPagingBuffer = Build;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

class Isolation : public ::testing::Test {
 protected:
  Isolation() {
    between = {};
    config.host.memory_gib = 4;
    options.os.iommu = RemapPolicy::kNever;
    options.os.aperture_bytes = 4 << 20;
    options.os.limit_bits = 33;
    options.os.page_table_bits = {9, 9, 9, 9};
    options.os.secure_vm_key = true;
    options.os.seed = options.seed = 3;
    options.driver = Entry;
    input = workload::SeededInput(3, 20'000);
    options.input = &input;
  }
  workload::JobResult Run(const std::function<void(workload::Life&)>& application) {
    sim::twin::Machine platform(sim::twin::MachineParameters::From(config));
    workload::JobResult result;
    workload::RunLife(platform, options, result, application);
    return result;
  }
  static void SecureVm(workload::Life& life) {
    life.worker.Call([&life] { life.adapter.isolation().OnSecureVm(); });
  }
  static std::string Texts(const workload::JobResult& result) {
    std::string texts;
    for (const Fault& fault : result.faults) texts += fault.name + ": " + fault.text + "\n";
    for (const Leak& leak : result.leaks) texts += leak.kind + " " + leak.name + " is left\n";
    return texts;
  }

  sim::MachineConfig config = sim::MachineConfig::Default();
  std::vector<uint8_t> input;
  workload::JobOptions options;
};

TEST_F(Isolation, StaysOnOverARestartOfTheAdapter) {
  const auto result = Run([](workload::Life& life) {
    SecureVm(life);
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    life.restart(RemapPolicy::kNever);
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

/// The key is off: a secure machine starts whatever the driver supports, also behind a remapping domain. Isolation that
/// IOMMUFlags forced on is isolation, and the driver must support it.
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
  result = Run(SecureVm);  // not for the start of a secure machine
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

/// One domain for each logical adapter: the one that waits is the one that is entered.
TEST_F(Isolation, AWaitingDomainIsEnteredByASwitchOfTheMode) {
  for (const uint32_t flags : {0x1u, 0x3u}) {
    options.os.iommu_flags = flags;
    const auto result = Run([](workload::Life& life) {
      const IommuDomain* waiting = life.adapter.domain();
      SwitchDma(life.adapter, DmaMode::kIdentity);
      life.Compare("the domain", life.adapter.domain() == waiting ? "" : "another one");
      workload::MainJob(life).Run();
      SwitchDma(life.adapter, DmaMode::kPhysical);
      life.Compare("no domain", life.adapter.domain() == nullptr ? "" : "there is one");
    });
    EXPECT_TRUE(result.Passed()) << flags << ": " << Texts(result);
  }
}

/// Bit 0x8: the enable bits count although the driver has no capability; without it they are ignored.
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
  auto result = Run([](workload::Life& life) { life.Compare("on", life.adapter.isolation().active() ? "" : "off"); });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  config.iommu.present = false;
  result = Run([](workload::Life&) {});
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_THAT(result.faults[0].text, HasSubstr("DXGK_IOMMU_CAPS.IommuIsolationRequired is 1"));
}

/// The second kind is VidMm's own: the backing store of an eviction, and pages of fences.
TEST_F(Isolation, BackingStoresAndFencesAreWithinReachWhileTheyAreUsed) {
  const auto result = Run([](workload::Life& life) {
    SecureVm(life);
    life.worker.Call([&] {
      const auto mapped = [&](uint64_t pfn) { return life.adapter.domain()->tables().Lookup(pfn) == pfn; };
      Allocation* data = life.vidmm.CreateAllocation("data", 4 * hw::kPageSize);
      Residency residency(life.vidmm);
      residency.MakeResident({data});
      unsigned transfers = 0, unmapped = 0;
      between.built = [&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation != DXGK_OPERATION_VIRTUAL_TRANSFER) return;
        ++transfers;
        for (const uint64_t pfn : residency.Backing(*data)->host_pages()) unmapped += !mapped(pfn);
      };
      residency.Evict(*data);
      residency.MakeResident({data});
      between.built = nullptr;
      life.Compare("transfers out and in", transfers >= 2 ? "" : std::to_string(transfers));
      life.Compare("pages that were out of reach in one", unmapped == 0 ? "" : std::to_string(unmapped));
      const std::vector<uint64_t> pages = residency.Backing(*data)->host_pages();
      residency.Drop(*data);
      for (const uint64_t pfn : pages) life.Compare("the backing store goes", mapped(pfn) ? "still mapped" : "");

      MonitoredFence fence(life.vidmm, 7);
      const auto at = life.kernel.hal().ram().PhysicalOf(const_cast<const uint64_t*>(fence.cpu()));
      ASSERT_TRUE(at);
      life.Compare("a fence's page", mapped(*at / hw::kPageSize) ? "" : "not mapped");
      life.vidmm.work().Signal(fence.va(), 8);
      life.Compare("the GPU signals it", fence.Value() == 8 ? "" : std::to_string(fence.Value()));
      fence.Release();
      life.Compare("a fence's page goes", mapped(*at / hw::kPageSize) ? "still mapped" : "");
      life.vidmm.DestroyAllocation(data);
    });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}

/// The four kinds of memory of the documents, after the activation.
TEST_F(Isolation, EachOfTheFourKindsOfMemoryIsWithinReachAndNothingElse) {
  config.host.gpu_reserved_kib = 64;
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&] {
      LogicalAdapter& adapter = life.adapter;
      const auto mapped = [&](uint64_t pfn) { return adapter.domain()->tables().Lookup(pfn) == pfn; };
      DXGKARGCB_ALLOCATEPAGESFORMDL own{};  // 1: a driver's, through the callbacks
      own.HighAddress.QuadPart = -1;
      own.TotalBytes = 2 * hw::kPageSize;
      Miniport::Require(adapter.dxgkrnl().isolation_memory().AllocatePagesForMdl(adapter.handle(), own), "memory");
      const uint64_t before = Mdl::PagesOf(own.pMdl)[1];
      adapter.isolation().OnSecureVm();
      life.Compare("driver's memory", mapped(before) ? "" : "not mapped");
      SystemBuffer buffer(life.kernel, adapter.objects(), adapter.handle(), hw::kPageSize,
                          SystemBuffer::Shape::kScattered, "application");  // 2: VidMm's
      const uint64_t paged = buffer.host_pages()[0];
      life.Compare("VidMm's memory", mapped(paged) ? "" : "not mapped");
      buffer.Release();
      life.Compare("VidMm's memory goes with its use", mapped(paged) ? "still mapped" : "");
      DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{0, hw::kPageSize, nullptr};  // 3: save memory, while it is pinned
      Miniport::Require(life.dxgkrnl.frame_buffer().Pin(adapter.handle(), pin), "pin");
      const uint64_t saved = Mdl::PagesOf(pin.pMdl)[0];
      life.Compare("save memory", mapped(saved) ? "" : "not mapped");
      life.dxgkrnl.frame_buffer().Unpin(adapter.handle(), {0});
      life.Compare("save memory goes with the pin", mapped(saved) ? "still mapped" : "");
      const uint64_t reserved = adapter.dma().reserved_ranges().at(0).BaseAddress / hw::kPageSize;  // 4: firmware's
      life.Compare("reserved memory", mapped(reserved) ? "" : "not mapped");
      // Memory that went past the callbacks.
      const uint64_t other = life.kernel.pages().AllocatePage("driver", "MmAllocatePagesForMdl");
      life.Compare("other memory", mapped(other) ? "mapped" : "");
      life.kernel.pages().Free(other);
      adapter.dxgkrnl().isolation_memory().FreePagesFromMdl(adapter.handle(), {own.hMemoryHandle});
    });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}

/// hAdapter of the map of a list is the lead's (documents, DXGKCB_MAPMDLTOIOMMU).
TEST_F(Isolation, AListIsMappedForTheLeadAdapterOnly) {
  config.gpu.count = 2;
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

// ---- exclusive access

TEST_F(Isolation, ExclusiveAccessThatTheDriverRefusesChangesNothing) {
  between.begin = [] { return STATUS_DEVICE_NOT_READY; };
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&life] {
      try {
        life.adapter.isolation().exclusive().Run("test", [&life] { life.Compare("work", "was done"); });
        life.Compare("refused", "it was not");
      } catch (const OsError& error) {
        life.Compare("text", std::string(error.what()).find("DxgkDdiBeginExclusiveAccess") != std::string::npos
                                 ? ""
                                 : error.what());
      }
    });
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(Isolation, WaitsForThePacketsThatTheDriverHolds) {
  config.gpu.rings = 2;
  config.gpu.vram_mib = 4;
  const auto result = Run([](workload::Life& life) {
    workload::Copier copier(life, "copier", 8, 6);
    for (uint32_t round = 1; round <= 6; ++round) copier.SubmitRound(round);
    life.Compare("before", life.adapter.vidsch().idle() ? "the driver holds nothing" : "");
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("test", [&] {
        life.Compare("meanwhile", life.adapter.vidsch().idle() ? "" : "the driver holds packets");
      });
    });
    life.Compare("all packets", copier.Finish() == PacketEnd::kCompleted ? "" : "some are lost");
    copier.Check();
    copier.End();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

/// Work that fails ends the access all the same: the device is let go, and what comes next finds it as it was.
TEST_F(Isolation, AnErrorInExclusiveAccessEndsIt) {
  const auto result = Run([](workload::Life& life) {
    ExclusiveAccess& exclusive = life.adapter.isolation().exclusive();
    std::string error;
    life.worker.Call([&] {
      try {
        exclusive.Run("test", [] { throw OsError("no room"); });
      } catch (const OsError& thrown) {
        error = thrown.what();
      }
    });
    life.Compare("the error", error == "no room" ? "" : error);
    life.Compare("no run was counted", exclusive.runs() == 0 ? "" : "there is one");
    workload::MainJob(life).Run();
    life.worker.Call([&] { exclusive.Run("test", [] {}); });
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  EXPECT_EQ(std::count(between.calls.begin(), between.calls.end(), "EndExclusiveAccess"), 2);
}

/// kAllowFailure: nothing is left of it, and a secure machine that is started later gets all of it.
TEST_F(Isolation, AFailureThatIsIgnoredLeavesNoDomainBehind) {
  options.os.iommu_flags = 0x17;
  between.begin = [] { return STATUS_DEVICE_NOT_READY; };
  const auto result = Run([](workload::Life& life) {
    life.Compare("noted", life.adapter.isolation().ignored_failure().empty() ? "no failure is noted" : "");
    life.Compare("no domain", life.adapter.domain() == nullptr ? "" : "there is one");
    life.Compare("the IOMMU is off", life.kernel.iommu()->enabled() ? "it is on" : "");
    between.begin = nullptr;  // the driver's own
    SecureVm(life);
    life.Compare("on", life.adapter.isolation().active() ? "" : "off");
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

TEST_F(Isolation, WhoCallsTheDriverInExclusiveAccessWaits) {
  const auto result = Run([](workload::Life& life) {
    Scheduler& scheduler = life.kernel.scheduler();
    const auto began = [] { return !between.calls.empty() && between.calls.back() == "BeginExclusiveAccess"; };
    bool asked = false;
    scheduler.Spawn("another thread", [&] {
      scheduler.Wait(began, 1'000'000'000, "exclusive access", 1'000);
      kmd::EscapeQueryCaps caps;
      life.adapter.Escape(caps, "the query for what was built");
      asked = true;
    });
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("test", [&] {
        const uint64_t end = life.kernel.hal().NowNs() + 20'000;
        scheduler.Wait([&] { return life.kernel.hal().NowNs() >= end; }, 1'000'000, "time to pass", 1'000);
        life.Compare("the other thread waits", asked ? "it was in the driver" : "");
      });
    });
    scheduler.Wait([&] { return asked; }, 1'000'000'000, "the other thread", 1'000);
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
  const auto begin = std::find(between.calls.begin(), between.calls.end(), "BeginExclusiveAccess");
  EXPECT_THAT(std::vector<std::string>(begin, between.calls.end()),
              ElementsAre("BeginExclusiveAccess", "EndExclusiveAccess", "Escape"));
}

TEST_F(Isolation, ACallOfTheOneThatHasExclusiveAccessIsABugCheck) {
  const auto result = Run([](workload::Life& life) {
    life.worker.Call([&life] {
      life.adapter.isolation().exclusive().Run("test", [&life] {
        kmd::EscapeQueryCaps caps;
        life.adapter.Escape(caps, "the query for what was built");
      });
    });
  });
  ASSERT_THAT(result.faults, SizeIs(1));
  EXPECT_EQ(result.faults[0].name, "bug_check");
  EXPECT_THAT(result.faults[0].text,
              HasSubstr("DxgkDdiEscape is called between DxgkDdiBeginExclusiveAccess and DxgkDdiEndExclusiveAccess"));
}

// ---- rules of the reference; Rule11 is a suite of several files, so its tests have no fixture

/// Rule 12: the caps are read after AddDevice and before StartDevice, and the two sets of IOMMU bits agree.
/// (The minimum over a link is the linked adapters'.)
struct CapsComeBeforeTheStart : Isolation {
  void TestBody() override {
    config.host.gpu_reserved_kib = 64;
    options.os.iommu = RemapPolicy::kWhenPossible;
    auto result = Run([](workload::Life&) {});
    EXPECT_TRUE(result.Passed()) << Texts(result);
    ASSERT_GE(between.calls.size(), 6u);
    EXPECT_THAT(std::vector<std::string>(between.calls.begin(), between.calls.begin() + 6),
                ElementsAre("AddDevice", "PHYSICAL_MEMORY_CAPS", "IOMMU_CAPS", "HARDWARERESERVEDRANGES",
                            "HARDWARERESERVEDRANGES", "StartDevice"));

    for (const bool required : {false, true}) {
      between.queried = [required](const DXGKARG_QUERYADAPTERINFO& args, NTSTATUS status) {
        if (args.Type == DXGKQAITYPE_IOMMU_CAPS) {
          auto& caps = *static_cast<DXGK_IOMMU_CAPS*>(args.pOutputData);
          (required ? caps.IommuIsolationRequired = 1 : caps.IommuIsolationSupported = 0);
        }
        return status;
      };
      result = Run([](workload::Life&) {});
      ASSERT_THAT(result.faults, SizeIs(1));
      EXPECT_THAT(result.faults[0].text, HasSubstr(required ? "DXGK_IOMMU_CAPS.IommuIsolationRequired is 1, "
                                                              "DXGK_VIDMMCAPS.IoMmuSecureModeRequired is 0"
                                                            : "DXGK_IOMMU_CAPS.IommuIsolationSupported is 0, "
                                                              "DXGK_VIDMMCAPS.IoMmuSecureModeSupported is 1"));
    }
  }
};
TEST(Rule11, CapsAreReadAfterAddDeviceAndBeforeStartDeviceAndAgree) { CapsComeBeforeTheStart().TestBody(); }

/// The domain stands before the driver may use the device: at its StartDevice it is attached, remapped and 1:1 alike.
struct AttachedBeforeTheStart : Isolation {
  void TestBody() override {
    for (const RemapPolicy policy : {RemapPolicy::kNever, RemapPolicy::kIdentity, RemapPolicy::kWhenPossible}) {
      between = {};
      options.os.iommu = policy;
      const auto result = Run([](workload::Life&) {});
      EXPECT_TRUE(result.Passed()) << Texts(result);
      EXPECT_EQ(between.attached, policy != RemapPolicy::kNever);
    }
  }
};
TEST(DomainSwitch, ADomainIsAttachedBeforeStartDevice) { AttachedBeforeTheStart().TestBody(); }

/// Rule 17: between Begin and EndExclusiveAccess even a stray access breaks the contract.
struct SilenceIsProven : Isolation {
  void TestBody() override {
    workload::JobResult result;
    for (const auto& [kind, text] : {std::pair{NoisyDevice::kRead, "1 reads, 0 writes, 0 interrupt messages"},
                                     {NoisyDevice::kWrite, "0 reads, 1 writes, 0 interrupt messages"},
                                     {NoisyDevice::kMessage, "0 reads, 0 writes, 1 interrupt messages"}}) {
      options.os.inject.noisy_device = kind;
      result = Run(SecureVm);
      ASSERT_THAT(result.faults, SizeIs(1)) << Texts(result);
      EXPECT_EQ(result.faults[0].name, "not_silent");
      EXPECT_EQ(result.faults[0].source, "bus");
      EXPECT_THAT(result.faults[0].text, HasSubstr("device 01:00.0 was not silent between"));
      EXPECT_THAT(result.faults[0].text, HasSubstr(text));
    }

    // A driver that lets its device go on, a client of it at work.
    options.os.inject.noisy_device = NoisyDevice::kNone;
    between.begin = [] { return STATUS_SUCCESS; };
    const auto load = [](workload::Life& life) {
      workload::FindProcedure("exclusive_access")->run(life, {{"bytes", 2 << 20}, {"times", 1}});
    };
    result = Run(load);
    ASSERT_THAT(result.faults, SizeIs(1)) << Texts(result);
    EXPECT_EQ(result.faults[0].name, "not_silent");

    between.begin = nullptr;  // the same load with the driver as it is
    result = Run(load);
    EXPECT_TRUE(result.Passed()) << Texts(result);
  }
};
TEST(Rule11, BetweenBeginAndEndExclusiveAccessTheDeviceIsSilent) { SilenceIsProven().TestBody(); }

/// Makes a cause of an interrupt that no driver waits for.
class Cause {
 public:
  explicit Cause(workload::Life& life) : life_(life), bar_(life.adapter.function().bars[0].address) {
    Write(regs::IntEnable::kOffset, Read(regs::IntEnable::kOffset) | kInvalidate);
  }
  /// Until the device has it; its message is due then.
  void Raise() {
    Write(regs::InvCmd::kOffset, 0);
    const uint64_t end = life_.kernel.hal().NowNs() + 1'000'000;
    while ((Read(regs::IntStatus::kOffset) & kInvalidate) == 0) ASSERT_LT(life_.kernel.hal().NowNs(), end);
  }

 private:
  static constexpr uint64_t kInvalidate = 16;
  uint64_t Read(uint32_t offset) { return life_.kernel.hal().Read(bar_ + offset, 8); }
  void Write(uint32_t offset, uint64_t value) { life_.kernel.hal().Write(bar_ + offset, 8, value); }

  workload::Life& life_;
  const uint64_t bar_;
};

void LetPass(workload::Life& life, uint64_t ns) {
  const uint64_t end = life.kernel.hal().NowNs() + ns;
  life.kernel.scheduler().Wait([&] { return life.kernel.hal().NowNs() >= end; }, 2 * ns, "time", 1000);
}

/// The device keeps a message that falls due, and sends it, once, when it may.
TEST_F(Isolation, AnInterruptThatFallsDueInExclusiveAccessComesAfterIt) {
  const auto result = Run([](workload::Life& life) {
    const Miniport& miniport = life.adapter.miniport();
    Cause cause(life);
    LetPass(life, 100'000);
    const uint64_t served = miniport.calls("DxgkDdiInterruptRoutine"), sent = life.adapter.BusAccesses().messages;
    life.worker.Call([&] {
      life.adapter.isolation().exclusive().Run("a test", [&] {
        cause.Raise();
        EXPECT_EQ(life.adapter.BusAccesses().messages, sent);
      });
      EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served) << "not before End has returned";
      EXPECT_EQ(miniport.driver().held(), 0u) << "the device held it";
    });
    LetPass(life, 100'000);
    EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1);
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

/// A message that left the device before Begin and arrives behind it is not the device's noise: Dxgkrnl holds it.
TEST_F(Isolation, AnInterruptUnderWayIsHeldInExclusiveAccessAndServedAfterIt) {
  config.inject.late_interrupt_ns = 60'000;
  const auto result = Run([](workload::Life& life) {
    const Miniport& miniport = life.adapter.miniport();
    Cause cause(life);
    LetPass(life, 200'000);
    const uint64_t served = miniport.calls("DxgkDdiInterruptRoutine"), sent = life.adapter.BusAccesses().messages;
    life.worker.Call([&] {
      cause.Raise();
      EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
      life.adapter.isolation().exclusive().Run("a test",
                                               [&] { EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served); });
    });
    EXPECT_EQ(miniport.driver().held(), 1u);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1) << "made up for";
    LetPass(life, 200'000);
    EXPECT_EQ(life.adapter.BusAccesses().messages, sent + 1);
    EXPECT_EQ(miniport.calls("DxgkDdiInterruptRoutine"), served + 1);
    workload::MainJob(life).Run();
  });
  EXPECT_TRUE(result.Passed()) << Texts(result);
}

}  // namespace
}  // namespace gmmu::os
