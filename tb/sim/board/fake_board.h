// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "board_link/link_end.h"
#include "host/agenda.h"
#include "host/config.h"
#include "host/host_access.h"
#include "tb/sim/board_link/board_end.h"
#include "twin/gpu.h"
#include "twin/peers.h"

namespace gmmu::sim::board {

struct FakeBoardOptions {
  MachineConfig config;               ///< sizes of the GPU
  unsigned seed = 1;                  ///< seed of the noise
  unsigned noise = 0;                 ///< changed bytes per million, in each direction
  uint64_t cut_after = ~uint64_t{0};  ///< after this many bytes from the board, both directions are dead
  uint8_t version = kProtocolVersion;
  bool mute = false;  ///< sends bytes that contain no frames, as at a wrong bit rate
  std::string identity = "GMMUBRD";
  bool vram_ready = true;
  uint64_t stuck_data = 0;           ///< bits that always read 1 in words of the window
  uint64_t stuck_address = 0;        ///< bits of the window's offset that are always 0
  uint64_t bad_from = ~uint64_t{0};  ///< window writes at and after this offset are lost
};

/// A fake board behind a pseudo-terminal, in its own thread. It implements the board's side of
/// docs/board-link.md around the fast engine's GPU; the GPU's accesses to host memory go over the
/// link.
class FakeBoard : private HostAccess {
 public:
  explicit FakeBoard(const FakeBoardOptions& options = FakeBoardOptions());
  ~FakeBoard() override;

  const std::string& port() const { return port_; }
  /// Returns the host's first violation of docs/board-link.md, if any.
  std::string violation();
  uint64_t bytes_up() const { return bytes_up_; }
  void PressReset() { reset_ = true; }

  /// Returns the machine configuration that matches the default options.
  static MachineConfig SmallConfig();

 private:
  using Bytes = BoardEnd::Bytes;
  struct Stopped {};

  bool Read(uint16_t requester, uint64_t logical, void* to, size_t size, bool snoop) override;
  void Write(uint16_t requester, uint64_t logical, const void* from, size_t size, bool snoop) override;
  uint64_t Serve(uint16_t, uint64_t, size_t, bool, uint64_t at_ps) override { return at_ps; }
  bool Peek(uint16_t, uint64_t, uint64_t*) const override { return false; }

  void Main();
  void Io();
  void Session();
  void TakeMessages();
  bool TakeMessage();
  void DoRequests();
  void Do(const Bytes& request);
  void Access(twin::GpuAccess access, unsigned words);
  void Answer(const std::vector<uint64_t>& words, bool ok);
  void ConfigWrite(uint32_t offset, unsigned size, uint32_t value);
  void WriteBoard(uint8_t index, uint64_t value);
  uint64_t ReadBoard(uint8_t index);
  uint64_t NowNs() const;
  bool Noisy(uint8_t& byte);
  void Violated(const std::string& what);

  const FakeBoardOptions options_;
  std::mt19937 random_;
  int master_ = -1;
  std::string port_;
  BoardEnd end_;
  Agenda agenda_;
  twin::Peers peers_;
  std::unique_ptr<twin::Gpu> gpu_;
  unsigned hellos_ = 0;
  uint64_t began_ns_ = 0;
  Bytes stream_, line_;
  std::deque<Bytes> requests_;
  size_t held_bytes_ = 0;  ///< bytes in use in the request memory
  bool busy_ = false;      ///< the GPU is processing a request
  uint64_t control_ = 0, vram_key_ = 0;
  uint64_t message_[2] = {};
  uint16_t next_id_ = 0;
  struct Completed {
    bool ok;
    Bytes data;
  };
  std::map<uint16_t, Completed> completed_;
  std::atomic<uint64_t> bytes_up_{0};
  std::atomic<bool> stop_{false}, reset_{false};
  std::mutex mutex_;
  std::string violation_;
  std::thread thread_;
};

}  // namespace gmmu::sim::board
