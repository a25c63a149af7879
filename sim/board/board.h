// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "board/machine_clock.h"
#include "board/sim_process.h"
#include "board_link/link_end.h"
#include "board_link/messages.h"
#include "board_link/serial_port.h"

namespace gmmu::sim::board {

/// Thrown if the board cannot be used; no run was started. what() is one to three lines, including
/// the remedy.
class BoardError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Board registers (docs/board-link.md).
enum BoardRegister : uint8_t {
  kIdentity = 0,
  kBuild = 1,
  kClock = 2,
  kVramBytes = 3,
  kCycles = 4,
  kControl = 5,
  kStatus = 8,
  kErrors = 9,
  kName = 10,
  kVramKey = 11,
  kMessage = 16,  ///< first word of the interrupt message
};
inline constexpr uint64_t kControlBusMaster = 1;
inline constexpr uint64_t kStatusIdle = 4, kStatusVramReady = 16;

struct BoardOptions {
  std::string port;  ///< path of a serial port; empty if `simulator` is set
  unsigned baud = 3'000'000;
  LinkTimes times;
  std::string simulator;  ///< program that simulates a board; empty: the board is at `port`
  std::vector<std::string> simulator_arguments;
};

/// The identity that the board and its GPU report.
struct BoardIdentity {
  std::string name;      ///< name of the board
  unsigned version = 0;  ///< protocol version
  uint64_t build = 0;    ///< first 8 bytes of the hash of the build; see BuildName
  uint64_t clock_hz = 0, line_rate = 0, vram_bytes = 0;
  uint64_t id = 0, cap0 = 0, cap1 = 0, cap2 = 0;  ///< the GPU's registers of the same names
};

/// Returns `build` in hexadecimal, in the byte order of the hash.
std::string BuildName(uint64_t build);

/// Serves the GPU's accesses to host memory. Board calls these functions only while the caller is
/// in one of Board's functions.
class HostServer {
 public:
  virtual ~HostServer() = default;
  virtual void Read(const HostRead& read) = 0;
  virtual void Write(const HostWrite& write) = 0;
};

/// A board that has responded: the session is open and the board's identity is known.
///
/// Requests are performed in call order. Every call services the link. A blocking call whose time
/// limit expires throws EngineError, whose message names the awaited event and the state of the
/// link. After an error, every further call throws the same error.
class Board {
 public:
  /// Opens the port and a session, reads the identity, and waits until VRAM is initialized. Throws BoardError on
  /// failure.
  explicit Board(const BoardOptions& options);

  const BoardIdentity& identity() const { return identity_; }
  MachineClock& clock() { return clock_; }
  const LinkCounts& counts() const { return link_->counts(); }
  /// Returns the number of bytes of host memory that the GPU has read or written.
  uint64_t dma_bytes() const { return dma_bytes_; }
  /// Returns the line's bit rate in one direction, in bits per second of machine time.
  double line_rate() const { return identity_.line_rate != 0 ? static_cast<double>(identity_.line_rate) : baud_; }
  bool simulated() const { return process_ != nullptr; }
  /// Returns the rule violations that a simulated board detected at the pins of its chips.
  std::vector<hw::Finding> Findings() const { return process_ ? process_->findings() : std::vector<hw::Finding>(); }

  /// While the server is null, the GPU's reads fail and its writes are dropped.
  void set_server(HostServer* server) { server_ = server; }
  /// Sets a function to be called about ten times a second while the link is serviced.
  void set_pulse(std::function<void()> pulse) { pulse_ = std::move(pulse); }
  /// Sets the time limit for a request in nanoseconds of machine time. The limit is never below 4.5
  /// s plus the transfer time of the most bytes that can be in flight.
  void set_bound_ns(uint64_t ns);
  uint64_t bound_ns() const { return bound_ns_; }

  /// Sends a request that has no response. Waits only until the board has buffer space.
  void Post(const Bytes& request, const std::string& what);
  /// Sends several requests back to back, then waits for all responses.
  std::vector<CpuAnswer> Ask(const std::vector<Bytes>& requests, const std::string& what);
  /// Reads one word; returns all ones if the board could not read it.
  uint64_t AskWord(const Bytes& request, const std::string& what);
  /// Sends the completion of a host memory read.
  void Complete(uint16_t id, unsigned beats, bool ok, const Bytes& data);
  /// Services the link until a message has been handled or `wall_ns` have passed.
  void Work(uint64_t wall_ns);

 private:
  void Open(const BoardOptions& options);
  void ReadIdentity();
  void CheckIdentity() const;
  void AwaitVram();
  std::string Unopened() const;
  bool Take();
  void Serve(const UpMessage& message);
  void Flush();
  void CheckAlive();
  void Await(const std::function<bool()>& done, const std::string& what);
  [[noreturn]] void Fail(const std::string& text);

  const unsigned baud_;
  std::unique_ptr<SimProcess> process_;
  MachineClock clock_;
  std::unique_ptr<SerialPort> port_;
  std::unique_ptr<LinkEnd> link_;
  BoardIdentity identity_;
  UpReader reader_;
  RequestCredit credit_;
  std::deque<CpuAnswer> answers_;
  bool open_ = false;
  Bytes line_;  ///< rest of a frame that the port has not accepted yet
  HostServer* server_ = nullptr;
  std::function<void()> pulse_;
  uint64_t pulsed_ns_ = 0, dma_bytes_ = 0;
  uint64_t bound_ns_ = 0;
  std::string what_, failure_;
};

}  // namespace gmmu::sim::board
