// SPDX-License-Identifier: Apache-2.0
// Measures the copy engine at its job port, with the real MMU in the path. Source and destination are on one ideal port
// of latency L, the page tables on another.
#include "tb/bench/row.h"
#include "tb/rtl/dma/copy_speed.h"

namespace gmmu::bench {
namespace {

using dma::CopyMachine;
using dma::CopyWork;

constexpr unsigned kLatency = 100;  // default latency of dma::Answers, in cycles

struct Limit {
  double value;
  const char* text;
};
constexpr Limit kBus = {1, "the bus"};

void Add(Measurements& to, const std::string& name, const CopyWork& work, const Limit& limit, double target) {
  const unsigned reads = work.reads == CopyMachine::kReads128 ? 128 : 32;
  Row row;
  row.name = name;
  row.unit = "of the bus";
  row.limit = limit.value;
  row.limit_text = limit.text;
  row.machine = "copy engine at its job port, MMU in its path: L1 16, L2 512 x 4 ways, 8 walks, L = " +
                std::to_string(kLatency) + ", 1 MiB";
  row.config = std::to_string(reads) + " reads in flight";
  row.More(target);
  to.push_back({row, [work](Row& into) {
                  const dma::CopyFigure figure = dma::MeasureCopies(work);
                  if (!figure.errors.empty()) throw RowError(figure.errors.front());
                  into.figure = figure.use;
                }});
}

}  // namespace

void AddCopyRows(Measurements& to) {
  CopyWork work;
  work.size = work.stride = 1 << 20;
  Add(to, "copy through 4 KiB pages", work, kBus, 0.98);
  work.size = work.stride = 64;
  Add(to, "64 B copies through 4 KiB pages", work, kBus, 0.95);
  work.physical = true;
  Add(to, "64 B physical copies, 32 reads", work, kBus, 0.999);
  work.size = work.stride = 8;
  Add(to, "8 B physical copies, 32 reads", work, {32.0 / kLatency, "reads / L"}, 0.17);
  work.reads = CopyMachine::kReads128;
  Add(to, "8 B physical copies, 128 reads", work, kBus, 0.6);
  work = {};
  work.physical = true;
  work.size = 4096;
  work.stride = 4104;
  work.s = 1;
  work.d = 6;
  // The limit for 256 copies is L until the first beat, plus one burst of 256 bytes: the engine
  // writes a burst only after it has read the whole burst without an error. After this first burst,
  // both directions are always busy.
  constexpr double kBurstBeats = 32;
  Add(to, "misaligned 4 KiB copies", work,
      {131072.0 / (256 * 513 + kLatency + kBurstBeats), "513 beats for 512, L and a burst once"}, 0.9968);
}

}  // namespace gmmu::bench
