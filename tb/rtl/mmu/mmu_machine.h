// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "Vgmmu_mmu_bench.h"
#include "hw/gmmu_regs.h"
#include "mmu_memory.h"
#include "probe/reference_walk.h"
#include "tb/rtl/block_bench.h"
#include "tb/rtl/structs.h"

namespace gmmu::bench {

constexpr unsigned kPorts = 5;

struct Request {
  unsigned port = 0;
  unsigned space = 0;
  uint64_t va = 0;
  regs::Access access = regs::Access::kRead;
};

/// A response with its request. Cycles count rising edges: `accepted` accepted the request,
/// `answered` is the first edge at which the response was valid, `taken` accepted the response.
struct Answer {
  Request request;
  uint64_t accepted = 0, answered = 0, taken = 0;
  bool generation = false;
  sim::Translation result;
};

struct Control {
  bool set_space = false;
  std::optional<regs::SizesInUse> sizes;  ///< set: new sizes in use; the other fields are ignored
  regs::Scope scope = regs::Scope::kGlobal;
  unsigned space = 0;
  uint64_t start = 0, end = 0;
  sim::SpaceConfig config;
};

/// The behaviour of the bench around the MMU. Latency is counted from the edge that accepts AR to
/// the edge that accepts the first R.
struct Manners {
  unsigned latency = 10, latency_spread = 0;  ///< cycles, uniformly from [latency, latency + spread]
  unsigned ar_stall = 0, r_stall = 0, rsp_stall = 0, req_idle = 0;  ///< percent
  bool reorder = false;                                             ///< bursts and beats of different ids interleave
  unsigned early_read = 0;  ///< percent of bursts whose words are read when AR is accepted rather than beat by beat
  unsigned done_delay = 0;  ///< maximum number of cycles that a response stays in use
};

/// An MMU with table memory, clocked by Step. Every response is checked against the reference walk.
class Machine : public BlockBench<Vgmmu_mmu_bench> {
 public:
  /// `like` selects one of the smaller MMUs in gmmu_mmu_bench, to which TurnDownAlike reduces this
  /// MMU.
  Machine(bool small, uint64_t seed, unsigned like = 0);

  /// Reduces the MMU to the sizes of `like`. From then on, every cycle in which the two MMUs differ
  /// is an error.
  void TurnDownAlike();

  TableMemory memory;
  Manners manners;
  bool check = true;
  struct Counts {
    uint64_t l2_lookups = 0, l2_hits = 0, l2_misses = 0, l2_merged = 0, l2_fills = 0, walks = 0, walks_ok = 0,
             walks_fault = 0, walks_redone = 0, table_reads = 0;
    std::array<uint64_t, kPorts> lookups{}, hits{}, misses{}, merged{}, faults{};
  } counts;  ///< events of the steps so far

  void Step() override;
  bool Post(const Request& request);                     ///< queues a lookup; false: queue full
  void Command(const Control& control);                  ///< queues a control operation
  void HoldAnswers(uint64_t cycles) { hold_ = cycles; }  ///< responses stay in use this long, on top of done_delay
  bool CommandsDone() const { return commands_.empty() && !command_busy_; }
  bool Run(uint64_t bound);                  ///< runs until all work is done; returns false after `bound` cycles
  std::vector<Answer> TakeAnswers();         ///< responses since the previous call
  Answer Translate(const Request& request);  ///< performs one lookup without other traffic
  void Do(const Control& control);           ///< performs one operation without other traffic

  unsigned ports() const { return ports_; }
  unsigned pending() const { return pending_; }
  const std::vector<std::string>& errors() const { return errors_; }
  uint64_t checked() const { return checked_; }
  sim::SpaceConfig config(unsigned space) const { return spaces_[space].back().second; }

 private:
  struct Burst {
    unsigned id;
    int target;
    uint64_t address;
    unsigned beats, sent = 0;
    uint64_t due;
    std::vector<uint64_t> words;  ///< the words if they were read early, else empty
  };
  struct Flush {
    uint64_t begun, done;
    bool whole;
    uint64_t start, end;
  };
  struct Use {
    Answer answer;
    uint64_t until;
  };

  void Error(const std::string& text);
  void Drive();
  void Sample();
  void Count();
  void Check(const Answer& answer, uint64_t from_at_least, uint64_t to);
  uint64_t WindowStart(unsigned space, uint64_t va) const;
  bool Explained(const Answer& answer, uint64_t from, uint64_t to);
  using Words = std::vector<std::pair<TableMemory::Key, uint64_t>>;  ///< words that a walk has read, in order
  bool AnyWalk(const sim::SpaceConfig& space, const Answer& answer, uint64_t from, uint64_t to, bool second,
               const std::function<bool(const sim::Translation&, const Words&)>& wanted);
  unsigned Random(unsigned below) { return below == 0 ? 0 : Dice::Random(below); }

  unsigned ports_;
  unsigned like_;
  bool alike_ = false;  ///< the two MMUs are being compared
  uint64_t checked_ = 0;
  uint64_t hold_ = 0;
  unsigned pending_ = 0;
  std::vector<std::string> errors_;

  std::vector<std::deque<Request>> queue_{kPorts};
  std::array<GMMU_STRUCT(gmmu_mmu_bench, xlate_req_t), kPorts> offer_{};
  std::vector<bool> offered_ = std::vector<bool>(kPorts);
  std::vector<std::vector<std::optional<Answer>>> waiting_{kPorts, std::vector<std::optional<Answer>>(64)};
  std::vector<bool> shown_ = std::vector<bool>(kPorts);
  std::vector<uint64_t> shown_at_ = std::vector<uint64_t>(kPorts);
  std::vector<std::deque<Use>> in_use_{kPorts};
  std::vector<Answer> answers_;

  std::deque<Control> commands_;
  bool command_busy_ = false;
  Control command_;
  uint64_t command_begun_ = 0;
  std::vector<std::vector<Flush>> flushes_{64};
  std::vector<std::vector<std::pair<uint64_t, sim::SpaceConfig>>> spaces_{64};

  std::deque<Burst> bursts_;
  int r_burst_ = -1;
};

}  // namespace gmmu::bench
