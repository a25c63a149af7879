// SPDX-License-Identifier: Apache-2.0
// Runs power cycles of the machine with a wrapped driver. The wrapper observes every operation,
// submission and root.
#pragma once
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <vector>

#include "tb/sw/os/life_bench.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/vidmm/allocation.h"
#include "workload/clients.h"
#include "workload/lines.h"
#include "workload/procedures/procedures.h"

namespace gmmu::os::test {

using DriverBuildCall = std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&)>;

/// Functions that the wrapper calls to observe or replace the driver's entry points, and what it
/// has recorded.
struct Seen {
  std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> operation;
  std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&, const DriverBuildCall&)> instead;
  std::function<void(const DXGKARG_SUBMITCOMMANDVIRTUAL&)> submission;
  std::function<void(const DXGKARG_SETROOTPAGETABLE&)> root;
  std::function<NTSTATUS(DXGKARG_CREATEPROCESS&)> process;
  std::function<void(const DXGKARG_QUERYADAPTERINFO&)> answer;  // called after the driver has responded
  unsigned devices = 0, destroyed = 0;
  DXGKRNL_INTERFACE interface{};
  DRIVER_INITIALIZATION_DATA real{};
};
inline Seen seen;

class DriverFront : public ::testing::Test {
 protected:
  using BuildCall = DriverBuildCall;

  DriverFront() {
    seen = {};
    bench.options.driver = Entry;
    bench.config.gpu.vram_mib = 4;
    bench.config.gpu.rings = 2;
  }
  ~DriverFront() override { seen = {}; }

  /// Calls `watch` with each operation from VidMm, in order, before the driver receives it.
  void Watch(std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> watch) { seen.operation = std::move(watch); }
  /// Calls `instead` in place of the driver. `instead` may itself call the driver.
  void Instead(std::function<NTSTATUS(DXGKARG_BUILDPAGINGBUFFER&, const BuildCall&)> instead) {
    seen.instead = std::move(instead);
  }

  /// Runs a power cycle of the machine, which must pass.
  workload::JobResult Run(const std::function<void(workload::Life&)>& body) {
    workload::JobResult result = bench.Run(body);
    for (const Fault& fault : result.faults) ADD_FAILURE() << fault.text;
    EXPECT_THAT(result.leaks, ::testing::IsEmpty());
    EXPECT_THAT(result.findings, ::testing::IsEmpty());
    return result;
  }
  workload::JobResult RunOnWorker(const std::function<void(workload::Life&)>& body) {
    return Run([&](workload::Life& life) { life.worker.Call([&] { body(life); }); });
  }
  void MainJobIsVerified(uint64_t bytes = 100'000) {
    const auto result = bench.Run([&](workload::Life& life) { workload::RunSeededMainJob(life, bytes); });
    EXPECT_THAT(result.faults, ::testing::IsEmpty());
    EXPECT_TRUE(result.verified);
  }
  /// Makes client 0 read one page per element of `words`, and checks that page i contains words[i],
  /// repeated.
  static void Reads(workload::Life& life, GpuProcess* process, uint64_t va, const std::vector<uint32_t>& words) {
    std::vector<uint8_t> expected;
    for (const uint32_t word : words)
      for (size_t i = 0; i < hw::kPageSize; ++i) expected.push_back(static_cast<uint8_t>(word >> i % 4 * 8));
    workload::ClientRun run = workload::AllLines(process, va, expected.size());
    run.crc = workload::LineCrc(expected.data(), run.order);
    EXPECT_TRUE(Passed(life, run)) << "at " << std::hex << va;
  }
  static void Faults(workload::Life& life, GpuProcess* process, uint64_t va, regs::Fault fault, bool write = false) {
    workload::ClientRun run = workload::AllLines(process, va, hw::kPageSize);
    run.fault = fault;
    run.write = write;
    EXPECT_TRUE(Passed(life, run)) << "at " << std::hex << va;
  }
  /// Returns an allocation in VRAM. Page i is filled with the word first + i.
  static Allocation* Filled(workload::Life& life, uint64_t pages, uint32_t first, uint64_t contiguous = 0) {
    Allocation* allocation = life.vidmm.CreateAllocation("filled", pages * hw::kPageSize);
    allocation->contiguous = contiguous;
    life.vidmm.MakeResident(*allocation);
    for (uint64_t page = 0; page < pages; ++page)
      life.vidmm.transfers().Fill(*allocation, page * hw::kPageSize, hw::kPageSize,
                                  first + static_cast<uint32_t>(page));
    return allocation;
  }

