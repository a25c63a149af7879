// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <fmt/format.h>
#include <sys/types.h>

#include <atomic>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

namespace gmmu::app {

/// Prepares the process. main() must call this before it opens any file.
///
/// Opens those of the descriptors 0 to 2 that are closed on /dev/null, read-only. Otherwise the
/// next file that the program opens would get such a number and receive the text for that standard
/// stream. A write to such a stream now fails with EBADF. A write to a pipe without a reader fails
/// with EPIPE instead of ending the program. SIGHUP, SIGINT, SIGQUIT and SIGTERM, unless ignored,
/// remove the path of every Leftover and then end the program.
void BeginProgram();

/// Prints to standard error. Text that cannot be written is dropped, because a run must not fail
/// only because its progress output has no reader.
template <typename... Values>
void Say(std::FILE* err, fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), err);
  std::fflush(err);
}

/// Flushes `out`. Throws std::system_error if this or an earlier write to `out` failed.
void Flush(std::FILE* out);

/// Returns the message for a standard output error. If the pipe has no reader, the function does
/// not return: SIGPIPE ends the program, as it would have done without BeginProgram.
std::string CannotPrint(const std::system_error& error);

/// A file, or a folder of files, that is removed if a signal ends the program (BeginProgram).
/// Otherwise its creator removes it.
class Leftover {
 public:
  explicit Leftover(const std::string& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  std::atomic<char*>* place_ = nullptr;  // null if the table is full; the path then remains after a signal
};

/// Forks a child process that never outlives this process. Only one child may exist at a time.
/// Returns the result of fork(). The child starts with no Leftover. The parent must call
/// ChildEnded() after it has waited for the child.
pid_t ForkChild();
void ChildEnded();

}  // namespace gmmu::app
