// SPDX-License-Identifier: Apache-2.0
// The fixture for the tests of gmmu_l1: C++ models of the requester and of the shared levels. Each
// cycle checks every response against the translations of its generation, checks the drained
// outputs, and checks that a response is held until it is accepted.
#pragma once

#include <array>
#include <deque>
#include <map>
#include <vector>

#include "tb/rtl/mmu/blocks.h"

namespace gmmu::bench {

class L1Test : public BlocksTest {
 protected:
  enum Fault { kInvalid = 4, kWriteProtect = 7, kExecuteProtect = 8 };
  struct Request {
    unsigned space;
    uint64_t va;
    unsigned access;
  };
  struct Lookup {
    unsigned slot;
    Key key;
    uint64_t due;
  };
  struct Use {
    unsigned generation;
    uint64_t since, until;
  };
  const unsigned spaces_ = small() ? 2 : 16;
  const unsigned slots_ = small() ? 2 : 32;
  std::map<unsigned, Request> waiting_;  ///< by tag
  std::vector<Lookup> lookups_;
  std::deque<Use> uses_;
  uint64_t back_[2] = {0, 0};          ///< latest cycle in which a response was returned, by generation
  unsigned quiet_ = 0;                 ///< cycles since a response was in use or in flight
  uint64_t flipped_ = 0;               ///< cycle of the latest generation flip
  std::vector<uint64_t> told_, left_;  ///< told_: pages in messages; left_: pages in responses
  Standing<std::array<uint64_t, 5>> standing_{"the answer"};
  std::vector<bool> slot_used_ = std::vector<bool>(64);
  unsigned version_ = 0;  ///< version of all translations; a kill makes a new one
  unsigned generation_ = 0;
  bool between_ = false;  ///< a sweep has started, but the generation has not flipped yet
  uint64_t answered_ = 0;

  // Knobs.
  unsigned rsp_stall_ = 0, ask_stall_ = 0, idle_ = 0, delay_ = 10, held_ = 10;
  bool keep_ = false;  ///< responses stay in use

  /// Returns the page to which the shared levels translate `key` with this version of the tables: a
  /// 4 KiB page, or a page of a 64 KiB block.
  Page PageOf(const Key& key, unsigned version) const {
    const uint64_t block = key.vpn >> 4;
    const uint64_t mix = (block * 0x9e3779b97f4a7c15ull + key.space * 77 + version * 12345) >> 20;
    const bool big = mix % 4 == 0;
    const uint64_t pfn = big ? (mix & 0xfffffff) << 4 | (key.vpn & 15)
                             : ((mix ^ (key.vpn & 15) * 0x1234567) & 0xffffffff);
    Page page(pfn, 0, big);
    if (mix >> 5 & 1) page.raw |= 1 << 5;         // read only
    if (mix >> 6 & 1) page.raw |= 1 << 4;         // not executable
    if ((mix >> 7) % 8 == 0) page.raw |= 1 << 7;  // zero
    return page;
  }
  /// Returns the fault of the walk, or 0: addresses above the built width fault, and so do some
  /// pages.
  unsigned CauseOf(const Key& key, unsigned version) const {
    if (key.high) return 2;
    return key.vpn % 11 == 3 && !PageOf(key, version).big() ? kInvalid : 0;
  }

  auto Response() const { return Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, xlate_rsp_t)>(t.l1_rsp_o[n]); }
  bool Explained(const Request& request, unsigned version) const {
    const Key key{request.space, request.va >> 12 & kVpnMask, request.va >> 48 != 0};
    const Page page = PageOf(key, version);
    unsigned fault = CauseOf(key, version);
    if (fault == 0 && !page.zero()) {
      if (request.access == 1 && page.read_only()) fault = kWriteProtect;
      if (request.access == 2 && page.no_execute()) fault = kExecuteProtect;
    }
    const auto rsp = Response();
    if (rsp.fault != fault) return false;
    if (fault != 0) return true;
    return rsp.zero == page.zero() && rsp.gpa.offset == (page.pfn() << 12 | (request.va & 0xfff));
  }

