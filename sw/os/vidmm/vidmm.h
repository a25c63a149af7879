// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/tables/address_space.h"
#include "os/vidmm/aperture.h"
#include "os/vidmm/paging_queue.h"
#include "os/tables/protection.h"
#include "os/miniport/segments.h"
#include "os/memory/system_buffer.h"
#include "os/tables/table_order.h"
#include "os/tables/table_shadow.h"

namespace gmmu::os {

class ContextAllocations;

/// The video memory manager of one GPU: where allocations live, what page tables say, and the paging work that
/// follows from it. Linked adapters have one each (VidMmLink): a process has a part in every one, an allocation
/// lives in the memory of one, and page tables of any of them may lead there.
///
/// Every call is made on the VidMm worker and returns when the GPU has done the work and its fence
/// and its monitored fence have passed. Virtual addresses and sizes are bytes, multiples of 4 KiB
/// unless a call says otherwise.
class VidMm {
  static uint64_t NextSerial() {
    static uint64_t last = 0;
    return ++last;
  }

 public:
  struct Process {
    VidMm* vidmm = nullptr;  // of the GPU whose tables these are
    uint64_t serial = NextSerial();  // no other has or had it
    std::string name;
    ProcessHandles handles;
    std::unique_ptr<AddressSpace> space;
    TableShadow shadow;      // what its page tables say
    std::unique_ptr<TableOrder> order;  // where there are pages of 64 KiB
    bool root_told = false;  // to the driver
    bool overwritten = false;  // entries that were in use, since the last flush that FlushChanges asks for
    bool held = false;       // its contexts are suspended for an update of its tables
    bool in_creation = false;  // DxgkDdiCreateProcess runs
    struct Companion {
      HANDLE context;
      std::unique_ptr<PagingQueue> queue;
      Ledger::Ticket ticket;
    };
    std::optional<Companion> companion;  // of its context, from the first use on
    struct DriverRange {
      uint64_t bytes;
      bool user;  // applications may map there (AllowUserModeMapping)
    };
    std::map<uint64_t, DriverRange> driver_ranges;  // that the driver keeps for itself, by address
    bool tables_asleep = false;  // evicted because the GPU sleeps
    /// Address and pages of what went while the tables were away: its entries go when they are back.
    std::vector<std::pair<uint64_t, uint64_t>> stale;
    const std::vector<Process*>* parts = nullptr;  // over linked adapters, all of them; the first has the addresses
  };
  struct Allocation {
    VidMm* vidmm = nullptr;  // of the GPU in whose memory it lives
    uint64_t serial = NextSerial();  // no other has or had it
    std::string name;
    uint64_t bytes = 0;
    HANDLE handle = nullptr;  // the driver's
    Ledger::Ticket ticket = 0;
    /// VRAM in one piece with this alignment, bytes (AccessedPhysically); 0: scattered.
    uint64_t contiguous = 0;
    Homes homes;
    bool map_cpu_visible = false;
    bool large_pages = true;  // not DisableLargePageMapping
    std::optional<SegmentPages> local;  // while resident in VRAM
    bool explicit_residency = false;    // the driver wants to be told where it is
    bool notified = false;              // that it is resident
    struct Mapping {
      Process* process;
      uint64_t va;
      uint64_t first_page;  // of the allocation
      uint64_t pages;
      Protection protection;
      bool one_page = false;  // every address shows `first_page`

      /// Pages of the allocation from `first_page` on.
      uint64_t shown() const { return one_page ? 1 : pages; }
      uint64_t end() const { return va + pages * hw::kPageSize; }
      /// Its addresses from page `first` on, `count` of them.
      Mapping Part(uint64_t first, uint64_t count) const {
        return {process, va + first * hw::kPageSize, one_page ? first_page : first_page + first, count, protection,
                one_page};
      }
    };
    std::vector<Mapping> mappings;  // where its pages are, or will be when it is resident again
  };
  /// Bytes done so far.
  using Progress = std::function<void(uint64_t)>;
  /// Says whether it is the one.
  template <typename Test>
  Process* FindProcess(const Test& test) {
    for (const auto& process : processes_)
      if (test(*process)) return process.get();
    return nullptr;
  }

