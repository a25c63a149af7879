// SPDX-License-Identifier: Apache-2.0
// gmmu-board-sim: the board at its pins behind a pseudo-terminal, for
// `gmmu run --engine board --port sim`.
//
// It prints a line `port PATH`, and then, once a second, `speed X`, where X is board seconds per
// wall-clock second. For each rule violation at the SDRAM's pins it prints a line `finding TEXT`.
// It ends on a signal or when its standard output is closed.
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>

#include <CLI/CLI.hpp>

#include "board_pins/board_pins.h"

namespace gmmu::sim {
namespace {

volatile std::sig_atomic_t stop = 0;

struct Options {
  uint64_t seed = 0;
  double noise = 0;
  uint64_t cut_after = ~uint64_t{0};
  uint64_t reset_after = ~uint64_t{0};
};

/// Opens a new pseudo-terminal in raw mode and returns its master side, or -1 on failure, with the reason in errno.
int OpenTerminal(std::string& path) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK);
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0) return -1;
  const char* name = ptsname(master);
  if (name == nullptr) return -1;
  path = name;
  // The slave stays open here; otherwise the terminal would hang up when the other program closes
  // it.
  const int slave = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
  termios settings{};
  if (slave < 0 || tcgetattr(slave, &settings) != 0) return -1;
  cfmakeraw(&settings);
  if (tcsetattr(slave, TCSANOW, &settings) != 0) return -1;
  return master;
}

class Bridge {
 public:
  Bridge(const Options& options, int terminal)
      : options_(options), terminal_(terminal), cable_(options.noise, options.cut_after, options.seed) {}

  int Run() {
    using Clock = std::chrono::steady_clock;
    auto told = Clock::now();
    uint64_t told_cycles = 0;
    size_t findings = 0;
    while (stop == 0) {
      board_.Run(kBatch);
      Exchange();
      board_.Reset(cable_.passed() >= options_.reset_after && reset_cycles_++ < 4);
      for (; findings < board_.sdram().findings().size(); ++findings) {
        const SdramFinding& finding = board_.sdram().findings()[findings];
        if (!Tell("finding", finding.text.c_str())) return 0;
      }
      const std::chrono::duration<double> passed = Clock::now() - told;
      if (passed.count() < 1) continue;
      std::array<char, 32> text{};
      std::snprintf(text.data(), text.size(), "%.6g",
                    static_cast<double>(board_.cycles() - told_cycles) / BoardPins::kClockHz / passed.count());
      if (!Tell("speed", text.data())) return 0;
      told = Clock::now(), told_cycles = board_.cycles();
    }
    return 0;
  }

  static bool Tell(const char* word, const char* text) {
    return std::printf("%s %s\n", word, text) > 0 && std::fflush(stdout) == 0;
  }

 private:
  // The number of cycles between two checks of the terminal: the time of ten bytes on the line.
  static constexpr uint64_t kBatch = 400;

  void Exchange() {
    std::array<uint8_t, 512> bytes;
    if (board_.from_host.size() < bytes.size()) {
      const ssize_t got = read(terminal_, bytes.data(), bytes.size());
      for (ssize_t i = 0; i < got; ++i) cable_.Pass(bytes[static_cast<size_t>(i)], board_.from_host);
    }
    for (; !board_.to_host.empty(); board_.to_host.pop_front()) cable_.Pass(board_.to_host.front(), pending_);
    while (!pending_.empty()) {
      size_t n = 0;
      for (; n < bytes.size() && n < pending_.size(); ++n) bytes[n] = pending_[n];
      const ssize_t put = write(terminal_, bytes.data(), n);
      if (put <= 0) break;  // no program reads the terminal: keep the remaining bytes
      pending_.erase(pending_.begin(), pending_.begin() + put);
    }
    // A real line loses bytes that no program reads.
    if (pending_.size() > 65536) pending_.clear();
  }

  const Options options_;
  const int terminal_;
  SerialCable cable_;
  BoardPins board_;
  std::deque<uint8_t> pending_;
  unsigned reset_cycles_ = 0;
};

int Main(int argc, char** argv) {
  // Opens /dev/null, read-only, for each closed standard descriptor (0 to 2). Otherwise the
  // pseudo-terminal could get one of these numbers, and the program's own messages would go into
  // the terminal.
  int next;
  do next = open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO);
  if (next >= 0) close(next);

  CLI::App app{"The board ULX3S at its pins, behind a pseudo-terminal"};
  Options options;
  app.add_option("--seed", options.seed, "Seed of the noise");
  app.add_option("--noise", options.noise, "Chance of each byte to be damaged, lost or joined by another")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--cut-after", options.cut_after, "Bytes, either way, after which the cable is cut");
  app.add_option("--reset-after", options.reset_after, "Bytes, both ways, after which the reset button is pressed");
  CLI11_PARSE(app, argc, argv);
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  std::signal(SIGTERM, [](int) { stop = 1; });
  std::signal(SIGINT, [](int) { stop = 1; });
  std::signal(SIGPIPE, SIG_IGN);
  std::string path;
  const int terminal = OpenTerminal(path);
  if (terminal < 0) {
    std::fprintf(stderr, "gmmu-board-sim: no pseudo-terminal: %s\n", std::strerror(errno));
    return 1;
  }
  if (!Bridge::Tell("port", path.c_str())) return 1;
  return Bridge(options, terminal).Run();
}

}  // namespace
}  // namespace gmmu::sim

int main(int argc, char** argv) { return gmmu::sim::Main(argc, argv); }
