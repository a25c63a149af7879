// SPDX-License-Identifier: Apache-2.0
// Random paging buffers for the whole engine.
#pragma once

#include <algorithm>
#include <vector>

#include "tb/rtl/dma/dma_fixture.h"

namespace gmmu::dma {

/// Generates random commands. A command's wait bit is set if it accesses bytes that a command since
/// the last wait writes, or writes bytes that such a command reads.
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
    uint64_t fresh = 0;  // next unused destination byte, if destinations must not overlap
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
      bool wait = Hits(written, writes) || Hits(read, writes) || (copy && from_dst && Hits(written, reads)) ||
                  m->Random(0, 30) == 0;
      if (wait) written.clear(), read.clear();
      written.push_back(writes);
      if (copy && from_dst) read.push_back(reads);
      buffer.Wait(wait);
      if (copy) {
        buffer.Copy(from_dst ? Dst(from) : Src(from), Dst(to), length);
      } else if (!words) {
        buffer.Fill(Dst(to), length, m->rng());
      } else if (length == 0 || m->Random(0, 1)) {
        buffer.TableRepeat(Dst(to), length / 8, m->rng(), m->rng());
      } else {
        std::vector<uint64_t> entries(length / 8);
        for (auto& entry : entries) entry = m->rng();
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

}  // namespace gmmu::dma
