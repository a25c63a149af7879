// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/pkg/gmmu.rdl by tools/regs/generate.py. Do not edit.
#pragma once
#include <cstdint>

namespace gmmu::regs {

/// Defines the accessors of a register's field in bits HIGH to LOW: name() returns its value, set_name() writes it.
#define GMMU_FIELD(Register, Type, name, high, low)                                                  \
  constexpr Type name() const { return static_cast<Type>(raw >> (low) & FieldMask((high) - (low))); } \
  constexpr Register& set_##name(Type value) {                                                       \
    const uint64_t mask = FieldMask((high) - (low));                                                 \
    raw = (raw & ~(mask << (low))) | (static_cast<uint64_t>(value) & mask) << (low);                 \
    return *this;                                                                                    \
  }
/// Returns width + 1 ones.
constexpr uint64_t FieldMask(unsigned highest) { return ~uint64_t{0} >> (63 - highest); }

enum class Access : uint8_t {
  kRead = 0,  ///< Data read.
  kWrite = 1,  ///< Data write.
  kExecute = 2,  ///< Instruction read. The engine reads paging buffers as read.
};
/// The name that reports print; "unknown" for a value that is none of Access's.
constexpr const char* NameOf(Access value) {
  switch (value) {
    case Access::kRead: return "read";
    case Access::kWrite: return "write";
    case Access::kExecute: return "execute";
  }
  return "unknown";
}

enum class Fault : uint8_t {
  kNone = 0,  ///< No fault.
  kSpaceDisabled = 1,  ///< The address space is not enabled.
  kVaRange = 2,  ///< The address has bits above the width that the space's geometry covers.
  kRootBound = 3,  ///< The root index is not below the root's number of entries.
  kEntryInvalid = 4,  ///< An entry is not valid and not zero.
  kEntryReserved = 5,  ///< An entry has a reserved bit set or a form that its level does not allow.
  kTableRead = 6,  ///< The bus answered a table fetch with an error.
  kWriteProtect = 7,  ///< A write to a read-only page.
  kExecuteProtect = 8,  ///< An execute access to a no-execute page.
  kVramRange = 9,  ///< A VRAM address at or past the end of VRAM.
  kApertureRange = 10,  ///< An aperture offset at or past the end of the aperture.
  kApertureEntry = 11,  ///< The aperture entry is not valid.
  kApertureRead = 12,  ///< The bus answered the fetch of an aperture entry with an error.
  kPeerAbsent = 13,  ///< The target adapter is not linked.
  kBusRead = 14,  ///< The bus answered a data read with an error (an IOMMU fault arrives so).
  kBusWrite = 15,  ///< The bus answered a data write with an error.
  kCommandBad = 16,  ///< Unknown opcode, wrong size, reserved bits or misaligned operand of a command.
  kCommandFetch = 17,  ///< The paging buffer could not be read.
  kRingFetch = 18,  ///< The ring entry could not be read, or is malformed; or the ring's tail is not below its size.
  kNotPrivileged = 19,  ///< On a ring that is not privileged: a physical address, a table or aperture command, or an address space other than the paging buffer's own.
};
/// The name that reports print; "unknown" for a value that is none of Fault's.
constexpr const char* NameOf(Fault value) {
  switch (value) {
    case Fault::kNone: return "none";
    case Fault::kSpaceDisabled: return "space_disabled";
    case Fault::kVaRange: return "va_range";
    case Fault::kRootBound: return "root_bound";
    case Fault::kEntryInvalid: return "entry_invalid";
    case Fault::kEntryReserved: return "entry_reserved";
    case Fault::kTableRead: return "table_read";
    case Fault::kWriteProtect: return "write_protect";
    case Fault::kExecuteProtect: return "execute_protect";
    case Fault::kVramRange: return "vram_range";
    case Fault::kApertureRange: return "aperture_range";
    case Fault::kApertureEntry: return "aperture_entry";
    case Fault::kApertureRead: return "aperture_read";
    case Fault::kPeerAbsent: return "peer_absent";
    case Fault::kBusRead: return "bus_read";
    case Fault::kBusWrite: return "bus_write";
    case Fault::kCommandBad: return "command_bad";
    case Fault::kCommandFetch: return "command_fetch";
    case Fault::kRingFetch: return "ring_fetch";
    case Fault::kNotPrivileged: return "not_privileged";
  }
  return "unknown";
}

enum class Opcode : uint8_t {
  kNop = 0,  ///< Nothing; `words` words are skipped.
  kCopy = 1,  ///< Moves `length` bytes from source to destination, any alignment.
  kFill = 2,  ///< Writes a repeated 32-bit pattern (byte i of the destination is pattern byte i mod 4).
  kTableWrite = 3,  ///< Writes the entries that follow the command (inline).
  kTableRepeat = 4,  ///< Writes `count` entries: entry, entry + step, entry + 2 step, ...
  kApertureMap = 5,  ///< Maps aperture pages to consecutive logical pages (contiguous ADL).
  kApertureList = 6,  ///< Maps aperture pages to the logical pages that follow the command (page-list ADL).
  kApertureUnmap = 7,  ///< Points aperture pages at the dummy page.
  kFlushTlb = 8,  ///< Invalidates translations and waits until no older one is in use.
  kSignalFence = 9,  ///< Writes a 64-bit value after everything before it.
};
/// The name that reports print; "unknown" for a value that is none of Opcode's.
constexpr const char* NameOf(Opcode value) {
  switch (value) {
    case Opcode::kNop: return "nop";
    case Opcode::kCopy: return "copy";
    case Opcode::kFill: return "fill";
    case Opcode::kTableWrite: return "table_write";
    case Opcode::kTableRepeat: return "table_repeat";
    case Opcode::kApertureMap: return "aperture_map";
    case Opcode::kApertureList: return "aperture_list";
    case Opcode::kApertureUnmap: return "aperture_unmap";
    case Opcode::kFlushTlb: return "flush_tlb";
    case Opcode::kSignalFence: return "signal_fence";
  }
  return "unknown";
}

enum class Pattern : uint8_t {
  kOrder = 0,  ///< Lines first + stride * k in the order of `order`.
  kRandom = 1,  ///< Lines drawn by a xorshift32 generator from the seed.
  kChase = 2,  ///< The first 8-byte word of each line read is the GPU VA of the next; always reads, one access at a time.
};
/// The name that reports print; "unknown" for a value that is none of Pattern's.
constexpr const char* NameOf(Pattern value) {
  switch (value) {
    case Pattern::kOrder: return "order";
    case Pattern::kRandom: return "random";
    case Pattern::kChase: return "chase";
  }
  return "unknown";
}

