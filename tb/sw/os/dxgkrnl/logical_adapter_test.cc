// SPDX-License-Identifier: Apache-2.0
// Tests discovery, order and capabilities of linked adapters. The expected behaviour follows
// Microsoft's documentation; it has not been observed on Windows.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tb/sw/os/linked_bench.h"
#include "os/miniport/admission.h"
#include "os/base/text.h"

namespace gmmu::os::test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using workload::Life;

std::vector<std::string> LifeCalls(Life& life) {
  std::vector<std::string> calls;
  for (const DeviceLife::LifeCall& call : life.adapter.miniport().devices().life())
    calls.push_back(call.entry.substr(7) + " " + std::to_string(call.unit));
  return calls;
}

TEST(LinkedAdapters, EachIsLinkedRightAfterItsAddDeviceAndTheLeadStartsLast) {
  for (const uint64_t lead : {0u, 1u, 2u}) {
    LinkedBench bench(3);
    bench.options.os.driver["LeadAdapter"] = lead;
    const auto result = bench.Run([&](Life& life) {
      std::vector<std::string> expected = {"AddDevice 0",  "LinkDevice 0", "AddDevice 1",
                                           "LinkDevice 1", "AddDevice 2",  "LinkDevice 2"};
      for (uint64_t unit = 0; unit < 3; ++unit)
        if (unit != lead) expected.push_back("StartDevice " + std::to_string(unit));
      expected.push_back("StartDevice " + std::to_string(lead));
      EXPECT_EQ(LifeCalls(life), expected);
      EXPECT_EQ(life.adapter.lead().unit(), lead);
      EXPECT_EQ(life.adapter.adapters(), 3u);
    });
    EXPECT_EQ(FaultOf(result), "");
    EXPECT_THAT(result.leaks, IsEmpty());
  }
}

TEST(LinkedAdapters, TheLeadSleepsFirstAndWakesLast) {
  LinkedBench bench(3);
  bench.options.os.driver["LeadAdapter"] = 1;
  const auto result = bench.Run([](Life& life) {
    const size_t before = life.adapter.miniport().devices().life().size();
    life.power_cycle([] {});
    std::vector<std::string> order;
    for (size_t i = before; i < life.adapter.miniport().devices().life().size(); ++i) {
      const DeviceLife::LifeCall& call = life.adapter.miniport().devices().life()[i];
      order.push_back((call.state == PowerDeviceD0 ? "D0 " : "D3 ") + std::to_string(call.unit));
    }
    EXPECT_THAT(order, ElementsAre("D3 1", "D3 2", "D3 0", "D0 0", "D0 2", "D0 1"));
  });
  EXPECT_EQ(FaultOf(result), "");
}

TEST(LinkedAdapters, AMissingMemberIsRefusedByName) {
  LinkedBench bench(2);
  bench.options.os.driver["LinkedAdapters"] = 3;
  const auto result = bench.Run([](Life&) { ADD_FAILURE() << "it started"; });
  EXPECT_THAT(FaultOf(result),
              AllOf(HasSubstr("announces 3 adapters, 2 were enumerated"), HasSubstr("adapter 3 of 3 is missing")));
}

NTSTATUS BothLead(PDEVICE_OBJECT device, PVOID context, PLINKED_DEVICE link) {
  const NTSTATUS status = between.real.DxgkDdiLinkDevice(device, context, link);
  link->LeadLink = TRUE;
  return status;
}

TEST(LinkedAdapters, TwoLeadsAreRefused) {
  LinkedBench bench(2);
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiLinkDevice = BothLead; };
  EXPECT_THAT(FaultOf(bench.Run([](Life&) {})), HasSubstr("LeadLink is TRUE for 2 adapters"));
}

TEST(LinkedAdapters, GpusThatAreNotInTheChainAreRemovedAgain) {
  LinkedBench bench(3);
  bench.options.os.driver["LinkedAdapters"] = 2;
  const auto result = bench.Run([](Life& life) {
    EXPECT_EQ(life.adapter.adapters(), 2u);
    EXPECT_THAT(LifeCalls(life), Contains("RemoveDevice 2"));
    workload::FindProcedure("linked")->run(life, {{"pages", 1}, {"sleep", 0}, {"tables", 0}});
  });
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
}

