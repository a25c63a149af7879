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

/// The scratch windows of the paging process: address ranges through which a transfer, a fill or
/// another operation accesses pages of an allocation and of system memory. A window is remapped
/// only after the GPU has completed the last packet that used it. Sizes and offsets are in bytes.
/// Call on the VidMm worker thread only.
class ScratchWindows {
 public:
  struct Window {
    uint64_t system = 0;  ///< GPU VA that maps pages of system memory
    uint64_t local = 0;   ///< GPU VA that maps pages of a memory segment
    PacketId packet = 0;  ///< packet that last used the window
  };
  /// The part of an allocation that one window maps. It begins at a page boundary of the segment,
  /// so `skip` bytes precede the requested bytes.
  struct Piece {
    uint64_t start, skip, size;
    uint64_t protection;  ///< driver protection of all requested pages
  };
  static constexpr size_t kCount = 4;

  ScratchWindows(PhysicalAdapter& gpu, PagingWork& work, PagingProcess& paging)
      : gpu_(gpu), work_(work), paging_(paging) {}

  // Returns all windows. PagingBringUp sets their addresses and creates their tables.
  std::array<Window, kCount>& all() { return windows_; }
  /// The window for large fills, which maps only pages of a memory segment. It exists if
  /// fill_bytes() is not 0.
  Window& fill() { return fill_; }
  /// bytes() is the size of a window; fill_bytes() is the size of the window for large fills, or 0
  /// if fills use ordinary windows.
  uint64_t bytes() const;
  uint64_t fill_bytes() const;
  /// Returns the number of leaf tables of 64 KiB entries that the windows onto memory segments
  /// need; 0 if the GPU has no such tables.
  uint64_t leaf_tables() const;
  /// Call when the tables are rebuilt. No packet may use a window at that time.
  void ForgetPackets();

  /// Next and NextForFill wait until the GPU has completed the packets that used the window, and
  /// return it. NextForFill returns the window for large fills if `bytes` exceeds the size of an
  /// ordinary window.
  Window& Next();
  Window& NextForFill(uint64_t bytes);
  /// Returns the piece that starts at byte `at` of the allocation. It has at most `left` bytes and
  /// takes at most `pages` pages of the window.
  static Piece PieceAt(const Allocation& allocation, uint64_t at, uint64_t left, uint64_t pages);
  /// Maps a piece at `va`. Returns true if it was mapped with 64 KiB entries.
  bool Show(uint64_t va, const Allocation& allocation, const Piece& piece);
  /// Maps as many bytes of `buffer` as the piece has, starting with the page that contains byte
  /// `at`. The driver receives `allocation` as the owner of the entries. Returns true if 64 KiB
  /// entries were used.
  bool ShowSystem(uint64_t va, const SystemBuffer& buffer, uint64_t at, const Piece& piece,
                  const Allocation& allocation);
  /// Maps the allocation's first `bytes` bytes in a window and performs the operation that
  /// `operation` returns for the window's address. Returns when the GPU has completed the
  /// operation. Triggers a bug check if the bytes do not fit into a window.
  void InWindow(Allocation& allocation, uint64_t bytes,
                const std::function<DXGKARG_BUILDPAGINGBUFFER(uint64_t va)>& operation);

 private:
  bool Set(uint64_t va, const std::vector<DXGK_PTE>& entries, const Allocation& allocation, uint64_t offset,
           uint64_t driver_protection);
  /// Returns the entries for a part of an allocation. If the GPU has 64 KiB pages, they extend to
  /// the end of the last 64 KiB page.
  std::vector<DXGK_PTE> LocalEntries(const Allocation& allocation, uint64_t offset, uint64_t bytes) const;

  PhysicalAdapter& gpu_;
  PagingWork& work_;
  PagingProcess& paging_;
  std::array<Window, kCount> windows_;
  Window fill_;
  size_t next_ = 0;
};

}  // namespace gmmu::os
