// SPDX-License-Identifier: Apache-2.0
#include "board/probe.h"

#include <algorithm>

#include <fmt/format.h>

namespace gmmu::sim::board {
namespace {

using Words = std::vector<uint64_t>;

constexpr uint64_t kWord = 8;
constexpr uint64_t kBlock = kMostWords * kWord;
constexpr uint64_t kMostWindow = uint64_t{64} << 20;
constexpr size_t kAtOnce = 64;  // blocks in flight at the same time
constexpr unsigned kRoundTrips = 50;

void Write(Board& board, uint64_t offset, const Words& words) {
  board.Post(WriteWindow(static_cast<uint32_t>(offset), 0xFF, words.data(), static_cast<unsigned>(words.size())),
             "a write of VRAM");
}

std::vector<CpuAnswer> Read(Board& board, const std::vector<uint64_t>& offsets, unsigned words) {
  std::vector<Bytes> reads;
  for (const uint64_t offset : offsets) reads.push_back(ReadWindow(static_cast<uint32_t>(offset), words));
  return board.Ask(reads, "a read of VRAM");
}

/// Returns a description of the first difference, or "" if there is none.
std::string Difference(const CpuAnswer& answer, uint64_t offset, const Words& expected) {
  if (!answer.ok) return fmt::format("VRAM offset {:#x} cannot be read", offset);
  for (size_t i = 0; i < expected.size(); ++i) {
    const uint64_t got = i < answer.words.size() ? answer.words[i] : 0;
    if (got != expected[i]) {
      return fmt::format("VRAM offset {:#x} has {:#018x}, {:#018x} was written: bits {:#x} differ", offset + i * kWord,
                         got, expected[i], got ^ expected[i]);
    }
  }
  return "";
}

/// Returns a pseudo-random block that depends on `offset`, so that stuck or swapped lines are
/// detected.
Words Pattern(uint64_t offset, uint64_t invert) {
  Words words;
  for (uint64_t at = offset; at < offset + kBlock; at += kWord) {
    uint64_t x = at + 0x9E37'79B9'7F4A'7C15;
    x = (x ^ x >> 30) * 0xBF58'476D'1CE4'E5B9;
    x = (x ^ x >> 27) * 0x94D0'49BB'1331'11EB;
    words.push_back((x ^ x >> 31) ^ invert);
  }
  return words;
}

ProbeTest DataLines(Board& board) {
  ProbeTest test{"data lines", true, 0, ""};
  Words all;
  for (unsigned bit = 0; bit < 64; ++bit) all.push_back(uint64_t{1} << bit);
  for (unsigned bit = 0; bit < 64; ++bit) all.push_back(~(uint64_t{1} << bit));
  for (uint64_t at = 0; at < all.size() && test.passed; at += kMostWords) {
    const Words words(all.begin() + static_cast<ptrdiff_t>(at), all.begin() + static_cast<ptrdiff_t>(at + kMostWords));
    Write(board, at * kWord, words);
    test.text = Difference(Read(board, {at * kWord}, kMostWords)[0], at * kWord, words);
    test.passed = test.text.empty();
    test.bytes += kBlock;
  }
  if (test.passed) test.text = "each bit alone set and alone clear, at offset 0";
  return test;
}

ProbeTest AddressLines(Board& board, uint64_t vram) {
  ProbeTest test{"address lines", true, 0, ""};
  std::vector<uint64_t> offsets = {0};
  for (uint64_t at = kWord; at < vram; at *= 2) offsets.push_back(at);
  for (const uint64_t at : offsets) Write(board, at, {~at << 32 | at});
  const auto answers = Read(board, offsets, 1);
  for (size_t i = 0; i < offsets.size() && test.passed; ++i) {
    test.text = Difference(answers[i], offsets[i], {~offsets[i] << 32 | offsets[i]});
    test.passed = test.text.empty();
  }
  test.bytes = offsets.size() * kWord;
  if (test.passed) test.text = fmt::format("{} offsets, 0 and the powers of two", offsets.size());
  return test;
}

ProbeTest Sample(Board& board, uint64_t vram, uint64_t sample, uint64_t end_ns) {
  ProbeTest test{"sample", true, 0, ""};
  const uint64_t blocks = std::max<uint64_t>(1, std::min(sample, vram) / kBlock);
  const uint64_t step = vram / blocks / kBlock * kBlock;
  bool in_time = true;
  for (uint64_t first = 0; first < blocks && test.passed && in_time; first += kAtOnce) {
    // Each step of VRAM contains one tested block. Its position within the step varies, so that all
    // rows and columns are covered.
    std::vector<uint64_t> offsets;
    for (uint64_t i = first; i < std::min<uint64_t>(blocks, first + kAtOnce); ++i)
      offsets.push_back(i * step + i * 7 % std::max<uint64_t>(1, step / kBlock) * kBlock);
    for (const uint64_t invert : {uint64_t{0}, ~uint64_t{0}}) {
      for (const uint64_t at : offsets) Write(board, at, Pattern(at, invert));
      const auto answers = Read(board, offsets, kMostWords);
      for (size_t i = 0; i < offsets.size() && test.passed; ++i) {
        test.text = Difference(answers[i], offsets[i], Pattern(offsets[i], invert));
        test.passed = test.text.empty();
      }
    }
    test.bytes += offsets.size() * kBlock;
    in_time = board.clock().NowNs() < end_ns;
  }
  if (test.passed)
    test.text = fmt::format("{} of {} bytes, blocks of {} from all of it, two patterns{}", test.bytes, vram, kBlock,
                            test.bytes < blocks * kBlock ? "; time was over" : "");
  return test;
}

}  // namespace

std::vector<ProbeTest> TestVram(Board& board, uint64_t sample_bytes, uint64_t bound_ns) {
  const uint64_t end = board.clock().NowNs() + bound_ns;
  const uint64_t vram = std::min(board.identity().vram_bytes, kMostWindow);
  return {DataLines(board), AddressLines(board, vram), Sample(board, vram, sample_bytes, end)};
}

ProbeLink MeasureLink(Board& board, uint64_t bytes, uint64_t bound_ns) {
  ProbeLink link;
  MachineClock& clock = board.clock();
  for (unsigned i = 0; i < kRoundTrips; ++i) {
    const uint64_t start = clock.NowNs();
    static_cast<void>(board.AskWord(ReadBoard(kIdentity), "the board's identity"));
    const uint64_t ns = clock.NowNs() - start;
    link.round_trip_ns += ns / kRoundTrips;
    link.longest_ns = std::max(link.longest_ns, ns);
  }
  const std::vector<uint64_t> offsets(kAtOnce, 0);
  const auto rate = [&](const std::function<void()>& move) {
    const uint64_t start = clock.NowNs();
    uint64_t moved = 0;
    while (moved < bytes && clock.NowNs() - start < bound_ns) {
      move();
      moved += kAtOnce * kBlock;
    }
    // The response arrives only after the last write has been performed, so the measured time
    // includes all writes.
    static_cast<void>(board.AskWord(ReadBoard(kStatus), "the board's status"));
    return static_cast<double>(moved) * 1e9 / static_cast<double>(std::max<uint64_t>(1, clock.NowNs() - start));
  };
  link.write_rate = rate([&] {
    for (const uint64_t at : offsets) Write(board, at, Pattern(at, 0));
  });
  link.read_rate = rate([&] { Read(board, offsets, kMostWords); });
  link.line_rate = board.line_rate() / 10;
  link.damaged_up = board.counts().damaged;
  link.damaged_down = board.AskWord(ReadBoard(kErrors), "the board's counts") & 0xFFFF;
  return link;
}

}  // namespace gmmu::sim::board
