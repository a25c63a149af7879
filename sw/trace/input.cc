// SPDX-License-Identifier: Apache-2.0
#include "trace/input.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gmmu::trace {
namespace {

constexpr size_t kPiece = 1 << 18;
constexpr size_t kMaxLine = 1 << 16;

/// Returns the program that decompresses a file that starts with these bytes, or an empty string if
/// the file is not compressed.
std::string Unpacker(const std::vector<char>& bytes) {
  static const std::pair<std::string_view, const char*> kPacked[] = {{"\xfd"
                                                                      "7zXZ",
                                                                      "xz"},
                                                                     {"\x1f\x8b", "gzip"},
                                                                     {"\x28\xb5\x2f\xfd", "zstd"},
                                                                     {"BZh", "bzip2"}};
  for (const auto& [magic, program] : kPacked) {
    if (std::string_view(bytes.data(), bytes.size()).substr(0, magic.size()) == magic) return program;
  }
  return "";
}

}  // namespace

Input::Input(const std::string& path, Watch watch) : path_(path), watch_(std::move(watch)) {
  file_ = path == "-" ? stdin : std::fopen(path.c_str(), "rb");
  if (file_ == nullptr) throw TraceError(path + ": cannot be opened: " + std::strerror(errno));
  struct stat status;
  if (fstat(fileno(file_), &status) == 0 && S_ISREG(status.st_mode)) total_ = static_cast<uint64_t>(status.st_size);
  try {
    Fill();
    if (bytes_.empty()) throw TraceError(path_ + ": is empty");
    if (const std::string program = Unpacker(bytes_); !program.empty()) {
      throw TraceError(fmt::format("{}: is packed\nUnpack it on the way: {} -dc {} | gmmu trace import FORMAT - OUT",
                                   path_, program, path_));
    }
  } catch (...) {
    if (file_ != stdin) std::fclose(file_);
    throw;
  }
}

Input::~Input() {
  if (file_ != stdin) std::fclose(file_);
}

void Input::Fill() {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(at_));
  at_ = 0;
  const size_t kept = bytes_.size();
  bytes_.resize(kept + kPiece);
  const size_t more = std::fread(bytes_.data() + kept, 1, kPiece, file_);
  bytes_.resize(kept + more);
  if (more == 0 && std::ferror(file_)) throw TraceError(path_ + ": cannot be read: " + std::strerror(errno));
  if (watch_ && offset_ >= shown_ + (1 << 20)) watch_(shown_ = offset_, total_);
}

bool Input::Line(std::string& line) {
  for (size_t seen = 0;;) {
    const char* begin = bytes_.data() + at_;
    const size_t left = bytes_.size() - at_;
    const void* end = std::memchr(begin + seen, '\n', left - seen);
    if (end != nullptr) {
      size_t size = static_cast<size_t>(static_cast<const char*>(end) - begin);
      ++line_;
      at_ += size + 1;
      offset_ += size + 1;
      if (size != 0 && begin[size - 1] == '\r') --size;
      line.assign(begin, size);
      return true;
    }
    if (left > kMaxLine) {
      ++line_;
      throw Wrong(fmt::format("the line has more than {} bytes; is this a text file?", kMaxLine));
    }
    seen = left;
    Fill();
    if (bytes_.size() == left) {
      if (left == 0) return false;
      ++line_;
      throw Wrong("the last line has no end: does the file end in the middle? If it is whole, add the end of line");
    }
  }
}

bool Input::Bytes(void* to, size_t size, const char* what) {
  while (bytes_.size() - at_ < size) {
    const size_t left = bytes_.size() - at_;
    Fill();
    if (bytes_.size() != left) continue;
    if (left == 0) return false;
    throw TraceError(
        fmt::format("{}: offset {}: ends in the middle of {}: {} of {} bytes", path_, offset_, what, left, size));
  }
  std::memcpy(to, bytes_.data() + at_, size);
  at_ += size;
  offset_ += size;
  return true;
}

TraceError Input::Wrong(const std::string& what) const {
  return TraceError(fmt::format("{}:{}: {}", path_, line_, what));
}

std::vector<std::string_view> Words(std::string_view line) {
  std::vector<std::string_view> words;
  for (size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const size_t end = std::min(line.find_first_of(" \t", at), line.size());
    words.push_back(line.substr(at, end - at));
    at = end;
  }
  return words;
}

}  // namespace gmmu::trace
