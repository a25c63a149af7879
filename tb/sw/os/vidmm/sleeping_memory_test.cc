// SPDX-License-Identifier: Apache-2.0
// Tests what processes retain across D3 and S4. For S4, the expected behaviour follows reports by
// driver authors; everything else follows Microsoft's documentation. Neither has been observed on
// Windows.
#include <algorithm>
#include <memory>

#include "os/memory/system_buffer.h"
#include "os/base/page_math.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/placement.h"
#include "os/vidmm/process_tables.h"
#include "tb/sw/os/driver_front.h"
#include "workload/render_buffer.h"

namespace gmmu::os::test {
namespace {

using ::testing::Contains;
using workload::Life;

class SleepWithProcesses : public DriverFront, public ::testing::WithParamInterface<POWER_ACTION> {
 protected:
  static void Sleep(Life& life) {
    life.vidmm.Sleep();
    EXPECT_EQ(life.adapter.local_segment().space->ranges(), 0u) << "nothing is in VRAM when its power goes";
    life.adapter.PowerDown(GetParam());
    life.adapter.PowerUp();
    life.vidmm.Wake();
  }
};

TEST_P(SleepWithProcesses, ContextsAllocationsAddressesAndProtectionsAreAsBefore) {
  std::vector<HANDLE> told;
  Run([&](Life& life) {
    VidMm& vidmm = life.vidmm;
    GpuProcess *one = nullptr, *other = nullptr;
    Allocation *data = nullptr, *more = nullptr, *away = nullptr;
    uint64_t va = 0, second = 0, nowhere = 0;
    life.worker.Call([&] {
      one = vidmm.CreateProcess("one");
      other = vidmm.CreateProcess("other");
      data = Filled(life, 4, 0x100);
      more = Filled(life, 2, 0x200);
      away = vidmm.CreateAllocation("away", kPage);
      va = vidmm.ReserveVa(*one, 4 * kPage);
      second = vidmm.ReserveVa(*other, 2 * kPage);
      nowhere = vidmm.ReserveVa(*one, kPage);
      vidmm.Map(*one, va, *data, 0, 3);
      Protection read_only = Protection::All();
      read_only.type.Write = 0;
      vidmm.Map(*one, va + 3 * kPage, *data, 3, 1, read_only);
      vidmm.Map(*other, second, *more, 0, 2);
      vidmm.Map(*one, nowhere, *away, 0, 1);
      vidmm.Unmap(*one, va + kPage, 1);
    });
    const HANDLE contexts[] = {one->handles.context, other->handles.context};
    for (int times = 0; times < 2; ++times) {
      told.clear();
      seen.root = [&](const DXGKARG_SETROOTPAGETABLE& args) { told.push_back(args.hContext); };
      life.worker.Call([&] { Sleep(life); });
      seen.root = nullptr;
      for (const HANDLE context : contexts) EXPECT_THAT(told, Contains(context)) << "its tables are other ones now";
      EXPECT_EQ(one->handles.context, contexts[0]);
      EXPECT_FALSE(one->handles.state->lost || other->handles.state->lost);
      Reads(life, one, va, {0x100});
      Reads(life, one, va + 2 * kPage, {0x102, 0x103});
      Reads(life, other, second, {0x200, 0x201});
      Faults(life, one, va + 3 * kPage, regs::Fault::kWriteProtect, true);
      Faults(life, one, va + kPage, regs::Fault::kEntryInvalid);
      EXPECT_FALSE(away->local) << "what was not resident is not brought";
      Faults(life, one, nowhere, regs::Fault::kEntryInvalid);
    }
    life.worker.Call([&] {
      for (const uint64_t address : {va, nowhere}) vidmm.FreeVa(*one, address);
      vidmm.FreeVa(*other, second);
      for (Allocation* allocation : {data, more, away}) vidmm.DestroyAllocation(allocation);
      vidmm.DestroyProcess(one);
      vidmm.DestroyProcess(other);
    });
  });
}

// Tests mappings without an allocation: system memory, zeros in a leaf table, and zeros in a root
// entry.
TEST_P(SleepWithProcesses, MappingsOfSystemMemoryAndZerosAreAsBefore) {
  Run([](Life& life) {
    VidMm& vidmm = life.vidmm;
    const Geometry& geometry = life.adapter.caps().geometry;
    const uint64_t large = uint64_t{1} << geometry.Shift(geometry.count() - 1);
    GpuProcess* process = nullptr;
    SystemBuffer buffer;
    uint64_t system = 0, zeros = 0, root_zeros = 0;
    life.worker.Call([&] {
      process = vidmm.CreateProcess("one");
      buffer = SystemBuffer(life.kernel, life.adapter.objects(), life.adapter.handle(), 2 * kPage,
                            SystemBuffer::Shape::kScattered, "application");
      auto* words = reinterpret_cast<uint32_t*>(buffer.Map(0, 2 * kPage));
      for (const uint32_t page : {0u, 1u}) std::fill_n(words + page * kPage / 4, kPage / 4, 0x77 + page);
      buffer.Unmap();
      system = vidmm.ReserveVa(*process, 2 * kPage);
      vidmm.mappings().MapSystem(*process, system, buffer);
      zeros = vidmm.ReserveVa(*process, 2 * kPage);
      vidmm.mappings().MapZero(*process, zeros, 2);
      root_zeros = vidmm.ReserveVa(*process, large, large);
      vidmm.mappings().MapZero(*process, root_zeros, large / kPage);
    });
    for (int times = 0; times < 2; ++times) {
      life.worker.Call([&] { Sleep(life); });
      Reads(life, process, system, {0x77, 0x78});
      Reads(life, process, zeros, {0, 0});
      Reads(life, process, root_zeros + large - kPage, {0});
      Faults(life, process, zeros + 2 * kPage, regs::Fault::kEntryInvalid);
    }
    life.worker.Call([&] {
      for (const uint64_t va : {system, zeros, root_zeros}) vidmm.FreeVa(*process, va);
      buffer.Release();
      vidmm.DestroyProcess(process);
    });
  });
}

// When the sleep begins, the driver holds some packets, which must take effect. The other packets
// are still queued in the system and run after the sleep. Each packet copies what the previous
// packet wrote.
TEST_P(SleepWithProcesses, WhatTheGpuIsDoingIsDoneOrWaits) {
  constexpr uint32_t kPackets = 24, kPages = 8, kBytes = kPages * kPage;
  Run([](Life& life) {
    VidMm& vidmm = life.vidmm;
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    uint64_t va = 0;
    life.worker.Call([&] {
      process = vidmm.CreateProcess("one");
      data = vidmm.CreateAllocation("data", (kPackets + 1) * kBytes);
      vidmm.MakeResident(*data);
      vidmm.transfers().Fill(*data, 0, kBytes, 0x77);
      vidmm.transfers().Fill(*data, kBytes, kPackets * kBytes, 0);
      va = vidmm.ReserveVa(*process, (kPackets + 1) * kBytes);
      vidmm.Map(*process, va, *data, 0, (kPackets + 1) * kPages);
    });
    std::vector<std::unique_ptr<workload::RenderBuffer>> buffers;
    for (uint64_t i = 0; i < kPackets; ++i) {
      buffers.push_back(std::make_unique<workload::RenderBuffer>(life, process, kPage));
      buffers.back()->Copy(va + i * kBytes, va + (i + 1) * kBytes, kBytes);
    }
    std::vector<PacketId> packets;
    for (const auto& buffer : buffers) packets.push_back(buffer->Submit("a copy"));
    EXPECT_FALSE(life.adapter.vidsch().Ended(packets.front()));
    life.worker.Call([&] { Sleep(life); });
    for (const PacketId packet : packets)
      EXPECT_EQ(life.adapter.vidsch().Wait(packet, 1'000'000'000), PacketEnd::kCompleted);
    Reads(life, process, va, std::vector<uint32_t>((kPackets + 1) * kPages, 0x77));
    for (const auto& buffer : buffers) buffer->Release();
    life.worker.Call([&] {
      vidmm.FreeVa(*process, va);
      vidmm.DestroyAllocation(data);
      vidmm.DestroyProcess(process);
    });
  });
}

// Tables that were evicted before the sleep stay evicted after it, until they are restored.
TEST_P(SleepWithProcesses, TablesThatWereEvictedBeforeStayEvicted) {
  Run([](Life& life) {
    VidMm& vidmm = life.vidmm;
    GpuProcess* process = nullptr;
    uint64_t va = 0;
    life.worker.Call([&] {
      process = vidmm.CreateProcess("one");
      va = vidmm.ReserveVa(*process, kPage);
      vidmm.mappings().MapZero(*process, va, 1);
      vidmm.tables().Evict(*process);
      Sleep(life);
      EXPECT_TRUE(process->space->evicted());
      vidmm.tables().Restore(*process);
    });
    Reads(life, process, va, {0});
    life.worker.Call([&] {
      vidmm.FreeVa(*process, va);
      vidmm.DestroyProcess(process);
    });
  });
}

// If an allocation is destroyed during sleep, its saved contents and its entries in the saved
// tables are dropped.
TEST_P(SleepWithProcesses, WhatIsDestroyedMeanwhileDoesNotComeBack) {
  Run([](Life& life) {
    VidMm& vidmm = life.vidmm;
    GpuProcess* process = nullptr;
    Allocation *data = nullptr, *more = nullptr;
    uint64_t va = 0;
    life.worker.Call([&] {
      process = vidmm.CreateProcess("one");
      data = Filled(life, 2, 0x100);
      more = Filled(life, 1, 0x200);
      va = vidmm.ReserveVa(*process, 3 * kPage);
      vidmm.Map(*process, va, *data, 0, 2);
      vidmm.Map(*process, va + 2 * kPage, *more, 0, 1);
      vidmm.Sleep();
      vidmm.DestroyAllocation(data);
      life.adapter.PowerDown(GetParam());
      life.adapter.PowerUp();
      vidmm.Wake();
    });
    Faults(life, process, va, regs::Fault::kEntryInvalid);
    Faults(life, process, va + kPage, regs::Fault::kEntryInvalid);
    Reads(life, process, va + 2 * kPage, {0x200});
    life.worker.Call([&] {
      vidmm.FreeVa(*process, va);
      vidmm.DestroyAllocation(more);
      vidmm.DestroyProcess(process);
    });
  });
}

// An allocation with explicit residency notification is reported without an address before D3, and
// with a new address afterwards.
TEST_P(SleepWithProcesses, NoticesOfResidencyGoWithTheContent) {
  std::vector<bool> resident;
  Run([&](Life& life) {
    Allocation* told = nullptr;
    life.worker.Call([&] {
      AllocationRequest request;
      request.name = "told";
      request.bytes = 4 * kPage;
      request.explicit_residency = true;
      told = life.vidmm.CreateAllocation(request);
      life.vidmm.MakeResident(*told);
      life.vidmm.transfers().Fill(*told, 0, 4 * kPage, 0x55);
      life.vidmm.placement().NotifyResident(*told);
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) {
        if (args.Operation == DXGK_OPERATION_NOTIFY_RESIDENCY) resident.push_back(args.NotifyResidency.Resident);
      });
      Sleep(life);
      seen.operation = nullptr;
      life.vidmm.DestroyAllocation(told);
    });
  });
  EXPECT_EQ(resident, (std::vector<bool>{false, true}));
}

INSTANTIATE_TEST_SUITE_P(All, SleepWithProcesses, ::testing::Values(PowerActionSleep, PowerActionHibernate));

}  // namespace
}  // namespace gmmu::os::test
