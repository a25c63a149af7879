// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/adapter.h"
#include "os/address_space.h"
#include "os/aperture.h"
#include "os/paging_queue.h"
#include "os/protection.h"
#include "os/segments.h"
#include "os/system_buffer.h"

namespace gmmu::os {

/// The video memory manager: where allocations live, what page tables say, and the paging work that
/// follows from it.
///
/// Every call is made on the VidMm worker and returns when the GPU has done the work and its fence
/// and its monitored fence have passed. Virtual addresses and sizes are bytes, multiples of 4 KiB
/// unless a call says otherwise.
class VidMm {
 public:
  struct Process {
    std::string name;
    ProcessHandles handles;
    std::unique_ptr<AddressSpace> space;
    bool root_told = false;  // to the driver
  };
  struct Allocation {
    std::string name;
    uint64_t bytes = 0;
    HANDLE handle = nullptr;  // the driver's
    Ledger::Ticket ticket = 0;
    uint64_t contiguous = 0;            // VRAM in one piece with this alignment, bytes; 0: scattered
    Homes homes;
    bool map_cpu_visible = false;
    std::optional<SegmentPages> local;  // while resident in VRAM
    struct Mapping {
      Process* process;
      uint64_t va;
      uint64_t first_page;  // of the allocation
      uint64_t pages;
      Protection protection;
    };
    std::vector<Mapping> mappings;  // where its pages are, or will be when it is resident again
  };
  /// Bytes done so far.
  using Progress = std::function<void(uint64_t)>;

  explicit VidMm(Adapter& adapter);

  /// The paging process with its windows and buffers, the fence page and the dummy page.
  void Start();
  void Stop();
  /// After an adapter reset, on the worker: the driver restarts, and the paging process gets tables anew. Processes
  /// and allocations that were there are lost; they can only be destroyed.
  void Rebuild();

  /// `root_entries`: of a resizable root at first; 0: all that its level has.
  Process* CreateProcess(const std::string& name, uint64_t root_entries = 0);
  void DestroyProcess(Process* process);
  /// `pages` of virtual addresses, 64 KiB aligned, at a place drawn by seed; or at `at`.
  uint64_t ReserveVa(Process& process, uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  void FreeVa(Process& process, uint64_t va);

  Allocation* CreateAllocation(const std::string& name, uint64_t bytes);
  Allocation* CreateAllocation(const AllocationRequest& request);
  void DestroyAllocation(Allocation* allocation);
  /// VRAM for all of it; contents are undefined. Throws OsError when there is no room; TryMakeResident
  /// then answers false, and nothing is taken.
  void MakeResident(Allocation& allocation);
  bool TryMakeResident(Allocation& allocation);
  /// Gives its VRAM up, contents and all. No entry may lead there any more.
  void Evict(Allocation& allocation);
  /// Makes the page tables of every mapping. Throws NoRoom.
  void EnsureTables(Allocation& allocation);
  /// Entries of every mapping: invalid, or VRAM again. Flushes the TLBs.
  void InvalidateMappings(Allocation& allocation);
  void RestoreMappings(Allocation& allocation);

  /// Host memory into VRAM, `bytes` of any size, through scratch windows of the paging process.
  void PageIn(Allocation& allocation, SystemBuffer& source, uint64_t bytes,
              const Progress& progress);
  /// VRAM into host memory.
  void PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes,
               const Progress& progress);
  /// Fills VRAM from `offset` on.
  void Fill(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern);
  /// Reads the aperture segment from byte `aperture_offset` on into the allocation's VRAM.
  void CopyFromAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset,
                        uint64_t bytes);

