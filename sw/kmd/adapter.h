// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/contiguous_blocks.h"
#include "kmd/fault_log.h"
#include "kmd/host_aperture.h"
#include "kmd/link.h"
#include "kmd/locks.h"
#include "kmd/own_memory.h"
#include "kmd/parameters.h"
#include "kmd/progress.h"
#include "kmd/registers.h"
#include "kmd/residency_record.h"
#include "kmd/ring.h"
#include "kmd/save_area.h"
#include "kmd/spaces.h"

namespace gmmu::kmd {

struct Context;
struct Process;

/// One node of the GPU: a ring, the ring's memory, and the state that the interrupt routine keeps
/// for the node.
struct Engine {
  Ring ring;
  OwnMemory ring_page;
  OwnMemory fence_page;

  // Use the members below at device level (Adapter::AtDeviceLevel), or while the interrupt routine
  // ignores the engine.
  uint32_t reported_fence = 0;
  bool resetting = false;  ///< true: the interrupt routine ignores the engine
  bool preemption_pending = false;
  uint32_t preemption_fence = 0;
  Progress progress;  ///< progress of buffers that have no context

  /// Starts an empty ring, after Ring::Stop. Fences up to `completed` count as completed.
  void Restart(const Registers& registers, UINT node, bool privileged, uint32_t completed) {
    ring.Start(registers, node, privileged, ring_page, fence_page, completed);
  }
};

/// One GPU. AddDevice creates it, and the entry points receive it as hAdapter
/// (MiniportDeviceContext).
///
/// The driver's own memory (ring, fence record, fault queue, dummy page) exists only from Start to
/// Stop, because the adapter might not have its IOMMU domain before Start.
class Adapter {
 public:
  static constexpr UINT kPagingNode = 0;  ///< ring 0: privileged, paging buffers only
  static constexpr UINT kRenderNode = 1;  ///< ring 1, if the hardware has one: buffers of processes
  static constexpr UINT kMostNodes = 2;

  explicit Adapter(PDEVICE_OBJECT device) : device_object(device) {}
  static Adapter& From(HANDLE handle) { return *static_cast<Adapter*>(handle); }

  [[nodiscard]] NTSTATUS Start(const DXGKRNL_INTERFACE& interface);
  void Stop();

  enum class Vram { kLost, kKept };
  /// Writes all registers whose contents the hardware has lost. Call at start, at power-up, after a
  /// reset of the adapter and after exclusive access. If VRAM is lost, all aperture pages are
  /// unmapped afterwards.
  [[nodiscard]] NTSTATUS Program(Vram vram);
  /// Stops all memory accesses and messages of the device before it returns. Returns
  /// STATUS_IO_TIMEOUT if the device did not become quiet in time.
  NTSTATUS Quiesce();
  /// Makes the device hold back its accesses and messages until EndSilence; the device then
  /// continues where it stopped. If it does not become silent in time, the request is withdrawn and
  /// STATUS_IO_TIMEOUT is returned.
  NTSTATUS Silence();
  void EndSilence();

  /// Returns the engine of a node, or null if there is no such node.
  Engine* EngineOf(UINT node) { return node < nodes ? &engines[node] : nullptr; }
  /// Finds an engine by the lead adapter's handle, the adapter's index and the node, as DDI
  /// arguments identify it. Returns null if there is none.
  static Engine* FindEngine(HANDLE lead, UINT adapter, UINT node) {
    Adapter* member = From(lead).Member(adapter);
    return member == nullptr ? nullptr : member->EngineOf(node);
  }
  /// Starts an empty ring for a node, after Ring::Stop. Fences up to `completed` count as
  /// completed.
  void RestartRing(UINT node, uint32_t completed) {
    engines[node].Restart(registers, node, node == kPagingNode, completed);
  }

  /// Runs `work` while this adapter's interrupt routine is excluded on all processors.
  template <typename Work>
  NTSTATUS AtDeviceLevel(Work work) const {
    const auto routine = [](PVOID context) -> BOOLEAN {
      (*static_cast<Work*>(context))();
      return TRUE;
    };
    BOOLEAN result = FALSE;
    return dxgkrnl.DxgkCbSynchronizeExecution(dxgkrnl_handle(), routine, &work, 0, &result);
  }

