// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "hw/platform.h"

namespace gmmu::sim {

/// The rules for one port, where they are stricter or looser than AXI4.
struct AxiPort {
  std::string name;
  unsigned beat_bytes = 8;
  unsigned id_bits = 16;
  unsigned most_beats = 256;                ///< limit on the beats of a burst; 1 for AXI4-Lite
  bool unique_ids = true;                   ///< outstanding bursts in a direction have unique ids
  std::vector<unsigned> ordered_write_ids;  ///< exempt ids, whose writes AXI4 keeps in order
  bool full_width = true;                   ///< AxSIZE is the bus width
  bool has_w_last = true;                   ///< the port has a WLAST
  bool judges_addresses = true;             ///< false: the manager may issue illegal bursts
  unsigned early_beats = 0;                 ///< limit on W beats accepted before their AW
  uint64_t wait_limit = 100'000;            ///< longest legal wait, in cycles
};

/// Returns the rules for an AXI4-Lite port: one beat, no ids, responses in order. W may precede AW.
inline AxiPort AxiLitePort(std::string name) {
  AxiPort port;
  port.name = std::move(name);
  port.id_bits = 1;
  port.most_beats = 1;
  port.unique_ids = false;
  port.early_beats = 16;
  return port;
}

/// Checks both sides of one AXI4 or AXI4-Lite port, cycle by cycle.
///
/// Each violation is a Finding of probe "axi" with the text "<port>, cycle <n>, <rule>: ...". At
/// most kMost are stored. The rule is one of "reset", "stands", "stable", "burst", "size",
/// "length", "page", "id-unique", "w-order", "w-last", "w-strobe", "r-id", "r-last", "b-id",
/// "b-early", "response" and "wait".
///
/// In each cycle, when the signals are stable and before the clock edge, call Begin, then the five
/// channels in any order, then End. The payload functions are called only while their channel is
/// valid. Cycles in which no channel is valid may be skipped.
class AxiChecker {
 public:
  struct Ax {
    unsigned id;
    uint64_t address;
    unsigned len, size, burst;
    uint32_t user;
  };
  struct W {
    const void* data;  ///< beat_bytes bytes
    uint64_t strobe;
    bool last;
  };
  struct R {
    unsigned id;
    const void* data;
    unsigned response;
    bool last;
  };
  struct B {
    unsigned id;
    unsigned response;
  };
  static constexpr size_t kMost = 16;

  explicit AxiChecker(const AxiPort& port);

  /// Raises the wait limit to at least `cycles` cycles from now on, for responses that are delayed
  /// deliberately.
  void AllowWait(uint64_t cycles) { port_.wait_limit = std::max(port_.wait_limit, cycles); }

  void Begin(uint64_t cycle, bool reset) {
    cycle_ = cycle;
    in_reset_ = reset;
    any_ = false;
    for (Channel& channel : channels_) channel.valid = false;
  }
  template <typename Payload>
  void Ar(bool valid, bool ready, Payload payload) {
    if (valid) Offer(kAr, ready, payload(), ar_);
  }
  template <typename Payload>
  void Aw(bool valid, bool ready, Payload payload) {
    if (valid) Offer(kAw, ready, payload(), aw_);
  }
  template <typename Payload>
  void Wd(bool valid, bool ready, Payload payload) {
    if (valid) Offer(kW, ready, payload(), w_);
  }
  template <typename Payload>
  void Rd(bool valid, bool ready, Payload payload) {
    if (valid) Offer(kR, ready, payload(), r_);
  }
  template <typename Payload>
  void Bd(bool valid, bool ready, Payload payload) {
    if (valid) Offer(kB, ready, payload(), b_);
  }
  void End() {
    if (any_ || in_reset_ || held_ || cycle_ >= next_scan_) Judge();
    was_reset_ = in_reset_;
  }

  const std::vector<hw::Finding>& findings() const { return findings_; }
  /// Returns the number of bursts that still await their last R beat or their B response.
  size_t outstanding() const { return outstanding_; }
  uint64_t bursts() const { return bursts_; }

