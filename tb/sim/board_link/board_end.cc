// SPDX-License-Identifier: Apache-2.0
#include "tb/sim/board_link/board_end.h"

#include <algorithm>

namespace gmmu::sim::board {
namespace {

using Bytes = BoardEnd::Bytes;

/// Computes CRC-32C bit by bit.
uint32_t Checksum(const Bytes& bytes, size_t size) {
  uint32_t state = ~uint32_t{0};
  for (size_t i = 0; i < size; ++i) {
    state ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) state = (state >> 1) ^ ((state & 1) != 0 ? 0x82F63B78u : 0u);
  }
  return ~state;
}

const Bytes kName = {'G', 'M', 'M', 'U', 'B'};

}  // namespace

BoardEnd::BoardEnd(uint64_t keep_alive_ns, unsigned room, uint8_t version)
    : keep_alive_ns_(keep_alive_ns), capacity_(room), version_(version) {}

void BoardEnd::Begin(uint8_t session) {
  session_ = session;
  taken_.clear();
  out_.clear();
  up_.clear();
  wanted_ = promised_ = 0;
  first_ = 0;
  next_ = 0;
  host_room_ = 0;
  owe_nak_ = asked_ahead_ = asked_damaged_ = false;
  owe_ack_ = session != 0;
}

void BoardEnd::Reset() {
  Begin(0);
  coded_.clear();
}

void BoardEnd::Receive(uint8_t byte) {
  if (byte != 0) return coded_.push_back(byte);
  Bytes coded;
  coded.swap(coded_);
  if (!coded.empty()) Line(coded);
}

void BoardEnd::Line(const Bytes& coded) {
  // The COBS encoder first appends a zero, so every group, including the last, decodes to bytes
  // that end in a zero.
  Bytes body;
  bool good = true;
  size_t at = 0;
  while (at < coded.size() && good) {
    const size_t group = coded[at];
    good = at + group <= coded.size();
    for (size_t i = 1; i < group && good; ++i) body.push_back(coded[at + i]);
    if (group != 255) body.push_back(0);
    at += group;
  }
  size_t last = 0;  // a final group of 254 bytes has no appended zero to remove
  for (size_t group = 0; good && group < coded.size(); group += coded[group]) last = group;
  if (good && coded[last] != 255) body.pop_back();
  good = good && body.size() >= 8 && body.size() <= 264;
  if (good) {
    const size_t end = body.size() - 4;
    const uint32_t sum = Checksum(body, end);
    for (unsigned i = 0; i < 4; ++i) good = good && body[end + i] == static_cast<uint8_t>(sum >> 8 * i);
    if (good) {
      body.resize(end);
      return Body(body);
    }
  }
  ++damaged_;
  if (session_ == 0) return;
  if (!asked_damaged_) owe_nak_ = asked_damaged_ = true;
}

void BoardEnd::Body(const Bytes& body) {
  const unsigned kind = body[3] >> 5, room = body[3] & 15;
  const bool nak = (body[3] & 16) != 0;
  const Bytes payload(body.begin() + 4, body.end());
  if (kind == 1) {
    if (payload.size() != 7 || !std::equal(kName.begin(), kName.end(), payload.begin())) return;
    if (payload[5] != version_ || payload[6] == 0) return;
    if (payload[6] == session_ && wanted_ == 0) {  // a retransmitted hello
      owe_ack_ = true;
      return;
    }
    ++hellos_;
    return Begin(payload[6]);
  }
  if (kind != 0 || session_ == 0 || body[0] != session_) return;
  const auto acknowledged = static_cast<uint8_t>(body[2] - first_);
  if (acknowledged > out_.size()) {
    violation_ = "it acknowledges a frame that was not sent";
    return;
  }
  out_.erase(out_.begin(), out_.begin() + acknowledged);
  first_ = body[2];
  next_ = nak ? 0 : next_ - std::min<size_t>(next_, acknowledged);
  host_room_ = room;
  if (room > 8) violation_ = "its room is above 8";
  if (payload.empty()) {
    const auto ahead = static_cast<int8_t>(body[1] - static_cast<uint8_t>(wanted_));
    if (ahead > 0) owe_nak_ = asked_ahead_ = true;
    return;
  }
  Numbered(body[1], payload);
}

void BoardEnd::Numbered(uint8_t number, const Bytes& payload) {
  const int ahead = static_cast<int8_t>(number - static_cast<uint8_t>(wanted_));
  const int64_t whole = static_cast<int64_t>(wanted_) + ahead;
  if (whole >= static_cast<int64_t>(promised_)) violation_ = "frame " + std::to_string(whole) + " is past its room";
  if (ahead < 0) {
    owe_ack_ = true;
  } else if (ahead > 0) {
    if (!asked_ahead_) owe_nak_ = asked_ahead_ = true;
  } else if (taken_.size() < capacity_) {
    taken_.push_back(payload);
    ++wanted_;
    owe_ack_ = true;
    owe_nak_ = asked_ahead_ = asked_damaged_ = false;
  }
}

Bytes BoardEnd::TakeFrame() {
  if (taken_.empty()) return {};
  Bytes payload = taken_.front();
  taken_.pop_front();
  owe_ack_ = true;  // the acknowledgement announces the freed room
  return payload;
}

Bytes BoardEnd::Frame(uint8_t kind, const Bytes& payload, uint64_t now_ns) {
  const auto room = static_cast<unsigned>(capacity_ - taken_.size());
  Bytes body = {session_, static_cast<uint8_t>(first_ + next_), static_cast<uint8_t>(wanted_),
                static_cast<uint8_t>(room | (owe_nak_ ? 16 : 0) | kind << 5)};
  promised_ = std::max(promised_, wanted_ + room);
  owe_ack_ = owe_nak_ = false;
  last_sent_ns_ = now_ns;
  body.insert(body.end(), payload.begin(), payload.end());
  const uint32_t sum = Checksum(body, body.size());
  for (unsigned i = 0; i < 4; ++i) body.push_back(static_cast<uint8_t>(sum >> 8 * i));
  // A group consists of a byte with the group's length plus one, and the bytes up to the next zero,
  // at most 254.
  Bytes line;
  body.push_back(0);
  for (size_t at = 0; at < body.size();) {
    size_t run = 0;
    while (run < 254 && body[at + run] != 0) ++run;
    line.push_back(static_cast<uint8_t>(run + 1));
    line.insert(line.end(), body.begin() + static_cast<ptrdiff_t>(at), body.begin() + static_cast<ptrdiff_t>(at + run));
    at += run == 254 ? run : run + 1;
  }
  line.push_back(0);
  return line;
}

Bytes BoardEnd::Pull(uint64_t now_ns) {
  const bool period = now_ns >= last_sent_ns_ + keep_alive_ns_;
  if (session_ == 0) {
    if (!period && !announce_now_) return {};
    announce_now_ = false;
    Bytes payload = kName;
    payload.push_back(version_);
    return Frame(2, payload, now_ns);
  }
  if (next_ < host_room_ && (next_ < out_.size() || !up_.empty())) {
    if (next_ < out_.size()) {
      ++sent_again_;
    } else {
      const auto end = up_.begin() + static_cast<ptrdiff_t>(std::min<size_t>(up_.size(), 256));
      out_.emplace_back(up_.begin(), end);
      up_.erase(up_.begin(), end);
    }
    const Bytes line = Frame(0, out_[next_], now_ns);
    ++next_;
    return line;
  }
  if (owe_ack_ || owe_nak_ || period) return Frame(0, {}, now_ns);
  return {};
}

}  // namespace gmmu::sim::board
