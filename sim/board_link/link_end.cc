// SPDX-License-Identifier: Apache-2.0
#include "board_link/link_end.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace gmmu::sim::board {
namespace {

constexpr char kName[] = {'G', 'M', 'M', 'U', 'B'};
constexpr unsigned kHalf = 128;  // a frame at most kHalf - 1 numbers ahead is new, any other is old

uint8_t Distance(uint8_t from, uint8_t to) { return static_cast<uint8_t>(to - from); }

}  // namespace

LinkEnd::LinkEnd(const LinkTimes& times, uint8_t session, uint64_t now_ns)
    : times_(times), session_(session), began_ns_(now_ns), last_sent_ns_(now_ns), last_good_ns_(now_ns) {}

void LinkEnd::Die(LinkCause cause) {
  state_ = LinkState::kDead;
  cause_ = cause;
}

// ---- receiving

void LinkEnd::Receive(const uint8_t* bytes, size_t size, uint64_t now_ns) {
  heard_bytes_ = heard_bytes_ || size != 0;
  counts_.bytes_up += size;
  Frame frame;
  for (size_t i = 0; i < size && state_ != LinkState::kDead; ++i) {
    switch (reader_.Take(bytes[i], frame)) {
      case FrameReader::Got::kNothing: break;
      case FrameReader::Got::kFrame: Good(frame, now_ns); break;
      case FrameReader::Got::kDamaged: Damaged(); break;
    }
  }
}

void LinkEnd::Damaged() {
  // Before the session opens, reception may start in the middle of a frame, so damage is expected.
  if (state_ != LinkState::kOpen) return;
  ++counts_.damaged;
  owe_nak_ = owe_nak_ || !asked_damaged_;
  asked_damaged_ = true;
}

void LinkEnd::Good(const Frame& frame, uint64_t now_ns) {
  heard_frame_ = true;
  if (frame.kind == FrameKind::kAnnouncement && frame.session == 0) {
    last_good_ns_ = now_ns;
    Announced(frame);
  } else if (frame.kind == FrameKind::kData && frame.session != 0) {
    if (state_ == LinkState::kListening) heard_session_ = frame.session;
    if (state_ == LinkState::kListening || frame.session != session_) return;
    if (state_ == LinkState::kOpening) {
      state_ = LinkState::kOpen;
      const uint64_t sent = counts_.bytes_down;
      counts_ = LinkCounts();
      counts_.bytes_down = sent;
    }
    last_good_ns_ = now_ns;
    Data(frame);
  }
}

void LinkEnd::Announced(const Frame& frame) {
  if (frame.payload.size() < sizeof kName + 1 || std::memcmp(frame.payload.data(), kName, sizeof kName) != 0) return;
  version_ = frame.payload[sizeof kName];
  if (version_ != kProtocolVersion) Die(LinkCause::kVersion);
  else if (state_ == LinkState::kOpen) Die(LinkCause::kReset);
}

void LinkEnd::Data(const Frame& frame) {
  ++counts_.frames_taken;
  Acknowledged(frame);
  const uint8_t ahead = Distance(wanted_, frame.number);
  if (!frame.payload.empty() && ahead == 0) {
    stream_up_.insert(stream_up_.end(), frame.payload.begin(), frame.payload.end());
    counts_.payload_up += frame.payload.size();
    ++wanted_;
    owe_ack_ = true;
    owe_nak_ = asked_ahead_ = asked_damaged_ = false;
    return;
  }
  if (ahead == 0) return;
  if (!frame.payload.empty()) ++counts_.not_following;
  if (ahead >= kHalf) {  // a retransmission: acknowledge it again if it has a payload
    owe_ack_ = owe_ack_ || !frame.payload.empty();
    return;
  }
  owe_nak_ = owe_nak_ || frame.payload.empty() || !asked_ahead_;
  asked_ahead_ = true;
}

