// SPDX-License-Identifier: Apache-2.0
// Tests the host's end against an independently written board's end, over a line that loses,
// changes and adds bytes.
#include "board_link/link_end.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <random>

#include "tb/sim/board_link/board_end.h"

namespace gmmu::sim::board {
namespace {

constexpr uint64_t kByteNs = 3'333;  // at 3 Mbit/s
constexpr uint64_t kKeepAliveNs = 1'600'000;
constexpr uint64_t kMs = 1'000'000;

/// The line's error rates, in events per million bytes.
struct Noise {
  unsigned lost = 0, flipped = 0, added = 0, doubled = 0;
};

/// The host's end, the board's end, and the line between them in both directions, simulated byte by byte.
class Wire {
 public:
  explicit Wire(unsigned seed, const Noise& noise = {}, unsigned room = 8, uint8_t version = kProtocolVersion)
      : random_(seed), noise_(noise), board(kKeepAliveNs, room, version) {}

  void Step() {
    now += kByteNs;
    if (down_.empty()) Put(down_, host.Pull(now));
    if (up_.empty()) Put(up_, board.Pull(now));
    for (const uint8_t byte : Pass(down_)) board.Receive(byte);
    for (const uint8_t byte : Pass(up_)) host.Receive(&byte, 1, now);
  }
  /// Steps the simulation until `done` returns true, but for at most `ms` of simulated time.
  template <typename Done>
  bool Until(const Done& done, uint64_t ms) {
    for (const uint64_t end = now + ms * kMs; now < end; Step())
      if (done()) return true;
    return done();
  }
  bool Open() {
    return Until([this] { return host.state() == LinkState::kOpen; }, 500);
  }

  uint64_t now = 0;
  bool cut = false;

 private:
  static void Put(std::deque<uint8_t>& line, const Bytes& bytes) {
    line.insert(line.end(), bytes.begin(), bytes.end());
  }
  bool Draw(unsigned of_a_million) { return of_a_million != 0 && random_() % 1'000'000 < of_a_million; }
  Bytes Pass(std::deque<uint8_t>& line) {
    if (line.empty()) return {};
    uint8_t byte = line.front();
    line.pop_front();
    if (cut || Draw(noise_.lost)) return {};
    if (Draw(noise_.flipped)) byte ^= static_cast<uint8_t>(1 << random_() % 8);
    Bytes out = {byte};
    if (Draw(noise_.doubled)) out.push_back(byte);
    if (Draw(noise_.added)) out.push_back(static_cast<uint8_t>(random_()));
    return out;
  }

  std::mt19937 random_;
  const Noise noise_;
  std::deque<uint8_t> down_, up_;