  explicit VidMm(LogicalAdapter& adapter) : VidMm(adapter.lead()) {}
  explicit VidMm(PhysicalAdapter& gpu);
  ~VidMm();
  /// Linked: all of the link, this one among them.
  void set_link(std::vector<VidMm*> link) { link_ = std::move(link); }
  /// Throws OsError where adapters are linked: `what` is for one GPU.
  void RefuseOnLink(const char* what) const;

  /// The paging process with its windows and buffers, the fence page and the dummy page.
  void Start();
  void Stop();
  /// After an adapter reset, on the worker: the driver restarts, and the paging process gets tables anew. Processes
  /// and allocations that were there are lost; they can only be destroyed.
  void Rebuild();
  // Its two halves: before and after the driver restarts.
  void ForgetQueued();
  void RebuildTables();
  /// Before D3 and after it. What is in VRAM goes to system memory and comes back, page tables are evicted and
  /// restored with what they say; processes, contexts and virtual addresses stay. Contexts are suspended in between.
  /// Nothing may be mapped into the aperture. A page entry that MapLarge made of an allocation comes back as small
  /// ones.
  void Sleep();
  void Wake();

  /// `root_entries`: of a resizable root at first, which grows with the addresses that are mapped; 0: what its
  /// descriptor says. Without a context the driver is not told of a root (seen on build 22621). When the driver
  /// refuses a part of it, or there is no room, there is none.
  Process* CreateProcess(const std::string& name, uint64_t root_entries = 0, bool with_context = true);
  void CreateContext(Process& process);
  /// The part of a process over linked adapters that is on this GPU: the first one makes the process (`joins` null),
  /// the others join it and are destroyed before it. `parts` will hold all of them.
  Process* CreatePart(const std::string& name, const Process* joins, AddressSpace::Placer placer,
                      const std::vector<Process*>& parts);
  void DestroyProcess(Process* process);
  /// `pages` of virtual addresses, 64 KiB aligned, at a place drawn by seed; or at `at`.
  uint64_t ReserveVa(Process& process, uint64_t bytes, std::optional<uint64_t> at = std::nullopt);
  void FreeVa(Process& process, uint64_t va);
  /// The same at `base`, or, with base 0, anywhere in [minimum, maximum); maximum 0 is no bound. `bytes` as they are.
  /// nullopt: taken, or no room.
  std::optional<uint64_t> ReserveVaWithin(Process& process, uint64_t bytes, uint64_t base, uint64_t minimum,
                                          uint64_t maximum, uint64_t alignment = 64 << 10);
  /// The first of the driver's ranges that [base, base + bytes) touches, and its address; null: none.
  const std::pair<const uint64_t, Process::DriverRange>* DriverRangeOf(const Process& process, uint64_t base,
                                                                       uint64_t bytes) const;
  /// What a large page of level 1 holds, when the allocation may be mapped so; else 0.
  uint64_t LargePageBytes(const Allocation& allocation) const;

  /// Accessed by GPU virtual addresses only; or by its place in the aperture segment, and never in VRAM.
  Allocation* CreateAllocation(const std::string& name, uint64_t bytes);
  Allocation* CreateInAperture(const std::string& name, uint64_t bytes);
  Allocation* CreateAllocation(const AllocationRequest& request);
  /// Entries that lead to it become invalid and are flushed before its VRAM goes to others and before the driver is
  /// told. Nothing is sent for a process that is gone, for what an adapter reset has lost, or when VidMm has stopped.
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
  /// From VRAM to VRAM, `bytes` of any size. The target lives here; the source may be another GPU's.
  void CopyLocal(Allocation& source, Allocation& target, uint64_t bytes);
  /// VRAM into host memory.
  void PageOut(Allocation& allocation, SystemBuffer& target, uint64_t bytes,
               const Progress& progress);
  /// The same for one whose EvictionSegmentSet has an aperture segment, by a range of that; in pieces when it has no
  /// room for all, and through the scratch windows when it has none.
  void EvictThroughAperture(Allocation& allocation, SystemBuffer& target);
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
  void MapLarge(Process& process, uint64_t va, unsigned level, Allocation& allocation,
                const Protection& protection = Protection::All());
  /// Reads give zeros, writes are dropped; entries at the highest levels that fit.
  void MapZero(Process& process, uint64_t va, uint64_t pages);
  void MapToAperture(Process& process, uint64_t va, Allocation& allocation, uint64_t aperture_page,
                     uint64_t pages);
  /// System memory, read and written at its own pages; `pages` 0: all from `first_page` on.
  void MapSystem(Process& process, uint64_t va, const SystemBuffer& buffer, uint64_t first_page = 0,
                 uint64_t pages = 0);
  /// Page `page` of the allocation, which is in VRAM, at every one of `pages` addresses.
  void MapOnePage(Process& process, uint64_t va, Allocation& allocation, uint64_t page, uint64_t pages);
  void Unmap(Process& process, uint64_t va, uint64_t pages);
  /// Unmaps, and gives page tables back that only served the range.
  void UnmapAndFreeTables(Process& process, uint64_t va, uint64_t pages);
  /// Another root table: of at least `entries` entries where roots are resizable, or elsewhere with the same ones
  /// (0). The process' contexts must be idle.
  void ReplaceRoot(Process& process, uint64_t entries);

