// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace gmmu::sim::board {

/// The board's end of the transport protocol, written from docs/board-link.md alone. It shares no
/// code with sim/board_link, not even COBS and the checksum, so that an error in either end is
/// detected.
class BoardEnd {
 public:
  using Bytes = std::vector<uint8_t>;
  /// `room` is the maximum number of received frames, at most 8, that the board holds until
  /// TakeFrame frees their slots.
  explicit BoardEnd(uint64_t keep_alive_ns, unsigned room = 8, uint8_t version = 2);

  /// Processes a byte from the line.
  void Receive(uint8_t byte);
  /// Returns the next frame for the line, or no bytes if no frame is due at `now_ns`.
  Bytes Pull(uint64_t now_ns);
  void Send(const Bytes& bytes) { up_.insert(up_.end(), bytes.begin(), bytes.end()); }
  /// Returns the payload of the oldest queued frame and frees its slot, or returns no bytes if the queue is empty.
  Bytes TakeFrame();
  /// Presses the reset button.
  void Reset();

  uint8_t session() const { return session_; }
  unsigned hellos() const { return hellos_; }
  unsigned damaged() const { return damaged_; }
  unsigned sent_again() const { return sent_again_; }
  /// Returns the host's first violation of docs/board-link.md, or an empty string if there is none.
  const std::string& violation() const { return violation_; }

 private:
  void Line(const Bytes& coded);
  void Body(const Bytes& body);
  void Numbered(uint8_t number, const Bytes& payload);
  void Begin(uint8_t session);
  Bytes Frame(uint8_t kind, const Bytes& payload, uint64_t now_ns);

  const uint64_t keep_alive_ns_;
  const unsigned capacity_;
  const uint8_t version_;
  Bytes coded_;
  uint8_t session_ = 0;
  bool announce_now_ = true;
  unsigned hellos_ = 0, damaged_ = 0, sent_again_ = 0;
  std::string violation_;
  uint64_t last_sent_ns_ = 0;

  std::deque<Bytes> taken_;
  uint64_t wanted_ = 0, promised_ = 0;  ///< frame numbers of this session; promised_: the highest ack + room
  bool owe_ack_ = false, owe_nak_ = false, asked_ahead_ = false, asked_damaged_ = false;

  Bytes up_;
  std::deque<Bytes> out_;  ///< unacknowledged frames; first_ is the number of the oldest one
  uint8_t first_ = 0;
  size_t next_ = 0;
  unsigned host_room_ = 0;
};

}  // namespace gmmu::sim::board
