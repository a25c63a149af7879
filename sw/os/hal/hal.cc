// SPDX-License-Identifier: Apache-2.0
#include "os/hal/hal.h"

#include <sys/mman.h>

#include <utility>

#include "os/base/bug_check.h"
#include "os/base/errors.h"
#include "os/base/page_math.h"
#include "os/guard/stack_meter.h"
#include "os/base/text.h"

namespace gmmu::os {
namespace {
constexpr uint64_t kMessageAddress = 0xFEE00000;
constexpr uint32_t kFirstVector = 0x30;
constexpr uint32_t kLastVector = 0xEF;
constexpr uint64_t kReservation = uint64_t{1} << 36;  // reserves address space, not memory
}  // namespace

// StackMeter::Off runs the machine model outside the measured stack, so that only the driver's use
// is measured.
uint64_t Hal::Read(uint64_t address, unsigned size) {
  uint64_t value = 0;
  StackMeter::Off([&] {
    value = platform_.MmioRead(address, size);
    scheduler_.Seam();
  });
  return value;
}

void Hal::Write(uint64_t address, unsigned size, uint64_t value) {
  StackMeter::Off([&] {
    ram().cache().DrainWriteCombining();
    platform_.MmioWrite(address, size, value);
    scheduler_.Seam();
  });
}

void Hal::ReadBlock(uint64_t address, void* to, size_t size) {
  StackMeter::Off([&] {
    platform_.MmioReadBlock(address, to, size);
    scheduler_.Seam();
  });
}

void Hal::WriteBlock(uint64_t address, const void* from, size_t size) {
  StackMeter::Off([&] {
    ram().cache().DrainWriteCombining();
    platform_.MmioWriteBlock(address, from, size);
    scheduler_.Seam();
  });
}

uint32_t Hal::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  uint32_t value = 0;
  StackMeter::Off([&] {
    value = platform_.ConfigRead(bdf, offset, size);
    scheduler_.Seam();
  });
  return value;
}

void Hal::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  StackMeter::Off([&] {
    platform_.ConfigWrite(bdf, offset, size, value);
    scheduler_.Seam();
  });
}

void Hal::StallUntil(uint64_t end_ns) {
  for (uint64_t now = NowNs(); now < end_ns; now = NowNs()) {
    platform_.WaitForMessage(end_ns - now);
    scheduler_.Seam();
    // While the IRQL masks a pending message, WaitForMessage returns immediately. An access then
    // advances the time.
    if (NowNs() == now) ConfigRead({}, 0, sizeof(uint32_t));
  }
}

hw::Message Hal::ConnectInterrupt(std::string name, std::function<void()> isr) {
  for (uint32_t vector = kFirstVector; vector <= kLastVector; ++vector) {
    if (!vectors_.insert(vector).second) continue;
    scheduler_.ConnectInterrupt(vector, std::move(name), std::move(isr));
    return {kMessageAddress, vector};
  }
  throw OsError("no interrupt vector left for " + name);
}

void Hal::DisconnectInterrupt(const hw::Message& message) {
  vectors_.erase(message.data);
  scheduler_.DisconnectInterrupt(message.data);
}

MmioViews::MmioViews(Ledger& ledger, const Scheduler& scheduler) : ledger_(ledger), scheduler_(scheduler) {
  void* base = mmap(nullptr, kReservation, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (base == MAP_FAILED) throw OsError("the host has no address space left for register views");
  base_ = static_cast<uint8_t*>(base);
}

MmioViews::~MmioViews() { munmap(base_, kReservation); }

void* MmioViews::Map(uint64_t physical, size_t size, const std::string& owner, const std::string& created_by,
                     bool user) {
  const uint64_t lead = physical % hw::kPageSize;
  const uint64_t span = PagesOf(lead + size) * kPage;
  if (size == 0 || next_ + span + hw::kPageSize > kReservation) return nullptr;
  const uint64_t offset = next_ + lead;
  next_ += span + hw::kPageSize;  // an unmapped page between views catches overruns
  views_.emplace(offset, View{physical, size, user ? std::optional(scheduler_.process()) : std::nullopt,
                              ledger_.Open("mmio_view", Hex(physical) + "+" + Hex(size), owner, created_by)});
  return base_ + offset;
}

void MmioViews::Unmap(void* view) {
  const auto found = FindOrStop(views_, static_cast<uint8_t*>(view) - base_,
                                "unmap of a register view that does not exist");
  RequireReachable(found->second);
  ledger_.Close(found->second.ticket);
  views_.erase(found);
}

void MmioViews::RequireReachable(const View& view) const {
  if (!view.process || *view.process == scheduler_.process()) return;
  throw BugCheck("use of a user view of registers at " + Hex(view.physical) + ", which belongs to process " +
                 std::to_string(*view.process) + ", in process " + std::to_string(scheduler_.process()) +
                 ": attach to the process, or map without MapToUserMode");
}

bool MmioViews::Contains(const volatile void* pointer) const {
  const auto* byte = static_cast<const volatile uint8_t*>(pointer);
  return byte >= base_ && byte < base_ + kReservation;
}

uint64_t MmioViews::Resolve(const volatile void* pointer, size_t size) const {
  if (Contains(pointer)) {
    const uint64_t offset = static_cast<uint64_t>(static_cast<const volatile uint8_t*>(pointer) - base_);
    auto found = views_.upper_bound(offset);
    if (found != views_.begin()) {
      --found;
      const uint64_t within = offset - found->first;
      if (within < found->second.size && found->second.size - within >= size) {
        RequireReachable(found->second);
        return found->second.physical + within;
      }
    }
  }
  throw BugCheck("a register access outside of every mapped view");
}

}  // namespace gmmu::os