void LinkEnd::Acknowledged(const Frame& frame) {
  const uint8_t taken = Distance(first_, frame.ack);
  if (taken > frames_.size()) return;  // ignore an acknowledgement of a frame that was never sent
  for (unsigned i = 0; i < taken; ++i) {
    unacknowledged_bytes_ -= frames_.front().size();
    frames_.pop_front();
  }
  first_ = frame.ack;
  next_ = frame.nak ? 0 : next_ - std::min<size_t>(next_, taken);
  room_ = std::min<unsigned>(frame.room, kWindow);
}

Bytes LinkEnd::Take() { return std::exchange(stream_up_, {}); }

// ---- sending

void LinkEnd::Send(const Bytes& bytes) {
  stream_down_.insert(stream_down_.end(), bytes.begin(), bytes.end());
  counts_.payload_down += bytes.size();
}

bool LinkEnd::MaySend() const { return next_ < room_ && (next_ < frames_.size() || !stream_down_.empty()); }

Bytes LinkEnd::Emit(Frame frame, uint64_t now_ns) {
  frame.session = session_;
  frame.number = static_cast<uint8_t>(first_ + next_);
  frame.ack = wanted_;
  frame.room = kWindow;
  frame.nak = std::exchange(owe_nak_, false);
  owe_ack_ = false;
  last_sent_ns_ = now_ns;
  ++counts_.frames_sent;
  Bytes line = Encode(frame);
  counts_.bytes_down += line.size();
  return line;
}

Bytes LinkEnd::Hello(uint64_t now_ns) {
  Frame frame;
  frame.kind = FrameKind::kHello;
  frame.room = kWindow;
  frame.payload.assign(kName, kName + sizeof kName);
  frame.payload.push_back(kProtocolVersion);
  frame.payload.push_back(session_);
  last_sent_ns_ = now_ns;
  Bytes line = Encode(frame);
  counts_.bytes_down += line.size();
  return line;
}

Bytes LinkEnd::Pull(uint64_t now_ns) {
  if (state_ == LinkState::kDead) return {};
  if (state_ == LinkState::kListening) {
    if (now_ns < began_ns_ + times_.listen) return {};
    if (heard_session_ == session_) session_ = static_cast<uint8_t>(session_ % 255 + 1);
    state_ = LinkState::kOpening;
    began_ns_ = now_ns;
    return Hello(now_ns);
  }
  if (state_ == LinkState::kOpening) {
    if (now_ns >= began_ns_ + times_.opening)
      Die(heard_frame_ ? LinkCause::kNotTaken : heard_bytes_ ? LinkCause::kNoFrame : LinkCause::kSilence);
    else if (now_ns >= last_sent_ns_ + times_.hello) return Hello(now_ns);
    return {};
  }
  if (now_ns >= last_good_ns_ + times_.dead) {
    Die(LinkCause::kLost);
    return {};
  }
  if (MaySend()) {
    if (next_ < frames_.size()) {
      ++counts_.sent_again;
    } else {
      const auto end = stream_down_.begin() + static_cast<ptrdiff_t>(std::min(stream_down_.size(), kMostPayload));
      frames_.emplace_back(stream_down_.begin(), end);
      unacknowledged_bytes_ += frames_.back().size();
      stream_down_.erase(stream_down_.begin(), end);
    }
    Frame frame;
    frame.payload = frames_[next_];
    Bytes line = Emit(std::move(frame), now_ns);
    ++next_;
    return line;
  }
  const bool due = now_ns >= last_sent_ns_ + (frames_.empty() ? times_.keep_alive : times_.unacknowledged);
  return owe_ack_ || owe_nak_ || due ? Emit(Frame(), now_ns) : Bytes();
}

uint64_t LinkEnd::WakeNs() const {
  switch (state_) {
    case LinkState::kListening: return began_ns_ + times_.listen;
    case LinkState::kOpening: return std::min(last_sent_ns_ + times_.hello, began_ns_ + times_.opening);
    case LinkState::kOpen:
      return std::min(last_sent_ns_ + (frames_.empty() ? times_.keep_alive : times_.unacknowledged),
                      last_good_ns_ + times_.dead);
    case LinkState::kDead: break;
  }
  return ~uint64_t{0};
}

}  // namespace gmmu::sim::board