  /// Runs one cycle. `offer`: a request to offer, or none. Returns whether it was accepted.
  bool Cycle(const Request* offer, bool messages = true) {
    unsigned tag = 0;
    while (waiting_.count(tag) != 0) ++tag;
    t.l1_req_valid_i = offer != nullptr;
    if (offer != nullptr) {
      GMMU_STRUCT(gmmu_mmu_blocks_bench, xlate_req_t) req{};
      req.tag = static_cast<uint8_t>(tag), req.space = static_cast<uint8_t>(offer->space);
      req.va = offer->va, req.access = static_cast<uint8_t>(offer->access);
      t.l1_req_i = Pack(req);
    }
    t.l1_rsp_ready_i = Random(100) >= rsp_stall_;
    t.l1_lookup_ready_i = Random(100) >= ask_stall_;
    t.l1_generation_i = static_cast<uint8_t>(generation_);
    t.l1_msg_valid_i = 0;
    if (messages && !lookups_.empty()) {
      const size_t which = Random(static_cast<unsigned>(lookups_.size()));
      const Lookup& lookup = lookups_[which];
      if (lookup.due <= now) {
        t.l1_msg_valid_i = 1;
        t.l1_msg_other_i = 0;
        t.l1_msg_slot_i = static_cast<uint8_t>(lookup.slot);
        t.l1_msg_cause_i = static_cast<uint8_t>(CauseOf(lookup.key, version_));
        SetKey(lookup.key);
        t.page_i = PageOf(lookup.key, version_).raw;
        slot_used_[lookup.slot] = false;
        told_.push_back(lookup.key.vpn);
        lookups_.erase(lookups_.begin() + static_cast<long>(which));
      } else if (Random(8) == 0) {  // a message for another port
        t.l1_msg_valid_i = 1;
        t.l1_msg_other_i = 1;
        t.l1_msg_slot_i = static_cast<uint8_t>(lookup.slot);
      }
    }
    unsigned back[2] = {0, 0};
    bool used[2] = {back_[0] + 1 == now, back_[1] + 1 == now};  // [g]: one of generation g was in use a cycle ago
    for (const Use& use : uses_) used[use.generation] |= use.since + 2 <= now;
    for (auto use = uses_.begin(); use != uses_.end();) {
      if (use->until <= now && back[use->generation] < 3) {
        ++back[use->generation];
        back_[use->generation] = now;
        use = uses_.erase(use);
      } else {
        ++use;
      }
    }
    t.l1_done_i = static_cast<uint8_t>(back[1] << 2 | back[0]);
    Settle();
    const auto rsp = Response();

    for (unsigned g = 0; g < 2; ++g) {
      if (used[g]) EXPECT_FALSE(t.l1_drained_o[n] >> g & 1) << "generation " << g << ", cycle " << now;
    }
    if (quiet_ >= 3) EXPECT_EQ(t.l1_drained_o[n], 3) << "cycle " << now;
    standing_.Look(t.l1_rsp_valid_o[n], t.l1_rsp_ready_i,
                   {rsp.tag, rsp.generation, rsp.gpa.offset, rsp.fault, rsp.zero});
    const bool accepted = offer != nullptr && t.l1_req_ready_o[n];
    if (t.l1_hit_o[n]) ++hits_;
    if (t.l1_lookup_valid_o[n] && t.l1_lookup_ready_i) {
      const unsigned slot = Unpack<GMMU_STRUCT(gmmu_mmu_blocks_bench, asker_t)>(t.l1_lookup_o[n]).slot;
      EXPECT_LT(slot, slots_);
      EXPECT_FALSE(slot_used_[slot]) << "a slot asks twice";
      slot_used_[slot] = true;
      lookups_.push_back({slot, Key::Of(t.l1_lookup_key_o[n]), now + 3 + Random(delay_)});
    }
    if (t.l1_rsp_valid_o[n] && t.l1_rsp_ready_i) {
      const auto request = waiting_.find(rsp.tag);
      if (request == waiting_.end()) {
        ADD_FAILURE() << "tag " << unsigned{rsp.tag} << " is not outstanding";
      } else {
        const bool old = rsp.generation != generation_;
        EXPECT_FALSE(old && now > flipped_ + 1 && (t.l1_drained_o[n] >> rsp.generation & 1))
            << "an answer of a drained generation, cycle " << now;
        EXPECT_TRUE(Explained(request->second, version_) ||
                    ((old || between_) && version_ > 0 && Explained(request->second, version_ - 1)))
            << "va " << request->second.va << " space " << request->second.space << " fault " << unsigned{rsp.fault}
            << " cycle " << now;
        left_.push_back(request->second.va >> 12);
        waiting_.erase(request);
        uses_.push_back({rsp.generation, now, keep_ ? ~uint64_t{0} : now + 1 + Random(held_)});
        ++answered_;
      }
    }
    Step();
    if (accepted) waiting_[tag] = *offer;
    quiet_ = waiting_.empty() && uses_.empty() ? quiet_ + 1 : 0;
    return accepted;
  }
  uint64_t hits_ = 0;

