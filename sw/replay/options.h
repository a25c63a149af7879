// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace gmmu::replay {

inline constexpr uint64_t kAll = ~uint64_t{0};
inline constexpr uint64_t kLargePage = uint64_t{2} << 20;

enum class PageSize : uint8_t { k4k, k64k, k2m };
enum class Memory : uint8_t { kVram, kSystem };
/// The warp of an access: that of its stream, or the next one in turn.
enum class Assign : uint8_t { kStream, kDeal };

/// The piece that leaves VRAM when another one needs room.
enum class Evict : uint8_t { kLru, kRandom };

/// Names of these choices for the command line, Python and reports.
inline const std::map<std::string, PageSize> kPageSizes = {{"4k", PageSize::k4k},
                                                           {"64k", PageSize::k64k},
                                                           {"2m", PageSize::k2m}};
inline const std::map<std::string, Memory> kMemories = {{"vram", Memory::kVram}, {"system", Memory::kSystem}};
inline const std::map<std::string, Assign> kAssigns = {{"stream", Assign::kStream}, {"deal", Assign::kDeal}};
inline const std::map<std::string, Evict> kEvicts = {{"lru", Evict::kLru}, {"random", Evict::kRandom}};
template <typename Enum>
std::string WordOf(const std::map<std::string, Enum>& words, Enum value) {
  for (const auto& [word, named] : words)
    if (named == value) return word;
  return "";
}

/// Upper limits of the options.
inline constexpr unsigned kMostUnits = 64, kMostWarps = 1024, kMostWindow = 4096, kMostBatch = 4096,
                          kMostPrefetch = 512;

/// How a workload is distributed over the client ports.
struct Options {
  std::string workload;  ///< as trace::Open takes it
  uint64_t seed = 0;     ///< of generators, placement and the machine

  // Requesters. Compute unit u drives client port u; warp w belongs to compute unit w modulo the number of units.
  unsigned compute_units = 0;  ///< 0: as many as the GPU has client ports
  unsigned warps = 8;          ///< of each compute unit
  unsigned window = 0;         ///< accesses of a warp in flight; 0: as the workload states, else 1
  uint64_t gap = 0;            ///< cycles of computing before each access, more than the workload states; closed loop
  Assign assign = Assign::kStream;
  bool coalesce = false;  ///< accesses of a warp that follow each other in the same lines become one

  // Selection of the accesses.
  uint64_t skip = 0;         ///< the first accesses, which are not made
  uint64_t warmup = 0;       ///< the next ones, which are made and not counted
  uint64_t accesses = kAll;  ///< then the region of interest
  uint64_t epoch = 0;        ///< accesses to a row of counters; 0: no rows
  uint64_t epoch_cycles = 0;

  // Memory of the pages.
  PageSize page_size = PageSize::k4k;
  Memory memory = Memory::kVram;
  bool keep_gaps = false;   ///< regions of addresses keep their distances; else they are closed up
  unsigned fragmented = 0;  ///< percent of the pieces (64 KiB, or large pages) that are scattered pages of 4 KiB

  // When the pages are mapped.
  bool demand = false;         ///< not before the first access: pieces of 64 KiB come by far faults
  unsigned batch = 32;         ///< pieces that are brought at a time
  bool prefetch_tree = false;  ///< whole subtrees of 2 MiB of which more than half is there
  unsigned prefetch = 0;       ///< touched pieces that follow one that faulted
  uint64_t resident_mib = 0;   ///< VRAM for pieces; 0: as much as the workload touches
  Evict evict = Evict::kLru;
};

}  // namespace gmmu::replay