enum class Scope : uint8_t {
  kGlobal = 0,  ///< Every address space.
  kSpace = 1,  ///< One address space.
  kRange = 2,  ///< [start, end) of one address space.
};
/// The name that reports print; "unknown" for a value that is none of Scope's.
constexpr const char* NameOf(Scope value) {
  switch (value) {
    case Scope::kGlobal: return "global";
    case Scope::kSpace: return "space";
    case Scope::kRange: return "range";
  }
  return "unknown";
}

enum class Target : uint8_t {
  kSystem = 0,  ///< Host memory, a logical (IOMMU) address.
  kVram = 1,  ///< Local memory of this GPU.
  kAperture = 2,  ///< Offset in the aperture segment, translated by the aperture map.
  kPeer = 3,  ///< Local memory of the linked adapter that the adapter index names.
};
/// The name that reports print; "unknown" for a value that is none of Target's.
constexpr const char* NameOf(Target value) {
  switch (value) {
    case Target::kSystem: return "system";
    case Target::kVram: return "vram";
    case Target::kAperture: return "aperture";
    case Target::kPeer: return "peer";
  }
  return "unknown";
}

/// Identity.
struct Id {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(Id, uint64_t, magic, 31, 0)  ///< 0x554D4D47, the letters GMMU in memory order.
  GMMU_FIELD(Id, uint64_t, major, 39, 32)  ///< Interface version, major.
  GMMU_FIELD(Id, uint64_t, minor, 47, 40)  ///< Interface version, minor.
};

/// What was built, part 1.
struct Cap0 {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(Cap0, uint64_t, clients, 7, 0)  ///< Client ports.
  GMMU_FIELD(Cap0, uint64_t, spaces, 15, 8)  ///< Address spaces.
  GMMU_FIELD(Cap0, uint64_t, walks, 23, 16)  ///< Walks at once.
  GMMU_FIELD(Cap0, uint64_t, rings, 31, 24)  ///< Submission rings.
  GMMU_FIELD(Cap0, uint64_t, reads, 39, 32)  ///< Reads in flight of the copy engine.
  GMMU_FIELD(Cap0, uint64_t, bus_bytes, 47, 40)  ///< Bytes of a bus beat.
  GMMU_FIELD(Cap0, uint64_t, va_bits, 55, 48)  ///< Widest GPU VA, bits.
  GMMU_FIELD(Cap0, uint64_t, pa_bits, 63, 56)  ///< Physical and logical address width, bits.
};

/// What was built, part 2.
struct Cap1 {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(Cap1, uint64_t, l1_entries, 15, 0)  ///< L1 TLB entries per client.
  GMMU_FIELD(Cap1, uint64_t, l2_entries, 31, 16)  ///< L2 TLB entries (4 KiB sub-entries).
  GMMU_FIELD(Cap1, uint64_t, l2_ways, 39, 32)  ///< L2 TLB ways.
  GMMU_FIELD(Cap1, uint64_t, walk_cache, 55, 40)  ///< Walk cache entries per level.
};

/// Bytes of VRAM behind the VRAM port.
struct VramSize {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(VramSize, uint64_t, bytes, 63, 0)  ///< Bytes.
};

/// Cycles of the GPU clock since reset release.
struct Cycle {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(Cycle, uint64_t, cycles, 63, 0)  ///< Cycles.
};

/// Switches of the whole GPU.
struct Ctrl {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  GMMU_FIELD(Ctrl, uint64_t, enable, 0, 0)  ///< 1: rings and clients may start work. Cleared by reset.
  GMMU_FIELD(Ctrl, uint64_t, silence, 1, 1)  ///< 1: the GPU begins no access to VRAM or host memory and no interrupt message, but for accesses through BAR2. What has begun ends, then status.silent is 1. Back to 0: work goes on where it stood. While it is 1, a root written while inv_status.busy is 1 is ignored. From minor version 3 on.
};

/// State of the whole GPU.
struct Status {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  GMMU_FIELD(Status, uint64_t, idle, 0, 0)  ///< 1: nothing is in flight and nothing waits to be issued.
  GMMU_FIELD(Status, uint64_t, silent, 1, 1)  ///< 1: ctrl.silence is 1, and nothing of the GPU's own is in flight on its memory ports. It stays until ctrl.silence is 0.
};

/// Byte offset in VRAM that BAR2 offset 0 shows. A write takes effect after all earlier BAR2 accesses.
struct WindowBase {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  GMMU_FIELD(WindowBase, uint64_t, offset, 47, 0)  ///< 4 KiB aligned offset.
};

/// What was built, part 3.
struct Cap2 {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  GMMU_FIELD(Cap2, uint64_t, client_slots, 7, 0)  ///< Accesses in flight of a client.
  GMMU_FIELD(Cap2, uint64_t, large_entries, 15, 8)  ///< Rows of the walk cache, which keeps translations above 64 KiB beside pointers; 255 for more.
  GMMU_FIELD(Cap2, uint64_t, levels, 19, 16)  ///< Page table levels, most.
  GMMU_FIELD(Cap2, uint64_t, counter_bits, 30, 24)  ///< Bits of a counter; they wrap.
  GMMU_FIELD(Cap2, uint64_t, through_ports, 35, 32)  ///< AXI4 through-ports.
  GMMU_FIELD(Cap2, uint64_t, events, 36, 36)  ///< 1: the event port is there.
  GMMU_FIELD(Cap2, uint64_t, patterns, 43, 40)  ///< Traffic engines know pattern_e value i where bit i is 1.
  GMMU_FIELD(Cap2, uint64_t, verify, 44, 44)  ///< 1: traffic engines verify.
  GMMU_FIELD(Cap2, uint64_t, traffic, 52, 45)  ///< Clients 0 to traffic - 1 have a traffic engine; of the others the registers read 0 and ignore writes. Before minor version 2: 0, and every client has one.
  GMMU_FIELD(Cap2, uint64_t, turn_down, 53, 53)  ///< 1: sizes_in_use is there. 0: it reads 0 and ignores writes; all that was built is in use.
  GMMU_FIELD(Cap2, uint64_t, host_aperture_lg2, 57, 54)  ///< log2 of the entries of the CPU host aperture; 0: there is none. 0 before minor version 5.
};

