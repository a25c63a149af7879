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

/// What applications ask for their allocations, which may not fit into VRAM together: D3DKMTMakeResident, D3DKMTEvict
/// (Residency). Call on the VidMm worker thread only.
class ResidencyCalls {
 public:
  explicit ResidencyCalls(const VideoMemory& memory);
  void MakeResident(const std::vector<Allocation*>& wanted) { residency_.MakeResident(wanted); }
  void Evict(Allocation& allocation) { residency_.Evict(allocation); }
  const Residency::Counts& counts() const { return residency_.counts(); }
  /// What system memory has of it: all, when it lives there, or was evicted; empty: it never left VRAM. On any fibre.
  static std::vector<uint8_t> InSystemMemory(const Allocation& allocation);
  /// Host physical pages of that.
  static std::vector<uint64_t> HostPages(const Allocation& allocation);

 private:
  Residency& residency_;
};

/// What an application asks of its GPU virtual addresses: D3DKMTMapGpuVirtualAddress and its like, and the monitored
/// fence that its batches wait for and signal. Call on the VidMm worker thread only.
class AddressCalls : private VaCalls {
 public:
  explicit AddressCalls(const VideoMemory& memory);
  ~AddressCalls();
  /// Must be called; frees what the process still has.
  void End(GpuProcess& process);

  using VaCalls::Map, VaCalls::Open, VaCalls::Reserve;
  /// One batch: it begins when the fence has `value` and signals the next.
  NTSTATUS Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  uint64_t value);
  uint64_t fence();

 private:
  std::unique_ptr<MonitoredFence> fence_;
};

/// Commands that bring their lists of allocations and patch locations: those of a GPU without virtual addresses
/// (D3DKMTRender). Call on the VidMm worker thread only.
class ListedCalls {
 public:
  explicit ListedCalls(const VideoMemory& memory);
  /// As RenderCalls::Submit does.
  PacketId Submit(GpuProcess& process, const ListedCommands& commands, const std::string& what) {
    return calls_.Submit(process, commands, what);
  }
  const RenderCalls::Counts& counts() const { return calls_.counts(); }
  static ListRoom RoomOf(const GpuProcess& process) { return RenderCalls::RoomOf(process); }

 private:
  RenderCalls& calls_;
};

/// A process over all linked GPUs: page tables on each, and one space of addresses, that of GPU 0 (VidMmLink).
/// Call on the VidMm worker thread only.
class LinkedProcess {
 public:
  LinkedProcess(VidMmLink& link, const std::string& name);
  ~LinkedProcess();
  /// Must be called; the destructor only forgets.
  void End();
  /// Its part on a GPU.
  GpuProcess* on(unsigned gpu) const;

  /// The first pages of an allocation of any GPU, in the tables of every GPU.
  void Map(uint64_t va, Allocation& allocation, uint64_t pages) const;
  void Unmap(uint64_t va, uint64_t pages) const;
  /// Maps at `target`, in the tables of every GPU, what is mapped from `source` on.
  void Copy(uint64_t source, uint64_t target, uint64_t bytes) const;
  /// The page tables of every GPU lie elsewhere afterwards; leave memory; come back.
  void MoveTables() const;
  void EvictTables() const;
  void RestoreTables() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
