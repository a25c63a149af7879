// SPDX-License-Identifier: Apache-2.0
// Calls the built-in driver from two threads concurrently, in combinations that no scenario
// contains. The driver is compiled so that each of its memory accesses is observed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "app/load_driver.h"
#include "kmd/escape.h"
#include "kmd/segments.h"
#include "os/application/gpu.h"
#include "tb/sw/os/life_bench.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

constexpr uint64_t kSeeds = 12;

DRIVER_INITIALIZATION_DATA real{};
/// Sequence numbers of the driver's context allocations.
std::vector<uint64_t> sequences;
int allocations = 0;
/// Called before DxgkDdiSetPowerState.
std::function<void(PVOID, DEVICE_POWER_STATE)> on_power;
bool dpc_may_run = true;

Scheduler& Threads() { return Kernel::Current().scheduler(); }

NTSTATUS CreateAllocation(DXGKARGCB_CREATECONTEXTALLOCATION* args) {
  args->hAllocation = reinterpret_cast<HANDLE>(static_cast<uintptr_t>(++allocations));
  Threads().Preempt();
  return STATUS_SUCCESS;
}
D3DGPU_VIRTUAL_ADDRESS MapAllocation(HANDLE, CONST DXGKARGCB_MAPCONTEXTALLOCATION*) { return 0x10000; }
NTSTATUS UpdateAllocation(HANDLE, CONST DXGKARGCB_UPDATECONTEXTALLOCATION* args) {
  sequences.push_back(static_cast<const kmd::ContextRecord*>(args->pPrivateDriverData)->sequence);
  return STATUS_SUCCESS;
}
NTSTATUS DestroyAllocation(HANDLE, HANDLE) { return STATUS_SUCCESS; }

NTSTATUS Start(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children) {
  interface->DxgkCbCreateContextAllocation = CreateAllocation;
  interface->DxgkCbMapContextAllocation = MapAllocation;
  interface->DxgkCbUpdateContextAllocation = UpdateAllocation;
  interface->DxgkCbDestroyContextAllocation = DestroyAllocation;
  return real.DxgkDdiStartDevice(context, info, interface, sources, children);
}
NTSTATUS SetPowerState(PVOID context, ULONG uid, DEVICE_POWER_STATE state, POWER_ACTION action) {
  if (on_power) on_power(context, state);
  return real.DxgkDdiSetPowerState(context, uid, state, action);
}
void Deferred(PVOID context) {
  if (!dpc_may_run) Threads().Spin([] { return dpc_may_run; }, "the deferred call's turn");
  real.DxgkDdiDpcRoutine(context);
}

NTSTATUS Watched(PDRIVER_OBJECT object, PUNICODE_STRING path) {
  static const PDRIVER_INITIALIZE entry = app::LoadDriver(GMMU_DRIVERS "watched.so");
  const NTSTATUS status = entry(object, path);
  DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
  table.DxgkDdiStartDevice = Start;
  table.DxgkDdiSetPowerState = SetPowerState;
  table.DxgkDdiDpcRoutine = Deferred;
  return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
}

struct WatchedCalls : ::testing::Test {
  using Call = std::function<void()>;

  ~WatchedCalls() override {
    on_power = nullptr;
    dpc_may_run = true;
  }

  /// Runs one power cycle of the machine for each seed. No run may have a data race.
  void ForEachSeed(const std::function<void(Life&)>& body) {
    for (uint64_t seed = 0; seed < kSeeds && !HasFailure(); ++seed) {
      LifeBench bench;
      bench.config.gpu.vram_mib = 4;
      bench.options.driver = Watched;
      bench.options.os.seed = bench.options.seed = seed;
      bench.options.os.preemption = 500;
      bench.options.os.driver = driver;
      sequences.clear();
      allocations = 0;
      on_power = nullptr;
      dpc_may_run = true;
      bool ended = false;
      const auto result = bench.Run([&](Life& life) {
        body(life);
        ended = true;
      });
      EXPECT_TRUE(ended) << "seed " << seed;
      for (const Fault& fault : result.faults) {
        if (fault.source == "os") ADD_FAILURE() << "seed " << seed << ": " << fault.text;
      }
    }
  }
  /// Runs both calls concurrently.
  static void Together(Life& life, const Call& one, const Call& other) {
    int ended = 0;
    const auto spawn = [&](const char* name, const Call& call) {
      life.host.Spawn(name, [&ended, call] {
        call();
        ++ended;
      });
    };
    spawn("one", one);
    spawn("other", other);
    life.host.Wait([&] { return ended == 2; }, "two threads");
  }

