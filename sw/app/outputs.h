// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/process.h"

namespace gmmu::app {

/// Thrown for a file that cannot be written; what() states the file, the reason and the remedy.
class OutputError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A path and the option that specified it. An empty path means that the option was omitted.
struct NamedPath {
  std::string option;
  std::string path;
};

/// Throws OutputError if two outputs, or an output and an input, are the same file, because one
/// would overwrite the other. Pipes and devices may be shared.
void RefuseSharedFiles(const std::vector<NamedPath>& outputs, const std::vector<NamedPath>& inputs);

/// An output file that appears complete or not at all.
///
/// A regular or new file is written under a temporary name next to its path, and renamed by
/// Commit(). Without Commit(), no file remains, even if a signal ends the program. If the path is a
/// symbolic link, its target is replaced, not the link. A pipe or a device is written in place.
/// /dev/stdout, /dev/stderr and /dev/fd/N are written through their descriptor, at its current
/// offset, even if it is a regular file.
class OutputFile {
 public:
  /// Opens the file immediately, so that a path that cannot be written is reported before any work.
  /// Throws OutputError.
  explicit OutputFile(const std::string& given);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Throws OutputError if the file system is full or the device fails.
  void Write(const void* bytes, size_t size);
  /// Flushes and renames the file. Throws OutputError.
  void Commit();
  /// The path to write to before Commit(), for code that opens the file itself.
  const std::string& working_path() const { return temporary_.empty() ? path_ : temporary_; }
  const std::string& path() const { return path_; }

 private:
  [[noreturn]] void Fail(const std::string& what) const;

  std::string path_;
  std::string temporary_;  // empty if the file is written in place
  std::optional<Leftover> leftover_;
  std::FILE* file_ = nullptr;
};

}  // namespace gmmu::app