  /// All page tables of a process lie elsewhere afterwards, the root too; its context waits meanwhile. After NoRoom
  /// some do, and the process goes on.
  void MoveTables(Process& process);
  /// They leave memory, but for the root; the context waits until they are back, and nothing may be mapped.
  void EvictTables(Process& process);
  void RestoreTables(Process& process);

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

  /// A handle for applications; it ends with the allocation.
  D3DKMT_HANDLE Open(Allocation& allocation);
  /// null: no handle, or not any more.
  Allocation* Opened(D3DKMT_HANDLE handle) const;
  /// In the order of their making.
  std::vector<Allocation*> Allocations() const;
  /// Entries for the allocation at `va`. When it is not resident they are invalid, whatever was mapped there, and are
  /// written when it is made resident.
  void Map(Process& process, uint64_t va, Allocation& allocation, uint64_t first_page, uint64_t pages,
           const Protection& protection = Protection::All());
  /// An allocation that the driver asked for itself; nothing of it goes through DxgkDdiCreateAllocation.
  Allocation* AdoptAllocation(const std::string& name, uint64_t bytes, HANDLE driver_handle);
  void DropAllocation(Allocation* allocation);
  /// Tells a driver that asked for it where the allocation is, behind its last fill or transfer; or, before its
  /// content goes, that it is nowhere. Once for each.
  void NotifyResident(Allocation& allocation);
  void NotifyEvicted(Allocation& allocation);
  /// One operation on the allocation's first `bytes`, which it sees at the address that `operation` is given: a scratch
  /// window of the paging process. Returns when the GPU has done it.
  void InWindow(Allocation& allocation, uint64_t bytes,
                const std::function<DXGKARG_BUILDPAGINGBUFFER(uint64_t va)>& operation);
  uint64_t WindowBytes() const { return kernel_.parameters().window_pages * hw::kPageSize; }
  /// An operation by itself, as VidMm queues them; returns when the GPU has done it.
  void Operate(DXGKARG_BUILDPAGINGBUFFER operation);
  /// The mappings of [source, source + bytes) of a process at `target` too: its page tables' entries are copied, with
  /// `driver_protection` for the target's.
  void CopyMappings(Process& process, uint64_t source, uint64_t target, uint64_t bytes,
                    uint64_t driver_protection = 0);
  /// `mappings` without [va, va + 4096 * pages) of a process: what is left of each.
  static std::vector<Allocation::Mapping> Without(const std::vector<Allocation::Mapping>& mappings,
                                                  const Process& process, uint64_t va, uint64_t pages);
  /// Those in [va, va + bytes) of a process, cut to it.
  static std::vector<Allocation::Mapping> Within(const std::vector<Allocation::Mapping>& mappings,
                                                 const Process& process, uint64_t va, uint64_t bytes);
  /// The same of every allocation.
  std::vector<std::pair<Allocation*, Allocation::Mapping>> MappingsIn(const Process& process, uint64_t va,
                                                                      uint64_t bytes) const;
  /// `work`, whose operations and flushes go through the companion context of the process' context. What was queued
  /// before is done.
  void OnCompanion(Process& process, const std::function<void()>& work);
  /// A fence value in stream order; returns when the GPU has written it.
  void Signal(uint64_t va, uint64_t value);
  /// System memory in the paging process, read and written.
  uint64_t MapForPaging(const SystemBuffer& buffer);
  void UnmapForPaging(uint64_t va, uint64_t pages);
  ContextAllocations& context_allocations() { return *context_allocations_; }
  /// Allocations whose driver has not been told yet that they are destroyed.
  size_t deferred() const { return deferred_.size(); }
  /// Aperture maps of other memory than SystemBuffers.
  Aperture& aperture() { return *aperture_; }
  SystemBuffer& dummy() { return dummy_; }
  LogicalAdapter& adapter() { return gpu_.logical(); }
  PhysicalAdapter& gpu() { return gpu_; }
  const PagingQueue& queue() const { return queue_; }
  /// Between Start and Stop.
  bool running() const { return queue_.buffers() != 0; }
  Process& paging_process() { return paging_; }

