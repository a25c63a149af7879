// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "board/board.h"
#include "hw/host_ram.h"
#include "hw/platform.h"
#include "pcie/address_map.h"
#include "pcie/config_space.h"
#include "platform/config.h"
#include "twin/agenda.h"
#include "twin/host.h"

namespace gmmu::sim::board {

/// The machine of the fast engine with its GPU on a board: a CPU's accesses, configuration space, and host memory
/// behind an IOMMU are here, registers and VRAM at the other end of the link.
///
/// Time is the board's (MachineClock), from the machine's construction on. The GPU's accesses are served only inside
/// calls of this class, in their order of arrival, between the answers to the CPU.
class Machine : public hw::Platform, public hw::Instruments, private HostServer {
 public:
  /// `config` is the result of Adopt (sizes.h).
  Machine(const MachineConfig& config, std::unique_ptr<Board> board);
  ~Machine() override;

  twin::Host& host() { return *host_; }
  Board& board() { return *board_; }

  // hw::Platform
  const hw::FirmwareTables& firmware() const override { return firmware_; }
  hw::HostRam& ram() override { return ram_; }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<hw::Message> TakeMessage() override;
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override { return board_->clock().NowNs(); }
  hw::Instruments* instruments() override { return this; }

  // hw::Instruments (machine_instruments.cc)
  std::vector<hw::Counter> Counters() override;
  /// The findings of the page owners. A board has no event port, so its translations are not checked.
  std::vector<hw::Finding> Findings() override;
  hw::BusCounts BusAccesses(hw::Bdf device) override;
  uint64_t PageAccesses(uint64_t pfn) override;
  void NotePages(uint64_t first, uint64_t count, bool owned) override;
  void NoteFlush(unsigned, unsigned, uint64_t, uint64_t) override {}
  uint64_t Cycles() override;
  uint64_t CyclesEvaluated() override { return Cycles(); }
  std::vector<hw::InUse> ResourcesInUse() override;
  /// Throws EngineError, because software cannot drive the clients inside a board. Refuse (sizes.h) reports this before
  /// the run.
  void DriveClients(unsigned unit, hw::ClientAccesses* accesses) override;
  void LoseAnswer(unsigned unit, unsigned space, uint64_t va) override;
  void StrayAccess(hw::Bdf device, hw::Stray kind, uint64_t address, uint32_t data) override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  struct Held {
    uint64_t until_ns;
    HostRead read;
    bool ok;
    Bytes data;
  };

  // HostServer (machine_host.cc)
  void Read(const HostRead& read) override;
  void Write(const HostWrite& write) override;

  void Act();
  void Work(uint64_t machine_ns);
  void Deliver(uint64_t address, uint32_t data);
  void DriveStraps();
  void LosePower();
  uint16_t Requester(BusUser user) const;
  uint64_t ReadGpu(uint32_t offset, const std::string& what);
  std::vector<Bytes> BlockReads(const Decoded& where, size_t size) const;
  void WriteRange(const HostWrite& write, size_t first, size_t end);

  const MachineConfig config_;
  const std::unique_ptr<Board> board_;
  AddressMap map_;
  hw::HostRam ram_;
  twin::Agenda agenda_;
  std::unique_ptr<twin::Host> host_;
  ConfigSpace space_;
  hw::FirmwareTables firmware_;
  std::deque<hw::Message> messages_;
  uint64_t control_ = 0, message_address_ = 0, message_data_ = 0;  ///< as last sent to the board
  uint64_t vram_key_ = 0;                                          ///< key since the last power-up
  uint64_t held_page_ = 0, held_until_ns_ = 0;
  std::deque<Held> held_;
  uint64_t requests_ = 0, writes_ = 0, writes_lost_ = 0;
  uint64_t host_accesses_ = 0;
};

}  // namespace gmmu::sim::board
