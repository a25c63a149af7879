// SPDX-License-Identifier: Apache-2.0
// Tests whether tables still have entries in use when they are freed and their memory is reused.
// The expected behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include <map>
#include <set>
#include <utility>

#include "os/vidmm/process_tables.h"
#include "tb/sw/os/tables/tables_bench.h"

namespace gmmu::os::test {
namespace {

using workload::Life;

/// Records which entries of each table are in use, by table address.
class Places {
 public:
  void See(const DXGKARG_BUILDPAGINGBUFFER& args) {
    const auto& op = args.UpdatePageTable;
    if (args.Operation != DXGK_OPERATION_UPDATE_PAGE_TABLE || args.MultipassOffset != 0) return;
    const bool by_cpu = op.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    const uint64_t place = by_cpu ? reinterpret_cast<uint64_t>(op.PageTableAddress.CpuVirtual)
                                  : op.PageTableAddress.GpuPhysical.SegmentOffset;
    std::set<UINT>& table = in_use_[{by_cpu, place}];
    if (op.Flags.InitialUpdate) {
      reused_ += !table.empty();
      table.clear();
    }
    for (UINT i = 0; i < op.NumPageTableEntries; ++i) {
      const UINT from = op.Flags.Repeat ? 0 : i;
      if (InUse(op.pPageTableEntries[from]) ||
          (op.pPageTableEntries64KB != nullptr && InUse(op.pPageTableEntries64KB[from])))
        table.insert(op.StartIndex + i);
      else table.erase(op.StartIndex + i);
    }
  }
  /// Number of tables whose memory was reused while they still had entries in use.
  unsigned reused() const { return reused_; }
  size_t in_use() const {
    size_t count = 0;
    for (const auto& [place, table] : in_use_) count += table.size();
    return count;
  }

 private:
  std::map<std::pair<bool, uint64_t>, std::set<UINT>> in_use_;
  unsigned reused_ = 0;
};

TEST_P(TableKinds, NoTableGoesWithEntriesInUseWhenTheCapsAskForIt) {
  for (const bool asked : {false, true}) {
    bench.options.os.driver["ExplicitPageTableInvalidation"] = asked;
    for (const bool tells : {false, true}) {
      bench.options.os.eviction_tells_entries = tells;
      Places places;
      Watch([&](const DXGKARG_BUILDPAGINGBUFFER& args) { places.See(args); });
      Run([&](Life& life) {
        Subject subject = MakeMixed(life);
        life.worker.Call([&] {
          life.vidmm.tables().Move(*subject.process);
          life.vidmm.tables().ReplaceRoot(*subject.process, 0);
          life.vidmm.tables().Evict(*subject.process);
          life.vidmm.tables().Restore(*subject.process);
        });
        ReadsAll(life, subject);
        life.worker.Call([&] {
          // Maps zero pages with a single level-1 entry.
          life.vidmm.mappings().MapZero(*subject.process, kSmall, 512);
          life.vidmm.Map(*subject.process, kLarge + kPage, *subject.data, 33, 1);  // inside a block
        });
        Reads(life, subject.process, kSmall, Pages(0, 1));
        Reads(life, subject.process, kLarge, {0x200, 0x221, 0x202});
        EndMixed(life, subject);
      });
      EXPECT_EQ(places.in_use() == 0, asked);
      if (asked) EXPECT_EQ(places.reused(), 0u);
    }
  }
}

}  // namespace
}  // namespace gmmu::os::test
