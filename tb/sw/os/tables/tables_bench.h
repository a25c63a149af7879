// SPDX-License-Identifier: Apache-2.0
// Fixtures for tests of page tables: a process with mappings, and observers of its table updates.
#pragma once
#include <cstdint>
#include <cstring>
#include <functional>
#include <utility>
#include <vector>

#include "os/dxgkrnl/logical_adapter.h"
#include "os/tables/address_space.h"
#include "os/vidmm/gpu_process.h"
#include "tb/sw/os/driver_front.h"
#include "workload/clients.h"

namespace gmmu::os::test {

inline constexpr uint64_t kPage = hw::kPageSize;

/// Provides a process that maps 20 pages of VRAM, each filled with a different word. A test calls
/// Make first and End last.
class TableLife : public DriverFront {
 protected:
  struct Subject {
    GpuProcess* process = nullptr;
    Allocation* data = nullptr;
    uint64_t va = 0;
  };
  static Subject Make(workload::Life& life) {
    Subject subject;
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process");
      subject.data = Filled(life, 20, 0x100);
      subject.va = life.vidmm.ReserveVa(*subject.process, 20 * kPage);
      life.vidmm.Map(*subject.process, subject.va, *subject.data, 0, 20);
    });
    return subject;
  }
  static void End(workload::Life& life, Subject& subject) {
    life.worker.Call([&] {
      life.vidmm.FreeVa(*subject.process, subject.va);
      life.vidmm.DestroyAllocation(subject.data);
      life.vidmm.DestroyProcess(subject.process);
    });
  }
  /// Allocates all free VRAM except for `pages` pages.
  static Allocation* TakeAllBut(workload::Life& life, uint64_t pages) {
    const uint64_t free = life.adapter.local_segment().space->free_bytes();
    Allocation* rest = life.vidmm.CreateAllocation("the rest", free - pages * kPage);
    life.vidmm.MakeResident(*rest);
    return rest;
  }
  /// Configures a root of up to 8192 entries, with 512 entries per page.
  void TwoLevels() { bench.options.os.page_table_bits = bench.config.gpu.page_table_bits = {9, 13}; }
  static std::vector<uint32_t> Pages(uint32_t first, uint32_t count) {
    std::vector<uint32_t> words;
    for (uint32_t i = 0; i < count; ++i) words.push_back(first + i);
    return words;
  }
};

/// Kinds of leaf tables: only 4 KiB entries (k4k), either 4 KiB or 64 KiB entries (kSingle), or two
/// tables side by side, one of each size (kDual).
enum class Kind { k4k, kSingle, kDual };

inline const auto kTableKinds = ::testing::Values(Kind::k4k, Kind::kSingle, Kind::kDual);
inline const char* NameOfKind(const ::testing::TestParamInfo<Kind>& info) {
  return info.param == Kind::k4k ? "Only4KiB" : info.param == Kind::kSingle ? "Leaf64k" : "DualPte";
}

