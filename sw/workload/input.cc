// SPDX-License-Identifier: Apache-2.0
#include "workload/input.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace gmmu::workload {
namespace {

struct Descriptor {
  int fd;
  ~Descriptor() {
    if (fd >= 0) ::close(fd);
  }
};

}  // namespace

std::vector<uint8_t> LoadInput(const std::string& path) {
  const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    throw InputError(fmt::format("cannot read '{}': {}\nGive a readable file, or none for the default input.", path,
                                 std::strerror(errno)));
  }
  struct stat status{};
  if (::fstat(file.fd, &status) != 0) throw InputError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
  if (S_ISDIR(status.st_mode)) throw InputError(fmt::format("'{}' is a folder\nGive a regular file.", path));
  if (!S_ISREG(status.st_mode))
    throw InputError(fmt::format("'{}' is not a regular file\nCopy its bytes to one first.", path));
  const auto size = static_cast<uint64_t>(status.st_size);
  if (size > kMaxInputBytes) {
    throw InputError(
        fmt::format("'{}' has {} bytes; at most {} (256 MiB) are taken\nSplit it, for example with "
                    "'split -b 256M'.",
                    path, size, kMaxInputBytes));
  }
  std::vector<uint8_t> bytes(size);
  for (uint64_t done = 0; done < size;) {
    const ssize_t got = ::read(file.fd, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw InputError(fmt::format("cannot read '{}': {}", path, std::strerror(errno)));
    if (got == 0)
      throw InputError(fmt::format("'{}' became shorter while it was read\nTry again when nobody writes it.", path));
    done += static_cast<uint64_t>(got);
  }
  return bytes;
}

std::vector<uint8_t> SeededInput(uint64_t seed, uint64_t bytes) {
  std::vector<uint8_t> result(bytes);
  uint64_t state = seed ^ 0x6A09E667F3BCC908ull;
  for (uint64_t at = 0; at < bytes; at += 8) {
    state += 0x9E3779B97F4A7C15ull;
    uint64_t z = (state ^ (state >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    z ^= z >> 31;
    std::memcpy(result.data() + at, &z, std::min<uint64_t>(8, bytes - at));
  }
  return result;
}

std::vector<Piece> Pieces(uint64_t bytes, uint64_t most) {
  std::vector<Piece> pieces;
  for (uint64_t offset = 0; offset < bytes; offset += most) pieces.push_back({offset, std::min(most, bytes - offset)});
  return pieces;
}

}  // namespace gmmu::workload
