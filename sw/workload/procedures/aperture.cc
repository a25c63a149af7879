// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "os/miniport/allocation.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {
using Bytes = std::vector<uint8_t>;

/// Tests two ranges of the aperture. A client continuously reads the first range while the second
/// is mapped and unmapped in pieces. Then pieces of the first range are unmapped, written, and
/// mapped to other memory.
class ApertureRun {
 public:
  ApertureRun(Life& life, uint64_t pages, uint64_t rounds)
      : life_(life), vidmm_(life.vidmm), pages_(pages), half_(pages / 2), rounds_(rounds) {}

  void Run() {
    life_.Work([&] { Make(); });
    LiveTraffic();
    UnmapAPiece();
    WriteWhereNothingIsMapped();
    MapThePieceToOtherMemory();
    WithoutPhysicalAccess();
    life_.Work([&] { TakeDown(); });
  }

 private:
  void Fill(os::SystemBuffer& buffer, Bytes& bytes, uint64_t seed) {
    bytes.resize(pages_ * kPage);
    FillPattern(bytes.data(), bytes.size(), seed);
    std::memcpy(buffer.Map(0, bytes.size()), bytes.data(), bytes.size());
    buffer.Unmap();
  }
  static Bytes Part(const Bytes& bytes, uint64_t page, uint64_t pages) {
    const auto at = bytes.begin() + static_cast<ptrdiff_t>(page * kPage);
    return Bytes(at, at + static_cast<ptrdiff_t>(pages * kPage));
  }
  static void Put(Bytes& bytes, uint64_t page, const Bytes& part) {
    std::copy(part.begin(), part.end(), bytes.begin() + static_cast<ptrdiff_t>(page * kPage));
  }

  void Make() {
    for (os::SystemBuffer* buffer : {&first_, &second_}) *buffer = os::MakeHostMemory(vidmm_, pages_ * kPage);
    Fill(first_, first_bytes_, life_.options.seed ^ 0x6669727374);
    Fill(second_, second_bytes_, life_.options.seed ^ 0x7365636F6E64);
    dummy_bytes_.resize(kPage);
    FillPattern(dummy_bytes_.data(), kPage, life_.options.seed ^ 0x64756D6D79);
    std::memcpy(vidmm_.dummy().Map(0, kPage), dummy_bytes_.data(), kPage);
    vidmm_.dummy().Unmap();

    process_ = vidmm_.CreateProcess("reader");
    os::AllocationRequest request;
    request.bytes = pages_ * kPage;
    request.system_only = true;
    request.name = "first";
    reader_ = vidmm_.CreateAllocation(request, process_);
    request.name = "second";
    request.map_cpu_visible = life_.gpu().facts().map_aperture2;
    other_ = vidmm_.CreateAllocation(request, process_);
    va_ = vidmm_.ReserveVa(*process_, pages_ * kPage);
    copy_ = std::make_unique<DeviceCopy>(life_, pages_ * kPage);

    // The two halves of the page list are bound in reverse order, so that a page's offset in the
    // list differs from its offset in the range.
    range_ = vidmm_.aperture().Reserve(pages_);
    free_ = vidmm_.aperture().Reserve(pages_);
    vidmm_.aperture().Bind(range_, half_, *reader_, first_, pages_ - half_);
    vidmm_.aperture().Bind(range_ + half_, pages_ - half_, *reader_, first_, 0);
    seen_.resize(pages_ * kPage);
    Put(seen_, 0, Part(first_bytes_, pages_ - half_, half_));
    Put(seen_, half_, Part(first_bytes_, 0, pages_ - half_));
    vidmm_.mappings().MapToAperture(*process_, va_, *reader_, range_, pages_);
  }

