// SPDX-License-Identifier: Apache-2.0
#include "board/sim_process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include <fmt/format.h>

#include "board/board.h"

namespace gmmu::sim::board {
namespace {

constexpr int kStartMs = 30'000, kStepMs = 100, kEndMs = 2'000;

}  // namespace

SimProcess::SimProcess(const std::string& program, const std::vector<std::string>& arguments) {
  if (access(program.c_str(), X_OK) != 0) {
    throw BoardError(
        fmt::format("the simulated board {} is not there: {}\nBuild it with: cmake --build {} --target "
                    "gmmu-board-sim",
                    program, std::strerror(errno), program.substr(0, program.rfind('/'))));
  }
  Start(program, arguments);
  std::string line;
  for (int waited = 0; waited < kStartMs; waited += kStepMs) {
    if (ReadLine(line)) {
      if (line.rfind("port ", 0) != 0) break;
      port_ = line.substr(5);
      return;
    }
    pollfd output = {output_, POLLIN, 0};
    if (poll(&output, 1, kStepMs) > 0 && (output.revents & POLLIN) == 0) break;  // the program has exited
  }
  const std::string said = line.empty() ? "nothing" : "\"" + line + "\"";
  throw BoardError(fmt::format("{} did not say its port; it said {}", program, said));
}

void SimProcess::Start(const std::string& program, const std::vector<std::string>& arguments) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw BoardError(std::string("no pipe: ") + std::strerror(errno));
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) argv.push_back(const_cast<char*>(argument.c_str()));
  argv.push_back(nullptr);
  child_ = fork();
  if (child_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(ends[1], STDOUT_FILENO);
    execv(argv[0], argv.data());
    _exit(127);
  }
  close(ends[1]);
  output_ = ends[0];
  fcntl(output_, F_SETFL, O_NONBLOCK);
  if (child_ < 0) throw BoardError(std::string("no process: ") + std::strerror(errno));
}

SimProcess::~SimProcess() {
  close(output_);
  if (child_ <= 0) return;
  kill(child_, SIGTERM);
  const timespec step = {0, 10'000'000};
  for (int waited = 0; waited < kEndMs; waited += 10) {
    if (waitpid(child_, nullptr, WNOHANG) != 0) return;
    nanosleep(&step, nullptr);
  }
  kill(child_, SIGKILL);
  waitpid(child_, nullptr, 0);
}

bool SimProcess::ReadLine(std::string& line) {
  char bytes[512];
  for (ssize_t got; (got = read(output_, bytes, sizeof bytes)) > 0;) text_.append(bytes, static_cast<size_t>(got));
  const size_t end = text_.find('\n');
  if (end == std::string::npos) return false;
  line = text_.substr(0, end);
  text_.erase(0, end + 1);
  return true;
}

std::optional<double> SimProcess::NewSpeed() {
  std::optional<double> speed;
  for (std::string line; ReadLine(line);) {
    if (line.rfind("finding ", 0) == 0 && findings_.size() < kMostFindings)
      findings_.push_back({"sdram", line.substr(8)});
    if (line.rfind("speed ", 0) != 0) continue;
    const double said = std::strtod(line.c_str() + 6, nullptr);
    if (said > 0) speed = said;
  }
  return speed;
}

}  // namespace gmmu::sim::board
