// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>

#include "board_link/frame.h"

namespace gmmu::sim::board {

inline constexpr uint8_t kProtocolVersion = 2;

/// Timeouts of the host's end, in nanoseconds of the clock that supplies `now_ns`.
struct LinkTimes {
  uint64_t listen = 30'000'000;          ///< wait for the board's session number before the first hello
  uint64_t hello = 100'000'000;          ///< interval between hellos
  uint64_t keep_alive = 100'000'000;     ///< idle time after which a frame without payload is sent
  uint64_t unacknowledged = 20'000'000;  ///< idle time while the host awaits acknowledgements
  uint64_t opening = 3'000'000'000;      ///< time without any response before the host gives up
  uint64_t dead = 3'000'000'000;         ///< longest time without a valid frame

  /// Returns the timeouts for a simulated board. Its line is hundreds of times slower than the
  /// clock of `now_ns`, so keep-alives must be rare.
  static LinkTimes OfSimulation() {
    LinkTimes times;
    times.listen = 500'000'000;
    times.hello = 2'000'000'000;
    times.keep_alive = 1'000'000'000;
    times.unacknowledged = 400'000'000;
    times.opening = 60'000'000'000;
    times.dead = 20'000'000'000;  // applies until the simulated board's speed is known (set_dead)
    return times;
  }
};

/// Link statistics since the session was opened. Byte counts include framing; payload counts
/// contain message bytes only.
struct LinkCounts {
  uint64_t frames_sent = 0, frames_taken = 0;  ///< frames of all kinds
  uint64_t sent_again = 0;                     ///< retransmitted numbered frames
  uint64_t damaged = 0;                        ///< invalid frames received
  uint64_t not_following = 0;                  ///< valid frames received with an unexpected number
  uint64_t bytes_down = 0, bytes_up = 0;
  uint64_t payload_down = 0, payload_up = 0;
};

enum class LinkState : uint8_t {
  kListening,  ///< nothing has been sent yet
  kOpening,    ///< hellos are being sent
  kOpen,
  kDead,  ///< final; cause() returns the reason
};

enum class LinkCause : uint8_t {
  kNone,
  kSilence,   ///< no byte was received
  kNoFrame,   ///< bytes arrived, but no frame: wrong bit rate, or the other end is no such board
  kNotTaken,  ///< frames arrived, but none for the requested session
  kVersion,   ///< the board uses another protocol version, which version() returns
  kReset,     ///< the board announced itself in an open session, so it was reset
  kLost,      ///< no valid frame arrived for `dead` ns in an open session
};

/// The host's end of the transport of docs/board-link.md: a byte stream in each direction over a lossy, noisy line.
///
/// It does no I/O and has no clock. Its owner passes received bytes to Receive. Whenever the line accepts bytes, and at
/// WakeNs at the latest, the owner calls Pull and sends the returned frame.
class LinkEnd {
 public:
  /// Opens a session with number `session` (1 to 255), or with the next number if the board is already in session
  /// `session`.
  LinkEnd(const LinkTimes& times, uint8_t session, uint64_t now_ns);

  void Receive(const uint8_t* bytes, size_t size, uint64_t now_ns);
  /// Appends bytes to the downstream byte stream.
  void Send(const Bytes& bytes);
  /// Returns the next frame to send, or no bytes if there is none now. Pass all received bytes to Receive first,
  /// because Pull checks whether the link is dead.
  Bytes Pull(uint64_t now_ns);
  /// Returns the earliest time at which Pull may return a frame if nothing is received and Send is
  /// not called before then.
  uint64_t WakeNs() const;
  /// Removes and returns the bytes received on the upstream byte stream.
  Bytes Take();

  LinkState state() const { return state_; }
  LinkCause cause() const { return cause_; }
  uint8_t version() const { return version_; }
  /// Returns the number of downstream bytes that the board has not acknowledged, including those
  /// not sent yet.
  size_t waiting() const { return unacknowledged_bytes_ + stream_down_.size(); }
  uint64_t last_good_ns() const { return last_good_ns_; }
  /// Returns how long an open link may go without a valid frame.
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

  // Downstream. frames_[i] has number first_ + i and has been sent at least once. The frames from
  // index next_ on must be retransmitted.
  Bytes stream_down_;
  std::deque<Bytes> frames_;
  size_t unacknowledged_bytes_ = 0;
  uint8_t first_ = 0;
  size_t next_ = 0;
  unsigned room_ = 0;  ///< number of frames, starting with first_, that the board can accept

  // Upstream.
  Bytes stream_up_;
  uint8_t wanted_ = 0;
  bool owe_ack_ = false, owe_nak_ = false;
  /// Whether a retransmission of frame `wanted_` has been requested because a later frame, or a
  /// damaged frame, arrived.
  bool asked_ahead_ = false, asked_damaged_ = false;
};

}  // namespace gmmu::sim::board