/// How much of the TLBs, the walk cache and the walk table is in use; the rest is as if it were not built. A field of 0 stands for what was built. A write is an operation like a root's: it waits for the one before it (while ctrl.silence is 1 it is ignored instead), and inv_status.busy is 1 until it is done. Everything that was built is emptied, then the new sizes hold: no older translation is in use after it. Values that are not possible (above what was built, or not as the fields say) make the whole write change no size. A read gives the sizes that hold. Cleared by reset: all that was built. If cap2.turn_down is 1.
struct SizesInUse {
  static constexpr uint32_t kOffset = 0x48;
  uint64_t raw = 0;
  GMMU_FIELD(SizesInUse, uint64_t, l1_entries, 15, 0)  ///< L1 TLB entries per client, at least 2; of the paging engine's ports together the same, but no more than they have.
  GMMU_FIELD(SizesInUse, uint64_t, l2_entries, 31, 16)  ///< L2 TLB entries: a power of two, at least 16 for each way. Sets are l2_entries / 16 / l2_ways, and no more than were built.
  GMMU_FIELD(SizesInUse, uint64_t, l2_ways, 39, 32)  ///< L2 TLB ways: a power of two.
  GMMU_FIELD(SizesInUse, uint64_t, walk_cache, 55, 40)  ///< Walk cache entries per level: a power of two, at least 2.
  GMMU_FIELD(SizesInUse, uint64_t, walks, 63, 56)  ///< Walks at once.
};

/// CPU host aperture: pages of BAR2 that can show any page of VRAM. Takes effect after all earlier BAR2 accesses. From minor version 5 on.
struct HostAperture {
  static constexpr uint32_t kOffset = 0x50;
  uint64_t raw = 0;
  GMMU_FIELD(HostAperture, uint64_t, enable, 0, 0)  ///< 1: the aperture is on. Software writes its entries before.
  GMMU_FIELD(HostAperture, uint64_t, first, 31, 12)  ///< Number of the first 4 KiB page in BAR2, a multiple of the number of entries.
};

/// A write sets an entry of the CPU host aperture, after all earlier BAR2 accesses. Reads as 0. Entries keep their values in a reset and are undefined after power-on. From minor version 5 on.
struct HostApertureEntry {
  static constexpr uint32_t kOffset = 0x58;
  uint64_t raw = 0;
  GMMU_FIELD(HostApertureEntry, uint64_t, valid, 0, 0)  ///< 1: the page of BAR2 shows a page of VRAM. 0: an access to it is answered with a bus error.
  GMMU_FIELD(HostApertureEntry, uint64_t, page, 47, 12)  ///< Page number in VRAM.
  GMMU_FIELD(HostApertureEntry, uint64_t, index, 63, 48)  ///< Number of the entry; the bits above cap2.host_aperture_lg2 are ignored.
};

/// Interrupt causes; write 1 to clear. A message is sent when an enabled cause appears, and again after a clear that leaves one standing.
struct IntStatus {
  static constexpr uint32_t kOffset = 0x80;
  uint64_t raw = 0;
  GMMU_FIELD(IntStatus, uint64_t, fence, 0, 0)  ///< A ring entry that asks for it has completed, or a monitored fence was signalled with its interrupt bit.
  GMMU_FIELD(IntStatus, uint64_t, ring_error, 1, 1)  ///< A ring stopped at an error.
  GMMU_FIELD(IntStatus, uint64_t, fault, 2, 2)  ///< The fault queue got a record.
  GMMU_FIELD(IntStatus, uint64_t, client, 3, 3)  ///< A client's traffic run ended.
  GMMU_FIELD(IntStatus, uint64_t, invalidate, 4, 4)  ///< An invalidation asked for by register has completed.
  GMMU_FIELD(IntStatus, uint64_t, preempted, 5, 5)  ///< A ring was preempted. Raised when everything that it did before, fence records too, is behind it. From minor version 3 on.
};

/// Interrupt enable, same bits.
struct IntEnable {
  static constexpr uint32_t kOffset = 0x88;
  uint64_t raw = 0;
  GMMU_FIELD(IntEnable, uint64_t, enable, 5, 0)  ///< 1: the cause sends a message.
};

/// Fault queue: base of an array of fault records in system memory. Write while fault_queue_size.enable is 0.
struct FaultQueueBase {
  static constexpr uint32_t kOffset = 0xa0;
  uint64_t raw = 0;
  GMMU_FIELD(FaultQueueBase, uint64_t, address, 47, 0)  ///< 4 KiB aligned logical address.
};

/// Fault queue size and switch.
struct FaultQueueSize {
  static constexpr uint32_t kOffset = 0xa8;
  uint64_t raw = 0;
  GMMU_FIELD(FaultQueueSize, uint64_t, size_lg2, 3, 0)  ///< log2 of the number of records, 1 to 15.
  GMMU_FIELD(FaultQueueSize, uint64_t, enable, 8, 8)  ///< 1: faults are written to the queue. 0: they are only counted.
};

/// Index of the record that software reads next (free running modulo size).
struct FaultQueueHead {
  static constexpr uint32_t kOffset = 0xb0;
  uint64_t raw = 0;
  GMMU_FIELD(FaultQueueHead, uint64_t, index, 15, 0)  ///< Record index.
};

/// Index of the record that hardware writes next. Moves after the record's write was accepted by the bus.
struct FaultQueueTail {
  static constexpr uint32_t kOffset = 0xb8;
  uint64_t raw = 0;
  GMMU_FIELD(FaultQueueTail, uint64_t, index, 15, 0)  ///< Record index.
  GMMU_FIELD(FaultQueueTail, uint64_t, dropped, 47, 32)  ///< Faults dropped because the queue was full or the bus refused the record, saturating.
};

/// Aperture map: VRAM offset of the table of 8-byte aperture entries, 4 KiB aligned. A write drops the map's cache.
struct ApertureBase {
  static constexpr uint32_t kOffset = 0xc0;
  uint64_t raw = 0;
  GMMU_FIELD(ApertureBase, uint64_t, offset, 47, 0)  ///< VRAM byte offset.
};

/// Aperture size.
struct AperturePages {
  static constexpr uint32_t kOffset = 0xc8;
  uint64_t raw = 0;
  GMMU_FIELD(AperturePages, uint64_t, pages, 31, 0)  ///< 4 KiB pages; 0 switches the aperture off.
};

/// Linked adapters. Written while the GPU is idle. From minor version 4 on.
struct Link {
  static constexpr uint32_t kOffset = 0xd0;
  uint64_t raw = 0;
  GMMU_FIELD(Link, uint64_t, adapters, 2, 0)  ///< How many adapters are linked, this one among them; 0 or 1: none. An access with target peer to an adapter that is not below it ends with peer_absent.
  GMMU_FIELD(Link, uint64_t, own, 10, 8)  ///< Index of this adapter: an access with target peer to its own index ends with peer_absent.
};

