// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/cpu_locks.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/lines.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

/// Allocations that the CPU reads and writes in place (D3DKMTLock2) between page-ins and page-outs
/// by the GPU.
class CpuLockRun {
 public:
  CpuLockRun(Life& life, uint64_t bytes, uint64_t cpu_bytes)
      : life_(life), bytes_(bytes), part_(std::min(bytes, cpu_bytes) / 8 * 8), random_(life.options.seed, "CPU locks") {
    const os::GpuFacts facts = life.gpu().facts();
    const auto found = std::find_if(facts.memory.begin(), facts.memory.end(),
                                    [](const os::SegmentFacts& segment) { return segment.host_aperture != 0; });
    NeedCap(found != facts.memory.end(), "DXGK_SEGMENTFLAGS.SupportsCpuHostAperture");
    segment_ = found->id;
    aperture_bytes_ = found->host_aperture;
  }

  void Run() {
    Fill();
    LockEach(1);
    StaysWhileLocked();
    FillTheAperture();
    LockEach(2);
    LockInSystemMemory();
    Sleep();
    LockEach(3);
    for (Piece& piece : pieces_) CompareEvicted(piece);
    life_.Work([&] {
      for (const Piece& piece : pieces_) life_.vidmm.DestroyAllocation(piece.allocation);
      source_.Release();
    });
    life_.result.bytes += pieces_.size() * bytes_;
    life_.result.bytes_verified = life_.result.bytes;
  }

 private:
  struct Piece {
    os::Allocation* allocation;
    std::vector<uint8_t> bytes;  // its expected contents
  };

  void Say(const std::string& what, bool right, const std::string& otherwise) {
    life_.Compare(what, right ? "" : otherwise);
  }

  void Evict(const Piece& piece) {
    life_.Work([&] { life_.vidmm.residency().Evict(*piece.allocation); });
  }
  void Bring(const Piece& piece) {
    life_.Work([&] { life_.vidmm.residency().MakeResident({piece.allocation}); });
  }
  void Lock(const Piece& piece) {
    life_.Work([&] { life_.vidmm.locks().Lock(*piece.allocation); });
  }
  void Unlock(const Piece& piece) {
    life_.Work([&] { life_.vidmm.locks().Unlock(*piece.allocation); });
  }
  /// Returns whether `work` throws OsError.
  bool Refused(const std::function<void()>& work) {
    bool refused = false;
    life_.Work([&] {
      try {
        work();
      } catch (const os::OsError&) {
        refused = true;
      }
    });
    return refused;
  }

  std::vector<uint8_t> Pattern(uint64_t of) const {
    std::vector<uint8_t> bytes(bytes_);
    FillPattern(bytes.data(), bytes.size(), life_.options.seed + of);
    return bytes;
  }

  /// Creates allocations, whose contents the GPU pages in, until those in the segment with the host
  /// aperture exceed the aperture.
  void Fill() {
    life_.Work([&] { source_ = os::MakeHostMemory(life_.vidmm, bytes_); });
    uint64_t behind = 0;
    while (behind <= aperture_bytes_) {
      os::AllocationRequest request{"piece " + std::to_string(pieces_.size()), bytes_};
      request.accessed_physically = false;
      pieces_.push_back({nullptr, Pattern(pieces_.size())});
      Piece& piece = pieces_.back();
      source_.Write(0, piece.bytes.data(), bytes_);
      life_.Work([&] {
        piece.allocation = life_.vidmm.CreateAllocation(request);
        life_.vidmm.residency().MakeResident({piece.allocation});
        life_.vidmm.transfers().PageIn(*piece.allocation, source_, bytes_);
      });
      if (os::SegmentOf(*piece.allocation) == segment_) behind += os::BytesOf(*piece.allocation);
      if (os::ResidenceOf(*piece.allocation) == os::Residence::kMemorySegment) continue;
      throw WrongMachine("the memory segments hold too little beyond the CPU host aperture of " +
                         std::to_string(aperture_bytes_) + " bytes; a scenario sets [machine.gpu] vram_mib");
    }
  }

  /// Returns the offset of a part of an allocation, which may cross pages.
  uint64_t AnyPart() { return random_.Below((bytes_ - part_) / 8 + 1) * 8; }

