// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/pkg/gmmu.rdl by tools/regs/generate.py. Do not edit.
#pragma once
#include <cstdint>

namespace gmmu::regs {

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
  /// [31:0] 0x554D4D47, the letters GMMU in memory order.
  constexpr uint64_t magic() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr Id& set_magic(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [39:32] Interface version, major.
  constexpr uint64_t major() const { return static_cast<uint64_t>((raw >> 32) & 0xffu); }
  constexpr Id& set_major(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffu) << 32); return *this; }
  /// [47:40] Interface version, minor.
  constexpr uint64_t minor() const { return static_cast<uint64_t>((raw >> 40) & 0xffu); }
  constexpr Id& set_minor(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 40)) | ((static_cast<uint64_t>(v) & 0xffu) << 40); return *this; }
};

/// What was built, part 1.
struct Cap0 {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [7:0] Client ports.
  constexpr uint64_t clients() const { return static_cast<uint64_t>((raw >> 0) & 0xffu); }
  constexpr Cap0& set_clients(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffu) << 0); return *this; }
  /// [15:8] Address spaces.
  constexpr uint64_t spaces() const { return static_cast<uint64_t>((raw >> 8) & 0xffu); }
  constexpr Cap0& set_spaces(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 8)) | ((static_cast<uint64_t>(v) & 0xffu) << 8); return *this; }
  /// [23:16] Walks at once.
  constexpr uint64_t walks() const { return static_cast<uint64_t>((raw >> 16) & 0xffu); }
  constexpr Cap0& set_walks(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 16)) | ((static_cast<uint64_t>(v) & 0xffu) << 16); return *this; }
  /// [31:24] Submission rings.
  constexpr uint64_t rings() const { return static_cast<uint64_t>((raw >> 24) & 0xffu); }
  constexpr Cap0& set_rings(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 24)) | ((static_cast<uint64_t>(v) & 0xffu) << 24); return *this; }
  /// [39:32] Reads in flight of the copy engine.
  constexpr uint64_t reads() const { return static_cast<uint64_t>((raw >> 32) & 0xffu); }
  constexpr Cap0& set_reads(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffu) << 32); return *this; }
  /// [47:40] Bytes of a bus beat.
  constexpr uint64_t bus_bytes() const { return static_cast<uint64_t>((raw >> 40) & 0xffu); }
  constexpr Cap0& set_bus_bytes(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 40)) | ((static_cast<uint64_t>(v) & 0xffu) << 40); return *this; }
  /// [55:48] Widest GPU VA, bits.
  constexpr uint64_t va_bits() const { return static_cast<uint64_t>((raw >> 48) & 0xffu); }
  constexpr Cap0& set_va_bits(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 48)) | ((static_cast<uint64_t>(v) & 0xffu) << 48); return *this; }
  /// [63:56] Physical and logical address width, bits.
  constexpr uint64_t pa_bits() const { return static_cast<uint64_t>((raw >> 56) & 0xffu); }
  constexpr Cap0& set_pa_bits(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 56)) | ((static_cast<uint64_t>(v) & 0xffu) << 56); return *this; }
};

/// What was built, part 2.
struct Cap1 {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [15:0] L1 TLB entries per client.
  constexpr uint64_t l1_entries() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr Cap1& set_l1_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
  /// [31:16] L2 TLB entries (4 KiB sub-entries).
  constexpr uint64_t l2_entries() const { return static_cast<uint64_t>((raw >> 16) & 0xffffu); }
  constexpr Cap1& set_l2_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 16)) | ((static_cast<uint64_t>(v) & 0xffffu) << 16); return *this; }
  /// [39:32] L2 TLB ways.
  constexpr uint64_t l2_ways() const { return static_cast<uint64_t>((raw >> 32) & 0xffu); }
  constexpr Cap1& set_l2_ways(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffu) << 32); return *this; }
  /// [55:40] Walk cache entries per level.
  constexpr uint64_t walk_cache() const { return static_cast<uint64_t>((raw >> 40) & 0xffffu); }
  constexpr Cap1& set_walk_cache(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 40)) | ((static_cast<uint64_t>(v) & 0xffffu) << 40); return *this; }
};

/// Bytes of VRAM behind the VRAM port.
struct VramSize {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t bytes() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr VramSize& set_bytes(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles of the GPU clock since reset release.
struct Cycle {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t cycles() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr Cycle& set_cycles(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Switches of the whole GPU.
struct Ctrl {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  /// [0:0] 1: rings and clients may start work. Cleared by reset.
  constexpr uint64_t enable() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr Ctrl& set_enable(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: the GPU begins no access to VRAM or host memory and no interrupt message, but for accesses through BAR2. What has begun ends, then status.silent is 1. Back to 0: work goes on where it stood. While it is 1, a root written while inv_status.busy is 1 is ignored. From minor version 3 on.
  constexpr uint64_t silence() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr Ctrl& set_silence(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
};

/// State of the whole GPU.
struct Status {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  /// [0:0] 1: nothing is in flight and nothing waits to be issued.
  constexpr uint64_t idle() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr Status& set_idle(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: ctrl.silence is 1, and nothing of the GPU's own is in flight on its memory ports. It stays until ctrl.silence is 0.
  constexpr uint64_t silent() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr Status& set_silent(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
};

/// Byte offset in VRAM that BAR2 offset 0 shows. A write takes effect after all earlier BAR2 accesses.
struct WindowBase {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  /// [47:0] 4 KiB aligned offset.
  constexpr uint64_t offset() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr WindowBase& set_offset(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// What was built, part 3.
struct Cap2 {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  /// [7:0] Accesses in flight of a client.
  constexpr uint64_t client_slots() const { return static_cast<uint64_t>((raw >> 0) & 0xffu); }
  constexpr Cap2& set_client_slots(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffu) << 0); return *this; }
  /// [15:8] Rows of the walk cache, which keeps translations above 64 KiB beside pointers; 255 for more.
  constexpr uint64_t large_entries() const { return static_cast<uint64_t>((raw >> 8) & 0xffu); }
  constexpr Cap2& set_large_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 8)) | ((static_cast<uint64_t>(v) & 0xffu) << 8); return *this; }
  /// [19:16] Page table levels, most.
  constexpr uint64_t levels() const { return static_cast<uint64_t>((raw >> 16) & 0xfu); }
  constexpr Cap2& set_levels(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 16)) | ((static_cast<uint64_t>(v) & 0xfu) << 16); return *this; }
  /// [30:24] Bits of a counter; they wrap.
  constexpr uint64_t counter_bits() const { return static_cast<uint64_t>((raw >> 24) & 0x7fu); }
  constexpr Cap2& set_counter_bits(uint64_t v) { raw = (raw & ~(uint64_t{0x7fu} << 24)) | ((static_cast<uint64_t>(v) & 0x7fu) << 24); return *this; }
  /// [35:32] AXI4 through-ports.
  constexpr uint64_t through_ports() const { return static_cast<uint64_t>((raw >> 32) & 0xfu); }
  constexpr Cap2& set_through_ports(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 32)) | ((static_cast<uint64_t>(v) & 0xfu) << 32); return *this; }
  /// [36:36] 1: the event port is there.
  constexpr uint64_t events() const { return static_cast<uint64_t>((raw >> 36) & 0x1u); }
  constexpr Cap2& set_events(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 36)) | ((static_cast<uint64_t>(v) & 0x1u) << 36); return *this; }
  /// [43:40] Traffic engines know pattern_e value i where bit i is 1.
  constexpr uint64_t patterns() const { return static_cast<uint64_t>((raw >> 40) & 0xfu); }
  constexpr Cap2& set_patterns(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 40)) | ((static_cast<uint64_t>(v) & 0xfu) << 40); return *this; }
  /// [44:44] 1: traffic engines verify.
  constexpr uint64_t verify() const { return static_cast<uint64_t>((raw >> 44) & 0x1u); }
  constexpr Cap2& set_verify(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 44)) | ((static_cast<uint64_t>(v) & 0x1u) << 44); return *this; }
  /// [52:45] Clients 0 to traffic - 1 have a traffic engine; of the others the registers read 0 and ignore writes. Before minor version 2: 0, and every client has one.
  constexpr uint64_t traffic() const { return static_cast<uint64_t>((raw >> 45) & 0xffu); }
  constexpr Cap2& set_traffic(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 45)) | ((static_cast<uint64_t>(v) & 0xffu) << 45); return *this; }
  /// [53:53] 1: sizes_in_use is there. 0: it reads 0 and ignores writes; all that was built is in use.
  constexpr uint64_t turn_down() const { return static_cast<uint64_t>((raw >> 53) & 0x1u); }
  constexpr Cap2& set_turn_down(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 53)) | ((static_cast<uint64_t>(v) & 0x1u) << 53); return *this; }
};

