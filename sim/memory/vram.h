// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <sys/mman.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <vector>

namespace gmmu::sim {

/// Timing of the memory behind the GPU's VRAM port, in GPU cycles.
struct VramParameters {
  uint64_t bytes = 64u << 20;
  unsigned latency_cycles = 100;     ///< from AR to the first R beat, and
                                     ///< from the last W beat to the B response
  unsigned beats_per_cycle_num = 1;  ///< bandwidth in each direction: num beats per den cycles, num <= den
  unsigned beats_per_cycle_den = 1;
  unsigned outstanding = 64;  ///< bursts in flight in each direction; at least 1
};

/// The contents of VRAM, all zero at power-on. Untouched pages take no host memory.
class VramCore {
 public:
  /// Called with the new bytes before `size` bytes at `address` are written. The range contains no bytes whose strobe
  /// is 0.
  using WriteHook = std::function<void(uint64_t address, const uint8_t* from, size_t size)>;

  /// Throws std::runtime_error if the host cannot provide the memory.
  explicit VramCore(uint64_t bytes);

  uint64_t size() const { return size_; }
  bool Inside(uint64_t address, uint64_t size) const { return address <= size_ && size <= size_ - address; }

  /// Return false, without a transfer or a hook call, unless [address, address + size) lies inside VRAM.
  [[nodiscard]] bool Read(uint64_t address, void* to, size_t size) const;
  [[nodiscard]] bool Write(uint64_t address, const void* from, size_t size);
  /// Writes byte i of `from` if bit i of `strobe` is set; `size` is at most 64. Each run of set bits calls the hooks
  /// once.
  [[nodiscard]] bool WriteStrobed(uint64_t address, const void* from, size_t size, uint64_t strobe);

  /// Hooks run in the order in which they were added. They must not write to this VRAM except
  /// through FlipBit.
  void AddWriteHook(WriteHook hook) { hooks_.push_back(std::move(hook)); }

  /// Simulates a power loss by changing the value of every byte. Hooks are called for touched pages
  /// only.
  void LosePower();

  /// Injects an error for tests: inverts bit `bit` (0..7) of a byte, without calling hooks.
  [[nodiscard]] bool FlipBit(uint64_t address, unsigned bit);

  const uint8_t* data() const { return bytes_.get(); }
  /// Returns a pointer to the contents, for writes that bypass Write and the hooks. All pages then
  /// count as touched.
  uint8_t* Open() {
    if (untouched_ != 0) Touch(0, size_);
    touched_.assign(touched_.size(), true);
    return bytes_.get();
  }
  /// Makes the host allocate the untouched pages of a range, by storing to them; their contents do
  /// not change. Write calls it before the hooks read the old bytes, so that the host takes one
  /// page fault per page instead of two.
  void Touch(uint64_t address, uint64_t size) {
    for (uint64_t page = address / kPage; size != 0 && page <= (address + size - 1) / kPage; ++page) {
      if (touched_[page]) continue;
      touched_[page] = true;
      uint8_t* const at = bytes_.get() + page * kPage;
      if (untouched_ != 0) std::memset(at, untouched_, kPage);
      else const_cast<volatile uint8_t*>(at)[0] = 0;
    }
  }

 private:
  struct Unmap {
    uint64_t bytes;
    void operator()(uint8_t* p) const { munmap(p, bytes); }
  };
  static constexpr uint64_t kPage = 4096;  // page size of the host

  uint64_t size_;
  std::unique_ptr<uint8_t[], Unmap> bytes_;  // whole host pages, allocated when touched
  std::vector<bool> touched_;                ///< pages that may have been written
  uint8_t untouched_ = 0;                    ///< value of every byte in untouched pages
  std::vector<WriteHook> hooks_;
};

/// Computes when VRAM bursts finish: a fixed latency, then one data bus in each direction. The cycles passed to
/// successive calls must not decrease.
class VramTiming {
 public:
  struct Beats {
    uint64_t first = 0;  ///< cycle of the first beat
    uint64_t last = 0;   ///< cycle of the last beat
  };

  /// Throws std::invalid_argument if a parameter is out of range.
  explicit VramTiming(const VramParameters& parameters);

  /// Return the cycles in which the `beats` (> 0) beats of a burst are transferred. `cycle` is the
  /// cycle in which the read's address or the write's last data beat was accepted. Bursts in one
  /// direction are served in call order. A write's B response is due at `last + latency_cycles`.
  Beats Read(uint64_t cycle, unsigned beats) { return Reserve(read_free_, cycle + parameters_.latency_cycles, beats); }
  Beats Write(uint64_t cycle, unsigned beats) { return Reserve(write_free_, cycle, beats); }

  const VramParameters& parameters() const { return parameters_; }

 private:
  Beats Reserve(uint64_t& free, uint64_t earliest, unsigned beats);

  const VramParameters parameters_;
  uint64_t read_free_ = 0;  ///< in units of 1/num cycle
  uint64_t write_free_ = 0;
};

}  // namespace gmmu::sim
