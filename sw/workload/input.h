// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

namespace gmmu::workload {

inline constexpr uint64_t kMaxInputBytes = uint64_t{256} << 20;
inline constexpr uint64_t kDefaultInputBytes = uint64_t{1} << 20;

/// Thrown for an input that cannot be used; what() is one to three lines long and contains the remedy.
class InputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Returns the whole file. Throws InputError if it is missing, unreadable, not a regular file, or larger than
/// kMaxInputBytes (then nothing was read).
std::vector<uint8_t> LoadInput(const std::string& path);

/// Returns `bytes` pseudo-random bytes; equal seeds give equal bytes.
std::vector<uint8_t> SeededInput(uint64_t seed, uint64_t bytes);

/// A part of the input that is small enough for all of its bytes to be in VRAM at the same time.
struct Piece {
  uint64_t offset = 0;
  uint64_t bytes = 0;
};

/// Divides `bytes` into pieces of at most `most` bytes (a multiple of 4096). Returns an empty list
/// for 0 bytes.
std::vector<Piece> Pieces(uint64_t bytes, uint64_t most);

}  // namespace gmmu::workload
