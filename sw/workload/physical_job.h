// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "os/application/host.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::workload {

struct JobOptions;
struct JobResult;
struct Life;

/// The application of the main job on a GPU without page tables. For each piece of the input, it
/// performs these steps:
///
///   page in       system memory -> video memory, by the paging engine
///   copy          video memory -> another allocation in video memory, by commands of a process
///   read back     both allocations -> an allocation in the aperture, by commands of two processes;
///                 the CPU compares the bytes
///   evict         the second allocation is evicted, then restored for a command: after a write,
///                 after reads only, and after another write
///   page out      video memory -> other pages of system memory
///   aperture      the paging engine reads pages through the aperture; unmapped pages must read as
///                 the dummy page
class PhysicalJob {
 public:
  explicit PhysicalJob(Life& life);
  void Run();
  /// Returns the host physical pages of the buffers that were sources or targets of paging.
  const std::vector<uint64_t>& pages_used() const { return pages_used_; }

 private:
  struct Piece {
    uint64_t offset = 0, bytes = 0, pages = 0;
    std::vector<uint8_t> data;  ///< padded with zeros to whole pages
    os::SystemBuffer source, target;
    os::Allocation *first = nullptr, *second = nullptr;
    os::Allocation* window = nullptr;  ///< allocation in the aperture, to read back through
    os::Allocation* shown = nullptr;   ///< allocation whose pages the job itself maps into the aperture
  };
  void RunPiece(uint64_t offset, uint64_t bytes, bool first);
  void PageIn(Piece& piece, bool first);
  void ReadBack(Piece& piece, os::GpuProcess* process, os::Allocation& from, const std::string& what);
  void Evict(os::Allocation& allocation);
  void ComeAndGo(Piece& piece);
  void PageOut(Piece& piece);
  void Aperture(Piece& piece);
  void Write(os::SystemBuffer& buffer, const uint8_t* data, uint64_t bytes, uint64_t seed) const;
  void Progress(const std::string& phase, uint64_t done) const;

  Life& life_;
  os::VidMm& vidmm_;
  const JobOptions& options_;
  JobResult& result_;
  os::GpuProcess *first_ = nullptr, *second_ = nullptr;
  bool fills_ = false;         // true: processes have a fill command
  bool has_aperture_ = false;  // false: the GPU has no view of system memory
  uint64_t done_ = 0;          // bytes of finished pieces
  std::vector<uint64_t> pages_used_;
};

}  // namespace gmmu::workload
