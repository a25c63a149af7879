// SPDX-License-Identifier: Apache-2.0
#include "workload/main_job.h"

#include <algorithm>
#include <cstring>

#include "kmd/escape.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/page_math.h"
#include "os/base/text.h"
#include "workload/clients.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/physical_job.h"
#include "workload/plug_in.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kView = 4 << 20;         // size of the largest CPU view
constexpr uint64_t kOtherBytes = 64 << 10;  // size of the second process's allocation
constexpr uint64_t kDummySeed = 0x64756D6D79;
constexpr uint64_t kUnmappedPages = 4;  // number of pages read again after the aperture is unmapped
}  // namespace

MainJob::MainJob(Life& life) : life_(life), vidmm_(life.vidmm), options_(life.options), result_(life.result) {}

void RunMainJob(hw::Platform& platform, const JobOptions& options, JobResult& result) {
  result.bytes = options.input->size();
  RunLife(platform, options, result, [](Life& life) {
    if (life.gpu().facts().physical_model) PhysicalJob(life).Run();
    else MainJob(life).Run();
  });
}

void MainJob::Progress(const std::string& phase, uint64_t done) const {
  if (options_.progress) options_.progress(phase, done_ + done, options_.input->size());
}

void MainJob::Write(os::SystemBuffer& buffer, const uint8_t* data, uint64_t bytes, uint64_t seed) {
  for (uint64_t done = 0; done < bytes; done += kView) {
    const uint64_t size = std::min(kView, bytes - done);
    uint8_t* view = buffer.Map(done, size);
    if (data != nullptr) {
      std::memcpy(view, data + done, size);
    } else {
      FillPattern(view, size, seed + done);
    }
    buffer.Unmap();
  }
}

ClientRun MainJob::Reader(unsigned client, os::GpuProcess* process, const uint8_t* expected, LineOrder order) const {
  ClientRun run;
  run.client = client;
  run.process = process;
  run.base = va_;
  run.order = order;
  run.crc = LineCrc(expected, order);
  return run;
}

void MainJob::Run() {
  clients_ = ClientsOf(life_.gpu());
  result_.clients = clients_;
  const uint64_t piece_bytes = PieceBytes(MemoryOf(life_.gpu()));
  const std::vector<workload::Piece> pieces = Pieces(options_.input->size(), piece_bytes);

  if (options_.progress) options_.progress("making processes", 0, 0);
  life_.Work([&] { MakeProcesses(std::min<uint64_t>(piece_bytes, os::RoundUp(options_.input->size(), kPage))); });
  if (pieces.empty() && options_.after_first_page_in) options_.after_first_page_in();
  for (const workload::Piece& piece : pieces) RunPiece(piece.offset, piece.bytes, piece.offset == 0);

  if (options_.progress) options_.progress("power off", 0, 0);
  life_.Work([&] {
    for (os::GpuProcess* process : {first_, second_}) vidmm_.FreeVa(*process, va_);
    vidmm_.FreeVa(*first_, aperture_va_);
    vidmm_.DestroyProcess(first_);
    vidmm_.DestroyProcess(second_);
    if (other_ != nullptr) vidmm_.DestroyAllocation(other_);
    other_source_.Release();
  });
}

