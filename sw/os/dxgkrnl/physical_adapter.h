// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ddi/dispmprt.h"
#include "os/hal/pci.h"
#include "os/memory/cpu_host_aperture.h"
#include "os/miniport/adapter_answers.h"
#include "os/miniport/geometry.h"
#include "os/miniport/miniport.h"
#include "os/miniport/segments.h"

namespace gmmu::os {

class Kernel;
class VidSch;
class LogicalAdapter;
class MemoryObjects;
class SystemBuffer;

/// What the driver reported about one GPU.
struct AdapterCaps {
  uint64_t highest_visible = 0;  ///< last visible byte; the same for all linked adapters
  bool coherent = false;
  bool invalid_not_cached = false;
  bool explicit_invalidation = false;
  bool idle_for_updates = false;  ///< PageTableUpdateRequireAddressSpaceIdle
  bool narrow_fences = false;     ///< DXGK_VIDSCHCAPS.No64BitAtomics
  bool system_64k = false;        ///< SysMem64KBPageSupported
  DXGK_PAGETABLEUPDATEMODE update_mode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
  Geometry geometry;
  bool physical_model = false;  ///< AdapterAnswers::physical_model; if true, `geometry` is empty
  unsigned nodes = 0;
  unsigned paging_node = 0;
  unsigned render_node = 0;  ///< node for processes; the paging node if it is the only node
  uint64_t paging_buffer_bytes = 0;
  unsigned paging_buffer_segment = 0;
  uint64_t paging_private_bytes = 0;
};

/// One GPU of a logical adapter: its PCI function, its device object, its capabilities as reported
/// by the driver, and its memory segments. LogicalAdapter creates it, and calls its functions in
/// the order that linked adapters require.
class PhysicalAdapter {
 public:
  /// `handle` is opaque and is the same at every start of this GPU.
  PhysicalAdapter(LogicalAdapter& logical, const PciFunction& function, unsigned unit, unsigned machine_unit,
                  HANDLE handle)
      : logical_(logical), function_(function), unit_(unit), machine_unit_(machine_unit), handle_(handle) {}
  PhysicalAdapter(const PhysicalAdapter&) = delete;
  PhysicalAdapter& operator=(const PhysicalAdapter&) = delete;

  LogicalAdapter& logical() { return logical_; }
  /// Index of the GPU's device object in its logical adapter. The driver has a context for each device object.
  unsigned unit() const { return unit_; }
  /// Machine-wide index of the GPU, used by instruments.
  unsigned machine_unit() const { return machine_unit_; }
  /// The driver's index of the GPU (PhysicalAdapterIndex and EngineOrdinal), known after the start.
  unsigned index() const { return index_; }
  /// The DeviceHandle in the GPU's DXGKRNL_INTERFACE, which the driver passes to callbacks as
  /// hAdapter.
  HANDLE handle() const { return handle_; }
  const PciFunction& function() const { return function_; }
  std::string name() const { return function_.bdf.ToString(); }
  const AdapterAnswers& answers() const { return answers_; }
  const AdapterCaps& caps() const { return caps_; }
  /// Returns `text`, followed by the adapter's index if the logical adapter consists of several
  /// GPUs.
  std::string Named(const std::string& text) const;

  Segment& segment(unsigned id);
  /// Returns the CPU host aperture of a segment, or null if the segment has none.
  CpuHostAperture* host_aperture(unsigned segment);
  /// local_segment returns the first memory segment; one must exist. aperture_segment returns the aperture segment, or
  /// an empty segment with id 0 if there is none.
  bool has_local_segment() const;
  Segment& local_segment();
  Segment& aperture_segment();
  /// True if memory in segment `id` (0: system memory) may be mapped with 64 KiB pages.
  bool Has64kPages(unsigned id);
  /// Returns the set of memory segments with 64 KiB pages: bit n represents segment n.
  uint64_t SegmentsOf64kPages() const;
  const std::vector<Segment>& segments() const { return segments_; }
  /// Returns the size of a level-1 large page, or 0 if VidMm maps none. The result is 0 if the GPU
  /// has no large pages (LargePageSupported), or if it is linked, because the page tables of all
  /// linked GPUs must have the same form.
  uint64_t LargePageBytes() const;

