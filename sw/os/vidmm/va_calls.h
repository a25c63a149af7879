// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "ddi/d3dkmddi.h"
#include "os/vidmm/allocation.h"

namespace gmmu::os {

class MonitoredFence;
class VidMm;
struct GpuProcess;

/// What applications ask of their GPU virtual addresses: map, reserve, update, free (display driver documents, GPU
/// virtual address; layouts of the user-mode headers).
///
/// Addresses are bytes, of whole pages of 4 KiB, reservations of 64 KiB. STATUS_INVALID_PARAMETER for what breaks a
/// rule, STATUS_NO_MEMORY for addresses that are taken; nothing is changed then. An address may show a byte of an
/// allocation where Allocation::MayShow allows it, so that tiles in a memory segment with pages of 64 KiB are whole
/// pages of it. Calls return when the GPU has the new
/// tables, so PagingFenceValue is 0, which says that nothing is left to wait for. Worker's.
class VaCalls {
 public:
  /// Not over linked adapters.
  explicit VaCalls(VidMm& vidmm);

  /// The application's handle of an allocation; it names none any more when the allocation is destroyed.
  D3DKMT_HANDLE Open(Allocation& allocation);

  /// Maps at BaseAddress; 0 is anywhere. The range at BaseAddress must be free, lie in one range of the process, or lie
  /// in a range of the driver's that allows it and not overlap another mapping there in part. Large pages are used
  /// where pages, addresses and hardware allow them.
  NTSTATUS Map(GpuProcess& process, D3DDDI_MAPGPUVIRTUALADDRESS& args);
  NTSTATUS Reserve(GpuProcess& process, D3DDDI_RESERVEGPUVIRTUALADDRESS& args);
  /// Frees a range, which must be exactly one that was mapped or reserved.
  NTSTATUS Free(GpuProcess& process, uint64_t base, uint64_t bytes);
  /// Does one batch of operations on the companion context of the process' context: it begins when `fence` has `value`
  /// and signals value + 1 at its end. All targets lie in one reserved range, all sources of copies in one too.
  NTSTATUS Update(GpuProcess& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  MonitoredFence& fence, uint64_t value);

  /// Frees everything that the process still has.
  void Forget(GpuProcess& process);

 private:
  struct Range {
    uint64_t base = 0, bytes = 0;
    bool reserved = false;  // else it came with a map
    bool anywhere = false;  // in a range of the driver's: nothing to free
    uint64_t driver_protection = 0;
  };
  const Range* RangeOf(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  bool Touches(const GpuProcess& process, uint64_t base, uint64_t bytes) const;
  Allocation* Find(D3DKMT_HANDLE handle) const;
  /// What is mapped when the operations of a batch so far are done.
  using Plan = std::map<Allocation*, std::vector<Mapping>>;
  static bool Clashes(const std::vector<Mapping>& mappings, uint64_t first, uint64_t pages, uint64_t protection);
  void Put(GpuProcess& process, uint64_t va, Allocation* allocation, uint64_t first, uint64_t pages,
           const Protection& protection);
  NTSTATUS Check(const GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, const Plan& plan,
                 const Range** target, const Range** source) const;
  void Note(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited,
            Plan& plan) const;
  void Do(GpuProcess& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited);

  VidMm& vidmm_;
  std::map<uint64_t, std::map<uint64_t, Range>> ranges_;  // by GpuProcess::serial, and base
};

}  // namespace gmmu::os