/// How much of the TLBs, the walk cache and the walk table is in use; the rest is as if it were not built. A field of 0 stands for what was built. A write is an operation like a root's: it waits for the one before it (while ctrl.silence is 1 it is ignored instead), and inv_status.busy is 1 until it is done. Everything that was built is emptied, then the new sizes hold: no older translation is in use after it. Values that are not possible (above what was built, or not as the fields say) make the whole write change no size. A read gives the sizes that hold. Cleared by reset: all that was built. If cap2.turn_down is 1.
struct SizesInUse {
  static constexpr uint32_t kOffset = 0x48;
  uint64_t raw = 0;
  /// [15:0] L1 TLB entries per client, at least 2; of the paging engine's ports together the same, but no more than they have.
  constexpr uint64_t l1_entries() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr SizesInUse& set_l1_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
  /// [31:16] L2 TLB entries: a power of two, at least 16 for each way. Sets are l2_entries / 16 / l2_ways, and no more than were built.
  constexpr uint64_t l2_entries() const { return static_cast<uint64_t>((raw >> 16) & 0xffffu); }
  constexpr SizesInUse& set_l2_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 16)) | ((static_cast<uint64_t>(v) & 0xffffu) << 16); return *this; }
  /// [39:32] L2 TLB ways: a power of two.
  constexpr uint64_t l2_ways() const { return static_cast<uint64_t>((raw >> 32) & 0xffu); }
  constexpr SizesInUse& set_l2_ways(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffu) << 32); return *this; }
  /// [55:40] Walk cache entries per level: a power of two, at least 2.
  constexpr uint64_t walk_cache() const { return static_cast<uint64_t>((raw >> 40) & 0xffffu); }
  constexpr SizesInUse& set_walk_cache(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 40)) | ((static_cast<uint64_t>(v) & 0xffffu) << 40); return *this; }
  /// [63:56] Walks at once.
  constexpr uint64_t walks() const { return static_cast<uint64_t>((raw >> 56) & 0xffu); }
  constexpr SizesInUse& set_walks(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 56)) | ((static_cast<uint64_t>(v) & 0xffu) << 56); return *this; }
};

/// Interrupt causes; write 1 to clear. A message is sent when an enabled cause appears, and again after a clear that leaves one standing.
struct IntStatus {
  static constexpr uint32_t kOffset = 0x80;
  uint64_t raw = 0;
  /// [0:0] A ring entry that asks for it has completed, or a monitored fence was signalled with its interrupt bit.
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr IntStatus& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] A ring stopped at an error.
  constexpr uint64_t ring_error() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr IntStatus& set_ring_error(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
  /// [2:2] The fault queue got a record.
  constexpr uint64_t fault() const { return static_cast<uint64_t>((raw >> 2) & 0x1u); }
  constexpr IntStatus& set_fault(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 2)) | ((static_cast<uint64_t>(v) & 0x1u) << 2); return *this; }
  /// [3:3] A client's traffic run ended.
  constexpr uint64_t client() const { return static_cast<uint64_t>((raw >> 3) & 0x1u); }
  constexpr IntStatus& set_client(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 3)) | ((static_cast<uint64_t>(v) & 0x1u) << 3); return *this; }
  /// [4:4] An invalidation asked for by register has completed.
  constexpr uint64_t invalidate() const { return static_cast<uint64_t>((raw >> 4) & 0x1u); }
  constexpr IntStatus& set_invalidate(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 4)) | ((static_cast<uint64_t>(v) & 0x1u) << 4); return *this; }
  /// [5:5] A ring was preempted. Raised when everything that it did before, fence records too, is behind it. From minor version 3 on.
  constexpr uint64_t preempted() const { return static_cast<uint64_t>((raw >> 5) & 0x1u); }
  constexpr IntStatus& set_preempted(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 5)) | ((static_cast<uint64_t>(v) & 0x1u) << 5); return *this; }
};

/// Interrupt enable, same bits.
struct IntEnable {
  static constexpr uint32_t kOffset = 0x88;
  uint64_t raw = 0;
  /// [5:0] 1: the cause sends a message.
  constexpr uint64_t enable() const { return static_cast<uint64_t>((raw >> 0) & 0x3fu); }
  constexpr IntEnable& set_enable(uint64_t v) { raw = (raw & ~(uint64_t{0x3fu} << 0)) | ((static_cast<uint64_t>(v) & 0x3fu) << 0); return *this; }
};

/// Fault queue: base of an array of fault records in system memory. Write while fault_queue_size.enable is 0.
struct FaultQueueBase {
  static constexpr uint32_t kOffset = 0xa0;
  uint64_t raw = 0;
  /// [47:0] 4 KiB aligned logical address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr FaultQueueBase& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// Fault queue size and switch.
struct FaultQueueSize {
  static constexpr uint32_t kOffset = 0xa8;
  uint64_t raw = 0;
  /// [3:0] log2 of the number of records, 1 to 15.
  constexpr uint64_t size_lg2() const { return static_cast<uint64_t>((raw >> 0) & 0xfu); }
  constexpr FaultQueueSize& set_size_lg2(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 0)) | ((static_cast<uint64_t>(v) & 0xfu) << 0); return *this; }
  /// [8:8] 1: faults are written to the queue. 0: they are only counted.
  constexpr uint64_t enable() const { return static_cast<uint64_t>((raw >> 8) & 0x1u); }
  constexpr FaultQueueSize& set_enable(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 8)) | ((static_cast<uint64_t>(v) & 0x1u) << 8); return *this; }
};

/// Index of the record that software reads next (free running modulo size).
struct FaultQueueHead {
  static constexpr uint32_t kOffset = 0xb0;
  uint64_t raw = 0;
  /// [15:0] Record index.
  constexpr uint64_t index() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr FaultQueueHead& set_index(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
};

/// Index of the record that hardware writes next. Moves after the record's write was accepted by the bus.
struct FaultQueueTail {
  static constexpr uint32_t kOffset = 0xb8;
  uint64_t raw = 0;
  /// [15:0] Record index.
  constexpr uint64_t index() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr FaultQueueTail& set_index(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
  /// [47:32] Faults dropped because the queue was full or the bus refused the record, saturating.
  constexpr uint64_t dropped() const { return static_cast<uint64_t>((raw >> 32) & 0xffffu); }
  constexpr FaultQueueTail& set_dropped(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffu) << 32); return *this; }
};

