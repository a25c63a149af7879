// SPDX-License-Identifier: Apache-2.0
#include "tb/sw/kmd/started_driver.h"

#include <gtest/gtest.h>

#include <utility>

namespace gmmu::kmd::test {

StartedDriver::StartedDriver(std::map<std::string, uint64_t> parameters, bool preemption) {
  kernel.parameters = std::move(parameters);
  EXPECT_EQ(kernel.Load(), STATUS_SUCCESS);
  if (kernel.parameters.count("Leaf64k") != 0)
    kernel.reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(4).raw;
  if (preemption) {
    kernel.reg(regs::Id::kOffset) = regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(4).raw;
    kernel.reg(regs::Cap0::kOffset) = regs::Cap0{}.set_clients(4).set_spaces(4).set_rings(2).raw;
    kernel.reg(regs::Cap2::kOffset) = regs::Cap2{}.set_patterns(1).set_traffic(4).raw;
  }
  EXPECT_EQ(kernel.Start(), STATUS_SUCCESS);
  system_process = CreateProcess(true);
  system_device = CreateDevice(system_process);
  system_context = CreateContext(system_device, true);
  process = CreateProcess(false);
  device = CreateDevice(process);
  context = CreateContext(device, false);
  kernel.writes.clear();
}

StartedDriver::~StartedDriver() {
  const auto& table = kernel.table;
  for (HANDLE handle : {context, system_context}) table.DxgkDdiDestroyContext(handle);
  for (HANDLE handle : {device, system_device}) table.DxgkDdiDestroyDevice(handle);
  for (HANDLE handle : {process, system_process}) table.DxgkDdiDestroyProcess(kernel.adapter, handle);
  kernel.Unload();
  EXPECT_EQ(kernel.pool_blocks, 0);
  EXPECT_EQ(kernel.objects + kernel.adls + kernel.views + kernel.bars, 0);
}

HANDLE StartedDriver::CreateProcess(bool system) {
  DXGKARG_CREATEPROCESS args{};
  args.Flags.SystemProcess = system;
  EXPECT_EQ(kernel.table.DxgkDdiCreateProcess(kernel.adapter, &args), STATUS_SUCCESS);
  return args.hKmdProcess;
}

HANDLE StartedDriver::CreateDevice(HANDLE owner) {
  DXGKARG_CREATEDEVICE args{};
  args.hKmdProcess = owner;
  EXPECT_EQ(kernel.table.DxgkDdiCreateDevice(kernel.adapter, &args), STATUS_SUCCESS);
  return args.hDevice;
}

HANDLE StartedDriver::CreateContext(HANDLE on, bool system, NTSTATUS* status) {
  DXGKARG_CREATECONTEXT args{};
  // The system's handle for the context.
  args.hContext = reinterpret_cast<HANDLE>(uint64_t{0xD000});
  args.Flags.SystemContext = system;
  args.Flags.VirtualAddressing = 1;
  const NTSTATUS result = kernel.table.DxgkDdiCreateContext(on, &args);
  if (status != nullptr) *status = result;
  else EXPECT_EQ(result, STATUS_SUCCESS);
  return args.hContext;
}

}  // namespace gmmu::kmd::test
