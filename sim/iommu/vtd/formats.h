// SPDX-License-Identifier: Apache-2.0
// Register offsets and memory formats of Intel VT-d in legacy mode, as described in docs/vtd.md.
#pragma once
#include <cstdint>

namespace gmmu::sim::vtd {

inline constexpr uint64_t kInterruptStart = 0xFEE00000;
inline constexpr uint64_t kInterruptEnd = 0xFEF00000;

// Register offsets from the unit's base. IVA, IOTLB and the fault records are missing, because
// ECAP.IRO and CAP.FRO give their offsets.
enum Register : uint32_t {
  kVer = 0x00,
  kCap = 0x08,
  kEcap = 0x10,
  kGcmd = 0x18,
  kGsts = 0x1C,
  kRtaddr = 0x20,
  kCcmd = 0x28,
  kFsts = 0x34,
  kFectl = 0x38,
  kFedata = 0x3C,
  kFeaddr = 0x40,
  kFeuaddr = 0x44,
  kPmen = 0x64,
  kIqh = 0x80,
  kIqt = 0x88,
  kIqa = 0x90,
  kIcs = 0x9C,
  kIectl = 0xA0,
  kIedata = 0xA4,
  kIeaddr = 0xA8,
  kIeuaddr = 0xAC,
  kIqercd = 0xB0,
  kIrta = 0xB8,
};

// GCMD and GSTS.
inline constexpr uint32_t kTe = 1u << 31, kSrtp = 1u << 30, kWbf = 1u << 27, kQie = 1u << 26;
inline constexpr uint32_t kIre = 1u << 25, kSirtp = 1u << 24, kCfi = 1u << 23;

// FSTS.
inline constexpr uint32_t kPfo = 1u << 0, kPpf = 1u << 1, kIqe = 1u << 4, kIce = 1u << 5, kIte = 1u << 6;

// FECTL and IECTL.
inline constexpr uint32_t kIm = 1u << 31, kIp = 1u << 30;

// The cause of IQE, as reported in IQERCD[3:0].
enum QueueError : uint8_t {
  kQueueNoInformation = 0,
  kQueueBadTail = 1,
  kQueueFetch = 2,
  kQueueBadType = 3,
  kQueueReserved = 4,
  kQueueBadWidth = 5,
};

// Translation types of a context entry.
inline constexpr unsigned kTtTranslate = 0, kTtDeviceTlb = 1, kTtPassThrough = 2;

// Second-stage paging entries.
inline constexpr uint64_t kEntryRead = 1, kEntryWrite = 2, kEntryPageSize = 1u << 7, kEntrySnoop = 1u << 11;
inline constexpr uint64_t kEntryTransient = uint64_t{1} << 62;
inline constexpr uint64_t kEntryAddress = 0x000F'FFFF'FFFF'F000;

/// log2 of the number of bytes that one entry of a level-`level` table covers (level 1: 4 KiB).
constexpr unsigned LevelShift(unsigned level) { return 12 + 9 * (level - 1); }

/// Returns the mask of bits [63:width].
constexpr uint64_t Above(unsigned width) { return width >= 64 ? 0 : ~uint64_t{0} << width; }

/// Returns bits [high:low] of a word.
constexpr uint64_t Bits(uint64_t word, unsigned high, unsigned low) {
  return word >> low & (high - low == 63 ? ~uint64_t{0} : (uint64_t{1} << (high - low + 1)) - 1);
}

}  // namespace gmmu::sim::vtd
