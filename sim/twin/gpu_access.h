// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

namespace gmmu::sim::twin {

/// A CPU access that has arrived at a GPU.
struct GpuAccess {
  enum class Target : uint8_t { kRegisters, kWindow, kConfig } target = Target::kRegisters;
  bool write = false;
  uint64_t offset = 0;
  std::vector<uint8_t> data;  ///< data to write; for a read, only its size matters
  /// Called with the bytes read (none for a write). `ok` is false if the access failed.
  std::function<void(bool ok, const std::vector<uint8_t>& data)> done;
};

}  // namespace gmmu::sim::twin
