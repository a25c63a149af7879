// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "host/agenda.h"
#include "twin/buffer.h"
#include "twin/command.h"
#include "twin/fault_log.h"
#include "twin/mmu.h"
#include "twin/path.h"
#include "twin/ring.h"

namespace gmmu::sim {
class WaitChecker;
}

namespace gmmu::sim::twin {

/// The blocks that the engine uses, which must outlive it.
struct EngineParts {
  Agenda& agenda;
  TimeModel& time;
  Memory& memory;
  Mmu& mmu;
  ApertureMap& aperture;
  Counters& counters;
  FaultLog& faults;
  unsigned clients;  ///< the engine's three translation ports follow the clients' ports
};

/// The paging engine. It executes ring entries one at a time, selecting rings round-robin, and
/// executes the commands of each entry's paging buffer in order (rtl/dma/README.md).
///
/// Each event moves the bytes up to the next page boundary of source or destination, so that
/// register reads and clients can observe a half-finished transfer.
class PagingEngine {
 public:
  using Raise = std::function<void(uint64_t causes)>;

  PagingEngine(unsigned rings, const EngineParts& parts, Raise raise);

  Ring& ring(unsigned index) { return rings_[index]; }
  const Ring& ring(unsigned index) const { return rings_[index]; }
  unsigned rings() const { return static_cast<unsigned>(rings_.size()); }
  /// Starts new work, or resumes an operation that waited for the host port. Call it after any
  /// change of a ring, of the GPU's enable bit or of the host port.
  void Wake();
  void set_enabled(bool on) { enabled_ = on; }
  /// Whether no entry is in progress and no ring has work.
  bool idle() const;
  void Reset();
  /// `waits` receives the memory ranges that commands access; it may be null.
  void set_waits(WaitChecker* waits) { waits_ = waits; }

 private:
  enum class State : uint8_t { kNone, kEntry, kCommand, kJob, kSettle, kStop, kFence, kDone, kFailed };
  struct Stop {
    regs::Fault reason;
    regs::Access access;
    unsigned level;
    Address address;
    unsigned port;
  };

  // paging_engine.cc: entries
  void Schedule(uint64_t ps);
  void Act();
  void TakeEntry();
  bool JudgeEntry(uint64_t known_ps);
  void WriteFence();
  void Complete();
  void AnswerPreemptions();
  void Preempt();
  void End();
  void Fail(const Stop& stop, uint64_t known_ps);
  void Failed();
  Address EntryAddress() const;
  // paging_commands.cc: commands and their transfers
  void NextCommand();
  void Begin();
  void Transfer();
  bool TransferPiece(uint64_t& moved);
  bool WritePiece(const Place& target, const uint8_t* from, uint64_t size, uint64_t at_ps);
  uint64_t JobPs() const;
  uint64_t FeedPs(uint64_t ready_ps, uint64_t bytes);
  bool Stopped(const Place& place, regs::Access access, const Address& range, uint64_t done, unsigned port,
               uint64_t known_ps);
  void Produce(uint64_t size, uint8_t* to) const;
  void Settle();
  struct Unread {
    Place place;
    uint64_t known_ps = 0;  ///< when the failure is known
  };
  uint64_t ReadSource(uint64_t size, uint8_t* to, Unread& failed);
  uint64_t ReadsBehindPs(const Place& place, uint64_t from) const;
  static uint64_t WholeBursts(const Address& to, uint64_t got);
  void CountRead(const Place& place, uint64_t at, uint64_t size, bool inside);
  void CountWrite(const Place& place, uint64_t size);
  void TellBegin(bool waits);
  void TellAccess(const Place& place, uint64_t size, bool write);
  bool Trouble(const Buffer::Trouble& trouble, const Cost& cost);
  void Wait() { waiting_ = true; }

  unsigned fetch_port() const { return parts_.clients; }
  unsigned read_port() const { return parts_.clients + 1; }
  unsigned write_port() const { return parts_.clients + 2; }

  EngineParts parts_;
  Path path_;
  const Raise raise_;
  std::vector<Ring> rings_;
  bool enabled_ = false;

  State state_ = State::kNone;
  bool waiting_ = false;  ///< the present operation waits for the closed host port
  bool scheduled_ = false;
  uint64_t generation_ = 0;  ///< number of resets; an event of an earlier generation does nothing
  unsigned current_ = 0;     ///< ring of the current or, if none is in progress, the last entry
  uint64_t life_ = 0;        ///< Ring::life of that ring when the entry began
  uint64_t began_ps_ = 0;
  uint32_t fence_ = 0;
  regs::RingEntryShape shape_;
  Buffer buffer_;
  uint64_t word_ = 0;  ///< index of the command's first word in the buffer
  Command command_;
  uint64_t moved_ = 0;  ///< bytes of the transfer that have been moved
  /// Landing slots and write slots, each freed in order. feed_ps_: end of the last transfer to the
  /// writer.
  Window reads_, writes_;
  uint64_t feed_ps_ = 0;
  uint64_t source_known_ps_ = 0, destination_known_ps_ = 0;  ///< translation time of the last page
  struct Fed {
    uint64_t end = 0;  ///< the bytes of the piece below `end` ...
    uint64_t ps = 0;   ///< ... have reached the writer at this time
  };
  std::vector<Fed> fed_;
  uint64_t writes_ps_ = 0;       ///< when all writes so far have responses
  uint64_t reads_ps_ = 0;        ///< when all reads so far have data
  std::optional<Stop> failing_;  ///< in kFailed: the reason, while accesses drain
  State failing_state_ = State::kNone;
  bool signalled_ = false;
  WaitChecker* waits_ = nullptr;
};

}  // namespace gmmu::sim::twin
