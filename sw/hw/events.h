// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "hw/gmmu_regs.h"

namespace gmmu::hw {

/// The causes to which the cycles of a walk, a translation, an access or a command are attributed.
/// docs/events.md describes each.
enum class Cause : uint8_t {
  kClient,      ///< between the client's pins and its translation port
  kL1,          ///< a lookup that hit the L1
  kL2,          ///< a lookup that missed the L1 and hit the L2
  kLookup,      ///< L1, L2 and walk cache lookups before a walk, and the wait for a free row
  kWalker,      ///< the walk table between two reads: index, check of the entry, wait for a free walker
  kCredit,      ///< a request that waits at the GPU's edge because memory or link does not accept it
  kVram,        ///< an access to VRAM
  kLinkCredit,  ///< a request that waits at the device's end of the link for credits, tags or earlier TLPs
  kLinkUp,      ///< transfer over the link, towards the host
  kIommu,       ///< from arrival at the root complex to its translation
  kDram,        ///< host memory, including the wait for earlier writes
  kLinkDown,    ///< completions: wait for credits, and transfer over the link
  kHostData,    ///< data at the host port, up to its last beat
  kHostWrite,   ///< a write to the host, until the link has accepted it
  kPeer,        ///< an access to the VRAM of a linked GPU
  kAnswer,      ///< from the last data beat to the response
  kFill,        ///< after a walk has completed: its line is filled into the L2, and its row is freed
  kRoute,       ///< from the translation to the GPU's edge: aperture map, mux
  kQueue,       ///< a command, before its transfer begins
  kTranslate,   ///< the engine waits for translations only
  kFetch,       ///< the engine waits for its paging buffer only
  kHostRead,    ///< the engine has reads in flight at the host
  kVramRead,    ///< the engine has reads in flight at VRAM, none at the host
  kWrite,       ///< the engine has writes in flight, no reads
  kInvalidate,  ///< an invalidation that a command requested
  kProcessor,   ///< only the command processor and the mover are busy
  kFault,       ///< a lookup that ended with a fault without a walk
  kCount,
};
inline constexpr size_t kCauses = static_cast<size_t>(Cause::kCount);
const char* CauseName(Cause cause);

/// Cycles [begin, end) attributed to one cause. `level` is the level of the table entry that was
/// read or awaited, or -1 if there was none.
struct Step {
  Cause cause;
  int level;
  uint64_t begin, end;
};

/// An event that lasts from `begin` to `end`, in GPU cycles since the release of reset. The event's
/// steps cover this time without gap or overlap; CheckSteps verifies this.
struct Span {
  unsigned unit = 0;
  uint64_t number = 0;  ///< counted from 1 for each kind and unit, in the order of `begin`
  uint64_t begin = 0, end = 0;
  std::vector<Step> steps;
};
bool CheckSteps(const Span& span);

/// A read of a page table.
struct TableRead {
  int level = 0;
  bool leaf_64k = false;  ///< reads a leaf table of 64 KiB entries
  bool host = false;      ///< read at the host port; false: at VRAM
  uint64_t address = 0;
  unsigned bytes = 0;
  uint64_t word = 0;  ///< the first word read
  bool error = false;
  uint64_t offered = 0, accepted = 0, answered = 0;  ///< cycles at the GPU's edge; answered: the last beat
};

struct WalkEvent : Span {
  unsigned port = 0, space = 0, row = 0;
  uint64_t va = 0;  ///< address of the page
  int start_level = 0;
  bool lost = false;  ///< a reset ended the walk
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
  uint64_t walk = 0;  ///< number of the walk that the lookup started or joined; 0: none
};

/// An access by a client, with its translation and data transfer.
struct AccessEvent : Span {
  unsigned client = 0, slot = 0;
  uint64_t lookup = 0;  ///< number of the access's lookup
  uint64_t va = 0;
  regs::Access access = regs::Access::kRead;
  regs::Fault fault = regs::Fault::kNone;
};

/// Cycles of the paging engine, by cause. The elements of `spent` add up to end - begin.
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
  bool completed = false;  ///< the buffer's fence record has been written
};

struct CommandEvent : EngineSpan {
  uint64_t buffer = 0;  ///< number of the command's paging buffer
  uint32_t fence = 0, offset = 0, header = 0;
  uint64_t issued = 0;    ///< cycle in which the mover accepted the transfer; no transfer: `begin`
  uint64_t bytes = 0;     ///< bytes that the command moves or writes
  bool finished = false;  ///< false: a fault, a preemption or a reset ended the command
};

enum class PointKind : uint8_t { kFault, kInvalidation, kInterrupt };
const char* PointName(PointKind kind);

/// An instantaneous event. The kind of the event determines which members are valid: for a fault
/// port, space, `code` (reason), `first` (address) and `second` (fence); for an invalidation `code`
/// (scope), and `first` and `second` (range); for an interrupt `first` (bus address).
struct PointEvent {
  unsigned unit = 0;
  PointKind kind = PointKind::kFault;
  uint64_t cycle = 0;
  unsigned port = 0, space = 0, code = 0;
  uint64_t first = 0, second = 0;
};

/// Quantities recorded over time: occupied walk table rows, and outstanding lookups of all ports.
enum class Gauge : uint8_t { kWalks, kLookups, kCount };

/// Receives each recorded event after its end, for each GPU in order of simulated time. The
/// functions must not access the machine and must not throw.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void Take(const WalkEvent& event) = 0;
  virtual void Take(const LookupEvent& event) = 0;
  virtual void Take(const AccessEvent& event) = 0;
  virtual void Take(const BufferEvent& event) = 0;
  virtual void Take(const CommandEvent& event) = 0;
  virtual void Take(const PointEvent& event) = 0;
  /// Reports that the gauge has the value `depth` from `cycle` on.
  virtual void Depth(unsigned unit, Gauge gauge, uint64_t cycle, unsigned depth) = 0;
};

}  // namespace gmmu::hw
