// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "hw/gmmu_regs.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::workload {

struct Life;

/// Pages that are each filled with one 32-bit word, and a client that reads them. The four bytes of
/// a word are equal, because the WDDM documentation does not give the width of FillPattern. The
/// checks are added to the run's result.
class PageWords {
 public:
  explicit PageWords(Life& life, unsigned client = 0) : life_(life), client_(client) {}

  /// Creates an allocation in the VRAM of GPU `gpu` with page i filled with Words(first, pages)[i]. Call on the VidMm
  /// worker thread only.
  os::Allocation* Make(const std::string& name, uint64_t pages, uint32_t first, unsigned gpu = 0);
  /// Reads the pages that start at `va`, which must contain `words`, one word per page.
  void Read(os::GpuProcess* process, const std::string& what, uint64_t va, const std::vector<uint32_t>& words,
            bool execute = false);
  /// Accesses the page and requires that the access ends with the fault `fault`.
  void Fault(os::GpuProcess* process, const std::string& what, uint64_t va, regs::Fault fault,
             regs::Access access = regs::Access::kRead);
  /// Returns the memory contents of pages filled with `words`.
  static std::vector<uint8_t> Bytes(const std::vector<uint32_t>& words);
  /// Returns the word with number `at`. Two words differ if the difference between their numbers is
  /// 1 to 254.
  static uint32_t Word(uint32_t at) { return (at % 255 + 1) * 0x01010101; }
  static std::vector<uint32_t> Words(uint32_t first, uint64_t count);

 private:
  Life& life_;
  const unsigned client_;
};

}  // namespace gmmu::workload