/// Invalidate by register: first address of a range.
struct InvStart {
  static constexpr uint32_t kOffset = 0x100;
  uint64_t raw = 0;
  GMMU_FIELD(InvStart, uint64_t, va, 63, 0)  ///< GPU VA.
};

/// Invalidate by register: end of a range (exclusive).
struct InvEnd {
  static constexpr uint32_t kOffset = 0x108;
  uint64_t raw = 0;
  GMMU_FIELD(InvEnd, uint64_t, va, 63, 0)  ///< GPU VA.
};

/// A write starts an invalidation. Not to be written while inv_status.busy is 1 (ignored then).
struct InvCmd {
  static constexpr uint32_t kOffset = 0x110;
  uint64_t raw = 0;
  GMMU_FIELD(InvCmd, Scope, scope, 1, 0)  ///< What to drop.
  GMMU_FIELD(InvCmd, uint64_t, space, 13, 8)  ///< Address space of scopes space and range.
};

/// Invalidation and address space updates by register.
struct InvStatus {
  static constexpr uint32_t kOffset = 0x118;
  uint64_t raw = 0;
  GMMU_FIELD(InvStatus, uint64_t, busy, 0, 0)  ///< 1: an invalidation or an address space update is under way.
  GMMU_FIELD(InvStatus, uint64_t, done, 63, 32)  ///< Completed so far, modulo 2^32.
};

inline constexpr uint32_t kRingBase = 0x1000;
inline constexpr uint32_t kRingStride = 0x100;
inline constexpr uint32_t kRingCount = 4;
/// Ring: base of an array of ring entries. Write while ctrl.enable is 0. Offset inside its ring.
struct RingBase {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(RingBase, uint64_t, address, 47, 0)  ///< 4 KiB aligned address.
  GMMU_FIELD(RingBase, Target, target, 49, 48)  ///< Memory that holds the ring.
};

/// Ring switches. Offset inside its ring.
struct RingCtrl {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(RingCtrl, uint64_t, size_lg2, 3, 0)  ///< log2 of the number of entries, 1 to 15.
  GMMU_FIELD(RingCtrl, uint64_t, enable, 8, 8)  ///< 1: the ring runs. 0 to 1 clears head, error, preempted and last fence.
  GMMU_FIELD(RingCtrl, uint64_t, privileged, 9, 9)  ///< 1: physical addresses, table and aperture commands are allowed.
  GMMU_FIELD(RingCtrl, uint64_t, preempt, 10, 10)  ///< 1 while enable is 1: the ring starts no further entry and stops the one at work in front of its next command; then status.preempted is 1. Taken back before, it may be preempted or not. From minor version 3 on.
};

/// Doorbell: index of the entry that software writes next, below the ring's size. Takes effect after all earlier BAR2 writes have been done. Offset inside its ring.
struct RingTail {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(RingTail, uint64_t, index, 15, 0)  ///< Entry index.
};

/// Index of the entry that hardware takes next. Offset inside its ring.
struct RingHead {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(RingHead, uint64_t, index, 15, 0)  ///< Entry index.
};

/// Where the fence record of the ring is written. Offset inside its ring.
struct RingFenceAddress {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(RingFenceAddress, uint64_t, address, 47, 0)  ///< 16-byte aligned logical address in system memory.
};

/// Ring state. Offset inside its ring.
struct RingStatus {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  GMMU_FIELD(RingStatus, uint64_t, busy, 0, 0)  ///< 1: an entry is being worked on.
  GMMU_FIELD(RingStatus, uint64_t, error, 1, 1)  ///< 1: stopped at an error; leaves by writing ctrl.enable 0 then 1.
  GMMU_FIELD(RingStatus, uint64_t, preempted, 2, 2)  ///< 1: preempted, with nothing of the ring in flight; leaves by writing ctrl.enable 0 then 1. Never together with error.
  GMMU_FIELD(RingStatus, Fault, reason, 15, 8)  ///< Why it stopped.
  GMMU_FIELD(RingStatus, Access, access, 17, 16)  ///< Access that failed.
  GMMU_FIELD(RingStatus, uint64_t, level, 22, 20)  ///< Level of the entry at fault.
  GMMU_FIELD(RingStatus, uint64_t, fence, 63, 32)  ///< Fence id of the ring entry at fault, or of the one that preemption interrupted (0: none; then everything before head is complete).
};

/// Fence id of the last entry completed. Offset inside its ring.
struct RingLastFence {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  GMMU_FIELD(RingLastFence, uint64_t, fence, 31, 0)  ///< Fence id.
};

/// Where the ring stopped: byte offset, within its paging buffer, of the command at fault, or of the first command not begun when preemption interrupted an entry. Offset inside its ring.
struct RingErrorCommand {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  GMMU_FIELD(RingErrorCommand, uint64_t, offset, 31, 0)  ///< Bytes.
  GMMU_FIELD(RingErrorCommand, uint64_t, header, 63, 32)  ///< First word of the command at fault, low half; 0 after a preemption.
};

/// Address whose access failed (GPU VA, or physical offset). Offset inside its ring.
struct RingErrorAddress {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  GMMU_FIELD(RingErrorAddress, uint64_t, address, 63, 0)  ///< Address.
};

inline constexpr uint32_t kSpaceBase = 0x2000;
inline constexpr uint32_t kSpaceStride = 0x10;
inline constexpr uint32_t kSpaceCount = 64;
/// Geometry, used at the next write of root. Offset inside its space.
struct SpaceGeometry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(SpaceGeometry, uint64_t, levels, 2, 0)  ///< Page table levels, 2 to 6.
  GMMU_FIELD(SpaceGeometry, uint64_t, dual, 4, 4)  ///< 1: an entry of level 1 is a pair of 16 bytes: 4 KiB half, 64 KiB half. Needs bits1 of at most 12 and bits0 of at least 4. From minor version 4 on.
  GMMU_FIELD(SpaceGeometry, uint64_t, bits0, 11, 8)  ///< Index bits of level 0 (leaf).
  GMMU_FIELD(SpaceGeometry, uint64_t, bits1, 15, 12)  ///< Index bits of level 1.
  GMMU_FIELD(SpaceGeometry, uint64_t, bits2, 19, 16)  ///< Index bits of level 2.
  GMMU_FIELD(SpaceGeometry, uint64_t, bits3, 23, 20)  ///< Index bits of level 3.
  GMMU_FIELD(SpaceGeometry, uint64_t, bits4, 27, 24)  ///< Index bits of level 4.
  GMMU_FIELD(SpaceGeometry, uint64_t, bits5, 31, 28)  ///< Index bits of level 5.
  GMMU_FIELD(SpaceGeometry, uint64_t, root_entries, 63, 32)  ///< Entries of the root table (pairs, if it is of level 1 and dual = 1); a root index at or above it faults.
};

