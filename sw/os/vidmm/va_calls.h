// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

class MonitoredFence;
class VidMm;
struct Allocation;
struct GpuProcess;
struct Mapping;
struct Protection;

/// Applications' calls that map, reserve, update and free their GPU virtual addresses (display driver documents, GPU
/// virtual address; structure layouts of the user-mode headers).
///
/// Addresses and sizes are in bytes, multiples of 4 KiB; reservations are multiples of 64 KiB. A call that breaks a
/// rule returns STATUS_INVALID_PARAMETER, a call for addresses in use STATUS_NO_MEMORY; neither changes anything.
/// Mappings must satisfy Allocation::MayShow, so a tile in a memory segment with 64 KiB pages consists of whole
/// pages. Calls return when the GPU uses the new tables; PagingFenceValue is therefore 0, which means that there is
/// nothing to wait for. Call on the VidMm worker thread only.
///
/// On linked adapters, ranges belong to the whole process, while mappings belong to one GPU: Map and Update write the
/// tables of the part that they are called for (as the paging queue and the context of a Windows process select a
/// physical adapter), Reserve and Free those of every part. Allocations may be in the memory of any linked GPU.
class VaCalls {
 public:
  /// `vidmm`: the VidMm of any GPU of the logical adapter.
  explicit VaCalls(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Returns a handle to an allocation for the application. It becomes invalid when the allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);

  /// Maps at BaseAddress, or at any free address if it is 0. The range at BaseAddress must be free, or lie entirely
  /// within one range that the process has reserved, or within one that the driver has reserved and that permits
  /// mappings. Within a reservation it must not partially overlap another mapping. Large pages are used where pages,
  /// addresses and hardware permit them.
  NTSTATUS Map(GpuProcess& process, D3DDDI_MAPGPUVIRTUALADDRESS& args);
  NTSTATUS Reserve(GpuProcess& process, D3DDDI_RESERVEGPUVIRTUALADDRESS& args);
  /// Frees a range, which must be exactly one that was mapped or reserved.
  NTSTATUS Free(GpuProcess& process, uint64_t base, uint64_t bytes);
  /// Performs a batch of operations on the companion of the process's context. The batch starts when `fence`, which
  /// belongs to the same GPU, reaches `value`, and signals value + 1 on completion. All targets must lie in a single reserved range, and so must all
  /// sources of copies.
  NTSTATUS Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  MonitoredFence& fence, uint64_t value);

  /// Frees all ranges that the process still holds.
  void Forget(GpuProcess& process);

 private:
  struct Range {
    uint64_t base = 0, bytes = 0;
    bool reserved = false;  // Reserve (true) or Map (false) created the range
    bool anywhere = false;  // the range lies in one of the driver's ranges, so Free keeps the addresses
    uint64_t driver_protection = 0;
  };
  const Range* RangeOf(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  bool Touches(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  Allocation* Find(D3DKMT_HANDLE handle) const;
  /// The mappings that result from the operations of the batch so far.
  using Plan = std::map<Allocation*, std::vector<Mapping>>;
  std::map<uint64_t, Range>& RangesOf(const GpuProcess& process);
  static bool Clashes(const std::vector<Mapping>& mappings, uint64_t first, uint64_t pages, uint64_t protection);
  void Put(GpuProcess& process, uint64_t va, Allocation* allocation, uint64_t first, uint64_t pages,
           const Protection& protection);
  NTSTATUS Check(const GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, const Plan& plan,
                 const Range** target, const Range** source) const;
  void Note(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited,
            Plan& plan) const;
  void Do(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited);

  VidMm& vidmm_;
  std::map<uint64_t, std::map<uint64_t, Range>> ranges_;  // keyed by the serial of the first part, then by base
};

}  // namespace gmmu::os
