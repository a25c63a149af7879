// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "hw/platform.h"

namespace gmmu::hw {

/// A fake machine for unit tests. It responds as programmed and logs every access.
///
/// The machine contains RAM, GPU functions (each with a configuration header, BAR0 registers and a
/// BAR2 window onto VRAM) and address ranges that the test's handlers serve. Functions without a
/// unit argument address GPU 0. A BAR0 register holds the last value written, unless a handler
/// covers it. Time advances by a fixed step with each call that accesses the machine.
class RecordingPlatform : public Platform {
 public:
  struct Options {
    std::vector<Range> ram{{0, 64u << 20}};
    std::optional<uint64_t> iommu_base;  ///< IOMMU base that firmware reports; the test maps a handler there
    Bdf gpu{1, 0, 0};                    ///< requester id of GPU 0; the other GPUs are on the following buses
    unsigned gpus = 1;
    uint16_t vendor = 0x1234;
    uint16_t device = 0x474D;
    uint32_t bar0_bytes = 64u << 10;
    uint32_t bar2_bytes = 64u << 20;
    uint64_t vram_bytes = 16u << 20;
    uint32_t window_base_register = 0x38;  ///< BAR0 offset of the register that holds the window's VRAM address
    uint64_t step_ns = 10;                 ///< time that each call takes
  };

  enum class Kind : uint8_t {
    kMmioRead,
    kMmioWrite,
    kBlockRead,
    kBlockWrite,
    kConfigRead,
    kConfigWrite,
    kTakeMessage,
    kWaitForMessage,
  };
  struct Access {
    Kind kind = Kind::kMmioRead;
    uint64_t address = 0;  ///< configuration accesses: requester id << 16 | offset
    uint64_t size = 0;     ///< bytes; for a wait the bound in nanoseconds
    uint64_t value = 0;    ///< value read or written (blocks: the first 8 bytes); for a wait, 1 if a message arrived
    bool operator==(const Access& other) const {
      return kind == other.kind && address == other.address && size == other.size && value == other.value;
    }
  };

  /// Responds to accesses to a range; `offset` is relative to the start of the range.
  struct Handler {
    std::function<uint64_t(uint64_t offset, unsigned size)> read;               ///< null: reads return all ones
    std::function<void(uint64_t offset, unsigned size, uint64_t value)> write;  ///< null: writes are dropped
  };

  RecordingPlatform() : RecordingPlatform(Options()) {}
  explicit RecordingPlatform(const Options& options);

  // ---- Setup by tests

  /// Passes accesses that begin in `range` (host physical) to `handler`. If several handlers cover
  /// an address, the newest one wins. Handlers take precedence over BARs.
  void OnMmio(Range range, Handler handler);
  /// Like OnMmio, but for offsets in BAR0, wherever the BAR is mapped.
  void OnRegister(Range offsets, Handler handler, unsigned unit = 0);
  /// Sets the 64-bit BAR0 register at `offset` (8-byte aligned), which no handler may cover. A
  /// register is 0 until it is set or written.
  void SetRegister(uint32_t offset, uint64_t value, unsigned unit = 0) {
    functions_[unit].registers[offset / 8] = value;
  }
  uint64_t Register(uint32_t offset, unsigned unit = 0) const;
  void PushMessage(Message message) { messages_.push_back(message); }
  /// Sets a hook that runs whenever the software waits and no message is pending. In the hook, the
  /// fake device can act and push a message.
  void OnIdle(std::function<void()> hook) { idle_ = std::move(hook); }

  // ---- Inspection by tests

  const std::vector<Access>& log() const { return log_; }
  void ClearLog() { log_.clear(); }
  /// Returns the accesses of `kind` that begin in `range`, in order.
  std::vector<Access> LogOf(Kind kind, Range range) const;
  std::vector<uint8_t>& vram(unsigned unit = 0) { return functions_[unit].vram; }
  /// Returns the address of BAR 0 or 2, or 0 if it is not assigned or memory decoding is off.
  uint64_t BarBase(unsigned bar, unsigned unit = 0) const;
  bool bus_master(unsigned unit = 0) const { return (functions_[unit].config[4] & 4) != 0; }
  Message programmed_message(unsigned unit = 0) const;  ///< the message that the MSI capability is programmed to
  bool msi_enabled(unsigned unit = 0) const { return (functions_[unit].config[kMsi + 2] & 1) != 0; }

  // ---- Platform

  const FirmwareTables& firmware() const override { return firmware_; }
  HostRam& ram() override { return ram_; }
  uint64_t MmioRead(uint64_t address, unsigned size) override;
  void MmioWrite(uint64_t address, unsigned size, uint64_t value) override;
  void MmioReadBlock(uint64_t address, void* to, size_t size) override;
  void MmioWriteBlock(uint64_t address, const void* from, size_t size) override;
  uint32_t ConfigRead(Bdf bdf, uint16_t offset, unsigned size) override;
  void ConfigWrite(Bdf bdf, uint16_t offset, unsigned size, uint32_t value) override;
  std::optional<Message> TakeMessage() override;
  bool WaitForMessage(uint64_t bound_ns) override;
  uint64_t NowNs() override { return now_ns_; }

 private:
  static constexpr unsigned kMsi = 0x50;
  struct Mapped {
    Range range;
    Handler handler;
  };

  struct Function {
    Bdf bdf;
    std::vector<uint8_t> config, config_writable;
    std::map<uint32_t, uint64_t> registers;  ///< indexed by offset / 8
    std::vector<Mapped> bar0;
    std::vector<uint8_t> vram;
    uint32_t ConfigWord(unsigned offset) const;
    uint64_t BarBase(unsigned bar) const;
    uint64_t Register(uint32_t offset) const;
  };

  static Function NewFunction(const Options& options, unsigned unit);
  Function* At(Bdf bdf);  ///< null if there is no such function
  /// Returns the function whose BAR `bar` contains the address, or null if there is none.
  Function* Holding(unsigned bar, uint64_t address);
  void Log(Kind kind, uint64_t address, uint64_t size, uint64_t value);
  static const Mapped* Find(const std::vector<Mapped>& handlers, uint64_t address);
  uint64_t Load(uint64_t address, unsigned size);
  void Store(uint64_t address, unsigned size, uint64_t value);
  uint8_t* VramAt(uint64_t address, size_t size);

  const Options options_;
  FirmwareTables firmware_;
  HostRam ram_;
  std::vector<Mapped> mmio_;
  std::vector<Function> functions_;
  std::deque<Message> messages_;
  std::function<void()> idle_;
  std::vector<Access> log_;
  uint64_t now_ns_ = 0;
};

}  // namespace gmmu::hw
