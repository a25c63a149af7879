// SPDX-License-Identifier: Apache-2.0
#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/needs.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/plug_in.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// One allocation of a process. `seed` is the seed of its pattern, and is absent before the first
/// write.
struct Piece {
  os::GpuProcess* process = nullptr;
  os::Allocation* allocation = nullptr;
  uint64_t va = 0;
  std::optional<uint64_t> seed;
};

class Oversubscription {
 public:
  Oversubscription(Life& life, const ParameterValues& values)
      : life_(life), values_(values), residency_(life.vidmm.residency()) {
    clients_ = ClientsOf(life.gpu());
    life.result.clients = clients_;
  }

  void Run() {
    Make();
    for (uint64_t round = 0; round < values_.at("rounds"); ++round) {
      for (Piece& piece : pieces_) Visit(piece, round);
    }
    life_.Work([&] {
      for (Piece& piece : pieces_) residency_.Evict(*piece.allocation);
    });
    for (const Piece& piece : pieces_) CompareNotice(piece);
    for (const Piece& piece : pieces_) CompareBacking(piece);
    const auto& counts = residency_.counts();
    const uint64_t bytes_in = counts.bytes_in + counts.bytes_filled;
    const uint64_t total = values_.at("bytes") * values_.at("rounds");
    life_.Compare("every round moved everything out and back in",
                  counts.bytes_out >= total && bytes_in >= total
                      ? ""
                      : std::to_string(counts.bytes_out) + " bytes out and " + std::to_string(bytes_in) +
                            " in, each must be " + std::to_string(total));
    life_.Compare("contents of a first touch are zeros that were written", counts.fills == pieces_.size() ? "" : "no");
    life_.result.bytes += total;
    life_.result.bytes_verified += total;
    End();
  }

 private:
  void Make() {
    const uint64_t size = values_.at("allocation_bytes");
    const uint64_t local = life_.gpu().facts().local.size;
    if (size > local / 4)
      throw WrongMachine("allocation_bytes must be at most a quarter of VRAM, " + std::to_string(local / 4));
    if (values_.at("bytes") <= local) {
      throw WrongMachine("bytes must be more than VRAM holds, " + std::to_string(local) +
                         ", or nothing has to leave it; a scenario sets [machine.gpu] vram_mib");
    }
    life_.Work([&] {
      for (uint64_t i = 0; i < values_.at("processes"); ++i)
        processes_.push_back(life_.vidmm.CreateProcess("process " + std::to_string(i + 1)));
      for (uint64_t done = 0; done < values_.at("bytes"); done += size) Add(size, false);
      for (uint64_t i = 0; i < values_.at("told"); ++i) Add(kPage, true);
    });
  }

  /// Adds a piece. If `told` is true, its pages are contiguous and the driver is notified of their
  /// address.
  void Add(uint64_t bytes, bool told) {
    Piece piece;
    piece.process = processes_[pieces_.size() % processes_.size()];
    os::AllocationRequest request;
    request.name = "allocation " + std::to_string(pieces_.size());
    request.bytes = bytes;
    request.accessed_physically = request.explicit_residency = told;
    request.local_only = true;
    piece.allocation = life_.vidmm.CreateAllocation(request, piece.process);
    const uint64_t size = os::BytesOf(*piece.allocation);  // the driver may round the size up
    piece.va = life_.vidmm.ReserveVa(*piece.process, size);
    life_.vidmm.Map(*piece.process, piece.va, *piece.allocation, 0, size / kPage);
    pieces_.push_back(piece);
  }

  /// Makes the piece resident, reads back its pattern, and writes a new one.
  void Visit(Piece& piece, uint64_t round) {
    const uint64_t size = os::BytesOf(*piece.allocation);
    if (life_.options.progress) {
      const uint64_t index = static_cast<uint64_t>(&piece - pieces_.data());
      const uint64_t each = values_.at("allocation_bytes");
      life_.options.progress("round " + std::to_string(round + 1), (round * pieces_.size() + index) * each,
                             values_.at("rounds") * pieces_.size() * each);
    }
    life_.Timed("evict and restore", size, true,
                [&] { life_.Work([&] { residency_.MakeResident({piece.allocation}); }); });
    CompareNotice(piece);
    Clients(piece, false);
    piece.seed = life_.options.seed ^ piece.va << 8 ^ round;
    Clients(piece, true);
  }

