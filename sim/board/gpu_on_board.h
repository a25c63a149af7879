// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "board/board.h"
#include "host/device.h"
#include "pcie/config_space.h"

namespace gmmu::sim {
class PlainHost;
struct MachineConfig;
}  // namespace gmmu::sim

namespace gmmu::sim::board {

/// A GPU on a board. This class models the configuration space of the GPU's PCI function; the GPU's
/// registers and VRAM are at the far end of the link.
///
/// The clock is the board's (MachineClock) and advances by itself. The GPU's accesses to host
/// memory are served only during calls to this class, in order of arrival, interleaved with the
/// responses to the CPU.
class GpuOnBoard : public Device, private Clock, private HostServer {
 public:
  /// `host.config` must be the result of Adopt (sizes.h).
  GpuOnBoard(PlainHost& host, std::unique_ptr<Board> board);
  ~GpuOnBoard() override;

  Board& board() { return *board_; }

  // Device
  ConfigSpace& config(unsigned) override { return space_; }
  Clock& clock() override { return *this; }
  uint64_t sizes_in_use() const override;
  void Read(const BarAccess& access, void* to) override;
  void Write(const BarAccess& access, const void* from) override;
  void ReadBlock(const BarAccess& access, void* to) override;
  void WriteBlock(const BarAccess& access, const void* from) override;
  uint32_t ReadConfig(unsigned unit, uint16_t offset, unsigned size) override;
  void WriteConfig(unsigned unit, uint16_t offset, unsigned size, uint32_t value) override;

  // Device's instruments, implemented in gpu_on_board_instruments.cc. A board has no event port, so
  // its translations are not checked, and software cannot drive the GPU's client ports. If either
  // is requested, RefuseSimulated (sizes.h) reports an error before the run.
  std::vector<hw::Counter> Counters() override;
  std::vector<hw::Finding> Findings() override { return board_->Findings(); }
  uint64_t Cycles() override;
  std::vector<hw::InUse> ResourcesInUse() override;
  void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) override;

 private:
  struct Held {
    uint64_t until_ns;
    HostRead read;
    bool ok;
    Bytes data;
  };

  // Clock
  uint64_t NowPs() override { return NowNs() * 1000; }
  /// Services the GPU's requests and returns. The clock advances by itself; this call does not
  /// advance it.
  void Pass(uint64_t ps) override;
  bool Await(const std::function<bool()>& ready, uint64_t bound_ps, const std::string& what) override;
  void CatchUp() override;

  // HostServer (gpu_on_board_host.cc)
  void Read(const HostRead& read) override;
  void Write(const HostWrite& write) override;

  uint64_t NowNs() { return board_->clock().NowNs(); }
  void Work(uint64_t machine_ns);
  void DriveStraps();
  void LosePower();
  uint16_t Requester(BusUser user) const;
  uint64_t ReadGpu(uint32_t offset, const std::string& what);
  static std::vector<Bytes> BlockReads(const BarAccess& access);
  void WriteRange(const HostWrite& write, size_t first, size_t end);

  PlainHost& host_;
  const MachineConfig& config_;
  const std::unique_ptr<Board> board_;
  ConfigSpace space_;
  uint64_t control_ = 0;                           ///< last value sent to the board
  decltype(FunctionMessage().Words()) message_{};  ///< last words sent to the board
  uint64_t vram_key_ = 0;                          ///< key set at the last power-up
  uint64_t held_page_ = 0, held_until_ns_ = 0;
  std::deque<Held> held_;
  uint64_t requests_ = 0, writes_ = 0, writes_lost_ = 0;
  uint64_t host_accesses_ = 0;
};

}  // namespace gmmu::sim::board
