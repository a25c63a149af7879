// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <functional>

#include "gpu/beats.h"
#include "gpu/fifo.h"
#include "gpu/transaction_pool.h"

namespace gmmu::sim {

/// The AXI4 manager on s_peer, through which linked GPUs access this GPU's VRAM.
///
/// A transaction is one burst of full beats that does not cross a 4 KiB boundary. Reads and writes
/// have separate queues, in which they wait for a free id and the address channel; write data
/// follows its AW. R and B are always accepted. Call Drive and Sample as for VramPort.
class PeerPort {
 public:
  static constexpr unsigned kInFlight = 64;  ///< limit on bursts in flight, per direction
  using Done = std::function<void(PooledTransaction*, bool ok)>;

  /// `done` receives each transaction in the cycle of its last R beat or its B response.
  explicit PeerPort(Done done);

  /// Queues an access that arrives at `time_ps`; it takes effect at the first clock edge after that time.
  void Push(PooledTransaction* transaction, uint64_t time_ps) {
    (transaction->is_write() ? writes_ : reads_).push({transaction, time_ps});
  }

  template <typename Top>
  void Drive(Top& top, uint64_t edge_ps) {
    top.s_peer_rready = top.s_peer_bready = 1;
    top.s_peer_arvalid = reads_.Ready(edge_ps);
    if (top.s_peer_arvalid) {
      const Burst burst = BurstOf(*reads_.front());
      top.s_peer_arid = reads_.next_id();
      top.s_peer_araddr = burst.start;
      top.s_peer_arlen = burst.beats - 1;
      top.s_peer_arsize = kSizeLg2;
      top.s_peer_arburst = kIncrementing;
    }
    top.s_peer_awvalid = writes_.Ready(edge_ps);
    if (top.s_peer_awvalid) {
      const Burst burst = BurstOf(*writes_.front());
      top.s_peer_awid = writes_.next_id();
      top.s_peer_awaddr = burst.start;
      top.s_peer_awlen = burst.beats - 1;
      top.s_peer_awsize = kSizeLg2;
      top.s_peer_awburst = kIncrementing;
    }
    top.s_peer_wvalid = !owed_.empty();
    if (!owed_.empty()) {
      const Beat beat = NextBeat();
      std::memcpy(LanesOf(top.s_peer_wdata), beat.data, kBeatBytes);
      top.s_peer_wstrb = beat.strobe;
      top.s_peer_wlast = beat.last;
    }
  }

  template <typename Top>
  void Sample(const Top& top) {
    if (top.s_peer_wvalid && top.s_peer_wready) EndBeat();
    if (top.s_peer_arvalid && top.s_peer_arready) static_cast<void>(reads_.Take());
    if (top.s_peer_awvalid && top.s_peer_awready) owed_.push({writes_.Take(), 0});
    if (top.s_peer_rvalid) TakeData(top.s_peer_rid, LanesOf(top.s_peer_rdata), top.s_peer_rresp, top.s_peer_rlast);
    if (top.s_peer_bvalid) TakeAnswer(top.s_peer_bid, top.s_peer_bresp);
  }

  /// Whether no access is queued or in flight.
  bool idle() const { return reads_.idle() && writes_.idle(); }

 private:
  static constexpr unsigned kIncrementing = 1;
  static constexpr unsigned kSizeLg2 = __builtin_ctz(kBeatBytes);
  struct Burst {
    uint64_t start;  // aligned
    unsigned beats;
  };
  struct Beat {
    uint8_t data[kBeatBytes];
    uint64_t strobe;
    bool last;
  };
  struct Slot {
    PooledTransaction* transaction = nullptr;
    unsigned done = 0;  ///< number of beats completed
    bool error = false;
  };
  /// The accesses in one direction: waiting accesses in a queue, accesses in flight by id.
  class Direction {
   public:
    Direction();
    void push(std::pair<PooledTransaction*, uint64_t> arrived) { waiting_.push(arrived); }
    bool Ready(uint64_t edge_ps) const {
      return !waiting_.empty() && waiting_.front().second < edge_ps && !free_.empty();
    }
    PooledTransaction* front() const { return waiting_.front().first; }
    unsigned next_id() const { return free_.front(); }
    /// Removes the oldest access from the queue when the GPU has accepted its address. Allocates
    /// and returns its id.
    unsigned Take();
    Slot& at(unsigned id) { return slots_[id]; }
    PooledTransaction* End(unsigned id);
    bool idle() const { return waiting_.empty() && free_.size() == kInFlight; }

   private:
    Fifo<std::pair<PooledTransaction*, uint64_t>> waiting_{256};
    std::array<Slot, kInFlight> slots_;
    Fifo<unsigned> free_{kInFlight};
  };
  struct Owed {  // a write that still owes data for an accepted AW
    unsigned id;
    unsigned sent;  // beats sent
  };

  static Burst BurstOf(const PooledTransaction& t);
  Beat NextBeat();
  void EndBeat();
  void TakeData(unsigned id, const uint8_t* lanes, unsigned response, bool last);
  void TakeAnswer(unsigned id, unsigned response);

  const Done done_;
  Direction reads_, writes_;
  Fifo<Owed> owed_{kInFlight};
};

}  // namespace gmmu::sim
