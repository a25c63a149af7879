// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>

#include "bus.h"
#include "memory.h"

/// The CPU of the platform. Its software is a C++ function that uses hw::Platform. Each device
/// access is one blocking transaction on the bus. Memory accesses take no time, as if they always
/// hit the caches.
class Cpu : public sc_core::sc_module, public gmmu::hw::Platform {
 public:
  tlm_utils::simple_initiator_socket<Cpu> socket{"socket"};

  Cpu(sc_core::sc_module_name name, Bus& bus, Memory& memory, std::function<void(gmmu::hw::Platform&)> software)
      : sc_module(name), bus_(bus), memory_(memory), software_(std::move(software)) {
    SC_HAS_PROCESS(Cpu);
    SC_THREAD(Main);
  }

  bool finished() const { return finished_; }
  /// Returns the message of the exception that the software threw, or an empty string if there was none.
  const std::string& error() const { return error_; }

  // hw::Platform
  const gmmu::hw::FirmwareTables& firmware() const override { return firmware_; }
  gmmu::hw::HostRam& ram() override { return memory_.ram; }
  uint64_t MmioRead(uint64_t address, unsigned size) override {
    uint64_t value = 0;
    Access(tlm::TLM_READ_COMMAND, address, &value, size);
    return value;
  }
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override {
    Access(tlm::TLM_WRITE_COMMAND, address, &value, size);
  }
  void MmioReadBlock(uint64_t address, void* to, size_t size) override {
    Access(tlm::TLM_READ_COMMAND, address, to, size);
  }
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override {
    std::vector<char> bytes(static_cast<const char*>(from), static_cast<const char*>(from) + size);
    Access(tlm::TLM_WRITE_COMMAND, address, bytes.data(), size);
  }
  uint32_t ConfigRead(gmmu::hw::Bdf, uint16_t offset, unsigned size) override {
    return static_cast<uint32_t>(MmioRead(Bus::kConfiguration + offset, size));
  }
  void ConfigWrite(gmmu::hw::Bdf, uint16_t offset, unsigned size, uint32_t value) override {
    MmioWrite(Bus::kConfiguration + offset, size, value);
  }
  std::optional<gmmu::hw::Message> TakeMessage() override {
    if (bus_.messages.empty()) return std::nullopt;
    const gmmu::hw::Message message = bus_.messages.front();
    bus_.messages.pop_front();
    return message;
  }
  bool WaitForMessage(uint64_t bound_ns) override {
    const sc_core::sc_time end = sc_core::sc_time_stamp() + sc_core::sc_time(double(bound_ns), sc_core::SC_NS);
    while (bus_.messages.empty() && sc_core::sc_time_stamp() < end)
      wait(end - sc_core::sc_time_stamp(), bus_.message_came);
    return !bus_.messages.empty();
  }
  uint64_t NowNs() override {
    return static_cast<uint64_t>(sc_core::sc_time_stamp() / sc_core::sc_time(1, sc_core::SC_NS));
  }

 private:
  void Main() {
    try {
      software_(*this);
      finished_ = true;
    } catch (const std::exception& error) {
      error_ = error.what();
    }
    sc_core::sc_stop();
  }

  void Access(tlm::tlm_command command, uint64_t address, void* data, size_t size) {
    tlm::tlm_generic_payload t;
    t.set_command(command);
    t.set_address(address);
    t.set_data_ptr(static_cast<unsigned char*>(data));
    t.set_data_length(static_cast<unsigned>(size));
    t.set_streaming_width(static_cast<unsigned>(size));
    sc_core::sc_time delay;
    socket->b_transport(t, delay);
    wait(delay);
    if (t.is_response_error()) throw std::runtime_error("an access of the CPU: " + t.get_response_string());
  }

  Bus& bus_;
  Memory& memory_;
  const std::function<void(gmmu::hw::Platform&)> software_;
  const gmmu::hw::FirmwareTables firmware_;
  bool finished_ = false;
  std::string error_;
};
