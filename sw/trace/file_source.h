// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "trace/access.h"
#include "trace/header.h"

namespace gmmu::trace {

/// Reads a trace, holding one frame at a time in memory.
class FileSource : public Source {
 public:
  /// Reads the header. Throws TraceError.
  explicit FileSource(const std::string& path);
  ~FileSource() override;
  const Header& header() const { return header_; }
  /// Returns nullopt at the end, after the counts in the header have been checked. Throws
  /// TraceError with the record and offset.
  std::optional<Access> Next() override;

 private:
  struct File;
  /// Decompresses the next frame and returns its type.
  char Frame();
  void NextFrame();
  void End();
  uint64_t Number(const char* what);
  [[noreturn]] void Fail(const std::string& what) const;

  const std::string path_;
  std::unique_ptr<File> file_;
  Header header_;
  std::vector<char> unpacked_;
  std::string_view frame_;  // the current frame, in unpacked_
  size_t at_ = 0;           // index in frame_ of the next byte
  uint64_t offset_ = 0;     // offset of the frame in the file
  uint64_t left_ = 0;       // records left in the frame
  uint64_t count_ = 0;      // records read so far
  uint64_t arrived_ = 0;    // open loop: arrival cycle of the previous access
  bool ended_ = false;
  Access last_;  // the previous record, in Header::unit
  std::array<uint64_t, 3> kinds_{};
};

}  // namespace gmmu::trace
