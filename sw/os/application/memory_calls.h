// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "os/vidmm/residency.h"
#include "os/vidmm/va_calls.h"

namespace gmmu::os {

class MonitoredFence;
class VidMmLink;
class VideoMemory;
struct Allocation;
struct GpuProcess;

/// What applications ask for allocations that do not fit into VRAM together: D3DKMTMakeResident, D3DKMTEvict. Worker's.
class ResidencyCalls : private Residency {
 public:
  explicit ResidencyCalls(const VideoMemory& memory);
  using Residency::counts, Residency::Drop, Residency::Evict, Residency::MakeResident;
  /// What was evicted of it last; empty: it never was. On any fibre.
  std::vector<uint8_t> Evicted(const Allocation& allocation);
};

/// What an application asks of its GPU virtual addresses: D3DKMTMapGpuVirtualAddress and its like, and the monitored
/// fence that its batches wait for and signal. Worker's.
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

/// A process over all linked GPUs: page tables on each, and one space of addresses, that of GPU 0 (VidMmLink).
/// Worker's.
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

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace gmmu::os
