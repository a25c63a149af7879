// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "os/application/host.h"
#include "os/vidmm/vidmm.h"
#include "workload/lines.h"

namespace gmmu::workload {

struct ClientRun;
struct JobOptions;
struct JobResult;
struct Life;

/// The application of the main job, which runs on its fibre while the adapter is on.
class MainJob {
 public:
  explicit MainJob(Life& life);

  /// Performs steps 2 to 6 of the main job for the whole input, piece by piece.
  void Run();
  /// Returns the host physical pages of the buffers that were sources or targets of paging.
  const std::vector<uint64_t>& pages_used() const { return pages_used_; }

 private:
  struct Piece {
    uint64_t offset = 0;  ///< offset in the input
    uint64_t bytes = 0;   ///< bytes of the input
    uint64_t padded = 0;  ///< bytes, rounded up to whole lines
    uint64_t pages = 0;
    uint64_t lines = 0;
    std::vector<uint8_t> data;  ///< padded with zeros
    os::SystemBuffer source, target;
    os::Allocation* allocation = nullptr;
    os::Allocation* shown = nullptr;  ///< allocation with the same bytes in the aperture
  };
  void MakeProcesses(uint64_t piece_bytes);
  void RunPiece(uint64_t offset, uint64_t bytes, bool first);
  /// Injected fault: client 0 never accepts one response, so one of its slots stays in use.
  void LoseAnswer();
  void Allocate(Piece& piece);
  void PageIn(Piece& piece, bool first);
  void Use(Piece& piece);
  void PageOut(Piece& piece);
  void Aperture(Piece& piece);
  void ApertureChunk(Piece& piece, uint64_t first_page, uint64_t pages);
  void CheckUnmapped(Piece& piece, uint64_t first_page, uint64_t pages, uint64_t aperture_page);

  void Progress(const std::string& phase, uint64_t done) const;
  /// Writes `bytes` of `data` to a buffer through CPU views; if `data` is null, writes the pattern
  /// of `seed`.
  void Write(os::SystemBuffer& buffer, const uint8_t* data, uint64_t bytes, uint64_t seed);
  ClientRun Reader(unsigned client, os::GpuProcess* process, const uint8_t* expected, LineOrder order) const;

  Life& life_;
  os::VidMm& vidmm_;
  const JobOptions& options_;
  JobResult& result_;
  unsigned clients_ = 0;
  uint64_t va_ = 0;           // GPU VA of the data in both processes
  uint64_t aperture_va_ = 0;  // GPU VA of the aperture in the first process
  os::GpuProcess* first_ = nullptr;
  os::GpuProcess* second_ = nullptr;
  os::Allocation* other_ = nullptr;
  os::SystemBuffer other_source_;
  std::vector<uint8_t> other_data_;
  uint64_t done_ = 0;  // bytes of finished pieces
  std::vector<uint64_t> pages_used_;
};

}  // namespace gmmu::workload
