// SPDX-License-Identifier: Apache-2.0
// The GPU's accesses to host memory.
#include <algorithm>

#include "board/gpu_on_board.h"
#include "host/config.h"
#include "host/host.h"
#include "host/machine_parts.h"
#include "host/plain_host.h"

namespace gmmu::sim::board {
namespace {

constexpr size_t kBeat = 8;
constexpr size_t kFenceRecord = 16;
constexpr unsigned kTranslated = 1, kPeer = 3;  // address kinds that this machine rejects

}  // namespace

uint16_t GpuOnBoard::Requester(BusUser user) const {
  return static_cast<uint16_t>(BdfOf(0).requester_id() | user.function());
}

void GpuOnBoard::Read(const HostRead& read) {
  ++host_accesses_;
  CatchUp();
  Held answer{0, read, false, Bytes(read.beats * kBeat)};
  if (read.user.kind() != kPeer && read.user.kind() != kTranslated) {
    answer.ok = host_.host.Read(Requester(read.user), read.address & ~uint64_t{kBeat - 1}, answer.data.data(),
                                answer.data.size(), !read.user.no_snoop());
  }
  if (held_until_ns_ > NowNs() && read.address / hw::kPageSize == held_page_) answer.until_ns = held_until_ns_;
  // Reads with the same id must complete in order, so this read waits at least as long as a held
  // one.
  const bool behind = std::any_of(held_.begin(), held_.end(), [&](const Held& h) { return h.read.id == read.id; });
  if (behind) answer.until_ns = std::max(answer.until_ns, held_.back().until_ns);
  if (answer.until_ns == 0) return board_->Complete(read.id, read.beats, answer.ok, answer.data);
  held_.push_back(std::move(answer));
}

void GpuOnBoard::Write(const HostWrite& write) {
  ++host_accesses_;
  CatchUp();
  if (write.user.kind() == kPeer || write.user.kind() == kTranslated) return;
  const uint64_t size = write.beats * kBeat;
  if (config_.inject.drop_fence && size == kFenceRecord && write.address % kFenceRecord == 0) {
    ++writes_lost_;
    return;
  }
  // Each run of consecutive written bytes becomes one access.
  const auto on = [&](size_t i) { return i < size && (write.strobes[i / kBeat] >> i % kBeat & 1) != 0; };
  for (size_t i = 0; i < size;) {
    size_t end = i;
    while (on(end)) ++end;
    if (end > i) WriteRange(write, i, end);
    i = end + 1;
  }
}

void GpuOnBoard::WriteRange(const HostWrite& write, size_t first, size_t end) {
  host_.host.Write(Requester(write.user), (write.address & ~uint64_t{kBeat - 1}) + first, &write.data[first],
                   end - first, !write.user.no_snoop());
  CatchUp();  // if the write is an interrupt message, delivers it now
}

}  // namespace gmmu::sim::board
