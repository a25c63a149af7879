// SPDX-License-Identifier: Apache-2.0
#include "app/process.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <system_error>

namespace gmmu::app {
namespace {

std::array<std::atomic<char*>, 64> leftovers;
std::atomic<pid_t> child = 0;
bool ends_by_sigpipe = false;

// RemoveFiles, Remove and OnEnd run in a signal handler, so they call async-signal-safe functions
// only.

void RemoveFiles(int folder) {
  alignas(dirent64) char bytes[1024];
  for (long got; (got = syscall(SYS_getdents64, folder, bytes, sizeof bytes)) > 0;) {
    for (long at = 0; at < got;) {
      const auto* const entry = reinterpret_cast<const dirent64*>(bytes + at);
      unlinkat(folder, entry->d_name, 0);
      at += entry->d_reclen;
    }
  }
}

void Remove(const char* path) {
  if (unlink(path) == 0) return;
  const int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0) return;
  // List the folder repeatedly, because some file systems skip entries if files are removed during
  // the listing.
  for (int tries = 0; tries < 8; ++tries) {
    lseek(folder, 0, SEEK_SET);
    RemoveFiles(folder);
    if (rmdir(path) == 0) break;
  }
  close(folder);
}

void OnEnd(int signal) {
  if (const pid_t running = child; running > 0) {  // stop the child before its folder is removed
    kill(running, SIGKILL);
    waitpid(running, nullptr, 0);
  }
  for (const std::atomic<char*>& path : leftovers)
    if (path != nullptr) Remove(path);
  std::signal(signal, SIG_DFL);
  raise(signal);  // blocked here; takes effect when the handler returns
}

}  // namespace

void BeginProgram() {
  int next;
  do next = open("/dev/null", O_RDONLY);
  while (next >= 0 && next <= STDERR_FILENO);
  if (next >= 0) close(next);

  ends_by_sigpipe = std::signal(SIGPIPE, SIG_IGN) == SIG_DFL;
  struct sigaction action{};
  action.sa_handler = OnEnd;
  action.sa_flags = SA_ONSTACK | SA_RESTART;
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) sigaddset(&action.sa_mask, signal);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM}) {
    struct sigaction before{};
    if (sigaction(signal, nullptr, &before) == 0 && before.sa_handler != SIG_IGN) sigaction(signal, &action, nullptr);
  }
}

void Flush(std::FILE* out) {
  if (std::fflush(out) != 0) throw std::system_error(errno, std::generic_category());
  if (std::ferror(out) != 0) throw std::system_error(EIO, std::generic_category());
}

std::string CannotPrint(const std::system_error& error) {
  if (ends_by_sigpipe && error.code() == std::errc::broken_pipe) {
    std::signal(SIGPIPE, SIG_DFL);
    raise(SIGPIPE);
  }
  return "standard output cannot be written: " + error.code().message();
}

Leftover::Leftover(const std::string& path) {
  char* const text = strdup(path.c_str());
  for (std::atomic<char*>& place : leftovers) {
    char* nobody = nullptr;
    if (!place.compare_exchange_strong(nobody, text)) continue;
    place_ = &place;
    return;
  }
  std::free(text);
}

Leftover::~Leftover() {
  if (place_ != nullptr) std::free(place_->exchange(nullptr));
}

pid_t ForkChild() {
  const pid_t parent = getpid();
  const pid_t forked = fork();
  if (forked != 0) {
    if (forked > 0) child = forked;
    return forked;
  }
  for (std::atomic<char*>& place : leftovers) place = nullptr;
  child = 0;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(1);  // the parent had exited before prctl took effect
  return 0;
}

void ChildEnded() { child = 0; }

}  // namespace gmmu::app
