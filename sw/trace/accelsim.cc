// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "trace/accelsim_instruction.h"
#include "trace/import.h"
#include "trace/number.h"
#include "trace/queue_source.h"

namespace gmmu::trace {
namespace {

constexpr uint64_t kWindow = 16 << 20;  // size of the shared and local memory windows

/// Reads a kernel's file: lines `-key = value`, then thread blocks between #BEGIN_TB and #END_TB,
/// each with its warps in order. The accesses of concurrent blocks, and of a block's warps, are
/// interleaved one by one.
class AccelSim : public QueueSource {
 public:
  AccelSim(const std::string& path, const Header& header, const ImportOptions& options, std::vector<std::string>& notes,
           Input::Watch watch)
      : header_(header), options_(options), notes_(notes), watch_(std::move(watch)) {
    if (path != "-") FindKernels(path);
    if (files_.empty()) files_ = {path};
  }

 protected:
  bool Fill(std::vector<Access>& queue) override {
    if (file_ == files_.size()) return Finish();
    if (!input_) Open();
    std::vector<std::vector<Access>> warps;
    uint32_t read = 0;
    while (read < options_.blocks && Block(warps)) ++read;
    if (read < options_.blocks) {
      if (blocks_ != grid_) {
        throw input_->Wrong(fmt::format("ends in the middle: {} of the {} thread blocks of the grid", blocks_, grid_));
      }
      input_.reset();
      ++file_;
    }
    InTurn(warps, queue);
    return true;
  }

 private:
  /// If `path` is a list of kernels, collects the files that it lists.
  void FindKernels(const std::string& path) {
    Input list(path);
    std::string line;
    while (list.Line(line)) {
      const std::vector<std::string_view> words = Words(line);
      if (words.empty() || words[0][0] == '#') continue;
      if (words[0][0] == '-' && files_.empty()) return;  // `path` is itself the file of a kernel
      const std::filesystem::path file(words[0]);
      if (words[0].rfind("Memcpy", 0) == 0 || words[0].rfind("nccl", 0) == 0) continue;
      if (words.size() != 1 || file.filename().string().rfind("kernel", 0) != 0) {
        throw list.Wrong(Quoted(line) +
                         " is no line of a kernel's file (-KEY = VALUE), and names none in a list of kernels "
                         "(kernel-N.traceg, Memcpy..., nccl...)");
      }
      files_.push_back(std::filesystem::path(path).parent_path() / file);
    }
  }

  void Open() {
    input_ = std::make_unique<Input>(files_[file_], watch_);
    version_ = blocks_ = grid_ = 0;
    shared_ = local_ = ~uint64_t{0};
    lineinfo_ = false;
    std::string line;
    while (input_->Line(line)) {
      if (line.empty()) continue;
      if (line[0] == '#') break;
      const size_t equals = line.find(" = ");
      if (line[0] != '-' || equals == std::string::npos) throw input_->Wrong(Quoted(line) + " is not -KEY = VALUE");
      Key(line.substr(1, equals - 1), line.substr(equals + 3));
    }
    if (version_ < 3) {
      throw input_->Wrong(fmt::format("tracer version {}: a file of version 3 or later is needed", version_));
    }
    if (grid_ == 0 || warps_ == 0)
      throw input_->Wrong("no \"grid dim\" or no \"block dim\" before the first thread block");
    if (uint64_t{warps_} * options_.blocks > kMaxStreams)
      throw input_->Wrong("more warps at once than a trace can have");
  }

  void Key(const std::string& key, const std::string& value) {
    const auto product = [&] {
      uint64_t x = 0, y = 0, z = 0;
      if (std::sscanf(value.c_str(), "(%lu,%lu,%lu)", &x, &y, &z) != 3 || std::max({x, y, z}) > 0x7fffffff) {
        throw input_->Wrong(Quoted(value) + " is not (X,Y,Z)");
      }
      return x * y * z;
    };
    const auto number = [&](std::optional<uint64_t> parsed) {
      if (!parsed) throw input_->Wrong(Quoted(value) + " is no number");
      return *parsed;
    };
    if (key == "grid dim") grid_ = product();
    if (key == "block dim") warps_ = static_cast<uint32_t>(std::min<uint64_t>((product() + 31) / 32, kMaxStreams));
    if (key == "accelsim tracer version") version_ = number(ParseDigits(value.substr(0, value.find('.')), 10));
    if (key == "enable lineinfo") lineinfo_ = number(ParseDigits(value, 10)) != 0;
    if (key == "shmem base_addr") shared_ = number(ParseHex(value));
    if (key == "local mem base_addr") local_ = number(ParseHex(value));
  }