void MainJob::MakeProcesses(uint64_t piece_bytes) {
  first_ = vidmm_.CreateProcess("first process");
  second_ = vidmm_.CreateProcess("second process");
  va_ = vidmm_.ReserveVa(*first_, piece_bytes);
  vidmm_.ReserveVa(*second_, piece_bytes, va_);
  const uint64_t aperture = std::max(life_.gpu().facts().aperture.size, kPage);
  aperture_va_ = vidmm_.ReserveVa(*first_, std::min(piece_bytes, aperture));
  uint8_t* dummy = vidmm_.dummy().Map(0, kPage);
  FillPattern(dummy, kPage, options_.seed ^ kDummySeed);
  vidmm_.dummy().Unmap();
  if (piece_bytes == 0) {  // if there is no input, the job only builds tables
    vidmm_.Unmap(*first_, va_, 1);
    vidmm_.Unmap(*second_, va_, 1);
    return;
  }
  // The second process maps different bytes at the same addresses as the first process.
  const uint64_t bytes = std::min(kOtherBytes, piece_bytes);
  other_data_.resize(bytes);
  FillPattern(other_data_.data(), bytes, options_.seed ^ 0x6F74686572);
  other_ = vidmm_.CreateAllocation("second process's data", bytes);
  other_source_ = os::MakeHostMemory(vidmm_, bytes);
  Write(other_source_, other_data_.data(), bytes, 0);
  vidmm_.MakeResident(*other_);
  vidmm_.transfers().PageIn(*other_, other_source_, bytes);
}

void MainJob::RunPiece(uint64_t offset, uint64_t bytes, bool first) {
  Piece piece;
  piece.offset = offset;
  piece.bytes = bytes;
  piece.padded = os::RoundUp(bytes, kLine);
  piece.pages = os::RoundUp(bytes, kPage) / kPage;
  piece.lines = piece.padded / kLine;
  piece.data.assign(options_.input->begin() + static_cast<ptrdiff_t>(offset),
                    options_.input->begin() + static_cast<ptrdiff_t>(offset + bytes));
  piece.data.resize(piece.pages * kPage);
  Allocate(piece);
  PageIn(piece, first);
  Use(piece);
  PageOut(piece);
  Aperture(piece);
  if (offset + bytes == options_.input->size() && life_.host.LeakNow("rtl_slot")) LoseAnswer();
  for (const os::SystemBuffer* buffer : {&piece.source, &piece.target})
    pages_used_.insert(pages_used_.end(), buffer->host_pages().begin(), buffer->host_pages().end());
  life_.Work([&] {
    vidmm_.Unmap(*first_, va_, piece.pages);
    if (other_ != nullptr) vidmm_.Unmap(*second_, va_, os::BytesOf(*other_) / kPage);
    vidmm_.DestroyAllocation(piece.allocation);
    vidmm_.DestroyAllocation(piece.shown);
    piece.source.Release();
    piece.target.Release();
  });
  done_ += bytes;
  if (std::all_of(result_.checks.begin(), result_.checks.end(), [](const Check& check) { return check.passed; })) {
    result_.bytes_verified = done_;
  }
}

void MainJob::LoseAnswer() {
  kmd::EscapeQuerySpace query;
  query.process = reinterpret_cast<uintptr_t>(os::HandleOf(*first_));
  life_.gpu().Escape(query, "the query of a space");
  if (hw::Instruments* instruments = life_.host.platform().instruments()) instruments->LoseAnswer(0, query.space, va_);
}

void MainJob::Allocate(Piece& piece) {
  Progress("copying in", 0);
  life_.Work([&] {
    piece.allocation = vidmm_.CreateAllocation("input at " + os::Hex(piece.offset), piece.pages * kPage);
    piece.shown = vidmm_.allocations().CreateInAperture("aperture at " + os::Hex(piece.offset), piece.pages * kPage,
                                                        first_);
    piece.source = os::MakeHostMemory(vidmm_, piece.pages * kPage, options_.lowest_source);
    Write(piece.source, piece.data.data(), piece.pages * kPage, 0);
    const os::Inject& inject = options_.os.inject;
    const uint64_t middle = piece.pages / 2;
    if (inject.wrong_adl) {
      life_.host.Injected("wrong_adl");
      piece.source.Falsify(middle,
                           piece.pages > 1 ? piece.source.page((middle + 1) % piece.pages) : vidmm_.dummy().page(0));
    }
    if (inject.unmapped_page && life_.graphics.has_domain()) {
      life_.host.Injected("unmapped_page");
      life_.graphics.PunchHole(piece.source.page(middle) * kPage);
    }
  });
}

