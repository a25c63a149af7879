// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "hw/user_mode.h"
#include "os/application/gpu.h"
#include "os/vidmm/vidmm.h"
#include "os/dxgkrnl/dxgkrnl.h"

namespace gmmu::workload {

struct ClientEnd;
struct ClientRun;

/// The user-mode half of a driver other than the built-in one (hw/user_mode.h). Scenarios use it
/// instead of kmd/escape.h. At most one plug-in exists at a time; while none exists, the driver
/// must support the escapes of the built-in driver.
class PlugIn {
 public:
  /// `driver` must not be null. Its version must be this program's version or older.
  explicit PlugIn(const GMMU_USER_MODE_DRIVER* driver);
  ~PlugIn();
  PlugIn(const PlugIn&) = delete;
  PlugIn& operator=(const PlugIn&) = delete;

  /// Returns the current plug-in, or null if there is none. If it is null, the driver supports the
  /// built-in driver's escapes.
  static const PlugIn* Current();
  /// Number of clients that software emulates. Their accesses are serial, not parallel as on a GPU.
  static constexpr unsigned kClients = 4;

  os::UserModeDriver ForSystem() const;
  /// Continues the run until it has made `until` accesses in total. Each access is translated
  /// through the driver's page tables and then performed on memory as the device would perform it.
  /// A fault ends the run.
  void Run(os::VidMm& vidmm, const ClientRun& run, uint64_t until, ClientEnd& end) const;

  bool has_commands() const { return driver_->copy != nullptr && driver_->fill != nullptr; }
  /// Returns whether the plug-in can write commands with allocation lists, for a GPU without
  /// virtual addresses.
  bool has_listed_copy() const { return driver_->version >= 2 && driver_->list_copy != nullptr; }
  bool has_listed_fill() const { return has_listed_copy() && driver_->list_fill != nullptr; }
  const GMMU_USER_MODE_DRIVER& driver() const { return *driver_; }

 private:
  const GMMU_USER_MODE_DRIVER* const driver_;
};

/// Returns the number of the GPU's client ports that have a traffic engine, or the number of
/// clients that the plug-in emulates. Throws OsError if it is 0.
unsigned ClientsOf(const os::Gpu& gpu);
/// Returns the size of VRAM as applications see it. With the built-in driver this is all of VRAM,
/// including the driver's own part, or the size of the largest segment if there are several memory
/// segments. If the GPU has no memory segment, it is the size of the aperture, or a default size if
/// there is no aperture either.
uint64_t MemoryOf(const os::Gpu& gpu);

}  // namespace gmmu::workload
