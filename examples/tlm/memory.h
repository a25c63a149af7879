// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_target_socket.h>

#include "hw/host_ram.h"

/// The host memory of the platform: 16 MiB from address 0, 60 ns per access. An access beyond the
/// end returns an address error.
class Memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<Memory> socket{"socket"};
  gmmu::hw::HostRam ram{{{0, 16u << 20}}};
  uint64_t bytes_read = 0, bytes_written = 0;  // accesses through the bus only

  explicit Memory(sc_core::sc_module_name name) : sc_module(name) {
    socket.register_b_transport(this, &Memory::Transport);
  }

 private:
  void Transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    delay += sc_core::sc_time(60, sc_core::SC_NS);
    const bool good = t.is_write() ? Write(t) : ram.Read(t.get_address(), t.get_data_ptr(), t.get_data_length());
    if (good && t.is_read()) bytes_read += t.get_data_length();
    t.set_response_status(good ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE);
  }

  /// The GPU's bursts use byte enables if they contain partial beats.
  bool Write(tlm::tlm_generic_payload& t) {
    const unsigned char* enables = t.get_byte_enable_ptr();
    for (unsigned i = 0; i < t.get_data_length(); ++i) {
      if (enables != nullptr && enables[i % t.get_byte_enable_length()] == TLM_BYTE_DISABLED) continue;
      if (!ram.Write(t.get_address() + i, t.get_data_ptr() + i, 1)) return false;
      ++bytes_written;
    }
    return true;
  }
};
