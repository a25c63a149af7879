// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/error.h"

namespace gmmu::trace {

/// A trace file of another program, read in chunks. The error for a compressed file states the
/// command that decompresses it.
class Input {
 public:
  /// Called periodically with the number of bytes read and the size of the file (0 for a pipe).
  using Watch = std::function<void(uint64_t done, uint64_t total)>;

  /// Throws TraceError if the file cannot be opened, is empty or is compressed. `-` is standard input.
  explicit Input(const std::string& path, Watch watch = nullptr);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// Reads the next line without its newline. Returns false at the end of the file. A last line
  /// without a newline is an error, because the file has probably been truncated.
  bool Line(std::string& line);
  /// Reads the next `size` bytes. Returns false at the end of the file. Throws an error that names
  /// `what` if the file ends within these bytes.
  bool Bytes(void* to, size_t size, const char* what);

  /// Returns an error that refers to the line that was last read.
  TraceError Wrong(const std::string& what) const;
  uint64_t line() const { return line_; }
  uint64_t offset() const { return offset_; }
  const std::string& path() const { return path_; }

 private:
  void Fill();

  std::string path_;
  Watch watch_;
  std::FILE* file_ = nullptr;
  uint64_t total_ = 0;
  std::vector<char> bytes_;
  size_t at_ = 0;
  uint64_t offset_ = 0, line_ = 0, shown_ = 0;
};

/// Splits a line at spaces and tabs.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace gmmu::trace
