// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "host/agenda.h"
#include "host/time_model.h"
#include "hw/gmmu_regs.h"
#include "hw/traffic.h"
#include "twin/counters.h"
#include "twin/fault_log.h"
#include "twin/path.h"

namespace gmmu::sim::twin {

class Turns;

struct ClientParts {
  Agenda& agenda;
  TimeModel& time;
  Memory& memory;
  Path& path;
  Counters& counters;
  FaultLog& faults;
  Turns& turns;
};

/// One client with its traffic engine (rtl/client/README.md). A run accesses one line after
/// another; each event processes the lines of several cycles. The registers show the results when
/// the run has ended.
class Client {
 public:
  /// `ended` is called when a run has ended.
  Client(unsigned port, const ClientParts& parts, std::function<void()> ended);

  uint64_t Read(uint32_t offset) const;
  void Write(uint32_t offset, uint64_t value);
  /// Resumes a run that stopped because the GPU was disabled or the host port was closed.
  void Wake();
  void set_enabled(bool on) { enabled_ = on; }
  bool busy() const { return busy_; }
  void Reset();

 private:
  static constexpr size_t kLine = 64;
  using Line = std::array<uint64_t, kLine / 8>;

  /// A line that holds a slot. Its memory address is known at time cost.at.
  struct LineUnderWay {
    uint64_t va = 0;
    Place place;
    Cost cost;
    uint64_t epoch = 0;  ///< Mmu::epoch of the translation
  };

  void Start();
  void Schedule(uint64_t ps);
  void Act();
  bool AskLine(Cost cost);
  bool Translate(LineUnderWay& line, bool again = false);
  bool MoveLines(uint64_t ahead);
  void WaitForTurn();
  bool MoveLine(LineUnderWay& line);  ///< false: the run has failed
  void Answered(const Cost& cost);
  uint64_t BehindFault(const LineUnderWay& faulted) const;
  bool WriteLine(LineUnderWay& line);
  bool ReadLine(LineUnderWay& line);
  void Fault(uint64_t va, regs::Fault reason, unsigned level);
  void End(uint64_t ps);
  hw::TrafficLines Lines() const;
  uint64_t passes() const { return verified_write_ ? 2 : 1; }

  const unsigned port_;
  ClientParts parts_;
  const std::function<void()> ended_;
  // registers
  regs::ClientCtrl ctrl_;
  regs::ClientBase base_;
  regs::ClientLines lines_;
  regs::ClientOrder order_;
  regs::ClientSeed seed_;
  regs::ClientStatus status_;
  regs::ClientResult result_;
  uint64_t fault_address_ = 0;
  // the run
  bool enabled_ = false, busy_ = false, waiting_ = false, ending_ = false;
  /// Whether an event is scheduled, a turn is awaited, a turn is granted.
  bool scheduled_ = false, queued_ = false, turn_ = false;
  bool verified_write_ = false;
  uint64_t generation_ = 0, acts_ = 0, scheduled_ps_ = 0;
  std::optional<hw::TrafficSequence> sequence_;
  regs::Access access_ = regs::Access::kRead;
  uint64_t va_ = 0;                   ///< address of the next line to request
  uint64_t done_ = 0;                 ///< accesses without a fault in all passes
  uint64_t issued_ = 0, passed_ = 0;  ///< accesses of this pass: requested; performed
  std::deque<LineUnderWay> lines_under_way_;
  uint32_t crc_ = 0;
  uint64_t mismatches_ = 0;
  uint64_t last_ps_ = 0;  ///< end of the latest access
  // slots_: the slots of the reorder buffer. issue_ps_: when the next line may be requested.
  // looked_ps_: when the latest response has been checked.
  Window slots_{1};
  uint64_t issue_ps_ = 0, looked_ps_ = 0;
};

}  // namespace gmmu::sim::twin
