// SPDX-License-Identifier: Apache-2.0
#include "board_link/frame.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace gmmu::sim::board {
namespace {

using Got = FrameReader::Got;

/// Passes the bytes to a reader and returns the frames that it finds.
std::vector<Frame> Read(FrameReader& reader, const Bytes& line, unsigned* damaged = nullptr) {
  std::vector<Frame> frames;
  Frame frame;
  for (const uint8_t byte : line) {
    const Got got = reader.Take(byte, frame);
    if (got == Got::kFrame) frames.push_back(frame);
    if (got == Got::kDamaged && damaged != nullptr) ++*damaged;
  }
  return frames;
}

Frame WithPayload(Bytes payload) {
  Frame frame{7, 8, 9, 5, true, FrameKind::kData, {}};
  frame.payload = std::move(payload);
  return frame;
}

void ExpectRoundTrip(const Frame& sent) {
  const Bytes line = Encode(sent);
  EXPECT_EQ(std::count(line.begin(), line.end(), 0), 1);
  EXPECT_EQ(line.back(), 0);
  EXPECT_LE(line.size(), 4 + sent.payload.size() + 4 + 2 + 1);
  FrameReader reader;
  const std::vector<Frame> got = Read(reader, line);
  ASSERT_EQ(got.size(), 1u);
  EXPECT_EQ(got[0].session, sent.session);
  EXPECT_EQ(got[0].number, sent.number);
  EXPECT_EQ(got[0].ack, sent.ack);
  EXPECT_EQ(got[0].room, sent.room);
  EXPECT_EQ(got[0].nak, sent.nak);
  EXPECT_EQ(got[0].kind, sent.kind);
  EXPECT_EQ(got[0].payload, sent.payload);
}

TEST(BoardFrame, HasTheLayoutOfThePage) {
  // The frame's body is 01 02 03 18 AA, followed by the checksum of these five bytes.
  const Bytes line = Encode({1, 2, 3, 8, true, FrameKind::kData, {0xAA}});
  ASSERT_EQ(line.size(), 11u);
  EXPECT_EQ(line[0], 10u);  // none of the nine bytes is zero
  EXPECT_EQ(Bytes(line.begin() + 1, line.begin() + 6), (Bytes{1, 2, 3, 0x18, 0xAA}));
  const Bytes hello = Encode({0, 0, 0, 8, false, FrameKind::kHello, {}});
  EXPECT_EQ(Bytes(hello.begin(), hello.begin() + 5), (Bytes{1, 1, 1, 6, 0x28}));
}

TEST(BoardFrame, CarriesZerosAndLongRuns) {
  ExpectRoundTrip({0, 0, 0, 0, false, FrameKind::kData, Bytes(256, 0)});
  for (size_t size = 240; size <= kMostPayload; ++size) ExpectRoundTrip(WithPayload(Bytes(size, 0xFF)));
  for (const size_t zero : {245, 246, 247, 248, 249, 250, 251, 252, 253, 254}) {
    Bytes payload(256, 0x11);
    payload[zero] = 0;
    ExpectRoundTrip(WithPayload(payload));
  }
}

TEST(BoardFrame, CarriesAnyPayload) {
  std::mt19937 random(3);
  for (int i = 0; i < 2'000; ++i) {
    Bytes payload(random() % (kMostPayload + 1));
    const unsigned zeros = random() % 300;
    for (uint8_t& byte : payload) byte = random() % 256 < zeros ? 0 : static_cast<uint8_t>(random());
    Frame frame = WithPayload(payload);
    frame.session = static_cast<uint8_t>(random());
    frame.number = static_cast<uint8_t>(random());
    frame.kind = static_cast<FrameKind>(random() % 3);
    ExpectRoundTrip(frame);
  }
}

TEST(BoardFrame, AReaderFindsItsPlaceBehindAnything) {
  std::mt19937 random(5);
  FrameReader reader;
  for (int i = 0; i < 300; ++i) {
    Bytes line(random() % 2'000);
    for (uint8_t& byte : line) byte = static_cast<uint8_t>(random());
    line.push_back(0);
    line.push_back(0);  // an empty frame, which is not an error
    const Bytes frame = Encode(WithPayload({1, 0, 2}));
    line.insert(line.end(), frame.begin(), frame.end());
    const std::vector<Frame> got = Read(reader, line);
    ASSERT_EQ(got.size(), 1u);
    EXPECT_EQ(got[0].payload, (Bytes{1, 0, 2}));
  }
}

TEST(BoardFrame, AnyChangedBitMakesItDamaged) {
  const Bytes line = Encode(WithPayload({0, 1, 2, 0, 0xFF}));
  for (size_t bit = 0; bit < 8 * (line.size() - 1); ++bit) {
    Bytes changed = line;
    changed[bit / 8] ^= static_cast<uint8_t>(1 << bit % 8);
    FrameReader reader;
    unsigned damaged = 0;
    EXPECT_TRUE(Read(reader, changed, &damaged).empty()) << bit;
    EXPECT_GE(damaged, 1u) << bit;
  }
}

TEST(BoardFrame, OneTooShortOrTooLongIsDamaged) {
  for (const Bytes& line : {Bytes{1, 0}, Bytes(8, 1), Bytes(300, 7), Bytes(100'000, 1)}) {
    Bytes ended = line;
    ended.push_back(0);
    FrameReader reader;
    unsigned damaged = 0;
    EXPECT_TRUE(Read(reader, ended, &damaged).empty());
    EXPECT_EQ(damaged, 1u);
  }
}

}  // namespace
}  // namespace gmmu::sim::board
