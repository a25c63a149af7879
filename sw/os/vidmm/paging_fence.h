// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;

/// Extends `low` to the 64-bit fence value closest after `last`. With
/// DXGK_VIDSCHCAPS.No64BitAtomics (`narrow`), the GPU writes only the lower half of a fence.
/// Awaited values must be within UINT_MAX / 2 of `last`.
inline uint64_t ExtendFence(uint64_t last, uint64_t low, bool narrow) {
  if (!narrow) return low;
  return last + (static_cast<uint32_t>(low) - static_cast<uint32_t>(last));
}

/// The monitored fence that follows a GPU's paging work. It is a page of system memory, mapped in the paging process,
/// to which the GPU writes ascending values in stream order (SIGNAL_MONITORED_FENCE). For a driver before WDDM 2.2,
/// VidMm writes the value after the paging buffer has completed.
class PagingFence {
 public:
  explicit PagingFence(PhysicalAdapter& gpu);
  ~PagingFence();

  void Make();
  void Release();
  const SystemBuffer& memory() const { return *page_; }
  /// The page number of the fence page as the GPU sees it.
  uint64_t page() const;
  /// Byte address of the fence page in the paging process. PagingBringUp reserves and maps it.
  uint64_t va() const { return va_; }
  void set_va(uint64_t va) { va_ = va; }
  /// Increments the fence value and returns the new value, which the next signal must write.
  uint64_t Next() { return ++value_; }
  /// Waits until the GPU has written the value that Next returned most recently. Throws OsTimeout or DeviceFault.
  void Wait();

 private:
  PhysicalAdapter& gpu_;
  std::unique_ptr<SystemBuffer> page_;
  const uint8_t* cpu_ = nullptr;
  uint64_t va_ = 0;
  uint64_t value_ = 0, seen_ = 0;
};

}  // namespace gmmu::os
