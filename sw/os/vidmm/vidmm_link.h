// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/vidmm/vidmm.h"

namespace gmmu::os {

class LinkedTables;

/// The video memory of a logical adapter: a VidMm for each of its GPUs, and the processes on all of
/// them. The behaviour comes from the documentation; it has not been observed on Windows.
///
/// A process has a single virtual address space on all linked GPUs, and page tables on each GPU. A
/// mapping can exist on one GPU or on all GPUs; a GPU accesses another GPU's memory over the link.
/// The table trees have the same shape on all GPUs, so a mapping on one GPU creates the mapping's
/// tables on all GPUs. Each GPU's tables are written by its own paging work. Each VidMm has its own
/// budgets, residency and transfers. As in VidMm, calls are made on the worker thread and return
/// when the work is complete.
class VidMmLink {
 public:
  static constexpr unsigned kMost = 4;

  struct Process {
    ~Process();

    std::string name;
    std::vector<GpuProcess*> parts;  ///< indexed by GPU
    std::unique_ptr<LinkedTables> tables;
  };

  /// The adapter must have been started.
  explicit VidMmLink(LogicalAdapter& adapter);
  ~VidMmLink();

  void Start();
  void Stop();
  /// Call after an adapter reset, which resets every GPU of the link.
  void Rebuild();

  unsigned gpus() const { return gpus_; }
  VidMm& on(unsigned gpu) { return *vidmm_.at(gpu); }

  /// Creates a process with a part on each GPU. If a part cannot be created, the other parts are
  /// destroyed and the exception is rethrown.
  Process* CreateProcess(const std::string& name);
  void DestroyProcess(Process* process);
  uint64_t ReserveVa(Process& process, uint64_t bytes) { return on(0).ReserveVa(*process.parts[0], bytes); }
  void FreeVa(Process& process, uint64_t va) { on(0).FreeVa(*process.parts[0], va); }

  /// Maps an allocation, which may be in the memory of any GPU, in the tables of GPU `gpu`.
  void Map(Process& process, unsigned gpu, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// Maps an allocation in the tables of every GPU.
  void MapEverywhere(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages);
  /// Copies the mappings of [source, source + bytes) to `target` in the tables of every GPU.
  void CopyEverywhere(Process& process, uint64_t source, uint64_t target, uint64_t bytes);
  /// Unmaps the range in the tables of every GPU, and frees the page tables that no other range
  /// needs.
  void UnmapEverywhere(Process& process, uint64_t va, uint64_t pages);

 private:
  void DestroyParts(Process& process);

  LogicalAdapter& adapter_;
  unsigned gpus_;
  // A VidMm cannot be moved, so the constructor creates each one in place.
  std::array<std::optional<VidMm>, kMost> vidmm_;
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace gmmu::os