/// Root table. A write commits geometry and root; if either changed, the space is flushed. Takes effect after all earlier BAR2 writes. inv_status.busy is 1 until done. Offset inside its space.
struct SpaceRoot {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(SpaceRoot, uint64_t, address, 47, 0)  ///< 4 KiB aligned address.
  GMMU_FIELD(SpaceRoot, Target, target, 49, 48)  ///< Memory that holds the root.
  GMMU_FIELD(SpaceRoot, uint64_t, enable, 63, 63)  ///< 1: the space is enabled.
};

inline constexpr uint32_t kClientBase = 0x4000;
inline constexpr uint32_t kClientStride = 0x40;
inline constexpr uint32_t kClientCount = 64;
/// A write with start = 1 begins a run (ignored while busy). Offset inside its client.
struct ClientCtrl {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(ClientCtrl, uint64_t, start, 0, 0)  ///< Starts.
  GMMU_FIELD(ClientCtrl, uint64_t, verify, 1, 1)  ///< 1: data is the address pattern: the 8-byte word at v carries seed ^ v ^ rotl(v, 21) ^ rotl(v, 42), and reads of patterns order and random count the words that differ. With access write, the run writes all lines first, then reads them all back.
  GMMU_FIELD(ClientCtrl, Access, access, 3, 2)  ///< Access kind of the run.
  GMMU_FIELD(ClientCtrl, Pattern, pattern, 5, 4)  ///< Which lines.
  GMMU_FIELD(ClientCtrl, uint64_t, space, 13, 8)  ///< Address space.
  GMMU_FIELD(ClientCtrl, uint64_t, depth, 23, 16)  ///< Most accesses in flight; 0: as many as built.
  GMMU_FIELD(ClientCtrl, uint64_t, footprint_lg2, 29, 24)  ///< log2 of the footprint in lines, 0 to 32: the line number of patterns order and random is taken modulo 2^footprint_lg2. 0: not reduced (pattern random: 32).
};

/// GPU VA of line 0, 64-byte aligned. Writes to this and the next three registers are ignored while busy. Offset inside its client.
struct ClientBase {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(ClientBase, uint64_t, va, 63, 0)  ///< GPU VA.
};

/// Line numbers are 32 bits. Pattern order: lines accessed are base + 64 * (first + stride * k), k in [0, count). Pattern random: base + 64 * x_i, i in [1, count], where x_i is state i of xorshift32 (x ^= x << 13, x ^= x >> 17, x ^= x << 5) from x_0 = seed[31:0] ^ seed[63:32] (1 where that is 0). Pattern chase: the first is base + 64 * first. Offset inside its client.
struct ClientLines {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(ClientLines, uint64_t, first, 31, 0)  ///< First line.
  GMMU_FIELD(ClientLines, uint64_t, stride, 63, 32)  ///< Stride, lines.
};

/// Number of accesses. Pattern order: k starts at 0 and goes to (k + step) mod count, count times. Offset inside its client.
struct ClientOrder {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(ClientOrder, uint64_t, count, 31, 0)  ///< Accesses (verified writes: count writes and count reads).
  GMMU_FIELD(ClientOrder, uint64_t, step, 63, 32)  ///< Step, below count (1: in sequence).
};

/// Seed of pattern random and of the data that writes carry: without verify, 64-bit word w of the access sequence is seed + w. Offset inside its client.
struct ClientSeed {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(ClientSeed, uint64_t, value, 63, 0)  ///< Seed.
};

/// State of the run. Offset inside its client.
struct ClientStatus {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  GMMU_FIELD(ClientStatus, uint64_t, busy, 0, 0)  ///< 1: running.
  GMMU_FIELD(ClientStatus, uint64_t, fault, 1, 1)  ///< 1: the last run ended at a fault; no access was begun after it.
  GMMU_FIELD(ClientStatus, Fault, reason, 15, 8)  ///< Why.
  GMMU_FIELD(ClientStatus, uint64_t, level, 18, 16)  ///< Level of the entry at fault.
  GMMU_FIELD(ClientStatus, uint64_t, count, 63, 32)  ///< Accesses completed without a fault.
};

/// What the run's reads gave. Offset inside its client.
struct ClientResult {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  GMMU_FIELD(ClientResult, uint64_t, crc, 31, 0)  ///< CRC-32C over the bytes read, in access order (reflected, initial and final inversion done).
  GMMU_FIELD(ClientResult, uint64_t, mismatches, 63, 32)  ///< 8-byte words that differed from the address pattern (runs with verify), saturating.
};

/// Address of the first access that faulted. Offset inside its client.
struct ClientFaultAddress {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  GMMU_FIELD(ClientFaultAddress, uint64_t, va, 63, 0)  ///< GPU VA.
};

inline constexpr uint32_t kPortCountersBase = 0x8000;
inline constexpr uint32_t kPortCountersStride = 0x40;
inline constexpr uint32_t kPortCountersCount = 69;
/// Lookups: accepted requests (unit: requests). lookups = hits + misses + merged + faults when idle. Offset inside its port_counters.
struct PortCountersLookups {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersLookups, uint64_t, n, 63, 0)  ///< Requests.
};

/// Answered from the L1 TLB (requests). Offset inside its port_counters.
struct PortCountersHits {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersHits, uint64_t, n, 63, 0)  ///< Requests.
};

/// Sent on to the L2 TLB and answered from it or by a walk of their own (requests). Offset inside its port_counters.
struct PortCountersMisses {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersMisses, uint64_t, n, 63, 0)  ///< Requests.
};

/// Answered by another request's miss or walk (requests). Offset inside its port_counters.
struct PortCountersMerged {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersMerged, uint64_t, n, 63, 0)  ///< Requests.
};

/// Answered with a fault (requests). Offset inside its port_counters.
struct PortCountersFaults {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersFaults, uint64_t, n, 63, 0)  ///< Requests.
};

/// Cycles summed over all lookups from accept to answer. Offset inside its port_counters.
struct PortCountersCycles {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  GMMU_FIELD(PortCountersCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

inline constexpr uint32_t kCountersBase = 0xa000;
/// L2 TLB lookups (requests). Offset inside its counters.
struct CountersL2Lookups {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Lookups, uint64_t, n, 63, 0)  ///< Requests.
};

/// L2 TLB hits. Offset inside its counters.
struct CountersL2Hits {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Hits, uint64_t, n, 63, 0)  ///< Requests.
};

