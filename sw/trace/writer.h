// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "trace/access.h"
#include "trace/header.h"

namespace gmmu::trace {

/// Writes a trace, holding one frame at a time in memory.
class Writer {
 public:
  using Sink = std::function<void(const void* bytes, size_t size)>;  ///< receives the file's bytes in order; may throw

  /// Writes the header immediately. Errors refer to the file as `path`.
  Writer(const Header& header, const std::string& path, Sink sink);
  ~Writer();
  /// Throws TraceError if the access does not fit the header or, in an open loop, arrives before
  /// the previous access.
  void Add(const Access& access);
  /// Writes the end record, without which a file counts as truncated. Throws TraceError if the
  /// header states a different count.
  void Finish();
  uint64_t count() const { return count_; }

 private:
  struct Zstd;
  void Frame(char type, const std::string& content);
  void Flush();

  const Header header_;
  const std::string path_;
  Sink sink_;
  std::unique_ptr<Zstd> zstd_;
  std::string records_;  // records of the current frame
  uint64_t first_ = 0;   // index of the first record of the frame
  uint64_t count_ = 0;
  uint64_t arrived_ = 0;  // open loop: arrival cycle of the previous access
  Access last_;           // the previous record, in Header::unit
  std::array<uint64_t, 3> kinds_{};
};

}  // namespace gmmu::trace
