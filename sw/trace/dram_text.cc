// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <map>

#include "trace/import.h"
#include "trace/number.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

/// A text file with one or two requests per line. Skips empty lines and lines that start with #.
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

  [[noreturn]] void Refuse(const std::string& what) const { throw input_.Wrong(Quoted(line_) + " " + what); }

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
    if (words.size() == 3 && (words[2] == "R" || words[2] == "W")) {  // an unfiltered CPU trace
      Put(ParseNumber(words[1]), words[2] == "R" ? Kind::kRead : Kind::kWrite, *bubbles);
      return;
    }
    Put(ParseNumber(words[1]), Kind::kRead, *bubbles);
    if (words.size() == 3) Put(ParseNumber(words[2]), Kind::kWrite, 0);
  }
};

/// Ramulator 2's format LoadStoreTrace.
class Ramulator2LoadStore : public DramText {
 public:
  using DramText::DramText;

 private:
  void Request(const AllWords& words) override {
    if (words.size() != 2 || (words[0] != "LD" && words[0] != "ST")) Refuse("is not LD|ST ADDRESS");
    Put(ParseNumber(words[1]), words[0] == "LD" ? Kind::kRead : Kind::kWrite, 0);
  }
};

/// Ramulator 2's format ReadWriteTrace. An address is a vector of indices, one for each level of
/// the DRAM, from the channel to the column. The last index varies fastest with the line number, as
/// in Ramulator 2's mapper ChRaBaRoCo.
class Ramulator2ReadWrite : public DramText {
 public:
  Ramulator2ReadWrite(const std::string& path, const Header& header, uint32_t bytes,
                      const std::vector<uint64_t>& organization, Input::Watch watch)
      : DramText(path, header, bytes, std::move(watch)), organization_(organization) {}

 private:
  void Request(const AllWords& words) override {
    if (words.size() != 2 || (words[0] != "R" && words[0] != "W")) Refuse("is not R|W INDEX,INDEX,...");
    std::string_view rest = words[1];
    uint64_t number = 0;
    size_t level = 0;
    for (bool more = true; more; ++level) {
      const size_t comma = rest.find(',');
      more = comma != std::string_view::npos;
      const auto index = ParseDigits(rest.substr(0, comma), 10);
      rest = more ? rest.substr(comma + 1) : "";
      if (!index) Refuse(fmt::format("has no index of level {}", level + 1));
      if (level >= organization_.size()) continue;
      if (*index >= organization_[level]) {
        Refuse(fmt::format("has index {} of level {}, which has {} (--organization)", *index, level + 1,
                           organization_[level]));
      }
      number = number * organization_[level] + *index;
    }
    if (level != organization_.size()) {
      Refuse(fmt::format("has {} indices, and --organization has {} levels", level, organization_.size()));
    }
    Put(number, words[0] == "R" ? Kind::kRead : Kind::kWrite, 0);
  }

  const std::vector<uint64_t> organization_;
};

/// DRAMSim3's format and both formats of DRAMSim2: k6 (P_* and BOFF) and mase (IFETCH, READ, WRITE). P_LOCK_WR is a
/// write, although DRAMSim2 itself treats it as a read.
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
    static const std::map<std::string_view, Kind> kKinds = {{"READ", Kind::kRead},       {"read", Kind::kRead},
                                                            {"P_MEM_RD", Kind::kRead},   {"P_LOCK_RD", Kind::kRead},
                                                            {"WRITE", Kind::kWrite},     {"write", Kind::kWrite},
                                                            {"P_MEM_WR", Kind::kWrite},  {"P_LOCK_WR", Kind::kWrite},
                                                            {"P_FETCH", Kind::kExecute}, {"IFETCH", Kind::kExecute},
                                                            {"BOFF", Kind::kWrite}};
    const auto known = kKinds.find(kind);
    if (known == kKinds.end()) Refuse("is neither READ nor WRITE");
    Put(ParseHex(words[0]), known->second, *cycle);
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
std::unique_ptr<Source> ReadRamulator2LoadStore(const std::string& path, const Header& header, uint32_t bytes,
                                                Input::Watch watch) {
  return std::make_unique<Ramulator2LoadStore>(path, header, bytes, std::move(watch));
}
std::unique_ptr<Source> ReadRamulator2ReadWrite(const std::string& path, const Header& header, uint32_t bytes,
                                                const std::vector<uint64_t>& organization, Input::Watch watch) {
  return std::make_unique<Ramulator2ReadWrite>(path, header, bytes, organization, std::move(watch));
}
std::unique_ptr<Source> ReadDramSim(const std::string& path, const Header& header, uint32_t bytes, Input::Watch watch) {
  return std::make_unique<DramSim>(path, header, bytes, std::move(watch));
}

}  // namespace gmmu::trace
