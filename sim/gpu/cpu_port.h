// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <cstdint>
#include <functional>

#include "Vgmmu_gpu_axi.h"
#include "gpu/fifo.h"
#include "gpu/transaction_pool.h"

namespace gmmu::sim {

/// Drives the AXI4-Lite ports s_reg and s_win with the CPU's accesses to the function, in order.
///
/// A window access is split into 8-byte beats; writes are pipelined. A register access starts when
/// all earlier window beats have been accepted, and the next access starts after its response, so
/// the GPU sees the accesses in the CPU's program order. A window write is done when its last beat
/// has been accepted. Configuration accesses are performed in the same order.
class CpuPort {
 public:
  enum class Target : uint8_t { kRegisters, kWindow, kConfig };
  struct Access {
    Target target = Target::kRegisters;
    bool write = false;
    uint32_t offset = 0;
    unsigned bytes = 8;  ///< 1, 2, 4 or a multiple of 8; naturally aligned
    uint8_t* data = nullptr;
    tlm::tlm_generic_payload* transaction = nullptr;  ///< the caller's; Done returns it
  };
  /// Called when the access is done. If `ok` is false, the GPU responded with an error and read
  /// data is all ones.
  using Done = std::function<void(const Access&, bool ok)>;
  using Configure = std::function<void(const Access&)>;
  /// Called when the GPU accepts a register write. `strobe` selects the bytes of `data` that are
  /// written to the 8-byte word at `offset`.
  using WriteHook = std::function<void(uint32_t offset, uint64_t data, unsigned strobe)>;

  CpuPort(Done done, Configure configure) : done_(std::move(done)), configure_(std::move(configure)) {}
  void set_write_hook(WriteHook hook) { hook_ = std::move(hook); }

  /// Queues an access that arrives at `time_ps`; it takes effect at the first clock edge after that time.
  void Push(const Access& access, uint64_t time_ps) { queue_.push({access, time_ps}); }

  void Drive(Vgmmu_gpu_axi& top, uint64_t edge_ps) {
    if (!active_ && !taken_ && (queue_.empty() || queue_.front().time_ps >= edge_ps)) return;
    DriveActive(top, edge_ps);
  }
  void Sample(const Vgmmu_gpu_axi& top) {
    if (active_ || window_answers_ != 0) SampleActive(top);
  }

  bool idle() const { return !active_ && !taken_ && queue_.empty() && window_answers_ == 0; }
  /// Describes, for error messages, what the oldest access is waiting for.
  std::string Waiting() const;

 private:
  struct Queued {
    Access access;
    uint64_t time_ps;
  };
  void DriveActive(Vgmmu_gpu_axi& top, uint64_t edge_ps);
  void SampleActive(const Vgmmu_gpu_axi& top);
  void SampleRegister(const Vgmmu_gpu_axi& top);
  void SampleWindow(const Vgmmu_gpu_axi& top);
  void OfferBeat(Vgmmu_gpu_axi& top);
  void Take(bool& open) {
    open = false;
    taken_ = true;
  }
  void Finish(bool ok);

  const Done done_;
  const Configure configure_;
  WriteHook hook_;
  Fifo<Queued> queue_{64};
  bool active_ = false;
  bool failed_ = false;                            ///< the active access got an error response
  unsigned sent_ = 0;                              ///< bytes of the active access sent so far
  unsigned received_ = 0;                          ///< bytes of the active access with a response
  bool address_open_ = false, data_open_ = false;  ///< on the pins, not yet accepted
  bool taken_ = false;                             ///< handshake in the previous cycle: Drive must deassert valid
  unsigned window_answers_ = 0;                    ///< window writes awaiting B
};

}  // namespace gmmu::sim
