// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;

/// Returns the 64-bit value of a fence whose memory contains `low`; `last` is an earlier value of
/// the fence. With DXGK_VIDSCHCAPS.No64BitAtomics (`narrow`), the GPU writes only the lower 32 bits
/// of a fence, and the first value at or after `last` with these bits is returned. Awaited values
/// must be within UINT_MAX / 2 of `last`.
inline uint64_t ExtendFence(uint64_t last, uint64_t low, bool narrow) {
  if (!narrow) return low;
  return last + (static_cast<uint32_t>(low) - static_cast<uint32_t>(last));
}

/// The monitored fence that follows a GPU's paging work. It is a page of system memory, mapped in
/// the paging process, to which the GPU writes ascending values in stream order
/// (SIGNAL_MONITORED_FENCE). For a driver older than WDDM 2.2, VidMm writes the value after the
/// paging buffer has completed.
class PagingFence {
 public:
  explicit PagingFence(PhysicalAdapter& gpu);
  ~PagingFence();

  void Make();
  void Release();
  const SystemBuffer& memory() const { return *page_; }
  /// The page number by which the GPU addresses the fence page.
  uint64_t page() const;
  /// GPU VA of the fence page in the paging process. PagingBringUp reserves and maps it.
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