// The driver could link the two devices, but without entry point DxgkDdiLinkDevice the system does
// not link them.
TEST(LinkedAdapters, WithoutTheEntryTheFirstDeviceStandsAloneAndTheOthersAreRemovedAgain) {
  LinkedBench bench(3);
  between.table = [](DRIVER_INITIALIZATION_DATA& table) { table.DxgkDdiLinkDevice = nullptr; };
  const auto result = bench.Run([](Life& life) {
    EXPECT_EQ(life.adapter.adapters(), 1u);
    EXPECT_EQ(life.adapter.lead().unit(), 0u);
    EXPECT_THAT(LifeCalls(life), ElementsAre("AddDevice 0", "AddDevice 1", "AddDevice 2", "RemoveDevice 1",
                                             "RemoveDevice 2", "StartDevice 0"));
    workload::RunSeededMainJob(life, 20'000);
    for (const uint8_t bus : {2, 3}) {
      const hw::BusCounts counts = life.kernel.instruments()->BusAccesses({bus, 0, 0});
      EXPECT_EQ(counts.reads + counts.writes + counts.messages, 0u) << "device " << unsigned{bus} << " was not started";
    }
  });
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
}

std::vector<std::string> events;
NTSTATUS NoteAdd(PDEVICE_OBJECT device, PVOID* context) {
  events.push_back("add");
  return between.real.DxgkDdiAddDevice(device, context);
}
NTSTATUS NoteStart(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE interface, PULONG sources,
                   PULONG children) {
  events.push_back("start");
  return between.real.DxgkDdiStartDevice(context, info, interface, sources, children);
}
NTSTATUS NoteMetadata(HANDLE context, UINT node, DXGKARG_GETNODEMETADATA* args) {
  events.push_back("node " + Hex(node));
  return between.real.DxgkDdiGetNodeMetadata(context, node, args);
}

/// Records the calls to AddDevice, StartDevice and GetNodeMetadata, and each query for which `name`
/// returns a text.
void NoteStartUp(const std::function<std::string(const DXGKARG_QUERYADAPTERINFO&)>& name) {
  events.clear();
  between.table = [](DRIVER_INITIALIZATION_DATA& table) {
    table.DxgkDdiAddDevice = NoteAdd;
    table.DxgkDdiStartDevice = NoteStart;
    table.DxgkDdiGetNodeMetadata = NoteMetadata;
  };
  between.query = [name](const DXGKARG_QUERYADAPTERINFO& args) {
    const std::string text = name(args);
    if (!text.empty()) events.push_back(text);
    return between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
  };
}

// Expects that PHYSICAL_MEMORY_CAPS and IOMMU_CAPS are read after every AddDevice and before any
// StartDevice.
void ExpectCapsBetweenAddDeviceAndStart() {
  LinkedBench bench(2);
  NoteStartUp([](const DXGKARG_QUERYADAPTERINFO& args) -> std::string {
    if (args.Type == DXGKQAITYPE_PHYSICAL_MEMORY_CAPS) return "memory caps";
    return args.Type == DXGKQAITYPE_IOMMU_CAPS ? "iommu caps" : "";
  });
  bench.Run([](Life&) {});
  events.resize(6);
  EXPECT_THAT(events, ElementsAre("add", "add", "memory caps", "iommu caps", "start", "start"));
}
TEST(LinkedAdapters, MemoryAndIommuCapsAreReadAfterEveryAddDeviceAndBeforeAnyStart) {
  ExpectCapsBetweenAddDeviceAndStart();
}

TEST(LinkedAdapters, CapabilitiesAreAskedForEachPhysicalAdapterIndex) {
  LinkedBench bench(2);
  NoteStartUp([](const DXGKARG_QUERYADAPTERINFO& args) -> std::string {
    const auto index = [&](UINT at) { return " of " + std::to_string(at); };
    switch (args.Type) {
      case DXGKQAITYPE_DRIVERCAPS: return "driver";
      case DXGKQAITYPE_GPUMMUCAPS:
        return "mmu" + index(static_cast<DXGK_QUERYGPUMMUCAPSIN*>(args.pInputData)->PhysicalAdapterIndex);
      case DXGKQAITYPE_PAGETABLELEVELDESC: {
        const auto& in = *static_cast<DXGK_QUERYPAGETABLELEVELDESCIN*>(args.pInputData);
        return in.LevelIndex == 3 ? "level 3" + index(in.PhysicalAdapterIndex) : "";
      }
      case DXGKQAITYPE_FRAMEBUFFERSAVESIZE: return "save size" + index(*static_cast<UINT*>(args.pInputData));
      case DXGKQAITYPE_QUERYSEGMENT4:
        return "segments" + index(static_cast<DXGK_QUERYSEGMENTIN4*>(args.pInputData)->PhysicalAdapterIndex);
      default: return "";
    }
  });
  bench.Run([](Life&) {});
  events.erase(events.begin(), events.begin() + 4);  // AddDevice, StartDevice
  EXPECT_THAT(events, ElementsAre("driver", "save size of 0", "save size of 1", "mmu of 0", "level 3 of 0", "node 0x0",
                                  "node 0x1", "segments of 0", "segments of 0", "mmu of 1", "level 3 of 1",
                                  "node 0x10000", "node 0x10001", "segments of 1", "segments of 1"));
}

TEST(LinkedAdapters, TheIndexOfADeviceIsTheDriversByItsHandle) {
  LinkedBench bench(2);
  // The driver numbers its devices in the opposite order. The system adopts the driver's numbers,
  // although these adapters cannot work with them.
  between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    if (args.Type != DXGKQAITYPE_PHYSICALADAPTERCAPS)
      return between.real.DxgkDdiQueryAdapterInfo(between.context, &args);
    DXGKARG_QUERYADAPTERINFO other = args;
    const UINT index = static_cast<DXGK_QUERYPHYSICALADAPTERCAPSIN*>(args.pInputData)->PhysicalAdapterIndex;
    DXGK_QUERYPHYSICALADAPTERCAPSIN in{1 - index};
    other.pInputData = &in;
    return between.real.DxgkDdiQueryAdapterInfo(between.context, &other);
  };
  unsigned units[2] = {9, 9};
  bench.Run([&](Life& life) {
    for (unsigned i = 0; i < 2; ++i) {
      units[i] = life.adapter.physical(i).unit();
      EXPECT_EQ(life.adapter.physical(i).index(), i);
    }
  });
  EXPECT_THAT(units, ElementsAre(1u, 0u));
}

