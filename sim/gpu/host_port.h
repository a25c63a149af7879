// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <utility>

#include "Vgmmu_gpu_axi.h"
#include "gpu/beats.h"
#include "gpu/fifo.h"
#include "gpu/transaction_pool.h"
#include "hw/platform.h"

namespace gmmu::sim {

/// The limits of the device on its PCIe link, and faults to inject into the port.
struct HostPortParameters {
  uint16_t requester = 0x0100;
  unsigned tags = 64;               ///< limit on read requests in flight
  unsigned max_read_request = 512;  ///< size limit of a read request, in bytes
  unsigned write_buffer = 16;       ///< limit on write bursts that wait for the link
  unsigned peer_bursts = 64;        ///< limit on accesses to peers in flight, per direction
  bool drop_fence = false;          ///< drops aligned 16-byte writes, which the checks must detect
};

/// The AXI4 subordinate on m_host. Each burst becomes one transaction, which is passed to `Sink` in
/// the cycle of its last handshake. B or R follows after the transaction's response.
///
/// Writes are posted: B means that the link has accepted the burst. B responses come in AW order.
/// Reads complete in any order; a response other than OK becomes RRESP SLVERR. A read holds one tag
/// for each request it is split into, from issue until its data has arrived. A read that finds too
/// few free tags waits in a register of the port, with ARREADY low. A read that needs more tags
/// than exist is issued when no other read holds a tag. Accesses to peers use neither tags nor
/// entries of the write buffer. A write to a peer gets B when the peer's VRAM has the data, with
/// SLVERR if the response is not OK. Call Drive and Sample as for VramPort.
class HostPort {
 public:
  class Sink {
   public:
    virtual ~Sink() = default;
    /// Sends the transaction. The sink later responds by calling Answer.
    virtual void Send(PooledTransaction* transaction) = 0;
  };

  HostPort(const HostPortParameters& parameters, TransactionPool& pool, Sink& sink)
      : parameters_(parameters), pool_(pool), sink_(sink) {}

  /// Queues a response that arrives at `time_ps`; it takes effect at the first clock edge after that time.
  void Answer(PooledTransaction* transaction, uint64_t time_ps) { inbound_.push({transaction, time_ps}); }

  void Drive(Vgmmu_gpu_axi& top, uint64_t edge_ps) {
    while (!inbound_.empty() && inbound_.front().time_ps < edge_ps) TakeAnswer();
    if (waiting_ != nullptr && HasTagsFor(*waiting_)) SendRead(std::exchange(waiting_, nullptr));
    top.m_host_arready = waiting_ == nullptr && peer_reads_out_ < parameters_.peer_bursts;
    top.m_host_awready = writes_.size() + unanswered_ < parameters_.write_buffer &&
                         peer_writes_out_ < parameters_.peer_bursts;
    top.m_host_wready = !writes_.empty();
    if (!data_.empty()) DriveRead(top);
    else top.m_host_rvalid = 0;
    top.m_host_bvalid = !accepted_.empty();
    if (!accepted_.empty()) {
      top.m_host_bid = accepted_.front().id;
      top.m_host_bresp = accepted_.front().error ? 2 : 0;
    }
  }

  void Sample(const Vgmmu_gpu_axi& top) {
    if (top.m_host_arvalid) TakeRead(top);
    if (top.m_host_rvalid && top.m_host_rready) EndBeat();
    if (top.m_host_wvalid && !writes_.empty()) TakeBeat(top);
    if (top.m_host_awvalid) TakeWrite(top);
    if (top.m_host_bvalid && top.m_host_bready) {
      --(accepted_.front().peer ? peer_writes_out_ : unanswered_);
      accepted_.pop();
    }
  }

  /// Returns the time stamps of the read burst that drives R in this cycle. Call it between Drive
  /// and Sample.
  const BusMarks& marks_of_shown() const { return data_.front().transaction->extension->marks; }

  /// Whether the port holds no transaction. Transactions passed to the sink may still be
  /// outstanding.
  bool idle() const {
    return inbound_.empty() && data_.empty() && accepted_.empty() && writes_.empty() && waiting_ == nullptr;
  }
  /// Returns how many transactions were sent to the sink and have no response yet.
  unsigned outstanding() const { return reads_out_ + unanswered_ + peer_reads_out_ + peer_writes_out_; }

  std::vector<hw::Counter> Counters() const;

 private:
  struct Inbound {
    PooledTransaction* transaction;
    uint64_t time_ps;
  };
  struct Data {  // a read burst waiting for R
    PooledTransaction* transaction;
    unsigned id, beats, done;
  };
  struct Accepted {  // a write waiting for B
    unsigned id;
    bool error, peer;
  };
  struct Write {  // a write burst whose beats are being collected
    PooledTransaction* transaction;
    uint64_t start;  // aligned address of the first beat
    unsigned got;
    unsigned low, high, count;  // range [low, high) of enabled bytes, and their number
  };

  void TakeAnswer();
  void DriveRead(Vgmmu_gpu_axi& top);
  void EndBeat();
  void TakeRead(const Vgmmu_gpu_axi& top);
  void SendRead(PooledTransaction* t);
  void TakeWrite(const Vgmmu_gpu_axi& top);
  void TakeBeat(const Vgmmu_gpu_axi& top);
  void SendWrite(Write& write);
  unsigned TagsOf(const PooledTransaction& t) const;
  bool HasTagsFor(const PooledTransaction& t) const {
    return tags_used_ == 0 || tags_used_ + TagsOf(t) <= parameters_.tags;
  }
  void Label(PooledTransaction& t, unsigned id, uint32_t user) const;

  const HostPortParameters parameters_;
  TransactionPool& pool_;
  Sink& sink_;
  Fifo<Inbound> inbound_{256};
  Fifo<Data> data_{128};
  Fifo<Write> writes_{32};
  Fifo<Accepted> accepted_{64};
  PooledTransaction* waiting_ = nullptr;  ///< a read that waits for free tags
  unsigned tags_used_ = 0, reads_out_ = 0, unanswered_ = 0;
  unsigned peer_reads_out_ = 0, peer_writes_out_ = 0;
  uint64_t reads_ = 0, writes_sent_ = 0, messages_ = 0, bytes_read_ = 0, bytes_written_ = 0, read_errors_ = 0,
           dropped_ = 0;
};

}  // namespace gmmu::sim