void MainJob::PageIn(Piece& piece, bool first) {
  life_.Work([&] {
    vidmm_.MakeResident(*piece.allocation);
    vidmm_.Map(*first_, va_, *piece.allocation, 0, piece.pages);
    if (other_ != nullptr) vidmm_.Map(*second_, va_, *other_, 0, os::BytesOf(*other_) / kPage);
    life_.Timed("page in", piece.padded, true, [&] {
      vidmm_.transfers().PageIn(*piece.allocation, piece.source, piece.padded,
                                [&](uint64_t done) { Progress("page in", std::min(done, piece.bytes)); });
    });
  });
  if (first && options_.after_first_page_in) options_.after_first_page_in();
  // Overwrite the source, so that later GPU reads cannot return its bytes.
  Write(piece.source, nullptr, piece.pages * kPage, options_.seed ^ 0x736F75726365);
}

void MainJob::Use(Piece& piece) {
  std::vector<ClientRun> sequence, permuted;
  for (unsigned client = 0; client < clients_; ++client) {
    LineOrder order = ShareOf(piece.lines, client, clients_);
    sequence.push_back(Reader(client, first_, piece.data.data(), order));
    order.step = CoprimeStep(order.count, options_.seed + client);
    permuted.push_back(Reader(client, first_, piece.data.data(), order));
  }
  Progress("clients in sequence", 0);
  life_.Timed("clients in sequence", piece.padded, false,
              [&] { RunClients(vidmm_, sequence, "clients in sequence", result_.checks); });
  Progress("clients permuted", 0);
  life_.Timed("clients permuted", piece.padded, false,
              [&] { RunClients(vidmm_, permuted, "clients permuted", result_.checks); });

  // Both processes run concurrently and use the same addresses.
  Progress("two processes", 0);
  std::vector<ClientRun> both;
  const uint64_t lines = other_data_.size() / kLine;
  both.push_back(Reader(clients_ - 1, second_, other_data_.data(), ShareOf(lines, 0, 1)));
  if (clients_ > 1) {
    both.push_back(Reader(0, first_, piece.data.data(), ShareOf(std::min(lines, piece.lines), 0, 1)));
  }
  RunClients(vidmm_, both, "two processes at the same addresses", result_.checks);
}

void MainJob::PageOut(Piece& piece) {
  life_.Work([&] {
    piece.target = os::MakeHostMemory(vidmm_, piece.pages * kPage);
    Write(piece.target, nullptr, piece.pages * kPage, options_.seed ^ 0x746172676574);
    life_.Timed("page out", piece.padded, true, [&] {
      vidmm_.transfers().PageOut(*piece.allocation, piece.target, piece.padded,
                                 [&](uint64_t done) { Progress("page out", std::min(done, piece.bytes)); });
    });
  });
  std::string difference;
  for (uint64_t done = 0; done < piece.bytes; done += kView) {
    const uint64_t size = std::min(kView, piece.bytes - done);
    const uint8_t* view = piece.target.Map(done, size);
    if (difference.empty() && std::memcmp(view, piece.data.data() + done, size) != 0) {
      uint64_t at = 0;
      while (view[at] == piece.data[done + at]) ++at;
      difference = "byte " + std::to_string(piece.offset + done + at) + " of the input came back as " +
                   os::Hex(view[at]) + ", was " + os::Hex(piece.data[done + at]);
    }
    if (options_.out) options_.out(view, size);
    piece.target.Unmap();
  }
  life_.Compare("bytes paged out", difference);
}

void MainJob::Aperture(Piece& piece) {
  if (!os::MayLiveInAperture(*piece.shown)) return;  // it is restricted to implicit system memory
  const uint64_t most = life_.gpu().facts().aperture.size / kPage;
  for (uint64_t first = 0; first < piece.pages; first += most) {
    ApertureChunk(piece, first, std::min(most, piece.pages - first));
  }
}