  std::map<std::string, uint64_t> driver;
};

/// A process with a device. Its contexts are created in the driver only, without the OS model.
struct Owner {
  Owner(Life& life, const std::string& name) : life(life) {
    life.adapter.driver_objects().OpenProcess(handles, name, false);
    life.adapter.driver_objects().OpenDevice(handles, name, false);
  }
  void Close() { life.adapter.driver_objects().DestroyProcess(handles); }
  HANDLE CreateContext() {
    DXGKARG_CREATECONTEXT args{};
    args.hContext = handles.dxgk_device;
    args.NodeOrdinal = life.gpu().facts().render_node;
    args.EngineAffinity = 1;
    args.Flags.VirtualAddressing = 1;
    EXPECT_EQ(life.adapter.miniport().CreateContext(handles.device, args), STATUS_SUCCESS);
    return args.hContext;
  }
  void CreateAndDestroyContexts(int count) {
    for (int i = 0; i < count; ++i) life.adapter.miniport().DestroyContext(CreateContext());
  }
  uint64_t process() const { return reinterpret_cast<uint64_t>(handles.process); }

  Life& life;
  ProcessHandles handles;
};

DXGKARG_ESCAPE EscapeOf(kmd::EscapeRunClient& run) {
  DXGKARG_ESCAPE args{};
  args.pPrivateDriverData = &run;
  args.PrivateDriverDataSize = sizeof run;
  return args;
}

void FlushTlb(Life& life, HANDLE process) {
  alignas(8) uint8_t commands[256];
  DXGKARG_BUILDPAGINGBUFFER args{};
  args.Operation = DXGK_OPERATION_FLUSH_TLB;
  args.pDmaBuffer = commands;
  args.DmaSize = sizeof commands;
  args.FlushTlb.hProcess = process;
  args.FlushTlb.RootPageTableAddress = {kmd::kVramSegment, 0, 0x300000};
  EXPECT_EQ(life.adapter.miniport().BuildPagingBuffer(args), STATUS_SUCCESS);
}

TEST_F(WatchedCalls, TwoContextsAreNotTheSameInTheirSequence) {
  driver["ContextBytes"] = 4096;
  ForEachSeed([](Life& life) {
    Owner first(life, "first"), second(life, "second");
    Together(life, [&] { first.CreateAndDestroyContexts(3); }, [&] { second.CreateAndDestroyContexts(3); });
    EXPECT_EQ(std::set<uint64_t>(sequences.begin(), sequences.end()).size(), 6u);
    first.Close();
    second.Close();
  });
}

TEST_F(WatchedCalls, TwoContextsOfADeviceMakeTheOneAllocationOnce) {
  driver["ContextBytes"] = 4096;
  driver["ContextShared"] = 1;
  ForEachSeed([](Life& life) {
    Owner owner(life, "owner");
    HANDLE contexts[2] = {};
    Together(life, [&] { contexts[0] = owner.CreateContext(); }, [&] { contexts[1] = owner.CreateContext(); });
    EXPECT_EQ(allocations, 1);
    for (HANDLE context : contexts) life.adapter.miniport().DestroyContext(context);
    owner.Close();
  });
}

TEST_F(WatchedCalls, AProcessIsAskedForItsSpaceWhileItsContextsComeAndGo) {
  for (const bool client : {false, true}) {
    ForEachSeed([client](Life& life) {
      Owner owner(life, "owner");
      const auto ask = [&] {
        for (int i = 0; i < 6; ++i) {
          if (client) {
            // This client run contains no accesses, so the driver looks up its space and then
            // rejects it.
            kmd::EscapeRunClient run;
            run.process = owner.process();
            EXPECT_EQ(life.gpu().Ask(run), STATUS_INVALID_PARAMETER);
          } else {
            kmd::EscapeQuerySpace space;
            space.process = owner.process();
            life.gpu().Ask(space);
          }
        }
      };
      Together(life, [&] { owner.CreateAndDestroyContexts(4); }, ask);
      owner.Close();
    });
  }
}

