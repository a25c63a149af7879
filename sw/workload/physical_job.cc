// SPDX-License-Identifier: Apache-2.0
#include "workload/physical_job.h"

#include <algorithm>
#include <cstring>
#include <optional>

#include "hw/host_ram.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/text.h"
#include "workload/device_copy.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/lines.h"
#include "workload/listed_buffer.h"
#include "workload/needs.h"
#include "workload/plug_in.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kView = 4 << 20;           // size of the largest CPU view
constexpr uint64_t kCommandBytes = 24 << 10;  // divides no piece size, so the last command is short
constexpr uint32_t kOverwritten = 0xDEADBEEF;
constexpr uint64_t kDummyPages = 4;  // number of pages read again after the aperture is unmapped
}  // namespace

PhysicalJob::PhysicalJob(Life& life) : life_(life), vidmm_(life.vidmm), options_(life.options), result_(life.result) {}

void PhysicalJob::Progress(const std::string& phase, uint64_t done) const {
  if (options_.progress) options_.progress(phase, done_ + done, options_.input->size());
}

void PhysicalJob::Write(os::SystemBuffer& buffer, const uint8_t* data, uint64_t bytes, uint64_t seed) const {
  for (uint64_t done = 0; done < bytes; done += kView) {
    const uint64_t size = std::min(kView, bytes - done);
    uint8_t* view = buffer.Map(done, size);
    if (data != nullptr) std::memcpy(view, data + done, size);
    else FillPattern(view, size, seed + done);
    buffer.Unmap();
  }
}

void PhysicalJob::Run() {
  NeedListedCopy(life_);
  fills_ = PlugIn::Current()->has_listed_fill();
  const os::GpuFacts facts = life_.gpu().facts();
  has_aperture_ = facts.aperture.size != 0;
  // Two allocations of a piece must fit in video memory and leave room for other allocations, and
  // one must fit in the aperture.
  const uint64_t shown = has_aperture_ ? facts.aperture.size / 2 : facts.local.size / 4;
  const uint64_t most = std::min(facts.local.size / 4, shown) / kPage * kPage;
  const std::vector<workload::Piece> pieces = Pieces(options_.input->size(), std::max(most, kPage));
  if (options_.progress) options_.progress("making processes", 0, 0);
  life_.Work([&] {
    first_ = vidmm_.CreateProcess("first process");
    second_ = vidmm_.CreateProcess("second process");
    if (!has_aperture_) return;
    FillPattern(vidmm_.dummy().Map(0, kPage), kPage, options_.seed ^ 0x64756D6D79);
    vidmm_.dummy().Unmap();
  });
  if (pieces.empty() && options_.after_first_page_in) options_.after_first_page_in();
  for (const workload::Piece& piece : pieces) RunPiece(piece.offset, piece.bytes, piece.offset == 0);
  if (options_.progress) options_.progress("power off", 0, 0);
  life_.Work([&] {
    vidmm_.DestroyProcess(first_);
    vidmm_.DestroyProcess(second_);
  });
}

void PhysicalJob::RunPiece(uint64_t offset, uint64_t bytes, bool first) {
  Piece piece;
  piece.offset = offset;
  piece.bytes = bytes;
  piece.pages = (bytes + kPage - 1) / kPage;
  piece.data.assign(options_.input->begin() + static_cast<ptrdiff_t>(offset),
                    options_.input->begin() + static_cast<ptrdiff_t>(offset + bytes));
  piece.data.resize(piece.pages * kPage);
  PageIn(piece, first);
  life_.Timed("copies by commands", piece.data.size(), false, [&] {
    ListedBuffer buffer(life_, first_);
    CopyByCommands(buffer, *piece.first, *piece.second, piece.data.size(), kCommandBytes, "copies");
  });
  ReadBack(piece, first_, *piece.first, "bytes paged in, read by a process");
  ReadBack(piece, second_, *piece.second, "bytes that commands copied, read by another process");
  ComeAndGo(piece);
  PageOut(piece);
  if (has_aperture_) Aperture(piece);
  for (const os::SystemBuffer* buffer : {&piece.source, &piece.target})
    pages_used_.insert(pages_used_.end(), buffer->host_pages().begin(), buffer->host_pages().end());
  life_.Work([&] {
    for (os::Allocation* each : {piece.first, piece.second, piece.window, piece.shown}) {
      if (each != nullptr) vidmm_.DestroyAllocation(each);
    }
    piece.source.Release();
    piece.target.Release();
  });
  done_ += bytes;
  if (std::all_of(result_.checks.begin(), result_.checks.end(), [](const Check& check) { return check.passed; }))
    result_.bytes_verified = done_;
}