  // The kernel of the logical adapter.
  Kernel& kernel();
  MemoryObjects& objects();
  Miniport& miniport();
  VidSch& vidsch();
  bool remapped() const;
  /// True if transfers and fills address memory by segment address and MDL: in the physical model,
  /// or if `[os] physical_paging` is set.
  bool physical_paging();

  /// Creates a buffer of system memory that VidMm owns and that all GPUs of the logical adapter
  /// use. The buffer is opened with this GPU's handle. If `contiguous` is true, it has contiguous
  /// addresses for the GPU; otherwise, its pages are scattered.
  SystemBuffer MakeBuffer(uint64_t bytes, bool contiguous = false);

  // Call the driver's entry points for this GPU. RootPageTableSize returns the number of entries of
  // a root with at least `entries` entries, and the root's size in bytes.
  std::pair<uint64_t, uint64_t> RootPageTableSize(uint64_t entries);
  void SetRootPageTable(HANDLE context, const D3DGPU_PHYSICAL_ADDRESS& root, uint64_t entries);
  /// Returns UserModeDriver::space_of for a process on this GPU. Returns nullopt if the user-mode
  /// driver has no such function, or if the process has no address space yet and therefore no
  /// cached translations.
  std::optional<unsigned> SpaceOf(HANDLE process);
  /// Sends an escape to this project's driver: `Data` begins with a header that identifies the
  /// adapter.
  template <typename Data>
  NTSTATUS Ask(Data& data) {
    data.header.adapter = static_cast<uint16_t>(index_);
    return miniport().Escape(&data, sizeof data);
  }
  /// Sends an escape. If the driver fails it, throws an error that contains `what`.
  template <typename Data>
  void Escape(Data& data, const char* what) {
    Miniport::Require(Ask(data), std::string(what) + " (DxgkDdiEscape, code " +
                                     std::to_string(static_cast<uint32_t>(data.header.code)) + " of sw/kmd/escape.h)");
  }

  /// The message that the GPU sends to interrupt, known after the start.
  const hw::Message& message() const { return sent_; }
  /// Number of the device's bus requests that the bus monitor has counted.
  hw::BusCounts BusAccesses() const;

  // Functions that callbacks.cc calls.
  NTSTATUS FillDeviceInformation(DXGK_DEVICE_INFO& info);
  void QueueDpc();

 private:
  friend class LogicalAdapter;
  void NoteBusAccesses() { bus_accesses_when_off_ = BusAccesses().total(); }
  /// Throws OsError if the device has used the bus since NoteBusAccesses, although the driver has
  /// not been started.
  void RequireUntouchedBus() const;
  /// Enables bus mastering and interrupt messages.
  void Connect();
  void Disconnect();
  void StartDevice();
  /// Puts the function into D3 (false) or back into D0 (true).
  void PowerFunction(bool on);
  void UseAnswers();
  void MakeSegments();
  uint8_t* ViewOf(const DXGK_SEGMENTDESCRIPTOR4& descriptor, unsigned id);
  void DropViews();

  LogicalAdapter& logical_;
  const PciFunction function_;
  const unsigned unit_, machine_unit_;
  HANDLE const handle_;
  unsigned index_ = 0;
  AdapterAnswers answers_;
  AdapterCaps caps_;
  std::vector<Segment> segments_;
  std::map<unsigned, std::unique_ptr<CpuHostAperture>> host_apertures_;  // by segment id
  Segment no_aperture_;
  hw::Message message_;  // raises the interrupt
  hw::Message sent_;     // what the device sends: message_, unless the IOMMU remaps interrupts
  bool routed_ = false;
  std::vector<uint8_t> resources_;  // CM_RESOURCE_LIST
  bool dpc_queued_ = false;
  uint64_t bus_accesses_when_off_ = 0;
};

/// Returns the table of kernel callbacks that StartDevice passes to the driver. The table's size
/// and callbacks depend on the driver's interface version (interface_version.h).
DXGKRNL_INTERFACE MakeInterface(PhysicalAdapter& adapter);

}  // namespace gmmu::os
