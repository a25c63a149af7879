// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/instructions.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "tb/bench/paging_machine.h"

namespace gmmu::bench {
namespace {

constexpr unsigned kShort = 16, kLong = 48;  // pages

struct Count {
  uint64_t instructions = 0, cycles = 0;
};

/// The processor's counter of user-mode instructions for this thread.
class Processor {
 public:
  Processor() {
    perf_event_attr what{};
    what.type = PERF_TYPE_HARDWARE;
    what.size = sizeof what;
    what.config = PERF_COUNT_HW_INSTRUCTIONS;
    what.exclude_kernel = 1;
    what.exclude_hv = 1;
    file_ = static_cast<int>(syscall(SYS_perf_event_open, &what, 0, -1, -1, 0));
  }
  ~Processor() {
    if (file_ >= 0) close(file_);
  }
  Processor(const Processor&) = delete;
  Processor& operator=(const Processor&) = delete;
  bool works() const { return file_ >= 0; }
  Count Run(const PagingMachine::Load& load) {
    const uint64_t before = Read();
    const uint64_t cycles = PagingMachine::MeasureSpeed(load).cycles;
    return {Read() - before, cycles};
  }

 private:
  uint64_t Read() const {
    uint64_t value = 0;
    if (read(file_, &value, sizeof value) != sizeof value) throw RowError("the processor's counter cannot be read");
    return value;
  }
  int file_ = -1;
};

/// Returns a command's standard output and standard error together. Throws if the command fails.
std::string Output(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw RowError("cannot start: " + command);
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  if (pclose(pipe) != 0) throw RowError(fmt::format("failed: {}\n{}", command, text));
  return text;
}

/// Runs this program with --loaded-copy under Valgrind, which prints "I refs: 1,234".
Count UnderValgrind(const PagingMachine::Load& load) {
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string text = Output(
      fmt::format("valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null '{}' --loaded-copy {}",
                  self, load.pages));
  size_t at = text.find(" I ");  // "==123== I   refs:      1,234"
  if (at == std::string::npos) throw RowError("Valgrind told no count: " + text);
  at = text.find(':', at);
  Count count;
  for (size_t i = at; i < text.size() && text[i] != '\n'; ++i)
    if (text[i] >= '0' && text[i] <= '9') count.instructions = 10 * count.instructions + (text[i] - '0');
  // The program's own output line, which does not begin with Valgrind's "==", contains the number
  // of cycles.
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = text.find('\n', begin);
    if (text.compare(begin, 2, "==") != 0 && end > begin)
      count.cycles = std::strtoull(text.c_str() + begin, nullptr, 10);
    begin = end == std::string::npos ? text.size() : end + 1;
  }
  return count;
}

}  // namespace

void MeasureInstructions(Row& row) {
  PagingMachine::Load brief, longer;
  brief.pages = kShort;
  longer.pages = kLong;
  Processor processor;
  Count first, second;
  if (processor.works()) {
    processor.Run(brief);  // warm-up, so that one-time work is not counted
    first = processor.Run(brief);
    second = processor.Run(longer);
    row.config = "the processor's counter";
  } else if (std::system("command -v valgrind >/dev/null 2>&1") == 0) {
    first = UnderValgrind(brief);
    second = UnderValgrind(longer);
    row.config = "counted by Valgrind";
  } else {
    row.state = Row::State::kMissing;
    row.note = "install valgrind, or let perf_event_open count";
    return;
  }
  if (second.cycles <= first.cycles) throw RowError("the longer copy took no more cycles");
  row.figure = static_cast<double>(second.instructions - first.instructions) /
               static_cast<double>(second.cycles - first.cycles);
}

}  // namespace gmmu::bench
