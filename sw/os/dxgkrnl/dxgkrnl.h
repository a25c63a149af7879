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

/// What the system gets from the other half of the display driver, the one of user mode. Its data goes to the
/// kernel-mode driver as it is: the format is theirs alone.
struct UserModeDriver {
  /// Private data for DxgkDdiCreateAllocation (DXGK_ALLOCATIONINFO.pPrivateDriverData).
  std::function<std::vector<uint8_t>(const AllocationRequest& request)> allocation_data;
  /// Hardware's number of a process' address space, for instruments only; nullopt: it has none yet. `process`:
  /// hKmdProcess.
  std::function<std::optional<unsigned>(PhysicalAdapter& adapter, HANDLE process)> space_of;
};

/// What all adapters of a machine share in the graphics kernel: the loaded drivers, the physical
/// memory objects, and the adapters by their handles.
///
/// Exactly one lives at a time, because eight of the driver's callbacks have no argument that says
/// which.
class Dxgkrnl {
 public:
  explicit Dxgkrnl(Kernel& kernel);
  ~Dxgkrnl();
  Dxgkrnl(const Dxgkrnl&) = delete;
  Dxgkrnl& operator=(const Dxgkrnl&) = delete;

  /// The one that lives; a bug check when there is none.
  static Dxgkrnl& Current();

  Kernel& kernel() { return kernel_; }
  MemoryObjects& objects() { return *objects_; }
  IsolationMemory& isolation_memory() { return *isolation_memory_; }
  FrameBuffer& frame_buffer() { return *frame_buffer_; }
  /// Of allocations that devices have opened.
  AllocationHandles& allocation_handles() { return *allocation_handles_; }

  /// GPU isolation was switched on: it is not switched off again while the machine runs.
  void NoteIsolation() { isolation_noted_ = true; }
  bool isolation_noted() const { return isolation_noted_; }

  /// Something that the driver declares and the model does not carry out (unmodelled.h).
  void NoteUnmodelled(const std::vector<std::string>& members);
  /// All of it so far, each once, in the order in which it was met.
  const std::vector<std::string>& unmodelled() const;

  /// The table that the driver gives to DxgkInitialize; its DriverEntry runs at the first load.
  /// Throws OsError when it refuses, does not call, or is older than WDDM 2.0.
  const DRIVER_INITIALIZATION_DATA& Load(PDRIVER_INITIALIZE entry);
  /// Calls DxgkDdiUnload after the last adapter's.
  void Unload(PDRIVER_INITIALIZE entry);
  /// DxgkInitialize, inside of DriverEntry. Copies as much of the table as its version has.
  void OnDriverTable(const DRIVER_INITIALIZATION_DATA& table);
  /// The table that a running DriverEntry has given so far. A program that wraps the driver copies it,
  /// puts functions of its own in and calls DxgkInitialize again.
  const DRIVER_INITIALIZATION_DATA& table_so_far() const;

  /// The user-mode half of the display driver.
  void set_user_mode_driver(UserModeDriver driver) { user_mode_driver_ = std::move(driver); }
  const UserModeDriver& user_mode_driver() const { return user_mode_driver_; }

  /// Which mode of DMA adapters get that are started from now on.
  RemapPolicy remap_policy() const { return remap_policy_; }
  void set_remap_policy(RemapPolicy policy) { remap_policy_ = policy; }

  void Register(LogicalAdapter& adapter);
  void Unregister(LogicalAdapter& adapter);
  /// The physical adapter that a callback names; a bug check when there is none.
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
