// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "ddi/dispmprt.h"
#include "os/kernel/ddi_names.h"

namespace gmmu::os {

class DeviceLife;
class DriverCalls;
class Kernel;
class PhysicalCalls;

/// A display driver's entry points as Dxgkrnl calls them for one logical adapter. DriverCalls makes each call.
/// DeviceLife contains the calls that add, start, stop and remove devices, PhysicalCalls those of the physical model.
///
/// A status to which Windows responds with a bug check triggers that bug check. Sources: display driver interface,
/// DxgkDdiBuildPagingBuffer and DxgkDdiSubmitCommandVirtual; the bug check numbers were observed on
/// Windows builds 22621 and 26100.
/// `Require` turns any other failure status into an OsError. A DxgkDdiBuildPagingBuffer call that needs more stack than
/// the VidMm worker has left triggers bug check 0x50 (observed on Windows build 22621).
class Miniport {
 public:
  Miniport(Kernel& kernel, const DRIVER_INITIALIZATION_DATA& table);
  ~Miniport();

  /// The driver's table and the rules for all calls into it.
  DriverCalls& driver() { return *driver_; }
  const DriverCalls& driver() const { return *driver_; }
  DeviceLife& devices() { return *devices_; }
  PhysicalCalls& physical() { return *physical_; }
  const DRIVER_INITIALIZATION_DATA& table() const;
  bool scheduler_class_free() const;
  void WaitForSchedulerClass(const char* entry);
  uint64_t calls(const std::string& entry) const;
  static void Require(NTSTATUS status, const std::string& what);

  /// The caller handles a failure status.
  NTSTATUS QueryAdapterInfo(DXGK_QUERYADAPTERINFOTYPE type, void* input, size_t input_bytes, void* output,
                            size_t output_bytes);
  template <typename Output>
  NTSTATUS Query(DXGK_QUERYADAPTERINFOTYPE type, Output& output) {
    return QueryAdapterInfo(type, nullptr, 0, &output, sizeof output);
  }
  template <typename Input, typename Output>
  NTSTATUS Query(DXGK_QUERYADAPTERINFOTYPE type, Input& input, Output& output) {
    return QueryAdapterInfo(type, &input, sizeof input, &output, sizeof output);
  }
  bool has_node_metadata() const { return table().DxgkDdiGetNodeMetadata != nullptr; }
  NTSTATUS GetNodeMetadata(UINT node, UINT physical_adapter, DXGKARG_GETNODEMETADATA& metadata);

  NTSTATUS CreateProcess(DXGKARG_CREATEPROCESS& args);
  void DestroyProcess(HANDLE process);
  NTSTATUS CreateDevice(DXGKARG_CREATEDEVICE& args);
  void DestroyDevice(HANDLE device);
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT& args);
  void DestroyContext(HANDLE context);
  NTSTATUS CreateAllocation(DXGKARG_CREATEALLOCATION& args);
  void DestroyAllocation(DXGKARG_DESTROYALLOCATION& args);

  // The caller handles a failure status.
  NTSTATUS MapCpuHostAperture(DXGKARG_MAPCPUHOSTAPERTURE& args);
  NTSTATUS UnmapCpuHostAperture(DXGKARG_UNMAPCPUHOSTAPERTURE& args);

  /// Returns the size in bytes of a root page table. A size of 0, or fewer entries than requested, triggers a bug
  /// check.
  uint64_t GetRootPageTableSize(DXGKARG_GETROOTPAGETABLESIZE& args);
  void SetRootPageTable(DXGKARG_SETROOTPAGETABLE& args);
  /// Returns STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, or STATUS_GRAPHICS_ALLOCATION_BUSY (only for an
  /// operation that may return it, and while the allocation is not idle). Any other status triggers bug check 0x10E.
  NTSTATUS BuildPagingBuffer(DXGKARG_BUILDPAGINGBUFFER& args);
  /// If `stay` is true, passes paging buffers and their private data to the driver directly instead of as guarded
  /// copies. In the physical model, the driver may read them until their submission has completed.
  void set_buffers_stay(bool stay) { buffers_stay_ = stay; }
  /// Returns STATUS_SUCCESS, or STATUS_INVALID_PARAMETER for a render packet. Other statuses trigger bug check 0x119.
  NTSTATUS SubmitCommandVirtual(DXGKARG_SUBMITCOMMANDVIRTUAL& args);
  /// Called at DISPATCH_LEVEL (DxgkDdiSubmitCommand). A failure status triggers bug check 0x119.
  void SubmitCommand(const DXGKARG_SUBMITCOMMAND& args);
  NTSTATUS SignalMonitoredFence(HANDLE context, DXGKARG_SIGNALMONITOREDFENCE& args);
  /// Called at DISPATCH_LEVEL. The driver responds with an interrupt. A failure status triggers bug check 0x119.
  void PreemptCommand(DXGKARG_PREEMPTCOMMAND& args);
  void QueryEngineStatus(DXGKARG_QUERYENGINESTATUS& args);
  /// Returns the fence that the node completed most recently, or nullopt if the driver does not
  /// report it.
  std::optional<uint32_t> QueryCurrentFence(UINT node, UINT engine = 0);
  /// Returns the set of nodes that must not run while `node` is reset. Triggers a bug check if the
  /// set does not contain `node`.
  uint64_t QueryDependentEngineGroup(UINT node, UINT engine = 0);
  // The scheduler handles a failure status.
  NTSTATUS ResetEngine(DXGKARG_RESETENGINE& args);
  NTSTATUS ResetFromTimeout();
  NTSTATUS RestartFromTimeout();
  NTSTATUS Escape(void* data, size_t bytes);

 private:
  Kernel& kernel_;
  const std::unique_ptr<DriverCalls> driver_;
  const std::unique_ptr<DeviceLife> devices_;
  const std::unique_ptr<PhysicalCalls> physical_;
  bool buffers_stay_ = false;
};

}  // namespace gmmu::os
