// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <string>
#include <vector>

#include "os/miniport/gpu_packet.h"
#include "os/vidsch/patch.h"

namespace gmmu::os {

class VidMm;
struct Allocation;
struct GpuProcess;
struct ListedCommands;

/// Submits a DMA buffer in as few pieces as its allocations permit ("Splitting a DMA Buffer"). A
/// piece ends at the SplitOffset of the first patch location that it does not include. Allocations
/// that are bound to a slot (SlotId) at a split stay resident at the same address for the remaining
/// pieces.
class DmaPieces {
 public:
  /// `whole` describes the complete buffer.
  DmaPieces(VidMm& vidmm, GpuProcess& process, const ListedCommands& commands, const DmaSubmission& whole,
            std::string what);
  ~DmaPieces();
  DmaPieces(const DmaPieces&) = delete;
  DmaPieces& operator=(const DmaPieces&) = delete;

  bool done() const { return start_ == whole_.end; }
  /// Makes the allocations of the next piece resident and queues the piece. Throws OsError if even
  /// the smallest possible piece needs more memory than is available.
  PacketId SubmitNext();

 private:
  using Patches = std::vector<D3DDDI_PATCHLOCATIONLIST>;
  /// Returns the allocations of the `count` patch locations that start at first_, and the
  /// allocations bound to slots that these locations do not rebind. Each allocation is listed once,
  /// in order.
  std::vector<Allocation*> Needed(size_t count) const;
  /// Returns the largest number of patch locations, up to `most`, after which the buffer can be
  /// split, or 0 if it cannot be split.
  size_t SplitAt(size_t most) const;
  size_t MakeResident();

  VidMm& vidmm_;
  GpuProcess& process_;
  const ListedCommands& commands_;
  const DmaSubmission& whole_;
  const std::string what_;
  UINT start_ = 0;              // offset of the next piece
  size_t first_ = 0;            // first patch location of the next piece
  std::map<UINT, UINT> slots_;  // slot -> index in the allocation list
};

}  // namespace gmmu::os
