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

/// Implements the application calls that map, reserve, update and free GPU virtual addresses
/// (display driver documents, GPU virtual address; structures of the user-mode headers).
///
/// Addresses and sizes are in bytes, multiples of 4 KiB; reservations are multiples of 64 KiB.
/// Invalid arguments return STATUS_INVALID_PARAMETER, and addresses in use return STATUS_NO_MEMORY;
/// nothing changes in either case. Mappings must satisfy Allocation::MayShow. A part of an
/// allocation that Update maps repeatedly must therefore be a multiple of its segment's page size.
/// Calls return when the new tables are in effect, so PagingFenceValue is 0: the caller need not
/// wait. Call on the VidMm worker thread only.
///
/// On linked adapters, ranges belong to the whole process and mappings to one GPU. Map and Update
/// write the tables of the part that they are called for; a Windows process selects that GPU by its
/// paging queue or context. Reserve and Free write the tables of every part. Allocations may be in
/// the memory of any linked GPU.
class VaCalls {
 public:
  /// `vidmm`: the VidMm of any GPU of the logical adapter.
  explicit VaCalls(VidMm& vidmm) : vidmm_(vidmm) {}

  /// Returns a handle by which applications refer to the allocation. It is valid until the
  /// allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);

  /// Maps an allocation at BaseAddress, or at any free address if BaseAddress is 0. The range must
  /// be free, or lie within one range that the process has reserved, or within one driver range
  /// that permits mappings. Within a reservation it must not partially overlap another mapping.
  /// Large pages are used where pages, addresses and hardware permit them.
  NTSTATUS Map(GpuProcess& process, D3DDDI_MAPGPUVIRTUALADDRESS& args);
  NTSTATUS Reserve(GpuProcess& process, D3DDDI_RESERVEGPUVIRTUALADDRESS& args);
  /// Frees a range. Base and size must be those with which the range was mapped or reserved.
  NTSTATUS Free(GpuProcess& process, uint64_t base, uint64_t bytes);
  /// Performs a batch of operations on the companion of the process's context. The batch starts when
  /// `fence`, which belongs to the same GPU, reaches `value`, and signals value + 1 on completion. All
  /// targets must lie in a single reserved range, and so must all sources of copies.
  NTSTATUS Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  MonitoredFence& fence, uint64_t value);

  /// Frees all remaining ranges of the process.
  void Forget(GpuProcess& process);

 private:
  struct Range {
    uint64_t base = 0, bytes = 0;
    bool reserved = false;  // created by Reserve (true) or Map (false)
    bool anywhere = false;  // in a range of the driver, so Free keeps the addresses reserved
    uint64_t driver_protection = 0;
  };
  const Range* RangeOf(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  bool Touches(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  Allocation* Find(D3DKMT_HANDLE handle) const;
  /// The mappings of each allocation as they will be after the operations of the batch that have
  /// been checked so far.
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