/// L2 TLB misses that began a walk. Offset inside its counters.
struct CountersL2Misses {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Misses, uint64_t, n, 63, 0)  ///< Requests.
};

/// L2 TLB misses that joined a walk under way. Offset inside its counters.
struct CountersL2Merged {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Merged, uint64_t, n, 63, 0)  ///< Requests.
};

/// L2 TLB blocks filled. Offset inside its counters.
struct CountersL2Fills {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Fills, uint64_t, n, 63, 0)  ///< Fills.
};

/// L2 TLB blocks evicted. Offset inside its counters.
struct CountersL2Evictions {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  GMMU_FIELD(CountersL2Evictions, uint64_t, n, 63, 0)  ///< Evictions.
};

/// Walks begun. Offset inside its counters.
struct CountersWalks {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalks, uint64_t, n, 63, 0)  ///< Walks.
};

/// Walks that ended in a translation. Offset inside its counters.
struct CountersWalksOk {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalksOk, uint64_t, n, 63, 0)  ///< Walks.
};

/// Walks that ended in a fault. Offset inside its counters.
struct CountersWalksFault {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalksFault, uint64_t, n, 63, 0)  ///< Walks.
};

/// Walks done again because an invalidation overtook them. Offset inside its counters.
struct CountersWalksRedone {
  static constexpr uint32_t kOffset = 0x48;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalksRedone, uint64_t, n, 63, 0)  ///< Walks.
};

/// Table reads issued. Offset inside its counters.
struct CountersTableReads {
  static constexpr uint32_t kOffset = 0x50;
  uint64_t raw = 0;
  GMMU_FIELD(CountersTableReads, uint64_t, n, 63, 0)  ///< Bursts.
};

