// SPDX-License-Identifier: Apache-2.0
// Uses termios2, which accepts any baud rate. The kernel header that declares it conflicts with
// <termios.h>.
#include "board_link/serial_port.h"

#include <asm/termbits.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/serial.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>

namespace gmmu::sim::board {
namespace {

using Cause = PortError::Cause;

constexpr unsigned kStandardRate = 3'000'000;

[[noreturn]] void InUse(const std::string& path) {
  throw PortError(Cause::kInUse,
                  fmt::format("{} is in use by another program\nEnd that program; `fuser {}` names it.", path, path));
}

int Open(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
  if (file >= 0) return file;
  switch (errno) {
    case ENOENT:
    case ENOTDIR:
    case ENXIO:
    case ENODEV:
      throw PortError(Cause::kAbsent,
                      fmt::format("there is no serial port {}\nConnect the board; `ls /dev/serial/by-id /dev/ttyUSB*` "
                                  "lists the ports that there are.",
                                  path));
    case EACCES:
    case EPERM:
      throw PortError(Cause::kNoRights,
                      fmt::format("this user may not open {}\nSerial ports belong to the group dialout: as root, "
                                  "`usermod -aG dialout USER`, then log in again.",
                                  path));
    case EBUSY: InUse(path);
    case EISDIR: throw PortError(Cause::kNoSerialPort, fmt::format("{} is a folder and no serial port", path));
    default: throw PortError(Cause::kFailed, fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  }
}

}  // namespace

SerialPort::SerialPort(const std::string& path, unsigned baud) : path_(path), file_(Open(path)) {
  try {
    Configure(baud);
  } catch (const PortError&) {
    close(file_);
    throw;
  }
}

SerialPort::~SerialPort() {
  ioctl(file_, TIOCNXCL);
  close(file_);
}

void SerialPort::Configure(unsigned baud) {
  termios2 settings;
  if (ioctl(file_, TCGETS2, &settings) != 0) {
    throw PortError(Cause::kNoSerialPort,
                    fmt::format("{} is no serial port\nGive the port of the board, as /dev/ttyUSB0.", path_));
  }
  // Unlike TIOCEXCL, the lock also excludes root and a second open by this program.
  if (flock(file_, LOCK_EX | LOCK_NB) != 0) InUse(path_);
  if (ioctl(file_, TIOCEXCL) != 0) InUse(path_);
  settings.c_iflag = IGNBRK;  // ignore breaks, which a wrong baud rate can cause
  settings.c_oflag = 0;
  settings.c_lflag = 0;
  settings.c_cflag = CS8 | CREAD | CLOCAL | (baud == kStandardRate ? B3000000 : BOTHER);
  settings.c_ispeed = settings.c_ospeed = baud;
  std::fill(std::begin(settings.c_cc), std::end(settings.c_cc), 0);
  settings.c_cc[VMIN] = 1;  // makes read return 0 only when the port has disappeared
  termios2 got;
  if (ioctl(file_, TCSETS2, &settings) != 0 || ioctl(file_, TCGETS2, &got) != 0) Gone(errno);
  if (got.c_ospeed < baud - baud / 50 || got.c_ospeed > baud + baud / 50) {
    throw PortError(Cause::kNoSuchRate,
                    fmt::format("{} cannot do {} bit/s; its driver offers {} instead\nConnect the "
                                "board by a port that can, or build its bitstream for another rate.",
                                path_, baud, got.c_ospeed));
  }
  LowLatency();
  ioctl(file_, TCFLSH, TCIOFLUSH);
}

/// Sets the port's low-latency mode. Without it, a USB converter buffers bytes for up to 16 ms.
void SerialPort::LowLatency() const {
  serial_struct serial;
  if (ioctl(file_, TIOCGSERIAL, &serial) != 0) return;
  serial.flags |= ASYNC_LOW_LATENCY;
  ioctl(file_, TIOCSSERIAL, &serial);
}

void SerialPort::Gone(int error) const {
  throw PortError(Cause::kFailed, fmt::format("{} is gone: {}\nWas the board unplugged?", path_, std::strerror(error)));
}

size_t SerialPort::Read(uint8_t* to, size_t size) {
  const ssize_t got = read(file_, to, size);
  if (got > 0) return static_cast<size_t>(got);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return 0;
  Gone(got == 0 ? EIO : errno);
}

size_t SerialPort::Write(const uint8_t* from, size_t size) {
  const ssize_t put = write(file_, from, size);
  if (put >= 0) return static_cast<size_t>(put);
  if (errno == EAGAIN || errno == EINTR) return 0;
  Gone(errno);
}

void SerialPort::Wait(bool to_write, uint64_t ns) const {
  pollfd port = {file_, static_cast<short>(POLLIN | (to_write ? POLLOUT : 0)), 0};
  const timespec limit = {static_cast<time_t>(ns / 1'000'000'000), static_cast<long>(ns % 1'000'000'000)};
  ppoll(&port, 1, &limit, nullptr);
}

}  // namespace gmmu::sim::board
