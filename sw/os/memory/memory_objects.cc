// SPDX-License-Identifier: Apache-2.0
#include "os/memory/memory_objects.h"

#include "os/base/bug_check.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/base/text.h"
#include "os/memory/section_names.h"

namespace gmmu::os {
namespace {

std::string Name(HANDLE handle, uint64_t size, uint64_t context) {
  const std::string cookie = context == 0 ? "" : ", context " + Hex(context);
  return Hex(reinterpret_cast<uintptr_t>(handle)) + ", " + std::to_string(size) + " bytes" + cookie;
}

}  // namespace

MemoryObjects::MemoryObjects(Kernel& kernel)
    : kernel_(kernel),
      random_(kernel.parameters().seed, "adl"),
      names_(std::make_unique<SectionNames>()),
      views_(kernel) {}

MemoryObjects::~MemoryObjects() = default;

HANDLE MemoryObjects::NewHandle(unsigned kind) {
  return reinterpret_cast<HANDLE>(uint64_t{0xFFFF8000} << 32 | uint64_t{kind} << 24 | next_handle_++ << 4);
}

MemoryObjects::Object& MemoryObjects::FindObject(HANDLE handle, const char* call) {
  const auto found = objects_.find(handle);
  if (found == objects_.end() || found->second.destroyed)
    throw BugCheck(std::string(call) + " of an unknown physical memory object");
  return found->second;
}

MemoryObjects::AdapterObject& MemoryObjects::FindAdapterObject(HANDLE handle, const char* call) {
  return FindOrStop(adapter_objects_, handle, call, " of an adapter memory object that is unknown or closed already")
      ->second;
}

RemappingDomain* MemoryObjects::DomainOf(const AdapterObject& opened, const char* call) const {
  return FindOrStop(adapters_, opened.adapter, call, " for an adapter that is not started")->second.view.domain;
}

void MemoryObjects::AddAdapter(HANDLE adapter, DmaView view) {
  adapters_.emplace(adapter, Adapter{adapter, std::move(view)});
}

void MemoryObjects::SetDomain(HANDLE adapter, RemappingDomain& domain) {
  adapters_.at(adapter).view.domain = &domain;
  // Map the ADLs in the order of their allocation. Unlike the order of their addresses, in which
  // `adls_` is sorted, it is the same in every run.
  std::map<Ledger::Ticket, const Adl*> in_order;
  for (const auto& [list, adl] : adls_) in_order.emplace(adl->ticket, adl.get());
  for (const auto& [ticket, adl] : in_order) {
    const AdapterObject& opened = adapter_objects_.at(adl->adapter_object);
    if (opened.adapter != adapter) continue;
    const auto first = objects_.at(opened.object).backing.pfns().begin() + static_cast<ptrdiff_t>(adl->first_page);
    kernel_.iommu()->MapIdentity(domain, {first, first + static_cast<ptrdiff_t>(adl->page_count)});
  }
}

size_t MemoryObjects::LiveAdls(HANDLE adapter) const {
  size_t live = 0;
  for (const auto& [handle, opened] : adapter_objects_) live += opened.adapter == adapter ? opened.adls : 0;
  return live;
}

void MemoryObjects::RemoveAdapter(HANDLE adapter) { adapters_.erase(adapter); }

const std::vector<uint64_t>& MemoryObjects::PagesOf(HANDLE object) {
  return FindObject(object, "PagesOf").backing.pfns();
}

NTSTATUS MemoryObjects::Create(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbCreatePhysicalMemoryObject";
  kernel_.scheduler().RequireApc(kCall);
  args.hPhysicalMemoryObject = nullptr;
  args.hAdapterMemoryObject = nullptr;
  if (args.hAdapter != nullptr && adapters_.count(args.hAdapter) == 0) return STATUS_INVALID_PARAMETER;
  Object object;
  const NTSTATUS status = MemoryBacking::Make(kernel_, names_.get(), args, owner, kCall, object.backing);
  if (!NT_SUCCESS(status)) return status;
  const HANDLE handle = NewHandle(1);
  // A section that already existed keeps its original size.
  object.size = status == STATUS_OBJECT_NAME_EXISTS ? object.backing.pages() * hw::kPageSize : args.Size;
  object.ticket = kernel_.ledger().Open("memory_object", Name(handle, object.size, args.Context), owner, kCall);
  objects_.emplace(handle, std::move(object));
  args.hPhysicalMemoryObject = handle;
  if (args.hAdapter != nullptr) {
    DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{handle, args.hAdapter, nullptr};
    // An object that is created for an adapter is also opened on it.
    Open(open, owner);
    args.hAdapterMemoryObject = open.hAdapterMemoryObject;
  }
  return status;
}

void MemoryObjects::Destroy(const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT& args) {
  static constexpr char kCall[] = "DxgkCbDestroyPhysicalMemoryObject";
  kernel_.scheduler().RequireApc(kCall);
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  const bool stops = kernel_.parameters().destroy_in_use_stops;
  if (args.hAdapterMemoryObject != nullptr && object.opened == nullptr)
    throw BugCheck(std::string(kCall) + " with an adapter memory object that was closed already");
  if (args.hAdapterMemoryObject != nullptr && object.opened != args.hAdapterMemoryObject)
    throw BugCheck(std::string(kCall) + ": handles do not belong together");
  if (object.opened != nullptr) {
    // An existing ADL triggers a bug check regardless of the settings, because its locked pages
    // would leak.
    if (FindAdapterObject(object.opened, kCall).adls != 0)
      throw BugCheck(std::string(kCall) + " while an ADL of the object exists");
    if (args.hAdapterMemoryObject == nullptr && stops)
      throw BugCheck(std::string(kCall) + " of an object that is open on an adapter");
    Close({object.opened});
  }
  if (object.views == 0) return Free(args.hPhysicalMemoryObject, object);
  if (stops) throw BugCheck(std::string(kCall) + " of an object with a CPU view");
  object.destroyed = true;
}

void MemoryObjects::Free(HANDLE handle, Object& object) {
  object.backing.Free(kernel_);
  kernel_.ledger().Close(object.ticket);
  objects_.erase(handle);
}

NTSTATUS MemoryObjects::Open(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbOpenPhysicalMemoryObject";
  kernel_.scheduler().RequireApc(kCall);
  args.hAdapterMemoryObject = nullptr;
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  if (adapters_.count(args.hAdapter) == 0) return STATUS_INVALID_PARAMETER;
  // An object can be open on only one adapter.
  if (object.opened != nullptr) return STATUS_INVALID_PARAMETER;
  AdapterObject opened{args.hPhysicalMemoryObject, args.hAdapter, 0, 0};
  const HANDLE handle = NewHandle(2);
  opened.ticket = kernel_.ledger().Open("adapter_object", Name(handle, object.size, 0), owner, kCall);
  object.opened = handle;
  adapter_objects_.emplace(handle, opened);
  args.hAdapterMemoryObject = handle;
  return STATUS_SUCCESS;
}

void MemoryObjects::Close(const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT& args) {
  static constexpr char kCall[] = "DxgkCbClosePhysicalMemoryObject";
  kernel_.scheduler().RequireApc(kCall);
  AdapterObject& opened = FindAdapterObject(args.hAdapterMemoryObject, kCall);
  if (opened.adls != 0) throw BugCheck(std::string(kCall) + " while an ADL of the object exists");
  FindObject(opened.object, kCall).opened = nullptr;
  kernel_.ledger().Close(opened.ticket);
  adapter_objects_.erase(args.hAdapterMemoryObject);
}

NTSTATUS MemoryObjects::Map(DXGKARGCB_MAP_PHYSICAL_MEMORY& args, const std::string& owner) {
  static constexpr char kCall[] = "DxgkCbMapPhysicalMemory";
  kernel_.scheduler().RequireApc(kCall);
  Object& object = FindObject(args.hPhysicalMemoryObject, kCall);
  const NTSTATUS status = views_.Map(args.hPhysicalMemoryObject, object.backing, object.size, args, owner, kCall);
  if (NT_SUCCESS(status)) ++object.views;
  return status;
}

void MemoryObjects::Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args) {
  static constexpr char kCall[] = "DxgkCbUnmapPhysicalMemory";
  kernel_.scheduler().RequireApc(kCall);
  Object& object =
      FindOrStop(objects_, args.hPhysicalMemoryObject, kCall, " of an unknown physical memory object")->second;
  views_.Unmap(args, object.backing, kCall);
  if (--object.views == 0 && object.destroyed) Free(args.hPhysicalMemoryObject, object);
}

}  // namespace gmmu::os
