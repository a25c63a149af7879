// SPDX-License-Identifier: Apache-2.0
#include "gpu/peer_port.h"

#include <algorithm>
#include <utility>

namespace gmmu::sim {

PeerPort::PeerPort(Done done) : done_(std::move(done)) {}

PeerPort::Direction::Direction() {
  for (unsigned id = 0; id < kInFlight; ++id) free_.push(id);
}

unsigned PeerPort::Direction::Take() {
  const unsigned id = free_.front();
  free_.pop();
  slots_[id] = {waiting_.front().first, 0, false};
  waiting_.pop();
  return id;
}

PooledTransaction* PeerPort::Direction::End(unsigned id) {
  free_.push(id);
  return std::exchange(slots_[id].transaction, nullptr);
}

PeerPort::Burst PeerPort::BurstOf(const PooledTransaction& t) {
  const uint64_t start = t.get_address() & ~uint64_t{kBeatBytes - 1};
  const uint64_t end = t.get_address() + t.get_data_length();
  return {start, static_cast<unsigned>((end - start + kBeatBytes - 1) / kBeatBytes)};
}

// ---- writes

/// Builds the next W beat: data and byte enables of the bytes of the transaction that lie in the
/// beat.
PeerPort::Beat PeerPort::NextBeat() {
  const Owed& owed = owed_.front();
  const PooledTransaction& t = *writes_.at(owed.id).transaction;
  const Burst burst = BurstOf(t);
  const uint64_t at = burst.start + uint64_t{owed.sent} * kBeatBytes;
  Beat beat = {{}, 0, owed.sent + 1 == burst.beats};
  for (unsigned lane = 0; lane < kBeatBytes; ++lane) {
    if (at + lane < t.get_address() || at + lane >= t.get_address() + t.get_data_length()) continue;
    const uint64_t i = at + lane - t.get_address();
    const uint8_t* enables = t.get_byte_enable_ptr();
    if (enables != nullptr && enables[i] == TLM_BYTE_DISABLED) continue;
    beat.data[lane] = t.get_data_ptr()[i];
    beat.strobe |= uint64_t{1} << lane;
  }
  return beat;
}

void PeerPort::EndBeat() {
  Owed& owed = owed_.front();
  if (++owed.sent == BurstOf(*writes_.at(owed.id).transaction).beats) owed_.pop();
}

void PeerPort::TakeAnswer(unsigned id, unsigned response) {
  if (id >= kInFlight || writes_.at(id).transaction == nullptr) return;  // the checker reports this violation
  done_(writes_.End(id), response == 0);
}

// ---- reads

void PeerPort::TakeData(unsigned id, const uint8_t* lanes, unsigned response, bool last) {
  if (id >= kInFlight || reads_.at(id).transaction == nullptr) return;
  Slot& slot = reads_.at(id);
  PooledTransaction& t = *slot.transaction;
  const uint64_t from = t.get_address(), end = from + t.get_data_length();
  const uint64_t at = BurstOf(t).start + uint64_t{slot.done} * kBeatBytes;
  const uint64_t first = std::max(at, from), past = std::min(at + kBeatBytes, end);
  if (first < past) std::memcpy(t.get_data_ptr() + (first - from), lanes + (first - at), past - first);
  slot.error = slot.error || response != 0;
  ++slot.done;
  if (!last) return;
  const bool ok = !slot.error;
  done_(reads_.End(id), ok);
}

}  // namespace gmmu::sim