TEST_F(WatchedCalls, AFlushIsBuiltWhileASpaceIsTakenAndWhileARootIsSet) {
  for (const bool root : {false, true}) {
    ForEachSeed([root](Life& life) {
      Owner owner(life, "owner"), other(life, "other");
      HANDLE context = other.CreateContext();
      const auto change = [&] {
        if (!root) return owner.CreateAndDestroyContexts(4);
        for (const UINT64 offset : {0x301000, 0x302000, 0x303000}) {
          DXGKARG_SETROOTPAGETABLE args{context, {kmd::kVramSegment, 0, offset}, 512};
          life.adapter.miniport().SetRootPageTable(args);
        }
      };
      Together(life, change, [&] {
        for (int i = 0; i < 4; ++i) FlushTlb(life, owner.handles.process);
      });
      life.adapter.miniport().DestroyContext(context);
      owner.Close();
      other.Close();
    });
  }
}

TEST_F(WatchedCalls, AFenceIsAnnouncedWhileTheInterruptRoutineLooks) {
  ForEachSeed([](Life& life) {
    Owner owner(life, "owner");
    HANDLE context = owner.CreateContext();
    Allocation* filled = nullptr;
    life.Work([&] { life.vidmm.MakeResident(*(filled = life.vidmm.CreateAllocation("filled", hw::kPageSize))); });
    bool ended = false;
    const auto fill = [&] {
      for (uint32_t word = 0; word < 4; ++word) {
        life.Work([&] { life.vidmm.transfers().Fill(*filled, 0, hw::kPageSize, word); });
        life.host.Wait([&] { return life.graphics.idle(life.gpu().facts().paging_node); }, "the paging node");
      }
      ended = true;
    };
    const auto announce = [&] {
      while (!ended) {
        const uint64_t until = life.kernel.hal().NowNs() + 300;
        life.host.Wait([&] { return ended || life.kernel.hal().NowNs() >= until; }, "time to pass", 100);
        alignas(8) uint8_t commands[256];
        DXGKARG_SIGNALMONITOREDFENCE args{};
        args.pDmaBuffer = commands;
        args.DmaSize = sizeof commands;
        args.MonitoredFenceGpuVa = 0x10000;
        EXPECT_EQ(life.adapter.miniport().SignalMonitoredFence(context, args), STATUS_SUCCESS);
      }
    };
    Together(life, announce, fill);
    life.Work([&] { life.vidmm.DestroyAllocation(filled); });
    life.adapter.miniport().DestroyContext(context);
    owner.Close();
  });
}

// A delayed deferred call drains the fault log while the log is being stopped or restarted.
TEST_F(WatchedCalls, FaultsAreDrainedWhileTheGpuIsSwitchedOffAndOnAgain) {
  for (const DEVICE_POWER_STATE late : {PowerDeviceD3, PowerDeviceD0}) {
    ForEachSeed([late](Life& life) {
      Owner owner(life, "owner");
      HANDLE context = owner.CreateContext();
      bool faulted = false;
      on_power = [&](PVOID adapter, DEVICE_POWER_STATE state) {
        if (state == PowerDeviceD3) {
          dpc_may_run = false;
          const uint64_t before = life.kernel.scheduler().delivered();
          kmd::EscapeRunClient run;  // the client faults, because the space has no root
          run.process = owner.process();
          run.count = run.step = 1;
          const DXGKARG_ESCAPE args = EscapeOf(run);
          EXPECT_EQ(real.DxgkDdiEscape(adapter, &args), STATUS_SUCCESS);
          Threads().Spin([&] { return life.kernel.scheduler().delivered() != before; }, "the fault");
          faulted = true;
        }
        dpc_may_run = dpc_may_run || state == late;
      };
      life.power_cycle([] {});
      on_power = nullptr;
      EXPECT_TRUE(faulted);
      life.adapter.miniport().DestroyContext(context);
      owner.Close();
    });
  }
}

}  // namespace
}  // namespace gmmu::os::test
