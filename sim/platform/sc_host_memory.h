// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <unordered_map>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "hw/host_ram.h"
#include "memory/dram.h"
#include "memory/page_owners.h"
#include "platform/sc_agenda.h"

namespace gmmu::sim {

/// Host memory as seen by devices: the contents of HostRam with the timing of DramTiming.
///
/// The socket is an AT target that accepts any number of transactions at once. A write takes effect
/// at its BEGIN_REQ; its response is sent when DRAM has accepted the data. A read returns the
/// contents at the time of its response. A request snoops the CPU's caches (hw::CpuCache) unless
/// its extension has no_snoop set. An access outside installed memory gets
/// TLM_ADDRESS_ERROR_RESPONSE.
class HostMemory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<HostMemory> socket{"socket"};

  HostMemory(sc_core::sc_module_name name, hw::HostRam& ram, const DramParameters& timing, ScAgenda& agenda);

  /// Returns the number of device accesses to the page since the first call for this page, without
  /// the IOMMU's own accesses.
  uint64_t PageAccesses(uint64_t pfn);
  /// Returns the page-owner checker, which observes the same device accesses.
  PageOwners& owners() { return owners_; }
  /// Returns the number of accesses outside installed memory.
  uint64_t errors() const { return errors_; }
  std::vector<hw::Counter> Counters() const;

 private:
  tlm::tlm_sync_enum Transport(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  static bool Snoops(const tlm::tlm_generic_payload& t);
  void Write(tlm::tlm_generic_payload& t);
  void Answer(tlm::tlm_generic_payload& t);
  void Watch(const tlm::tlm_generic_payload& t);

  hw::HostRam& ram_;
  DramTiming timing_;
  ScAgenda& agenda_;
  std::unordered_map<uint64_t, uint64_t> watched_;
  PageOwners owners_;
  uint64_t errors_ = 0;
};

}  // namespace gmmu::sim