  void LiveTraffic() {
    ClientRun slow = ReadOf(process_, va_, seen_);
    slow.depth = 1;
    life_.Timed("aperture maps under traffic", 2 * rounds_ * pages_ * kPage, true, [&] {
      for (uint64_t round = 0; round < rounds_; ++round) {
        const uint64_t cut = 1 + round % (pages_ - 1);
        ClientBatch maps(vidmm_, {slow}, "bytes of a range while others are mapped");
        life_.Work([&] { Map(cut, maps); });
        maps.Finish(life_.result.checks);
        ClientBatch unmaps(vidmm_, {slow}, "bytes of a range while others are unmapped");
        life_.Work([&] { Unmap(cut, unmaps); });
        unmaps.Finish(life_.result.checks);
      }
    });
  }

  /// Maps the second range in two pieces, divided at page `cut`.
  void Map(uint64_t cut, const ClientBatch& batch) {
    vidmm_.aperture().Bind(free_ + cut, pages_ - cut, *other_, second_, cut);
    life_.Compare("a map while the client reads", batch.busy() ? "" : "the client had ended before");
    vidmm_.aperture().Bind(free_, cut, *other_, second_, 0);
    life_.Compare("two pieces, cut at page " + std::to_string(cut),
                  Difference(copy_->FromAperture(free_, pages_ * kPage), second_bytes_));
  }

  /// Unmaps the second range in up to three pieces: first the two pages on either side of the
  /// boundary `cut`, then the rest.
  void Unmap(uint64_t cut, const ClientBatch& batch) {
    const uint64_t from = cut - 1;
    vidmm_.aperture().Unbind(free_ + from, 2, *other_);
    life_.Compare("an unmap while the client reads", batch.busy() ? "" : "the client had ended before");
    Bytes expected = second_bytes_;
    Put(expected, from, dummy_bytes_);
    Put(expected, from + 1, dummy_bytes_);
    life_.Compare("a piece over the cut at page " + std::to_string(cut) + " unmapped",
                  Difference(copy_->FromAperture(free_, pages_ * kPage), expected));
    if (from != 0) vidmm_.aperture().Unbind(free_, from, *other_);
    if (from + 2 < pages_) vidmm_.aperture().Unbind(free_ + from + 2, pages_ - from - 2, *other_);
  }

  void UnmapAPiece() {
    life_.Work([&] { vidmm_.aperture().Unbind(range_ + 1, 2, *reader_); });
    for (uint64_t page : {1, 2}) Put(seen_, page, dummy_bytes_);
    RunClients(vidmm_, {ReadOf(process_, va_, seen_)}, "the dummy page between mapped ones", life_.result.checks);
  }

  /// Returns the number of accesses to the host pages that the unmapped pages mapped before.
  uint64_t AccessesToOldPages() {
    uint64_t sum = 0;
    for (uint64_t page : {1, 2}) {
      const uint64_t index = page < half_ ? pages_ - half_ + page : page - half_;
      if (hw::Instruments* instruments = life_.host.platform().instruments())
        sum += instruments->PageAccesses(first_.host_pages()[index]);
    }
    return sum;
  }

  void WriteWhereNothingIsMapped() {
    const uint64_t before = AccessesToOldPages();
    ClientRun write = ReadOf(process_, va_ + 2 * kPage, dummy_bytes_);
    write.write = true;
    write.pattern = life_.options.seed;
    RunClients(vidmm_, {write}, "writes to an unmapped aperture page", life_.result.checks);
    dummy_bytes_ = PatternAt(write.base, kPage, *write.pattern);
    const uint8_t* dummy = vidmm_.dummy().Map(0, kPage);
    life_.Compare("the dummy page takes writes", Difference(Bytes(dummy, dummy + kPage), dummy_bytes_));
    vidmm_.dummy().Unmap();
    for (uint64_t page : {1, 2}) Put(seen_, page, dummy_bytes_);
    RunClients(vidmm_, {ReadOf(process_, va_, seen_)}, "what was written there, in both pages", life_.result.checks);
    const uint64_t after = AccessesToOldPages();
    life_.Compare("no access to unmapped pages",
                  after == before ? "" : std::to_string(after - before) + " accesses to the old pages");
  }

