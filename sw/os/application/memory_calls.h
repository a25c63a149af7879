// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/vidmm/render_calls.h"
#include "os/vidmm/residency.h"
#include "os/vidmm/va_calls.h"

namespace gmmu::os {

class MonitoredFence;
class VidMmLink;
class VideoMemory;
struct Allocation;
struct GpuProcess;

/// Applications' calls for allocations that may not fit into VRAM together: D3DKMTMakeResident, D3DKMTEvict
/// (Residency). Call on the VidMm worker thread only.
class ResidencyCalls {
 public:
  explicit ResidencyCalls(const VideoMemory& memory);
  void MakeResident(const std::vector<Allocation*>& wanted) { residency_.MakeResident(wanted); }
  void Evict(Allocation& allocation) { residency_.Evict(allocation); }
  const Residency::Counts& counts() const { return residency_.counts(); }
  /// The bytes in system memory: all if it lives there or was evicted, none if it never left VRAM. Call on any fibre.
  static std::vector<uint8_t> InSystemMemory(const Allocation& allocation);
  /// Host physical pages of the bytes in system memory.
  static std::vector<uint64_t> HostPages(const Allocation& allocation);

 private:
  Residency& residency_;
};

/// Applications' calls for their GPU virtual addresses: D3DKMTMapGpuVirtualAddress and related calls, and the monitored
/// fence that batches wait for and signal. Call on the VidMm worker thread only.
class AddressCalls : private VaCalls {
 public:
  explicit AddressCalls(const VideoMemory& memory);
  ~AddressCalls();
  /// Must be called; frees all remaining ranges of the process.
  void End(GpuProcess& process);

  using VaCalls::Map, VaCalls::Open, VaCalls::Reserve;
  /// Runs one batch: it begins when the fence has `value` and signals the next value.
  NTSTATUS Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  uint64_t value);
  uint64_t fence();

 private:
  std::unique_ptr<MonitoredFence> fence_;
};

/// Commands with lists of allocations and patch locations, for a GPU without virtual addresses (D3DKMTRender). Call on
/// the VidMm worker thread only.
class ListedCalls {
 public:
  explicit ListedCalls(const VideoMemory& memory);
  /// See RenderCalls::Submit.
  PacketId Submit(GpuProcess& process, const ListedCommands& commands, const std::string& what) {
    return calls_.Submit(process, commands, what);
  }
  const RenderCalls::Counts& counts() const { return calls_.counts(); }
  static ListRoom RoomOf(const GpuProcess& process) { return RenderCalls::RoomOf(process); }

 private:
  RenderCalls& calls_;
};

/// A process on all linked GPUs. It has page tables on each GPU and one address space, that of GPU 0 (VidMmLink).
/// Call on the VidMm worker thread only.
class LinkedProcess {
 public:
  LinkedProcess(VidMmLink& link, const std::string& name);
  ~LinkedProcess();
  /// Must be called; the destructor frees nothing.
  void End();
  /// Returns the process' part on a GPU.
  GpuProcess* on(unsigned gpu) const;

  /// Maps the first pages of an allocation, which may be on any GPU, in the tables of every GPU.
  void Map(uint64_t va, Allocation& allocation, uint64_t pages) const;
  void Unmap(uint64_t va, uint64_t pages) const;
  /// Copies the mappings from `source` on to `target`, in the tables of every GPU.
  void Copy(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// Move, evict and restore the page tables of every GPU.
  void MoveTables() const;
  void EvictTables() const;
  void RestoreTables() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
