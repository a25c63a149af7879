// SPDX-License-Identifier: Apache-2.0
// Tests the calls from DxgkDdiStartDevice to the first SetRootPageTable, and their order. The order
// was observed on Windows build 22621 with four levels of 512 entries; no such list is known for
// Windows build 26100.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tb/sw/os/between.h"
#include "tb/sw/os/life_bench.h"
#include "os/base/bring_up.h"

namespace gmmu::os::test {
namespace {

using ::testing::ElementsAreArray;
using ::testing::IsEmpty;

std::vector<std::string> order;  // calls from StartDevice on; runs of equal calls are merged
std::vector<size_t> times;       // length of the run for each entry of `order`
std::vector<unsigned> refused;   // types of the queries that the driver rejected

void Called(const std::string& name) {
  if (order.empty() && name != "StartDevice") return;
  if (!order.empty() && order.back() == name) {
    ++times.back();
    return;
  }
  order.push_back(name);
  times.push_back(1);
}

NTSTATUS StartDevice(HANDLE device, DXGK_START_INFO* start, DXGKRNL_INTERFACE* interface, ULONG* sources,
                     ULONG* children) {
  Called("StartDevice");
  return between.real.DxgkDdiStartDevice(device, start, interface, sources, children);
}
NTSTATUS QueryCaps(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* args) {
  Called("query " + std::to_string(args->Type) + ", " + std::to_string(args->OutputDataSize));
  const NTSTATUS status = between.real.DxgkDdiQueryAdapterInfo(adapter, args);
  if (!order.empty() && !NT_SUCCESS(status)) refused.push_back(args->Type);
  return status;
}
NTSTATUS GetNodeMetadata(HANDLE adapter, UINT node, DXGKARG_GETNODEMETADATA* args) {
  Called("GetNodeMetadata");
  return between.real.DxgkDdiGetNodeMetadata(adapter, node, args);
}
NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
  Called(args->Flags.SystemProcess ? "CreateProcess, system" : "CreateProcess");
  return between.real.DxgkDdiCreateProcess(adapter, args);
}
NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  Called(args->Flags.SystemDevice ? "CreateDevice, system" : "CreateDevice");
  return between.real.DxgkDdiCreateDevice(adapter, args);
}
NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  Called("CreateContext, node " + std::to_string(args->NodeOrdinal) + ", flags " + std::to_string(args->Flags.Value));
  return between.real.DxgkDdiCreateContext(device, args);
}
NTSTATUS BuildPaging(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
  Called("operation " + std::to_string(args->Operation));
  return between.real.DxgkDdiBuildPagingBuffer(adapter, args);
}
void SetRoot(HANDLE adapter, CONST DXGKARG_SETROOTPAGETABLE* args) {
  Called("SetRootPageTable");
  between.real.DxgkDdiSetRootPageTable(adapter, args);
}

struct StartOrder : ::testing::Test {
  StartOrder() {
    order.clear();
    times.clear();
    refused.clear();
    between = {};
    between.table = [](DRIVER_INITIALIZATION_DATA& table) {
      table.DxgkDdiStartDevice = StartDevice;
      table.DxgkDdiQueryAdapterInfo = QueryCaps;
      table.DxgkDdiGetNodeMetadata = GetNodeMetadata;
      table.DxgkDdiCreateProcess = CreateProcess;
      table.DxgkDdiCreateDevice = CreateDevice;
      table.DxgkDdiCreateContext = CreateContext;
      table.DxgkDdiBuildPagingBuffer = BuildPaging;
      table.DxgkDdiSetRootPageTable = SetRoot;
    };
    bench.options.driver = Entry;
    bench.config.gpu.vram_mib = 8;
    // Isolation would add query FRAMEBUFFERSAVESIZE. No driver that was observed supports
    // isolation.
    bench.options.os.driver["Isolation"] = 0;
  }
  ~StartOrder() override { between = {}; }

  /// Runs the bring-up and keeps the calls up to the first SetRootPageTable.
  void Run(BringUp bring_up) {
    bench.options.os.bring_up = bring_up;
    const auto result = bench.Run([](workload::Life&) {});
    EXPECT_EQ(FaultsOf(result), "");
    const auto root = std::find(order.begin(), order.end(), "SetRootPageTable");
    ASSERT_NE(root, order.end());
    order.erase(root + 1, order.end());
  }

  /// Returns the number of consecutive calls at the first entry of `order` that equals `name`.
  static size_t Times(const std::string& name) {
    const auto at = std::find(order.begin(), order.end(), name);
    return at == order.end() ? 0 : times[static_cast<size_t>(at - order.begin())];
  }

  LifeBench bench;
};

/// Expects the queries and output sizes that were observed on Windows build 22621.
TEST_F(StartOrder, IsThatOfBuild22621UpToTheFirstRoot) {
  Run(BringUp::kWindows22621);
  EXPECT_THAT(order, ElementsAreArray({"StartDevice", "query 1, 592", "query 15, 32", "query 47, 4", "query 13, 24",
                                       "query 14, 20", "GetNodeMetadata", "query 11, 40", "query 16, 4", "query 10, 4",
                                       "CreateProcess, system", "CreateDevice, system",
                                       "CreateContext, node 0, flags 5", "operation 11", "SetRootPageTable"}));
  EXPECT_EQ(Times("query 14, 20"), 4u) << "once for each level";
  EXPECT_EQ(Times("query 11, 40"), 2u);
  EXPECT_EQ(Times("CreateDevice, system"), 2u);
  EXPECT_EQ(Times("operation 11"), 1028u);
  EXPECT_THAT(refused, ElementsAreArray({47u, 16u, 10u})) << "the start goes on without them";
}

/// Without the preset of Windows build 22621, the system sends only queries whose results it uses.
TEST_F(StartOrder, WithoutThePresetAsksOnlyForWhatIsUsed) {
  Run(BringUp::kLinked);
  EXPECT_THAT(refused, IsEmpty());
  for (const char* unused : {"query 47, 4", "query 16, 4", "query 10, 4"})
    EXPECT_EQ(std::count(order.begin(), order.end(), unused), 0) << unused;
  EXPECT_EQ(Times("CreateDevice, system"), 1u);
}

}  // namespace
}  // namespace gmmu::os::test
