// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include <systemc>
#include <tlm>
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

#include "gpu/transaction_pool.h"
#include "iommu/remapper.h"
#include "platform/sc_agenda.h"

namespace gmmu::sim {

struct IommuTiming {
  unsigned walks = 8;           ///< number of walkers. A miss waits for a free walker or for
                                ///< the walk of its page; hits overtake it
  uint64_t lookup_ps = 10'000;  ///< time of the lookup of each request
  uint64_t descriptor_ps = 20'000;
};

/// Adds timing to a remapper between the root ports and host memory.
///
///   device   AT targets, one per root port. A request does not cross 4 KiB; its BusExtension
///            contains the requester id. Writes are posted: a port's writes reach memory in order
///            of arrival, however long their translations take, and get their responses when memory
///            has the data (OK even for a blocked write). A read goes to memory after its port's
///            earlier writes; a blocked read gets TLM_ADDRESS_ERROR_RESPONSE.
///   memory   AT initiator for device accesses (kind kTranslated) and the IOMMU's own (kLogical).
///
/// Without an IOMMU (`core` is null) addresses pass untranslated, in the same order. A write to the
/// interrupt window becomes a call to the message sink, in order with the port's other writes. The
/// IOMMU's own interrupts are not translated.
class Iommu : public sc_core::sc_module {
 public:
  using DeviceSocket = tlm_utils::simple_target_socket_tagged<Iommu>;
  DeviceSocket& device(unsigned port) { return *ports_[port].socket; }
  tlm_utils::simple_initiator_socket<Iommu> memory{"memory"};
  using MessageSink = std::function<void(uint64_t address, uint32_t data)>;

  Iommu(sc_core::sc_module_name name, unsigned ports, std::unique_ptr<Remapper> core, const IommuTiming& timing,
        ScAgenda& agenda, MessageSink messages);

  Remapper* core() { return core_.get(); }
  /// Perform a CPU access to a register. The access itself takes effect immediately; operations
  /// that it starts take time.
  uint64_t ReadRegister(uint32_t offset, unsigned size) { return core_->ReadRegister(offset, size); }
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value);

  std::vector<hw::Counter> Counters() const;

 private:
  struct Request {
    unsigned port = 0;
    tlm::tlm_generic_payload* transaction = nullptr;
    RemapWalk walk;
    uint64_t posted_before = 0;  ///< number of the port's writes that arrived earlier
    uint64_t arrived_ps = 0;
    bool translated = false;
    bool joined = false;  ///< the request has waited for another request's walk for its page
  };
  struct Port {
    std::unique_ptr<DeviceSocket> socket;
    std::deque<Request*> posted;  ///< writes, in order of arrival
    uint64_t arrived = 0, committed = 0;
  };

  tlm::tlm_sync_enum FromDevice(int port, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  tlm::tlm_sync_enum FromMemory(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time& delay);
  void Lookup(Request* request);
  void StartWalk(Request* request);
  void Dispatch(Request* request);
  void Requeue(uint64_t page);
  void WantRead(Request* request);
  void Fed(Request* request, const PooledTransaction& t);
  void Translated(Request* request);
  void Commit(Port& port);
  bool NoSnoop(const Request& request) const;
  bool CommitWrite(Request* request);
  void StartReads();
  void IssueRead(Request* request);
  void Finish(Request* request);
  void Answer(Request& request, tlm::tlm_response_status status);
  void PumpQueue();
  void SendToMemory(PooledTransaction* t, std::function<void(PooledTransaction&)> done);

  const std::unique_ptr<Remapper> core_;
  const IommuTiming timing_;
  ScAgenda& agenda_;
  const MessageSink messages_;
  TransactionPool pool_;
  std::vector<std::function<void(PooledTransaction&)>> waiting_;  ///< by owner_tag
  std::vector<size_t> free_slots_;
  std::vector<Port> ports_;
  std::vector<Request*> reads_;  ///< translated reads held until earlier writes are committed
  std::vector<Request*> walks_under_way_;
  std::deque<Request*> queued_;  ///< requests that wait for a walker or for the walk of their page
  std::vector<std::unique_ptr<Request>> all_;
  std::vector<Request*> free_;
  bool queue_busy_ = false;
  uint64_t walk_ps_ = 0, waited_ps_ = 0, order_holds_ = 0, most_walks_ = 0, joined_ = 0;
};

}  // namespace gmmu::sim
