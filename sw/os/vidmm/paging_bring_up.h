// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace gmmu::os {

class PagingProcess;
class PagingWork;
class PhysicalAdapter;
class Placement;
class ScratchWindows;

/// Reserves the addresses that the paging process has from its start on, and makes its first tables in the order of
/// os/base/bring_up.h: every table that the scratch windows and the fence page need, so that later only leaf entries
/// change. Worker's.
class PagingBringUp {
 public:
  PagingBringUp(PhysicalAdapter& gpu, PagingWork& work, PagingProcess& paging, ScratchWindows& windows,
                Placement& placement)
      : gpu_(gpu), work_(work), paging_(paging), windows_(windows), placement_(placement) {}

  /// When the paging process is open and its queue has started.
  void ReserveVa();
  void FreeVa();
  /// Root, tables and entries; the driver is told of the root. There are none yet, or they were freed: at the start,
  /// after sleep, and, with the GPU not running (`gpu_runs`), inside a reset of the adapter: then what an order of
  /// Windows has the GPU do is left out. `rest`: further entries, which the CPU writes too.
  void MakeTables(bool gpu_runs, const std::function<void()>& rest);
  /// Gives the memory of the unexplained update back, before sleep; MakeTables takes some again.
  void FreeUnexplained();

 private:
  uint64_t Reserve(uint64_t bytes, std::optional<uint64_t> offset = std::nullopt);
  void WriteTables(bool gpu_runs);
  void WriteTablesOf26100(bool gpu_runs);
  void MapPagingBuffers();
  void WriteUnexplained();
  void FirstFill();

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  PagingProcess& paging_;
  ScratchWindows& windows_;
  Placement& placement_;
  std::vector<uint64_t> ranges_;  // of addresses
  uint64_t self_map_ = 0, buffers_va_ = 0, first_fill_ = 0;
  std::optional<uint64_t> unexplained_;  // offset in VRAM
};

}  // namespace gmmu::os
