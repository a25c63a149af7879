// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "board_link/frame.h"

namespace gmmu::sim::board {

inline constexpr uint8_t kProtocolVersion = 1;

/// Times of the host's end, in nanoseconds of the clock that its calls are given.
struct LinkTimes {
  uint64_t listen = 30'000'000;          ///< before the first hello, to learn which session the board has
  uint64_t hello = 100'000'000;          ///< from one hello to the next
  uint64_t keep_alive = 100'000'000;     ///< of silence, then a frame without payload
  uint64_t unacknowledged = 20'000'000;  ///< the same while frames of the host are not acknowledged
  uint64_t opening = 3'000'000'000;      ///< of hellos without an answer, then it gives up
  uint64_t dead = 3'000'000'000;         ///< without a good frame

  /// For a simulated board, whose line is hundreds of times slower than this clock: keep-alives must not fill it.
  static LinkTimes OfSimulation() {
    LinkTimes times;
    times.listen = 500'000'000;
    times.hello = 2'000'000'000;
    times.keep_alive = 1'000'000'000;
    times.unacknowledged = 400'000'000;
    times.opening = 60'000'000'000;
    times.dead = 20'000'000'000;  // until it is known how fast it is (set_dead)
    return times;
  }
};

/// What a link has counted since its session was opened; bytes are those on the line, payload those of messages.
struct LinkCounts {
  uint64_t frames_sent = 0, frames_taken = 0;  ///< of all kinds
  uint64_t sent_again = 0;                     ///< numbered frames, a second time or more
  uint64_t damaged = 0;                        ///< frames that were no frames when they came
  uint64_t not_following = 0;                  ///< good frames with another number than the wanted one
  uint64_t bytes_down = 0, bytes_up = 0;
  uint64_t payload_down = 0, payload_up = 0;
};

enum class LinkState : uint8_t {
  kListening,  ///< nothing was sent yet
  kOpening,    ///< hellos are sent
  kOpen,
  kDead,  ///< for good; cause() says why
};

enum class LinkCause : uint8_t {
  kNone,
  kSilence,   ///< no byte came
  kNoFrame,   ///< bytes came, but no frame: the rates of the two ends differ, or the other end is no board of ours
  kNotTaken,  ///< frames came, but none of the session that was asked for
  kVersion,   ///< the board has another version of the protocol: version()
  kReset,     ///< the board announced itself while a session was open: it was reset
  kLost,      ///< no good frame came for the time `dead` in an open session
};

/// The host's end of the transport of docs/board-link.md: a byte stream each way over a line that loses and damages bytes.
///
/// It has neither input and output nor a clock. Its owner gives it what comes (Receive), then sends what it has to
/// send whenever the line takes something (Pull), and again at WakeNs at the latest.
class LinkEnd {
 public:
  /// `session`, 1 to 255, is the number of the session to open, unless the board turns out to have it already.
  LinkEnd(const LinkTimes& times, uint8_t session, uint64_t now_ns);

  /// Takes bytes from the line.
  void Receive(const uint8_t* bytes, size_t size, uint64_t now_ns);
  /// Puts bytes at the end of the stream down.
  void Send(const Bytes& bytes);
  /// Returns the next frame to put on the line; empty: there is nothing to send now. Call Receive with all that has
  /// come before it, because it judges whether the link is dead.
  Bytes Pull(uint64_t now_ns);
  /// Returns when Pull may have something to do although nothing comes and nothing is sent.
  uint64_t WakeNs() const;
  /// Takes what has come of the stream up.
  Bytes Take();

  LinkState state() const { return state_; }
  LinkCause cause() const { return cause_; }
  uint8_t version() const { return version_; }
  /// Bytes of the stream down that the board has not acknowledged.
  size_t waiting() const { return unacknowledged_bytes_ + stream_down_.size(); }
  uint64_t last_good_ns() const { return last_good_ns_; }
  /// How long an open link may be without a good frame.
  uint64_t dead() const { return times_.dead; }
  void set_dead(uint64_t ns) { times_.dead = ns; }
  const LinkCounts& counts() const { return counts_; }

 private:
  void Good(const Frame& frame, uint64_t now_ns);
  void Announced(const Frame& frame);
  void Data(const Frame& frame);
  void Acknowledged(const Frame& frame);
  void Damaged();
  void Die(LinkCause cause);
  Bytes Hello(uint64_t now_ns);
  Bytes Emit(Frame frame, uint64_t now_ns);
  bool MaySend() const;

  LinkTimes times_;
  uint8_t session_;
  LinkState state_ = LinkState::kListening;
  LinkCause cause_ = LinkCause::kNone;
  uint8_t version_ = kProtocolVersion;
  FrameReader reader_;
  LinkCounts counts_;
  uint64_t began_ns_, last_sent_ns_, last_good_ns_;
  bool heard_bytes_ = false, heard_frame_ = false;
  uint8_t heard_session_ = 0;

  // Down. `frames_[i]` has number first_ + i and was sent once at least; those from next_ on are to be sent again.
  Bytes stream_down_;
  std::deque<Bytes> frames_;
  size_t unacknowledged_bytes_ = 0;
  uint8_t first_ = 0;
  size_t next_ = 0;
  unsigned room_ = 0;  ///< frames from first_ on that the board has room for

  // Up.
  Bytes stream_up_;
  uint8_t wanted_ = 0;
  bool owe_ack_ = false, owe_nak_ = false;
  bool asked_ahead_ = false, asked_damaged_ = false;  ///< for `wanted_`
};

}  // namespace gmmu::sim::board
