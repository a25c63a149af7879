// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/application/host.h"

namespace gmmu::os {
struct Allocation;
class Gpu;
}  // namespace gmmu::os

namespace gmmu::workload {

struct Life;

/// Copies the bytes of aperture pages to CPU memory, as the GPU sees them. The paging engine moves
/// them from the aperture into VRAM (TRANSFER), and from VRAM into a host buffer
/// (VIRTUAL_TRANSFER). Call on the VidMm worker thread only.
class DeviceCopy {
 public:
  /// Allocates buffers for up to `bytes` bytes.
  DeviceCopy(Life& life, uint64_t bytes);
  void Release();

  std::vector<uint8_t> FromAperture(uint64_t aperture_page, uint64_t bytes);

 private:
  Life& life_;
  os::Allocation* vram_ = nullptr;
  os::SystemBuffer target_;
};

/// CPU accesses to the VRAM of the built-in driver's hardware, at any offset. The functions move
/// the window of BAR 2 if necessary and set it back to 0, so the driver must not access VRAM
/// meanwhile.
void ReadVram(const Life& life, const os::Gpu& gpu, uint64_t offset, std::vector<uint8_t>& to);
void WriteVram(const Life& life, const os::Gpu& gpu, uint64_t offset, const std::vector<uint8_t>& from);
/// Returns the offset of an allocation's first page in the VRAM of the built-in driver's hardware. The allocation must
/// be in a memory segment.
uint64_t OffsetInVram(const os::Gpu& gpu, const os::Allocation& allocation);

/// Returns the bytes that a client's run with a pattern seed writes at [va, va + bytes).
std::vector<uint8_t> PatternAt(uint64_t va, uint64_t bytes, uint64_t seed);
/// Describes the first difference, or returns "" if the contents are equal.
std::string Difference(const std::vector<uint8_t>& found, const std::vector<uint8_t>& expected);

}  // namespace gmmu::workload
