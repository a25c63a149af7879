// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "trace/import.h"
#include "trace/number.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

/// A text with a request or two a line. Empty lines, and those that begin with #, are passed over.
class DramText : public QueueSource {
 public:
  DramText(const std::string& path, const Header& header, uint32_t bytes, Input::Watch watch)
      : input_(path, std::move(watch)), header_(header), bytes_(bytes) {}

 protected:
  using AllWords = std::vector<std::string_view>;
  virtual void Request(const AllWords& words) = 0;

  bool Fill(std::vector<Access>& queue) override {
    if (!input_.Line(line_)) return false;
    const AllWords words = Words(line_);
    if (words.empty() || words[0][0] == '#') return true;
    queue_ = &queue;
    Request(words);
    return true;
  }

  [[noreturn]] void Refuse(const std::string& what) const { throw input_.Wrong(fmt::format("\"{}\" {}", line_, what)); }

  void Put(std::optional<uint64_t> address, Kind kind, uint64_t cycles) {
    if (!address) Refuse("has no address where one must be");
    if (*address > ~uint64_t{0} / header_.unit) Refuse("has an address of more than 64 bits");
    const Access access{*address * header_.unit, bytes_, kind, 0, cycles};
    if (const std::string wrong = Wrong(access, header_); !wrong.empty()) {
      throw input_.Wrong(wrong + (header_.unit > 1 ? "; are the addresses bytes? (--unit bytes)" : ""));
    }
    queue_->push_back(access);
  }

 private:
  Input input_;
  const Header header_;
  const uint32_t bytes_;
  std::string line_;
  std::vector<Access>* queue_ = nullptr;
};

class RamulatorDram : public DramText {
 public:
  using DramText::DramText;

 private:
  void Request(const AllWords& words) override {
    const std::string_view kind = words.size() > 1 ? words[1] : "R";
    if (words.size() > 2 || (kind != "R" && kind != "W")) Refuse("is not ADDRESS [R|W]");
    Put(ParseHex(words[0]), kind == "R" ? Kind::kRead : Kind::kWrite, 0);
  }
};

class RamulatorCpu : public DramText {
 public:
  using DramText::DramText;

 private:
  void Request(const AllWords& words) override {
    const auto bubbles = ParseDigits(words[0], 10);
    if (!bubbles || words.size() < 2 || words.size() > 3) Refuse("is not BUBBLES ADDRESS [ADDRESS]");
    if (words.size() == 3 && (words[2] == "R" || words[2] == "W")) {  // not filtered by caches
      Put(ParseNumber(words[1]), words[2] == "R" ? Kind::kRead : Kind::kWrite, *bubbles);
      return;
    }
    Put(ParseNumber(words[1]), Kind::kRead, *bubbles);
    if (words.size() == 3) Put(ParseNumber(words[2]), Kind::kWrite, 0);
  }
};

class DramSim : public DramText {
 public:
  using DramText::DramText;

 private:
  void Request(const AllWords& words) override {
    const auto cycle = words.size() == 3 ? ParseDigits(words[2], 10) : std::nullopt;
    if (!cycle) Refuse("is not ADDRESS READ|WRITE CYCLE");
    if (*cycle < last_) Refuse(fmt::format("comes before cycle {} of the line before", last_));
    last_ = *cycle;
    const std::string_view kind = words[1];
    if (kind == "READ" || kind == "read" || kind == "P_MEM_RD") return Put(ParseHex(words[0]), Kind::kRead, *cycle);
    if (kind == "P_FETCH") return Put(ParseHex(words[0]), Kind::kExecute, *cycle);
    if (kind == "WRITE" || kind == "write" || kind == "P_MEM_WR" || kind == "BOFF") {
      return Put(ParseHex(words[0]), Kind::kWrite, *cycle);
    }
    Refuse("is neither READ nor WRITE");
  }

  uint64_t last_ = 0;
};

}  // namespace

std::unique_ptr<Source> ReadRamulatorDram(const std::string& path, const Header& header, uint32_t bytes,
                                          Input::Watch watch) {
  return std::make_unique<RamulatorDram>(path, header, bytes, std::move(watch));
}
std::unique_ptr<Source> ReadRamulatorCpu(const std::string& path, const Header& header, uint32_t bytes,
                                         Input::Watch watch) {
  return std::make_unique<RamulatorCpu>(path, header, bytes, std::move(watch));
}
std::unique_ptr<Source> ReadDramSim(const std::string& path, const Header& header, uint32_t bytes, Input::Watch watch) {
  return std::make_unique<DramSim>(path, header, bytes, std::move(watch));
}

}  // namespace gmmu::trace
