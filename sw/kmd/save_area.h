// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/command_buffer.h"
#include "kmd/own_memory.h"

namespace gmmu::kmd {

class Adapter;

/// The location of an adapter's bytes in the system's sections. Every adapter that reports a size
/// has its own section. With SaveAreaShared, all adapters use the section of adapter 0, which holds
/// their bytes in the order of their indices.
struct SectionPart {
  UINT section = 0;     ///< PhysicalAdapterIndex
  uint64_t bytes = 0;   ///< size of the section, which is pinned as a whole
  uint64_t offset = 0;  ///< offset of the adapter's bytes in the section
};
SectionPart SectionPartOf(const Adapter& adapter);
/// The DXGK_FRAMEBUFFERSAVEAREA.MaximumSize that an adapter reports.
uint64_t SectionBytes(const Adapter& adapter);

/// The driver's part of VRAM whose bytes must survive a power transition, and the code that
/// transfers it.
///
/// The area is copied to pinned system pages in one transfer. If pinning fails, it is copied page
/// by page, through a small buffer of the driver and a window onto the same memory. If not even a
/// page can be mapped, the bytes are lost and the adapter starts with an empty area. A driver that
/// allocates memory through the GPU isolation callbacks gets the pages as an MDL
/// (DxgkCbPinFrameBufferForSave), other drivers as an ADL (DxgkCbPinFrameBufferForSave2).
class SaveArea {
 public:
  enum class State : uint32_t {
    kLive,     ///< never saved
    kPinned,   ///< the last transfer used pinned pages
    kChunked,  ///< the last transfer used windows, page by page
    kLost,     ///< the last transfer failed
  };

  /// Prepares to save the part of the adapter's VRAM that survives a power transition. Allocates
  /// nothing if there is no such part.
  [[nodiscard]] NTSTATUS Create(const MemoryCallbacks& callbacks, const Adapter& adapter);
  void Destroy();

  /// Call Save before power-off, with an idle ring. Call Restore after power-up, when the ring runs
  /// and VRAM contents are still undefined.
  void Save(Adapter& adapter) { Transfer(adapter, true); }
  void Restore(Adapter& adapter);

  uint64_t offset() const { return offset_; }
  uint64_t bytes() const { return bytes_; }
  State state() const { return state_; }
  uint32_t windows() const { return windows_; }  ///< windows that transfers have used so far

 private:
  void Transfer(Adapter& adapter, bool save);
  void StartEmpty(Adapter& adapter);
  NTSTATUS ThroughPages(Adapter& adapter, bool save);
  NTSTATUS ThroughWindows(Adapter& adapter, bool save);
  /// Submits the commands to the engine and waits for their completion.
  NTSTATUS Run(Adapter& adapter, const CommandBuffer& commands);
  NTSTATUS CopyPage(Adapter& adapter, uint64_t at, bool save);

  uint64_t offset_ = 0, bytes_ = 0;
  State state_ = State::kLive;
  bool saved_ = false;
  uint32_t windows_ = 0;
  OwnMemory small_;
  OwnMemory commands_;
};

}  // namespace gmmu::kmd