 private:
  enum Name { kAr, kAw, kW, kR, kB, kChannels };
  static constexpr uint32_t kNone = ~uint32_t{0};
  struct Channel {
    bool valid = false, ready = false;
    bool held = false;  ///< valid was asserted in the previous cycle without ready
    uint64_t since = 0;
    bool reported = false;
  };
  struct Burst {
    bool write = false, data_done = false, reported = false, used = false;
    unsigned done = 0;  ///< beats transferred so far
    uint32_t next = kNone;
    uint64_t since = 0;
    Ax ax{};
  };
  struct Queue {  ///< the bursts of one id, by index
    uint32_t first = kNone, last = kNone;
  };
  struct EarlyBeat {
    uint64_t strobe;
    bool last;
  };
  using Bytes = std::array<uint8_t, 64>;

  template <typename Payload>
  void Offer(Name name, bool ready, const Payload& payload, Payload& kept) {
    channels_[name].valid = true;
    channels_[name].ready = ready;
    any_ = true;
    if (channels_[name].held && !Same(name, payload, kept)) Changed(name);
    Keep(name, payload, kept);
  }
  bool Same(Name, const Ax& a, const Ax& b) const {
    return a.id == b.id && a.address == b.address && a.len == b.len && a.size == b.size && a.burst == b.burst &&
           a.user == b.user;
  }
  bool Same(Name, const B& a, const B& b) const { return a.id == b.id && a.response == b.response; }
  bool Same(Name, const W& a, const W& b) const {
    return a.strobe == b.strobe && a.last == b.last && SameData(a.data, w_data_);
  }
  bool Same(Name, const R& a, const R& b) const {
    return a.id == b.id && a.response == b.response && a.last == b.last && SameData(a.data, r_data_);
  }
  bool SameData(const void* data, const Bytes& kept) const {
    return std::memcmp(data, kept.data(), port_.beat_bytes) == 0;
  }
  template <typename Payload>
  void Keep(Name, const Payload& payload, Payload& kept) {
    kept = payload;
  }
  void Keep(Name name, const W& payload, W& kept) {
    kept = payload;
    if (!channels_[name].ready) std::memcpy(w_data_.data(), payload.data, port_.beat_bytes);
  }
  void Keep(Name name, const R& payload, R& kept) {
    kept = payload;
    if (!channels_[name].ready) std::memcpy(r_data_.data(), payload.data, port_.beat_bytes);
  }

  void Fail(const char* rule, const std::string& text);
  void Changed(Name name);
  void Judge();
  void JudgeReset();
  void JudgeRead(bool fresh);
  void JudgeAnswer(bool fresh);
  void JudgeAddress(bool write, const Ax& ax);
  void TakeAddress(bool write, const Ax& ax);
  void TakeBeat(uint64_t strobe, bool last);
  void EndBurst(bool write, unsigned id);
  void Scan();
  Queue& QueueOf(bool write, unsigned id) { return (write ? writes_ : reads_)[id & (reads_.size() - 1)]; }
  uint64_t Lanes(const Ax& ax, unsigned beat) const;

  AxiPort port_;
  uint64_t cycle_ = 0, next_scan_ = 0;
  bool in_reset_ = false, was_reset_ = false, any_ = false, held_ = false;
  std::array<Channel, kChannels> channels_;
  Ax ar_{}, aw_{};
  W w_{};
  R r_{};
  B b_{};
  Bytes w_data_{}, r_data_{};
  std::vector<Queue> reads_, writes_;  ///< by id
  std::vector<Burst> pool_;
  std::vector<uint32_t> free_;
  std::deque<uint32_t> open_;  ///< writes with incomplete data, in AW order
  std::deque<EarlyBeat> early_;
  size_t outstanding_ = 0;
  uint64_t bursts_ = 0;
  std::vector<hw::Finding> findings_;
};

}  // namespace gmmu::sim
