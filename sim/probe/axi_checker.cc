// SPDX-License-Identifier: Apache-2.0
#include "probe/axi_checker.h"

#include <algorithm>

#include <fmt/format.h>

namespace gmmu::sim {
namespace {

constexpr const char* kNames[] = {"AR", "AW", "W", "R", "B"};
constexpr unsigned kIncr = 1;
constexpr unsigned kExokay = 1;

}  // namespace

AxiChecker::AxiChecker(const AxiPort& port)
    : port_(port), reads_(size_t{1} << port.id_bits), writes_(size_t{1} << port.id_bits) {}

void AxiChecker::Fail(const char* rule, const std::string& text) {
  if (findings_.size() < kMost) {
    findings_.push_back({"axi", fmt::format("{}, cycle {}, {}: {}", port_.name, cycle_, rule, text)});
  }
}

void AxiChecker::Changed(Name name) {
  if (in_reset_) return;
  Fail("stable", fmt::format("the payload of {} changed while it waited", kNames[name]));
}

void AxiChecker::Judge() {
  if (in_reset_) {
    JudgeReset();
    return;
  }
  if (cycle_ >= next_scan_) Scan();
  held_ = false;
  std::array<bool, kChannels> fresh;
  for (unsigned i = 0; i < kChannels; ++i) {
    Channel& channel = channels_[i];
    fresh[i] = channel.valid && !channel.held;
    if (channel.held && !channel.valid) {
      Fail("stands", fmt::format("{} was withdrawn before it was taken", kNames[i]));
    }
    if (fresh[i]) {
      channel.since = cycle_;
      channel.reported = false;
    }
    channel.held = channel.valid && !channel.ready;
    held_ |= channel.held;
  }

  // Responses are checked first, because they must not depend on addresses or data accepted in the
  // same cycle.
  if (channels_[kR].valid) JudgeRead(fresh[kR]);
  if (channels_[kB].valid) JudgeAnswer(fresh[kB]);
  for (const bool write : {false, true}) {
    const Name name = write ? kAw : kAr;
    const Ax& ax = write ? aw_ : ar_;
    if (fresh[name] && port_.judges_addresses) JudgeAddress(write, ax);
    if (channels_[name].valid && channels_[name].ready) TakeAddress(write, ax);
  }
  if (channels_[kW].valid && channels_[kW].ready) TakeBeat(w_.strobe, w_.last);
}

void AxiChecker::JudgeReset() {
  if (was_reset_) {  // outputs are undefined at the first edge of a reset
    for (unsigned i = 0; i < kChannels; ++i) {
      if (channels_[i].valid) Fail("reset", fmt::format("{} is valid during reset", kNames[i]));
    }
  }
  for (Channel& channel : channels_) channel.held = false;
  held_ = false;
  if (outstanding_ == 0 && early_.empty()) return;
  std::fill(reads_.begin(), reads_.end(), Queue());
  std::fill(writes_.begin(), writes_.end(), Queue());
  pool_.clear();
  free_.clear();
  open_.clear();
  early_.clear();
  outstanding_ = 0;
}

void AxiChecker::JudgeAddress(bool write, const Ax& ax) {
  const char* channel = kNames[write ? kAw : kAr];
  if (ax.burst != kIncr) {
    Fail("burst", fmt::format("{} burst type {} is not INCR", channel, ax.burst));
  }
  const unsigned bytes = 1u << ax.size;
  if (bytes > port_.beat_bytes || (port_.full_width && bytes != port_.beat_bytes)) {
    Fail("size", fmt::format("{} has beats of {} bytes on a bus of {}", channel, bytes, port_.beat_bytes));
  }
  if (ax.len + 1 > port_.most_beats) {
    Fail("length", fmt::format("{} has {} beats, more than {}", channel, ax.len + 1, port_.most_beats));
  }
  const uint64_t start = ax.address & ~uint64_t{bytes - 1};
  const uint64_t last = start + uint64_t{ax.len + 1} * bytes - 1;
  if ((start ^ last) >> 12 != 0) {
    Fail("page", fmt::format("{} burst {:#x} of {} beats crosses 4 KiB", channel, ax.address, ax.len + 1));
  }
}

void AxiChecker::TakeAddress(bool write, const Ax& ax) {
  Queue& queue = QueueOf(write, ax.id);
  const auto& ordered = port_.ordered_write_ids;
  const bool may_repeat = write && std::find(ordered.begin(), ordered.end(), ax.id) != ordered.end();
  if (port_.unique_ids && queue.first != kNone && !may_repeat) {
    Fail("id-unique", fmt::format("{} id {:#x} is outstanding already", kNames[write ? kAw : kAr], ax.id));
  }
  uint32_t index;
  if (free_.empty()) {
    index = static_cast<uint32_t>(pool_.size());
    pool_.emplace_back();
  } else {
    index = free_.back();
    free_.pop_back();
  }
  Burst& burst = pool_[index];
  burst = Burst();
  burst.write = write;
  burst.used = true;
  burst.since = cycle_;
  burst.ax = ax;
  if (queue.first == kNone) queue.first = index;
  else pool_[queue.last].next = index;
  queue.last = index;
  ++outstanding_;
  ++bursts_;
  if (!write) return;
  open_.push_back(index);
  while (!early_.empty() && !open_.empty()) {
    const EarlyBeat beat = early_.front();
    early_.pop_front();
    TakeBeat(beat.strobe, beat.last);
  }
}

uint64_t AxiChecker::Lanes(const Ax& ax, unsigned beat) const {
  const uint64_t bytes = uint64_t{1} << ax.size;
  const uint64_t aligned = (ax.address & ~(bytes - 1)) + beat * bytes;
  const unsigned first = static_cast<unsigned>((beat == 0 ? ax.address : aligned) & (port_.beat_bytes - 1));
  const unsigned last = static_cast<unsigned>((aligned + bytes - 1) & (port_.beat_bytes - 1));
  const uint64_t upto = last == 63 ? ~uint64_t{0} : (uint64_t{1} << (last + 1)) - 1;
  return upto & ~((uint64_t{1} << first) - 1);
}

void AxiChecker::TakeBeat(uint64_t strobe, bool last) {
  if (open_.empty()) {
    if (early_.size() < port_.early_beats) {
      early_.push_back({strobe, last});
    } else {
      Fail("w-order", port_.early_beats == 0 ? std::string("a W beat was taken before its AW")
                                             : fmt::format("{} W beats were taken before their AW, more than {}",
                                                           early_.size() + 1, port_.early_beats));
    }
    return;
  }
  Burst& burst = pool_[open_.front()];
  const uint64_t lanes = Lanes(burst.ax, burst.done);
  if ((strobe & ~lanes) != 0 && port_.judges_addresses) {
    Fail("w-strobe", fmt::format("strobe {:#x} of beat {} of AW {:#x} is outside its bytes ({:#x})", strobe, burst.done,
                                 burst.ax.address, lanes));
  }
  ++burst.done;
  burst.since = cycle_;
  const bool end = burst.done == burst.ax.len + 1;
  if (last != end && port_.has_w_last) {
    Fail("w-last", fmt::format("WLAST is {} at beat {} of {} of AW id {:#x}", last ? 1 : 0, burst.done,
                               burst.ax.len + 1, burst.ax.id));
  }
  if (!end && !(last && port_.has_w_last)) return;
  burst.data_done = true;
  open_.pop_front();
  // The wait for the next burst's data starts now.
  if (!open_.empty()) pool_[open_.front()].since = cycle_;
}

void AxiChecker::JudgeRead(bool fresh) {
  const Queue& queue = QueueOf(false, r_.id);
  if (fresh && r_.response == kExokay) Fail("response", "RRESP is EXOKAY, of no exclusive access");
  if (queue.first == kNone) {
    if (fresh) Fail("r-id", fmt::format("R of id {:#x}, which no read waits for", r_.id));
    return;
  }
  Burst& burst = pool_[queue.first];
  const bool end = burst.done == burst.ax.len;
  if (fresh && r_.last != end) {
    Fail("r-last", fmt::format("RLAST is {} at beat {} of {} of id {:#x}", r_.last ? 1 : 0, burst.done + 1,
                               burst.ax.len + 1, r_.id));
  }
  if (!channels_[kR].ready) return;
  ++burst.done;
  burst.since = cycle_;
  if (end || r_.last) EndBurst(false, r_.id);
}

void AxiChecker::JudgeAnswer(bool fresh) {
  const Queue& queue = QueueOf(true, b_.id);
  if (fresh && b_.response == kExokay) Fail("response", "BRESP is EXOKAY, of no exclusive access");
  if (queue.first == kNone) {
    if (fresh) Fail("b-id", fmt::format("B of id {:#x}, which no write waits for", b_.id));
    return;
  }
  if (!pool_[queue.first].data_done) {
    if (fresh) Fail("b-early", fmt::format("B of id {:#x} before its last W beat", b_.id));
    return;
  }
  if (channels_[kB].ready) EndBurst(true, b_.id);
}

void AxiChecker::EndBurst(bool write, unsigned id) {
  Queue& queue = QueueOf(write, id);
  const uint32_t index = queue.first;
  queue.first = pool_[index].next;
  pool_[index].used = false;
  free_.push_back(index);
  --outstanding_;
}

void AxiChecker::Scan() {
  next_scan_ = cycle_ + std::max<uint64_t>(port_.wait_limit / 8, 1);
  if (cycle_ < port_.wait_limit) return;
  const uint64_t late = cycle_ - port_.wait_limit;
  for (unsigned i = 0; i < kChannels; ++i) {
    Channel& channel = channels_[i];
    if (!channel.held || channel.reported || channel.since > late) continue;
    channel.reported = true;
    Fail("wait", fmt::format("{} has waited for its ready since cycle {}", kNames[i], channel.since));
  }
  for (Burst& burst : pool_) {
    if (!burst.used || burst.reported || burst.since > late) continue;
    if (burst.write && !burst.data_done && &burst != &pool_[open_.front()]) continue;
    burst.reported = true;
    const char* what = !burst.write ? "R" : burst.data_done ? "B" : "its W beats";
    Fail("wait", fmt::format("the {} of id {:#x} at {:#x} has waited for {} since cycle {}",
                             burst.write ? "write" : "read", burst.ax.id, burst.ax.address, what, burst.since));
  }
}

}  // namespace gmmu::sim
