// SPDX-License-Identifier: Apache-2.0
#include "pcie/pcie_link.h"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

namespace gmmu::sim {
namespace {

uint64_t Sum(const std::vector<TlpPiece>& pieces) {
  uint64_t bytes = 0;
  for (const TlpPiece& piece : pieces) bytes += piece.bytes;
  return bytes;
}

TEST(PcieRates, GiveThePublishedFiguresOfThirdGenerationByEight) {
  const PcieParameters p;
  EXPECT_NEAR(RawBitsPerSecond(p) / 1e9, 62.96, 0.005);
  EXPECT_NEAR(TlpBitsPerSecond(p) / 1e9, 57.88, 0.005);
}

TEST(PcieRates, FollowGenerationAndLanes) {
  PcieParameters p;
  const double gbps[] = {2, 4, 7.877, 15.754, 31.508};
  for (unsigned generation = 1; generation <= 5; ++generation) {
    p.generation = generation;
    for (unsigned lanes = 1; lanes <= 16; lanes *= 2) {
      p.lanes = lanes;
      EXPECT_NEAR(RawBitsPerSecond(p) / (1e9 * gbps[generation - 1] * lanes), 1.0, 0.001);
    }
  }
}

TEST(PcieRates, GiveThePublishedWriteEfficiency) {
  PcieParameters p;
  p.max_payload = 256;
  for (uint64_t size = 1; size <= 8192; ++size) {
    const double tlps = std::ceil(static_cast<double>(size) / 256);
    ASSERT_DOUBLE_EQ(WriteEfficiency(p, size), static_cast<double>(size) / (tlps * 24 + static_cast<double>(size)));
  }
}

TEST(PcieLink, MovesWritesAtThatEfficiency) {
  for (const unsigned size : {64u, 256u, 300u, 1024u, 4096u}) {
    PcieParameters p;
    PcieDirection up(p, "pcie_up");
    uint64_t sent = 0, bytes = 0;
    for (int i = 0; i < 1000; ++i) {
      for (const TlpPiece& piece : SplitWrite(p, 0, size)) {
        ASSERT_TRUE(up.CanSend(TlpKind::kPosted, piece.bytes));
        sent = up.Send(TlpKind::kPosted, piece.bytes, 0).sent_ps;
        up.Release(TlpKind::kPosted, piece.bytes);
        bytes += piece.bytes;
      }
    }
    const double rate = 8e12 * static_cast<double>(bytes) / static_cast<double>(sent);
    EXPECT_NEAR(rate / (TlpBitsPerSecond(p) * WriteEfficiency(p, size)), 1.0, 1e-4) << size;
  }
}

TEST(PcieLink, SendsInOrderAndNotBeforeATlpIsReady) {
  PcieParameters p;
  PcieDirection up(p, "pcie_up");
  const auto first = up.Send(TlpKind::kPosted, 256, 1'000);
  EXPECT_EQ(first.start_ps, 1'000u);
  EXPECT_EQ(first.arrive_ps, first.sent_ps + p.latency_ps);
  const auto second = up.Send(TlpKind::kNonPosted, 0, 500);
  EXPECT_GE(second.start_ps + 1, first.sent_ps);
  EXPECT_EQ(up.free_ps(), second.sent_ps);
  const auto later = up.Send(TlpKind::kPosted, 4, 10'000'000);
  EXPECT_EQ(later.start_ps, 10'000'000u);
}

TEST(PcieSplit, CutsWritesAtPayloadAndPage) {
  PcieParameters p;
  p.max_payload = 256;
  const auto pieces = SplitWrite(p, 0xF80, 0x300);
  ASSERT_EQ(pieces.size(), 4u);
  EXPECT_EQ(pieces[0].bytes, 0x80u);  // ends at the page boundary
  EXPECT_EQ(pieces[1].address, 0x1000u);
  EXPECT_EQ(pieces[1].bytes, 256u);
  EXPECT_EQ(pieces[3].bytes, 0x80u);
  EXPECT_EQ(Sum(pieces), 0x300u);
  EXPECT_TRUE(SplitWrite(p, 0, 0).empty());
}

TEST(PcieSplit, CutsReadsAtRequestSizeAndPage) {
  PcieParameters p;
  p.max_read_request = 512;
  const auto pieces = SplitRead(p, 0x1E10, 0x400);
  ASSERT_EQ(pieces.size(), 3u);
  EXPECT_EQ(pieces[0].bytes, 0x1F0u);
  EXPECT_EQ(pieces[1].bytes, 0x200u);
  EXPECT_EQ(pieces[2].bytes, 0x10u);
}

TEST(PcieSplit, EndsAllButTheLastCompletionOnTheBoundary) {
  for (const unsigned boundary : {64u, 128u}) {
    for (const unsigned payload : {128u, 256u}) {
      PcieParameters p;
      p.read_completion_boundary = boundary;
      p.max_payload = payload;
      for (uint64_t start = 0; start < 256; start += 4) {
        for (const uint64_t bytes : {4u, 64u, 100u, 256u, 512u}) {
          const auto pieces = SplitCompletion(p, start, bytes);
          ASSERT_EQ(Sum(pieces), bytes);
          uint64_t at = start;
          for (size_t i = 0; i < pieces.size(); ++i) {
            ASSERT_EQ(pieces[i].address, at);
            ASSERT_LE(pieces[i].bytes, payload);
            ASSERT_GT(pieces[i].bytes, 0u);
            at += pieces[i].bytes;
            if (i + 1 < pieces.size()) {
              ASSERT_EQ(at % boundary, 0u);
            }
          }
        }
      }
    }
  }
}

TEST(PcieRates, CountCompletionsOfReads) {
  PcieParameters p;
  EXPECT_DOUBLE_EQ(ReadEfficiency(p, 512), 512.0 / (2 * 24 + 512));
  EXPECT_DOUBLE_EQ(ReadEfficiency(p, 64), 64.0 / (24 + 64));
}

TEST(PcieCredits, StopASenderUntilTheReceiverGivesThemBack) {
  PcieParameters p;
  p.credits[0] = {2, 40};
  PcieDirection up(p, "pcie_up");
  ASSERT_TRUE(up.CanSend(TlpKind::kPosted, 256));
  up.Send(TlpKind::kPosted, 256, 0);
  ASSERT_TRUE(up.CanSend(TlpKind::kPosted, 256));
  up.Send(TlpKind::kPosted, 256, 0);
  EXPECT_FALSE(up.CanSend(TlpKind::kPosted, 0));    // no header credit
  EXPECT_TRUE(up.CanSend(TlpKind::kNonPosted, 0));  // each kind of TLP has its own credits
  EXPECT_FALSE(up.idle());
  up.Release(TlpKind::kPosted, 256);
  EXPECT_TRUE(up.CanSend(TlpKind::kPosted, 384));
  EXPECT_FALSE(up.CanSend(TlpKind::kPosted, 385));  // needs 25 data credits, but 24 are free
  up.Release(TlpKind::kPosted, 256);
  EXPECT_TRUE(up.idle());
}

TEST(PcieTags, AreGivenOnceUntilFreed) {
  TagPool tags(2);
  EXPECT_EQ(tags.Allocate(), 0u);
  EXPECT_EQ(tags.Allocate(), 1u);
  EXPECT_TRUE(tags.full());
  EXPECT_FALSE(tags.Allocate());
  tags.Free(0);
  EXPECT_EQ(tags.in_use(), 1u);
  EXPECT_EQ(tags.Allocate(), 0u);
}

TEST(PcieParameters, AreRefusedOutsideTheirBounds) {
  const auto refused = [](auto change) {
    PcieParameters p;
    change(p);
    EXPECT_THROW(Check(p), std::invalid_argument);
  };
  refused([](PcieParameters& p) { p.generation = 6; });
  refused([](PcieParameters& p) { p.lanes = 3; });
  refused([](PcieParameters& p) { p.lanes = 32; });
  refused([](PcieParameters& p) { p.max_payload = 64; });
  refused([](PcieParameters& p) { p.max_read_request = 8192; });
  refused([](PcieParameters& p) { p.read_completion_boundary = 32; });
  refused([](PcieParameters& p) { p.tags = 0; });
  refused([](PcieParameters& p) { p.link_layer_ppm = 0; });
  refused([](PcieParameters& p) { p.credits[0].data = 4; });
  refused([](PcieParameters& p) { p.credits[1].headers = 0; });
  Check(PcieParameters());
}

TEST(PcieCounters, NameBlockUnitAndDescription) {
  PcieLink link{PcieParameters()};
  link.up.Send(TlpKind::kPosted, 128, 0);
  unsigned found = 0;
  for (const hw::Counter& counter : link.up.Counters()) {
    EXPECT_EQ(counter.block, "pcie_up");
    EXPECT_FALSE(counter.unit.empty() || counter.description.empty());
    if (counter.name == "payload") {
      EXPECT_EQ(counter.value, 128u);
      ++found;
    }
    if (counter.name == "posted_tlps") {
      EXPECT_EQ(counter.value, 1u);
      ++found;
    }
  }
  EXPECT_EQ(found, 2u);
}

}  // namespace
}  // namespace gmmu::sim