/// TableLife with each kind of leaf table. Instantiated once per test program, in this folder's
/// table_moves_test.cc.
class TableKinds : public TableLife, public ::testing::WithParamInterface<Kind> {
 protected:
  TableKinds() {
    bench.config.gpu.vram_mib = 8;
    bench.options.os.driver["Leaf64k"] = GetParam() != Kind::k4k;
    bench.options.os.driver["DualPte"] = GetParam() == Kind::kDual;
  }
  static constexpr uint64_t kLarge = 0x10000000, kSmall = 0x20000000, kBeside = kLarge + 0x107000;
  static constexpr uint64_t kProtection = 0x5000000007;
  /// Maps whole 64 KiB blocks and, in another leaf table, five pages with a driver protection.
  /// Except for kSingle, also maps 4 KiB pages in the leaf range of the blocks.
  static Subject MakeMixed(workload::Life& life) {
    Subject subject;
    life.worker.Call([&] {
      subject.process = life.vidmm.CreateProcess("process");
      subject.data = Filled(life, 37, 0x200);
      Protection protection = Protection::All();
      protection.driver = kProtection;
      life.vidmm.Map(*subject.process, kLarge, *subject.data, 0, 32);
      life.vidmm.Map(*subject.process, kSmall, *subject.data, 32, 5, protection);
      if (GetParam() != Kind::kSingle) life.vidmm.Map(*subject.process, kBeside, *subject.data, 7, 3);
    });
    EXPECT_EQ(subject.process->space->Is64k(kLarge), GetParam() != Kind::k4k);
    return subject;
  }
  static void ReadsAll(workload::Life& life, const Subject& subject) {
    EXPECT_EQ(subject.process->space->Is64k(kLarge), GetParam() != Kind::k4k);
    Reads(life, subject.process, kLarge, Pages(0x200, 32));
    Reads(life, subject.process, kSmall, Pages(0x220, 5));
    if (GetParam() != Kind::kSingle) Reads(life, subject.process, kBeside, Pages(0x207, 3));
  }
  static void EndMixed(workload::Life& life, Subject& subject) {
    life.worker.Call([&] {
      life.vidmm.DestroyAllocation(subject.data);
      life.vidmm.DestroyProcess(subject.process);
    });
  }
  /// Calls `watch` for each update of the process's tables.
  void WatchUpdates(const Subject& subject, std::function<void(const DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE&)> watch) {
    Watch(
        [process = subject.process->handles.process, watch = std::move(watch)](const DXGKARG_BUILDPAGINGBUFFER& args) {
          if (args.Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE && args.UpdatePageTable.hProcess == process)
            watch(args.UpdatePageTable);
        });
  }
};

/// Pages64k calls this for every operation from VidMm, but only once if the operation needs several
/// passes.
inline std::function<void(const DXGKARG_BUILDPAGINGBUFFER&)> built;

/// A machine with 64 KiB pages. With `dual`, the level-1 entries are pairs.
class Pages64k : public DriverFront {
 protected:
  explicit Pages64k(bool dual = false) {
    built = nullptr;
    Watch([](const DXGKARG_BUILDPAGINGBUFFER& args) {
      if (built && args.MultipassOffset == 0) built(args);
    });
    bench.options.os.driver["Leaf64k"] = 1;
    bench.options.os.driver["DualPte"] = dual;
    bench.config.gpu.vram_mib = 8;
  }
  ~Pages64k() override { built = nullptr; }
  static uint32_t Word(uint64_t page) { return 0x77000000 + static_cast<uint32_t>(page); }
  static Allocation* Make(workload::Life& life, uint64_t pages) {
    Allocation* made = life.vidmm.CreateAllocation("data", pages * kPage);
    life.vidmm.MakeResident(*made);
    for (uint64_t page = 0; page < pages; ++page) life.vidmm.transfers().Fill(*made, page * kPage, kPage, Word(page));
    return made;
  }
  /// Makes client 0 read pages of an allocation from Make, and checks what it reads.
  static workload::Check Reads(workload::Life& life, GpuProcess* process, uint64_t va, uint64_t first, uint64_t pages) {
    std::vector<uint8_t> expected(pages * kPage);
    for (size_t i = 0; i < expected.size(); i += 4) {
      const uint32_t word = Word(first + i / kPage);
      std::memcpy(&expected[i], &word, 4);
    }
    workload::ClientRun run = workload::AllLines(process, va, pages * kPage);
    run.crc = workload::LineCrc(expected.data(), run.order);
    std::vector<workload::Check> checks;
    workload::RunClients(life.vidmm, {run}, "pages", checks);
    return checks.at(0);
  }
};
class Rule11Pages64k : public Pages64k {};
class Rule11Pages64kDual : public Pages64k {
 protected:
  Rule11Pages64kDual() : Pages64k(true) {}
};

}  // namespace gmmu::os::test
