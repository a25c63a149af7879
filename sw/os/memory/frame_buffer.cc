// SPDX-License-Identifier: Apache-2.0
#include "os/memory/frame_buffer.h"

#include <algorithm>
#include <utility>

#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/memory_objects.h"

namespace gmmu::os {
namespace {

constexpr char kOwner[] = "dxgkrnl";
constexpr uint64_t kViewUnit = 64 << 10;  // views of a section begin at multiples of 64 KiB

/// True if `call`, an index counted from 0, is among the `count` calls that follow the first
/// `after` calls.
bool Among(uint64_t call, uint64_t after, uint64_t count) { return call >= after && call - after < count; }

}  // namespace

FrameBuffer::Section* FrameBuffer::Find(HANDLE adapter, UINT index) {
  const auto found = sections_.find({adapter, index});
  return found == sections_.end() ? nullptr : &found->second;
}

void FrameBuffer::Reserve(HANDLE adapter, bool supports_remapping, const std::vector<uint64_t>& sizes) {
  supports_remapping_[adapter] = supports_remapping;
  for (UINT index = 0; index < sizes.size(); ++index) {
    const uint64_t bytes = sizes[index];
    if (bytes == 0) continue;
    if (bytes % hw::kPageSize != 0) {
      throw OsError("DXGK_FRAMEBUFFERSAVEAREA.MaximumSize of physical adapter " + std::to_string(index) + " is " +
                    std::to_string(bytes) + ", not whole pages");
    }
    const uint64_t pages = bytes / hw::kPageSize;
    // A section is charged against the commit limit even while it is not in memory.
    const uint64_t taken = kernel_.pages().allocated() + charged_, installed = kernel_.pages().installed_pages();
    const uint64_t left = installed - std::min(taken, installed);
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
    create.hAdapter = adapter;
    create.Size = bytes;
    create.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
    create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    create.Section.DesiredAccess = SECTION_MAP_READ | SECTION_MAP_WRITE;
    create.Section.PageProtection = PAGE_READWRITE;
    if (pages > left || !NT_SUCCESS(objects_.Create(create, kOwner))) {
      throw Exhausted("no commit charge for the frame buffer of physical adapter " + std::to_string(index) +
                      ": it wants " + std::to_string(bytes) + " bytes, " + std::to_string(left * hw::kPageSize) +
                      " are left");
    }
    Section section;
    section.bytes = bytes;
    section.object = create.hPhysicalMemoryObject;
    section.adapter_object = create.hAdapterMemoryObject;
    section.charge = kernel_.ledger().Open("commit_charge", std::to_string(bytes) + " bytes", kOwner,
                                           "DXGKQAITYPE_FRAMEBUFFERSAVESIZE");
    charged_ += pages;
    sections_.emplace(Key{adapter, index}, std::move(section));
  }
}

void FrameBuffer::Release(HANDLE adapter) {
  for (auto at = sections_.begin(); at != sections_.end();) {
    Section& section = at->second;
    if (at->first.first != adapter) {
      ++at;
      continue;
    }
    // A section in use stays open, so that the ledger reports it as a leak.
    if (section.adl != nullptr || section.window != nullptr) {
      ++at;
      continue;
    }
    objects_.Destroy({section.object, section.adapter_object});
    kernel_.ledger().Close(section.charge);
    charged_ -= section.bytes / hw::kPageSize;
    at = sections_.erase(at);
  }
  supports_remapping_.erase(adapter);
}

NTSTATUS FrameBuffer::PinPages(HANDLE adapter, UINT index, uint64_t size, bool contiguous, const char* call) {
  Section* section = Find(adapter, index);
  if (section == nullptr || size == 0 || size % hw::kPageSize != 0 || size > section->bytes)
    return STATUS_INVALID_PARAMETER;
  if (section->adl != nullptr) throw BugCheck(std::string(call) + " of a frame buffer that is pinned");
  const Inject& inject = kernel_.parameters().inject;
  if (Among(pin_calls_[{adapter, index}]++, inject.pin_failures_after, inject.pin_failures)) {
    kernel_.Injected("pin_failures");
    kernel_.Injected("pin_failures_after");
    return STATUS_NO_MEMORY;
  }
  DXGKARGCB_ALLOCATE_ADL args{};
  args.hAdapterMemoryObject = section->adapter_object;
  args.Size = size;
  args.Flags.PreferContiguous = contiguous;
  const NTSTATUS status = objects_.AllocateAdl(args, kOwner);
  if (!NT_SUCCESS(status)) return status;
  section->adl = args.pAdl;
  section->pin = kernel_.ledger().Open("pinned_frame_buffer", "of physical adapter " + std::to_string(index), "driver",
                                       call);
  return STATUS_SUCCESS;
}

NTSTATUS FrameBuffer::Pin(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE& args) {
  static constexpr char kCall[] = "DxgkCbPinFrameBufferForSave";
  kernel_.scheduler().RequireApc(kCall);
  args.pMdl = nullptr;
  if (supports_remapping_[adapter]) return STATUS_NOT_SUPPORTED;
  const NTSTATUS status = PinPages(adapter, args.PhysicalAdapterIndex, args.CommitSize, false, kCall);
  if (!NT_SUCCESS(status)) return status;
  Section& section = *Find(adapter, args.PhysicalAdapterIndex);
  const auto& pages = objects_.PagesOf(section.object);
  section.mdl = Mdl({pages.begin(), pages.begin() + static_cast<ptrdiff_t>(args.CommitSize / hw::kPageSize)});
  section.has_list = true;
  args.pMdl = section.mdl.get();
  return STATUS_SUCCESS;
}

NTSTATUS FrameBuffer::Pin2(HANDLE adapter, DXGKARGCB_PINFRAMEBUFFERFORSAVE2& args) {
  static constexpr char kCall[] = "DxgkCbPinFrameBufferForSave2";
  kernel_.scheduler().RequireApc(kCall);
  args.pAdl = nullptr;
  const NTSTATUS status = PinPages(adapter, args.PhysicalAdapterIndex, args.CommitSize, args.Flags.PreferContiguous,
                                   kCall);
  if (NT_SUCCESS(status)) args.pAdl = Find(adapter, args.PhysicalAdapterIndex)->adl;
  return status;
}

NTSTATUS FrameBuffer::Unpin(HANDLE adapter, const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE& args) {
  static constexpr char kCall[] = "DxgkCbUnpinFrameBufferForSave";
  kernel_.scheduler().RequireApc(kCall);
  Section* section = Find(adapter, args.PhysicalAdapterIndex);
  if (section == nullptr || section->adl == nullptr)
    throw BugCheck(std::string(kCall) + " of a frame buffer that is not pinned");
  objects_.FreeAdl({section->adapter_object, std::exchange(section->adl, nullptr)});
  if (section->has_list) kernel_.mdl_views().Drop(*section->mdl.get());
  section->has_list = false;
  section->mdl = Mdl();
  kernel_.ledger().Close(section->pin);
  return STATUS_SUCCESS;
}

NTSTATUS FrameBuffer::MapWindow(HANDLE adapter, DXGKARGCB_MAPFRAMEBUFFERPOINTER& args) {
  static constexpr char kCall[] = "DxgkCbMapFrameBufferPointer";
  kernel_.scheduler().RequireApc(kCall);
  args.pBaseAddress = nullptr;
  Section* section = Find(adapter, args.PhysicalAdapterIndex);
  if (section == nullptr || args.Size == 0 || args.Size % hw::kPageSize != 0 || args.Offset % hw::kPageSize != 0 ||
      args.Offset >= section->bytes || args.Size > section->bytes - args.Offset) {
    return STATUS_INVALID_PARAMETER;
  }
  if (section->window != nullptr) throw BugCheck(std::string(kCall) + " while the window before is still mapped");
  const Inject& inject = kernel_.parameters().inject;
  uint64_t& calls = window_calls_[{adapter, args.PhysicalAdapterIndex}];
  if (Among(calls++, inject.window_failures_after, inject.window_failures)) {
    kernel_.Injected("window_failures");
    kernel_.Injected("window_failures_after");
    return STATUS_NO_MEMORY;
  }
  const uint64_t start = args.Offset / kViewUnit * kViewUnit;
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = section->object;
  map.AccessMode = DXGK_ACCESS_MODE_KERNEL_MODE;
  map.Offset = start;
  map.Size = args.Offset - start + args.Size;
  const NTSTATUS status = objects_.Map(map, kOwner);
  if (!NT_SUCCESS(status)) return status;
  section->window = args.pBaseAddress = map.pMappedAddress;
  section->window_bytes = map.Size;
  args.Offset = map.Offset + args.Offset - start;
  return STATUS_SUCCESS;
}

NTSTATUS FrameBuffer::UnmapWindow(HANDLE adapter, const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER& args) {
  static constexpr char kCall[] = "DxgkCbUnmapFrameBufferPointer";
  kernel_.scheduler().RequireApc(kCall);
  Section* section = Find(adapter, args.PhysicalAdapterIndex);
  if (section == nullptr || section->window == nullptr || section->window != args.pBaseAddress)
    throw BugCheck(std::string(kCall) + " of a window that is not mapped");
  objects_.Unmap({section->object, std::exchange(section->window, nullptr), section->window_bytes});
  return STATUS_SUCCESS;
}

}  // namespace gmmu::os
