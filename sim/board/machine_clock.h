// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <chrono>
#include <cstdint>

namespace gmmu::sim::board {

/// The machine's clock. With a real board it follows wall-clock time; with a simulated board it is
/// slower.
class MachineClock {
 public:
  /// `speed` is machine seconds per wall-clock second; it must be above 0.
  explicit MachineClock(double speed = 1) : speed_(speed) {}

  /// Return wall-clock and machine nanoseconds since the clock was constructed.
  uint64_t WallNs() const {
    return static_cast<uint64_t>(std::chrono::nanoseconds(std::chrono::steady_clock::now() - start_).count());
  }
  uint64_t NowNs() {
    Advance();
    return static_cast<uint64_t>(machine_ns_);
  }
  /// Changes the machine's speed; the time that has passed stays as it is.
  void set_speed(double speed) {
    Advance();
    speed_ = speed;
  }
  double speed() const { return speed_; }
  /// Converts a duration in machine time to wall-clock time.
  uint64_t ToWallNs(uint64_t machine_ns) const {
    const double wall = static_cast<double>(machine_ns) / speed_;
    return wall < 1e18 ? static_cast<uint64_t>(wall) : uint64_t{1'000'000'000'000'000'000};
  }

 private:
  void Advance() {
    const uint64_t wall = WallNs();
    machine_ns_ += static_cast<double>(wall - seen_ns_) * speed_;
    seen_ns_ = wall;
  }

  const std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
  double speed_;
  uint64_t seen_ns_ = 0;
  double machine_ns_ = 0;
};

}  // namespace gmmu::sim::board
