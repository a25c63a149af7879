// SPDX-License-Identifier: Apache-2.0
// gmmu_axi_pick with gmmu_axi_heads, cycle by cycle, against queues and a turn in C++: each memory
// port has a candidate; it goes when its port has room; the next one is the first requester behind
// it whose oldest free word is for this port, and that is not the candidate of the other port.
#include <array>
#include <deque>
#include <optional>

#include "Vgmmu_axi_pick_bench.h"
#include "tb/rtl/block_test.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kRequesters = 5;
constexpr unsigned kSlow = 4;

struct Word {
  bool host;
  uint32_t data;
};

/// The pick as its comment says it, for requesters 0 to `n` - 1.
class PickModel {
 public:
  explicit PickModel(unsigned n) : n_(n), last_{n - 1, n - 1} {}

  struct Taken {
    unsigned requester;
    uint32_t data;
  };
  using Cycle = std::array<std::optional<Taken>, 2>;

  bool Full(unsigned q) const { return slices_[q].size() >= (q == kSlow ? 1u : 2u); }
  uint32_t Front(unsigned q) const { return slices_[q].empty() ? 0 : slices_[q].front().data; }
  size_t Waiting() const {
    size_t words = 0;
    for (unsigned q = 0; q < n_; ++q) words += slices_[q].size();
    return words;
  }

  /// Whose offer is the port's candidate, one-hot or zero.
  unsigned Candidate(unsigned p) const { return candidate_[p] ? 1u << *candidate_[p] : 0; }

  /// What goes in this cycle, by port.
  Cycle Takes(unsigned room) const {
    Cycle takes;
    for (unsigned p = 0; p < 2; ++p) {
      if (candidate_[p] && (room >> p & 1)) takes[p] = Taken{*candidate_[p], Front(*candidate_[p])};
    }
    return takes;
  }

  /// The clock edge; `pushed` enters the slices.
  void Step(unsigned room, const std::array<unsigned, 2>& may,
            const std::array<std::optional<Word>, kRequesters>& pushed) {
    const Cycle takes = Takes(room);
    const auto before = candidate_;
    for (unsigned p = 0; p < 2; ++p) {
      if (before[p] && !takes[p]) continue;
      candidate_[p].reset();
      for (unsigned k = 1; k <= n_ && !candidate_[p]; ++k) {
        const unsigned q = (last_[p] + k) % n_;
        const size_t free_word = before[p] == q ? 1 : 0;
        if (!(may[p] >> q & 1) || before[1 - p] == q || slices_[q].size() <= free_word) continue;
        if (slices_[q][free_word].host == (p == 1)) candidate_[p] = q;
      }
      if (candidate_[p]) last_[p] = *candidate_[p];
    }
    for (const auto& take : takes) {
      if (take) slices_[take->requester].pop_front();
    }
    for (unsigned q = 0; q < n_; ++q) {
      if (pushed[q]) slices_[q].push_back(*pushed[q]);
    }
  }

 private:
  unsigned n_;
  std::array<std::deque<Word>, kRequesters> slices_;
  std::array<std::optional<unsigned>, 2> candidate_;
  std::array<unsigned, 2> last_;
};

/// How often, in per cent, what happens in a cycle. `split`: requesters 0 and 1 write to the host,
/// the others to VRAM, and the host port has no room.
struct Load {
  unsigned push, host, may, room;
  bool split = false;
};

class PickTest : public BlockTest<BlockBench<Vgmmu_axi_pick_bench>> {
 protected:
  PickTest() { Reset(); }

