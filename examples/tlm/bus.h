// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstring>
#include <deque>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/bus_extension.h"
#include "hw/platform.h"

/// The platform's bus, with its own clock. It performs one transfer at a time, in order of arrival.
/// A transfer takes one cycle for the address and one per 8 bytes. The GPU's writes therefore stay
/// in order, as its fences require.
///
///   0x0000'0000  memory
///   0xD000'0000  configuration space of the GPU, 4 KiB
///   0xE000'0000  the GPU's BARs, up to 0xFC00'0000
///   0xFEE0'0000  interrupt messages, writes of 4 bytes
class Bus : public sc_core::sc_module {
 public:
  static constexpr uint64_t kConfiguration = 0xD000'0000, kBars = 0xE000'0000, kEnd = 0xFC00'0000,
                            kMessages = 0xFEE0'0000;

  sc_core::sc_in<bool> clock{"clock"};
  tlm_utils::simple_target_socket<Bus> from_cpu{"from_cpu"}, from_gpu{"from_gpu"};
  tlm_utils::simple_initiator_socket<Bus> to_memory{"to_memory"}, to_gpu{"to_gpu"};
  std::deque<gmmu::hw::Message> messages;
  sc_core::sc_event message_came{"message_came"};
  uint64_t cycles = 0;  // number of busy bus cycles

  explicit Bus(sc_core::sc_module_name name) : sc_module(name) {
    from_cpu.register_b_transport(this, &Bus::Transport);
    from_gpu.register_b_transport(this, &Bus::Transport);
  }

 private:
  void Transport(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    wait(delay);
    delay = sc_core::SC_ZERO_TIME;
    const uint64_t turn = arrived_++;
    while (left_ != turn) wait(left_one_);
    for (unsigned i = 0; i < 1 + (t.get_data_length() + 7) / 8; ++i, ++cycles) wait(clock.posedge_event());
    ++left_;
    left_one_.notify(sc_core::SC_ZERO_TIME);
    Forward(t, delay);  // the bus is free for other transfers meanwhile
  }

  void Forward(tlm::tlm_generic_payload& t, sc_core::sc_time& delay) {
    const uint64_t address = t.get_address();
    if (t.is_write() && address >= kMessages && address < kMessages + 0x10'0000) {
      gmmu::hw::Message message{address, 0};
      std::memcpy(&message.data, t.get_data_ptr(), 4);
      messages.push_back(message);
      message_came.notify(sc_core::SC_ZERO_TIME);
      t.set_response_status(tlm::TLM_OK_RESPONSE);
    } else if (address >= kConfiguration && address < kConfiguration + 4096) {
      gmmu::sim::BusExtension extension;
      extension.kind = gmmu::sim::AddressKind::kConfig;
      t.set_extension(&extension);
      t.set_address(address - kConfiguration);
      to_gpu->b_transport(t, delay);
      t.set_address(address);
      t.clear_extension(&extension);
    } else if (address >= kBars && address < kEnd) {
      to_gpu->b_transport(t, delay);
    } else {
      to_memory->b_transport(t, delay);
    }
  }

  uint64_t arrived_ = 0, left_ = 0;
  sc_core::sc_event left_one_{"left_one"};
};