  Request Some() {
    Request request{Random(std::min(spaces_, 3u)), 0, Random(3)};
    const uint64_t block = Random(small() ? 2 : 6);
    request.va = (block << 16 | uint64_t{Random(16)} << 12 | Random(4096));
    // Bits 32 and above enter the hash of the block, so these addresses may have equal check bits.
    if (Random(6) == 0) {
      request.va += uint64_t{Random(4)} << (Random(2) == 0 ? 40 : 32);
    }
    if (Random(30) == 0) request.va |= uint64_t{1} << (48 + Random(16));
    return request;
  }
  void Drain(unsigned bound) {
    for (unsigned i = 0; !waiting_.empty() || !uses_.empty(); ++i) {
      ASSERT_LT(i, bound) << waiting_.size() << " lookups are not answered";
      Cycle(nullptr);
    }
    for (int i = 0; i < 6; ++i) Cycle(nullptr);
  }
  void Flip() {
    generation_ ^= 1;
    flipped_ = now;
  }
  void GiveBack(unsigned count) {
    for (unsigned i = 0; i < count; ++i) uses_[i].until = now;
  }
  void Idle(unsigned cycles, bool messages = true) {
    for (unsigned i = 0; i < cycles; ++i) Cycle(nullptr, messages);
  }
  static Request PageAt(unsigned vpn) { return {1, uint64_t{vpn} << 12, 0}; }
  /// Fills every slot, one per cycle, with a miss, and withholds the responses.
  void TakeAllSlots(unsigned first = 0x1000) {
    for (unsigned i = 0; i < slots_; ++i) {
      const Request miss = PageAt(first + 64 * i);
      ASSERT_TRUE(Cycle(&miss, false)) << i;
    }
    Idle(2, false);
    ASSERT_EQ(lookups_.size(), slots_);
  }
  /// Invalidates as the control block does: stops messages, sweeps, and flips the generation some
  /// cycles later. Requests continue throughout.
  void Invalidate() {
    SetScope(true);
    Request request = Some();
    const auto cycle = [&](bool messages) {
      if (Cycle(Random(2) == 0 ? &request : nullptr, messages)) request = Some();
    };
    for (int i = 0; i < 6; ++i) cycle(false);
    ++version_;
    between_ = true;
    for (unsigned i = 0; i < (small() ? 2 : 16); ++i) {
      SetSweep(true, i);
      cycle(false);
    }
    SetSweep(false, 0);
    for (unsigned i = Random(4); i > 0; --i) cycle(true);
    Flip();
    between_ = false;
    // The old generation drains while new lookups continue. In the end, none of its responses is in
    // use.
    for (unsigned i = 0;; ++i) {
      ASSERT_LT(i, 4000u) << "the old generation does not drain";
      const Request request = Some();
      Cycle(i < 60 ? &request : nullptr);
      if (i > 8 && (t.l1_drained_o[n] >> (generation_ ^ 1) & 1) != 0) break;
    }
    for (const Use& use : uses_) EXPECT_EQ(use.generation, generation_) << "in use although drained";
  }
};

}  // namespace gmmu::bench
