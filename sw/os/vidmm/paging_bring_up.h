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

/// Reserves the first addresses of the paging process and creates its first tables in one of the
/// orders that os/base/bring_up.h describes. It creates all tables that the scratch windows and the
/// fence page need, so that later only leaf entries change. Call on the VidMm worker thread only.
class PagingBringUp {
 public:
  PagingBringUp(PhysicalAdapter& gpu, PagingWork& work, PagingProcess& paging, ScratchWindows& windows,
                Placement& placement)
      : gpu_(gpu), work_(work), paging_(paging), windows_(windows), placement_(placement) {}

  /// Reserves the first addresses. Call after the paging process has been opened and its queue has
  /// started.
  void ReserveVa();
  void FreeVa();
  /// Creates the root, the other tables and their entries, and passes the root to the driver. No
  /// tables may exist: call it at the start, after sleep, and inside an adapter reset. During a
  /// reset, the GPU does not run (`gpu_runs` is false), so the steps of a Windows build's order
  /// that the GPU executes are omitted. `rest` is called to write further entries; the CPU performs
  /// these updates as well.
  void MakeTables(bool gpu_runs, const std::function<void()>& rest);
  /// Call before sleep. Frees the table of the unexplained update (Unexplained26100); MakeTables
  /// allocates it again.
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
  std::vector<uint64_t> ranges_;  // starts of the reserved GPU VA ranges
  uint64_t self_map_ = 0, buffers_va_ = 0, first_fill_ = 0;
  std::optional<uint64_t> unexplained_;  // VRAM offset of the table that WriteUnexplained updates
};

}  // namespace gmmu::os
