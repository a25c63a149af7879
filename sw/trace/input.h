// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/error.h"

namespace gmmu::trace {

/// A file of another program, read in pieces. Packed files are refused with the command that unpacks them.
class Input {
 public:
  /// Called from time to time with the number of bytes read and the size of the file (0: a pipe).
  using Watch = std::function<void(uint64_t done, uint64_t total)>;

  /// Throws TraceError if the file cannot be opened, is empty or is packed. `-` is standard input.
  explicit Input(const std::string& path, Watch watch = nullptr);
  ~Input();
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;

  /// The next line without its end; false: none is left. A last line without an end is refused, because a truncated
  /// file looks like that.
  bool Line(std::string& line);
  /// The next `size` bytes; false: none are left. If fewer are left, the file is refused because it ends within `what`.
  bool Bytes(void* to, size_t size, const char* what);

  /// An error at the line that was read last.
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

/// The words of a line, separated by spaces and tabs.
std::vector<std::string_view> Words(std::string_view line);

}  // namespace gmmu::trace