/// Cycles in which rows waited for the bus to accept a table read, summed over rows. Offset inside its counters.
struct CountersWalkIssueCycles {
  static constexpr uint32_t kOffset = 0x58;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalkIssueCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// Cycles in which rows waited for table data, summed over rows. Offset inside its counters.
struct CountersWalkMemoryCycles {
  static constexpr uint32_t kOffset = 0x60;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalkMemoryCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// Cycles in which rows were occupied, summed over rows. Offset inside its counters.
struct CountersWalkCycles {
  static constexpr uint32_t kOffset = 0x68;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWalkCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// Walk cache lookups. Offset inside its counters.
struct CountersWcLookups {
  static constexpr uint32_t kOffset = 0x70;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWcLookups, uint64_t, n, 63, 0)  ///< Lookups.
};

/// Walk cache hits at any level. Offset inside its counters.
struct CountersWcHits {
  static constexpr uint32_t kOffset = 0x78;
  uint64_t raw = 0;
  GMMU_FIELD(CountersWcHits, uint64_t, n, 63, 0)  ///< Lookups.
};

/// Invalidations completed. Offset inside its counters.
struct CountersInvalidations {
  static constexpr uint32_t kOffset = 0x80;
  uint64_t raw = 0;
  GMMU_FIELD(CountersInvalidations, uint64_t, n, 63, 0)  ///< Invalidations.
};

/// Cycles from an invalidation's begin to its end, summed. Offset inside its counters.
struct CountersInvalidationCycles {
  static constexpr uint32_t kOffset = 0x88;
  uint64_t raw = 0;
  GMMU_FIELD(CountersInvalidationCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// Aperture lookups. Offset inside its counters.
struct CountersApLookups {
  static constexpr uint32_t kOffset = 0x90;
  uint64_t raw = 0;
  GMMU_FIELD(CountersApLookups, uint64_t, n, 63, 0)  ///< Lookups.
};

/// Aperture lookups answered from the map's cache. Offset inside its counters.
struct CountersApHits {
  static constexpr uint32_t kOffset = 0x98;
  uint64_t raw = 0;
  GMMU_FIELD(CountersApHits, uint64_t, n, 63, 0)  ///< Lookups.
};

/// Ring entries completed. Offset inside its counters.
struct CountersRingEntries {
  static constexpr uint32_t kOffset = 0xa0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersRingEntries, uint64_t, n, 63, 0)  ///< Entries.
};

/// Commands completed. Offset inside its counters.
struct CountersCommands {
  static constexpr uint32_t kOffset = 0xa8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersCommands, uint64_t, n, 63, 0)  ///< Commands.
};

/// Bytes read by copies. Offset inside its counters.
struct CountersCopyReadBytes {
  static constexpr uint32_t kOffset = 0xb0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersCopyReadBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes written by copies, fills and table commands. Offset inside its counters.
struct CountersCopyWriteBytes {
  static constexpr uint32_t kOffset = 0xb8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersCopyWriteBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Cycles in which the paging engine was busy. Offset inside its counters.
struct CountersEngineCycles {
  static constexpr uint32_t kOffset = 0xc0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersEngineCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// Interrupt messages sent. Offset inside its counters.
struct CountersMessages {
  static constexpr uint32_t kOffset = 0xc8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersMessages, uint64_t, n, 63, 0)  ///< Messages.
};

/// Fault records written. Offset inside its counters.
struct CountersFaultRecords {
  static constexpr uint32_t kOffset = 0xd0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersFaultRecords, uint64_t, n, 63, 0)  ///< Records.
};

/// Bytes read through the VRAM port. Offset inside its counters.
struct CountersVramReadBytes {
  static constexpr uint32_t kOffset = 0xd8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersVramReadBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes written through the VRAM port. Offset inside its counters.
struct CountersVramWriteBytes {
  static constexpr uint32_t kOffset = 0xe0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersVramWriteBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes read through the host port. Offset inside its counters.
struct CountersHostReadBytes {
  static constexpr uint32_t kOffset = 0xe8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersHostReadBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes written through the host port. Offset inside its counters.
struct CountersHostWriteBytes {
  static constexpr uint32_t kOffset = 0xf0;
  uint64_t raw = 0;
  GMMU_FIELD(CountersHostWriteBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes read by clients. Offset inside its counters.
struct CountersClientReadBytes {
  static constexpr uint32_t kOffset = 0xf8;
  uint64_t raw = 0;
  GMMU_FIELD(CountersClientReadBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Bytes written by clients. Offset inside its counters.
struct CountersClientWriteBytes {
  static constexpr uint32_t kOffset = 0x100;
  uint64_t raw = 0;
  GMMU_FIELD(CountersClientWriteBytes, uint64_t, n, 63, 0)  ///< Bytes.
};

/// Cycles in which at least one client run was busy. Offset inside its counters.
struct CountersClientCycles {
  static constexpr uint32_t kOffset = 0x108;
  uint64_t raw = 0;
  GMMU_FIELD(CountersClientCycles, uint64_t, n, 63, 0)  ///< Cycles.
};

/// RingEntryBuffer Offset inside its ring_entry.
struct RingEntryBuffer {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(RingEntryBuffer, uint64_t, address, 63, 0)  ///< Address of the paging buffer, 8-byte aligned: GPU VA, or physical offset if physical is 1.
};

/// RingEntryShape Offset inside its ring_entry.
struct RingEntryShape {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(RingEntryShape, uint64_t, bytes, 31, 0)  ///< Bytes of commands, a multiple of 8.
  GMMU_FIELD(RingEntryShape, uint64_t, physical, 32, 32)  ///< 1: address is physical, in target.
  GMMU_FIELD(RingEntryShape, Target, target, 35, 34)  ///< Target of a physical address.
  GMMU_FIELD(RingEntryShape, uint64_t, space, 47, 40)  ///< Address space of a virtual buffer.
  GMMU_FIELD(RingEntryShape, uint64_t, irq, 48, 48)  ///< 1: interrupt when complete.
};

/// RingEntryCompletion Offset inside its ring_entry.
struct RingEntryCompletion {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(RingEntryCompletion, uint64_t, fence, 31, 0)  ///< Fence id that completion reports.
};

/// RingEntrySoftware Offset inside its ring_entry.
struct RingEntrySoftware {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(RingEntrySoftware, uint64_t, cookie, 63, 0)  ///< Software's, never interpreted.
};

/// FenceRecordCompletion Offset inside its fence_record.
struct FenceRecordCompletion {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(FenceRecordCompletion, uint64_t, fence, 31, 0)  ///< Fence id of the entry.
  GMMU_FIELD(FenceRecordCompletion, uint64_t, entries, 63, 32)  ///< Entries completed by the ring since it was switched on, modulo 2^32.
};

/// FenceRecordTime Offset inside its fence_record.
struct FenceRecordTime {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(FenceRecordTime, uint64_t, cycle, 63, 0)  ///< GPU cycle at completion.
};

/// FaultRecordWhat Offset inside its fault_record.
struct FaultRecordWhat {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(FaultRecordWhat, Fault, reason, 7, 0)  ///< Reason.
  GMMU_FIELD(FaultRecordWhat, uint64_t, space, 15, 8)  ///< Address space.
  GMMU_FIELD(FaultRecordWhat, uint64_t, port_index, 23, 16)  ///< Translation port: clients first, then paging engine fetch, read, write.
  GMMU_FIELD(FaultRecordWhat, Access, access, 25, 24)  ///< Access.
  GMMU_FIELD(FaultRecordWhat, uint64_t, level, 30, 28)  ///< Level of the entry at fault.
  GMMU_FIELD(FaultRecordWhat, uint64_t, physical, 31, 31)  ///< 1: the address is physical.
  GMMU_FIELD(FaultRecordWhat, uint64_t, fence, 63, 32)  ///< Fence id of the ring entry at work (0 for clients).
};

/// FaultRecordWhere Offset inside its fault_record.
struct FaultRecordWhere {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(FaultRecordWhere, uint64_t, address, 63, 0)  ///< GPU VA, or physical offset.
};

/// FaultRecordWhen Offset inside its fault_record.
struct FaultRecordWhen {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(FaultRecordWhen, uint64_t, cycle, 63, 0)  ///< GPU cycle.
};

/// FaultRecordOrder Offset inside its fault_record.
struct FaultRecordOrder {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(FaultRecordOrder, uint64_t, sequence, 31, 0)  ///< Index of the record since reset.
};

/// CommandHeaderWord Offset inside its command_header.
struct CommandHeaderWord {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(CommandHeaderWord, Opcode, opcode, 7, 0)  ///< Operation.
  GMMU_FIELD(CommandHeaderWord, uint64_t, wait_writes, 8, 8)  ///< 1: begins only after all earlier writes have their B.
  GMMU_FIELD(CommandHeaderWord, uint64_t, irq, 9, 9)  ///< 1: interrupt (signal_fence).
  GMMU_FIELD(CommandHeaderWord, Scope, scope, 11, 10)  ///< Scope (flush_tlb).
  GMMU_FIELD(CommandHeaderWord, uint64_t, src_physical, 12, 12)  ///< 1: source address is physical.
  GMMU_FIELD(CommandHeaderWord, uint64_t, dst_physical, 13, 13)  ///< 1: destination address is physical.
  GMMU_FIELD(CommandHeaderWord, Target, src_target, 15, 14)  ///< Target of a physical source.
  GMMU_FIELD(CommandHeaderWord, Target, dst_target, 17, 16)  ///< Target of a physical destination.
  GMMU_FIELD(CommandHeaderWord, uint64_t, src_space, 31, 24)  ///< Address space of a virtual source.
  GMMU_FIELD(CommandHeaderWord, uint64_t, dst_space, 39, 32)  ///< Address space of a virtual destination, or of flush_tlb.
  GMMU_FIELD(CommandHeaderWord, uint64_t, words, 63, 48)  ///< Command size in 8-byte words, header included.
};

/// CmdCopySource Offset inside its cmd_copy.
struct CmdCopySource {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdCopySource, uint64_t, address, 63, 0)  ///< Source address.
};

/// CmdCopyDestination Offset inside its cmd_copy.
struct CmdCopyDestination {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdCopyDestination, uint64_t, address, 63, 0)  ///< Destination address.
};

/// CmdCopyLength Offset inside its cmd_copy.
struct CmdCopyLength {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(CmdCopyLength, uint64_t, bytes, 47, 0)  ///< Bytes; 0 does nothing.
};

/// CmdFillDestination Offset inside its cmd_fill.
struct CmdFillDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdFillDestination, uint64_t, address, 63, 0)  ///< Destination address.
};

/// CmdFillLength Offset inside its cmd_fill.
struct CmdFillLength {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdFillLength, uint64_t, bytes, 47, 0)  ///< Bytes; 0 does nothing.
};

/// CmdFillValue Offset inside its cmd_fill.
struct CmdFillValue {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(CmdFillValue, uint64_t, pattern, 31, 0)  ///< 32-bit pattern.
};

/// CmdTableWriteDestination Offset inside its cmd_table_write.
struct CmdTableWriteDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableWriteDestination, uint64_t, address, 63, 0)  ///< Address of the first entry, 8-byte aligned.
};

/// CmdTableWriteFirst Offset inside its cmd_table_write.
struct CmdTableWriteFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableWriteFirst, uint64_t, entry, 63, 0)  ///< First entry.
};

/// CmdTableRepeatDestination Offset inside its cmd_table_repeat.
struct CmdTableRepeatDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableRepeatDestination, uint64_t, address, 63, 0)  ///< Address of the first entry, 8-byte aligned.
};