TEST(LinkedAdapters, TwoIndicesWithOneHandleAreRefused) {
  LinkedBench bench(2);
  between.query = [](const DXGKARG_QUERYADAPTERINFO& args) {
    DXGKARG_QUERYADAPTERINFO other = args;
    DXGK_QUERYPHYSICALADAPTERCAPSIN in{0};
    if (args.Type == DXGKQAITYPE_PHYSICALADAPTERCAPS) other.pInputData = &in;
    return between.real.DxgkDdiQueryAdapterInfo(between.context, &other);
  };
  EXPECT_THAT(FaultOf(bench.Run([](Life&) {})), HasSubstr("DxgkPhysicalAdapterHandle of adapter 1 is not"));
}

void ExpectTheSmallestHighestVisibleAddress() {
  for (const char* smaller : {"Adapter0LimitBits", "Adapter1LimitBits"}) {
    LinkedBench bench(2);
    bench.options.os.limit_bits = 40;
    bench.options.os.driver[smaller] = 34;
    const auto result = bench.Run([](Life& life) {
      for (unsigned i = 0; i < 2; ++i)
        EXPECT_EQ(life.adapter.physical(i).caps().highest_visible, (uint64_t{1} << 34) - 1);
    });
    EXPECT_EQ(FaultOf(result), "");
  }
}
TEST(LinkedAdapters, HighestVisibleAddressIsTheSmallestOfTheLink) { ExpectTheSmallestHighestVisibleAddress(); }