/// Aperture map: VRAM offset of the table of 8-byte aperture entries, 4 KiB aligned. A write drops the map's cache.
struct ApertureBase {
  static constexpr uint32_t kOffset = 0xc0;
  uint64_t raw = 0;
  /// [47:0] VRAM byte offset.
  constexpr uint64_t offset() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr ApertureBase& set_offset(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// Aperture size.
struct AperturePages {
  static constexpr uint32_t kOffset = 0xc8;
  uint64_t raw = 0;
  /// [31:0] 4 KiB pages; 0 switches the aperture off.
  constexpr uint64_t pages() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr AperturePages& set_pages(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// Linked adapters. Written while the GPU is idle. From minor version 4 on.
struct Link {
  static constexpr uint32_t kOffset = 0xd0;
  uint64_t raw = 0;
  /// [2:0] How many adapters are linked, this one among them; 0 or 1: none. An access with target peer to an adapter that is not below it ends with peer_absent.
  constexpr uint64_t adapters() const { return static_cast<uint64_t>((raw >> 0) & 0x7u); }
  constexpr Link& set_adapters(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 0)) | ((static_cast<uint64_t>(v) & 0x7u) << 0); return *this; }
  /// [10:8] Index of this adapter: an access with target peer to its own index ends with peer_absent.
  constexpr uint64_t own() const { return static_cast<uint64_t>((raw >> 8) & 0x7u); }
  constexpr Link& set_own(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 8)) | ((static_cast<uint64_t>(v) & 0x7u) << 8); return *this; }
};

/// Invalidate by register: first address of a range.
struct InvStart {
  static constexpr uint32_t kOffset = 0x100;
  uint64_t raw = 0;
  /// [63:0] GPU VA.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr InvStart& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Invalidate by register: end of a range (exclusive).
struct InvEnd {
  static constexpr uint32_t kOffset = 0x108;
  uint64_t raw = 0;
  /// [63:0] GPU VA.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr InvEnd& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// A write starts an invalidation. Not to be written while inv_status.busy is 1 (ignored then).
struct InvCmd {
  static constexpr uint32_t kOffset = 0x110;
  uint64_t raw = 0;
  /// [1:0] What to drop.
  constexpr Scope scope() const { return static_cast<Scope>((raw >> 0) & 0x3u); }
  constexpr InvCmd& set_scope(Scope v) { raw = (raw & ~(uint64_t{0x3u} << 0)) | ((static_cast<uint64_t>(v) & 0x3u) << 0); return *this; }
  /// [13:8] Address space of scopes space and range.
  constexpr uint64_t space() const { return static_cast<uint64_t>((raw >> 8) & 0x3fu); }
  constexpr InvCmd& set_space(uint64_t v) { raw = (raw & ~(uint64_t{0x3fu} << 8)) | ((static_cast<uint64_t>(v) & 0x3fu) << 8); return *this; }
};

/// Invalidation and address space updates by register.
struct InvStatus {
  static constexpr uint32_t kOffset = 0x118;
  uint64_t raw = 0;
  /// [0:0] 1: an invalidation or an address space update is under way.
  constexpr uint64_t busy() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr InvStatus& set_busy(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [63:32] Completed so far, modulo 2^32.
  constexpr uint64_t done() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr InvStatus& set_done(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

inline constexpr uint32_t kRingBase = 0x1000;
inline constexpr uint32_t kRingStride = 0x100;
inline constexpr uint32_t kRingCount = 4;
/// Ring: base of an array of ring entries. Write while ctrl.enable is 0. Offset inside its ring.
struct RingBase {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [47:0] 4 KiB aligned address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr RingBase& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
  /// [49:48] Memory that holds the ring.
  constexpr Target target() const { return static_cast<Target>((raw >> 48) & 0x3u); }
  constexpr RingBase& set_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 48)) | ((static_cast<uint64_t>(v) & 0x3u) << 48); return *this; }
};

/// Ring switches. Offset inside its ring.
struct RingCtrl {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [3:0] log2 of the number of entries, 1 to 15.
  constexpr uint64_t size_lg2() const { return static_cast<uint64_t>((raw >> 0) & 0xfu); }
  constexpr RingCtrl& set_size_lg2(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 0)) | ((static_cast<uint64_t>(v) & 0xfu) << 0); return *this; }
  /// [8:8] 1: the ring runs. 0 to 1 clears head, error, preempted and last fence.
  constexpr uint64_t enable() const { return static_cast<uint64_t>((raw >> 8) & 0x1u); }
  constexpr RingCtrl& set_enable(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 8)) | ((static_cast<uint64_t>(v) & 0x1u) << 8); return *this; }
  /// [9:9] 1: physical addresses, table and aperture commands are allowed.
  constexpr uint64_t privileged() const { return static_cast<uint64_t>((raw >> 9) & 0x1u); }
  constexpr RingCtrl& set_privileged(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 9)) | ((static_cast<uint64_t>(v) & 0x1u) << 9); return *this; }
  /// [10:10] 1 while enable is 1: the ring starts no further entry and stops the one at work in front of its next command; then status.preempted is 1. Taken back before, it may be preempted or not. From minor version 3 on.
  constexpr uint64_t preempt() const { return static_cast<uint64_t>((raw >> 10) & 0x1u); }
  constexpr RingCtrl& set_preempt(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 10)) | ((static_cast<uint64_t>(v) & 0x1u) << 10); return *this; }
};

/// Doorbell: index of the entry that software writes next, below the ring's size. Takes effect after all earlier BAR2 writes have been done. Offset inside its ring.
struct RingTail {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [15:0] Entry index.
  constexpr uint64_t index() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr RingTail& set_index(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
};

/// Index of the entry that hardware takes next. Offset inside its ring.
struct RingHead {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [15:0] Entry index.
  constexpr uint64_t index() const { return static_cast<uint64_t>((raw >> 0) & 0xffffu); }
  constexpr RingHead& set_index(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffu) << 0); return *this; }
};

