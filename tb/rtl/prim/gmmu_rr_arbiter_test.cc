// SPDX-License-Identifier: Apache-2.0
// Tests gmmu_rr_arbiter against a model: it grants the first requester after the previous winner.
#include "prims.h"

namespace gmmu::bench {
namespace {

class ArbiterTest : public PrimTest {};

TEST_P(ArbiterTest, GrantsInTurnFromTheOneAdvancedPast) {
  unsigned last = 4;
  for (int i = 0; i < 4000; ++i) {
    t.req_i = static_cast<uint8_t>(Random(3) == 0 ? 31 : Random(32));
    t.advance_i = Random(3) != 0;
    Settle();
    unsigned winner = 5;
    for (unsigned k = 1; k <= 5 && winner == 5; ++k) {
      if (t.req_i >> ((last + k) % 5) & 1) winner = (last + k) % 5;
    }
    ASSERT_EQ(t.gnt_o[0], winner == 5 ? 0u : 1u << winner);
    ASSERT_EQ(t.index_o[0], winner == 5 ? 0u : winner);
    ASSERT_EQ(t.gnt_o[1], t.req_i & 1u);
    ASSERT_EQ(t.index_o[1], 0u);
    if (t.advance_i && winner != 5) last = winner;
    Step();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ArbiterTest, Seeds(3));

}  // namespace
}  // namespace gmmu::bench