// Client 0 reads every line through entries that target the aperture, while the CPU overwrites the
// allocation's VRAM. Then the DMA engine copies the bytes from the aperture back into that VRAM,
// and the clients read them there again.
void MainJob::ApertureChunk(Piece& piece, uint64_t first_page, uint64_t pages) {
  const uint64_t start = first_page * kPage;
  const uint64_t bytes = std::min(piece.padded - start, pages * kPage);
  const uint8_t* expected = piece.data.data() + start;
  uint64_t aperture = 0;
  life_.Work([&] {
    aperture = vidmm_.aperture().Reserve(pages);
    vidmm_.aperture().Bind(aperture, pages, *piece.shown, piece.target, first_page);
    vidmm_.mappings().MapToAperture(*first_, aperture_va_, *piece.shown, aperture, pages);
  });
  ClientRun direct = Reader(0, first_, expected, ShareOf(bytes / kLine, 0, 1));
  direct.base = aperture_va_;
  std::vector<ClientRun> copied;
  for (unsigned client = 0; client < clients_; ++client) {
    copied.push_back(Reader(client, first_, expected, ShareOf(bytes / kLine, client, clients_)));
    copied.back().base = va_ + start;
  }
  Progress("aperture", start);
  life_.Timed("aperture by one client", bytes, true, [&] {
    ClientBatch batch(vidmm_, {direct}, "bytes that a client read from the aperture");
    life_.Work([&] { vidmm_.transfers().Fill(*piece.allocation, start, pages * kPage, 0xDEADBEEF); });
    batch.Finish(result_.checks);
  });
  Progress("aperture", start + bytes / 2);
  life_.Work([&] {
    life_.Timed("aperture by DMA", bytes, true,
                [&] { vidmm_.transfers().CopyFromAperture(aperture * kPage, *piece.allocation, start, bytes); });
  });
  RunClients(vidmm_, copied, "bytes that the DMA engine read from the aperture", result_.checks);
  CheckUnmapped(piece, first_page, pages, aperture);
}

void MainJob::CheckUnmapped(Piece& piece, uint64_t first_page, uint64_t pages, uint64_t aperture_page) {
  hw::Instruments* instruments = life_.host.platform().instruments();
  const auto& host_pages = piece.target.host_pages();
  auto accesses = [&] {
    uint64_t sum = 0;
    for (uint64_t page = first_page; instruments != nullptr && page < first_page + pages; ++page) {
      sum += instruments->PageAccesses(host_pages[page]);
    }
    return sum;
  };
  const uint64_t read = std::min(pages, kUnmappedPages);
  std::vector<uint8_t> dummy(read * kPage);
  for (uint64_t page = 0; page < read; ++page)
    FillPattern(dummy.data() + page * kPage, kPage, options_.seed ^ kDummySeed);
  uint64_t before = 0;
  life_.Work([&] {
    vidmm_.aperture().Unbind(aperture_page, pages, *piece.shown);
    before = accesses();
  });
  ClientRun one = Reader(0, first_, dummy.data(), ShareOf(read * kPage / kLine, 0, 1));
  one.base = aperture_va_;
  RunClients(vidmm_, {one}, "dummy page by a client after the unmap", result_.checks);
  life_.Work([&] {
    vidmm_.transfers().CopyFromAperture(aperture_page * kPage, *piece.allocation, first_page * kPage, read * kPage);
    // The same addresses now map VRAM: a stale translation would still access the aperture.
    vidmm_.Map(*first_, aperture_va_, *piece.allocation, first_page, read);
  });
  RunClients(vidmm_, {one}, "dummy page by DMA after the unmap", result_.checks);
  const uint64_t after = accesses();
  life_.Compare("no access to unmapped pages",
                after == before ? "" : std::to_string(after - before) + " accesses to the old pages after the unmap");
  life_.Work([&] {
    vidmm_.Unmap(*first_, aperture_va_, pages);
    vidmm_.aperture().Free(aperture_page);
  });
}

}  // namespace gmmu::workload
