// SPDX-License-Identifier: Apache-2.0
// A user's SystemC platform around the Verilated GPU, with its own sc_main, time, clocked bus, CPU
// and memory. The CPU runs sim::BareMachine, which makes the GPU copy 64 KiB to VRAM and back. Then
// the memory contents are compared.
#include <iostream>

#include "cpu.h"
#include "host/bare_machine.h"
#include "platform/sc_gpu.h"

namespace {

constexpr uint64_t kFrom = 0x400000, kTo = 0x500000, kVram = 0x10000;
constexpr size_t kBytes = 64 << 10;

void CopyThroughVram(gmmu::hw::Platform& platform) {
  using gmmu::regs::Target;
  gmmu::sim::BareMachine machine(platform);
  machine.PowerOn();
  machine.StartRing();
  machine.Fill(kFrom, kBytes, 5);
  if (!machine.Execute(machine.Copy(Target::kSystem, kFrom, Target::kVram, kVram, kBytes)) ||
      !machine.Execute(machine.Copy(Target::kVram, kVram, Target::kSystem, kTo, kBytes)))
    throw std::runtime_error("the GPU's ring stopped: " + std::to_string(machine.status().raw));
  std::vector<uint8_t> window(256);
  platform.MmioReadBlock(machine.window() + kVram, window.data(), window.size());  // BAR2 maps VRAM
  if (window != machine.Bytes(kFrom, window.size()))
    throw std::runtime_error("BAR2 shows other bytes than were copied");
}

}  // namespace

int sc_main(int, char**) try {
  using sc_core::sc_time;
  Memory memory("memory");
  Bus bus("bus");
  Cpu cpu("cpu", bus, memory, CopyThroughVram);
  // A 250 MHz clock, whose edges never coincide with those of the GPU's 1 GHz clock, so that the
  // order of processes cannot affect the result.
  sc_core::sc_clock clock("clock", sc_time(4, sc_core::SC_NS), 0.5, sc_time(0.5, sc_core::SC_NS));
  const auto gpu = gmmu::sim::TlmGpu::Create("gpu");
  bus.clock.bind(clock);
  cpu.socket.bind(bus.from_cpu);
  gpu->dma().bind(bus.from_gpu);
  bus.to_gpu.bind(gpu->registers());
  bus.to_memory.bind(memory.socket);

  sc_core::sc_start(sc_time(1, sc_core::SC_MS));  // limit of the simulated time

  for (const gmmu::hw::Finding& finding : gpu->Findings())
    std::cerr << "tlm: " << finding.probe << ": " << finding.text << "\n";
  std::vector<uint8_t> sent(kBytes), back(kBytes);
  const bool equal = memory.ram.Read(kFrom, sent.data(), kBytes) && memory.ram.Read(kTo, back.data(), kBytes) &&
                     sent == back;
  if (!cpu.finished() || !equal || !gpu->Findings().empty()) {
    std::cerr << "tlm: "
              << (!cpu.error().empty() ? cpu.error()
                  : !cpu.finished()    ? "the software did not end in 1 ms"
                                       : "the bytes differ or an AXI rule is broken")
              << "\n";
    return 1;
  }
  std::cout << "tlm: " << kBytes << " bytes went to VRAM and back, and are equal in memory\n"
            << "  memory: " << memory.bytes_read << " bytes read, " << memory.bytes_written << " written by the bus\n"
            << "  time:   " << sc_core::sc_time_stamp() << ", the bus in use for " << bus.cycles << " of its cycles, "
            << gpu->cycles() << " cycles of the GPU\n";
  for (const gmmu::hw::Counter& counter : gpu->Counters())
    std::cout << "  " << counter.block << "." << counter.name << " " << counter.value << "\n";
  return 0;
} catch (const std::exception& error) {
  std::cerr << "tlm: " << error.what() << "\n";
  return 2;
}
