// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/gmmu_regs.h"

namespace gmmu::hw {

/// The causes of the cycles of a walk, a translation, an access or a command. docs/events.md describes each.
enum class Cause : uint8_t {
  kClient,      ///< between the client's pins and its translation port
  kL1,          ///< a lookup that hit the L1
  kL2,          ///< a lookup that missed the L1 and hit the L2
  kLookup,      ///< L1, L2 and walk cache before a walk, and the queue for a free row
  kWalker,      ///< the walk table between two reads: index, judgement, wait for a free walker
  kCredit,      ///< a request at the edge of the GPU that its memory or its link does not take
  kVram,        ///< VRAM
  kLinkCredit,  ///< a request at the device's end of the link: credits, tags, TLPs before it
  kLinkUp,      ///< on the link, towards the host
  kIommu,       ///< arrival at the root complex to translation
  kDram,        ///< host memory, and the wait for earlier writes
  kLinkDown,    ///< completions: credits and link
  kHostData,    ///< data at the host port, to its last beat
  kHostWrite,   ///< a write to the host, until the link has taken it
  kPeer,        ///< VRAM of a linked GPU
  kAnswer,      ///< from the last beat to the answer
  kFill,        ///< a walk that is answered: its line goes into the L2, its row becomes free
  kRoute,       ///< from the translation to the edge: aperture map, mux
  kQueue,       ///< a command before its transfer begins
  kTranslate,   ///< the engine waits for translations alone
  kFetch,       ///< the engine waits for its paging buffer alone
  kHostRead,    ///< the engine has reads at the host under way
  kVramRead,    ///< the engine has reads at VRAM, none at the host
  kWrite,       ///< the engine has writes under way, no reads
  kInvalidate,  ///< an invalidation that a command has ordered
  kProcessor,   ///< the command processor and the mover, nothing else under way
  kFault,       ///< a lookup that ended with a fault and needed no walk
  kCount,
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::kCount);
const char* CauseName(Cause cause);

/// Cycles [begin, end) of one cause. Level: that of the table entry that was read or waited for, -1 if there is none.
struct Step {
  Cause cause;
  int level;
  uint64_t begin, end;
};

/// An event with a begin and an end, in GPU cycles since reset release. Its steps cover it from `begin` to `end`
/// without gap or overlap; CheckSteps checks that.
struct Span {
  unsigned unit = 0;
  uint64_t number = 0;  ///< counted from 1 by kind and unit, in the order of the beginnings
  uint64_t begin = 0, end = 0;
  std::vector<Step> steps;
};
bool CheckSteps(const Span& span);

/// A read of a page table.
struct TableRead {
  int level = 0;
  bool leaf_64k = false;  ///< of a table of 64 KiB entries
  bool host = false;      ///< at the host port; else at VRAM
  uint64_t address = 0;
  unsigned bytes = 0;
  uint64_t word = 0;  ///< first word that came
  bool error = false;
  uint64_t offered = 0, accepted = 0, answered = 0;  ///< at the edge; the last beat
};

struct WalkEvent : Span {
  unsigned port = 0, space = 0, row = 0;
  uint64_t va = 0;  ///< of the page
  int start_level = 0;
  bool lost = false;  ///< a reset ended it
  std::vector<TableRead> reads;
};

enum class Ending : uint8_t { kL1, kL2, kWalk, kMerged, kFault, kCount };
const char* EndingName(Ending ending);

struct LookupEvent : Span {
  unsigned port = 0, space = 0, tag = 0;
  uint64_t va = 0;
  regs::Access access = regs::Access::kRead;
  Ending ending = Ending::kL1;
  regs::Fault fault = regs::Fault::kNone;
  uint64_t walk = 0;  ///< number of the walk that it began or joined; 0: none
};

/// An access of a client: its translation and its data.
struct AccessEvent : Span {
  unsigned client = 0, slot = 0;
  uint64_t lookup = 0;  ///< number of its lookup
  uint64_t va = 0;
  regs::Access access = regs::Access::kRead;
  regs::Fault fault = regs::Fault::kNone;
};

/// The time of the paging engine by cause. `spent` adds up to end - begin.
struct EngineSpan {
  unsigned unit = 0;
  uint64_t number = 0;
  uint64_t begin = 0, end = 0;
  std::array<uint64_t, kCauses> spent{};
};
bool CheckSpent(const EngineSpan& span);

struct BufferEvent : EngineSpan {
  uint32_t fence = 0;
  uint64_t address = 0;
  uint32_t bytes = 0;
  bool completed = false;  ///< its fence record is written
};

struct CommandEvent : EngineSpan {
  uint64_t buffer = 0;  ///< number of its paging buffer
  uint32_t fence = 0, offset = 0, header = 0;
  uint64_t issued = 0;    ///< the mover took its transfer; its begin when it has none
  uint64_t bytes = 0;     ///< that it moves or writes
  bool finished = false;  ///< else a fault, a preemption or a reset ended it
};

enum class PointKind : uint8_t { kFault, kInvalidation, kInterrupt };
const char* PointName(PointKind kind);

/// An event at one moment. Fault: port, space, reason in `code`, address in `first`, fence in `second`. Invalidation:
/// scope in `code`, first and last address. Interrupt: bus address in `first`.
struct PointEvent {
  unsigned unit = 0;
  PointKind kind = PointKind::kFault;
  uint64_t cycle = 0;
  unsigned port = 0, space = 0, code = 0;
  uint64_t first = 0, second = 0;
};

/// Counts over time: rows of the walk table with a walk; lookups of all ports without an answer.
enum class Gauge : uint8_t { kWalks, kLookups, kCount };

/// Receives the events that a machine records, each when it has ended. Calls come in the order of simulated time for
/// each GPU, must not touch the machine and must not throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void Take(const WalkEvent& event) = 0;
  virtual void Take(const LookupEvent& event) = 0;
  virtual void Take(const AccessEvent& event) = 0;
  virtual void Take(const BufferEvent& event) = 0;
  virtual void Take(const CommandEvent& event) = 0;
  virtual void Take(const PointEvent& event) = 0;
  /// The value of a gauge from `cycle` on.
  virtual void Depth(unsigned unit, Gauge gauge, uint64_t cycle, unsigned depth) = 0;
};

}  // namespace gmmu::hw