/// CmdTableRepeatCount Offset inside its cmd_table_repeat.
struct CmdTableRepeatCount {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableRepeatCount, uint64_t, entries, 31, 0)  ///< Entries; 0 does nothing.
};

/// CmdTableRepeatFirst Offset inside its cmd_table_repeat.
struct CmdTableRepeatFirst {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableRepeatFirst, uint64_t, entry, 63, 0)  ///< First entry.
};

/// CmdTableRepeatIncrement Offset inside its cmd_table_repeat.
struct CmdTableRepeatIncrement {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  GMMU_FIELD(CmdTableRepeatIncrement, uint64_t, step, 63, 0)  ///< Added from entry to entry.
};

/// CmdApertureMapRange Offset inside its cmd_aperture_map.
struct CmdApertureMapRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureMapRange, uint64_t, page, 31, 0)  ///< First aperture page.
  GMMU_FIELD(CmdApertureMapRange, uint64_t, pages, 63, 32)  ///< Pages.
};

/// CmdApertureMapFirst Offset inside its cmd_aperture_map.
struct CmdApertureMapFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureMapFirst, uint64_t, entry, 63, 0)  ///< Aperture entry of the first page; the page number grows by one from page to page.
};

/// CmdApertureListRange Offset inside its cmd_aperture_list.
struct CmdApertureListRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureListRange, uint64_t, page, 31, 0)  ///< First aperture page.
  GMMU_FIELD(CmdApertureListRange, uint64_t, pages, 63, 32)  ///< Pages, n.
};

/// CmdApertureListFirst Offset inside its cmd_aperture_list.
struct CmdApertureListFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureListFirst, uint64_t, entry, 63, 0)  ///< First aperture entry.
};

/// CmdApertureUnmapRange Offset inside its cmd_aperture_unmap.
struct CmdApertureUnmapRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureUnmapRange, uint64_t, page, 31, 0)  ///< First aperture page.
  GMMU_FIELD(CmdApertureUnmapRange, uint64_t, pages, 63, 32)  ///< Pages.
};

/// CmdApertureUnmapDummy Offset inside its cmd_aperture_unmap.
struct CmdApertureUnmapDummy {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdApertureUnmapDummy, uint64_t, entry, 63, 0)  ///< Aperture entry of the dummy page, the same for every page.
};

/// CmdFlushTlbStart Offset inside its cmd_flush_tlb.
struct CmdFlushTlbStart {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdFlushTlbStart, uint64_t, va, 63, 0)  ///< Start of the range.
};

/// CmdFlushTlbEnd Offset inside its cmd_flush_tlb.
struct CmdFlushTlbEnd {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdFlushTlbEnd, uint64_t, va, 63, 0)  ///< End of the range, exclusive.
};

/// CmdSignalFenceDestination Offset inside its cmd_signal_fence.
struct CmdSignalFenceDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  GMMU_FIELD(CmdSignalFenceDestination, uint64_t, address, 63, 0)  ///< 8-byte aligned address.
};

/// CmdSignalFencePayload Offset inside its cmd_signal_fence.
struct CmdSignalFencePayload {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  GMMU_FIELD(CmdSignalFencePayload, uint64_t, value, 63, 0)  ///< Value.
};

/// PteEntry Offset inside its pte.
struct PteEntry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(PteEntry, uint64_t, valid, 0, 0)  ///< 1: the entry is in use.
  GMMU_FIELD(PteEntry, uint64_t, zero, 1, 1)  ///< 1: reads return 0, writes are dropped. Any level.
  GMMU_FIELD(PteEntry, uint64_t, coherent, 2, 2)  ///< 1: accesses snoop the CPU's caches.
  GMMU_FIELD(PteEntry, uint64_t, read_only, 3, 3)  ///< 1: writes fault. Leaf and large page only.
  GMMU_FIELD(PteEntry, uint64_t, no_execute, 4, 4)  ///< 1: execute accesses fault. Leaf and large page only.
  GMMU_FIELD(PteEntry, uint64_t, large, 5, 5)  ///< Level 1 and above, 1: maps data (large page), 0: names the next lower table. Must be 0 at level 0.
  GMMU_FIELD(PteEntry, Target, target, 7, 6)  ///< Memory of the page or table.
  GMMU_FIELD(PteEntry, uint64_t, contiguous, 8, 8)  ///< Level 0 only (0 above it). 1: one of sixteen entries of an aligned 64 KiB block that agree in everything but the low four bits of page, which count 0 to 15.
  GMMU_FIELD(PteEntry, uint64_t, table_64k, 9, 9)  ///< Level 1, names a table: 1: it is a leaf table of 64 KiB entries. Must be 0 in every other entry, and before minor version 4.
  GMMU_FIELD(PteEntry, uint64_t, software, 11, 10)  ///< Software's, never interpreted.
  GMMU_FIELD(PteEntry, uint64_t, page, 51, 12)  ///< 4 KiB page number of the page or table; 47:12 of a 48-bit address, upper bits must be 0.
  GMMU_FIELD(PteEntry, uint64_t, adapter, 57, 52)  ///< Adapter index, target peer only.
  GMMU_FIELD(PteEntry, uint64_t, segment, 62, 58)  ///< WDDM segment id, never interpreted.
  GMMU_FIELD(PteEntry, uint64_t, reserved63, 63, 63)  ///< Reserved, must be 0.
};

/// ApertureEntryEntry Offset inside its aperture_entry.
struct ApertureEntryEntry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  GMMU_FIELD(ApertureEntryEntry, uint64_t, valid, 0, 0)  ///< 1: the entry is in use.
  GMMU_FIELD(ApertureEntryEntry, uint64_t, coherent, 2, 2)  ///< 1: accesses snoop the CPU's caches.
  GMMU_FIELD(ApertureEntryEntry, uint64_t, page, 51, 12)  ///< Logical 4 KiB page number.
};

#undef GMMU_FIELD

}  // namespace gmmu::regs
