// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>

#include "trace/import.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

constexpr size_t kRecord = 64, kDestinations = 2, kSources = 4;

/// Records are 64 bytes, little endian: instruction pointer (8 bytes); is-branch, branch-taken, two
/// destination and four source registers (a byte each); the addresses of two memory destinations
/// and four memory sources (8 bytes each; 0 means none).
class ChampSim : public QueueSource {
 public:
  ChampSim(const std::string& path, const Header& header, uint32_t bytes, bool fetches, Input::Watch watch)
      : input_(path, std::move(watch)), header_(header), bytes_(bytes), fetches_(fetches) {}

 protected:
  bool Fill(std::vector<Access>& queue) override {
    std::array<uint8_t, kRecord> record;
    if (!input_.Bytes(record.data(), record.size(), "a record")) return false;
    if (record[8] > 1 || record[9] > 1) {
      throw TraceError(fmt::format(
          "{}: record {}, offset {}: is_branch and branch_taken are {} and {}, not 0 or 1: these are no records of 64 "
          "bytes (traces of CloudSuite have other ones)",
          input_.path(), records_, input_.offset() - kRecord, record[8], record[9]));
    }
    const auto word = [&](size_t at) {
      uint64_t value = 0;
      for (size_t i = 0; i < 8; ++i) value |= uint64_t{record[at + i]} << 8 * i;
      return value;
    };
    if (fetches_) {
      Put(queue, word(0), Kind::kExecute);
    } else {
      ++cycles_;
    }
    for (size_t i = 0; i < kSources; ++i) Put(queue, word(32 + 8 * i), Kind::kRead);
    for (size_t i = 0; i < kDestinations; ++i) Put(queue, word(16 + 8 * i), Kind::kWrite);
    ++records_;
    return true;
  }

 private:
  void Put(std::vector<Access>& queue, uint64_t address, Kind kind) {
    if (address == 0) return;
    const Access access{address, bytes_, kind, 0, cycles_};
    cycles_ = 0;
    if (const std::string wrong = Wrong(access, header_); !wrong.empty()) {
      throw TraceError(
          fmt::format("{}: record {}, offset {}: {}", input_.path(), records_, input_.offset() - kRecord, wrong));
    }
    queue.push_back(access);
  }

  Input input_;
  const Header header_;
  const uint32_t bytes_;
  const bool fetches_;
  uint64_t records_ = 0;
  uint64_t cycles_ = 0;  // instructions since the last access
};

}  // namespace

std::unique_ptr<Source> ReadChampSim(const std::string& path, const Header& header, const ImportOptions& options,
                                     Input::Watch watch) {
  return std::make_unique<ChampSim>(path, header, *options.bytes, options.fetches, std::move(watch));
}

}  // namespace gmmu::trace