void PhysicalJob::PageIn(Piece& piece, bool first) {
  Progress("copying in", 0);
  const uint64_t bytes = piece.data.size();
  life_.Work([&] {
    const std::string at = " at " + os::Hex(piece.offset);
    piece.first = vidmm_.CreateAllocation("input" + at, bytes);
    piece.second = vidmm_.CreateAllocation("copy of the input" + at, bytes);
    piece.window = has_aperture_ ? vidmm_.allocations().CreateInAperture("window for the input" + at, bytes, first_)
                                 : vidmm_.CreateAllocation("window for the input" + at, bytes);
    if (has_aperture_) piece.shown = vidmm_.allocations().CreateInAperture("aperture" + at, bytes, first_);
    piece.source = os::MakeHostMemory(vidmm_, bytes, options_.lowest_source);
    Write(piece.source, piece.data.data(), bytes, 0);
    vidmm_.MakeResident(*piece.first);
    life_.Timed("page in", bytes, true, [&] {
      vidmm_.transfers().PageIn(*piece.first, piece.source, bytes,
                                [&](uint64_t done) { Progress("page in", std::min(done, piece.bytes)); });
    });
  });
  if (first && options_.after_first_page_in) options_.after_first_page_in();
  // Overwrite the source, so that later GPU reads cannot return its bytes.
  Write(piece.source, nullptr, bytes, options_.seed ^ 0x736F75726365);
}

// Copies `from` to the window allocation by commands, then compares the window's bytes with the
// input. The CPU reads the window's pages, which are mapped into the aperture; if there is no
// aperture, the window is evicted first. If possible, the same command buffer first fills the
// window with other bytes, so that a wrong command order is detected.
void PhysicalJob::ReadBack(Piece& piece, os::GpuProcess* process, os::Allocation& from, const std::string& what) {
  Progress(what, 0);
  life_.Timed("read back by commands", piece.data.size(), true, [&] {
    ListedBuffer buffer(life_, process);
    if (fills_) buffer.Fill(*piece.window, 0, piece.data.size(), kOverwritten);
    CopyByCommands(buffer, from, *piece.window, piece.data.size(), kCommandBytes, what);
  });
  if (!has_aperture_) Evict(*piece.window);
  life_.Compare(what, Difference(os::InSystemMemory(*piece.window), piece.data));
}

// Evicts the allocation. The CPU then overwrites the VRAM that the allocation occupied, so that an
// access to the stale address reads wrong bytes.
void PhysicalJob::Evict(os::Allocation& allocation) {
  const std::optional<uint64_t> offset = os::VramOffset(allocation), window = life_.gpu().facts().local.window;
  life_.Work([&] { vidmm_.residency().Evict(allocation); });
  if (!offset || !window) return;
  std::vector<uint8_t> other(os::BytesOf(allocation));
  FillPattern(other.data(), other.size(), options_.seed ^ 0x6F6C64);
  life_.gpu().WriteVram(*window + *offset, other.data(), other.size());
}

