// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace gmmu::sim {

/// Timing of the memory behind the GPU's VRAM port, in GPU cycles.
struct VramParameters {
  uint64_t bytes = 64u << 20;
  unsigned latency_cycles = 100;     ///< from the accepted address to the first beat of a read, or the
                                     ///< last beat of a write to B
  unsigned beats_per_cycle_num = 1;  ///< bandwidth of each direction: num beats in den cycles, num <= den
  unsigned beats_per_cycle_den = 1;
  unsigned outstanding = 64;  ///< bursts of each direction at once; at least 1
};

/// Holds VRAM's bytes, which are all zero at power-on.
class VramCore {
 public:
  /// Called before `size` bytes at `address` are written, with the new bytes. Bytes whose strobe is 0 are not part of
  /// the range.
  using WriteHook = std::function<void(uint64_t address, const uint8_t* from, size_t size)>;

  /// Throws std::runtime_error when the host cannot provide the memory.
  explicit VramCore(uint64_t bytes);

  uint64_t size() const { return size_; }
  bool Inside(uint64_t address, uint64_t size) const { return address <= size_ && size <= size_ - address; }

  /// Return false, transfer nothing and call no hook unless [address, address + size) lies inside VRAM.
  [[nodiscard]] bool Read(uint64_t address, void* to, size_t size) const;
  [[nodiscard]] bool Write(uint64_t address, const void* from, size_t size);
  /// Writes byte i of `from` if bit i of `strobe` is set; `size` is at most 64. Each run of set bits is
  /// one write to the hooks.
  [[nodiscard]] bool WriteStrobed(uint64_t address, const void* from, size_t size, uint64_t strobe);

  /// Hooks run in the order in which they were added. They must not write to this VRAM, except by FlipBit.
  void AddWriteHook(WriteHook hook) { hooks_.push_back(std::move(hook)); }

  /// Simulates a power loss by changing the value of every byte. Hooks are called.
  void LosePower();

  /// Injects damage for tests: inverts bit `bit` (0..7) of a byte, without calling hooks.
  [[nodiscard]] bool FlipBit(uint64_t address, unsigned bit);

  const uint8_t* data() const { return bytes_.get(); }
  /// Returns the bytes for a caller that writes them directly, bypassing Write and the hooks.
  uint8_t* Open() {
    touched_.assign(touched_.size(), true);
    return bytes_.get();
  }

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* p) const { munmap(p, bytes); }
  };
  static constexpr uint64_t kPage = 4096;  // of the host
  /// Stores to the untouched pages of a range before Write, which reads the old bytes first, so that the host takes one
  /// page fault per page instead of two.
  void Touch(uint64_t address, uint64_t size) {
    for (uint64_t page = address / kPage; page <= (address + size - 1) / kPage; ++page) {
      if (touched_[page]) continue;
      touched_[page] = true;
      const_cast<volatile uint8_t*>(bytes_.get())[page * kPage] = 0;
    }
  }

  uint64_t size_;
  std::unique_ptr<uint8_t[], Unmap> bytes_;  // a multiple of the host's page size; pages get storage when touched
  std::vector<bool> touched_;                ///< pages that may have been written
  std::vector<WriteHook> hooks_;
};

/// Computes when VRAM bursts finish: a fixed latency, then one data bus for each direction. The cycles of successive
/// calls must not decrease.
class VramTiming {
 public:
  struct Beats {
    uint64_t first = 0;  ///< cycle of the first beat
    uint64_t last = 0;   ///< cycle of the last beat
  };

  /// Throws std::invalid_argument when a parameter is out of range.
  explicit VramTiming(const VramParameters& parameters);

  /// Return the cycles in which the beats of a burst of `beats` (> 0) are transferred. `cycle` is when its address was
  /// accepted or, for a write, its last data. Beats of one direction are served in the order of the calls. A write's B
  /// is due at `last + latency_cycles`.
  Beats Read(uint64_t cycle, unsigned beats) { return Reserve(read_free_, cycle + parameters_.latency_cycles, beats); }
  Beats Write(uint64_t cycle, unsigned beats) { return Reserve(write_free_, cycle, beats); }

  const VramParameters& parameters() const { return parameters_; }

 private:
  Beats Reserve(uint64_t& free, uint64_t earliest, unsigned beats);

  const VramParameters parameters_;
  uint64_t read_free_ = 0;  ///< in 1/num cycles
  uint64_t write_free_ = 0;
};

}  // namespace gmmu::sim
