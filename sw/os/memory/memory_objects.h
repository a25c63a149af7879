// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/hal/remapping.h"
#include "os/memory/cpu_views.h"
#include "os/memory/memory_backing.h"

namespace gmmu::os {

class Kernel;
class SectionNames;

/// How one logical adapter reaches host memory.
struct DmaView {
  RemappingDomain* domain = nullptr;  ///< null: physical mode, without address translation
  std::string name;

  bool remapped() const { return domain != nullptr && !domain->identity(); }
};

/// Implements the eight memory callbacks of WDDM 2.9 and later: physical memory objects, address
/// descriptor lists (ADLs) and CPU views.
///
/// VidMm uses the same code for the memory of allocations, so calls that allocate have an `owner`
/// argument ("driver", "vidmm", "application"). Invalid arguments return an error status. A call
/// above APC_LEVEL, an unknown or closed handle, or an ADL that outlives its object triggers a bug
/// check. Undocumented behaviour is controlled by settings (base/os.def).
class MemoryObjects {
 public:
  explicit MemoryObjects(Kernel& kernel);
  ~MemoryObjects();

  /// `adapter` is the handle that callbacks pass as hAdapter.
  void AddAdapter(HANDLE adapter, DmaView view);
  /// Attaches a 1:1 domain to an adapter that was started without a domain, and maps all existing
  /// ADLs in it.
  void SetDomain(HANDLE adapter, RemappingDomain& domain);
  /// Call when the adapter's domain has been destroyed together with its mappings.
  void DropDomain(HANDLE adapter) { adapters_.at(adapter).view.domain = nullptr; }
  void RemoveAdapter(HANDLE adapter);
  /// Number of ADLs of the adapter that have not been freed.
  size_t LiveAdls(HANDLE adapter) const;

  NTSTATUS Create(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT& args, const std::string& owner);
  void Destroy(const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT& args);
  NTSTATUS Open(DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT& args, const std::string& owner);
  void Close(const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT& args);
  NTSTATUS AllocateAdl(DXGKARGCB_ALLOCATE_ADL& args, const std::string& owner);
  void FreeAdl(const DXGKARGCB_FREE_ADL& args);
  NTSTATUS Map(DXGKARGCB_MAP_PHYSICAL_MEMORY& args, const std::string& owner);
  void Unmap(const DXGKARGCB_UNMAP_PHYSICAL_MEMORY& args);

  /// The part of a memory object that a live ADL describes.
  struct AdlOrigin {
    HANDLE object = nullptr;
    uint64_t first_page = 0;  ///< page index in the object
    hw::Caching caching = hw::Caching::kNonCached;
  };
  AdlOrigin OriginOf(const DXGK_ADL& adl);
  /// Host physical page numbers of an object, for checks by the operating system; Section::kAway
  /// for pages of a section that are not in memory.
  const std::vector<uint64_t>& PagesOf(HANDLE object);

 private:
  struct Adapter {
    HANDLE handle;
    DmaView view;
  };
  struct Object {
    MemoryBacking backing;
    uint64_t size = 0;        // requested bytes
    HANDLE opened = nullptr;  // adapter memory object; null if the object is not open
    unsigned views = 0;
    bool destroyed = false;  // freed when the last view is unmapped
    Ledger::Ticket ticket = 0;
  };
  struct AdapterObject {
    HANDLE object;
    HANDLE adapter;
    unsigned adls = 0;
    Ledger::Ticket ticket = 0;
  };
  struct Adl {
    DXGK_ADL list{};
    std::vector<DXGK_PAGE_NUMBER> pages;
    HANDLE adapter_object;
    uint64_t first_page, page_count;
    /// A logical range, in remapped mode only. An ADL has several if the logical space had no room
    /// for a single range or os.logical_piece_kib limits their size.
    struct Range {
      uint64_t taken;    // start of the range in the domain's allocator
      uint64_t logical;  // logical address
      uint64_t pages;
    };
    std::vector<Range> ranges;
    Ledger::Ticket ticket = 0;
  };
  /// Maps `pfns` in order, in a single range if possible. Returns false and changes nothing if the
  /// logical space has no room, or, with `one_range`, no room for a single range.
  bool MapLogical(RemappingDomain& domain, const std::vector<uint64_t>& pfns, bool one_range, Adl& adl,
                  const std::string& owner, const char* call);
  void UnmapLogical(RemappingDomain& domain, const Adl& adl);
  HANDLE NewHandle(unsigned kind);
  void Free(HANDLE handle, Object& object);
  Object& FindObject(HANDLE handle, const char* call);
  AdapterObject& FindAdapterObject(HANDLE handle, const char* call);
  RemappingDomain* DomainOf(const AdapterObject& opened, const char* call) const;  // nullptr: physical addresses

  Kernel& kernel_;
  Random random_;
  uint64_t next_handle_ = 1;
  std::map<HANDLE, Adapter> adapters_;
  std::map<HANDLE, Object> objects_;
  std::map<HANDLE, AdapterObject> adapter_objects_;
  std::map<DXGK_ADL*, std::unique_ptr<Adl>> adls_;
  std::unique_ptr<SectionNames> names_;
  CpuViews views_;
};

}  // namespace gmmu::os
