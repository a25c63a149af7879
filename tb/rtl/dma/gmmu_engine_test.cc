// SPDX-License-Identifier: Apache-2.0
// The paging engine against the plain model: every command, random lists, order, errors, rings.
#include <gtest/gtest.h>

#include "tb/rtl/dma/dma_commands.h"

namespace gmmu::dma {
namespace {

constexpr uint64_t kSrc = 0x10000000, kDst = 0x20000000;  // virtual windows
constexpr uint64_t kWindow = 64 * 4096;
constexpr uint64_t kApertureBase = 0x300000;
constexpr unsigned kAperturePages = 64;

class Engine : public ::testing::Test {
 protected:
  void Start(uint64_t seed, Timing timing = {}, bool privileged = true) {
    m = std::make_unique<Machine>(seed, timing);
    // Two windows in two spaces over scattered pages of both memories, a few of the source zero pages.
    std::vector<uint64_t> frames;
    for (uint64_t n = 0; n < 2 * kWindow / 4096; ++n) frames.push_back(n);
    std::shuffle(frames.begin(), frames.end(), m->rng());
    for (uint64_t n = 0; n < kWindow / 4096; ++n) {
      Map(1, kSrc + 4096 * n, frames[2 * n]);
      Map(2, kDst + 4096 * n, frames[2 * n + 1]);
    }
    m->vram.Make(kApertureBase, 8 * kAperturePages);
    m->top().aperture_base_i = kApertureBase;
    m->top().aperture_pages_i = kAperturePages;
    for (auto* memory : {&m->vram, &m->host})
      for (auto& [page, bytes] : memory->pages())
        for (auto& byte : bytes) byte = m->rng()();
    m->StartRing(0, privileged);
  }
  void Map(unsigned space, uint64_t va, uint64_t frame) {
    bool local = frame & 1;
    uint64_t offset = 0x400000 + 4096 * frame;
    (local ? m->vram : m->host).Make(offset, 4096);
    m->pages[{space, va >> 12}] = {local ? Target::kVram : Target::kSystem, offset};
  }
  /// Runs the buffer on machine and model and compares all memory.
  void RunAndCompare(const Buffer& buffer, unsigned limit = 400000) {
    Model model(*m, kApertureBase);
    model.Execute(buffer.words);
    uint32_t fence = m->Submit(0, buffer.words);
    ASSERT_TRUE(m->Run(limit));
    EXPECT_FALSE(m->top().ring_error_o[0])
        << regs::NameOf(static_cast<Fault>(m->top().ring_reason_o[0])) << " at "
        << m->top().ring_error_offset_o[0];
    EXPECT_EQ(m->top().ring_last_fence_o[0], fence);
    EXPECT_EQ(m->FenceRecord(0, 0) & 0xffffffff, fence);
    Compare(model);
    AtRest();
  }
  void AtRest() {
    m->CheckAtRest();
    for (const std::string& complaint : m->complaints) ADD_FAILURE() << complaint;
  }
  /// Same bytes in all pages that the model knows (the ring's and buffers' own pages excepted).
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
          ADD_FAILURE() << name << " byte " << std::hex << ((page << 12) + n) << " is "
                        << int{other[n]} << ", expected " << int{bytes[n]};
        }
    }
  }
  /// Expects the ring to stop at the command at `offset`.
  void ExpectStop(Fault reason, uint64_t offset, uint32_t fence, uint64_t header, int ring = 0) {
    auto& top = m->top();
    EXPECT_TRUE(top.ring_error_o[ring]);
    EXPECT_STREQ(regs::NameOf(static_cast<Fault>(top.ring_reason_o[ring])), regs::NameOf(reason));
    EXPECT_EQ(top.ring_error_offset_o[ring], offset);
    EXPECT_EQ(top.ring_error_header_o[ring], header & 0xffffffff);
    EXPECT_EQ(top.ring_fence_o[ring], fence);
    EXPECT_EQ(top.ring_head_o[ring], 0);
    EXPECT_EQ(m->error_irqs, 1u);
    ASSERT_EQ(m->faults.size(), 1u);
    EXPECT_EQ(m->faults[0].reason, static_cast<int>(reason));
    EXPECT_EQ(m->faults[0].fence, fence);
    EXPECT_EQ(m->faults[0].address, top.ring_error_address_o[ring]);
  }
  Place Src(uint64_t offset) { return Virtual(1, kSrc + offset); }
  Place Dst(uint64_t offset) { return Virtual(2, kDst + offset); }

  std::unique_ptr<Machine> m;
};

