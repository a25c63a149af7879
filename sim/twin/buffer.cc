// SPDX-License-Identifier: Apache-2.0
#include "twin/buffer.h"

#include <algorithm>

namespace gmmu::sim::twin {
namespace {

constexpr uint64_t kChunk = 64;  // bytes that the fetch unit looks up and reads at once

}  // namespace

std::optional<Buffer::Trouble> Buffer::Want(Path& path, unsigned port, uint64_t end, Cost& cost) {
  while (words_.size() < end) {
    const uint64_t done = words_.size() * 8;
    const Address at = from_ + done;
    const uint64_t size = std::min(bytes_ - done, hw::kPageSize - at.at % hw::kPageSize);
    const uint64_t chunks = (at.at + size + kChunk - 1) / kChunk - at.at / kChunk;
    Cost look;
    look.at = std::max(cost.at, chunks_.Free(asked_ps_));
    const Place place = path.Resolve(port, at, regs::Access::kRead, chunks, look);
    if (place.kind == Place::Kind::kClosed) return Trouble{true, regs::Fault::kNone, 0, at};
    if (place.kind == Place::Kind::kFault) {
      cost.Ends(look.done);
      return Trouble{false, place.fault, place.level, at};
    }
    words_.resize(words_.size() + size / 8);
    for (uint64_t have = 0; have < size;) {
      const uint64_t piece = std::min(size - have, kChunk - (at.at + have) % kChunk);
      Cost one;
      one.at = asked_ps_ = chunks_.Free(std::max(look.at, asked_ps_));
      Place part = place;
      part.address += have;
      if (!path.Read(part, &words_[(done + have) / 8], piece, one)) {
        words_.resize(done / 8);
        cost.Ends(one.done);
        return Trouble{false, regs::Fault::kCommandFetch, 0, at};
      }
      chunks_.Take(one.done);
      have += piece;
      come_ps_.resize((done + have + kChunk - 1) / kChunk, one.done);
    }
  }
  if (end != 0) cost.Ends(come_ps_[std::min<size_t>((end * 8 - 1) / kChunk, come_ps_.size() - 1)]);
  return std::nullopt;
}

}  // namespace gmmu::sim::twin