 public:
  LinkEnd host{LinkTimes(), 17, 0};
  BoardEnd board;
};

Bytes Random(std::mt19937& random, size_t size) {
  Bytes bytes(size);
  for (uint8_t& byte : bytes) byte = random() % 4 == 0 ? 0 : static_cast<uint8_t>(random());
  return bytes;
}

/// Sends random streams of the given sizes in both directions and expects the same bytes at the
/// receiving ends.
void ExpectStreams(Wire& wire, unsigned seed, size_t down_bytes, size_t up_bytes, unsigned takes_of_8 = 8) {
  ASSERT_TRUE(wire.Open());
  std::mt19937 random(seed);
  const Bytes down = Random(random, down_bytes), up = Random(random, up_bytes);
  Bytes at_board, at_host;
  size_t sent_down = 0, sent_up = 0;
  const bool all = wire.Until(
      [&] {
        const auto some = [&random](const Bytes& from, size_t& sent) {
          const size_t size = std::min<size_t>(random() % 600, from.size() - sent);
          const auto begin = from.begin() + static_cast<ptrdiff_t>(sent);
          sent += size;
          return Bytes(begin, begin + static_cast<ptrdiff_t>(size));
        };
        if (random() % 64 == 0) wire.host.Send(some(down, sent_down));
        if (random() % 64 == 0) wire.board.Send(some(up, sent_up));
        if (random() % 8 < takes_of_8) {
          const Bytes taken = wire.board.TakeFrame();
          at_board.insert(at_board.end(), taken.begin(), taken.end());
        }
        const Bytes taken = wire.host.Take();
        at_host.insert(at_host.end(), taken.begin(), taken.end());
        return at_board.size() >= down.size() && at_host.size() >= up.size();
      },
      60'000);
  EXPECT_TRUE(all) << at_board.size() << " of " << down.size() << " down, " << at_host.size() << " of " << up.size()
                   << " up, seed " << seed;
  EXPECT_TRUE(at_board == down) << "seed " << seed;
  EXPECT_TRUE(at_host == up) << "seed " << seed;
  EXPECT_EQ(wire.board.violation(), "") << "seed " << seed;
  EXPECT_EQ(wire.board.hellos(), 1u);
}

TEST(LinkEnd, BringsBothStreamsOverAQuietLineWithoutRepetition) {
  Wire wire(1);
  ExpectStreams(wire, 1, 60'000, 60'000);
  EXPECT_EQ(wire.host.counts().damaged, 0u);
  EXPECT_EQ(wire.host.counts().sent_again, 0u);
  EXPECT_EQ(wire.board.sent_again(), 0u);
  EXPECT_EQ(wire.host.counts().payload_down, 60'000u);
  EXPECT_EQ(wire.host.counts().payload_up, 60'000u);
  EXPECT_TRUE(wire.Until([&] { return wire.host.waiting() == 0; }, 100));
}

TEST(LinkEnd, BringsBothStreamsThroughLossFlipsAndNoise) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    const Noise noise[] = {{2'000, 0, 0, 0}, {0, 2'000, 0, 0}, {0, 0, 2'000, 0}, {500, 500, 500, 500}};
    Wire wire(seed, noise[seed % 4]);
    ExpectStreams(wire, seed, 20'000, 20'000);
    EXPECT_GT(wire.host.counts().damaged + wire.board.damaged(), 0u);
    EXPECT_GT(wire.host.counts().sent_again + wire.board.sent_again(), 0u);
  }
}

TEST(LinkEnd, NumbersWrap) {
  Wire wire(3, {100, 100, 100, 0});
  ExpectStreams(wire, 3, 600 * 256, 600 * 256);
  EXPECT_GT(wire.host.counts().frames_sent, 600u);
}

TEST(LinkEnd, NeverSendsPastTheRoomOfTheBoard) {
  for (unsigned room = 1; room <= 8; ++room) {
    SCOPED_TRACE(room);
    Wire wire(room, {0, room % 2 * 500, 0, 0}, room);
    ExpectStreams(wire, room, 20'000, 5'000, /*takes_of_8=*/1);
  }
}

TEST(LinkEnd, NeverHasMoreThanAWindowOut) {
  Wire wire(4);
  ASSERT_TRUE(wire.Open());
  wire.host.Send(Bytes(100 * kMostPayload, 5));
  wire.Until([] { return false; }, 100);  // the board takes no frame, so the window stays full
  EXPECT_EQ(wire.board.violation(), "");
  size_t frames = 0;
  while (!wire.board.TakeFrame().empty()) ++frames;
  EXPECT_EQ(frames, kWindow);
}

TEST(LinkEnd, TheLossOfTheLastFrameIsSeenByTheKeepAliveBehindIt) {
  Wire wire(6);
  ASSERT_TRUE(wire.Open());
  wire.Until([] { return false; }, 5);
  const Bytes lost = [&] {
    wire.host.Send({1, 2, 3});
    return wire.host.Pull(wire.now);
  }();
  EXPECT_FALSE(lost.empty());
  Bytes taken;
  const uint64_t before = wire.now;
  EXPECT_TRUE(wire.Until([&] { return !(taken = wire.board.TakeFrame()).empty(); }, 100));
  EXPECT_EQ(taken, (Bytes{1, 2, 3}));
  EXPECT_LT(wire.now - before, 25 * kMs);
}

TEST(LinkEnd, ACutForEverIsDeadAfterThreeSecondsOrTheLimitThatIsSet) {
  for (const uint64_t seconds : {3u, 5u}) {
    Wire wire(7);
    ASSERT_TRUE(wire.Open());
    if (seconds != 3) wire.host.set_dead(seconds * 1'000 * kMs);
    wire.Until([] { return false; }, 10);
    wire.cut = true;
    const uint64_t heard = wire.host.last_good_ns();
    ASSERT_TRUE(wire.Until([&] { return wire.host.state() == LinkState::kDead; }, 6'000));
    EXPECT_EQ(wire.host.cause(), LinkCause::kLost);
    EXPECT_NEAR(static_cast<double>(wire.now - heard), static_cast<double>(seconds) * 1e9, 1e6);
    EXPECT_TRUE(wire.host.Pull(wire.now).empty());
  }
}

TEST(LinkEnd, AnAnnouncementInASessionMeansThatTheBoardWasReset) {
  Wire wire(8);
  ASSERT_TRUE(wire.Open());
  wire.board.Reset();
  ASSERT_TRUE(wire.Until([&] { return wire.host.state() == LinkState::kDead; }, 100));
  EXPECT_EQ(wire.host.cause(), LinkCause::kReset);
}

TEST(LinkEnd, OpensAnotherSessionThanTheOneThatTheBoardHas) {
  Wire wire(9);
  ASSERT_TRUE(wire.Open());
  EXPECT_EQ(wire.board.session(), 17);
  wire.host.Send({1, 2, 3});
  wire.Until([] { return false; }, 20);
  wire.host = LinkEnd(LinkTimes(), 17, wire.now);  // simulates a restart of the host program
  ASSERT_TRUE(wire.Open());
  EXPECT_EQ(wire.board.session(), 18);
  EXPECT_EQ(wire.board.hellos(), 2u);
  EXPECT_TRUE(wire.board.TakeFrame().empty());
  wire.host.Send({4});
  Bytes taken;
  EXPECT_TRUE(wire.Until([&] { return !(taken = wire.board.TakeFrame()).empty(); }, 100));
  EXPECT_EQ(taken, Bytes{4});
}

TEST(LinkEnd, AHelloOfAnotherHostInTheMiddleEndsTheSession) {
  Wire wire(10);
  ASSERT_TRUE(wire.Open());
  wire.board.Send(Bytes(5'000, 1));
  wire.Until([] { return false; }, 2);
  for (const uint8_t byte :
       Encode({0, 0, 0, 8, false, FrameKind::kHello, {'G', 'M', 'M', 'U', 'B', kProtocolVersion, 99}}))
    wire.board.Receive(byte);
  wire.board.Send(Bytes(100, 2));
  const size_t had = wire.host.Take().size();
  EXPECT_LT(had, 5'000u);
  ASSERT_TRUE(wire.Until([&] { return wire.host.state() == LinkState::kDead; }, 4'000));
  EXPECT_EQ(wire.host.cause(), LinkCause::kLost);
  for (const uint8_t byte : wire.host.Take()) EXPECT_EQ(byte, 1);  // no byte of the previous session arrives
}

TEST(LinkEnd, AnotherVersionIsNamed) {
  Wire wire(11, {}, 8, /*version=*/7);
  ASSERT_TRUE(wire.Until([&] { return wire.host.state() == LinkState::kDead; }, 4'000));
  EXPECT_EQ(wire.host.cause(), LinkCause::kVersion);
  EXPECT_EQ(wire.host.version(), 7);
}

TEST(LinkEnd, SaysWhatCameWhenNoSessionOpens) {
  const auto dead_with = [](const std::function<void(LinkEnd&, uint64_t)>& each_ms) {
    LinkEnd host(LinkTimes(), 1, 0);
    for (uint64_t ms = 0; ms < 3'200; ++ms) {
      each_ms(host, ms * kMs);
      host.Pull(ms * kMs);
    }
    EXPECT_EQ(host.state(), LinkState::kDead);
    return host.cause();
  };
  EXPECT_EQ(dead_with([](LinkEnd&, uint64_t) {}), LinkCause::kSilence);
  std::mt19937 random(12);  // a wrong bit rate produces random bytes, some of which are 0, but no frames
  EXPECT_EQ(dead_with([&](LinkEnd& host, uint64_t now) {
              const Bytes noise = Random(random, 40);
              host.Receive(noise.data(), noise.size(), now);
            }),
            LinkCause::kNoFrame);
  const Bytes announcement =
      Encode({0, 0, 0, 8, false, FrameKind::kAnnouncement, {'G', 'M', 'M', 'U', 'B', kProtocolVersion}});
  EXPECT_EQ(dead_with(
                [&](LinkEnd& host, uint64_t now) { host.Receive(announcement.data(), announcement.size(), now); }),
            LinkCause::kNotTaken);
}

TEST(LinkEnd, RepeatsItsHelloAndSendsNothingElseBefore) {
  LinkEnd host(LinkTimes(), 5, 0);
  host.Send({1, 2, 3});
  EXPECT_TRUE(host.Pull(0).empty());
  unsigned hellos = 0;
  for (uint64_t now = 0; now < 1'000 * kMs; now += kMs) {
    FrameReader reader;
    Frame frame;
    for (const uint8_t byte : host.Pull(now)) {
      if (reader.Take(byte, frame) != FrameReader::Got::kFrame) continue;
      EXPECT_EQ(frame.kind, FrameKind::kHello);
      EXPECT_EQ(frame.payload, (Bytes{'G', 'M', 'M', 'U', 'B', kProtocolVersion, 5}));
      ++hellos;
    }
  }
  EXPECT_EQ(hellos, 10u);
}

TEST(LinkEnd, WakesWhenPullHasSomethingToDo) {
  Wire wire(13);
  ASSERT_TRUE(wire.Open());
  wire.Until([] { return false; }, 10);
  while (!wire.host.Pull(wire.now).empty()) {}
  const uint64_t wake = wire.host.WakeNs();
  EXPECT_GT(wake, wire.now);
  EXPECT_TRUE(wire.host.Pull(wake - 1).empty());
  EXPECT_FALSE(wire.host.Pull(wake).empty());
}

}  // namespace
}  // namespace gmmu::sim::board
