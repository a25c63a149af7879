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

/// Room in system memory for the parts of VRAM that drivers keep over a power transition
/// (DXGKQAITYPE_FRAMEBUFFERSAVESIZE and the frame buffer callbacks; documents only).
///
/// Each physical adapter that reports a size has a section, which is charged against memory when the adapter starts. A
/// driver pins the whole section, or maps one window of it at a time. hAdapter is the lead adapter, and
/// PhysicalAdapterIndex selects the section. For a common section, adapter 0 reports its size and the others report 0.
/// Drivers must tolerate that pinning or mapping fails. An unpin or unmap of nothing, and a second window, are bug
/// checks. Call at most at APC level. Ledger: commit_charge, pinned_frame_buffer.
class FrameBuffer {
 public:
  FrameBuffer(Kernel& kernel, MemoryObjects& objects) : kernel_(kernel), objects_(objects) {}

  /// `sizes`: DXGK_FRAMEBUFFERSAVEAREA.MaximumSize by physical adapter, bytes. Throws OsError for a size
  /// that is not whole pages, or that memory cannot back.
  void Reserve(HANDLE adapter, bool supports_remapping, const std::vector<uint64_t>& sizes);
  /// Frees sections and charge.
  void Release(HANDLE adapter);

  /// Pages in an MDL. STATUS_NOT_SUPPORTED for a driver that supports DMA remapping: behind a remapped domain only an
  /// ADL can name the pages.
  NTSTATUS Pin(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE& args);
  NTSTATUS Pin2(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE2& args);
  /// Unpins what Pin or Pin2 pinned.
  NTSTATUS Unpin(HANDLE adapter, const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE& args);
  /// Maps [Offset, Offset + Size) of the section for the CPU, at pBaseAddress + Offset with the Offset that is
  /// returned.
  NTSTATUS MapWindow(HANDLE adapter, DXGKARGCB_MAPFRAMEBUFFERPOINTER& args);
  NTSTATUS UnmapWindow(HANDLE adapter, const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER& args);

  /// Pages charged now.
  uint64_t charged() const { return charged_; }

 private:
  struct Section {
    uint64_t bytes = 0;
    HANDLE object = nullptr, adapter_object = nullptr;
    DXGK_ADL* adl = nullptr;  // set while the section is pinned
    Mdl mdl;
    bool has_list = false;  // the driver has `mdl`, from Pin
    void* window = nullptr;
    uint64_t window_bytes = 0;
    Ledger::Ticket charge = 0, pin = 0;
  };
  using Key = std::pair<HANDLE, UINT>;
  Section* Find(HANDLE adapter, UINT index);
  /// Pins, or returns a status; `size`: as the driver requested.
  NTSTATUS PinPages(HANDLE adapter, UINT index, uint64_t size, bool contiguous, const char* call);

  Kernel& kernel_;
  MemoryObjects& objects_;
  std::map<Key, Section> sections_;
  std::map<HANDLE, bool> supports_remapping_;
  uint64_t charged_ = 0;
  std::map<Key, uint64_t> pin_calls_, window_calls_;  // calls so far, by section
};

}  // namespace gmmu::os
