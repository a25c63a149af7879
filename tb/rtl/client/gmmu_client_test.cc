// SPDX-License-Identifier: Apache-2.0
// Tests the access unit alone.
#include "tb/rtl/client/access_unit.h"

namespace gmmu::client {
namespace {

TEST_P(AccessUnit, EveryEndOfReadsAndWrites) {
  for (auto kind : {regs::Access::kRead, regs::Access::kWrite, regs::Access::kExecute}) {
    for (int end = 0; end < 8; ++end) {
      Request request = Request::Draw(*this, FreeId());
      request.access = kind;
      Access& access = Add(request);
      if (end == 0) access.lookup = Fault::kWriteProtect;
      if (end == 1) access.zero = true;
      if (end == 2) access.target = Target::kPeer;
      if (end == 3) access.offset += kVram;
      if (end == 4) access.target = Target::kAperture, access.map = Fault::kApertureEntry;
      if (end == 5) access.bus_error = true;
      if (end == 6) access.target = Target::kAperture;
      Finish();
    }
  }
  EXPECT_EQ(answered_, 24u);
  EXPECT_EQ(faults_, 15u);
}

TEST_P(AccessUnit, AllSlotsAtOnce) {
  for (int round = 0; round < 3; ++round) {
    for (unsigned id = 0; id < slots(); ++id) Draw(Add(Request::Draw(*this, id)), round == 2 ? 100 : 0);
    Finish();
  }
}

TEST_P(AccessUnit, OrderedAnswersAscendFromZero) {
  t.unit_ordered_i = 1;
  Run(4);
  unsigned id = 0;
  for (int i = 0; i < 300; ++i, id = (id + 1) % slots()) {
    for (int k = 0; k < 2000 && slots_.count(id) != 0; ++k) Step();
    ASSERT_EQ(slots_.count(id), 0u);
    Draw(Add(Request::Draw(*this, id)), 20);
  }
  Finish();
  EXPECT_EQ(answered_, 300u);
}

TEST_P(AccessUnit, RandomAccesses) {
  for (int i = 0; i < 3000; ++i) {
    if (slots_.size() + 1 < slots() && Chance(i / 500 % 2 ? 20 : 90)) Draw(Add(Request::Draw(*this, FreeId())), 25);
    Step();
  }
  EXPECT_GT(answered_, 250u);
  Finish();
}

TEST_P(AccessUnit, TakesARequestACycle) {
  manner = {0, 0};
  while (!t.unit_req_ready_o[n]) Step();
  const uint64_t begin = now;
  for (unsigned id = 0; id < slots(); ++id) {
    Request request;
    request.id = id, request.va = 64 * id, request.bytes = 4;
    Add(request);
  }
  for (const auto& [id, access] : slots_)
    while (!access.accepted) Step();
  EXPECT_LE(now - begin, slots() + 1);
  Finish();
}

TEST_P(AccessUnit, AResetForgetsAccessesInFlight) {
  for (unsigned round = 0; round < 4; ++round) {
    for (unsigned i = 0; i < 20 * (round + 1); ++i) {
      if (slots_.size() + 1 < slots()) Draw(Add(Request::Draw(*this, FreeId())), 25);
      Step();
    }
    ResetAndForget();
    for (unsigned id = 0; id < slots(); ++id) Draw(Add(Request::Draw(*this, id)), 25);
    Finish();
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, AccessUnit, SizesAndSeeds(2, 8));

}  // namespace
}  // namespace gmmu::client