 private:
  /// Addresses of the paging process for one transfer: pages of system memory, and of a memory segment.
  struct Window {
    uint64_t system = 0;
    uint64_t local = 0;
    PacketId packet = 0;  // the last transfer through it
  };
  AddressSpace::Sink SinkFor(Process& process);
  void Update(Process& process, const TableUpdate& update, bool immediate);
  void Send(Process& process, const TableUpdate& update, bool immediate);
  void WatchOrder(Process& process);
  // vidmm_bring_up.cc
  /// Addresses that the paging process has from its start on.
  void ReservePagingVa();
  void FreePagingVa();
  uint64_t ReservePaging(uint64_t bytes, std::optional<uint64_t> offset = std::nullopt);
  /// Root, tables and entries of the paging process.
  void MakePagingTables();
  void WritePagingTables();
  void MakePagingTablesOf26100();
  void TellPagingRoot();
  /// Before they are freed, where the driver wants that (ExplicitPageTableInvalidation).
  void InvalidatePagingTables();
  void ReleaseRetired(Process& process);
  void MapPagingBuffers();
  void WriteUnexplained();
  void FirstFill();
  uint64_t FillWindowBytes() const;  // 0: fills fit into a window
  uint64_t LeafTablesOfLocalWindows() const;
  uint64_t MapTable(const D3DGPU_PHYSICAL_ADDRESS& table, uint64_t bytes);
  void UnmapTable(uint64_t va, uint64_t bytes);
  uint64_t PagingVaEnd() const;
  void TellRoot(Process& process);
  void StartProcess(Process& process, bool system, uint64_t va_end, const Process* joins = nullptr);
  void Hold(Process& process);
  /// When `making` a process is refused, what there is of it is destroyed.
  void OrUndo(Process& process, const std::function<void()>& making);
  void ReleaseHeld();
  void DestroyDeferred();
  /// The driver's protection of the allocation's pages from `first` on in paging windows: `pages` is cut to those
  /// that have the same.
  static uint64_t WindowProtection(const Allocation& allocation, uint64_t first, uint64_t* pages);
  /// What of an allocation one window shows, bytes: `skip` of it are before what is wanted, because windows begin
  /// with a whole page of the segment.
  struct Piece {
    uint64_t start, skip, size;
    uint64_t protection;  // the driver's, of all that is wanted
  };
  /// From byte `at` on, at most `left` bytes of at most `pages` in the window.
  static Piece PieceAt(const Allocation& allocation, uint64_t at, uint64_t left, uint64_t pages);
  void TransferPhysical(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                        const Progress& progress);
  void FillPhysical(Allocation& allocation, uint64_t offset, uint64_t bytes, uint32_t pattern);
  void Barrier(bool write);
  /// Its content goes without being written back (WDDM 1 only).
  void Discard(const Allocation& allocation);
  void Finish(const std::vector<VidMm*>& touched);
  /// The next window; waits until the GPU is done with it.
  Window& NextWindow();
  void EnsureTables(Process& process, uint64_t va, uint64_t pages, bool large = false);
  /// Over linked adapters a page table exists on each GPU or on none: roots are the same.
  void EnsureEverywhere(Process& process, uint64_t va, uint64_t pages);
  void SetLocal(Allocation& allocation, const Allocation::Mapping& mapping);
  /// Writes the entries of a mapping and records it.
  void MapResident(Allocation& allocation, const Allocation::Mapping& mapping);
  /// Entries of the range become invalid where they are in use, and are flushed; it is for the caller to wait. False:
  /// nothing is to be waited for.
  bool Clear(Process& process, uint64_t va, uint64_t pages);
  /// The same for every mapping of an allocation, which has none then; waits.
  void ClearMappings(Allocation& allocation);
  /// The same for what went while the tables were away, without a flush.
  void ClearStale(Process& process);
  void GrowRoot(Process& process, uint64_t entries);
  void FinishMapping(Process& process, uint64_t va, uint64_t pages);
  /// Flushes the range when entries were in use there before, or when the hardware may hold that they were not
  /// (DXGK_GPUMMUCAPS.InvalidTlbEntriesNotCached).
  void FlushChanges(Process& process, uint64_t va, uint64_t pages);
  void Forget(Process& process, uint64_t va, uint64_t pages);
  AddressSpace::Contents ContentsOf(Process& process);
  /// Evicted, or not there because the GPU sleeps.
  bool Away(const Process& process) const { return asleep_now_ || process.space->evicted(); }
  /// A backing store that waits for the end of the sleep goes.
  void DropAsleep(const Allocation& allocation);
  void FlushSpace(Process& process);
  void CopyPiece(Process& process, const AddressSpace::CopyPiece& piece, uint64_t driver_protection);
  void CopyByGpu(Process& process, const AddressSpace::CopyPiece& piece, const std::vector<HeldEntry>& entries);
  /// True: mapped with pages of 64 KiB.
  bool SetWindow(uint64_t va, const std::vector<DXGK_PTE>& entries, const Allocation& allocation,
                 uint64_t offset, uint64_t driver_protection);
  bool SetWindow(uint64_t va, const Allocation& allocation, const Piece& piece);
  /// `begins`, `ends`: a move of which this is a part, or all.
  void CopyAperture(uint64_t aperture_offset, Allocation& allocation, uint64_t offset, uint64_t bytes, bool in,
                    bool begins = true, bool ends = true);
  /// Pages of an allocation in VRAM; where it has pages of 64 KiB, up to the end of the last one.
  std::vector<DXGK_PTE> LocalEntries(const Allocation& allocation, uint64_t offset, uint64_t bytes) const;
  /// What was cached of the entries for [va, va + bytes), behind everything queued.
  void Flush(Process& process, uint64_t va, uint64_t bytes);
  void Transfer(Allocation& allocation, SystemBuffer& buffer, uint64_t bytes, bool in,
                const Progress& progress);
  /// Signals the monitored fence behind everything queued, and waits for it.
  void Finish();
  DXGK_PTE SystemEntry(uint64_t page) const;
  /// VRAM page `page` of an allocation, of this GPU or of another one.
  static DXGK_PTE LocalEntry(const Allocation& allocation, uint64_t page);
  /// A page of this GPU's VRAM.
  DXGK_PTE LocalEntry(uint64_t page) const;
  /// Of page `page` of the allocation, with the segment's base address added (WDDM 1 operands).
  LONGLONG SegmentAddress(const Allocation& allocation, uint64_t page) const;

