// SPDX-License-Identifier: Apache-2.0
// A linked adapter at s_peer of the whole GPU. It writes its own part of VRAM and reads it back, at
// random or on request, and checks every response.
#pragma once

#include <gtest/gtest.h>

#include <deque>
#include <list>
#include <vector>

#include "tb/rtl/manner.h"
#include "tb/rtl/top/top_machine.h"

namespace gmmu::top {

class PeerTraffic {
 public:
  static constexpr uint64_t kBase = 0xc00000, kBytes = 0x10000;  // the adapter's part of VRAM

  /// Fills the adapter's part of VRAM, and makes the machine call Drive in each cycle.
  PeerTraffic(TopMachine& gpu, uint64_t seed) : gpu_(gpu), dice_(seed), words_(kBytes / 8) {
    for (size_t i = 0; i < words_.size(); ++i) gpu.vram.memory.Write64(kBase + 8 * i, words_[i] = dice_.rng());
    gpu.drive = [this](Vgmmu_gpu_axi& t) { Drive(t); };
  }
  ~PeerTraffic() { gpu_.drive = nullptr; }

  bool random = false;    ///< the adapter sends random requests
  bool may_fail = false;  ///< after a reset: errors are allowed, and the adapter's part of VRAM may be partly written
  unsigned idle_percent = 30;
  uint64_t reads = 0, writes = 0, errors = 0;

  void Ask(bool write, uint64_t address, unsigned len) {
    Burst b;
    b.write = write, b.address = address, b.len = len;
    for (unsigned i = 0; write && i <= len; ++i) b.data.push_back(dice_.rng());
    to_ask_[write].push_back(b);
  }
  bool Idle() const { return to_ask_[0].empty() && to_ask_[1].empty() && Unanswered() == 0; }
  size_t Unanswered() const { return asked_[0].size() + asked_[1].size(); }
  void Finish() {
    random = false;
    gpu_.Until([&] { return Idle(); }, "the linked adapter's accesses");
  }

  void Sample(const Vgmmu_gpu_axi& t) {
    for (bool write : {false, true}) {
      if (!(write ? t.s_peer_awvalid && t.s_peer_awready : t.s_peer_arvalid && t.s_peer_arready)) continue;
      asked_[write].push_back(to_ask_[write].front());
      to_ask_[write].pop_front();
      ax_[write].Taken();
    }
    if (t.s_peer_wvalid && t.s_peer_wready) {
      w_.Taken();
      if (beat_++ == sending_.front().len) beat_ = 0, sending_.pop_front();
    }
    if (t.s_peer_rvalid) TakeR(t);
    if (t.s_peer_bvalid) TakeB(t);
  }

 private:
  struct Burst {
    bool write = false, given = false;
    unsigned id = 0, len = 0, beat = 0;
    uint64_t address = 0;
    std::vector<uint64_t> data;
  };
  static bool Mine(const Burst& b) { return b.address >= kBase && b.address < kBase + kBytes; }

  void Drive(Vgmmu_gpu_axi& t) {
    if (random && to_ask_[0].empty() && to_ask_[1].empty()) {
      const unsigned len = static_cast<unsigned>(dice_.Random(0, 15));
      const uint64_t page = kBase + 4096 * dice_.Random(0, kBytes / 4096 - 1);
      Ask(dice_.Chance(50), page + 8 * dice_.Random(0, 511 - len), len);
    }
    for (bool write : {false, true}) {
      const bool have = !to_ask_[write].empty() && !Clashes(to_ask_[write].front());
      const bool now = ax_[write].Now(have, dice_, idle_percent);
      (write ? t.s_peer_awvalid : t.s_peer_arvalid) = now;
      if (!now) continue;
      Burst& b = to_ask_[write].front();
      if (!b.given) {
        b.given = true, b.id = static_cast<unsigned>(next_id_++ % 256);
        if (write) sending_.push_back(b);
      }
      (write ? t.s_peer_awid : t.s_peer_arid) = static_cast<uint8_t>(b.id);
      (write ? t.s_peer_awaddr : t.s_peer_araddr) = b.address;
      (write ? t.s_peer_awlen : t.s_peer_arlen) = static_cast<uint8_t>(b.len);
      (write ? t.s_peer_awsize : t.s_peer_arsize) = 3;
      (write ? t.s_peer_awburst : t.s_peer_arburst) = 1;
    }
    t.s_peer_wvalid = w_.Now(!sending_.empty(), dice_, idle_percent);
    if (t.s_peer_wvalid) {
      const Burst& b = sending_.front();
      t.s_peer_wdata = b.data[beat_], t.s_peer_wstrb = 0xff, t.s_peer_wlast = beat_ == b.len;
    }
  }
  /// Returns whether the next id is in use, or an outstanding burst is in the same page and one of
  /// the two is a write, so that the result could depend on their order.
  bool Clashes(const Burst& b) const {
    for (const auto& list : asked_)
      for (const Burst& other : list)
        if (other.id == next_id_ % 256 ||
            (b.write != other.write || b.write ? b.address >> 12 == other.address >> 12 : false))
          return true;
    return false;
  }
  Burst* Find(bool write, unsigned id) {
    for (Burst& b : asked_[write])
      if (b.id == id) return &b;
    ADD_FAILURE() << "an answer to nobody, id " << id;
    return nullptr;
  }
  void TakeR(const Vgmmu_gpu_axi& t) {
    Burst* b = Find(false, t.s_peer_rid);
    if (b == nullptr) return;
    errors += t.s_peer_rresp != 0;
    if (!may_fail) EXPECT_EQ(t.s_peer_rresp, Mine(*b) ? 0 : 2);
    if (!may_fail && Mine(*b)) EXPECT_EQ(t.s_peer_rdata, words_[(b->address - kBase) / 8 + b->beat]);
    EXPECT_EQ(t.s_peer_rlast, b->beat == b->len);
    if (b->beat++ < b->len) return;
    ++reads;
    asked_[0].remove_if([&](const Burst& other) { return other.id == b->id; });
  }
  void TakeB(const Vgmmu_gpu_axi& t) {
    Burst* b = Find(true, t.s_peer_bid);
    if (b == nullptr) return;
    errors += t.s_peer_bresp != 0;
    if (!may_fail) EXPECT_EQ(t.s_peer_bresp, Mine(*b) ? 0 : 2);
    if (t.s_peer_bresp == 0) {
      for (unsigned i = 0; i <= b->len; ++i) {
        EXPECT_EQ(gpu_.vram.memory.Read64(b->address + 8 * i), b->data[i]) << "B before the data is in VRAM";
        words_[(b->address - kBase) / 8 + i] = b->data[i];
      }
    }
    ++writes;
    asked_[1].remove_if([&](const Burst& other) { return other.id == b->id; });
  }

  TopMachine& gpu_;
  Dice dice_;
  std::vector<uint64_t> words_;
  std::deque<Burst> to_ask_[2], sending_;
  std::list<Burst> asked_[2];
  Offer ax_[2], w_;
  unsigned beat_ = 0;
  uint64_t next_id_ = 0;
};

}  // namespace gmmu::top