  /// Compares what the CPU reads in a part of a locked piece.
  void CompareLocked(const Piece& piece, const std::string& when) {
    const uint64_t at = AnyPart();
    std::vector<uint8_t> seen(part_);
    life_.vidmm.locks().Read(*piece.allocation, at, seen.data(), part_);
    const auto from = piece.bytes.begin() + static_cast<ptrdiff_t>(at);
    const std::vector<uint8_t> expected(from, from + static_cast<ptrdiff_t>(part_));
    life_.Compare(os::NameOf(*piece.allocation) + " read by the CPU from byte " + std::to_string(at) + when,
                  Difference(seen, expected));
  }
  /// Writes other bytes to a part of a locked piece.
  void WritePart(Piece& piece) {
    const uint64_t at = AnyPart();
    FillPattern(&piece.bytes[at], part_, life_.options.seed + ++written_);
    life_.vidmm.locks().Write(*piece.allocation, at, &piece.bytes[at], part_);
  }
  void LockEach(uint64_t round) {
    for (Piece& piece : pieces_) {
      Lock(piece);
      CompareLocked(piece, ", round " + std::to_string(round));
      WritePart(piece);
      Unlock(piece);
    }
  }

  Piece& Behind() {
    return *std::find_if(pieces_.begin(), pieces_.end(),
                         [&](const Piece& piece) { return os::SegmentOf(*piece.allocation) == segment_; });
  }

  void StaysWhileLocked() {
    Piece& piece = Behind();
    Lock(piece);
    Say("a locked allocation is not evicted", Refused([&] { life_.vidmm.residency().Evict(*piece.allocation); }),
        "it was");
    Say("nor destroyed", Refused([&] { life_.vidmm.DestroyAllocation(piece.allocation); }), "it was");
    Say("nor locked twice", Refused([&] { life_.vidmm.locks().Lock(*piece.allocation); }), "it was");
    CompareLocked(piece, " after all that");
    Unlock(piece);
  }

  /// Locks allocations until the host aperture has no room. All of them are then accessible at once.
  void FillTheAperture() {
    std::vector<Piece*> locked;
    uint64_t bytes = 0;
    bool refused = false;
    for (Piece& piece : pieces_) {
      if (os::SegmentOf(*piece.allocation) != segment_) continue;
      refused = Refused([&] { life_.vidmm.locks().Lock(*piece.allocation); });
      if (refused) break;
      locked.push_back(&piece);
      bytes += os::BytesOf(*piece.allocation);
    }
    // Views are contiguous in the host aperture, so some of it may stay free.
    Say("the host aperture is full in the end", refused && bytes > aperture_bytes_ / 2,
        std::to_string(bytes) + " bytes were locked");
    for (Piece* piece : locked) WritePart(*piece);
    for (const Piece* piece : locked) CompareLocked(*piece, " beside the others");
    for (Piece* piece : locked) Unlock(*piece);
  }

  void LockInSystemMemory() {
    os::AllocationRequest request{"in system memory", bytes_};
    request.accessed_physically = false;
    request.system_only = true;
    Piece piece{nullptr, std::vector<uint8_t>(bytes_)};
    life_.Work([&] { piece.allocation = life_.vidmm.CreateAllocation(request); });
    Say("an allocation that is not resident is not locked",
        Refused([&] { life_.vidmm.locks().Lock(*piece.allocation); }), "it was");
    Bring(piece);
    Lock(piece);
    WritePart(piece);
    CompareLocked(piece, " after a write");
    Unlock(piece);
    CompareEvicted(piece);
    life_.Work([&] { life_.vidmm.DestroyAllocation(piece.allocation); });
  }

  /// The hardware loses the entries of its host aperture with its power.
  void Sleep() {
    life_.Work([&] {
      life_.vidmm.Sleep();
      life_.graphics.PowerDown(PowerActionSleep);
      life_.graphics.PowerUp();
      life_.vidmm.Wake();
    });
  }

  /// The GPU copies the contents to the backing store.
  void CompareEvicted(Piece& piece) {
    Evict(piece);
    std::vector<uint8_t> found = os::InSystemMemory(*piece.allocation);
    found.resize(bytes_);
    life_.Compare(os::NameOf(*piece.allocation) + " in system memory", Difference(found, piece.bytes));
  }

  Life& life_;
  const uint64_t bytes_, part_;  // size of an allocation, and of the CPU's accesses to it
  os::Random random_;
  uint64_t written_ = 1000;
  unsigned segment_ = 0;
  uint64_t aperture_bytes_ = 0;
  os::SystemBuffer source_;
  std::vector<Piece> pieces_;
};

void RunCpuLocks(Life& life, const ParameterValues& values) {
  CpuLockRun(life, values.at("bytes"), values.at("cpu_bytes")).Run();
}

}  // namespace

Procedure CpuLocksProcedure() {
  return {"cpu_locks",
          "The CPU locks allocations, also in a memory segment that it can access only through a CPU host aperture. It "
          "reads what the GPU has paged in, and the GPU pages out what the CPU has written.",
          {{"bytes", 65536, 4096, 1 << 20, "Size of each allocation in bytes, a multiple of 4096."},
           {"cpu_bytes", 256, 8, 1 << 20, "Number of bytes that the CPU reads and writes at a time."}},
          RunCpuLocks};
}

}  // namespace gmmu::workload