  /// Entries of [va, va + 4096 * pages): VRAM pages of the allocation, aperture pages, or invalid.
  /// Flushes the TLBs.
  void MapLocal(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page,
                uint64_t pages, const Protection& protection = Protection::All());
  /// One large page of `level` at `va`, from the allocation's first page on; the allocation is contiguous and aligned.
  void MapLarge(Process& process, uint64_t va, unsigned level, Allocation& allocation);
  /// Reads give zeros, writes are dropped; entries at the highest levels that fit.
  void MapZero(Process& process, uint64_t va, uint64_t pages);
  void MapToAperture(Process& process, uint64_t va, Allocation& allocation, uint64_t aperture_page,
                     uint64_t pages);
  /// System memory, read and written at its own pages.
  void MapSystem(Process& process, uint64_t va, const SystemBuffer& buffer);
  /// VRAM page `page` of the allocation at every one of `pages` addresses.
  void MapOnePage(Process& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages);
  void Unmap(Process& process, uint64_t va, uint64_t pages);
  /// Unmaps, and gives page tables back that only served the range.
  void UnmapAndFreeTables(Process& process, uint64_t va, uint64_t pages);
  /// Another root table: of at least `entries` entries where roots are resizable, or elsewhere with the same ones
  /// (0). The process' contexts must be idle.
  void ReplaceRoot(Process& process, uint64_t entries);

  /// Commands of a process, `bytes` at `va`, for its node.
  PacketId SubmitRender(Process& process, uint64_t va, uint64_t bytes, const std::string& what);

  /// First page of an aperture range.
  uint64_t AllocateAperture(uint64_t pages);
  void FreeAperture(uint64_t aperture_page);
  /// Aperture pages show pages [adl_offset, adl_offset + pages) of the buffer's ADL.
  void BindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation,
                    const SystemBuffer& buffer, uint64_t adl_offset);
  /// Aperture pages show the dummy page.
  void UnbindAperture(uint64_t aperture_page, uint64_t pages, Allocation& allocation);

  /// In the order of their making.
  std::vector<Allocation*> Allocations() const;
  /// Records entries for the allocation at `va`; they are written when it is made resident.
  void Map(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages);
  /// Aperture maps of other memory than SystemBuffers.
  Aperture& aperture() { return *aperture_; }
  SystemBuffer& dummy() { return dummy_; }
  Adapter& adapter() { return adapter_; }
  const PagingQueue& queue() const { return queue_; }

 private:
  static constexpr uint64_t kWindowPages = 256;  // 1 MiB each way
  struct Window {
    uint64_t source = 0;
    uint64_t target = 0;
    PacketId packet = 0;  // the last transfer through it
  };
  AddressSpace::Sink SinkFor(Process& process);
  void Update(Process& process, const TableUpdate& update, bool immediate);
  /// Root, tables and entries of the paging process.
  void MakePagingTables();
  uint64_t MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  void UnmapTable(uint64_t va, uint64_t bytes);
  uint64_t PagingVaEnd() const;
  void TellRoot(Process& process);
  void StartProcess(Process& process, bool system, uint64_t va_end);
  /// The next window; waits until the GPU is done with it.
  Window& NextWindow();
  void SetLocal(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page,
                uint64_t pages, const Protection& protection);
  void FinishMapping(Process& process, uint64_t va, uint64_t pages);
  void Forget(Process& process, uint64_t va, uint64_t pages);
  void SetWindow(uint64_t va, const std::vector<DXGK_PTE>& entries, const Allocation& allocation,
                 uint64_t offset);
  void FlushPaging(uint64_t va, uint64_t pages);
  void Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                const Progress& progress);
  /// Signals the monitored fence behind everything queued, and waits for it.
  void Finish();
  DXGK_PTE SystemEntry(uint64_t page) const;
  DXGK_PTE LocalEntry(uint64_t page) const;

  Adapter& adapter_;
  Kernel& kernel_;
  PagingQueue queue_;
  Random random_;
  Process paging_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::array<Window, 4> windows_;
  size_t next_window_ = 0;
  SystemBuffer fence_page_;
  uint8_t* fence_cpu_ = nullptr;
  uint64_t fence_va_ = 0;
  uint64_t fence_value_ = 0;
  SystemBuffer dummy_;
  std::optional<Aperture> aperture_;
  bool wrong_pte_done_ = false;
};

}  // namespace gmmu::os
