// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/miniport/gpu_packet.h"

namespace gmmu::os {

class PagingProcess;
class PagingWork;
class PhysicalAdapter;
class SystemBuffer;
struct Allocation;

/// The scratch windows of the paging process. A window is an address range through which a transfer, a fill or a single
/// operation accesses pages of an allocation and of system memory. A window is remapped only after the GPU has
/// completed the last packet that used it. Sizes and offsets are in bytes. Call on the VidMm worker thread only.
class ScratchWindows {
 public:
  struct Window {
    uint64_t system = 0;  ///< GPU VA that maps pages of system memory
    uint64_t local = 0;   ///< GPU VA that maps pages of a memory segment
    PacketId packet = 0;  ///< packet that last used the window
  };
  /// The part of an allocation that one window maps. A window begins at a page boundary of the segment, so `skip` bytes
  /// precede the requested bytes.
  struct Piece {
    uint64_t start, skip, size;
    uint64_t protection;  ///< the driver protection that all wanted pages share
  };
  static constexpr size_t kCount = 4;

  ScratchWindows(PhysicalAdapter& gpu, PagingWork& work, PagingProcess& paging)
      : gpu_(gpu), work_(work), paging_(paging) {}

  // All windows, for PagingBringUp, which sets their addresses and creates their tables.
  std::array<Window, kCount>& all() { return windows_; }
  /// A window for large fills, for pages of a memory segment only. It exists if fill_bytes() is not 0.
  Window& fill() { return fill_; }
  /// bytes() is the size of a window, fill_bytes() the size of the window for large fills (0: fills use ordinary
  /// windows).
  uint64_t bytes() const;
  uint64_t fill_bytes() const;
  /// Number of leaf tables of 64 KiB entries that the windows onto memory segments need, or 0 if there are none.
  uint64_t leaf_tables() const;
  /// Call when the tables are rebuilt, when no packet uses a window any more.
  void ForgetPackets();

  /// Next and NextForFill return a window after the GPU has completed the packets that used it. `bytes` must fit in the
  /// window.
  Window& Next();
  Window& NextForFill(uint64_t bytes);
  /// Returns the piece that starts at byte `at`, of at most `left` bytes and at most `pages` pages in the window.
  static Piece PieceAt(const Allocation& allocation, uint64_t at, uint64_t left, uint64_t pages);
  /// Maps a piece at `va`. Returns true if 64 KiB entries map it.
  bool Show(uint64_t va, const Allocation& allocation, const Piece& piece);
  /// Maps the same number of bytes of system memory, starting with the page that contains byte `at`. The driver sees
  /// `allocation` as the owner of the entries. Returns the same as Show.
  bool ShowSystem(uint64_t va, const SystemBuffer& buffer, uint64_t at, const Piece& piece,
                  const Allocation& allocation);
  /// Performs an operation on the allocation's first `bytes`; `operation` receives the address at which they are
  /// mapped. Returns when the GPU has completed it. Triggers a bug check if the bytes do not fit into a window.
  void InWindow(Allocation& allocation, uint64_t bytes,
                const std::function<DXGKARG_BUILDPAGINGBUFFER(uint64_t va)>& operation);

 private:
  bool Set(uint64_t va, const std::vector<DXGK_PTE>& entries, const Allocation& allocation, uint64_t offset,
           uint64_t driver_protection);
  /// Entries for an allocation's pages in VRAM. With 64 KiB pages, they extend to the end of the last such page.
  std::vector<DXGK_PTE> LocalEntries(const Allocation& allocation, uint64_t offset, uint64_t bytes) const;

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  PagingProcess& paging_;
  std::array<Window, kCount> windows_;
  Window fill_;
  size_t next_ = 0;
};

}  // namespace gmmu::os