TEST_F(Engine, CopiesAtEveryAlignment) {
  Start(1);
  Buffer buffer;
  uint64_t at = 0;
  for (unsigned s = 0; s < 8; ++s)
    for (unsigned d = 0; d < 8; ++d) {
      buffer.Copy(Src(at + s), Dst(at + d), 1 + (7 * s + 13 * d) % 61);
      at += 80;
    }
  RunAndCompare(buffer);
  EXPECT_EQ(m->commands, 64u);
}

TEST_F(Engine, CopiesAcrossPagesAndMemories) {
  Start(2);
  Buffer buffer;
  buffer.Copy(Src(5), Dst(4093), 20000).Copy(Src(30001), Dst(40000), 20000);
  buffer.Copy(Physical(Target::kVram, 0x401000 + 9), Dst(70003), 3000);
  m->vram.Make(0x401000, 4096);
  m->host.Make(0x900000, 8192);
  buffer.Copy(Src(100), Physical(Target::kSystem, 0x900ff1), 3000);
  RunAndCompare(buffer);
  EXPECT_EQ(m->read_bytes, 46000u);
  EXPECT_EQ(m->written_bytes, 46000u);
}

TEST_F(Engine, FillsAtAnyAlignment) {
  Start(3);
  Buffer buffer;
  for (unsigned n = 0; n < 16; ++n) buffer.Fill(Dst(2000 * n + n), 1 + 117 * n, 0x44332211 + n);
  RunAndCompare(buffer);
}

TEST_F(Engine, WritesTables) {
  Start(4);
  Buffer buffer;
  std::vector<uint64_t> entries;
  for (int n = 0; n < 700; ++n) entries.push_back(m->rng()());
  buffer.TableWrite(Dst(8), {1}).TableWrite(Dst(4088), {2, 3}).TableWrite(Dst(8192), entries);
  buffer.TableRepeat(Dst(40000), 777, 0x123000, 0x1000).TableRepeat(Dst(60000), 0, 1, 1);
  RunAndCompare(buffer);
  EXPECT_EQ(m->commands, 5u);
}

TEST_F(Engine, ZeroPagesReadZeroAndDropWrites) {
  Start(5);
  m->pages[{1, (kSrc >> 12) + 1}].zero = true;
  m->pages[{2, (kDst >> 12) + 3}].zero = true;
  Buffer buffer;
  buffer.Copy(Src(3), Dst(5), 20000).Fill(Dst(20480 + 4000), 300, 7);
  RunAndCompare(buffer);
}

TEST_F(Engine, ApertureCommandsTakeEffectBeforeTheNextCommand) {
  Start(6);
  m->host.Make(0x5000000, 16 * 4096);
  for (auto& [page, bytes] : m->host.pages())
    if (page >> 4 == 0x500) bytes.fill(page);
  auto entry = [](uint64_t page) { return page << 12 | 5; };
  Buffer buffer;
  buffer.ApertureMap(2, 4, entry(0x5000));
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(0), 9000);
  buffer.ApertureList(2, {entry(0x5009), entry(0x5003), entry(0x500c)});
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(20000), 12000);
  buffer.ApertureUnmap(2, 4, entry(0x500f));
  buffer.Copy(Physical(Target::kAperture, 2 * 4096 + 100), Dst(40000), 12000);
  buffer.ApertureMap(60, 4, entry(0x5000)).ApertureMap(0, 0, 0);
  // Through the map: the model's map is the table as it stands when the copy is executed.
  RunAndCompare(buffer);
  EXPECT_GE(m->aperture_flushes, 4u);
}

TEST_F(Engine, FlushesInOrderWithScope) {
  Start(7);
  Buffer buffer;
  buffer.Copy(Src(0), Dst(0), 5000).Flush(Scope::kRange, 2, 0x1000, 0x3000);
  buffer.Copy(Src(0), Dst(8000), 5000).Flush(Scope::kSpace, 1, 0, 0);
  buffer.Flush(Scope::kGlobal, 0, 0, 0);
  RunAndCompare(buffer);
  ASSERT_EQ(m->controls.size(), 3u);
  EXPECT_EQ(m->controls[0].scope, 2u);
  EXPECT_EQ(m->controls[0].space, 2u);
  EXPECT_EQ(m->controls[0].start, 0x1000u);
  EXPECT_EQ(m->controls[0].end, 0x3000u);
  EXPECT_EQ(m->controls[1].scope, 1u);
  EXPECT_EQ(m->controls[1].space, 1u);
  EXPECT_EQ(m->controls[2].scope, 0u);
  EXPECT_EQ(m->commands, 5u);
}