TEST(Rule11, OverALinkCapsAreReadAfterEveryAddDeviceAndTheSmallestAddressCounts) {
  ExpectCapsBetweenAddDeviceAndStart();
  ExpectTheSmallestHighestVisibleAddress();
}

TEST(LinkedAdapters, VirtualAddressBitCountIsTheSmallestOfTheLink) {
  LinkedBench bench(2);
  bench.options.os.driver["Adapter1PageTableBits3"] = 7;
  const auto result = bench.Run([](Life& life) {
    for (unsigned i = 0; i < 2; ++i) {
      EXPECT_EQ(life.adapter.physical(i).answers().mmu.VirtualAddressBitCount, 46u);
      EXPECT_EQ(life.adapter.physical(i).caps().geometry.Entries(3), 128u) << "the larger root is used in part";
    }
    EXPECT_EQ(life.adapter.physical(0).answers().levels[3].PageTableIndexBitCount, 9u);
    workload::FindProcedure("linked")->run(life, {{"pages", 1}, {"sleep", 0}, {"tables", 0}});
  });
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_TRUE(result.verified);
}

TEST(LinkedAdapters, OtherCapabilitiesOfTheMmuMayDiffer) {
  LinkedBench bench(2);
  bench.options.os.driver = {{"Adapter1PageTableLevels", 5},
                             {"Adapter1PageTableBits3", 5},
                             {"Adapter1PageTableBits4", 4},
                             {"Adapter1ContiguousPages", 0}};
  const auto result = bench.RunLinked();
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_TRUE(result.verified);
  EXPECT_THAT(result.leaks, IsEmpty());
}

AdapterAnswers AnswersOf(UINT index) {
  AdapterAnswers answers;
  answers.physical_adapter = index;
  answers.linked = 2;
  answers.physical.emplace();
  answers.physical->NumExecutionNodes = 2;
  answers.mmu.VirtualAddressBitCount = 48;
  answers.levels.assign(4, {});
  for (auto& level : answers.levels) level.PageTableSegmentId = 2;
  return answers;
}

TEST(LinkedAdapters, WhatMustAgreeIsRefusedByField) {
  AdapterAnswers first = AnswersOf(0), second = AnswersOf(1);
  const auto refused = [&] {
    std::vector<std::string> fields;
    for (const Refusal& refusal : AdmitLink({&first, &second})) fields.push_back(refusal.field);
    return fields;
  };
  EXPECT_THAT(refused(), IsEmpty());
  second.physical->NumExecutionNodes = 1;
  EXPECT_THAT(refused(), ElementsAre("DXGK_PHYSICALADAPTERCAPS.NumExecutionNodes"));
  second = AnswersOf(1);
  second.mmu.VirtualAddressBitCount = 47;
  EXPECT_THAT(refused(), ElementsAre("DXGK_GPUMMUCAPS.VirtualAddressBitCount"));
  second = AnswersOf(1);
  second.levels[0].PageTableSegmentId = 0;
  EXPECT_THAT(refused(), ElementsAre("DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId"));
  EXPECT_THAT(AdmitLink({&second}), SizeIs(0)) << "a GPU alone may have them in system memory";
  second.segments.resize(3);
  // The tables of a linked GPU must be in the root's segment, which is neither the system memory
  // segment nor segment 3.
  for (const UINT elsewhere : {second.system_segment(), 3u}) {
    second.levels[0].PageTableSegmentId = elsewhere;
    EXPECT_THAT(refused(), ElementsAre("DXGK_PAGE_TABLE_LEVEL_DESC.PageTableSegmentId")) << elsewhere;
  }
}

}  // namespace
}  // namespace gmmu::os::test
