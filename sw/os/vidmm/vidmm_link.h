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

/// The video memory of a logical adapter: a VidMm for each of its GPUs, and the processes over all of them
/// (documents only).
///
/// A process has one space of virtual addresses over the link and page tables on each GPU. A mapping may be there
/// for one GPU or for all; where it names another GPU's memory, the entry leads over the link. The trees of tables
/// are the same everywhere, so a mapping on one GPU makes its tables on all. Each GPU's tables are written by its
/// own paging work, and budgets, residency and transfers are each VidMm's. Calls as VidMm's: on the worker, done
/// when they return.
class VidMmLink {
 public:
  static constexpr unsigned kMost = 4;

  struct Process {
    ~Process();

    std::string name;
    std::vector<GpuProcess*> parts;  ///< by GPU
    std::unique_ptr<LinkedTables> tables;
  };

  /// `adapter` has started.
  explicit VidMmLink(LogicalAdapter& adapter);
  ~VidMmLink();

  void Start();
  void Stop();
  /// After a reset of the adapter, which resets every GPU of the link.
  void Rebuild();

  unsigned gpus() const { return gpus_; }
  VidMm& on(unsigned gpu) { return *vidmm_.at(gpu); }

  /// When a GPU refuses its part, or has no room for it, the exception comes through and no GPU keeps a part.
  Process* CreateProcess(const std::string& name);
  void DestroyProcess(Process* process);
  uint64_t ReserveVa(Process& process, uint64_t bytes) { return on(0).ReserveVa(*process.parts[0], bytes); }
  void FreeVa(Process& process, uint64_t va) { on(0).FreeVa(*process.parts[0], va); }

  /// Entries in the tables of GPU `gpu` for an allocation in the memory of any GPU.
  void Map(Process& process, unsigned gpu, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// Entries in the tables of every GPU.
  void MapEverywhere(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages);
  /// Maps at `target` in the tables of every GPU what they have in [source, source + bytes).
  void CopyEverywhere(Process& process, uint64_t source, uint64_t target, uint64_t bytes);
  /// Makes the entries invalid in the tables of every GPU, and frees page tables that only served the range.
  void UnmapEverywhere(Process& process, uint64_t va, uint64_t pages);

 private:
  void DestroyParts(Process& process);

  LogicalAdapter& adapter_;
  unsigned gpus_;
  std::array<std::optional<VidMm>, kMost> vidmm_;  // a VidMm that is made anew has the same address
  std::vector<std::unique_ptr<Process>> processes_;
};

}  // namespace gmmu::os
