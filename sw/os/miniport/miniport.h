// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/kernel/kernel.h"
#include "os/kernel/guarded_copy.h"
#include "os/kernel/stack_meter.h"

namespace gmmu::os {

/// "UPDATE_PAGE_TABLE" for 11; the number where there is no name.
std::string NameOf(DXGK_BUILDPAGINGBUFFER_OPERATION operation);

/// A display driver as Dxgkrnl calls it for one logical adapter: every call into the driver's table is made
/// here, so that what holds for all of them is said once.
///
/// Calls are made at the IRQL that the interface promises (a bug check otherwise, and when the
/// driver returns at another one). An entry that the driver left empty is an OsError with its name.
/// So are the levels of threading (call_levels.h). A call of DxgkDdiBuildPagingBuffer that needs more stack than the
/// VidMm worker has left is bug check 0x50 (seen on build 22621).
/// A status that Windows answers with a bug check is one (sources: display driver interface,
/// DxgkDdiBuildPagingBuffer and DxgkDdiSubmitCommandVirtual; numbers as seen on builds 22621 and
/// 26100); `Require` makes any other refusal an OsError.
class Miniport {
 public:
  Miniport(Kernel& kernel, const DRIVER_INITIALIZATION_DATA& table) : kernel_(kernel), table_(table) {}

  const DRIVER_INITIALIZATION_DATA& table() const { return table_; }
  /// The driver's own pointer for a device, by the order of AddDevice; null before that.
  PVOID context(unsigned unit) const { return unit < contexts_.size() ? contexts_[unit] : nullptr; }
  /// Between StartDevice and StopDevice of the lead.
  bool started() const { return started_; }
  /// What level three calls must not meet: "" when the GPU is idle and video memory evicted, else what is not.
  void set_not_idle(std::function<std::string()> not_idle) { not_idle_ = std::move(not_idle); }
  /// Nobody is in a call of the GPU scheduler's class (call_levels.h). Wait: until it is so.
  bool scheduler_class_free() const { return !in_scheduler_class_; }
  void WaitForSchedulerClass(const char* entry);
  /// Most stack that a call of DxgkDdiBuildPagingBuffer used, bytes; 0 when it is not measured.
  size_t build_stack_used() const { return build_stack_used_; }
  /// Calls about the life of devices so far, in order.
  struct LifeCall {
    std::string entry;
    unsigned unit = 0;
    DEVICE_POWER_STATE state = PowerDeviceUnspecified;  ///< of DxgkDdiSetPowerState
  };
  const std::vector<LifeCall>& life() const { return life_; }
  /// Calls of an entry point so far, by its name ("DxgkDdiQueryAdapterInfo").
  uint64_t calls(const std::string& entry) const;

  // Life of a device; `unit` is its number in the order of AddDevice. These throw OsError when the driver refuses.
  void AddDevice(PDEVICE_OBJECT device);
  /// A device alone when the driver has no such entry.
  LINKED_DEVICE LinkDevice(PDEVICE_OBJECT device, unsigned unit);
  /// All calls but those with a unit are made with this one's context.
  void set_lead(unsigned unit) { lead_ = unit; }
  void StartDevice(DXGK_START_INFO& start, DXGKRNL_INTERFACE& interface, unsigned unit = 0);
  void StopDevice(unsigned unit = 0);
  void RemoveDevice(unsigned unit = 0);
  void SetPowerState(DEVICE_POWER_STATE state, POWER_ACTION action, unsigned unit = 0);
  /// Until EndExclusiveAccess nobody else enters the driver: who calls waits, and interrupts and deferred calls
  /// are held and made up for at the end. One at a time, each on a fibre of its own. `drain` returns when the
  /// driver holds no work and nothing new can come; calls are served meanwhile, those of a recovery too. Throws
  /// what `drain` does, and OsError when the driver refuses to begin; then it is as if nothing had been asked for.
  void BeginExclusiveAccess(const std::function<void()>& drain);
  /// Throws OsError when the driver refuses; the entries may be called again in any case.
  void EndExclusiveAccess();
  /// Interrupts and deferred calls that exclusive access held back, so far.
  uint64_t held() const { return held_; }
  bool InterruptRoutine(ULONG message, unsigned unit = 0);
  void DpcRoutine(unsigned unit = 0);

