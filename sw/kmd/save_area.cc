// SPDX-License-Identifier: Apache-2.0
#include "kmd/save_area.h"

#include <cstring>

#include "kmd/adapter.h"
#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {

enum SaveAreaCookie : ULONG_PTR { kSmallCookie = 0x10, kCommandCookie };

#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4

/// Appends a copy between VRAM and system memory, in the direction given by `save`.
bool CopyEitherWay(CommandBuffer& commands, bool save, uint64_t vram, uint64_t system, uint64_t bytes) {
  const Place local = Place::Physical(regs::Target::kVram, vram);
  const Place host = Place::Physical(regs::Target::kSystem, system);
  return save ? commands.Copy(local, host, bytes) : commands.Copy(host, local, bytes);
}

/// Pins the pages of a section, as an MDL if memory is allocated through the GPU isolation
/// callbacks, otherwise as an ADL.
class PinnedSection {
 public:
  PinnedSection(const Adapter& adapter, const SectionPart& part) : adapter_(adapter), part_(part) { status_ = Pin(); }
  /// Unpins if pinning succeeded. A destructor cannot do this, because the callback may raise a bug
  /// check.
  void Unpin() {
    if (!NT_SUCCESS(status_)) return;
    const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE unpin{part_.section};
    adapter_.dxgkrnl.DxgkCbUnpinFrameBufferForSave(lead(), &unpin);
  }

  NTSTATUS status() const { return status_; }
  bool contiguous() const { return adl_ != nullptr && adl_->Flags.Contiguous; }
  uint64_t page(uint64_t index) const {
    if (adl_ == nullptr) return MmGetMdlPfnArray(mdl_)[index];
    return contiguous() ? adl_->BasePageNumber + index : adl_->Pages[index];
  }

 private:
  HANDLE lead() const { return adapter_.lead().dxgkrnl_handle(); }
  NTSTATUS Pin() {
    const DXGKRNL_INTERFACE& dxgkrnl = adapter_.dxgkrnl;
#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9
    if (!adapter_.parameters.isolation_callbacks()) {
      if (dxgkrnl.DxgkCbPinFrameBufferForSave2 == nullptr) return STATUS_NOT_SUPPORTED;
      DXGKARGCB_PINFRAMEBUFFERFORSAVE2 pin{};
      pin.PhysicalAdapterIndex = part_.section;
      pin.CommitSize = part_.bytes;
      pin.Flags.PreferContiguous = 1;
      const NTSTATUS status = dxgkrnl.DxgkCbPinFrameBufferForSave2(lead(), &pin);
      adl_ = pin.pAdl;
      return status;
    }
#endif
    if (dxgkrnl.DxgkCbPinFrameBufferForSave == nullptr) return STATUS_NOT_SUPPORTED;
    DXGKARGCB_PINFRAMEBUFFERFORSAVE pin{};
    pin.PhysicalAdapterIndex = part_.section;
    pin.CommitSize = part_.bytes;
    const NTSTATUS status = dxgkrnl.DxgkCbPinFrameBufferForSave(lead(), &pin);
    mdl_ = pin.pMdl;
    return status;
  }

  const Adapter& adapter_;
  const SectionPart& part_;
  const DXGK_ADL* adl_ = nullptr;
  PMDL mdl_ = nullptr;
  NTSTATUS status_ = STATUS_NOT_SUPPORTED;
};

#endif

}  // namespace

SectionPart SectionPartOf(const Adapter& adapter) {
  if (!adapter.parameters.save_area_shared) return {adapter.link.index(), adapter.parameters.save_area_bytes, 0};
  SectionPart part;
  for (UINT index = 0; index < adapter.link.adapters(); ++index) {
    const Adapter* member = adapter.Member(index);
    const uint64_t bytes = member == nullptr ? 0 : member->parameters.save_area_bytes;
    if (index < adapter.link.index()) part.offset += bytes;
    part.bytes += bytes;
  }
  return part;
}

uint64_t SectionBytes(const Adapter& adapter) {
  const SectionPart part = SectionPartOf(adapter);
  return part.section == adapter.link.index() ? part.bytes : 0;
}

NTSTATUS SaveArea::Create(const MemoryCallbacks& callbacks, const Adapter& adapter) {
  offset_ = adapter.save_area_offset();
  bytes_ = adapter.parameters.save_area_bytes;
  state_ = State::kLive;
  saved_ = false;
  windows_ = 0;
  if (bytes_ == 0) return STATUS_SUCCESS;
  // Only the lead adapter may use kListed.
  const auto commands = &adapter.lead() == &adapter ? OwnMemory::Origin::kListed : OwnMemory::Origin::kPages;
  NTSTATUS status = small_.Create(callbacks, kSmallCookie, OwnMemory::Origin::kPages);
  if (NT_SUCCESS(status)) status = commands_.Create(callbacks, kCommandCookie, commands);
  return status;
}

void SaveArea::Destroy() {
  small_.Destroy();
  commands_.Destroy();
}

