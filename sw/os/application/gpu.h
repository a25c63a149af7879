// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ddi/dispmprt.h"
#include "hw/platform.h"
#include "os/miniport/geometry.h"

namespace gmmu::os {

class PhysicalAdapter;

struct SegmentFacts {
  unsigned id = 0;
  uint64_t base = 0, size = 0;  ///< bytes; base: GPU side address of offset 0
  bool cache_coherent = false;
  uint64_t ranges = 0;  ///< number of ranges in use
  uint64_t free = 0;    ///< free bytes
  std::optional<uint64_t> window =
      std::nullopt;  ///< bus address of its first byte in BAR 2; nullopt: not visible to the CPU
  /// Host physical address of the segment's first byte if it is populated from system memory, else
  /// nullopt.
  std::optional<uint64_t> memory = std::nullopt;
  uint64_t host_aperture = 0;  ///< size in bytes of its CPU host aperture; 0: it has none
};

struct GpuFacts {
  unsigned unit = 0;          ///< number of the GPU's device object in its logical adapter
  unsigned machine_unit = 0;  ///< number of the GPU in the machine
  std::string name;           ///< bus address as a string
  hw::Bdf bdf;
  uint64_t registers = 0;                     ///< bus address of the registers
  uint64_t highest_visible = 0;               ///< last byte of host memory that the GPU can address without remapping
  uint32_t paging_node = 0, render_node = 0;  ///< equal if there is only one node
  bool map_aperture2 = false;                 ///< MapAperture2Supported
  bool isolation = false;                     ///< IoMmuSecureModeSupported
  bool physical_model = false;                ///< no page tables: neither GpuMmuSupported nor IoMmuSupported
  ULONG interface_version = 0;                ///< the driver's DXGKDDI_INTERFACE_VERSION_*
  std::string interface_name;                 ///< "WDDM 2.4"
  Geometry geometry;
  SegmentFacts local, aperture;
  std::vector<SegmentFacts> memory;  ///< all memory segments; `local` is the first, with id and size 0 if there is none
};

/// A started GPU, as seen by an application that has opened it, by its driver and by the bus. The
/// object is a copyable reference, valid until power-off.
class Gpu {
 public:
  Gpu(PhysicalAdapter& gpu) : gpu_(&gpu) {}
  GpuFacts facts() const;

  /// Sends D3DKMTEscape to this project's driver. `Data` begins with a header that identifies the
  /// adapter.
  template <typename Data>
  NTSTATUS Ask(Data& data) const {
    data.header.adapter = index();
    return Ask(&data, sizeof data);
  }
  /// Like Ask. If the driver fails the escape, throws an error that contains `what`.
  template <typename Data>
  void Escape(Data& data, const char* what) const {
    Require(Ask(data), what, static_cast<uint32_t>(data.header.code));
  }
  /// Returns the driver's value of a capability. For the name of an entry point
  /// ("DxgkDdiBeginExclusiveAccess"), returns whether the driver implements it. `name` is one of
  /// CapNames().
  uint64_t CapOf(const std::string& name) const;
  static const std::vector<std::string>& CapNames();
  /// True if the paging node has received work and has completed it all.
  bool PagingCompleted() const;

  /// The callback table that StartDevice passes to the driver.
  DXGKRNL_INTERFACE Callbacks() const;

  // Direct CPU accesses to VRAM through BAR 2.
  void ReadVram(uint64_t offset, void* to, uint64_t bytes) const;
  void WriteVram(uint64_t offset, const void* from, uint64_t bytes) const;

 private:
  uint16_t index() const;
  NTSTATUS Ask(void* data, unsigned bytes) const;
  static void Require(NTSTATUS status, const char* what, uint32_t code);

  PhysicalAdapter* gpu_;
};

}  // namespace gmmu::os
