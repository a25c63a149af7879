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

/// The user-mode half of the display driver. Its data is passed to the kernel-mode driver unchanged; only the two
/// halves know its format.
struct UserModeDriver {
  /// Private data for DxgkDdiCreateAllocation (DXGK_ALLOCATIONINFO.pPrivateDriverData).
  std::function<std::vector<uint8_t>(const AllocationRequest& request)> allocation_data;
  /// Returns the hardware's number of a process' address space (for instruments only), or nullopt if there is none yet.
  /// `process` is hKmdProcess.
  std::function<std::optional<unsigned>(PhysicalAdapter& adapter, HANDLE process)> space_of;
};

/// The part of the graphics kernel that all adapters of a machine share: the loaded drivers, the physical memory
/// objects, and the adapters by their handles.
///
/// Exactly one exists at a time, because eight of the driver's callbacks have no argument that names it.
class Dxgkrnl {
 public:
  explicit Dxgkrnl(Kernel& kernel);
  ~Dxgkrnl();
  Dxgkrnl(const Dxgkrnl&) = delete;
  Dxgkrnl& operator=(const Dxgkrnl&) = delete;

  /// Returns the existing Dxgkrnl; triggers a bug check if there is none.
  static Dxgkrnl& Current();

  Kernel& kernel() { return kernel_; }
  MemoryObjects& objects() { return *objects_; }
  IsolationMemory& isolation_memory() { return *isolation_memory_; }
  FrameBuffer& frame_buffer() { return *frame_buffer_; }
  /// Handles of allocations that devices have opened.
  AllocationHandles& allocation_handles() { return *allocation_handles_; }

  /// Notes that GPU isolation was switched on: it stays on while the machine runs.
  void NoteIsolation() { isolation_noted_ = true; }
  bool isolation_noted() const { return isolation_noted_; }

  /// Notes members that the driver declares and the model does not implement (unmodelled.h).
  void NoteUnmodelled(const std::vector<std::string>& members);
  /// All noted members, each once, in the order in which they were noted.
  const std::vector<std::string>& unmodelled() const;

  /// Returns the table that the driver passes to DxgkInitialize; its DriverEntry runs at the first load. Throws OsError
  /// if the driver refuses, does not call DxgkInitialize, or is older than WDDM 2.0.
  const DRIVER_INITIALIZATION_DATA& Load(PDRIVER_INITIALIZE entry);
  /// Calls DxgkDdiUnload after the last adapter has unloaded the driver.
  void Unload(PDRIVER_INITIALIZE entry);
  /// Implements DxgkInitialize, called inside DriverEntry. Copies the part of the table that its version has.
  void OnDriverTable(const DRIVER_INITIALIZATION_DATA& table);
  /// The table that a running DriverEntry has passed. A program that wraps the driver copies it, inserts its own
  /// functions and calls DxgkInitialize again.
  const DRIVER_INITIALIZATION_DATA& table_so_far() const;

  /// The user-mode half of the display driver.
  void set_user_mode_driver(UserModeDriver driver) { user_mode_driver_ = std::move(driver); }
  const UserModeDriver& user_mode_driver() const { return user_mode_driver_; }

  /// The DMA mode of adapters that are started from now on.
  RemapPolicy remap_policy() const { return remap_policy_; }
  void set_remap_policy(RemapPolicy policy) { remap_policy_ = policy; }

  void Register(LogicalAdapter& adapter);
  void Unregister(LogicalAdapter& adapter);
  /// The physical adapter of a callback's handle; triggers a bug check if there is none.
  PhysicalAdapter& FromHandle(HANDLE handle);

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
  RemapPolicy remap_policy_;
  UserModeDriver user_mode_driver_;
};

}  // namespace gmmu::os