NTSTATUS SaveArea::Run(Adapter& adapter, const CommandBuffer& commands) {
  // The entry repeats the system's last fence id and raises no interrupt, so the system does not
  // notice the submission.
  Ring& ring = adapter.engines[Adapter::kPagingNode].ring;
  Submission submission;
  submission.address = submission.buffer = commands_.address();
  submission.bytes = static_cast<uint32_t>(commands.bytes_used());
  submission.fence = ring.submitted_fence();
  submission.interrupt = false;
  const NTSTATUS status = ring.Submit(submission);
  if (!NT_SUCCESS(status)) return status;
  if (!ring.WaitTaken()) return STATUS_IO_TIMEOUT;
  return ring.Status().error() ? STATUS_DEVICE_HARDWARE_ERROR : STATUS_SUCCESS;
}

#if DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4

NTSTATUS SaveArea::ThroughPages(Adapter& adapter, bool save) {
  const SectionPart part = SectionPartOf(adapter);
  PinnedSection pinned(adapter, part);
  NTSTATUS status = pinned.status();
  for (uint64_t done = 0; NT_SUCCESS(status) && done < bytes_;) {
    CommandBuffer commands(const_cast<uint64_t*>(commands_.As<uint64_t>()), kPage);
    while (done < bytes_) {
      const uint64_t page = pinned.page((part.offset + done) / kPage);
      const uint64_t run = pinned.contiguous() ? bytes_ : kPage;
      if (!CopyEitherWay(commands, save, offset_ + done, page * kPage, run)) break;
      done += run;
    }
    status = Run(adapter, commands);
  }
  pinned.Unpin();
  return status;
}

NTSTATUS SaveArea::CopyPage(Adapter& adapter, uint64_t at, bool save) {
  CommandBuffer commands(const_cast<uint64_t*>(commands_.As<uint64_t>()), kPage);
  if (!CopyEitherWay(commands, save, offset_ + at, small_.address(), kPage)) return STATUS_UNSUCCESSFUL;
  return Run(adapter, commands);
}

// Save: the engine copies VRAM to the driver's page, and the CPU copies from there to the window.
// Restore does the reverse. Each window is closed before the next one is opened.
NTSTATUS SaveArea::ThroughWindows(Adapter& adapter, bool save) {
  const DXGKRNL_INTERFACE& dxgkrnl = adapter.dxgkrnl;
  if (dxgkrnl.DxgkCbMapFrameBufferPointer == nullptr) return STATUS_NOT_SUPPORTED;
  const SectionPart part = SectionPartOf(adapter);
  uint8_t* small = const_cast<uint8_t*>(small_.As<uint8_t>());
  NTSTATUS status = STATUS_SUCCESS;
  for (uint64_t done = 0; NT_SUCCESS(status) && done < bytes_; done += kPage) {
    DXGKARGCB_MAPFRAMEBUFFERPOINTER map{};
    map.PhysicalAdapterIndex = part.section;
    map.Size = kPage;
    map.Offset = part.offset + done;
    status = dxgkrnl.DxgkCbMapFrameBufferPointer(adapter.lead().dxgkrnl_handle(), &map);
    if (!NT_SUCCESS(status)) break;
    ++windows_;
    uint8_t* window = static_cast<uint8_t*>(map.pBaseAddress) + map.Offset;
    if (save) {
      status = CopyPage(adapter, done, true);
      if (NT_SUCCESS(status)) std::memcpy(window, small, kPage);
    } else {
      std::memcpy(small, window, kPage);
      status = CopyPage(adapter, done, false);
    }
    const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER unmap{part.section, map.pBaseAddress};
    dxgkrnl.DxgkCbUnmapFrameBufferPointer(adapter.lead().dxgkrnl_handle(), &unmap);
  }
  return status;
}

#else  // no frame buffer save before WDDM 2.4

NTSTATUS SaveArea::ThroughPages(Adapter&, bool) { return STATUS_NOT_SUPPORTED; }
NTSTATUS SaveArea::ThroughWindows(Adapter&, bool) { return STATUS_NOT_SUPPORTED; }

#endif

void SaveArea::Transfer(Adapter& adapter, bool save) {
  if (bytes_ == 0) return;
  saved_ = save;
  if (NT_SUCCESS(ThroughPages(adapter, save))) {
    state_ = State::kPinned;
  } else if (NT_SUCCESS(ThroughWindows(adapter, save))) {
    state_ = State::kChunked;
  } else {
    state_ = State::kLost;
    saved_ = false;
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "gmmu: %llu bytes of VRAM could not be %s\n",
               static_cast<unsigned long long>(bytes_), save ? "saved" : "restored");
  }
}

void SaveArea::Restore(Adapter& adapter) {
  if (saved_) Transfer(adapter, false);
  if (bytes_ != 0 && state_ == State::kLost) StartEmpty(adapter);
}

// Resets the adapter and clears the area, because a transfer into it was abandoned.
void SaveArea::StartEmpty(Adapter& adapter) {
  NTSTATUS status = adapter.Quiesce();
  if (NT_SUCCESS(status)) status = adapter.Program(Adapter::Vram::kLost);
  CommandBuffer commands(const_cast<uint64_t*>(commands_.As<uint64_t>()), kPage);
  if (NT_SUCCESS(status) && commands.Fill(Place::Physical(regs::Target::kVram, offset_), bytes_, 0))
    status = Run(adapter, commands);
  if (!NT_SUCCESS(status))
    DbgPrintEx(DPFLTR_IHVVIDEO_ID, DPFLTR_ERROR_LEVEL, "gmmu: the reset after a lost transfer failed\n");
}

}  // namespace gmmu::kmd