void PhysicalJob::ComeAndGo(Piece& piece) {
  Progress("evicted and back", 0);
  os::Residency& residency = vidmm_.residency();
  Evict(*piece.second);
  life_.Compare("bytes evicted", Difference(os::InSystemMemory(*piece.second), piece.data));
  ReadBack(piece, second_, *piece.second, "bytes evicted and back");
  // The allocation has only been read since it was restored, so its copy in system memory is current.
  const uint64_t discards = residency.counts().discards;
  Evict(*piece.second);
  life_.Compare("evictions without a transfer",
                residency.counts().discards == discards + 1 ? "" : "an allocation that was only read was copied out");
  ReadBack(piece, first_, *piece.second, "bytes evicted unchanged and back");
  if (!fills_) return;
  // After a write, an eviction must copy the allocation out again.
  ListedBuffer buffer(life_, first_);
  buffer.Fill(*piece.second, 0, piece.data.size(), kOverwritten);
  buffer.SubmitAndWait("a fill");
  Evict(*piece.second);
  std::vector<uint8_t> written(piece.data.size());
  for (uint64_t i = 0; i < written.size(); ++i) written[i] = static_cast<uint8_t>(kOverwritten >> 8 * (i % 4));
  life_.Compare("bytes written after a return", Difference(os::InSystemMemory(*piece.second), written));
  CopyByCommands(buffer, *piece.first, *piece.second, piece.data.size(), kCommandBytes, "copies");
}

void PhysicalJob::PageOut(Piece& piece) {
  const uint64_t bytes = piece.data.size();
  life_.Work([&] {
    piece.target = os::MakeHostMemory(vidmm_, bytes);
    Write(piece.target, nullptr, bytes, options_.seed ^ 0x746172676574);
    life_.Timed("page out", bytes, true, [&] {
      vidmm_.transfers().PageOut(*piece.second, piece.target, bytes,
                                 [&](uint64_t done) { Progress("page out", std::min(done, piece.bytes)); });
    });
  });
  std::string difference;
  for (uint64_t done = 0; done < piece.bytes; done += kView) {
    const uint64_t size = std::min(kView, piece.bytes - done);
    const uint8_t* view = piece.target.Map(done, size);
    const auto expected = piece.data.begin() + static_cast<ptrdiff_t>(done);
    const auto at = std::mismatch(view, view + size, expected);
    if (difference.empty() && at.first != view + size) {
      difference = "byte " + std::to_string(piece.offset + done + static_cast<uint64_t>(at.first - view)) +
                   " of the input came back as " + os::Hex(*at.first) + ", was " + os::Hex(*at.second);
    }
    if (options_.out) options_.out(view, size);
    piece.target.Unmap();
  }
  life_.Compare("bytes paged out", difference);
}

void PhysicalJob::Aperture(Piece& piece) {
  Progress("aperture", 0);
  hw::Instruments* instruments = life_.host.platform().instruments();
  const auto accesses = [&] {
    uint64_t sum = 0;
    if (instruments == nullptr) return sum;
    for (const uint64_t page : piece.target.host_pages()) sum += instruments->PageAccesses(page);
    return sum;
  };
  const uint64_t dummies = std::min(piece.pages, kDummyPages) * kPage;
  std::vector<uint8_t> dummy(dummies), shown, hidden;
  for (uint64_t at = 0; at < dummies; at += kPage) FillPattern(dummy.data() + at, kPage, options_.seed ^ 0x64756D6D79);
  uint64_t before = 0, after = 0;
  life_.Work([&] {
    DeviceCopy copy(life_, piece.data.size());
    const uint64_t range = vidmm_.aperture().Reserve(piece.pages);
    vidmm_.aperture().Bind(range, piece.pages, *piece.shown, piece.target, 0);
    life_.Timed("aperture by DMA", piece.data.size(), true,
                [&] { shown = copy.FromAperture(range, piece.data.size()); });
    vidmm_.aperture().Unbind(range, piece.pages, *piece.shown);
    before = accesses();
    hidden = copy.FromAperture(range, dummies);
    after = accesses();
    vidmm_.aperture().Free(range);
    copy.Release();
  });
  life_.Compare("bytes that the paging engine read from the aperture", Difference(shown, piece.data));
  life_.Compare("dummy page after the unmap", Difference(hidden, dummy));
  life_.Compare("no access to unmapped pages",
                after == before ? "" : std::to_string(after - before) + " accesses to the old pages after the unmap");
}

}  // namespace gmmu::workload