TEST_F(Engine, SignalsFencesAndInterrupts) {
  Start(8);
  Buffer buffer;
  buffer.Copy(Src(0), Dst(64), 3000).Signal(Dst(0), 0x1122334455667788, true).Signal(Dst(8), 9);
  buffer.Nop(0).Nop(5);
  RunAndCompare(buffer);
  EXPECT_EQ(m->fence_irqs, 1u);
  m->Submit(0, buffer.words, true);
  ASSERT_TRUE(m->Run());
  EXPECT_EQ(m->fence_irqs, 3u);
  EXPECT_EQ(m->FenceRecord(0, 0) >> 32, 2u);
  EXPECT_LT(m->FenceRecord(0, 1), m->now());
  EXPECT_GT(m->FenceRecord(0, 1), 0u);
}

TEST_F(Engine, AnEmptyBufferOnlySignals) {
  Start(9);
  RunAndCompare(Buffer());
  EXPECT_EQ(m->entries, 1u);
  EXPECT_EQ(m->commands, 0u);
}

/// Random commands; sets wait where a command touches what one since the last wait wrote, or writes what it read.
class Random : public Engine, public ::testing::WithParamInterface<int> {
 protected:
  struct Range {
    uint64_t start, end;
  };
  static bool Hits(const std::vector<Range>& ranges, Range range) {
    for (const Range& other : ranges)
      if (range.start < other.end && other.start < range.end) return true;
    return false;
  }
  Buffer Commands(unsigned count, bool overlap) {
    Buffer buffer;
    std::vector<Range> written, read;
    uint64_t fresh = 0;  // without overlap destinations ascend
    for (unsigned n = 0; n < count; ++n) {
      uint64_t limit = m->Random(0, 9) < 6 ? 200 : 20000;
      uint64_t length = m->Random(0, limit);
      bool words = m->Random(0, 9) < 2;
      if (!overlap) length = std::min<uint64_t>(length, 6000);
      uint64_t to = overlap ? m->Random(0, kWindow - 20008) : fresh + m->Random(0, 20);
      if (words) to = (to + 7) & ~uint64_t{7}, length &= ~uint64_t{7};
      if (to + length > kWindow) break;
      fresh = to + length;
      bool from_dst = overlap && m->Random(0, 3) == 0;
      uint64_t from = m->Random(0, kWindow - 20000);
      bool copy = !words && m->Random(0, 9) < 8;
      Range reads{from, from + length}, writes{to, to + length};
      if (copy && from_dst && Hits({writes}, reads)) continue;
      bool wait = Hits(written, writes) || Hits(read, writes) ||
                  (copy && from_dst && Hits(written, reads)) || m->Random(0, 30) == 0;
      if (wait) written.clear(), read.clear();
      written.push_back(writes);
      if (copy && from_dst) read.push_back(reads);
      buffer.Wait(wait);
      if (copy) {
        buffer.Copy(from_dst ? Dst(from) : Src(from), Dst(to), length);
      } else if (!words) {
        buffer.Fill(Dst(to), length, m->rng()());
      } else if (length == 0 || m->Random(0, 1)) {
        buffer.TableRepeat(Dst(to), length / 8, m->rng()(), m->rng()());
      } else {
        std::vector<uint64_t> entries(length / 8);
        for (auto& entry : entries) entry = m->rng()();
        buffer.TableWrite(Dst(to), entries);
      }
      if (m->Random(0, 40) == 0) {
        buffer.Flush(Scope::kSpace, 2, 0, 0);
        written.clear(), read.clear();
      }
    }
    return buffer;
  }
};

TEST_P(Random, CommandListsGiveTheModelsBytes) {
  Timing timing;
  if (GetParam() % 3 == 1) timing = Timing::Ideal(100);
  if (GetParam() % 3 == 2) timing.ready_percent = 25, timing.xlate_max = 200;
  Start(GetParam(), timing);
  for (auto& [where, page] : m->pages) {
    if (m->Random(0, 15) == 0) page.zero = true;
    page.coherent = m->Random(0, 1);
  }
  RunAndCompare(Commands(60, true), 2000000);
  EXPECT_EQ(m->top().ring_head_o[0], 1);
}
INSTANTIATE_TEST_SUITE_P(Seeds, Random, ::testing::Range(100, 124));

class RandomErrors : public Random {};

