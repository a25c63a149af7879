// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/client_ports.h"
#include "gpu/cpu_port.h"
#include "gpu/host_port.h"
#include "gpu/peer_port.h"
#include "gpu/vram_port.h"
#include "memory/vram.h"
#include "pcie/config_space.h"
#include "probe/gpu_axi.h"
#include "probe/translation_checker.h"

class VerilatedFstC;
namespace gmmu::hw {
class EventSink;
}

namespace gmmu::sim {

class EventProbe;

struct RtlGpuParameters {
  uint64_t period_ps = 1000;
  uint64_t batch = 10'000;  ///< limit on the cycles per activation of the process
  bool skip_idle = true;    ///< false: execute every cycle, for measurements
  VramParameters vram;
  bool vram_reorder = false;
  uint64_t seed = 0;
  uint64_t flip_after = 0;  ///< argument of VramPort::FlipAfter
  HostPortParameters host;
  ConfigSpaceParameters config;
  hw::EventSink* events = nullptr;  ///< receives the GPU's events; null: none
  unsigned unit = 0;                ///< this GPU's number in events
  std::string waves;                ///< FST file, needs a build with tracing; empty: no waves
  uint64_t waves_from = 0, waves_to = ~uint64_t{0};
};

/// One GPU: the Verilated gmmu_gpu with its VRAM, its configuration space and the far ends of its AXI ports.
///
///   dma        AT initiator. Each burst or interrupt message is one transaction with a BusExtension,
///              sent with BEGIN_REQ at its clock edge (annotated delay). The target responds with
///              BEGIN_RESP: to writes in order, when the PCIe link has accepted them; to a read
///              at any later time, when the target has the data.
///   registers  AT target for CPU accesses, which are performed in order. The address lies in
///              a BAR or, with kind kConfig, is an offset in configuration space. The BEGIN_RESP of a
///              read carries the data, that of a write frees its buffer slot. An address outside all
///              BARs gets TLM_ADDRESS_ERROR_RESPONSE.
///   peers      AT initiator, may stay unbound. Accesses of kind kPeer use this socket instead of dma;
///              the response to a write means that the peer's VRAM has the data. While the socket is
///              unbound, every such access gets an error response.
///   inbound    AT target, may stay unbound, for other GPUs' accesses to VRAM. Each access lies inside
///              a 4 KiB page and has at most 256 beats; its address is the offset in VRAM. Responses are
///              sent with BEGIN_RESP in any order.
///
/// Clock edge c (counted from 0) is at time (c + 1) x period; no other event may happen at such a time. Reset ends
/// before time 0. The module runs batches of cycles up to the next pending event, and sleeps while the GPU is idle.
class RtlGpu : public sc_core::sc_module, private HostPort::Sink {
 public:
  tlm_utils::simple_initiator_socket<RtlGpu> dma{"dma"};
  tlm_utils::simple_target_socket<RtlGpu> registers{"registers"};
  tlm_utils::simple_initiator_socket_optional<RtlGpu> peers{"peers"};
  tlm_utils::simple_target_socket_optional<RtlGpu> inbound{"inbound"};

  RtlGpu(sc_core::sc_module_name name, const RtlGpuParameters& parameters);
  ~RtlGpu() override;

  ConfigSpace& config() { return config_; }
  VramCore& vram() { return vram_; }
  /// Passes every completed lookup and invalidation to `checker`, unless it is null.
  void set_checker(TranslationChecker* checker);

  /// Return the number of clock edges so far, and how many of them the model executed.
  uint64_t cycles() const;
  uint64_t cycles_evaluated() const { return evaluated_; }

  /// Reads registers for instruments, in order with the CPU's accesses but not over the PCIe link.
  /// `done` receives the values at local_ps(), which may be ahead of the simulation's time. While
  /// an earlier call is outstanding, ServiceRead returns false and does nothing.
  [[nodiscard]] bool ServiceRead(const std::vector<uint32_t>& offsets,
                                 std::function<void(const std::vector<uint64_t>&)> done);

  uint64_t local_ps() const { return edge_ps_; }

  /// Describes, for error messages, what the CPU's oldest access is waiting for.
  std::string Waiting() const { return cpu_port_.Waiting(); }
  std::vector<hw::Finding> Findings() const;
  /// See hw::Instruments.
  void DriveClients(hw::ClientAccesses* accesses);
  /// Injected fault: client 0 issues a read but never accepts the response (hw::Instruments).
  void LoseAnswer(unsigned space, uint64_t va);
  /// Makes the AXI checker of the host port tolerate responses that host memory deliberately delays
  /// by up to `ps` picoseconds.
  void AllowHostWait(uint64_t ps) { axi_.AllowHostWait(2 * (ps / parameters_.period_ps)); }
  /// Returns "rtl_slot" while idle_o is 0, and "bus_slot" while a burst at an AXI port awaits its
  /// last R beat or its B response.
  std::vector<hw::InUse> ResourcesInUse() const;
  /// Returns the counters of blocks "vram" and "host_port".
  std::vector<hw::Counter> Counters() const;

 private:
  struct Service {
    std::vector<uint64_t> values;
    size_t left;
    std::function<void(const std::vector<uint64_t>&)> done;
  };

  void Run();
  void Cycle(uint64_t edge_ps);
  uint64_t Limit(uint64_t now_ps) const;
  void DriveStraps();
  void Reset();
  void Wake();
  void Sleep();

  void Send(PooledTransaction* transaction) override;
  tlm::tlm_sync_enum AnswerDma(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum AccessFromCpu(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum AccessFromPeer(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void AnswerPeer(PooledTransaction* t, bool ok);
  void Configure(const CpuPort::Access& access);
  void FinishAccess(const CpuPort::Access& access, bool ok);
  void Respond(tlm::tlm_generic_payload& t);

  const RtlGpuParameters parameters_;
  std::unique_ptr<VerilatedContext> context_;
  std::unique_ptr<Vgmmu_gpu_axi> top_;
  std::unique_ptr<VerilatedFstC> trace_;
  TransactionPool pool_;
  ConfigSpace config_;
  VramCore vram_;
  VramPort vram_port_;
  HostPort host_port_;
  CpuPort cpu_port_;
  PeerPort peer_port_;
  ClientPorts client_ports_;
  GpuAxi axi_{kBeatBytes, 1'000'000, false};
  TranslationChecker* checker_ = nullptr;
  std::unique_ptr<EventProbe> events_;
  std::unique_ptr<Service> service_;

  sc_core::sc_event wake_;
  bool asleep_ = false;
  bool sent_ = false;     ///< the GPU has sent a transaction in this cycle
  uint64_t edge_ps_ = 0;  ///< clock edge of the current cycle
  uint64_t cycle_ = 0;    ///< next cycle to run
  uint64_t evaluated_ = 0;
  unsigned quiet_ = 0;  ///< consecutive cycles without work
};

}  // namespace gmmu::sim
