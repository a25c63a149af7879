// SPDX-License-Identifier: Apache-2.0
// Tests the system process and its devices.
#include "os/dxgkrnl/dxgkrnl.h"
#include "tb/sw/os/driver_front.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

class SystemProcess : public DriverFront {};

// Observed on Windows build 22621: CreateDevice is called twice for the system process.
TEST_F(SystemProcess, HasTwoDevicesInTheBringUpOf22621) {
  for (const BringUp order : {BringUp::kLinked, BringUp::kWindows22621}) {
    bench.options.os.bring_up = order;
    bench.config.gpu.vram_mib = 8;
    seen.devices = 0;
    Run([](Life&) {});
    EXPECT_EQ(seen.devices, order == BringUp::kWindows22621 ? 2u : 1u);
  }
}

// Observed on Windows build 26100: the system process has a PASID, and a driver that rejects it
// does not start.
TEST_F(SystemProcess, MayBringAPasidWhateverTheIommuModel) {
  for (const bool pasid : {false, true}) {
    static DRIVER_INITIALIZATION_DATA real;
    static ULONG process_pasids, device_pasid;
    process_pasids = device_pasid = 0;
    LifeBench bench;
    bench.options.driver = +[](PDRIVER_OBJECT object, PUNICODE_STRING path) -> NTSTATUS {
      const NTSTATUS status = DriverEntry(object, path);
      DRIVER_INITIALIZATION_DATA table = real = Dxgkrnl::Current().table_so_far();
      table.DxgkDdiCreateProcess = +[](HANDLE adapter, DXGKARG_CREATEPROCESS* args) -> NTSTATUS {
        if (args->Flags.SystemProcess) process_pasids += args->NumPasid;
        return real.DxgkDdiCreateProcess(adapter, args);
      };
      table.DxgkDdiCreateDevice = +[](HANDLE adapter, DXGKARG_CREATEDEVICE* args) -> NTSTATUS {
        if (args->Flags.SystemDevice) device_pasid = args->Pasid;
        return real.DxgkDdiCreateDevice(adapter, args);
      };
      return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
    };
    bench.options.os.system_process_has_pasid = pasid;
    bench.config.gpu.vram_mib = 4;
    const auto result = bench.Run([](Life& life) { workload::RunSeededMainJob(life, 5000); });
    EXPECT_TRUE(result.verified);
    EXPECT_EQ(process_pasids, pasid ? 1u : 0u);
    EXPECT_EQ(device_pasid != 0, pasid);
  }
}

}  // namespace
}  // namespace gmmu::os::test
