// SPDX-License-Identifier: Apache-2.0
#include "workload/copier.h"

#include "os/application/facts.h"
#include "workload/life.h"
#include "workload/lines.h"
#include "workload/page_words.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {
constexpr uint64_t kCommandBytes = 64;  // room for a copy and a fill

/// Returns the value of each word of source page `page` after round `round`. Before round 1, the
/// four bytes of a word are equal, because the WDDM documentation does not give the width of
/// FillPattern.
uint32_t WordOf(uint32_t round, uint64_t page) {
  return round == 0 ? PageWords::Word(static_cast<uint32_t>(page))
                    : (round + 1) << 24 | static_cast<uint32_t>(page + 1);
}
}  // namespace

Copier::Copier(Life& life, const std::string& name, uint64_t pages, uint32_t rounds)
    : life_(life), pages_(pages), rounds_(rounds) {
  life.Work([&] {
    process_ = life.vidmm.CreateProcess(name);
    allocation_ = life.vidmm.CreateAllocation(name, bytes());
    life.vidmm.MakeResident(*allocation_);
    for (uint64_t page = 0; page < pages; ++page)
      life.vidmm.transfers().Fill(*allocation_, page * kPage, kPage, WordOf(0, page));
    if (rounds != 0) life.vidmm.transfers().Fill(*allocation_, pages * kPage, bytes() - pages * kPage, 0);
    va_ = life.vidmm.ReserveVa(*process_, bytes());
    life.vidmm.Map(*process_, va_, *allocation_, 0, bytes() / kPage);
  });
}

Copier::~Copier() = default;

uint64_t Copier::bytes() const { return (rounds_ + uint64_t{1}) * pages_ * kPage; }
bool Copier::lost() const { return os::DeviceLost(*process_); }
const std::string& Copier::name() const { return os::NameOf(*process_); }
uint64_t Copier::PlaceOf(uint32_t round, uint64_t page) const { return va_ + (round * pages_ + page) * kPage; }

void Copier::BuildRound(uint32_t round) {
  buffers_.push_back(std::make_unique<RenderBuffer>(life_, process_, pages_ * kCommandBytes + kPage));
  for (uint64_t page = 0; page < pages_; ++page) {
    buffers_.back()->Copy(PlaceOf(0, page), PlaceOf(round, page), kPage);
    buffers_.back()->Fill(PlaceOf(0, page), kPage, WordOf(round, page));
  }
}

void Copier::SubmitRound(uint32_t round) {
  if (buffers_.size() < round) BuildRound(round);
  packets_.push_back(buffers_[round - 1]->Submit("round " + std::to_string(round) + " of " + name()));
}

os::PacketEnd Copier::Finish() {
  os::PacketEnd end = os::PacketEnd::kCompleted;
  for (const os::PacketId packet : packets_)
    if (life_.graphics.Wait(packet) == os::PacketEnd::kLost) end = os::PacketEnd::kLost;
  return end;
}

void Copier::Check(unsigned client) {
  std::vector<uint32_t> words;
  const auto put = [&](uint32_t round) {
    for (uint64_t page = 0; page < pages_; ++page) words.push_back(WordOf(round, page));
  };
  put(rounds_);
  for (uint32_t round = 0; round < rounds_; ++round) put(round);
  PageWords(life_, client).Read(process_, name() + ", source and every round", va_, words);
}

void Copier::End() {
  for (auto& buffer : buffers_) buffer->Release();
  life_.Work([&] {
    life_.vidmm.FreeVa(*process_, va_);
    life_.vidmm.DestroyAllocation(allocation_);
    life_.vidmm.DestroyProcess(process_);
  });
}

}  // namespace gmmu::workload
