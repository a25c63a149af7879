// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>

namespace gmmu::os {

class PhysicalAdapter;
class SystemBuffer;

/// Extends `low` to 64 bits as the successor of `last`: only the lower half of a fence is written when
/// DXGK_VIDSCHCAPS.No64BitAtomics is set. Values that are waited for must be within UINT_MAX / 2 of `last`.
inline uint64_t ExtendFence(uint64_t last, uint64_t low, bool narrow) {
  if (!narrow) return low;
  return last + (static_cast<uint32_t>(low) - static_cast<uint32_t>(last));
}

/// The monitored fence after a GPU's paging work: one page of system memory, mapped in the paging process, in which the
/// GPU writes ascending values in stream order (SIGNAL_MONITORED_FENCE). For a driver before WDDM 2.2 VidMm writes them
/// when the buffer has ended.
class PagingFence {
 public:
  explicit PagingFence(PhysicalAdapter& gpu);
  ~PagingFence();

  void Make();
  void Release();
  const SystemBuffer& memory() const { return *page_; }
  /// Number of the page, as the GPU uses it.
  uint64_t page() const;
  /// Address of the page in the paging process, bytes; PagingBringUp reserves and maps it.
  uint64_t va() const { return va_; }
  void set_va(uint64_t va) { va_ = va; }
  /// The value that the next signal writes.
  uint64_t Next() { return ++value_; }
  /// Returns when the GPU has written the last value of Next. Throws OsTimeout or DeviceFault.
  void Wait();

 private:
  PhysicalAdapter& gpu_;
  std::unique_ptr<SystemBuffer> page_;
  const uint8_t* cpu_ = nullptr;
  uint64_t va_ = 0;
  uint64_t value_ = 0, seen_ = 0;
};

}  // namespace gmmu::os
