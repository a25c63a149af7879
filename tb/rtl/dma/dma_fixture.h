// SPDX-License-Identifier: Apache-2.0
// The fixture of the paging engine's tests: it maps two windows to scattered pages, enables a ring,
// and compares memory with the reference model.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "tb/rtl/dma/dma_commands.h"

namespace gmmu::dma {

inline constexpr uint64_t kSrc = 0x10000000, kDst = 0x20000000;  // virtual windows
inline constexpr uint64_t kWindow = 64 * 4096;
inline constexpr uint64_t kApertureBase = 0x300000;
inline constexpr unsigned kAperturePages = 64;

class Engine : public ::testing::Test {
 protected:
  void Start(uint64_t seed, Timing timing = {}, bool privileged = true) {
    m = std::make_unique<Machine>(seed, timing);
    // Map two windows in two spaces to scattered pages of both memories. A few source pages are
    // zero pages.
    std::vector<uint64_t> frames;
    for (uint64_t n = 0; n < 2 * kWindow / 4096; ++n) frames.push_back(n);
    std::shuffle(frames.begin(), frames.end(), m->rng);
    for (uint64_t n = 0; n < kWindow / 4096; ++n) {
      Map(1, kSrc + 4096 * n, frames[2 * n]);
      Map(2, kDst + 4096 * n, frames[2 * n + 1]);
    }
    m->vram.Make(kApertureBase, 8 * kAperturePages);
    m->t.aperture_base_i = kApertureBase;
    m->t.aperture_pages_i = kAperturePages;
    for (auto* memory : {&m->vram, &m->host})
      for (auto& [page, bytes] : memory->pages())
        for (auto& byte : bytes) byte = m->rng();
    m->StartRing(0, privileged);
  }
  void Map(unsigned space, uint64_t va, uint64_t frame) {
    bool local = frame & 1;
    uint64_t offset = 0x400000 + 4096 * frame;
    (local ? m->vram : m->host).Make(offset, 4096);
    m->pages[{space, va >> 12}] = {local ? Target::kVram : Target::kSystem, offset};
  }
  /// Executes the buffer on the engine and on the reference model, and compares all of memory.
  void RunAndCompare(const Buffer& buffer, unsigned limit = 400000) {
    Model model(*m, kApertureBase);
    model.Execute(buffer.words);
    uint32_t fence = m->Submit(0, buffer.words);
    ASSERT_TRUE(m->Finish(limit));
    EXPECT_FALSE(m->Ring(0).error) << regs::NameOf(static_cast<Fault>(m->Ring(0).reason)) << " at "
                                   << m->Ring(0).error_offset;
    EXPECT_EQ(m->Ring(0).last_fence, fence);
    EXPECT_EQ(m->FenceRecord(0, 0) & 0xffffffff, fence);
    Compare(model);
    AtRest();
  }
  void AtRest() {
    m->CheckAtRest();
    for (const std::string& complaint : m->complaints) ADD_FAILURE() << complaint;
  }
  /// Compares all pages of memory with the model, except those of rings and paging buffers.
  void Compare(const Model& model) {
    CompareOne("vram", m->vram, model.vram);
    CompareOne("host", m->host, model.host);
  }
  static void CompareOne(const char* name, const Memory& seen, const Memory& expected) {
    unsigned wrong = 0;
    for (auto& [page, bytes] : expected.pages()) {
      if (page << 12 >= Machine::kBufferBase) continue;
      auto& other = seen.pages().at(page);
      for (unsigned n = 0; n < 4096 && wrong < 5; ++n)
        if (bytes[n] != other[n]) {
          ++wrong;
          ADD_FAILURE() << name << " byte " << std::hex << ((page << 12) + n) << " is " << int{other[n]}
                        << ", expected " << int{bytes[n]};
        }
    }
  }
  /// Expects that the ring has stopped with an error in the command at `offset`.
  void ExpectStop(Fault reason, uint64_t offset, uint32_t fence, uint64_t header, int ring = 0) {
    EXPECT_TRUE(m->Ring(ring).error);
    EXPECT_STREQ(regs::NameOf(static_cast<Fault>(m->Ring(ring).reason)), regs::NameOf(reason));
    EXPECT_EQ(m->Ring(ring).error_offset, offset);
    EXPECT_EQ(m->Ring(ring).error_header, header & 0xffffffff);
    EXPECT_EQ(m->Ring(ring).fence, fence);
    EXPECT_EQ(m->Ring(ring).head, 0);
    EXPECT_EQ(m->error_irqs, 1u);
    ASSERT_EQ(m->faults.size(), 1u);
    EXPECT_EQ(m->faults[0].reason, static_cast<int>(reason));
    EXPECT_EQ(m->faults[0].fence, fence);
    EXPECT_EQ(m->faults[0].address, m->Ring(ring).error_address);
  }
  Place Src(uint64_t offset) { return Virtual(1, kSrc + offset); }
  Place Dst(uint64_t offset) { return Virtual(2, kDst + offset); }
  /// Places paging buffers in space 1 and maps both windows there, for unprivileged rings.
  void OneSpace() {
    m->buffer_space = 1;
    for (uint64_t page = kDst >> 12; page < (kDst + kWindow) >> 12; ++page) m->pages[{1, page}] = m->pages[{2, page}];
  }
  Place Own(uint64_t offset) { return Virtual(1, kDst + offset); }

  std::unique_ptr<Machine> m;
};

}  // namespace gmmu::dma
