// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/transaction_pool.h"
#include "hw/platform.h"
#include "pcie/pcie_link.h"
#include "platform/sc_agenda.h"

namespace gmmu::sim {

/// One root port and the PCIe link to its device. It splits requests into TLPs, reassembles them,
/// and maintains PCIe ordering.
///
///   from_device  AT target for the device's bursts. A write gets its response when the link has
///                accepted it; a read, when its last completion has arrived at the device, with an
///                error response if any completion reported an error.
///   to_device    AT initiator for CPU accesses.
///   memory       AT initiator to the IOMMU: one transaction per TLP.
///
/// A completion from the device reaches the CPU only when all writes that the device sent before it
/// are in memory.
class RootComplex : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<RootComplex> from_device{"from_device"};
  tlm_utils::simple_initiator_socket<RootComplex> to_device{"to_device"};
  tlm_utils::simple_initiator_socket<RootComplex> memory{"memory"};

  RootComplex(sc_core::sc_module_name name, const PcieParameters& parameters, ScAgenda& agenda,
              ScAgenda::Source device);

  /// Injected fault: issues an access that appears to come from the device. The response is
  /// dropped.
  void StrayAccess(uint16_t requester, hw::Stray kind, uint64_t address, uint32_t data);
  /// Injected fault: holds the completions for the device's reads of the page at `address` until
  /// `until_ps`.
  void HoldReads(uint64_t address, uint64_t until_ps) { hold_ = {address / hw::kPageSize, until_ps}; }
  /// Returns the number of posted CPU writes that wait for the PCIe link.
  size_t posted_waiting() const { return posted_waiting_; }
  /// Sets a hook that is called whenever posted_waiting falls. Null removes the hook.
  void NotifyTaken(std::function<void()> hook) { taken_ = std::move(hook); }
  /// Sends a posted write of at most 4 KiB; the bytes are copied.
  void Post(uint64_t address, const void* from, unsigned bytes);
  /// Sends a read, or a configuration read or write, of at most 4 KiB. `done` is called when the
  /// CPU has the response; `ok` is false for an unsupported request. `data` must stay valid until
  /// `done` is called.
  using Done = std::function<void(bool ok)>;
  void Request(tlm::tlm_command command, AddressKind kind, uint64_t address, void* data, unsigned bytes, Done done);

  /// Returns the number of requests that have arrived from the device with id `requester`.
  hw::BusCounts BusCountsOf(uint16_t requester) const;
  /// Returns the number of tags held by outstanding reads.
  unsigned tags_in_use() const { return pcie_link_.tags.in_use(); }
  /// Injected fault: allocates a tag and never frees it. The check at power-off must detect the
  /// leak.
  void LoseTag() { static_cast<void>(pcie_link_.tags.Allocate()); }
  std::vector<hw::Counter> Counters() const;

 private:
  struct Burst {  // a device's burst in progress
    PooledTransaction* transaction = nullptr;
    unsigned pieces = 0;  ///< TLPs in progress
    bool error = false;
  };
  struct Tlp {  // a TLP that is queued for the link
    TlpKind kind = TlpKind::kPosted;
    unsigned payload = 0;
    uint64_t ready_ps = 0;
    uint32_t tag = 0;                                      ///< tag of a read
    std::function<void(const PcieDirection::Sent&)> sent;  ///< called when the link is reserved
  };
  struct CpuAccess {
    PooledTransaction* transaction = nullptr;
    void* data = nullptr;
    Done done;  ///< null for a posted write
    unsigned payload = 0;
  };

  tlm::tlm_sync_enum FromDevice(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum DeviceAnswers(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum MemoryAnswers(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void BeginWrite(PooledTransaction* t);
  void BeginRead(PooledTransaction* t);
  void AnswerDevice(PooledTransaction* t, bool ok);
  void Pump(std::deque<Tlp>& queue, PcieDirection& direction, bool up);
  void PumpUp() { Pump(up_, pcie_link_.up, true); }
  void PumpDown() { Pump(down_, pcie_link_.down, false); }
  void ToMemory(PooledTransaction* t, std::function<void(PooledTransaction&)> done);
  void Complete(Burst* burst, TlpPiece piece, uint32_t tag, bool ok, const BusMarks& marks);
  void SendToDevice(CpuAccess* access);
  void CpuAnswer(CpuAccess* access, uint64_t time_ps);
  void Deliver(CpuAccess* access);
  CpuAccess* NewAccess(tlm::tlm_command command, AddressKind kind, uint64_t address, const void* data, unsigned bytes);
  Burst* NewBurst(PooledTransaction* t, size_t pieces);

  const PcieParameters parameters_;
  PcieLink pcie_link_;
  ScAgenda& agenda_;
  const ScAgenda::Source device_;
  TransactionPool pool_;
  std::deque<Tlp> up_, down_;
  std::vector<Burst*> free_bursts_;
  std::vector<std::unique_ptr<Burst>> bursts_;
  std::vector<std::function<void(PooledTransaction&)>> waiting_;  ///< by owner_tag
  std::vector<size_t> free_slots_;
  std::map<const tlm::tlm_generic_payload*, CpuAccess*> at_device_;
  std::vector<std::unique_ptr<CpuAccess>> accesses_;
  std::vector<CpuAccess*> free_accesses_;
  size_t posted_waiting_ = 0;
  std::function<void()> taken_;
  uint32_t sent_tag_ = 0;  ///< tag of the read that Pump is sending
  uint64_t posted_forwarded_ = 0, posted_done_ = 0;
  /// Completions, each with the number of posted writes that must be done before the completion is
  /// delivered.
  std::deque<std::pair<uint64_t, CpuAccess*>> held_;
  std::map<uint16_t, hw::BusCounts> bus_counts_;
  std::set<const tlm::tlm_generic_payload*> strays_;  ///< injected accesses in flight
  struct {
    uint64_t page = 0, until_ps = 0;  ///< until_ps 0: no page is held
  } hold_;
  uint64_t held_count_ = 0, cpu_reads_ = 0, cpu_writes_ = 0;
};

}  // namespace gmmu::sim