  PhysicalAdapter& gpu_;
  Kernel& kernel_;
  PagingQueue queue_;
  PagingQueue* active_ = &queue_;  // the paging context's, or a companion's
  Random random_;
  Process paging_;
  std::vector<std::unique_ptr<Process>> processes_;
  std::vector<std::unique_ptr<Allocation>> allocations_;
  std::map<D3DKMT_HANDLE, Allocation*> opened_;
  D3DKMT_HANDLE next_handle_ = 0x40000000;
  std::array<Window, 4> windows_;
  std::vector<uint64_t> paging_ranges_;  // of the paging process
  uint64_t self_map_ = 0, buffers_va_ = 0, first_fill_ = 0;
  std::optional<uint64_t> unexplained_;  // offset in VRAM
  size_t next_window_ = 0;
  SystemBuffer fence_page_;
  uint8_t* fence_cpu_ = nullptr;
  uint64_t fence_va_ = 0;
  uint64_t fence_value_ = 0, fence_seen_ = 0;
  SystemBuffer dummy_;
  Window fill_window_;  // of more than a window, for larger fills
  std::optional<Aperture> aperture_;
  std::unique_ptr<ContextAllocations> context_allocations_;
  std::vector<std::pair<HANDLE, Ledger::Ticket>> deferred_;
  std::vector<std::pair<Allocation*, SystemBuffer>> asleep_;
  bool asleep_now_ = false;
  std::vector<VidMm*> link_{this};
  bool wrong_pte_done_ = false;
  bool paging_is_up_ = false;  // its first tables are always the CPU's work
};

}  // namespace gmmu::os
