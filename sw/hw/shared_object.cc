// SPDX-License-Identifier: Apache-2.0
#include "hw/shared_object.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace gmmu::hw {
namespace {

constexpr int kSeconds = 60;

[[noreturn]] void Try(const std::string& path, int done) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) dup2(nothing, stream);
  dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const bool told = write(done, "", 1) == 1;
  _exit(told ? 0 : 1);
}

/// Loads the file in a child process. Returns "" on success, otherwise a description of how the
/// process failed or died.
std::string Death(const std::string& path) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::string("no pipe: ") + std::strerror(errno);
  const pid_t child = fork();
  if (child == 0) Try(path, ends[1]);
  close(ends[1]);
  if (child < 0) {
    close(ends[0]);
    return std::string("no process to try it in: ") + std::strerror(errno);
  }
  pollfd done = {ends[0], POLLIN, 0};
  int ready;
  while ((ready = poll(&done, 1, kSeconds * 1000)) < 0 && errno == EINTR) continue;
  char byte;
  const bool loaded = ready > 0 && read(ends[0], &byte, 1) == 1;
  close(ends[0]);
  if (ready == 0) kill(child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (loaded) return "";
  const std::string how = ready == 0            ? "does not end within " + std::to_string(kSeconds) + " s"
                          : WIFSIGNALED(status) ? "is ended by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                                      strsignal(WTERMSIG(status)) + ")"
                                                : "ends with exit status " + std::to_string(WEXITSTATUS(status));
  return "a process that loads it " + how +
         ": the file is damaged, or a constructor in it, which runs while it is loaded, is wrong";
}

}  // namespace

void* OpenSharedObject(const std::string& path, std::string& why) {
  const std::string file = std::filesystem::absolute(path).string();
  why = Death(file);
  if (!why.empty()) return nullptr;
  void* const library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  why = dlerror();
  if (why.rfind(file + ": ", 0) == 0) why.erase(0, file.size() + 2);
  return nullptr;
}

}  // namespace gmmu::hw
