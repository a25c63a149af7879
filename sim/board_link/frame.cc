// SPDX-License-Identifier: Apache-2.0
#include "board_link/frame.h"

#include <algorithm>
#include <cassert>

#include "hw/crc32c.h"

namespace gmmu::sim::board {
namespace {

constexpr size_t kHead = 4, kChecksum = 4;
constexpr size_t kMostBody = kHead + kMostPayload + kChecksum;
constexpr size_t kRun = 254;  // maximum number of nonzero bytes after one COBS code
constexpr size_t kMostCoded = kMostBody + kMostBody / kRun + 1;
constexpr uint8_t kRoomMask = 0x0F, kNak = 0x10;
constexpr unsigned kKindShift = 5;

/// Encodes `body` in COBS. Each code is the distance to the next zero; code 255 means that there is
/// no zero in the next 254 bytes.
Bytes Stuff(const Bytes& body) {
  Bytes coded = {0};
  size_t code = 0;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] != 0) coded.push_back(body[i]);
    const size_t run = coded.size() - code;
    const bool full = run == kRun + 1 && body[i] != 0 && i + 1 < body.size();
    if (body[i] != 0 && !full) continue;
    coded[code] = static_cast<uint8_t>(run);
    code = coded.size();
    coded.push_back(0);
  }
  coded[code] = static_cast<uint8_t>(coded.size() - code);
  return coded;
}

/// Decodes COBS. Returns false if a code points past the end.
bool Unstuff(const Bytes& coded, Bytes& body) {
  for (size_t at = 0; at < coded.size();) {
    const size_t code = coded[at++];
    if (at + code - 1 > coded.size()) return false;
    body.insert(body.end(), coded.begin() + static_cast<ptrdiff_t>(at),
                coded.begin() + static_cast<ptrdiff_t>(at + code - 1));
    at += code - 1;
    if (code != kRun + 1 && at < coded.size()) body.push_back(0);
  }
  return true;
}

}  // namespace

Bytes Encode(const Frame& frame) {
  assert(frame.payload.size() <= kMostPayload && frame.room <= kWindow);
  Bytes body = {frame.session, frame.number, frame.ack,
                static_cast<uint8_t>(frame.room | (frame.nak ? kNak : 0) |
                                     static_cast<unsigned>(frame.kind) << kKindShift)};
  body.insert(body.end(), frame.payload.begin(), frame.payload.end());
  const uint32_t checksum = hw::Crc32c(0, body.data(), body.size());
  for (unsigned i = 0; i < kChecksum; ++i) body.push_back(static_cast<uint8_t>(checksum >> 8 * i));
  Bytes line = Stuff(body);
  line.push_back(0);
  return line;
}

FrameReader::Got FrameReader::Take(uint8_t byte, Frame& frame) {
  if (byte != 0) {
    if (coded_.size() == kMostCoded) too_long_ = true;
    else coded_.push_back(byte);
    return Got::kNothing;
  }
  if (coded_.empty()) return Got::kNothing;
  Bytes body;
  const bool whole = !too_long_ && Unstuff(coded_, body);
  coded_.clear();
  too_long_ = false;
  if (!whole || body.size() < kHead + kChecksum || body.size() > kMostBody) return Got::kDamaged;
  const size_t end = body.size() - kChecksum;
  uint32_t checksum = 0;
  for (unsigned i = 0; i < kChecksum; ++i) checksum |= uint32_t{body[end + i]} << 8 * i;
  if (checksum != hw::Crc32c(0, body.data(), end)) return Got::kDamaged;
  frame.session = body[0];
  frame.number = body[1];
  frame.ack = body[2];
  frame.room = body[3] & kRoomMask;
  frame.nak = (body[3] & kNak) != 0;
  frame.kind = static_cast<FrameKind>(body[3] >> kKindShift);
  frame.payload.assign(body.begin() + kHead, body.begin() + static_cast<ptrdiff_t>(end));
  return Got::kFrame;
}

}  // namespace gmmu::sim::board
