// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

#include "ddi/dispmprt.h"
#include "kmd/contiguous_blocks.h"
#include "kmd/fault_log.h"
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

/// One node of the GPU: a ring with its memory, and the state that the interrupt path keeps about the node.
struct Engine {
  Ring ring;
  OwnMemory ring_page;
  OwnMemory fence_page;

  // The members below are used at device level (Adapter::AtDeviceLevel), or while the interrupt routine ignores the
  // engine.
  uint32_t reported_fence = 0;
  bool resetting = false;  ///< true: the interrupt routine ignores the engine
  bool preemption_pending = false;
  uint32_t preemption_fence = 0;
  Progress progress;  ///< progress of buffers that have no context

  /// Starts the ring empty, after Ring::Stop. Fences up to `completed` count as completed.
  void Restart(const Registers& registers, UINT node, bool privileged, uint32_t completed) {
    ring.Start(registers, node, privileged, ring_page, fence_page, completed);
  }
};

/// One GPU. AddDevice creates it, and every entry point receives it as hAdapter (MiniportDeviceContext).
///
/// Its own memory (ring, fence record, fault queue, dummy page) exists only from Start to Stop, because before Start
/// the adapter might not have its IOMMU domain yet.
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
  /// Writes all registers whose contents the hardware has lost: at start, at power-up, after a reset of the adapter and
  /// after exclusive access. If VRAM is lost, the aperture is empty afterwards.
  [[nodiscard]] NTSTATUS Program(Vram vram);
  /// Stops all of the device's memory accesses and messages before it returns. Returns STATUS_IO_TIMEOUT if the device
  /// did not become quiet in time.
  NTSTATUS Quiesce();
  /// Makes the device hold back its accesses and messages until EndSilence, after which the device continues where it
  /// stopped. If the device does not become silent in time, withdraws the request and returns STATUS_IO_TIMEOUT.
  NTSTATUS Silence();
  void EndSilence();

  /// The engine of a node, or null if there is no such node.
  Engine* EngineOf(UINT node) { return node < nodes ? &engines[node] : nullptr; }
  /// Finds an engine by the handle of the lead adapter, the adapter's index and the node, as DDI arguments identify it.
  /// Returns null if there is none.
  static Engine* FindEngine(HANDLE lead, UINT adapter, UINT node) {
    Adapter* member = From(lead).Member(adapter);
    return member == nullptr ? nullptr : member->EngineOf(node);
  }
  /// Starts a node's ring empty, after Ring::Stop. Fences up to `completed` count as completed.
  void RestartRing(UINT node, uint32_t completed) {
    engines[node].Restart(registers, node, node == kPagingNode, completed);
  }

  /// Runs `work` while the interrupt routine of this adapter does not run on any processor.
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
  /// Offset in VRAM of the driver's own part, which holds the table of aperture entries.
  uint64_t aperture_table() const;
  /// The VRAM offset of the first byte that survives a power transition.
  uint64_t save_area_offset() const { return aperture_table() - parameters.save_area_bytes; }
  /// Size of the memory segment: VRAM below the driver's own part, as far as the BAR2 window reaches, or the segment in
  /// system memory.
  uint64_t vram_segment_bytes() const;
  /// True if the memory segment is populated from system memory.
  bool integrated() const { return parameters.system_segment_bytes != 0; }
  /// The first page of that segment as the GPU addresses system memory, or 0 if the segment is VRAM.
  uint64_t system_page() const { return system_page_; }
  /// The first byte of the memory segment as the CPU addresses it.
  PHYSICAL_ADDRESS segment_address() const;
  /// Finds the hardware's target and offset for a byte of a segment other than the hidden one. Returns false if there is
  /// no such segment.
  [[nodiscard]] bool Locate(UINT segment, uint64_t offset, regs::Target* target, uint64_t* hardware) const;
  uint64_t hidden_segment_bytes() const;  ///< 0: the adapter has no hidden segment
  /// The first VRAM page of the hidden segment, or 0 if there is no hidden segment.
  uint64_t hidden_page() const { return hidden_segment_bytes() == 0 ? 0 : vram_segment_bytes() / PAGE_SIZE; }
  HiddenPages hidden_pages() const;  ///< hidden_page() of each linked adapter; 0 for adapters that have not started

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
  SaveArea save_area;

  /// Protects the data that calls on any thread change: the spaces, the processes that have them, the clients'
  /// registers, and context_sequence.
  FastMutex objects;
  uint64_t context_sequence = 0;  ///< number of context allocations created so far

  /// The system's paging process. It needs no lock: the system creates it before the first paging operation and
  /// destroys it after the last paging operation.
  Process* system_process = nullptr;
  /// Returns the space in which a context's addresses and its buffers' addresses are translated, or Spaces::kNone if
  /// none is allocated yet. For a system context or null it is the space of the paging process, the only privileged
  /// one, even if the context is the companion of another process's context.
  uint32_t SpaceOf(const Context* context) const;

  // Interlocked.
  LONG fences_signalled = FALSE;  ///< a paging buffer may raise MONITORED_FENCE_SIGNALED
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