/// Where the fence record of the ring is written. Offset inside its ring.
struct RingFenceAddress {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [47:0] 16-byte aligned logical address in system memory.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr RingFenceAddress& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// Ring state. Offset inside its ring.
struct RingStatus {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  /// [0:0] 1: an entry is being worked on.
  constexpr uint64_t busy() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr RingStatus& set_busy(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: stopped at an error; leaves by writing ctrl.enable 0 then 1.
  constexpr uint64_t error() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr RingStatus& set_error(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
  /// [2:2] 1: preempted, with nothing of the ring in flight; leaves by writing ctrl.enable 0 then 1. Never together with error.
  constexpr uint64_t preempted() const { return static_cast<uint64_t>((raw >> 2) & 0x1u); }
  constexpr RingStatus& set_preempted(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 2)) | ((static_cast<uint64_t>(v) & 0x1u) << 2); return *this; }
  /// [15:8] Why it stopped.
  constexpr Fault reason() const { return static_cast<Fault>((raw >> 8) & 0xffu); }
  constexpr RingStatus& set_reason(Fault v) { raw = (raw & ~(uint64_t{0xffu} << 8)) | ((static_cast<uint64_t>(v) & 0xffu) << 8); return *this; }
  /// [17:16] Access that failed.
  constexpr Access access() const { return static_cast<Access>((raw >> 16) & 0x3u); }
  constexpr RingStatus& set_access(Access v) { raw = (raw & ~(uint64_t{0x3u} << 16)) | ((static_cast<uint64_t>(v) & 0x3u) << 16); return *this; }
  /// [22:20] Level of the entry at fault.
  constexpr uint64_t level() const { return static_cast<uint64_t>((raw >> 20) & 0x7u); }
  constexpr RingStatus& set_level(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 20)) | ((static_cast<uint64_t>(v) & 0x7u) << 20); return *this; }
  /// [63:32] Fence id of the ring entry at fault, or of the one that preemption interrupted (0: none; then everything before head is complete).
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr RingStatus& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Fence id of the last entry completed. Offset inside its ring.
struct RingLastFence {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  /// [31:0] Fence id.
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr RingLastFence& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// Where the ring stopped: byte offset, within its paging buffer, of the command at fault, or of the first command not begun when preemption interrupted an entry. Offset inside its ring.
struct RingErrorCommand {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  /// [31:0] Bytes.
  constexpr uint64_t offset() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr RingErrorCommand& set_offset(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] First word of the command at fault, low half; 0 after a preemption.
  constexpr uint64_t header() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr RingErrorCommand& set_header(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Address whose access failed (GPU VA, or physical offset). Offset inside its ring.
struct RingErrorAddress {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  /// [63:0] Address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr RingErrorAddress& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

inline constexpr uint32_t kSpaceBase = 0x2000;
inline constexpr uint32_t kSpaceStride = 0x10;
inline constexpr uint32_t kSpaceCount = 64;
/// Geometry, used at the next write of root. Offset inside its space.
struct SpaceGeometry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [2:0] Page table levels, 2 to 6.
  constexpr uint64_t levels() const { return static_cast<uint64_t>((raw >> 0) & 0x7u); }
  constexpr SpaceGeometry& set_levels(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 0)) | ((static_cast<uint64_t>(v) & 0x7u) << 0); return *this; }
  /// [4:4] 1: an entry of level 1 is a pair of 16 bytes: 4 KiB half, 64 KiB half. Needs bits1 of at most 12 and bits0 of at least 4. From minor version 4 on.
  constexpr uint64_t dual() const { return static_cast<uint64_t>((raw >> 4) & 0x1u); }
  constexpr SpaceGeometry& set_dual(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 4)) | ((static_cast<uint64_t>(v) & 0x1u) << 4); return *this; }
  /// [11:8] Index bits of level 0 (leaf).
  constexpr uint64_t bits0() const { return static_cast<uint64_t>((raw >> 8) & 0xfu); }
  constexpr SpaceGeometry& set_bits0(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 8)) | ((static_cast<uint64_t>(v) & 0xfu) << 8); return *this; }
  /// [15:12] Index bits of level 1.
  constexpr uint64_t bits1() const { return static_cast<uint64_t>((raw >> 12) & 0xfu); }
  constexpr SpaceGeometry& set_bits1(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 12)) | ((static_cast<uint64_t>(v) & 0xfu) << 12); return *this; }
  /// [19:16] Index bits of level 2.
  constexpr uint64_t bits2() const { return static_cast<uint64_t>((raw >> 16) & 0xfu); }
  constexpr SpaceGeometry& set_bits2(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 16)) | ((static_cast<uint64_t>(v) & 0xfu) << 16); return *this; }
  /// [23:20] Index bits of level 3.
  constexpr uint64_t bits3() const { return static_cast<uint64_t>((raw >> 20) & 0xfu); }
  constexpr SpaceGeometry& set_bits3(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 20)) | ((static_cast<uint64_t>(v) & 0xfu) << 20); return *this; }
  /// [27:24] Index bits of level 4.
  constexpr uint64_t bits4() const { return static_cast<uint64_t>((raw >> 24) & 0xfu); }
  constexpr SpaceGeometry& set_bits4(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 24)) | ((static_cast<uint64_t>(v) & 0xfu) << 24); return *this; }
  /// [31:28] Index bits of level 5.
  constexpr uint64_t bits5() const { return static_cast<uint64_t>((raw >> 28) & 0xfu); }
  constexpr SpaceGeometry& set_bits5(uint64_t v) { raw = (raw & ~(uint64_t{0xfu} << 28)) | ((static_cast<uint64_t>(v) & 0xfu) << 28); return *this; }
  /// [63:32] Entries of the root table (pairs, if it is of level 1 and dual = 1); a root index at or above it faults.
  constexpr uint64_t root_entries() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr SpaceGeometry& set_root_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Root table. A write commits geometry and root; if either changed, the space is flushed. Takes effect after all earlier BAR2 writes. inv_status.busy is 1 until done. Offset inside its space.
struct SpaceRoot {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [47:0] 4 KiB aligned address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr SpaceRoot& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
  /// [49:48] Memory that holds the root.
  constexpr Target target() const { return static_cast<Target>((raw >> 48) & 0x3u); }
  constexpr SpaceRoot& set_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 48)) | ((static_cast<uint64_t>(v) & 0x3u) << 48); return *this; }
  /// [63:63] 1: the space is enabled.
  constexpr uint64_t enable() const { return static_cast<uint64_t>((raw >> 63) & 0x1u); }
  constexpr SpaceRoot& set_enable(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 63)) | ((static_cast<uint64_t>(v) & 0x1u) << 63); return *this; }
};

inline constexpr uint32_t kClientBase = 0x4000;
inline constexpr uint32_t kClientStride = 0x40;
inline constexpr uint32_t kClientCount = 64;
/// A write with start = 1 begins a run (ignored while busy). Offset inside its client.
struct ClientCtrl {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [0:0] Starts.
  constexpr uint64_t start() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr ClientCtrl& set_start(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: data is the address pattern: the 8-byte word at v carries seed ^ v ^ rotl(v, 21) ^ rotl(v, 42), and reads of patterns order and random count the words that differ. With access write, the run writes all lines first, then reads them all back.
  constexpr uint64_t verify() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr ClientCtrl& set_verify(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
  /// [3:2] Access kind of the run.
  constexpr Access access() const { return static_cast<Access>((raw >> 2) & 0x3u); }
  constexpr ClientCtrl& set_access(Access v) { raw = (raw & ~(uint64_t{0x3u} << 2)) | ((static_cast<uint64_t>(v) & 0x3u) << 2); return *this; }
  /// [5:4] Which lines.
  constexpr Pattern pattern() const { return static_cast<Pattern>((raw >> 4) & 0x3u); }
  constexpr ClientCtrl& set_pattern(Pattern v) { raw = (raw & ~(uint64_t{0x3u} << 4)) | ((static_cast<uint64_t>(v) & 0x3u) << 4); return *this; }
  /// [13:8] Address space.
  constexpr uint64_t space() const { return static_cast<uint64_t>((raw >> 8) & 0x3fu); }
  constexpr ClientCtrl& set_space(uint64_t v) { raw = (raw & ~(uint64_t{0x3fu} << 8)) | ((static_cast<uint64_t>(v) & 0x3fu) << 8); return *this; }
  /// [23:16] Most accesses in flight; 0: as many as built.
  constexpr uint64_t depth() const { return static_cast<uint64_t>((raw >> 16) & 0xffu); }
  constexpr ClientCtrl& set_depth(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 16)) | ((static_cast<uint64_t>(v) & 0xffu) << 16); return *this; }
  /// [29:24] log2 of the footprint in lines, 0 to 32: the line number of patterns order and random is taken modulo 2^footprint_lg2. 0: not reduced (pattern random: 32).
  constexpr uint64_t footprint_lg2() const { return static_cast<uint64_t>((raw >> 24) & 0x3fu); }
  constexpr ClientCtrl& set_footprint_lg2(uint64_t v) { raw = (raw & ~(uint64_t{0x3fu} << 24)) | ((static_cast<uint64_t>(v) & 0x3fu) << 24); return *this; }
};