  /// Compares the allocation's address with the last one that the driver received in a
  /// NOTIFY_RESIDENCY operation.
  void CompareNotice(const Piece& piece) {
    if (!os::HasNotice(*piece.allocation) || PlugIn::Current() != nullptr)
      return;  // only the built-in driver has this escape
    kmd::EscapeQueryResidency answer;
    answer.allocation = reinterpret_cast<uint64_t>(os::HandleOf(*piece.allocation));
    life_.gpu().Escape(answer, "the query of a residency");
    const std::optional<uint64_t> place = os::VramOffset(*piece.allocation);
    const bool same = answer.resident == place.has_value() && answer.address == place.value_or(0);
    life_.Compare("the driver was told where " + os::NameOf(*piece.allocation) + " is",
                  same ? "" : "it knows another place");
  }

  void Clients(const Piece& piece, bool write) {
    const uint64_t size = os::BytesOf(*piece.allocation);
    const std::vector<uint8_t> zeros(piece.seed ? 0 : size);
    std::vector<ClientRun> runs;
    for (unsigned client = 0; client < clients_; ++client) {
      ClientRun run;
      run.client = client;
      run.process = piece.process;
      run.base = piece.va;
      run.order = ShareOf(size / kLine, client, clients_);
      run.pattern = piece.seed;
      run.write = write;
      if (!piece.seed) run.crc = LineCrc(zeros.data(), run.order);
      runs.push_back(run);
    }
    RunClients(life_.vidmm, runs, os::NameOf(*piece.allocation) + (write ? " written" : " read"), life_.result.checks);
  }

  /// Checks that the backing store contains the most recently written bytes.
  void CompareBacking(const Piece& piece) {
    const std::vector<uint8_t> backing = os::InSystemMemory(*piece.allocation);
    const std::string contents = "contents of " + os::NameOf(*piece.allocation);
    if (backing.empty()) return life_.Compare(contents, "it was never evicted");
    life_.Compare(contents, Difference(backing, PatternAt(piece.va, backing.size(), *piece.seed)));
  }

  void End() {
    life_.Work([&] {
      for (Piece& piece : pieces_) {
        life_.vidmm.FreeVa(*piece.process, piece.va);
        life_.vidmm.DestroyAllocation(piece.allocation);
      }
      for (os::GpuProcess* process : processes_) life_.vidmm.DestroyProcess(process);
    });
  }

  Life& life_;
  const ParameterValues& values_;
  os::Residency& residency_;
  unsigned clients_ = 0;
  std::vector<os::GpuProcess*> processes_;
  std::vector<Piece> pieces_;
};

void RunOversubscription(Life& life, const ParameterValues& values) { Oversubscription(life, values).Run(); }

}  // namespace

Procedure OversubscriptionProcedure() {
  return {"oversubscription",
          "The allocations of several processes exceed VRAM. Each round makes each allocation resident, reads and "
          "overwrites it, and evicts others for it. At the end every byte is compared.",
          {{"bytes", 8 << 20, kPage, uint64_t{1} << 34, "Total size of the allocations in bytes."},
           {"allocation_bytes", 1 << 20, kPage, 1 << 26, "Size of each allocation in bytes, a multiple of 4096."},
           {"processes", 3, 1, 14, "Number of processes, which own the allocations in turn."},
           {"rounds", 3, 1, 1000, "Number of rounds over all allocations."},
           {"told", 0, 0, 64, "Number of additional one-page allocations with ExplicitResidencyNotification."}},
          RunOversubscription};
}

}  // namespace gmmu::workload