  HANDLE dxgkrnl_handle() const { return dxgkrnl.DeviceHandle; }
  /// The linked adapter with this index (EngineOrdinal, PhysicalAdapterIndex), or null if there is none. An adapter
  /// that is not linked has index 0.
  Adapter* Member(UINT number) const { return link.Member(*this, number); }
  Adapter& lead() const { return *Member(link.lead()); }
  uint64_t aperture_pages() const { return parameters.aperture_bytes / PAGE_SIZE; }
  /// The VRAM offset of the table of aperture entries, which is at the end of VRAM, in the driver's
  /// part.
  uint64_t aperture_table() const;
  /// The VRAM offset of the first byte that is saved across power transitions.
  uint64_t save_area_offset() const { return aperture_table() - parameters.save_area_bytes; }
  /// Size of the memory segment. In VRAM, the segment ends at the driver's part or at the end of
  /// the BAR2 window, whichever comes first. The segment may instead be in system memory.
  uint64_t vram_segment_bytes() const;
  uint64_t segment_page_bytes() const { return parameters.leaf_64k ? kPage64k : kPage; }
  /// True if the memory segment is in system memory.
  bool integrated() const { return parameters.system_segment_bytes != 0; }
  /// The first page of the segment in system memory, as a logical page number, or 0 if the segment
  /// is in VRAM.
  uint64_t system_page() const { return system_page_; }
  /// CPU physical address of the memory segment.
  PHYSICAL_ADDRESS segment_address() const;
  /// Converts an offset in a segment to the hardware's target and offset. Returns false for the
  /// hidden segment, or if the segment does not exist.
  [[nodiscard]] bool Locate(UINT segment, uint64_t offset, regs::Target* target, uint64_t* hardware) const;
  uint64_t hidden_segment_bytes() const;  ///< 0: the adapter has no hidden segment
  /// The first VRAM page of the hidden segment, or 0 if there is no hidden segment.
  uint64_t hidden_page() const { return hidden_segment_bytes() == 0 ? 0 : vram_segment_bytes() / PAGE_SIZE; }
  HiddenPages hidden_pages() const;  ///< hidden_page() of each linked adapter; 0 before its start

  PDEVICE_OBJECT device_object;
  Parameters parameters;
  LinkPlace link;
  DXGKRNL_INTERFACE dxgkrnl{};
  bool started = false;
  bool powered = false;  ///< written at device level

  Registers registers;
  PHYSICAL_ADDRESS window_address{};  ///< CPU physical address of BAR2
  uint64_t window_bytes = 0;
  uint64_t vram_bytes = 0;
  uint32_t clients = 0;
  uint32_t traffic_engines = 0;  ///< clients 0 to traffic_engines - 1 have a traffic engine
  uint32_t client_patterns = 0;  ///< bit i: traffic engines support regs::Pattern i
  bool client_verify = false;    ///< traffic engines can verify the data that they read

  UINT nodes = 1;
  bool can_preempt = false;  ///< rings can stop at command boundaries, and the device supports bus silence
  bool silenced = false;
  Engine engines[kMostNodes];
  Spaces spaces;
  FaultLog fault_log;
  ContiguousBlocks contiguous_blocks;
  OwnMemory dummy_page;
  ResidencyRecord residency;
  HostAperture host_aperture;  ///< has no pages unless parameters.host_aperture is set
  SaveArea save_area;

  /// Protects the data that calls on any thread may change: the spaces, their assignment to
  /// processes, the clients' registers, and context_sequence.
  FastMutex objects;
  uint64_t context_sequence = 0;  ///< number of context allocations created so far

  /// The system's paging process. It needs no lock: the system creates it before the first paging
  /// operation and destroys it after the last.
  Process* system_process = nullptr;
  /// Returns the address space in which the virtual addresses of a context and of its buffers are
  /// translated, or Spaces::kNone if none has been allocated yet. For null or a system context,
  /// this is the space of the paging process, which is the only privileged space. This also holds
  /// if the system context is the paging companion of another process's context.
  uint32_t SpaceOf(const Context* context) const;

  // Interlocked.
  LONG fences_signalled = FALSE;  ///< a submitted paging buffer may raise MONITORED_FENCE_SIGNALED
  LONG faults_logged = FALSE;     ///< an interrupt reported faults, and no DPC has drained the log since

 private:
  NTSTATUS MapResources();
  NTSTATUS ReadIdentity();
  NTSTATUS CreateMemory();
  [[nodiscard]] bool TurnedDown();  ///< true if the hardware has adopted Parameters::sizes_in_use, or none are set
  void WriteApertureTable();
  void ReleaseAll();

  void* registers_view_ = nullptr;
  void* window_view_ = nullptr;
  PHYSICAL_ADDRESS registers_address_{};
  uint64_t registers_bytes_ = 0;
  MemoryCallbacks memory_callbacks_;
  OwnMemory fault_page_;
  OwnMemory segment_memory_;
  uint64_t system_page_ = 0;
};

}  // namespace gmmu::kmd
