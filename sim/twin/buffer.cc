// SPDX-License-Identifier: Apache-2.0
#include "twin/buffer.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kChunk = 64;      // one lookup and read of the fetch unit
constexpr uint64_t kInFlight = 512;  // eight of them

}  // namespace

std::optional<Buffer::Trouble> Buffer::Want(Path& path, unsigned port, uint64_t end, Cost& cost) {
  while (words_.size() < end) {
    const uint64_t done = words_.size() * 8;
    const Address at = from_ + done;
    const uint64_t size = std::min(bytes_ - done, hw::kPageSize - at.at % hw::kPageSize);
    const uint64_t chunks = (at.at + size + kChunk - 1) / kChunk - at.at / kChunk;
    const Place place = path.Resolve(port, at, regs::Access::kRead, chunks, cost);
    if (place.kind == Place::Kind::kClosed) return Trouble{true, regs::Fault::kNone, 0, at};
    if (place.kind == Place::Kind::kFault) return Trouble{false, place.fault, place.level, at};
    words_.resize(words_.size() + size / 8);
    if (!path.Read(place, &words_[done / 8], size, kInFlight, cost)) {
      words_.resize(done / 8);
      return Trouble{false, regs::Fault::kCommandFetch, 0, at};
    }
  }
  return std::nullopt;
}

}  // namespace gmmu::sim::twin