  LifeBench bench;

 private:
  static bool Passed(workload::Life& life, const workload::ClientRun& run) {
    std::vector<workload::Check> checks;
    RunClients(life.vidmm, {run}, "run", checks);
    return checks.at(0).passed;
  }
  static NTSTATUS Build(HANDLE adapter, DXGKARG_BUILDPAGINGBUFFER* args) {
    if (seen.operation) seen.operation(*args);
    const BuildCall call = [adapter](DXGKARG_BUILDPAGINGBUFFER& op) {
      return seen.real.DxgkDdiBuildPagingBuffer(adapter, &op);
    };
    return seen.instead ? seen.instead(*args, call) : call(*args);
  }
  static NTSTATUS Submit(HANDLE adapter, CONST DXGKARG_SUBMITCOMMANDVIRTUAL* args) {
    if (seen.submission) seen.submission(*args);
    return seen.real.DxgkDdiSubmitCommandVirtual(adapter, args);
  }
  static void SetRoot(HANDLE adapter, CONST DXGKARG_SETROOTPAGETABLE* args) {
    if (seen.root) seen.root(*args);
    seen.real.DxgkDdiSetRootPageTable(adapter, args);
  }
  static NTSTATUS Start(PVOID context, PDXGK_START_INFO info, PDXGKRNL_INTERFACE interface, PULONG sources,
                        PULONG children) {
    seen.interface = *interface;
    return seen.real.DxgkDdiStartDevice(context, info, interface, sources, children);
  }
  static NTSTATUS Query(HANDLE adapter, CONST DXGKARG_QUERYADAPTERINFO* args) {
    const NTSTATUS status = seen.real.DxgkDdiQueryAdapterInfo(adapter, args);
    if (NT_SUCCESS(status) && seen.answer) seen.answer(*args);
    return status;
  }
  static NTSTATUS CreateProcess(HANDLE adapter, DXGKARG_CREATEPROCESS* args) {
    if (seen.process) {
      const NTSTATUS status = seen.process(*args);
      if (!NT_SUCCESS(status)) return status;
    }
    return seen.real.DxgkDdiCreateProcess(adapter, args);
  }
  static NTSTATUS CreateDevice(HANDLE adapter, DXGKARG_CREATEDEVICE* args) {
    seen.devices += args->Flags.SystemDevice;
    return seen.real.DxgkDdiCreateDevice(adapter, args);
  }
  static NTSTATUS DestroyAllocation(HANDLE adapter, CONST DXGKARG_DESTROYALLOCATION* args) {
    seen.destroyed += args->NumAllocations;
    return seen.real.DxgkDdiDestroyAllocation(adapter, args);
  }
  static NTSTATUS Entry(PDRIVER_OBJECT object, PUNICODE_STRING path) {
    const NTSTATUS status = DriverEntry(object, path);
    DRIVER_INITIALIZATION_DATA table = seen.real = Dxgkrnl::Current().table_so_far();
    table.DxgkDdiBuildPagingBuffer = Build;
    table.DxgkDdiSubmitCommandVirtual = Submit;
    table.DxgkDdiSetRootPageTable = SetRoot;
    table.DxgkDdiStartDevice = Start;
    table.DxgkDdiQueryAdapterInfo = Query;
    table.DxgkDdiCreateProcess = CreateProcess;
    table.DxgkDdiCreateDevice = CreateDevice;
    table.DxgkDdiDestroyAllocation = DestroyAllocation;
    return NT_SUCCESS(status) ? DxgkInitialize(object, path, &table) : status;
  }
};

/// Makes a client read one page, and checks that the run ends with `fault` or reads `expected`.
inline workload::Check RunOnePage(workload::Life& life, GpuProcess* process, uint64_t va,
                                  std::optional<regs::Fault> fault, const std::vector<uint8_t>& expected) {
  workload::ClientRun run = workload::AllLines(process, va, hw::kPageSize);
  run.fault = fault;
  run.crc = workload::LineCrc(expected.data(), run.order);
  std::vector<workload::Check> checks;
  workload::RunClients(life.vidmm, {run}, "one page", checks);
  return checks.at(0);
}

}  // namespace gmmu::os::test
