// SPDX-License-Identifier: Apache-2.0
// The host's end of docs/board-link.md, for benches of the board's end. It is written from that
// page and shares no code with sim/board_link.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace gmmu::link {

using Bytes = std::vector<uint8_t>;

inline uint32_t Crc(const Bytes& bytes) {
  uint32_t crc = ~0u;
  for (const uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit) crc = crc & 1 ? crc >> 1 ^ 0x82F63B78 : crc >> 1;
  }
  return ~crc;
}

inline Bytes Stuff(const Bytes& body) {
  Bytes out;
  for (size_t at = 0;;) {
    const size_t end = std::min(body.size(), at + 254);
    size_t stop = at;
    while (stop < end && body[stop] != 0) ++stop;
    out.push_back(static_cast<uint8_t>(stop - at + 1));
    out.insert(out.end(), body.begin() + static_cast<long>(at), body.begin() + static_cast<long>(stop));
    const bool full = stop - at == 254;
    if (stop == body.size()) break;
    at = full ? stop : stop + 1;
  }
  out.push_back(0);
  return out;
}

/// Decodes COBS; returns nullopt if the encoding is not valid.
inline std::optional<Bytes> Unstuff(const Bytes& line) {
  Bytes body;
  for (size_t at = 0; at < line.size();) {
    const uint8_t code = line[at++];
    if (code == 0 || at + code - 1 > line.size()) return std::nullopt;
    for (uint8_t i = 1; i < code; ++i) body.push_back(line[at++]);
    if (code != 255 && at < line.size()) body.push_back(0);
  }
  return body;
}

/// A frame as header and payload. kind: 0 data, 1 hello, 2 announcement.
struct Frame {
  uint8_t session = 0, number = 0, ack = 0, room = 0, kind = 0;
  bool nak = false;
  Bytes payload;

  Bytes Line() const {
    Bytes body = {session, number, ack, static_cast<uint8_t>(room | (nak ? 0x10 : 0) | kind << 5)};
    body.insert(body.end(), payload.begin(), payload.end());
    const uint32_t crc = Crc(body);
    for (int i = 0; i < 4; ++i) body.push_back(static_cast<uint8_t>(crc >> 8 * i));
    return Stuff(body);
  }
  static std::optional<Frame> Of(const Bytes& line) {
    const auto body = Unstuff(line);
    if (!body || body->size() < 8 || body->size() > 264) return std::nullopt;
    uint32_t crc = 0;
    for (size_t i = 0; i < 4; ++i) crc |= static_cast<uint32_t>((*body)[body->size() - 4 + i]) << 8 * i;
    const Bytes covered(body->begin(), body->end() - 4);
    if (Crc(covered) != crc) return std::nullopt;
    Frame f;
    f.session = covered[0], f.number = covered[1], f.ack = covered[2];
    f.room = covered[3] & 15, f.nak = (covered[3] & 16) != 0, f.kind = covered[3] >> 5;
    f.payload.assign(covered.begin() + 4, covered.end());
    return f;
  }
};

/// The host. `line` holds the bytes to send and `up` the received messages; FromLine takes each byte from the board.
class Host {
 public:
  static constexpr uint64_t kAlive = 20'000;  // cycles

  std::deque<uint8_t> line;
  Bytes up;
  uint64_t announcements = 0, damaged = 0, again = 0, naks = 0;
  unsigned most_outstanding = 0;
  uint8_t room = 8;     ///< number of frames for which the host announces room
  bool opened = false;  ///< a frame of the session has arrived
  bool limit_broken = false;

  void Open(uint8_t session, uint8_t version = 2) {
    session_ = session;
    opened = false;
    sent_ = next_ = acked_ = limit_ = wanted_ = 0;
    say_ = nak_ = asked_ = false;
    kept_.clear(), waiting_.clear(), up.clear();
    hello_ = Frame{};
    hello_.kind = 1;
    hello_.payload = {'G', 'M', 'M', 'U', 'B', version, session};
    Put(hello_);
  }
  void Send(const Bytes& bytes) { waiting_.insert(waiting_.end(), bytes.begin(), bytes.end()); }
  bool Quiet() const { return waiting_.empty() && kept_.empty(); }