  /// Refusals are the caller's to judge.
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
  bool has_node_metadata() const { return table_.DxgkDdiGetNodeMetadata != nullptr; }
  NTSTATUS GetNodeMetadata(UINT node, UINT physical_adapter, DXGKARG_GETNODEMETADATA& metadata);

  NTSTATUS CreateProcess(DXGKARG_CREATEPROCESS& args);
  void DestroyProcess(HANDLE process);
  NTSTATUS CreateDevice(DXGKARG_CREATEDEVICE& args);
  void DestroyDevice(HANDLE device);
  NTSTATUS CreateContext(HANDLE device, DXGKARG_CREATECONTEXT& args);
  void DestroyContext(HANDLE context);
  NTSTATUS CreateAllocation(DXGKARG_CREATEALLOCATION& args);
  void DestroyAllocation(DXGKARG_DESTROYALLOCATION& args);

  // Refusals are the caller's to judge.
  NTSTATUS MapCpuHostAperture(DXGKARG_MAPCPUHOSTAPERTURE& args);
  NTSTATUS UnmapCpuHostAperture(DXGKARG_UNMAPCPUHOSTAPERTURE& args);

  /// Bytes of a root page table; 0 is a bug check, and so are fewer entries than asked for.
  uint64_t GetRootPageTableSize(DXGKARG_GETROOTPAGETABLESIZE& args);
  void SetRootPageTable(DXGKARG_SETROOTPAGETABLE& args);
  /// STATUS_SUCCESS, STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, or STATUS_GRAPHICS_ALLOCATION_BUSY from
  /// an operation that may return it while the allocation is not idle. All else is bug check 0x10E.
  NTSTATUS BuildPagingBuffer(DXGKARG_BUILDPAGINGBUFFER& args);
  /// STATUS_SUCCESS, or STATUS_INVALID_PARAMETER of a render packet. All else is bug check 0x119.
  NTSTATUS SubmitCommandVirtual(DXGKARG_SUBMITCOMMANDVIRTUAL& args);
  NTSTATUS SignalMonitoredFence(HANDLE context, DXGKARG_SIGNALMONITOREDFENCE& args);
  /// At DISPATCH. The answer comes as an interrupt; a refusal is bug check 0x119.
  void PreemptCommand(DXGKARG_PREEMPTCOMMAND& args);
  void QueryEngineStatus(DXGKARG_QUERYENGINESTATUS& args);
  /// Last fence that the node has completed; nullopt: the driver cannot say.
  std::optional<uint32_t> QueryCurrentFence(UINT node, UINT engine = 0);
  /// Nodes that must not run while `node` is reset, itself included (bug check when it is not).
  uint64_t QueryDependentEngineGroup(UINT node, UINT engine = 0);
  // Refusals are the scheduler's to judge.
  NTSTATUS ResetEngine(DXGKARG_RESETENGINE& args);
  NTSTATUS ResetFromTimeout();
  NTSTATUS RestartFromTimeout();
  NTSTATUS Escape(void* data, size_t bytes);

  /// Throws OsError when `status` is no success: "the driver refused <what> with status 0x...".
  static void Require(NTSTATUS status, const std::string& what);

 private:
  void Open();
  void PassGate(const char* entry, Irql level);
  void PassLevel(const char* entry);
  template <typename Function, typename... Args>
  auto Call(const char* entry, Function* function, Irql level, Args... args);

  Kernel& kernel_;
  const DRIVER_INITIALIZATION_DATA table_;
  PVOID lead() const { return context(lead_); }
  std::vector<PVOID> contexts_;
  std::vector<LifeCall> life_;
  unsigned lead_ = 0;
  bool started_ = false;
  bool claimed_ = false;         // somebody has exclusive access, or drains for it
  const void* owner_ = nullptr;  // the fibre that has it: between begin and end
  bool at_gate_ = false;         // its own calls to begin and end it
  unsigned inside_ = 0;          // calls at passive level that have not returned
  std::set<unsigned> held_interrupts_, held_dpcs_;  // of these units
  uint64_t held_ = 0;
  std::function<std::string()> not_idle_;
  bool in_scheduler_class_ = false;
  StackMeter stack_;
  GuardedCopy entries_, entries_64k_;  // of the call that is under way
  size_t build_stack_used_ = 0;
  std::map<std::string, uint64_t> calls_;
};

}  // namespace gmmu::os
