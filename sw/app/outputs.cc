// SPDX-License-Identifier: Apache-2.0
#include "app/outputs.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string_view>

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;

/// True if both paths refer, or will refer, to the same regular file.
bool OneFile(const std::string& first, const std::string& second) {
  std::error_code error;
  for (const std::string& path : {first, second}) {
    if (fs::exists(path, error) && !fs::is_regular_file(path, error)) return false;
  }
  if (fs::equivalent(first, second, error)) return true;
  const fs::path one = fs::weakly_canonical(first, error);
  return !error && one == fs::weakly_canonical(second, error);
}

/// Returns the descriptor that /dev/stdout, /dev/stderr, /dev/fd/N or /proc/self/fd/N stands for,
/// or nullopt for other paths.
std::optional<int> DescriptorOf(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (path.rfind(folder, 0) != 0) continue;
    int number = -1;
    const char* const end = path.data() + path.size();
    const auto [stopped, error] = std::from_chars(path.data() + folder.size(), end, number);
    if (error == std::errc() && stopped == end) return number;
  }
  return std::nullopt;
}

}  // namespace

void RefuseSharedFiles(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs) {
  const auto refuse = [](const NamedPath& output, const NamedPath& other) {
    if (output.path.empty() || other.path.empty() || !OneFile(output.path, other.path)) return;
    throw OutputError(output.path + ": is the file of " + output.option + " and of " + other.option +
                      "; give each its own");
  };
  for (size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedPath& input : inputs) refuse(outputs[i], input);
    for (size_t j = 0; j < i; ++j) refuse(outputs[i], outputs[j]);
  }
}

OutputFile::OutputFile(const std::string& given) : path_(given) {
  if (const auto descriptor = DescriptorOf(given)) {  // write in place, even to a regular file
    const int own = dup(*descriptor);
    if (own < 0 || (file_ = fdopen(own, "wb")) == nullptr) Fail("cannot be opened");
    return;
  }
  std::error_code error;
  // Replace the target of a symbolic link, not the link.
  if (fs::is_symlink(given, error)) path_ = fs::weakly_canonical(given, error).string();
  const std::string& path = path_;
  struct stat status;
  const bool exists = stat(path.c_str(), &status) == 0;
  if (exists && S_ISDIR(status.st_mode)) {
    throw OutputError(path + ": is a folder; give the name of a file");
  }
  if (exists && !S_ISREG(status.st_mode)) {
    file_ = std::fopen(path.c_str(), "wb");
    if (file_ == nullptr) Fail("cannot be opened");
    return;
  }
  if (exists && access(path.c_str(), W_OK) != 0) Fail("cannot be replaced");
  temporary_ = path + ".partial-XXXXXX";
  const int descriptor = mkstemp(temporary_.data());
  if (descriptor < 0) {
    const int reason = errno;
    temporary_.clear();
    errno = reason;
    Fail("cannot be created");
  }
  leftover_.emplace(temporary_);
  const mode_t mask = umask(0);
  umask(mask);
  fchmod(descriptor, exists ? status.st_mode & 07777 : 0666 & ~mask);
  file_ = fdopen(descriptor, "wb");
  if (file_ == nullptr) Fail("cannot be opened");
}

OutputFile::~OutputFile() {
  if (file_ != nullptr) std::fclose(file_);
  if (!temporary_.empty()) unlink(temporary_.c_str());
}

void OutputFile::Write(const void* bytes, size_t size) {
  if (size != 0 && std::fwrite(bytes, 1, size, file_) != size) Fail("writing failed");
}

void OutputFile::Commit() {
  const bool flushed = std::fflush(file_) == 0;
  const int reason = errno;
  const bool closed = std::fclose(file_) == 0;
  file_ = nullptr;
  if (!flushed) errno = reason;
  if (!flushed || !closed) Fail("writing failed");
  if (temporary_.empty()) return;
  if (std::rename(temporary_.c_str(), path_.c_str()) != 0) Fail("cannot be renamed into place");
  leftover_.reset();
  temporary_.clear();
}

void OutputFile::Fail(const std::string& what) const {
  const int reason = errno;
  std::string text = path_ + ": " + what + ": " + std::strerror(reason);
  if (reason == ENOSPC) text += "\nFree some space or choose another place; nothing was left half-written.";
  throw OutputError(text);
}

}  // namespace gmmu::app