  void FromLine(uint8_t byte) {
    if (byte != 0) return raw_.push_back(byte);
    if (raw_.empty()) return;
    const auto frame = Frame::Of(raw_);
    raw_.clear();
    if (!frame) {
      ++damaged;
      Ask();
    } else if (frame->kind == 2) {
      ++announcements;
    } else if (frame->session == session_ && frame->kind == 0) {
      opened = true;
      Take(*frame);
    }
  }
  /// Puts new frames on the line when no bytes are left to send.
  void Step(uint64_t now) {
    if (!line.empty()) return;
    if (!opened) {  // The hello is repeated until the board responds.
      if (!hello_.payload.empty() && now - spoke_ > kAlive / 4) Put(hello_), spoke_ = now;
      return;
    }
    if (next_ != sent_) return Repeat(now);
    const uint8_t limit = limit_ - sent_;
    if (!waiting_.empty() && kept_.size() < 8 && limit != 0 && limit < 128) {
      const size_t n = std::min<size_t>(waiting_.size(), 256);
      kept_.emplace_back(waiting_.begin(), waiting_.begin() + static_cast<long>(n));
      waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<long>(n));
      ++sent_;
      return Repeat(now);
    }
    if (say_ || now - spoke_ > kAlive) Speak(now, {}, sent_);
  }

 private:
  void Put(const Frame& frame) {
    const Bytes bytes = frame.Line();
    line.insert(line.end(), bytes.begin(), bytes.end());
  }
  void Speak(uint64_t now, const Bytes& payload, uint8_t number) {
    Frame f;
    f.session = session_, f.number = number, f.ack = wanted_, f.room = room, f.nak = nak_, f.payload = payload;
    Put(f);
    spoke_ = now;
    say_ = nak_ = false;
  }
  void Repeat(uint64_t now) {
    const uint8_t index = next_ - acked_;
    Speak(now, kept_.at(index), next_);
    ++next_;
  }
  void Ask() {
    if (asked_) return;
    asked_ = say_ = nak_ = true;
  }
  void Take(const Frame& f) {
    const uint8_t taken = f.ack - acked_;
    if (taken <= kept_.size()) {
      kept_.erase(kept_.begin(), kept_.begin() + taken);
      const bool behind = static_cast<uint8_t>(next_ - acked_) < taken;
      acked_ = f.ack;
      if (behind) next_ = acked_;
      limit_ = f.ack + f.room;
      if (f.nak) next_ = acked_, ++naks;
    }
    const uint8_t distance = f.number - wanted_;
    if (f.payload.empty()) {
      if (distance != 0 && distance < 128) asked_ = false, Ask();
      return;
    }
    say_ = true;
    if (distance == 0 && room != 0) {
      up.insert(up.end(), f.payload.begin(), f.payload.end());
      ++wanted_;
      asked_ = false;
    } else if (distance < 128) {
      if (distance >= 8) limit_broken = true;
      Ask();
    } else {
      ++again;
    }
  }

  Frame hello_;
  uint8_t session_ = 0, sent_ = 0, next_ = 0, acked_ = 0, limit_ = 0, wanted_ = 0;
  bool say_ = false, nak_ = false, asked_ = false;
  uint64_t spoke_ = 0;
  std::deque<Bytes> kept_;
  std::deque<uint8_t> waiting_;
  Bytes raw_;
};

/// Converts bytes to the levels of a serial line and back; a bit lasts `cycles`.
class SerialPin {
 public:
  explicit SerialPin(double cycles) : cycles_(cycles) {}
  /// Returns the level to drive in this cycle; takes the next byte from `bytes` when the previous one has been sent.
  bool Drive(std::deque<uint8_t>& bytes) {
    if (out_left_ <= 0 && !bytes.empty()) {
      out_ = static_cast<unsigned>(0x200 | bytes.front() << 1);
      bytes.pop_front();
      out_left_ += 10 * cycles_;
      out_at_ = 0;
    }
    if (out_left_ <= 0) {
      out_left_ = 0;
      return true;
    }
    const bool level = out_ >> std::min(9u, static_cast<unsigned>(out_at_ / cycles_)) & 1;
    ++out_at_, --out_left_;
    return level;
  }
  /// Receives the level of this cycle; returns a byte when its stop bit has been seen.
  std::optional<uint8_t> Sample(bool level) {
    if (in_at_ < 0) {
      if (!level) in_at_ = 0, in_ = 0, in_bit_ = 0;
    }
    if (in_at_ < 0) return std::nullopt;
    std::optional<uint8_t> byte;
    if (++in_at_ >= cycles_ * (in_bit_ + 0.5)) {
      in_ |= static_cast<unsigned>(level) << in_bit_;
      if (++in_bit_ == 10) {
        in_at_ = -1;
        if (in_ >> 9 & 1) byte = static_cast<uint8_t>(in_ >> 1);
      }
    }
    return byte;
  }

 private:
  const double cycles_;
  unsigned out_ = 0, in_ = 0, in_bit_ = 0;
  double out_left_ = 0, out_at_ = 0, in_at_ = -1;
};

}  // namespace gmmu::link