  /// One cycle of both picks, compared with their models. Only requester 0 is common: the single
  /// one gets its words when both have place.
  void Cycle(const Load& load) {
    std::array<std::optional<Word>, kRequesters> pushed;
    std::array<unsigned, 2> may{};
    unsigned room = 0;
    for (unsigned q = 0; q < kRequesters; ++q) {
      const bool full = model_.Full(q) || (q == 0 && one_.Full(0));
      if (!full && Chance(load.push)) pushed[q] = Word{load.split ? q < 2 : Chance(load.host), ++sent_};
      t.push_i[q] = pushed[q].has_value();
      t.host_i[q] = pushed[q] && pushed[q]->host;
      t.data_i[q] = model_.Front(q);
      for (unsigned& of_port : may)
        if (Chance(load.may)) of_port |= 1u << q;
    }
    for (unsigned p = 0; p < 2; ++p) {
      t.may_i[p] = static_cast<uint8_t>(may[p]);
      room |= Chance(load.room) && !(load.split && p == 1) ? 1u << p : 0;
    }
    t.room_i = static_cast<uint8_t>(room);
    Settle();

    const PickModel::Cycle takes = model_.Takes(room), one_takes = one_.Takes(room);
    for (unsigned p = 0; p < 2; ++p) {
      ASSERT_EQ(t.candidate_o[p], model_.Candidate(p)) << "port " << p;
      ASSERT_EQ(t.take_o[p], takes[p] ? 1u << takes[p]->requester : 0u) << "port " << p;
      ASSERT_EQ(t.one_take_o >> p & 1, one_takes[p] ? 1 : 0) << "single, port " << p;
      ASSERT_EQ(t.go_o >> p & 1, went_[p] ? 1 : 0) << "port " << p;
      ASSERT_EQ(t.one_go_o >> p & 1, one_went_[p] ? 1 : 0) << "single, port " << p;
      if (went_[p]) {
        ASSERT_EQ(t.index_o[p], went_[p]->requester);
        ASSERT_EQ(t.data_o[p], went_[p]->data);
        ++gone_[p];
      }
    }
    went_ = takes;
    one_went_ = one_takes;
    model_.Step(room, may, pushed);
    one_.Step(room, may, pushed);
    Edge();
  }

  PickModel model_{kRequesters}, one_{1};
  PickModel::Cycle went_, one_went_;
  std::array<int, 2> gone_{};
  uint32_t sent_ = 0;
};

TEST_P(PickTest, FollowsTheModelUnderEachLoad) {
  const Load loads[] = {{100, 50, 100, 100}, {60, 50, 80, 60}, {20, 30, 100, 100}, {90, 10, 100, 30}, {90, 90, 30, 90}};
  for (const Load& load : loads) {
    for (int i = 0; i < 2000; ++i) ASSERT_NO_FATAL_FAILURE(Cycle(load));
  }
  for (int i = 0; i < 40; ++i) ASSERT_NO_FATAL_FAILURE(Cycle({0, 0, 100, 100}));
  EXPECT_EQ(model_.Waiting(), 0u);
  EXPECT_EQ(one_.Waiting(), 0u);
  EXPECT_EQ(gone_[0] + gone_[1], static_cast<int>(sent_));
}

TEST_P(PickTest, BothPortsGoInEveryCycleWhenAllAsk) {
  for (int i = 0; i < 50; ++i) ASSERT_NO_FATAL_FAILURE(Cycle({100, 50, 100, 100}));
  gone_ = {};
  for (int i = 0; i < 1000; ++i) ASSERT_NO_FATAL_FAILURE(Cycle({100, 50, 100, 100}));
  // Five requesters, each at one port at a time: a port may find none of them free.
  EXPECT_GE(gone_[0], 700);
  EXPECT_GE(gone_[1], 700);
}

TEST_P(PickTest, OnePortWithoutRoomHoldsUpNobodyOnTheOther) {
  const Load split{100, 0, 100, 100, true};
  for (int i = 0; i < 20; ++i) ASSERT_NO_FATAL_FAILURE(Cycle(split));
  gone_ = {};
  for (int i = 0; i < 500; ++i) ASSERT_NO_FATAL_FAILURE(Cycle(split));
  EXPECT_EQ(gone_[0], 500);
  EXPECT_EQ(gone_[1], 0);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PickTest, Seeds(4));

}  // namespace
}  // namespace gmmu::bench
