// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

class VidMm;

/// A process with a device, a context and allocations, created in the driver by an application's own thread while other
/// threads are in the driver. It bypasses the VidMm worker, so nothing is mapped or resident.
///
/// Close() must be called; the destructor frees nothing. Each call throws OsError if the driver fails the request.
class OwnObjects {
 public:
  /// Opens process, device and context.
  OwnObjects(VidMm& vidmm, const std::string& name);
  ~OwnObjects();
  /// Closes everything, allocations first.
  void Close();

  /// The driver's handles.
  HANDLE process() const;
  HANDLE CreateAllocation(const std::string& name, uint64_t bytes);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