  void MapThePieceToOtherMemory() {
    life_.Work([&] { vidmm_.aperture().Bind(range_ + 1, 2, *reader_, second_, 1); });
    Put(seen_, 1, Part(second_bytes_, 1, 2));
    RunClients(vidmm_, {ReadOf(process_, va_, seen_)}, "a piece that shows other memory", life_.result.checks);
  }

  /// An allocation without AccessedPhysically is placed in the implicit system memory segment. The
  /// GPU accesses it there without a map operation.
  void WithoutPhysicalAccess() {
    const uint64_t before = vidmm_.aperture().map_operations();
    os::Allocation* virtual_only = nullptr;
    uint64_t va = 0;
    life_.Work([&] {
      os::AllocationRequest request;
      request.name = "without AccessedPhysically";
      request.bytes = pages_ * kPage;
      request.system_only = true;
      request.accessed_physically = false;
      virtual_only = vidmm_.CreateAllocation(request);
      va = vidmm_.ReserveVa(*process_, pages_ * kPage);
      vidmm_.Map(*process_, va, *virtual_only, 0, pages_);
      vidmm_.residency().MakeResident({virtual_only});
    });
    life_.Compare("upgraded to the implicit system segment",
                  os::ResidenceOf(*virtual_only) == os::Residence::kSystem ? "" : "it lives elsewhere");
    ClientRun write = ReadOf(process_, va, second_bytes_);
    write.write = true;
    write.pattern = life_.options.seed;
    RunClients(vidmm_, {write}, "system memory without an aperture range, written", life_.result.checks);
    const Bytes expected = PatternAt(va, pages_ * kPage, *write.pattern);
    life_.Compare("bytes of system memory that the GPU wrote", Difference(os::InSystemMemory(*virtual_only), expected));
    life_.Compare("no aperture map without AccessedPhysically",
                  vidmm_.aperture().map_operations() == before ? "" : "a map operation was sent");
    life_.Work([&] {
      vidmm_.Unmap(*process_, va, pages_);
      vidmm_.FreeVa(*process_, va);
      vidmm_.DestroyAllocation(virtual_only);
    });
  }

  void TakeDown() {
    vidmm_.Unmap(*process_, va_, pages_);
    vidmm_.aperture().Unbind(range_, pages_, *reader_);
    vidmm_.aperture().Free(range_);
    vidmm_.aperture().Free(free_);
    vidmm_.FreeVa(*process_, va_);
    vidmm_.DestroyProcess(process_);
    copy_->Release();
    vidmm_.DestroyAllocation(reader_);
    vidmm_.DestroyAllocation(other_);
    first_.Release();
    second_.Release();
  }

  Life& life_;
  os::VidMm& vidmm_;
  const uint64_t pages_, half_, rounds_;
  os::SystemBuffer first_, second_;
  Bytes first_bytes_, second_bytes_, dummy_bytes_;
  Bytes seen_;  ///< expected contents of the first range
  os::Allocation* reader_ = nullptr;
  os::Allocation* other_ = nullptr;
  os::GpuProcess* process_ = nullptr;
  std::unique_ptr<DeviceCopy> copy_;
  uint64_t va_ = 0, range_ = 0, free_ = 0;
};

void RunAperture(Life& life, const ParameterValues& values) {
  NeedAperture(life);
  ApertureRun(life, values.at("pages"), values.at("rounds")).Run();
}

}  // namespace

Procedure ApertureProcedure() {
  return {"aperture",
          "Maps and unmaps pieces of an aperture range while a client reads from another range.",
          {{"pages", 12, 6, 4096, "Number of pages in each of the two ranges."},
           {"rounds", 2, 1, 1000, "Number of times that the second range is mapped and unmapped."}},
          RunAperture};
}

}  // namespace gmmu::workload
