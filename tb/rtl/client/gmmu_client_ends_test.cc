// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "tb/rtl/client/blocks.h"

namespace gmmu::client {
namespace {

using regs::Fault;

/// Tests gmmu_client_ends. Accesses complete in four ways, and a model with the same priorities
/// predicts the cycle in which each completion is reported.
class Ends : public BlocksTest {
 protected:
  static constexpr uint64_t kTold = 2;  // cycles from the selection of a completion to its report

  struct End {
    unsigned slot = 0;
    Fault fault = Fault::kNone;
    unsigned level = 0;
    bool zero = false;
    uint64_t due = 0;
  };

  Ends() : generation_(slots()) {
    for (unsigned slot = 0; slot < slots(); ++slot) free_.push_back(slot);
  }
  unsigned Slot() {
    const size_t pick = Random(0, free_.size() - 1);
    const unsigned slot = free_[pick];
    free_.erase(free_.begin() + static_cast<long>(pick));
    return slot;
  }
  /// Accepts a translation response for a free slot, and returns the slot.
  unsigned Begin() {
    const unsigned slot = Slot();
    Epoch(slot);
    return slot;
  }
  void Epoch(unsigned slot) {
    t.ends_generation_valid_i = 1;
    t.ends_generation_slot_i = static_cast<uint8_t>(slot);
    t.ends_generation_i = generation_[slot] = rng() % 2;
  }
  void R(unsigned slot, bool error) {
    t.ends_r_valid_i = 1;
    t.ends_r_slot_i = static_cast<uint8_t>(slot);
    t.ends_r_error_i = error;
  }
  void B(unsigned slot, bool error) {
    t.ends_b_valid_i = 1;
    t.ends_b_slot_i = static_cast<uint8_t>(slot);
    t.ends_b_error_i = error;
  }
  void Route(unsigned slot, Fault fault) {
    t.ends_route_valid_i = 1;
    t.ends_route_slot_i = static_cast<uint8_t>(slot);
    t.ends_route_fault_i = static_cast<uint8_t>(fault);
  }
  void Page(unsigned slot, Fault fault, unsigned level) {
    t.ends_page_valid_i = 1;
    offered_ = {slot, fault, level, fault == Fault::kNone};
    t.end_i = PackEnd(slot, fault, level, offered_.zero);
  }

  /// Runs one cycle. The R, B and generation inputs are pulses; route and page keep valid until
  /// accepted.
  void Step() override {
    if (t.ends_page_valid_i && !page_) Epoch(offered_.slot);
    Settle();
    EXPECT_EQ(t.ends_page_ready_o, !page_) << "one at a time";
    EXPECT_EQ(t.ends_route_ready_o, !t.ends_r_valid_i);
    EXPECT_EQ(t.ends_hold_o, hold_);
    Told();

    const bool r = t.ends_r_valid_i, route = t.ends_route_valid_i;
    hold_ = !b_.empty() && (r || route);
    if (r) {
      Chosen({t.ends_r_slot_i, t.ends_r_error_i ? Fault::kBusRead : Fault::kNone});
    } else if (route) {
      Chosen({t.ends_route_slot_i, static_cast<Fault>(t.ends_route_fault_i)});
    } else if (!b_.empty()) {
      Chosen(b_.front());
      b_.pop_front();
    } else if (page_) {
      Chosen(*page_);
      page_.reset();
    }
    if (t.ends_b_valid_i) b_.push_back({t.ends_b_slot_i, t.ends_b_error_i ? Fault::kBusWrite : Fault::kNone});
    const bool page_taken = t.ends_page_valid_i && t.ends_page_ready_o;
    if (page_taken) page_ = offered_;
    Edge();
    if (page_taken) t.ends_page_valid_i = 0;
    if (route && !r) t.ends_route_valid_i = 0;
    t.ends_r_valid_i = t.ends_b_valid_i = t.ends_generation_valid_i = 0;
  }
  void Quiet(int cycles = 6) {
    Run(cycles);
    EXPECT_TRUE(expected_.empty() && b_.empty() && !page_);
  }

  unsigned told_ = 0;
  std::vector<unsigned> free_, order_;  // order_: slots in the order of the reported completions
  std::deque<End> expected_;

 private:
  void Chosen(End end) {
    end.due = now + kTold;
    expected_.push_back(end);
  }
  void Told() {
    const bool due = !expected_.empty() && expected_.front().due == now;
    ASSERT_EQ(t.ends_valid_o, due);
    const unsigned generation = due ? generation_[expected_.front().slot] : 0;
    const auto done = Unpack<DoneBits>(t.ends_done_o);
    EXPECT_EQ(generation ? done.old1 : done.old0, due) << "given back with the end";
    EXPECT_EQ(generation ? done.old0 : done.old1, 0);
    if (!due) return;
    const End& end = expected_.front();
    const auto told = Unpack<EndBits>(t.ends_end_o);
    EXPECT_EQ(told.slot, end.slot);
    EXPECT_EQ(told.fault, static_cast<unsigned>(end.fault));
    EXPECT_EQ(told.level, end.level);
    EXPECT_EQ(told.zero, end.zero);
    order_.push_back(end.slot);
    free_.push_back(end.slot);
    expected_.pop_front();
    ++told_;
  }

