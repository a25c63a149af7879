// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

class VidMm;

/// A process with a device, a context and allocations, which an application's own thread creates in
/// the driver while other threads are in the driver. Creation bypasses the VidMm worker, so nothing
/// is mapped or resident.
///
/// Close() must be called; the destructor frees nothing. Each function throws OsError if the driver
/// fails the request.
class OwnObjects {
 public:
  /// Creates the process, the device and the context.
  OwnObjects(VidMm& vidmm, const std::string& name);
  ~OwnObjects();
  /// Destroys all objects, allocations first.
  void Close();

  /// The driver's handles.
  HANDLE process() const;
  HANDLE CreateAllocation(const std::string& name, uint64_t bytes);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
