// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_host_memory.h"

#include "gpu/bus_extension.h"

namespace gmmu::sim {

HostMemory::HostMemory(sc_core::sc_module_name name, hw::HostRam& ram, const DramParameters& timing, ScAgenda& agenda)
    : sc_module(name), ram_(ram), timing_(timing), agenda_(agenda) {
  socket.register_nb_transport_fw(this, &HostMemory::Transport);
}

tlm::tlm_sync_enum HostMemory::Transport(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  const uint64_t start = ScAgenda::Now() + delay.value();
  const bool installed = ram_.Installed(t.get_address(), t.get_data_length());
  t.set_response_status(installed ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  uint64_t done = start + timing_.parameters().controller_ps;
  if (installed) {
    Watch(t);
    if (t.is_write()) Write(t);
    done = timing_.Access(start, t.get_address(), t.get_data_length(), t.is_write());
  } else {
    ++errors_;
  }
  t.acquire();
  agenda_.At(done, [this, &t] { Answer(t); });
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

bool HostMemory::Snoops(const tlm::tlm_generic_payload& t) {
  const auto* extension = t.get_extension<BusExtension>();
  return extension == nullptr || !extension->no_snoop;
}

void HostMemory::Write(tlm::tlm_generic_payload& t) {
  const uint8_t* enables = t.get_byte_enable_ptr();
  const bool snoop = Snoops(t);
  bool ok = true;
  if (enables == nullptr) {
    ok = ram_.DeviceWrite(t.get_address(), t.get_data_ptr(), t.get_data_length(), snoop);
  } else {
    for (unsigned i = 0; i < t.get_data_length(); ++i) {
      if (enables[i] == TLM_BYTE_ENABLED)
        ok = ram_.DeviceWrite(t.get_address() + i, t.get_data_ptr() + i, 1, snoop) && ok;
    }
  }
  sc_assert(ok);  // cannot fail, because the page is installed
}

void HostMemory::Answer(tlm::tlm_generic_payload& t) {
  if (t.is_read() && t.is_response_ok() &&
      !ram_.DeviceRead(t.get_address(), t.get_data_ptr(), t.get_data_length(), Snoops(t))) {
    t.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  socket->nb_transport_bw(t, phase, delay);
  t.release();
}

void HostMemory::Watch(const tlm::tlm_generic_payload& t) {
  const auto* extension = t.get_extension<BusExtension>();
  if (extension == nullptr || extension->kind != AddressKind::kTranslated) return;  // skip the IOMMU's own accesses
  owners_.Access(t.get_address(), t.is_write());
  if (watched_.empty()) return;
  const auto page = watched_.find(t.get_address() / hw::kPageSize);
  if (page != watched_.end()) ++page->second;
}

uint64_t HostMemory::PageAccesses(uint64_t pfn) { return watched_.try_emplace(pfn, 0).first->second; }

std::vector<hw::Counter> HostMemory::Counters() const {
  auto all = timing_.Counters();
  all.push_back({"dram", "outside_memory", errors_, "requests", "Requests to addresses without memory."});
  return all;
}

}  // namespace gmmu::sim