  /// Appends the warps of the next thread block. Returns false if there is none.
  bool Block(std::vector<std::vector<Access>>& warps) {
    const size_t first = warps.size();
    std::string line;
    bool begun = false;
    uint64_t left = 0, cycles = 0;
    size_t warp = ~size_t{0};
    while (input_->Line(line)) {
      if (line.empty() || (!begun && line[0] == '#' && line.rfind("#BEGIN_TB", 0) != 0)) continue;
      if (left == 0 && line.rfind("#BEGIN_TB", 0) == 0 && !begun) {
        begun = true;
        warps.resize(first + warps_);
      } else if (!begun) {
        throw input_->Wrong(Quoted(line) + " stands outside of a thread block");
      } else if (left == 0 && line.rfind("#END_TB", 0) == 0) {
        ++blocks_;
        return true;
      } else if (left == 0 && line.rfind("thread block = ", 0) == 0) {
        continue;
      } else if (left == 0 && line.rfind("warp = ", 0) == 0) {
        const auto number = ParseDigits(line.substr(7), 10);
        if (!number || *number >= warps_)
          throw input_->Wrong(fmt::format("{}: a block has {} warps", Quoted(line), warps_));
        warp = *number;
        cycles = 0;
      } else if (left == 0 && warp < warps_ && line.rfind("insts = ", 0) == 0) {
        const auto number = ParseDigits(line.substr(8), 10);
        if (!number) throw input_->Wrong(Quoted(line) + " has no number");
        left = *number;
      } else if (left != 0 && line[0] != '#' && line[0] != 'w' && line[0] != 't') {
        --left;
        Instruction(line, static_cast<uint32_t>(first + warp), cycles, warps[first + warp]);
      } else {
        throw input_->Wrong(left != 0 ? fmt::format("the warp ends {} instructions early", left)
                                      : Quoted(line) + " is more than the instructions of the warp");
      }
    }
    if (begun) throw input_->Wrong("ends in the middle of a thread block");
    return false;
  }

  void Instruction(const std::string& line, uint32_t stream, uint64_t& cycles, std::vector<Access>& list) {
    GpuInstruction instruction;
    try {
      instruction = GpuInstruction::Parse(line, lineinfo_);
    } catch (const std::runtime_error& error) {
      throw input_->Wrong(Quoted(line) + " " + error.what());
    }
    Space space = instruction.space;
    if (space == Space::kGeneric && !instruction.addresses.empty()) {
      const uint64_t address = instruction.addresses[0];
      space = address - shared_ < kWindow && shared_ != ~uint64_t{0} ? Space::kShared
              : address - local_ < kWindow && local_ != ~uint64_t{0} ? Space::kLocal
                                                                     : Space::kGlobal;
    }
    if (space != Space::kGlobal || instruction.addresses.empty()) {
      ++cycles;
      left_out_[static_cast<size_t>(space)] += space != Space::kGlobal && space != Space::kGeneric;
      return;
    }
    Coalesce(instruction, stream, cycles, list);
    cycles = 0;
  }

  /// Makes one access for each line that the threads touch, in thread order. The access spans the
  /// first to the last byte touched in the line.
  void Coalesce(const GpuInstruction& instruction, uint32_t stream, uint64_t cycles, std::vector<Access>& list) {
    const size_t begin = list.size();
    const uint64_t line = options_.coalesce;
    for (const uint64_t address : instruction.addresses) {
      const Access access{address, instruction.bytes, instruction.writes ? Kind::kWrite : Kind::kRead, stream, cycles};
      if (const std::string wrong = trace::Wrong(access, header_); !wrong.empty()) throw input_->Wrong(wrong);
      const auto same =
          std::find_if(list.begin() + static_cast<std::ptrdiff_t>(begin), list.end(),
                       [&](const Access& one) { return line > 1 && one.address / line == address / line; });
      if (same == list.end()) {
        list.push_back(access);
        cycles = 0;
        continue;
      }
      const uint64_t end = std::max(same->address + same->bytes, address + access.bytes);
      same->address = std::min(same->address, address);
      same->bytes = static_cast<uint32_t>(end - same->address);
    }
  }

  bool Finish() {
    const std::array<const char*, 3> names{"shared", "local", "constant"};
    for (size_t i = 0; i < names.size(); ++i) {
      const uint64_t count = left_out_[static_cast<size_t>(Space::kShared) + i];
      if (count != 0) notes_.push_back(fmt::format("left out: {} instructions of {} memory", count, names[i]));
    }
    return false;
  }

  const Header header_;
  const ImportOptions options_;
  std::vector<std::string>& notes_;
  Input::Watch watch_;
  std::vector<std::string> files_;
  size_t file_ = 0;
  std::unique_ptr<Input> input_;
  uint64_t version_ = 0, grid_ = 0, blocks_ = 0;  // current file: version, blocks, blocks read
  uint32_t warps_ = 0;                            // warps per thread block
  uint64_t shared_ = 0, local_ = 0;
  bool lineinfo_ = false;
  std::array<uint64_t, 6> left_out_{};  // skipped instructions, by Space
};

}  // namespace

std::unique_ptr<Source> ReadAccelSim(const std::string& path, const Header& header, const ImportOptions& options,
                                     std::vector<std::string>& notes, Input::Watch watch) {
  return std::make_unique<AccelSim>(path, header, options, notes, std::move(watch));
}

}  // namespace gmmu::trace
