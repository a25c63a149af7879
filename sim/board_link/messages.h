// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <variant>
#include <vector>

#include "board_link/frame.h"

namespace gmmu::sim::board {

inline constexpr size_t kRequestBytes = 2048;  ///< size of the board's request buffer
inline constexpr unsigned kMostWords = 32;     ///< limit on the words of a window access
inline constexpr unsigned kMostBeats = 256;    ///< limit on the 8-byte beats of a host burst

/// The fields of AxUSER on the host port.
struct BusUser {
  uint32_t raw = 0;
  unsigned kind() const { return raw & 3; }  ///< 0 logical, 1 translated, 2 interrupt message, 3 peer
  bool no_snoop() const { return (raw >> 23 & 1) != 0; }
  unsigned function() const { return raw >> 25 & 7; }
};

// ---- messages up

struct HostRead {
  uint16_t id = 0;
  BusUser user;
  uint64_t address = 0;  ///< address of the first byte
  unsigned beats = 0;
};
struct HostWrite {
  BusUser user;
  uint64_t address = 0;
  unsigned beats = 0;
  Bytes strobes;  ///< one per beat: bit n enables byte n of the beat
  Bytes data;     ///< 8 bytes per beat
};
struct CpuAnswer {
  bool ok = false;
  std::vector<uint64_t> words;
};
struct RequestRoom {
  size_t bytes = 0;
};
using UpMessage = std::variant<HostRead, HostWrite, CpuAnswer, RequestRoom>;

/// Thrown if the upstream bytes are not valid messages, which means that the two ends use different
/// protocols.
class MessageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Extracts messages from the upstream byte stream.
class UpReader {
 public:
  void Add(const Bytes& bytes);
  /// Returns the next complete message, if any. Throws MessageError if the message type is unknown.
  std::optional<UpMessage> Next();

 private:
  Bytes bytes_;
  size_t at_ = 0;
};

// ---- messages down

/// Offsets are multiples of 8. A window access has 1 to kMostWords words.
Bytes WriteRegister(uint32_t offset, uint8_t strobes, uint64_t value);
Bytes ReadRegister(uint32_t offset);
Bytes WriteWindow(uint32_t offset, uint8_t strobes, const uint64_t* words, unsigned count);
Bytes ReadWindow(uint32_t offset, unsigned count);
Bytes WriteBoard(uint8_t index, uint64_t value);
Bytes ReadBoard(uint8_t index);
/// Completes read `id` with `data.size()` / 8 beats. If `ok` is false, the read failed and the data is ignored.
Bytes Completion(uint16_t id, unsigned beats, bool ok, const Bytes& data);

/// Tracks the free space in the board's request buffer. Completions do not use this buffer.
class RequestCredit {
 public:
  bool Has(size_t bytes) const { return bytes <= left_; }
  void Spend(size_t bytes) { left_ -= bytes; }
  /// Throws MessageError if the board returns more credit than is in use.
  void Give(size_t bytes);
  size_t left() const { return left_; }

 private:
  size_t left_ = kRequestBytes;
};

}  // namespace gmmu::sim::board
