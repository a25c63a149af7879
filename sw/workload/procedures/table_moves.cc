// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/process_tables.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

/// Moves and evicts a process's page tables while the process keeps copying.
void RunTableMoves(Life& life, const ParameterValues& values) {
  NeedRender(life);
  const uint64_t pages = values.at("pages");
  PageWords words(life);
  os::GpuProcess* process = nullptr;
  os::Allocation* data = nullptr;
  uint64_t source = 0, target_range = 0, target = 0;
  life.Work([&] {
    process = life.vidmm.CreateProcess("process");
    data = words.Make("data", 2 * pages, 0xA000);
    source = life.vidmm.ReserveVa(*process, pages * kPage);
    // A 64 KiB page can be mapped only where the virtual address and the segment offset agree in
    // their low 16 bits (Allocation::MayShow).
    const uint64_t behind = life.gpu().facts().geometry.leaf_64k_bytes != 0 ? pages * kPage % 65536 : 0;
    target_range = life.vidmm.ReserveVa(*process, pages * kPage + behind);
    target = target_range + behind;
    life.vidmm.Map(*process, source, *data, 0, pages);
    life.vidmm.Map(*process, target, *data, pages, pages);
  });
  RenderBuffer commands(life, process, kPage);
  commands.Copy(source, target, pages * kPage);
  for (uint64_t round = 0; round < values.at("rounds"); ++round) {
    const std::string which = ", round " + std::to_string(round + 1);
    const uint64_t root = os::RootOffset(*process);
    os::PacketId before = 0, after = 0;
    life.Work([&] {
      before = commands.Submit("a copy before the tables move");
      if (round % 2 == 0) {
        life.vidmm.tables().Move(*process);
      } else {
        life.vidmm.tables().Evict(*process);
        after = commands.Submit("a copy while the tables are evicted");
      }
      life.Compare("what ran has ended before tables changed" + which, life.graphics.Ended(before) ? "" : "it had not");
    });
    if (round % 2 == 0) {
      life.Compare("the root lies elsewhere" + which, os::RootOffset(*process) != root ? "" : "it does not");
    } else {
      words.Fault(process, "an address of evicted tables" + which, source, regs::Fault::kEntryInvalid);
      life.Work([&] {
        life.Compare("what came meanwhile waits" + which, life.graphics.Ended(after) ? "it has run" : "");
        life.vidmm.tables().Restore(*process);
      });
      life.graphics.Wait(after);
    }
    words.Read(process, "the source" + which, source, PageWords::Words(0xA000, pages));
    words.Read(process, "the copy" + which, target, PageWords::Words(0xA000, pages));
  }
  commands.Release();
  life.Work([&] {
    life.vidmm.FreeVa(*process, source);
    life.vidmm.FreeVa(*process, target_range);
    life.vidmm.DestroyAllocation(data);
    life.vidmm.DestroyProcess(process);
  });
}

}  // namespace

Procedure TableMovesProcedure() {
  return {"table_moves",
          "The page tables of a copying process, including the root, are moved, or evicted and restored. Running "
          "packets must complete first; packets submitted meanwhile must wait.",
          {{"pages", 8, 1, 128, "Number of pages that each packet copies."},
           {"rounds", 4, 1, 100, "Number of rounds: odd ones move the tables, even ones evict them."}},
          RunTableMoves};
}

}  // namespace gmmu::workload
