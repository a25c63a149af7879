// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>

#include "app/outputs.h"
#include "app/process.h"

namespace gmmu::app {

/// A folder in $TMPDIR (or /tmp) for the files of one run. The constructor throws OutputError if it
/// cannot create the folder. The destructor removes the folder.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const char* const given = std::getenv("TMPDIR");
    path_ = std::filesystem::path(given != nullptr && *given != '\0' ? given : "/tmp") / "gmmu-run-XXXXXX";
    std::string path = path_.string();
    if (mkdtemp(path.data()) == nullptr) Fail("cannot be made", errno);
    path_ = path;
    leftover_.emplace(path);
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  std::string File(const std::string& name) const { return (path_ / name).string(); }
  /// Throws OutputError if the file system is full, because files already written to the folder may
  /// then be incomplete.
  void CheckRoom() const {
    std::FILE* const file = std::fopen(File("room").c_str(), "wb");
    if (file == nullptr) Fail("takes no file", errno);
    const std::string bytes(65536, ' ');
    const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size() && std::fflush(file) == 0;
    const int reason = errno;
    std::fclose(file);
    if (!written) Fail("cannot be written", reason);
  }

 private:
  [[noreturn]] void Fail(const std::string& what, int reason) const {
    throw OutputError("the temporary folder " + path_.string() + " " + what + ": " + std::strerror(reason) +
                      "\nSet TMPDIR to a folder with some MiB of room.");
  }

  std::filesystem::path path_;
  std::optional<Leftover> leftover_;
};

}  // namespace gmmu::app
