// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gmmu::sim::board {

using Bytes = std::vector<uint8_t>;

inline constexpr size_t kMostPayload = 256;  ///< payload bytes of a frame
inline constexpr unsigned kWindow = 8;       ///< limit on unacknowledged data frames

enum class FrameKind : uint8_t { kData = 0, kHello = 1, kAnnouncement = 2 };

/// A frame in the layout of docs/board-link.md, without its checksum.
struct Frame {
  uint8_t session = 0;
  uint8_t number = 0;
  uint8_t ack = 0;
  /// The number of further frames that this side can accept: 0 to kWindow, or up to 15 in a
  /// received frame.
  uint8_t room = 0;
  bool nak = false;
  FrameKind kind = FrameKind::kData;
  Bytes payload;  ///< at most kMostPayload
};

/// Returns the frame as sent on the line: body and checksum in COBS encoding, then the terminating zero.
Bytes Encode(const Frame& frame);

/// Extracts frames from the bytes that a line delivers. The first byte may lie in the middle of a
/// frame: the reader synchronizes at the next zero.
class FrameReader {
 public:
  enum class Got : uint8_t { kNothing, kFrame, kDamaged };
  /// Processes one byte. Returns kFrame if the byte completes a frame, which is then in `frame`.
  /// Returns kDamaged if the bytes since the previous zero are not a valid frame; they are dropped.
  Got Take(uint8_t byte, Frame& frame);

 private:
  Bytes coded_;
  bool too_long_ = false;
};

}  // namespace gmmu::sim::board
