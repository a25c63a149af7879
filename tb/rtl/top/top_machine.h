// SPDX-License-Identifier: Apache-2.0
// Models the surroundings of the GPU on its bench: VRAM and host memory behind the AXI ports, and a
// CPU on the register and window ports. Host writes are applied and recorded in the order of AW, so
// that a test can check their order.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "Vgmmu_gpu_axi.h"
#include "hw/gmmu_regs.h"
#include "probe/gpu_axi.h"
#include "tb/rtl/block_bench.h"
#include "tb/rtl/paged_memory.h"
#include "tb/rtl/top/sizes.h"

namespace gmmu::top {

using Memory = PagedMemory;

/// A write burst that arrived on the host port.
struct HostWrite {
  uint64_t address = 0;
  unsigned kind = 0;  // AxUSER kind: 0 logical, 2 interrupt, 3 peer
  bool no_snoop = false;
  std::vector<uint8_t> bytes;  // enabled bytes only
};

/// An AXI4 subordinate. A read returns its data after `latency` cycles, and bursts complete in any order if `shuffle`
/// is set.
class Slave {
 public:
  struct Ax {
    unsigned id = 0;
    uint64_t address = 0;
    unsigned len = 0;
    uint32_t user = 0;
    uint64_t due = 0;
    unsigned beat = 0;
    bool error = false;
    std::vector<uint8_t> bytes;
  };
  struct ReadBeat {
    unsigned id;
    uint64_t data;
    bool error, last;
  };

  Memory memory;
  unsigned latency = 20;
  unsigned write_latency = 10;
  bool shuffle = false;
  unsigned stall_percent = 0;  ///< share of cycles in which each ready is 0
  bool hold_w = false;         ///< W is not accepted
  std::vector<HostWrite> log;
  std::vector<std::string> errors;
  uint64_t reads = 0, writes = 0;
  /// Called with the address of each beat that is read or written.
  std::function<void(uint64_t address)> on_beat;

  bool idle() const { return reads_.empty() && waiting_.empty() && answers_.empty(); }
  void TakeRead(unsigned id, uint64_t address, unsigned len, uint64_t cycle);
  void TakeWrite(unsigned id, uint64_t address, unsigned len, uint32_t user);
  void TakeBeat(uint64_t data, unsigned strobe, bool last, uint64_t cycle);
  bool HasWrite() const { return !waiting_.empty(); }
  const ReadBeat* Offer(uint64_t cycle, std::mt19937_64& random);
  void EndBeat();
  const Ax* Answer(uint64_t cycle) const;
  void EndAnswer();

 private:
  void Check(const Ax& ax, const char* kind);
  std::deque<Ax> reads_, waiting_, answers_;
  ReadBeat offered_{};
  bool offering_ = false;
  std::set<unsigned> read_ids_, write_ids_;
};

/// The GPU, its memories and a CPU. Every wait is limited to `kBound` cycles; a longer wait throws.
class TopMachine : public BlockBench<Vgmmu_gpu_axi> {
 public:
  static constexpr uint64_t kBound = 200000;
  static constexpr uint64_t kVramBytes = 16 << 20;
  static constexpr unsigned kBurst = 256;  ///< bytes of the engine's longest burst

  explicit TopMachine(uint64_t seed = 1);
  ~TopMachine() override;

  /// Called with the ports in every cycle outside reset, before the clock edge.
  std::function<void(const Vgmmu_gpu_axi&)> watch;

  /// Called before each cycle is evaluated. May drive further inputs.
  std::function<void(Vgmmu_gpu_axi&)> drive;

  void Step() override;
  template <typename Condition>
  void Until(const Condition& condition, const char* what) {
    BlockBench::Until(condition, what, kBound);
  }

  /// Register accesses. `response` holds the response code of the latest one.
  uint64_t Read(uint32_t offset);
  uint32_t Read32(uint32_t offset);
  void Write(uint32_t offset, uint64_t value, unsigned strobe = 0xff);
  void Write32(uint32_t offset, uint32_t value);
  template <typename R>
  R Get(uint32_t base = 0) {
    R result;
    result.raw = Read(base + R::kOffset);
    return result;
  }
  template <typename R>
  void Set(const R& value, uint32_t base = 0) {
    Write(base + R::kOffset, value.raw);
  }

  /// Window accesses. Writes are posted: when WindowWrite returns, the write has been accepted but
  /// not answered.
  void WindowWrite(uint32_t offset, uint64_t value, unsigned strobe = 0xff);
  uint64_t WindowRead(uint32_t offset);
  void WindowSettle() {
    Until([&] { return window_writes_ == 0; }, "window writes");
  }

  /// Makes page tables of two levels of nine bits for `space`. They are in VRAM from `at` on: the
  /// root, then leaf tables as needed.
  void MakeSpace(unsigned space, uint64_t at);
  void Map(unsigned space, uint64_t va, regs::PteEntry entry);
  void MapPages(unsigned space, uint64_t va, regs::Target target, uint64_t offset, unsigned pages);
  uint64_t EntryAddress(unsigned space, uint64_t va);

  /// Runs a client's traffic engine and returns its final status.
  regs::ClientStatus Traffic(unsigned client, regs::ClientCtrl ctrl, uint64_t base, uint32_t first, uint32_t stride,
                             uint32_t count, uint32_t step, uint64_t seed = 0);
  void StartTraffic(unsigned client, regs::ClientCtrl ctrl, uint64_t base, uint32_t first, uint32_t stride,
                    uint32_t count, uint32_t step, uint64_t seed = 0);
  regs::ClientStatus EndTraffic(unsigned client);

  /// Clients 0 to kEngines - 1 have a traffic engine. kLast is the last of them.
  static constexpr unsigned kEngines = sizes::kTrafficEngines, kLast = kEngines - 1;
  /// Translation ports, in this order: clients, through-port (read, write), engine (fetch, read,
  /// write).
  static constexpr unsigned kPorts = sizes::kNumClients + 2 * sizes::kThroughPorts + 3;
  static uint32_t ClientAt(unsigned client) { return regs::kClientBase + client * regs::kClientStride; }
  static uint32_t SpaceAt(unsigned space) { return regs::kSpaceBase + space * regs::kSpaceStride; }
  static uint32_t RingAt(unsigned ring) { return regs::kRingBase + ring * regs::kRingStride; }

  /// Sets or clears the enable bit of the PCI function's interrupt message. It is set after
  /// construction.
  void EnableMessages(bool on);
  /// Returns the number of interrupt messages on the host port so far.
  unsigned Messages() const;

  Slave vram, host;
  unsigned response = 0;

 private:
  sim::GpuAxi axi_{8, kBound};
  unsigned window_writes_ = 0;
  std::map<unsigned, uint64_t> roots_, next_table_;
};

}  // namespace gmmu::top