/// GPU VA of line 0, 64-byte aligned. Writes to this and the next three registers are ignored while busy. Offset inside its client.
struct ClientBase {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] GPU VA.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr ClientBase& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Line numbers are 32 bits. Pattern order: lines accessed are base + 64 * (first + stride * k), k in [0, count). Pattern random: base + 64 * x_i, i in [1, count], where x_i is state i of xorshift32 (x ^= x << 13, x ^= x >> 17, x ^= x << 5) from x_0 = seed[31:0] ^ seed[63:32] (1 where that is 0). Pattern chase: the first is base + 64 * first. Offset inside its client.
struct ClientLines {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [31:0] First line.
  constexpr uint64_t first() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr ClientLines& set_first(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Stride, lines.
  constexpr uint64_t stride() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr ClientLines& set_stride(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Number of accesses. Pattern order: k starts at 0 and goes to (k + step) mod count, count times. Offset inside its client.
struct ClientOrder {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [31:0] Accesses (verified writes: count writes and count reads).
  constexpr uint64_t count() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr ClientOrder& set_count(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Step, below count (1: in sequence).
  constexpr uint64_t step() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr ClientOrder& set_step(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Seed of pattern random and of the data that writes carry: without verify, 64-bit word w of the access sequence is seed + w. Offset inside its client.
struct ClientSeed {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [63:0] Seed.
  constexpr uint64_t value() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr ClientSeed& set_value(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// State of the run. Offset inside its client.
struct ClientStatus {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  /// [0:0] 1: running.
  constexpr uint64_t busy() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr ClientStatus& set_busy(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: the last run ended at a fault; no access was begun after it.
  constexpr uint64_t fault() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr ClientStatus& set_fault(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
  /// [15:8] Why.
  constexpr Fault reason() const { return static_cast<Fault>((raw >> 8) & 0xffu); }
  constexpr ClientStatus& set_reason(Fault v) { raw = (raw & ~(uint64_t{0xffu} << 8)) | ((static_cast<uint64_t>(v) & 0xffu) << 8); return *this; }
  /// [18:16] Level of the entry at fault.
  constexpr uint64_t level() const { return static_cast<uint64_t>((raw >> 16) & 0x7u); }
  constexpr ClientStatus& set_level(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 16)) | ((static_cast<uint64_t>(v) & 0x7u) << 16); return *this; }
  /// [63:32] Accesses completed without a fault.
  constexpr uint64_t count() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr ClientStatus& set_count(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// What the run's reads gave. Offset inside its client.
struct ClientResult {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  /// [31:0] CRC-32C over the bytes read, in access order (reflected, initial and final inversion done).
  constexpr uint64_t crc() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr ClientResult& set_crc(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] 8-byte words that differed from the address pattern (runs with verify), saturating.
  constexpr uint64_t mismatches() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr ClientResult& set_mismatches(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// Address of the first access that faulted. Offset inside its client.
struct ClientFaultAddress {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  /// [63:0] GPU VA.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr ClientFaultAddress& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

inline constexpr uint32_t kPortCountersBase = 0x8000;
inline constexpr uint32_t kPortCountersStride = 0x40;
inline constexpr uint32_t kPortCountersCount = 69;
/// Lookups: accepted requests (unit: requests). lookups = hits + misses + merged + faults when idle. Offset inside its port_counters.
struct PortCountersLookups {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersLookups& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Answered from the L1 TLB (requests). Offset inside its port_counters.
struct PortCountersHits {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersHits& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Sent on to the L2 TLB and answered from it or by a walk of their own (requests). Offset inside its port_counters.
struct PortCountersMisses {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersMisses& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Answered by another request's miss or walk (requests). Offset inside its port_counters.
struct PortCountersMerged {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersMerged& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Answered with a fault (requests). Offset inside its port_counters.
struct PortCountersFaults {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersFaults& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles summed over all lookups from accept to answer. Offset inside its port_counters.
struct PortCountersCycles {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr PortCountersCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

inline constexpr uint32_t kCountersBase = 0xa000;
/// L2 TLB lookups (requests). Offset inside its counters.
struct CountersL2Lookups {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Lookups& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// L2 TLB hits. Offset inside its counters.
struct CountersL2Hits {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Hits& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// L2 TLB misses that began a walk. Offset inside its counters.
struct CountersL2Misses {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Misses& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// L2 TLB misses that joined a walk under way. Offset inside its counters.
struct CountersL2Merged {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [63:0] Requests.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Merged& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// L2 TLB blocks filled. Offset inside its counters.
struct CountersL2Fills {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [63:0] Fills.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Fills& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// L2 TLB blocks evicted. Offset inside its counters.
struct CountersL2Evictions {
  static constexpr uint32_t kOffset = 0x28;
  uint64_t raw = 0;
  /// [63:0] Evictions.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersL2Evictions& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walks begun. Offset inside its counters.
struct CountersWalks {
  static constexpr uint32_t kOffset = 0x30;
  uint64_t raw = 0;
  /// [63:0] Walks.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalks& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walks that ended in a translation. Offset inside its counters.
struct CountersWalksOk {
  static constexpr uint32_t kOffset = 0x38;
  uint64_t raw = 0;
  /// [63:0] Walks.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalksOk& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walks that ended in a fault. Offset inside its counters.
struct CountersWalksFault {
  static constexpr uint32_t kOffset = 0x40;
  uint64_t raw = 0;
  /// [63:0] Walks.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalksFault& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walks done again because an invalidation overtook them. Offset inside its counters.
struct CountersWalksRedone {
  static constexpr uint32_t kOffset = 0x48;
  uint64_t raw = 0;
  /// [63:0] Walks.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalksRedone& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Table reads issued. Offset inside its counters.
struct CountersTableReads {
  static constexpr uint32_t kOffset = 0x50;
  uint64_t raw = 0;
  /// [63:0] Bursts.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersTableReads& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles in which rows waited for the bus to accept a table read, summed over rows. Offset inside its counters.
struct CountersWalkIssueCycles {
  static constexpr uint32_t kOffset = 0x58;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalkIssueCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles in which rows waited for table data, summed over rows. Offset inside its counters.
struct CountersWalkMemoryCycles {
  static constexpr uint32_t kOffset = 0x60;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalkMemoryCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles in which rows were occupied, summed over rows. Offset inside its counters.
struct CountersWalkCycles {
  static constexpr uint32_t kOffset = 0x68;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWalkCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walk cache lookups. Offset inside its counters.
struct CountersWcLookups {
  static constexpr uint32_t kOffset = 0x70;
  uint64_t raw = 0;
  /// [63:0] Lookups.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWcLookups& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Walk cache hits at any level. Offset inside its counters.
struct CountersWcHits {
  static constexpr uint32_t kOffset = 0x78;
  uint64_t raw = 0;
  /// [63:0] Lookups.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersWcHits& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Invalidations completed. Offset inside its counters.
struct CountersInvalidations {
  static constexpr uint32_t kOffset = 0x80;
  uint64_t raw = 0;
  /// [63:0] Invalidations.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersInvalidations& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles from an invalidation's begin to its end, summed. Offset inside its counters.
struct CountersInvalidationCycles {
  static constexpr uint32_t kOffset = 0x88;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersInvalidationCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Aperture lookups. Offset inside its counters.
struct CountersApLookups {
  static constexpr uint32_t kOffset = 0x90;
  uint64_t raw = 0;
  /// [63:0] Lookups.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersApLookups& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Aperture lookups answered from the map's cache. Offset inside its counters.
struct CountersApHits {
  static constexpr uint32_t kOffset = 0x98;
  uint64_t raw = 0;
  /// [63:0] Lookups.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersApHits& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Ring entries completed. Offset inside its counters.
struct CountersRingEntries {
  static constexpr uint32_t kOffset = 0xa0;
  uint64_t raw = 0;
  /// [63:0] Entries.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersRingEntries& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Commands completed. Offset inside its counters.
struct CountersCommands {
  static constexpr uint32_t kOffset = 0xa8;
  uint64_t raw = 0;
  /// [63:0] Commands.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersCommands& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes read by copies. Offset inside its counters.
struct CountersCopyReadBytes {
  static constexpr uint32_t kOffset = 0xb0;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersCopyReadBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes written by copies, fills and table commands. Offset inside its counters.
struct CountersCopyWriteBytes {
  static constexpr uint32_t kOffset = 0xb8;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersCopyWriteBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles in which the paging engine was busy. Offset inside its counters.
struct CountersEngineCycles {
  static constexpr uint32_t kOffset = 0xc0;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersEngineCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Interrupt messages sent. Offset inside its counters.
struct CountersMessages {
  static constexpr uint32_t kOffset = 0xc8;
  uint64_t raw = 0;
  /// [63:0] Messages.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersMessages& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Fault records written. Offset inside its counters.
struct CountersFaultRecords {
  static constexpr uint32_t kOffset = 0xd0;
  uint64_t raw = 0;
  /// [63:0] Records.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersFaultRecords& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes read through the VRAM port. Offset inside its counters.
struct CountersVramReadBytes {
  static constexpr uint32_t kOffset = 0xd8;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersVramReadBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes written through the VRAM port. Offset inside its counters.
struct CountersVramWriteBytes {
  static constexpr uint32_t kOffset = 0xe0;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersVramWriteBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes read through the host port. Offset inside its counters.
struct CountersHostReadBytes {
  static constexpr uint32_t kOffset = 0xe8;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersHostReadBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes written through the host port. Offset inside its counters.
struct CountersHostWriteBytes {
  static constexpr uint32_t kOffset = 0xf0;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersHostWriteBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes read by clients. Offset inside its counters.
struct CountersClientReadBytes {
  static constexpr uint32_t kOffset = 0xf8;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersClientReadBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Bytes written by clients. Offset inside its counters.
struct CountersClientWriteBytes {
  static constexpr uint32_t kOffset = 0x100;
  uint64_t raw = 0;
  /// [63:0] Bytes.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersClientWriteBytes& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// Cycles in which at least one client run was busy. Offset inside its counters.
struct CountersClientCycles {
  static constexpr uint32_t kOffset = 0x108;
  uint64_t raw = 0;
  /// [63:0] Cycles.
  constexpr uint64_t n() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CountersClientCycles& set_n(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// RingEntryBuffer Offset inside its ring_entry.
struct RingEntryBuffer {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [63:0] Address of the paging buffer, 8-byte aligned: GPU VA, or physical offset if physical is 1.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr RingEntryBuffer& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// RingEntryShape Offset inside its ring_entry.
struct RingEntryShape {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [31:0] Bytes of commands, a multiple of 8.
  constexpr uint64_t bytes() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr RingEntryShape& set_bytes(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [32:32] 1: address is physical, in target.
  constexpr uint64_t physical() const { return static_cast<uint64_t>((raw >> 32) & 0x1u); }
  constexpr RingEntryShape& set_physical(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 32)) | ((static_cast<uint64_t>(v) & 0x1u) << 32); return *this; }
  /// [35:34] Target of a physical address.
  constexpr Target target() const { return static_cast<Target>((raw >> 34) & 0x3u); }
  constexpr RingEntryShape& set_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 34)) | ((static_cast<uint64_t>(v) & 0x3u) << 34); return *this; }
  /// [47:40] Address space of a virtual buffer.
  constexpr uint64_t space() const { return static_cast<uint64_t>((raw >> 40) & 0xffu); }
  constexpr RingEntryShape& set_space(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 40)) | ((static_cast<uint64_t>(v) & 0xffu) << 40); return *this; }
  /// [48:48] 1: interrupt when complete.
  constexpr uint64_t irq() const { return static_cast<uint64_t>((raw >> 48) & 0x1u); }
  constexpr RingEntryShape& set_irq(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 48)) | ((static_cast<uint64_t>(v) & 0x1u) << 48); return *this; }
};

/// RingEntryCompletion Offset inside its ring_entry.
struct RingEntryCompletion {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [31:0] Fence id that completion reports.
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr RingEntryCompletion& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// RingEntrySoftware Offset inside its ring_entry.
struct RingEntrySoftware {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [63:0] Software's, never interpreted.
  constexpr uint64_t cookie() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr RingEntrySoftware& set_cookie(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// FenceRecordCompletion Offset inside its fence_record.
struct FenceRecordCompletion {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [31:0] Fence id of the entry.
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr FenceRecordCompletion& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Entries completed by the ring since it was switched on, modulo 2^32.
  constexpr uint64_t entries() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr FenceRecordCompletion& set_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// FenceRecordTime Offset inside its fence_record.
struct FenceRecordTime {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] GPU cycle at completion.
  constexpr uint64_t cycle() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr FenceRecordTime& set_cycle(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// FaultRecordWhat Offset inside its fault_record.
struct FaultRecordWhat {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [7:0] Reason.
  constexpr Fault reason() const { return static_cast<Fault>((raw >> 0) & 0xffu); }
  constexpr FaultRecordWhat& set_reason(Fault v) { raw = (raw & ~(uint64_t{0xffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffu) << 0); return *this; }
  /// [15:8] Address space.
  constexpr uint64_t space() const { return static_cast<uint64_t>((raw >> 8) & 0xffu); }
  constexpr FaultRecordWhat& set_space(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 8)) | ((static_cast<uint64_t>(v) & 0xffu) << 8); return *this; }
  /// [23:16] Translation port: clients first, then paging engine fetch, read, write.
  constexpr uint64_t port_index() const { return static_cast<uint64_t>((raw >> 16) & 0xffu); }
  constexpr FaultRecordWhat& set_port_index(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 16)) | ((static_cast<uint64_t>(v) & 0xffu) << 16); return *this; }
  /// [25:24] Access.
  constexpr Access access() const { return static_cast<Access>((raw >> 24) & 0x3u); }
  constexpr FaultRecordWhat& set_access(Access v) { raw = (raw & ~(uint64_t{0x3u} << 24)) | ((static_cast<uint64_t>(v) & 0x3u) << 24); return *this; }
  /// [30:28] Level of the entry at fault.
  constexpr uint64_t level() const { return static_cast<uint64_t>((raw >> 28) & 0x7u); }
  constexpr FaultRecordWhat& set_level(uint64_t v) { raw = (raw & ~(uint64_t{0x7u} << 28)) | ((static_cast<uint64_t>(v) & 0x7u) << 28); return *this; }
  /// [31:31] 1: the address is physical.
  constexpr uint64_t physical() const { return static_cast<uint64_t>((raw >> 31) & 0x1u); }
  constexpr FaultRecordWhat& set_physical(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 31)) | ((static_cast<uint64_t>(v) & 0x1u) << 31); return *this; }
  /// [63:32] Fence id of the ring entry at work (0 for clients).
  constexpr uint64_t fence() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr FaultRecordWhat& set_fence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// FaultRecordWhere Offset inside its fault_record.
struct FaultRecordWhere {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] GPU VA, or physical offset.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr FaultRecordWhere& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// FaultRecordWhen Offset inside its fault_record.
struct FaultRecordWhen {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] GPU cycle.
  constexpr uint64_t cycle() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr FaultRecordWhen& set_cycle(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// FaultRecordOrder Offset inside its fault_record.
struct FaultRecordOrder {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [31:0] Index of the record since reset.
  constexpr uint64_t sequence() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr FaultRecordOrder& set_sequence(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// CommandHeaderWord Offset inside its command_header.
struct CommandHeaderWord {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [7:0] Operation.
  constexpr Opcode opcode() const { return static_cast<Opcode>((raw >> 0) & 0xffu); }
  constexpr CommandHeaderWord& set_opcode(Opcode v) { raw = (raw & ~(uint64_t{0xffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffu) << 0); return *this; }
  /// [8:8] 1: begins only after all earlier writes have their B.
  constexpr uint64_t wait_writes() const { return static_cast<uint64_t>((raw >> 8) & 0x1u); }
  constexpr CommandHeaderWord& set_wait_writes(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 8)) | ((static_cast<uint64_t>(v) & 0x1u) << 8); return *this; }
  /// [9:9] 1: interrupt (signal_fence).
  constexpr uint64_t irq() const { return static_cast<uint64_t>((raw >> 9) & 0x1u); }
  constexpr CommandHeaderWord& set_irq(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 9)) | ((static_cast<uint64_t>(v) & 0x1u) << 9); return *this; }
  /// [11:10] Scope (flush_tlb).
  constexpr Scope scope() const { return static_cast<Scope>((raw >> 10) & 0x3u); }
  constexpr CommandHeaderWord& set_scope(Scope v) { raw = (raw & ~(uint64_t{0x3u} << 10)) | ((static_cast<uint64_t>(v) & 0x3u) << 10); return *this; }
  /// [12:12] 1: source address is physical.
  constexpr uint64_t src_physical() const { return static_cast<uint64_t>((raw >> 12) & 0x1u); }
  constexpr CommandHeaderWord& set_src_physical(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 12)) | ((static_cast<uint64_t>(v) & 0x1u) << 12); return *this; }
  /// [13:13] 1: destination address is physical.
  constexpr uint64_t dst_physical() const { return static_cast<uint64_t>((raw >> 13) & 0x1u); }
  constexpr CommandHeaderWord& set_dst_physical(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 13)) | ((static_cast<uint64_t>(v) & 0x1u) << 13); return *this; }
  /// [15:14] Target of a physical source.
  constexpr Target src_target() const { return static_cast<Target>((raw >> 14) & 0x3u); }
  constexpr CommandHeaderWord& set_src_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 14)) | ((static_cast<uint64_t>(v) & 0x3u) << 14); return *this; }
  /// [17:16] Target of a physical destination.
  constexpr Target dst_target() const { return static_cast<Target>((raw >> 16) & 0x3u); }
  constexpr CommandHeaderWord& set_dst_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 16)) | ((static_cast<uint64_t>(v) & 0x3u) << 16); return *this; }
  /// [31:24] Address space of a virtual source.
  constexpr uint64_t src_space() const { return static_cast<uint64_t>((raw >> 24) & 0xffu); }
  constexpr CommandHeaderWord& set_src_space(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 24)) | ((static_cast<uint64_t>(v) & 0xffu) << 24); return *this; }
  /// [39:32] Address space of a virtual destination, or of flush_tlb.
  constexpr uint64_t dst_space() const { return static_cast<uint64_t>((raw >> 32) & 0xffu); }
  constexpr CommandHeaderWord& set_dst_space(uint64_t v) { raw = (raw & ~(uint64_t{0xffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffu) << 32); return *this; }
  /// [63:48] Command size in 8-byte words, header included.
  constexpr uint64_t words() const { return static_cast<uint64_t>((raw >> 48) & 0xffffu); }
  constexpr CommandHeaderWord& set_words(uint64_t v) { raw = (raw & ~(uint64_t{0xffffu} << 48)) | ((static_cast<uint64_t>(v) & 0xffffu) << 48); return *this; }
};

/// CmdCopySource Offset inside its cmd_copy.
struct CmdCopySource {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Source address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdCopySource& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdCopyDestination Offset inside its cmd_copy.
struct CmdCopyDestination {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Destination address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdCopyDestination& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdCopyLength Offset inside its cmd_copy.
struct CmdCopyLength {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [47:0] Bytes; 0 does nothing.
  constexpr uint64_t bytes() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr CmdCopyLength& set_bytes(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// CmdFillDestination Offset inside its cmd_fill.
struct CmdFillDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Destination address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdFillDestination& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdFillLength Offset inside its cmd_fill.
struct CmdFillLength {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [47:0] Bytes; 0 does nothing.
  constexpr uint64_t bytes() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffu); }
  constexpr CmdFillLength& set_bytes(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffu) << 0); return *this; }
};

/// CmdFillValue Offset inside its cmd_fill.
struct CmdFillValue {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [31:0] 32-bit pattern.
  constexpr uint64_t pattern() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr CmdFillValue& set_pattern(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// CmdTableWriteDestination Offset inside its cmd_table_write.
struct CmdTableWriteDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Address of the first entry, 8-byte aligned.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdTableWriteDestination& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdTableWriteFirst Offset inside its cmd_table_write.
struct CmdTableWriteFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] First entry.
  constexpr uint64_t entry() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdTableWriteFirst& set_entry(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdTableRepeatDestination Offset inside its cmd_table_repeat.
struct CmdTableRepeatDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Address of the first entry, 8-byte aligned.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdTableRepeatDestination& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdTableRepeatCount Offset inside its cmd_table_repeat.
struct CmdTableRepeatCount {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [31:0] Entries; 0 does nothing.
  constexpr uint64_t entries() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr CmdTableRepeatCount& set_entries(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
};

/// CmdTableRepeatFirst Offset inside its cmd_table_repeat.
struct CmdTableRepeatFirst {
  static constexpr uint32_t kOffset = 0x18;
  uint64_t raw = 0;
  /// [63:0] First entry.
  constexpr uint64_t entry() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdTableRepeatFirst& set_entry(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdTableRepeatIncrement Offset inside its cmd_table_repeat.
struct CmdTableRepeatIncrement {
  static constexpr uint32_t kOffset = 0x20;
  uint64_t raw = 0;
  /// [63:0] Added from entry to entry.
  constexpr uint64_t step() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdTableRepeatIncrement& set_step(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdApertureMapRange Offset inside its cmd_aperture_map.
struct CmdApertureMapRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [31:0] First aperture page.
  constexpr uint64_t page() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr CmdApertureMapRange& set_page(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Pages.
  constexpr uint64_t pages() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr CmdApertureMapRange& set_pages(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// CmdApertureMapFirst Offset inside its cmd_aperture_map.
struct CmdApertureMapFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Aperture entry of the first page; the page number grows by one from page to page.
  constexpr uint64_t entry() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdApertureMapFirst& set_entry(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdApertureListRange Offset inside its cmd_aperture_list.
struct CmdApertureListRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [31:0] First aperture page.
  constexpr uint64_t page() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr CmdApertureListRange& set_page(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Pages, n.
  constexpr uint64_t pages() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr CmdApertureListRange& set_pages(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// CmdApertureListFirst Offset inside its cmd_aperture_list.
struct CmdApertureListFirst {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] First aperture entry.
  constexpr uint64_t entry() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdApertureListFirst& set_entry(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdApertureUnmapRange Offset inside its cmd_aperture_unmap.
struct CmdApertureUnmapRange {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [31:0] First aperture page.
  constexpr uint64_t page() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffu); }
  constexpr CmdApertureUnmapRange& set_page(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 0); return *this; }
  /// [63:32] Pages.
  constexpr uint64_t pages() const { return static_cast<uint64_t>((raw >> 32) & 0xffffffffu); }
  constexpr CmdApertureUnmapRange& set_pages(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffu} << 32)) | ((static_cast<uint64_t>(v) & 0xffffffffu) << 32); return *this; }
};

/// CmdApertureUnmapDummy Offset inside its cmd_aperture_unmap.
struct CmdApertureUnmapDummy {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Aperture entry of the dummy page, the same for every page.
  constexpr uint64_t entry() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdApertureUnmapDummy& set_entry(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdFlushTlbStart Offset inside its cmd_flush_tlb.
struct CmdFlushTlbStart {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] Start of the range.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdFlushTlbStart& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdFlushTlbEnd Offset inside its cmd_flush_tlb.
struct CmdFlushTlbEnd {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] End of the range, exclusive.
  constexpr uint64_t va() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdFlushTlbEnd& set_va(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdSignalFenceDestination Offset inside its cmd_signal_fence.
struct CmdSignalFenceDestination {
  static constexpr uint32_t kOffset = 0x8;
  uint64_t raw = 0;
  /// [63:0] 8-byte aligned address.
  constexpr uint64_t address() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdSignalFenceDestination& set_address(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// CmdSignalFencePayload Offset inside its cmd_signal_fence.
struct CmdSignalFencePayload {
  static constexpr uint32_t kOffset = 0x10;
  uint64_t raw = 0;
  /// [63:0] Value.
  constexpr uint64_t value() const { return static_cast<uint64_t>((raw >> 0) & 0xffffffffffffffffu); }
  constexpr CmdSignalFencePayload& set_value(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffffffffu} << 0)) | ((static_cast<uint64_t>(v) & 0xffffffffffffffffu) << 0); return *this; }
};

/// PteEntry Offset inside its pte.
struct PteEntry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [0:0] 1: the entry is in use.
  constexpr uint64_t valid() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr PteEntry& set_valid(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [1:1] 1: reads return 0, writes are dropped. Any level.
  constexpr uint64_t zero() const { return static_cast<uint64_t>((raw >> 1) & 0x1u); }
  constexpr PteEntry& set_zero(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 1)) | ((static_cast<uint64_t>(v) & 0x1u) << 1); return *this; }
  /// [2:2] 1: accesses snoop the CPU's caches.
  constexpr uint64_t coherent() const { return static_cast<uint64_t>((raw >> 2) & 0x1u); }
  constexpr PteEntry& set_coherent(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 2)) | ((static_cast<uint64_t>(v) & 0x1u) << 2); return *this; }
  /// [3:3] 1: writes fault. Leaf and large page only.
  constexpr uint64_t read_only() const { return static_cast<uint64_t>((raw >> 3) & 0x1u); }
  constexpr PteEntry& set_read_only(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 3)) | ((static_cast<uint64_t>(v) & 0x1u) << 3); return *this; }
  /// [4:4] 1: execute accesses fault. Leaf and large page only.
  constexpr uint64_t no_execute() const { return static_cast<uint64_t>((raw >> 4) & 0x1u); }
  constexpr PteEntry& set_no_execute(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 4)) | ((static_cast<uint64_t>(v) & 0x1u) << 4); return *this; }
  /// [5:5] Level 1 and above, 1: maps data (large page), 0: names the next lower table. Must be 0 at level 0.
  constexpr uint64_t large() const { return static_cast<uint64_t>((raw >> 5) & 0x1u); }
  constexpr PteEntry& set_large(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 5)) | ((static_cast<uint64_t>(v) & 0x1u) << 5); return *this; }
  /// [7:6] Memory of the page or table.
  constexpr Target target() const { return static_cast<Target>((raw >> 6) & 0x3u); }
  constexpr PteEntry& set_target(Target v) { raw = (raw & ~(uint64_t{0x3u} << 6)) | ((static_cast<uint64_t>(v) & 0x3u) << 6); return *this; }
  /// [8:8] Level 0 only (0 above it). 1: one of sixteen entries of an aligned 64 KiB block that agree in everything but the low four bits of page, which count 0 to 15.
  constexpr uint64_t contiguous() const { return static_cast<uint64_t>((raw >> 8) & 0x1u); }
  constexpr PteEntry& set_contiguous(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 8)) | ((static_cast<uint64_t>(v) & 0x1u) << 8); return *this; }
  /// [9:9] Level 1, names a table: 1: it is a leaf table of 64 KiB entries. Must be 0 in every other entry, and before minor version 4.
  constexpr uint64_t table_64k() const { return static_cast<uint64_t>((raw >> 9) & 0x1u); }
  constexpr PteEntry& set_table_64k(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 9)) | ((static_cast<uint64_t>(v) & 0x1u) << 9); return *this; }
  /// [11:10] Software's, never interpreted.
  constexpr uint64_t software() const { return static_cast<uint64_t>((raw >> 10) & 0x3u); }
  constexpr PteEntry& set_software(uint64_t v) { raw = (raw & ~(uint64_t{0x3u} << 10)) | ((static_cast<uint64_t>(v) & 0x3u) << 10); return *this; }
  /// [51:12] 4 KiB page number of the page or table; 47:12 of a 48-bit address, upper bits must be 0.
  constexpr uint64_t page() const { return static_cast<uint64_t>((raw >> 12) & 0xffffffffffu); }
  constexpr PteEntry& set_page(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffu} << 12)) | ((static_cast<uint64_t>(v) & 0xffffffffffu) << 12); return *this; }
  /// [57:52] Adapter index, target peer only.
  constexpr uint64_t adapter() const { return static_cast<uint64_t>((raw >> 52) & 0x3fu); }
  constexpr PteEntry& set_adapter(uint64_t v) { raw = (raw & ~(uint64_t{0x3fu} << 52)) | ((static_cast<uint64_t>(v) & 0x3fu) << 52); return *this; }
  /// [62:58] WDDM segment id, never interpreted.
  constexpr uint64_t segment() const { return static_cast<uint64_t>((raw >> 58) & 0x1fu); }
  constexpr PteEntry& set_segment(uint64_t v) { raw = (raw & ~(uint64_t{0x1fu} << 58)) | ((static_cast<uint64_t>(v) & 0x1fu) << 58); return *this; }
  /// [63:63] Reserved, must be 0.
  constexpr uint64_t reserved63() const { return static_cast<uint64_t>((raw >> 63) & 0x1u); }
  constexpr PteEntry& set_reserved63(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 63)) | ((static_cast<uint64_t>(v) & 0x1u) << 63); return *this; }
};

/// ApertureEntryEntry Offset inside its aperture_entry.
struct ApertureEntryEntry {
  static constexpr uint32_t kOffset = 0x0;
  uint64_t raw = 0;
  /// [0:0] 1: the entry is in use.
  constexpr uint64_t valid() const { return static_cast<uint64_t>((raw >> 0) & 0x1u); }
  constexpr ApertureEntryEntry& set_valid(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 0)) | ((static_cast<uint64_t>(v) & 0x1u) << 0); return *this; }
  /// [2:2] 1: accesses snoop the CPU's caches.
  constexpr uint64_t coherent() const { return static_cast<uint64_t>((raw >> 2) & 0x1u); }
  constexpr ApertureEntryEntry& set_coherent(uint64_t v) { raw = (raw & ~(uint64_t{0x1u} << 2)) | ((static_cast<uint64_t>(v) & 0x1u) << 2); return *this; }
  /// [51:12] Logical 4 KiB page number.
  constexpr uint64_t page() const { return static_cast<uint64_t>((raw >> 12) & 0xffffffffffu); }
  constexpr ApertureEntryEntry& set_page(uint64_t v) { raw = (raw & ~(uint64_t{0xffffffffffu} << 12)) | ((static_cast<uint64_t>(v) & 0xffffffffffu) << 12); return *this; }
};

}  // namespace gmmu::regs
