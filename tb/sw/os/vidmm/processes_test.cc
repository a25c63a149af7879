// SPDX-License-Identifier: Apache-2.0
// Tests the creation of processes that the driver rejects or for which there is no room. Everything
// that was created must be undone, on one GPU and over a link.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "os/vidmm/placement.h"
#include "os/base/page_math.h"
#include "tb/sw/os/linked_bench.h"

namespace gmmu::os::test {
namespace {

using ::testing::IsEmpty;
using workload::Life;

std::string refused;  // the object that the driver rejects; "" for none
UINT refused_engine = 0;

template <typename... Args>
NTSTATUS Unless(const char* what, NTSTATUS (*real)(Args...), Args... args) {
  return refused == what ? STATUS_NO_MEMORY : real(args...);
}
NTSTATUS RefuseProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
  return Unless("process", between.real.DxgkDdiCreateProcess, adapter, args);
}
NTSTATUS RefuseDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
  return Unless("device", between.real.DxgkDdiCreateDevice, adapter, args);
}
NTSTATUS RefuseContext(HANDLE device, DXGKARG_CREATECONTEXT* args) {
  if (args->EngineAffinity != 1u << refused_engine) return between.real.DxgkDdiCreateContext(device, args);
  return Unless("context", between.real.DxgkDdiCreateContext, device, args);
}

struct Case {
  const char* what;
  UINT engine = 0;
};
constexpr Case kRoom{"room", 0};

struct UndoBench : LinkedBench {
  explicit UndoBench(unsigned gpus) : LinkedBench(gpus) {
    refused = "";
    between.table = [](DRIVER_INITIALIZATION_DATA& table) {
      table.DxgkDdiCreateProcess = RefuseProcess;
      table.DxgkDdiCreateDevice = RefuseDevice;
      table.DxgkDdiCreateContext = RefuseContext;
    };
  }

  /// Expects that `create` fails for the given reason and leaves nothing allocated. Call on the worker thread.
  void ExpectUndone(Life& life, const Case& reason, const std::function<void()>& create) {
    std::vector<Allocation*> fill;
    VidMm& full = life.link.on(reason.engine);
    if (reason.what == std::string("room")) {
      for (uint64_t bytes = 256 << 10; bytes >= kPage; bytes /= 2) {
        while (true) {
          Allocation* allocation = full.CreateAllocation("fill", bytes);
          fill.push_back(allocation);
          if (!full.placement().TryMakeResident(*allocation)) break;
        }
      }
    }
    const std::vector<uint64_t> before = Free(life);
    const size_t held = life.kernel.ledger().Leaks().size();
    refused = reason.what;
    refused_engine = reason.engine;
    EXPECT_THROW(create(), OsError);
    refused = "";
    EXPECT_EQ(Free(life), before);
    EXPECT_EQ(life.kernel.ledger().Leaks().size(), held);
    for (Allocation* allocation : fill) full.DestroyAllocation(allocation);
  }
  static std::vector<uint64_t> Free(Life& life) {
    std::vector<uint64_t> bytes;
    for (unsigned gpu = 0; gpu < life.adapter.adapters(); ++gpu)
      bytes.push_back(life.adapter.physical(gpu).local_segment().space->free_bytes());
    return bytes;
  }
};

void ExpectGood(const workload::JobResult& result) {
  EXPECT_EQ(FaultOf(result), "");
  EXPECT_THAT(result.leaks, IsEmpty());
  EXPECT_THAT(result.findings, IsEmpty());
  for (const workload::Check& check : result.checks) EXPECT_TRUE(check.passed) << check.name << ": " << check.text;
}

TEST(ProcessUndo, OfOneThatIsRefusedNothingStays) {
  for (const Case& reason : {Case{"process"}, Case{"device"}, Case{"context"}, kRoom}) {
    SCOPED_TRACE(reason.what);
    UndoBench bench(1);
    ExpectGood(bench.Run([&](Life& life) {
      life.worker.Call([&] {
        bench.ExpectUndone(life, reason, [&] { life.vidmm.CreateProcess("refused"); });
        life.vidmm.DestroyProcess(life.vidmm.CreateProcess("the next"));
      });
    }));
  }
}

TEST(ProcessUndo, OverALinkThePartsOnOtherGpusGoToo) {
  for (const Case& reason :
       {Case{"process"}, Case{"device"}, Case{"context", 0}, Case{"context", 1}, Case{"context", 2}, Case{"room", 1}}) {
    SCOPED_TRACE(std::string(reason.what) + " on adapter " + std::to_string(reason.engine));
    UndoBench bench(3);
    bench.options.os.driver["DriverVaBytes"] = 1;  // so that reserved addresses must be freed too
    ExpectGood(bench.Run([&](Life& life) {
      life.worker.Call([&] { bench.ExpectUndone(life, reason, [&] { life.link.CreateProcess("refused"); }); });
      workload::FindProcedure("linked")->run(life, {{"pages", 1}, {"sleep", 0}, {"tables", 0}});
    }));
  }
}

// With PageTableUpdateRequireAddressSpaceIdle, the system suspends a process's contexts around
// table updates. On a GPU without a context of the process, there is none to suspend.
TEST(LinkedMemory, WorksWhereTablesChangeOnlyWhileTheirSpaceIsIdle) {
  LinkedBench bench;
  bench.options.os.driver["IdleForUpdates"] = 1;
  const workload::JobResult result = bench.RunLinked();
  ExpectGood(result);
  EXPECT_TRUE(result.verified);
}

}  // namespace
}  // namespace gmmu::os::test
