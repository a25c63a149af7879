// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "os/vidmm/monitored_fence.h"
#include "os/vidmm/vidmm.h"

namespace gmmu::os {

/// What applications ask of their GPU virtual addresses: map, reserve, update, free (display driver documents, GPU
/// virtual address; layouts of the user-mode headers).
///
/// Addresses are bytes, of whole pages of 4 KiB, reservations of 64 KiB. STATUS_INVALID_PARAMETER for what breaks a
/// rule, STATUS_NO_MEMORY for addresses that are taken; nothing is changed then. Calls return when the GPU has the new
/// tables, so PagingFenceValue is 0, which says that nothing is left to wait for. Worker's.
class VaCalls {
 public:
  /// Not over linked adapters.
  explicit VaCalls(VidMm& vidmm) : vidmm_(vidmm) { vidmm.RefuseOnLink("mapping by applications (VaCalls)"); }

  /// The application's handle of an allocation; of none when that is destroyed.
  D3DKMT_HANDLE Open(VidMm::Allocation& allocation) { return vidmm_.Open(allocation); }

  /// At BaseAddress, which is free, or lies in one range of the process, or in one of the driver's that allows it,
  /// where nothing else is mapped in part; or anywhere. Large pages where pages, addresses and hardware allow it.
  NTSTATUS Map(VidMm::Process& process, D3DDDI_MAPGPUVIRTUALADDRESS& args);
  NTSTATUS Reserve(VidMm::Process& process, D3DDDI_RESERVEGPUVIRTUALADDRESS& args);
  /// A range as it was mapped or reserved.
  NTSTATUS Free(VidMm::Process& process, uint64_t base, uint64_t bytes);
  /// One batch, on the companion context of the process' context: it begins when `fence` has `value` and signals
  /// value + 1 at its end. All targets lie in one reserved range, all sources of copies in one too.
  NTSTATUS Update(VidMm::Process& process, const std::vector<D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION>& operations,
                  MonitoredFence& fence, uint64_t value);

  /// Everything that the process still has is freed.
  void Forget(VidMm::Process& process);

 private:
  struct Range {
    uint64_t base = 0, bytes = 0;
    bool reserved = false;  // else it came with a map
    bool anywhere = false;  // in a range of the driver's: nothing to free
    uint64_t driver_protection = 0;
  };
  const Range* RangeOf(const VidMm::Process& process, uint64_t base, uint64_t bytes) const;
  bool Touches(const VidMm::Process& process, uint64_t base, uint64_t bytes) const;
  VidMm::Allocation* Find(D3DKMT_HANDLE handle) const { return vidmm_.Opened(handle); }
  using Mappings = std::vector<VidMm::Allocation::Mapping>;
  /// What is mapped when the operations of a batch so far are done.
  using Plan = std::map<VidMm::Allocation*, Mappings>;
  static bool Clashes(const Mappings& mappings, uint64_t first, uint64_t pages, uint64_t protection);
  void Put(VidMm::Process& process, uint64_t va, VidMm::Allocation* allocation, uint64_t first, uint64_t pages,
           const Protection& protection);
  NTSTATUS Check(const VidMm::Process& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation,
                 const Plan& plan, const Range** target, const Range** source) const;
  void Note(VidMm::Process& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited,
            Plan& plan) const;
  void Do(VidMm::Process& process, const D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION& operation, uint64_t inherited);

  VidMm& vidmm_;
  std::map<uint64_t, std::map<uint64_t, Range>> ranges_;  // by VidMm::Process::serial, and base
};

}  // namespace gmmu::os
