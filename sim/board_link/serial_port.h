// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace gmmu::sim::board {

/// Thrown if a serial port cannot be used. what() contains its name, the reason and the remedy.
class PortError : public std::runtime_error {
 public:
  enum class Cause : uint8_t { kAbsent, kNoRights, kInUse, kNoSerialPort, kNoSuchRate, kFailed };
  PortError(Cause cause, const std::string& text) : std::runtime_error(text), cause_(cause) {}
  Cause cause() const { return cause_; }

 private:
  Cause cause_;
};

/// A Linux serial port: raw bytes, 8 data bits, no parity, 1 stop bit, no flow control. Only Wait
/// blocks.
///
/// No other program can use the port while it is open. Bytes received before it was opened are
/// dropped.
class SerialPort {
 public:
  /// Accepts any rate that the kernel driver supports; 3,000,000 uses the driver's own constant. Throws PortError.
  SerialPort(const std::string& path, unsigned baud);
  ~SerialPort();
  SerialPort(const SerialPort&) = delete;
  SerialPort& operator=(const SerialPort&) = delete;

  const std::string& path() const { return path_; }

  /// Return the number of bytes transferred; 0 if none can be transferred now. Throw PortError if
  /// the port has disappeared.
  size_t Read(uint8_t* to, size_t size);
  size_t Write(const uint8_t* from, size_t size);
  /// Waits at most `ns` until bytes have arrived or, if `to_write` is true, until bytes can be written.
  void Wait(bool to_write, uint64_t ns) const;

 private:
  void Configure(unsigned baud);
  void LowLatency() const;
  [[noreturn]] void Gone(int error) const;

  const std::string path_;
  int file_ = -1;
};

}  // namespace gmmu::sim::board
