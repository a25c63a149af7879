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
/// Selects the warp that makes an access: the warp of the access's stream, or each warp in turn.
enum class Assign : uint8_t { kStream, kDeal };

/// Selects the victim when a piece needs room in VRAM.
enum class Evict : uint8_t { kLru, kRandom };

/// Names of the choices above on the command line, in Python and in reports.
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

/// How a workload is distributed over the client ports, and how its pages are mapped.
struct Options {
  std::string workload;  ///< name for trace::Open
  uint64_t seed = 0;     ///< seed of generators, placement and the machine

  // Requesters. Compute unit u drives client port u. Warp w belongs to compute unit w modulo the
  // number of compute units.
  unsigned compute_units = 0;  ///< 0: one for each client port of the GPU
  unsigned warps = 8;          ///< warps of each compute unit
  unsigned window = 0;         ///< most accesses of a warp in flight; 0: the workload's value, or 1 if it states none
  uint64_t gap = 0;            ///< compute cycles before each access, added to the workload's; closed loop only
  Assign assign = Assign::kStream;
  bool coalesce = false;  ///< merges consecutive accesses of a warp to the same lines

  // Which accesses are made, counted in the workload's order.
  uint64_t skip = 0;         ///< number of accesses to leave out at the beginning
  uint64_t warmup = 0;       ///< accesses made after the skipped ones but not measured
  uint64_t accesses = kAll;  ///< number of accesses in the region of interest
  uint64_t epoch = 0;        ///< accesses per row of counters; 0: no rows
  uint64_t epoch_cycles = 0;

  // The memory that holds the pages.
  PageSize page_size = PageSize::k4k;
  Memory memory = Memory::kVram;
  bool keep_gaps = false;   ///< true: address regions keep their distances; false: they are packed
  unsigned fragmented = 0;  ///< percentage of pieces (64 KiB or large pages) that consist of scattered 4 KiB pages

  // Demand paging: when pieces are mapped and evicted.
  bool demand = false;         ///< pieces of 64 KiB are mapped on demand, by a far fault at their first access
  unsigned batch = 32;         ///< maximum number of pieces per batch
  bool prefetch_tree = false;  ///< completes subtrees of a 2 MiB block that are more than half resident
  unsigned prefetch = 0;       ///< number of touched pieces to prefetch after each one that faulted
  uint64_t resident_mib = 0;   ///< VRAM for pieces, MiB; 0: as much as the workload touches
  Evict evict = Evict::kLru;
};

}  // namespace gmmu::replay
