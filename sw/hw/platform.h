// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "hw/host_ram.h"

namespace gmmu::hw {

/// PCI bus, device, function.
struct Bdf {
  uint8_t bus = 0;
  uint8_t device = 0;
  uint8_t function = 0;
  uint16_t requester_id() const { return static_cast<uint16_t>(bus << 8 | device << 3 | function); }
  std::string ToString() const;  // "01:00.0"
};

/// A message-signalled interrupt as received by the CPU: a write of `data` to 0xFEExxxxx.
struct Message {
  uint64_t address = 0;
  uint32_t data = 0;
};

/// The tables in which firmware describes the machine to the operating system.
struct FirmwareTables {
  std::vector<Range> ram;              ///< installed RAM that the operating system may use
  std::optional<Range> gpu_reserved;   ///< installed RAM that firmware reserves for the GPU
  std::optional<uint64_t> iommu_base;  ///< base of the VT-d unit's registers (DMAR); absent: no IOMMU
  unsigned gpus = 1;                   ///< GPU functions: 01:00.0, 02:00.0, ...
  uint64_t gpu_sizes_in_use = 0;       ///< value for register sizes_in_use; 0: the driver does not write it
  uint16_t gpu_vendor = 0;
  uint16_t gpu_device = 0;
};

/// A counter in a report. `name` is snake_case and unique in its block; description and unit are never empty.
struct Counter {
  std::string block;
  std::string name;
  uint64_t value = 0;
  std::string unit;
  std::string description;
  bool known = true;  ///< false: the engine does not count this, and `value` is 0
};

/// An error that the translation checker or another probe found. A run with a finding has failed.
struct Finding {
  std::string probe;  ///< "translation", "bus", ...
  std::string text;
};

/// Request counts for one device, from the bus monitor on the device's side of the root complex.
struct BusCounts {
  uint64_t reads = 0;
  uint64_t writes = 0;
  uint64_t messages = 0;
  uint64_t total() const { return reads + writes + messages; }
};

/// An access that a device makes although no software requested it: a read or write of 8 bytes, or an interrupt message
/// of 4 bytes.
enum class Stray : uint8_t { kRead, kWrite, kMessage };

/// A hardware resource that is in use: it was allocated and has not been freed yet.
struct InUse {
  std::string kind;  ///< "rtl_slot" (work under way in the GPU), "bus_slot" (a burst at its edge), "pcie_tag"
  std::string name;  ///< name of the resource, or how many there are
};

class ClientAccesses;
class DeviceAccess;

/// Observes the machine and injects faults. No real machine has such an interface.
class Instruments {
 public:
  virtual ~Instruments() = default;
  virtual std::vector<Counter> Counters() = 0;
  virtual std::vector<Finding> Findings() = 0;
  /// Counts the requests that the device has put on the bus since reset.
  virtual BusCounts BusAccesses(Bdf device) = 0;
  /// Counts the accesses by any device to a host physical page (after the IOMMU), to prove that devices are silent.
  /// Counting starts at the first call for the page.
  virtual uint64_t PageAccesses(uint64_t pfn) = 0;
  /// Records that host physical pages [first, first + count) now have an owner, or have none. After the first call, a
  /// device's access (after the IOMMU) to a page without an owner is a finding.
  virtual void NotePages(uint64_t first, uint64_t count, bool owned) = 0;
  /// Informs the checker that the operating system now regards [start, end) of `space` of GPU `unit` as flushed (0, ~0:
  /// the whole space). From here on the checker requires new translations, regardless of what the hardware did.
  virtual void NoteFlush(unsigned unit, unsigned space, uint64_t start, uint64_t end) = 0;
  /// Cycles counts the GPU's clock edges since the end of reset, CyclesEvaluated those that the engine evaluated.
  virtual uint64_t Cycles() = 0;
  virtual uint64_t CyclesEvaluated() = 0;
  /// Lists the hardware resources in use now. The list must be empty at power-off.
  virtual std::vector<InUse> ResourcesInUse() = 0;
  /// Makes the client ports of GPU `unit` perform these accesses (hw/client_accesses.h) instead of earlier ones; null
  /// stops them. A second call with the same object makes the machine call Due for every client again. Responses to
  /// earlier accesses are dropped. While a client's traffic engine runs, the client performs none of these accesses. A
  /// GPU reset ends them.
  virtual void DriveClients(unsigned unit, ClientAccesses* accesses) = 0;
  /// Deliberate fault: client 0 of GPU `unit` reads 64 bytes at `va` in `space` and the response is never accepted, so
  /// its slot stays in use. Afterwards the client's traffic engine cannot run.
  virtual void LoseAnswer(unsigned unit, unsigned space, uint64_t va) = 0;
  /// Deliberate fault: the device sends an access to bus address `address` through its port although no software
  /// requested it; the access is then handled like any other. `data` is for a write or message; a read's data is
  /// dropped.
  virtual void StrayAccess(Bdf device, Stray kind, uint64_t address, uint32_t data = 0) = 0;
  /// Takes GPU `unit` out of its slot. From here on its configuration and its registers read as all ones, writes are
  /// dropped, and it issues no request and no message.
  virtual void Unplug(unsigned unit) = 0;
  virtual bool InSlot(unsigned unit) = 0;
  /// Deliberate fault: delays the responses to GPU `unit`'s reads of the 4 KiB page at bus address `address` until
  /// `until_ns` (on the clock of NowNs). Dependent work is delayed too. Only one page is held at a time.
  virtual void HoldReads(unsigned unit, uint64_t address, uint64_t until_ns) = 0;
  /// Access to the memory of a machine without client ports (hw/device_access.h), or null if the machine has ports.
  virtual DeviceAccess* device_access() { return nullptr; }
};

/// Software's only interface to the machine. It offers the functions of a CPU, its chipset and firmware.
///
/// Only calls that touch the machine take simulated (or real) time, and only they let other software run. All addresses
/// are host physical. An engine implements this interface; tests use RecordingPlatform (hw/recording.h).
class Platform {
 public:
  virtual ~Platform() = default;

