// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>

/// Private data shared by the driver and software for this hardware: pPrivateDriverData of
/// DxgkDdiEscape, and the private data of DxgkDdiCreateAllocation. These are plain structures of
/// fixed layout, with 64-bit pointers and handles.
namespace gmmu::kmd {

/// The kind of request. Each structure below starts with an EscapeHeader. The driver writes the
/// outputs into the same structure. It rejects a size that does not match the code
/// (STATUS_INVALID_PARAMETER).
enum class EscapeCode : uint32_t {
  kQueryCaps = 1,
  kRunClient = 2,
  kQueryClient = 3,
  kQuerySpace = 4,
  kReadFaults = 5,
  kQueryRing = 6,
  kQuerySaveArea = 7,
  kQueryResidency = 8,
  kQueryContext = 9,
  kQueryProcess = 10,
};

struct EscapeHeader {
  EscapeCode code;
  uint16_t bytes;        ///< size of the whole structure
  uint16_t adapter = 0;  ///< index of the linked adapter that the request addresses
};

/// Queries the sizes that the hardware was built with.
struct EscapeQueryCaps {
  EscapeHeader header{EscapeCode::kQueryCaps, sizeof(EscapeQueryCaps)};
  uint32_t clients = 0;     ///< out: number of client ports with a traffic engine; they have the lowest numbers
  uint32_t spaces = 0;      ///< out: number of address spaces
  uint64_t vram_bytes = 0;  ///< out: all of VRAM, including the driver's part
};

/// Starts a client's traffic engine. Rejected with STATUS_DEVICE_NOT_READY while the engine runs,
/// and with STATUS_INVALID_PARAMETER for a client that does not exist or has no engine, or a
/// process without an address space.
///
/// Pattern order accesses `count` lines of 64 bytes: base + 64 * (first + stride * k), where k = 0,
/// step, 2 step, ... modulo count. hw/traffic.h predicts the lines of every pattern. A pattern or
/// check that the hardware was built without is rejected with STATUS_NOT_SUPPORTED.
struct EscapeRunClient {
  EscapeHeader header{EscapeCode::kRunClient, sizeof(EscapeRunClient)};
  uint64_t process = 0;  ///< hKmdProcess whose address space is used
  uint32_t client = 0;
  uint32_t access = 0;        ///< gmmu::regs::Access
  uint64_t base = 0;          ///< GPU VA, 64-byte aligned
  uint32_t first = 0;         ///< lines
  uint32_t stride = 0;        ///< lines
  uint32_t count = 0;         ///< accesses, not 0
  uint32_t step = 0;          ///< below count, or 1
  uint32_t depth = 0;         ///< maximum number of accesses in flight; 0: as many as the hardware supports
  uint8_t pattern = 0;        ///< gmmu::regs::Pattern
  uint8_t verify = 0;         ///< 1: data is the address pattern, and mismatches that reads find are counted
  uint8_t footprint_lg2 = 0;  ///< patterns order and random use line numbers modulo 2^footprint_lg2; 0: no modulo
  uint8_t reserved = 0;
  uint64_t seed = 0;  ///< seed of pattern random and of write data
};

struct EscapeQueryClient {
  EscapeHeader header{EscapeCode::kQueryClient, sizeof(EscapeQueryClient)};
  uint32_t client = 0;         ///< in
  uint32_t busy = 0;           ///< out: 1: the run has not ended, and the members below are not final
  uint32_t fault = 0;          ///< out: 1: the run ended at a fault
  uint32_t reason = 0;         ///< out: gmmu::regs::Fault
  uint32_t level = 0;          ///< out
  uint32_t count = 0;          ///< out: accesses completed without a fault
  uint32_t crc = 0;            ///< out: CRC-32C of the bytes read
  uint32_t mismatches = 0;     ///< out: 8-byte words that failed the check of verify
  uint64_t fault_address = 0;  ///< out: GPU VA
};

/// Queries a process's hardware address space. Fails with STATUS_INVALID_PARAMETER while the
/// process has none, because it has no context.
struct EscapeQuerySpace {
  EscapeHeader header{EscapeCode::kQuerySpace, sizeof(EscapeQuerySpace)};
  uint64_t process = 0;  ///< in: hKmdProcess
  uint32_t space = 0;    ///< out
  uint32_t reserved = 0;
};

/// One record of the hardware's fault queue.
struct EscapeFault {
  uint32_t reason = 0;  ///< gmmu::regs::Fault
  uint32_t space = 0;
  uint32_t port = 0;    ///< translation port: clients first, then paging engine fetch, read, write
  uint32_t access = 0;  ///< gmmu::regs::Access
  uint32_t level = 0;
  uint32_t physical = 0;  ///< 1: address is a physical offset, not a GPU VA
  uint32_t fence = 0;     ///< fence of the ring entry being executed; 0 for clients
  uint32_t sequence = 0;
  uint64_t address = 0;
  uint64_t cycle = 0;
};

/// Removes the oldest fault records from the driver's log and returns them. To get all records,
/// repeat the call until `count` is 0.
struct EscapeReadFaults {
  static constexpr uint32_t kMost = 16;
  EscapeHeader header{EscapeCode::kReadFaults, sizeof(EscapeReadFaults)};
  uint32_t count = 0;    ///< out: records in `faults`
  uint32_t dropped = 0;  ///< out: faults since start whose records were dropped by hardware or driver
  EscapeFault faults[kMost];
};

/// Queries the state of a node's ring.
struct EscapeQueryRing {
  EscapeHeader header{EscapeCode::kQueryRing, sizeof(EscapeQueryRing)};
  uint32_t busy = 0;
  uint32_t error = 0;   ///< out: 1: the ring stopped at an error, which the other members locate
  uint32_t reason = 0;  ///< out: gmmu::regs::Fault
  uint32_t access = 0;  ///< out: gmmu::regs::Access
  uint32_t level = 0;
  uint32_t fence = 0;           ///< out: fence of the faulting ring entry
  uint32_t command_offset = 0;  ///< out: byte offset in the paging buffer
  uint32_t command_header = 0;  ///< out: first word of the command, low half
  uint64_t address = 0;         ///< out
  uint32_t last_fence = 0;      ///< out: fence of the last completed entry
  uint32_t node = 0;            ///< in
};

/// Queries the part of VRAM whose contents the driver saves across power transitions.
struct EscapeQuerySaveArea {
  EscapeHeader header{EscapeCode::kQuerySaveArea, sizeof(EscapeQuerySaveArea)};
  uint64_t offset = 0;   ///< out: offset in VRAM
  uint64_t bytes = 0;    ///< out
  uint32_t state = 0;    ///< out: last transfer: 0 none, 1 pinned pages, 2 windows, 3 failed
  uint32_t windows = 0;  ///< out: windows that transfers have used since the start
};

/// Queries the location of an allocation, from its word in the residency record. Fails with
/// STATUS_INVALID_PARAMETER for an allocation without ExplicitResidencyNotification.
struct EscapeQueryResidency {
  EscapeHeader header{EscapeCode::kQueryResidency, sizeof(EscapeQueryResidency)};
  uint64_t allocation = 0;  ///< in: hAllocation
  uint64_t address = 0;     ///< out: address of the first byte in the segment
  uint32_t segment = 0;     ///< out
  uint32_t resident = 0;    ///< out
};

/// Queries a context's context allocation. Fails with STATUS_INVALID_PARAMETER if the context has none (ContextBytes).
struct EscapeQueryContext {
  EscapeHeader header{EscapeCode::kQueryContext, sizeof(EscapeQueryContext)};
  uint64_t context = 0;   ///< in: hContext
  uint64_t va = 0;        ///< out: GPU VA in the process
  uint64_t bytes = 0;     ///< out
  uint64_t sequence = 0;  ///< out: ContextRecord::sequence
};

/// Queries the range of a process's addresses that the driver has reserved for itself
/// (DriverVaBytes).
struct EscapeQueryProcess {
  EscapeHeader header{EscapeCode::kQueryProcess, sizeof(EscapeQueryProcess)};
  uint64_t process = 0;  ///< in: hKmdProcess
  uint64_t va = 0;       ///< out: 0: none is reserved
  uint64_t bytes = 0;    ///< out
};

/// The first words of a context allocation, written by UPDATE_CONTEXT_ALLOCATION; zeros follow.
struct ContextRecord {
  static constexpr uint64_t kMagic = 0x7478746375756D67;
  uint64_t magic = kMagic;
  uint64_t sequence = 0;  ///< number of the context allocation, counted from the start
  uint64_t va = 0;        ///< GPU VA of the record itself in the process
};

/// Private data of one allocation (DXGK_ALLOCATIONINFO.pPrivateDriverData).
struct AllocationData {
  uint64_t bytes = 0;                ///< rounded up to pages by the driver
  uint32_t accessed_physically = 0;  ///< 1: gets an aperture range while it is in the aperture segment
  uint32_t system_only = 0;          ///< 1: never in VRAM
  uint32_t cpu_visible = 0;
  uint32_t map_cpu_visible = 0;     ///< 1: MapApertureCpuVisible
  uint32_t explicit_residency = 0;  ///< 1: ExplicitResidencyNotification
  uint32_t no_large_pages = 0;      ///< 1: DisableLargePageMapping
  uint32_t physical_adapter = 0;    ///< index of the linked adapter in whose VRAM the allocation may be placed
  uint32_t local_only = 0;          ///< 1: never in system memory
  uint32_t priority = 0;            ///< AllocationPriority; 0: normal
  uint32_t reserved = 0;
};

static_assert(sizeof(EscapeRunClient) == 64 && sizeof(EscapeQueryClient) == 48, "no hidden padding");
static_assert(sizeof(EscapeFault) == 48 && sizeof(EscapeReadFaults) == 16 + 16 * 48, "no hidden padding");
static_assert(sizeof(EscapeQueryRing) == 56 && sizeof(EscapeQueryCaps) == 24, "no hidden padding");
static_assert(sizeof(EscapeQuerySpace) == 24 && sizeof(AllocationData) == 48, "no hidden padding");

}  // namespace gmmu::kmd
