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

/// What main() calls before anything is opened.
///
/// Closed ones of the descriptors 0 to 2 are opened, so that no file of the program gets their number and, with it, the
/// text for a standard stream; writing to them fails with EBADF. Writing to a pipe that nobody reads fails with EPIPE
/// instead of ending the program. SIGHUP, SIGINT, SIGQUIT and SIGTERM, unless they are ignored, end it as before, after
/// the paths of every Leftover have been removed.
void BeginProgram();

/// Prints to standard error. A text that cannot be written is dropped, because progress that nobody can read is no reason
/// for a run to fail.
template <typename... Values>
void Say(std::FILE* err, fmt::format_string<Values...> format, Values&&... values) {
  const std::string text = fmt::format(format, std::forward<Values>(values)...);
  std::fwrite(text.data(), 1, text.size(), err);
  std::fflush(err);
}

/// Writes what `out` still holds. Throws std::system_error when that fails or anything before did.
void Flush(std::FILE* out);

/// The text of an error of standard output. Does not return if nobody reads the pipe: the program then ends by SIGPIPE, as
/// a program does that has not called BeginProgram.
std::string CannotPrint(const std::system_error& error);

/// A file, or a folder of files, that a signal which ends the program must not leave behind (BeginProgram). Its owner
/// removes it in all other cases.
class Leftover {
 public:
  explicit Leftover(const std::string& path);
  ~Leftover();
  Leftover(const Leftover&) = delete;
  Leftover& operator=(const Leftover&) = delete;

 private:
  std::atomic<char*>* place_ = nullptr;  // null: there are too many, and a signal leaves this one behind
};

/// fork() for a process that never outlives this one; only one at a time. Returns 0 in the child, which has no Leftover,
/// and -1 with errno as fork() does. The parent calls ChildEnded() after it has waited for the child.
pid_t ForkChild();
void ChildEnded();

}  // namespace gmmu::app
