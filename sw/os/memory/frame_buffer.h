// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/base/ledger.h"
#include "os/miniport/mdl.h"

namespace gmmu::os {

class Kernel;
class MemoryObjects;

/// Sections of system memory for the parts of VRAM that drivers preserve across a power transition
/// (DXGKQAITYPE_FRAMEBUFFERSAVESIZE and the frame buffer callbacks). The behaviour comes from the
/// documentation; it has not been observed on Windows.
///
/// Each physical adapter that reports a size has its own section, which is charged against the
/// commit limit when the adapter starts. A driver pins the whole section, or maps one window of it
/// at a time. hAdapter is the lead adapter; PhysicalAdapterIndex selects the section. If linked
/// adapters share a section, adapter 0 reports its size and the others report 0. Drivers must
/// tolerate failed pinning and mapping. Unpinning a section that is not pinned, unmapping a window
/// that is not mapped, or mapping a second window triggers a bug check. Call at APC_LEVEL or below.
/// Ledger kinds: commit_charge, pinned_frame_buffer.
class FrameBuffer {
 public:
  FrameBuffer(Kernel& kernel, MemoryObjects& objects) : kernel_(kernel), objects_(objects) {}

  /// Creates the sections. `sizes` contains DXGK_FRAMEBUFFERSAVEAREA.MaximumSize of each physical
  /// adapter, in bytes. Throws OsError if a size is not a multiple of the page size or exceeds the
  /// available memory.
  void Reserve(HANDLE adapter, bool supports_remapping, const std::vector<uint64_t>& sizes);
  /// Frees the adapter's sections and their commit charges.
  void Release(HANDLE adapter);

  /// Pin the section's pages. Pin returns them in an MDL, and Pin2 in an ADL. Pin returns
  /// STATUS_NOT_SUPPORTED if the driver supports DMA remapping, because only an ADL can describe
  /// pages in a remapped domain.
  NTSTATUS Pin(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE& args);
  NTSTATUS Pin2(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE2& args);
  /// Unpins the pages that Pin or Pin2 pinned.
  NTSTATUS Unpin(HANDLE adapter, const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE& args);
  /// Maps [Offset, Offset + Size) of the section for the CPU. On return, the requested bytes begin
  /// at pBaseAddress + Offset.
  NTSTATUS MapWindow(HANDLE adapter, DXGKARGCB_MAPFRAMEBUFFERPOINTER& args);
  NTSTATUS UnmapWindow(HANDLE adapter, const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER& args);

  /// Number of pages currently charged against the commit limit.
  uint64_t charged() const { return charged_; }

 private:
  struct Section {
    uint64_t bytes = 0;
    HANDLE object = nullptr, adapter_object = nullptr;
    DXGK_ADL* adl = nullptr;  // non-null while the section is pinned
    Mdl mdl;
    bool has_list = false;  // the driver holds `mdl`, which Pin returned
    void* window = nullptr;
    uint64_t window_bytes = 0;
    Ledger::Ticket charge = 0, pin = 0;
  };
  using Key = std::pair<HANDLE, UINT>;
  Section* Find(HANDLE adapter, UINT index);
  /// Pins the first `size` bytes of a section; `size` is the driver's CommitSize. Returns an error
  /// status on failure.
  NTSTATUS PinPages(HANDLE adapter, UINT index, uint64_t size, bool contiguous, const char* call);

  Kernel& kernel_;
  MemoryObjects& objects_;
  std::map<Key, Section> sections_;
  std::map<HANDLE, bool> supports_remapping_;
  uint64_t charged_ = 0;
  std::map<Key, uint64_t> pin_calls_, window_calls_;  // number of calls so far, per section
};

}  // namespace gmmu::os