  std::vector<unsigned> generation_;
  std::deque<End> b_;
  End offered_;
  std::optional<End> page_;
  bool hold_ = false;
};

TEST_P(Ends, OneACycleByPriority) {
  const unsigned page = Slot();
  unsigned slots[3];
  for (unsigned& slot : slots) slot = Begin(), Step();
  Page(page, Fault::kEntryInvalid, 3);
  B(slots[2], true);
  Step();
  Route(slots[1], Fault::kPeerAbsent);
  R(slots[0], false);
  Step();
  Quiet(8);
  EXPECT_EQ(order_, (std::vector<unsigned>{slots[0], slots[1], slots[2], page}));
}

TEST_P(Ends, EveryErrorHasItsFault) {
  for (bool error : {false, true}) {
    unsigned slot = Begin();
    Step();
    R(slot, error);
    Quiet();
    slot = Begin();
    Step();
    B(slot, error);
    Quiet();
  }
  for (unsigned fault = 0; fault < 16; ++fault) {
    Page(Slot(), static_cast<Fault>(fault), fault % 6);
    Quiet();
    const unsigned slot = Begin();
    Step();
    Route(slot, static_cast<Fault>(9 + fault % 5));
    Quiet();
  }
  EXPECT_EQ(told_, 36u);
}

TEST_P(Ends, ABOfEverySlotWaitsBehindReads) {
  std::vector<unsigned> slots;
  while (!free_.empty()) slots.push_back(Begin()), Step();
  const size_t writes = slots.size() / 2;
  for (size_t i = 0; i < slots.size(); ++i) {
    if (i < writes) R(slots[slots.size() - 1 - i], i % 3 == 0);
    if (i < writes) B(slots[i], i % 2);
    Step();
  }
  Quiet(static_cast<int>(slots.size()) + 8);
  EXPECT_EQ(told_, slots.size());
  // Most slots now receive their B; the only other completions in this phase are route faults.
  slots.clear();
  while (free_.size() > 8) slots.push_back(Begin()), Step();
  for (unsigned slot : slots) {
    if (!free_.empty() && !t.ends_route_valid_i) {
      const unsigned other = Begin();
      Step();
      Route(other, Fault::kVramRange);
    }
    B(slot, false);
    Step();
  }
  Quiet(200);
}

TEST_P(Ends, RandomEnds) {
  std::vector<unsigned> reads, writes, routes;
  for (int i = 0; i < 8000; ++i) {
    const unsigned busy = i / 1000 % 2 ? 95 : 40;
    const auto take = [&](std::vector<unsigned>& from) {
      const size_t pick = Random(0, from.size() - 1);
      const unsigned slot = from[pick];
      from.erase(from.begin() + static_cast<long>(pick));
      return slot;
    };
    if (!reads.empty() && Chance(busy / 2)) R(take(reads), Chance(30));
    if (!writes.empty() && Chance(busy / 2)) B(take(writes), Chance(30));
    if (!routes.empty() && !t.ends_route_valid_i && Chance(busy / 3))
      Route(take(routes), static_cast<Fault>(Random(9, 13)));
    if (!free_.empty() && !t.ends_page_valid_i && Chance(busy / 3)) {
      const auto fault = Chance(50) ? Fault::kNone : static_cast<Fault>(Random(1, 8));
      Page(Slot(), fault, static_cast<unsigned>(Random(0, 5)));
    } else if (!free_.empty() && !t.ends_page_valid_i && !Idle()) {
      std::vector<unsigned>* const kinds[] = {&reads, &writes, &routes};
      kinds[Random(0, 2)]->push_back(Begin());
    }
    Step();
  }
  EXPECT_GT(told_, 1500u);
  Quiet(200);
}

TEST_P(Ends, ResetForgetsThem) {
  const unsigned b = Begin();
  Step();
  const unsigned r = Begin();
  Step();
  B(b, false);
  R(r, false);
  Page(Slot(), Fault::kNone, 0);
  Settle();
  Edge();
  t.ends_r_valid_i = t.ends_b_valid_i = t.ends_page_valid_i = 0;
  Reset();
  Quiet();
  EXPECT_EQ(told_, 0u);
}

INSTANTIATE_TEST_SUITE_P(Seeds, Ends, Seeds(8));

}  // namespace
}  // namespace gmmu::client
