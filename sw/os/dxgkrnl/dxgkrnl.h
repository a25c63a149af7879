// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/base/dma_policy.h"

namespace gmmu::os {

class AllocationHandles;
class FrameBuffer;
class IsolationMemory;
class Kernel;
class LogicalAdapter;
class MemoryObjects;
class PhysicalAdapter;
struct AllocationRequest;

/// The user-mode display driver. Its private data is passed unchanged to the kernel-mode display
/// driver; only these two drivers know the format.
struct UserModeDriver {
  /// Returns the private data of an allocation for DxgkDdiCreateAllocation
  /// (DXGK_ALLOCATIONINFO.pPrivateDriverData).
  std::function<std::vector<uint8_t>(const AllocationRequest& request)> allocation_data;
  /// Returns the hardware id of a process's address space (used only by instruments), or nullopt if
  /// the process has no id yet. `process` is hKmdProcess.
  std::function<std::optional<unsigned>(PhysicalAdapter& adapter, HANDLE process)> space_of;
};

/// The part of the graphics kernel that all adapters of a machine share: the loaded drivers, the
/// physical memory objects, and the map from adapter handles to adapters.
///
/// Exactly one exists at a time, because eight of the driver's callbacks have no argument that
/// identifies the instance.
class Dxgkrnl {
 public:
  explicit Dxgkrnl(Kernel& kernel);
  ~Dxgkrnl();
  Dxgkrnl(const Dxgkrnl&) = delete;
  Dxgkrnl& operator=(const Dxgkrnl&) = delete;

  /// Returns the existing Dxgkrnl. Triggers a bug check if there is none.
  static Dxgkrnl& Current();

  Kernel& kernel() { return kernel_; }
  MemoryObjects& objects() { return *objects_; }
  IsolationMemory& isolation_memory() { return *isolation_memory_; }
  FrameBuffer& frame_buffer() { return *frame_buffer_; }
  /// Handles of the allocations that devices have opened.
  AllocationHandles& allocation_handles() { return *allocation_handles_; }

  /// Records that GPU isolation was switched on. It stays on until the machine is restarted.
  void NoteIsolation() { isolation_noted_ = true; }
  bool isolation_noted() const { return isolation_noted_; }

  /// Records structure members that the driver sets but the model does not implement
  /// (unmodelled.h).
  void NoteUnmodelled(const std::vector<std::string>& members);
  /// Returns all structure members that NoteUnmodelled recorded, each once, in the order of the
  /// calls.
  const std::vector<std::string>& unmodelled() const;

  /// Returns the table that the driver passes to DxgkInitialize. The first load runs the driver's DriverEntry. Throws
  /// OsError if DriverEntry fails or does not call DxgkInitialize, or if the driver is older than WDDM 2.0.
  const DRIVER_INITIALIZATION_DATA& Load(PDRIVER_INITIALIZE entry);
  /// Calls DxgkDdiUnload after the last adapter has unloaded the driver.
  void Unload(PDRIVER_INITIALIZE entry);
  /// Implements DxgkInitialize, which DriverEntry calls. Copies the part of the table that the driver's version
  /// defines.
  void OnDriverTable(const DRIVER_INITIALIZATION_DATA& table);
  /// Returns the table that the running DriverEntry has most recently passed to DxgkInitialize. A
  /// program that wraps the driver copies this table, inserts its own functions and calls
  /// DxgkInitialize again.
  const DRIVER_INITIALIZATION_DATA& table_so_far() const;

  /// The user-mode display driver.
  void set_user_mode_driver(UserModeDriver driver) { user_mode_driver_ = std::move(driver); }
  const UserModeDriver& user_mode_driver() const { return user_mode_driver_; }

  /// Selects the DMA mode of adapters that are started later.
  RemapPolicy remap_policy() const { return remap_policy_; }
  void set_remap_policy(RemapPolicy policy) { remap_policy_ = policy; }

  void Register(LogicalAdapter& adapter);
  void Unregister(LogicalAdapter& adapter);
  /// Returns the physical adapter that a callback's handle identifies. Triggers a bug check if there is none.
  PhysicalAdapter& FromHandle(HANDLE handle);
  const std::vector<LogicalAdapter*>& adapters() const { return adapters_; }
  /// Returns the machine-wide index of a GPU. GPUs are numbered in the order in which enumeration
  /// first finds them.
  unsigned MachineUnit(uint16_t requester_id) {
    return machine_units_.try_emplace(requester_id, static_cast<unsigned>(machine_units_.size())).first->second;
  }

 private:
  struct Driver {
    DRIVER_INITIALIZATION_DATA table{};
    bool initialized = false;
    unsigned adapters = 0;
  };
  Kernel& kernel_;
  std::unique_ptr<MemoryObjects> objects_;
  std::unique_ptr<IsolationMemory> isolation_memory_;
  std::unique_ptr<FrameBuffer> frame_buffer_;
  std::unique_ptr<AllocationHandles> allocation_handles_;
  bool isolation_noted_ = false;
  std::map<PDRIVER_INITIALIZE, Driver> drivers_;
  Driver* loading_ = nullptr;
  std::vector<LogicalAdapter*> adapters_;
  std::map<uint16_t, unsigned> machine_units_;
  RemapPolicy remap_policy_;
  UserModeDriver user_mode_driver_;
};

}  // namespace gmmu::os