  virtual const FirmwareTables& firmware() const = 0;
  virtual HostRam& ram() = 0;

  /// Access a device or the IOMMU uncached; `size` is 1, 2, 4 or 8, and the address naturally aligned. An undecoded
  /// address reads all ones; a write there is dropped.
  virtual uint64_t MmioRead(uint64_t address, unsigned size) = 0;
  virtual void MmioWrite(uint64_t address, unsigned size, uint64_t value) = 0;
  /// Block copies through write-combining. Address and size must be 8-byte aligned. The copies stay in order with other
  /// accesses.
  virtual void MmioReadBlock(uint64_t address, void* to, size_t size) = 0;
  virtual void MmioWriteBlock(uint64_t address, const void* from, size_t size) = 0;

  /// Access PCI configuration space; `size` is 1, 2 or 4. A function that does not exist reads all ones.
  virtual uint32_t ConfigRead(Bdf bdf, uint16_t offset, unsigned size) = 0;
  virtual void ConfigWrite(Bdf bdf, uint16_t offset, unsigned size, uint32_t value) = 0;

  /// Removes and returns the oldest pending interrupt message, or nullopt if none is pending.
  virtual std::optional<Message> TakeMessage() = 0;
  /// Lets time pass until a message is pending (true) or `bound_ns` nanoseconds have passed (false).
  virtual bool WaitForMessage(uint64_t bound_ns) = 0;
  /// Returns the nanoseconds since power-on, in the machine's time.
  virtual uint64_t NowNs() = 0;

  /// Returns the machine's instruments, or null on a platform without instruments.
  virtual Instruments* instruments() { return nullptr; }
};

}  // namespace gmmu::hw