TEST_P(RandomErrors, StopAtTheFirstCommandThatFails) {
  Start(GetParam());
  Buffer buffer = Commands(60, false);
  // A few pages fault in one way or another.
  auto page = [&](unsigned space, uint64_t base) -> Page& {
    return m->pages[{space, (base >> 12) + m->Random(0, kWindow / 4096 - 1)}];
  };
  for (int n = 0; n < 2; ++n) {
    Page& source = page(1, kSrc);
    Page& target = page(2, kDst);
    switch (m->Random(0, 5)) {
      case 0: source.fault = Fault::kEntryInvalid; break;
      case 1: m->bus_errors.insert({source.target == Target::kSystem, source.offset >> 12}); break;
      case 2: target.read_only = true; break;
      case 3: m->bus_errors.insert({target.target == Target::kSystem, target.offset >> 12}); break;
      case 4: target.fault = Fault::kEntryReserved; break;
      default: target.target = Target::kVram, target.offset = Machine::kVramBytes; break;
    }
  }
  // What must fail: the first command that touches such a page.
  uint64_t stop = ~uint64_t{0}, header = 0;
  auto bad = [&](unsigned space, uint64_t start, uint64_t bytes, bool write) {
    for (uint64_t va = start & ~uint64_t{0xfff}; va < start + bytes; va += 4096) {
      Page at = Translate(m->pages, space, va, write);
      if (at.fault != Fault::kNone) return true;
      if (at.target == Target::kVram && at.offset >= Machine::kVramBytes) return true;
      if (m->bus_errors.count({at.target == Target::kSystem, at.offset >> 12})) return true;
    }
    return false;
  };
  for (size_t at = 0; at < buffer.words.size() && stop == ~uint64_t{0};) {
    CommandHeaderWord word{buffer.words[at]};
    const uint64_t* w = &buffer.words[at];
    bool fails = false;
    if (word.opcode() == Opcode::kCopy)
      fails = w[3] != 0 && (bad(1, w[1], w[3], false) || bad(2, w[2], w[3], true));
    if (word.opcode() == Opcode::kFill) fails = w[2] != 0 && bad(2, w[1], w[2], true);
    if (word.opcode() == Opcode::kTableWrite) fails = bad(2, w[1], 8 * (word.words() - 2), true);
    if (word.opcode() == Opcode::kTableRepeat) fails = w[2] != 0 && bad(2, w[1], 8 * w[2], true);
    if (fails) stop = 8 * at, header = word.raw;
    at += word.words();
  }
  Model before(*m, kApertureBase), after(*m, kApertureBase);
  const Memory old_vram = m->vram, old_host = m->host;
  before.Execute(buffer.words, stop);
  after.Execute(buffer.words);
  uint32_t fence = m->Submit(0, buffer.words);
  ASSERT_TRUE(m->Run(2000000));
  AtRest();
  if (stop == ~uint64_t{0}) {
    EXPECT_FALSE(m->top().ring_error_o[0]);
    Compare(after);
    return;
  }
  EXPECT_TRUE(m->top().ring_error_o[0]);
  EXPECT_EQ(m->top().ring_error_offset_o[0], stop);
  EXPECT_EQ(m->top().ring_error_header_o[0], header & 0xffffffff);
  EXPECT_EQ(m->top().ring_fence_o[0], fence);
  EXPECT_EQ(m->FenceRecord(0, 0) & 0xffffffff, before.host.Read64(Machine::kFenceBase) & 0xffffffff);
  EXPECT_EQ(m->faults.size(), 1u);
  // Commands before it are complete; of it and of later ones any part may be there.
  unsigned wrong = 0;
  auto check = [&](const Memory& seen, const Memory& complete, const Memory& all) {
    for (auto& [number, bytes] : complete.pages()) {
      if (number << 12 >= Machine::kBufferBase) continue;
      for (unsigned n = 0; n < 4096; ++n) {
        uint8_t value = seen.pages().at(number)[n];
        if (value != bytes[n] && value != all.pages().at(number)[n]) ++wrong;
      }
    }
  };
  check(m->vram, before.vram, after.vram);
  check(m->host, before.host, after.host);
  EXPECT_EQ(wrong, 0u);

  // A new life: the pages work again, nothing of the old one leaks.
  m->bus_errors.clear();
  for (auto& [where, entry] : m->pages) {
    entry.fault = Fault::kNone;
    entry.read_only = false;
    if (entry.offset >= Machine::kVramBytes) entry.zero = true;
  }
  m->StopRing(0);
  m->Tick();
  m->StartRing(0, true);
  m->Ticks(3);
  EXPECT_FALSE(m->top().ring_error_o[0]);
  EXPECT_EQ(m->top().ring_head_o[0], 0);
  m->faults.clear();
  RunAndCompare(Commands(20, false), 2000000);
}
INSTANTIATE_TEST_SUITE_P(Seeds, RandomErrors, ::testing::Range(500, 540));

}  // namespace
}  // namespace gmmu::dma
