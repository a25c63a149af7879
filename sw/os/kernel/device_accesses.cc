// SPDX-License-Identifier: Apache-2.0
#include "os/kernel/device_accesses.h"

#include <sys/mman.h>
#include <ucontext.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <utility>

#include "os/kernel/access_decoder.h"
#include "os/guard/driver_guard.h"
#include "os/kernel/kernel.h"

// A trapped device access is executed in these steps; each arrow is a signal:
//
//   driver's instruction --fault--> Begin (reads the device) --raise--> the same instruction,
//     single-stepped --trap--> End (writes the device) --raise--> next instruction
//
// Begin and End may advance simulated time and let other threads run. They therefore run on the
// driver's stack, below its red zone, and not in the signal handler. Meanwhile, an Access object
// holds the driver's registers.

namespace gmmu::os {
namespace {

constexpr uint64_t kRedZone = 128;
constexpr greg_t kTrapFlag = 0x100, kDirectionFlag = 0x400;
constexpr greg_t kWriteFault = 2;      // write bit of a page fault's error code
constexpr size_t kMostState = 12'288;  // largest floating-point state of current processors
constexpr size_t kMostBytes = 64;
constexpr uintptr_t kPage = 4096;

struct alignas(64) Access {
  std::array<uint8_t, kMostState> state;
  size_t state_bytes;
  gregset_t registers;
  uint8_t* address;
  DecodedAccess decoded;
  bool in_use;
  std::array<uint8_t, kMostBytes> data;
};

// The signal handlers access these variables on the interrupted thread.
Kernel* kernel = nullptr;
std::array<Access, 16> accesses;  // one per access in progress; each thread can have one
Access* stepping = nullptr;       // the access whose instruction is being single-stepped
Access* resumed = nullptr;        // the access to resume at the next raised SIGTRAP
bool resumed_steps = false;

size_t StateBytes(const ucontext_t& context) {
  constexpr size_t kLegacy = 512, kSoftware = 464;
  // FP_XSTATE_MAGIC1. The next word contains the size of the whole state.
  constexpr uint32_t kExtended = 0x46505853;
  std::array<uint32_t, 2> words{};
  std::memcpy(words.data(), reinterpret_cast<const uint8_t*>(context.uc_mcontext.fpregs) + kSoftware, sizeof words);
  return words[0] == kExtended ? words[1] : kLegacy;
}

/// Makes the pages of the access accessible or inaccessible.
void Open(const Access& access, bool open) {
  const auto at = reinterpret_cast<uintptr_t>(access.address), first = at / kPage * kPage;
  const uintptr_t end = (at + access.decoded.bytes + kPage - 1) / kPage * kPage;
  mprotect(reinterpret_cast<void*>(first), end - first, open ? PROT_READ | PROT_WRITE : PROT_NONE);
}

void Keep(const ucontext_t& context, Access& access) {
  access.state_bytes = StateBytes(context);
  std::memcpy(access.state.data(), context.uc_mcontext.fpregs, access.state_bytes);
  std::memcpy(access.registers, context.uc_mcontext.gregs, sizeof access.registers);
}

/// Makes `context` resume at the beginning of `function(access)`.
void Enter(ucontext_t& context, void (*function)(Access*), Access& access) {
  auto& registers = context.uc_mcontext.gregs;
  const uint64_t stack = ((static_cast<uint64_t>(registers[REG_RSP]) - kRedZone) & ~uint64_t{63}) - sizeof(uint64_t);
  *reinterpret_cast<uint64_t*>(stack) = 0;  // return address 0: the function never returns
  registers[REG_RSP] = static_cast<greg_t>(stack);
  registers[REG_RDI] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(&access));
  registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(function));
  registers[REG_EFL] &= ~(kTrapFlag | kDirectionFlag);
}

/// Resumes the driver with the registers that the access has saved. If `step` is true, the driver
/// executes a single instruction.
[[noreturn]] void Resume(Access& access, bool step) {
  resumed_steps = step;
  resumed = &access;
  raise(SIGTRAP);
  std::abort();
}

/// Splits the access into aligned device accesses of at most 8 bytes, and calls `piece` for each.
template <typename Piece>
void InPieces(uint64_t physical, unsigned bytes, const Piece& piece) {
  for (unsigned done = 0; done < bytes;) {
    unsigned size = sizeof(uint64_t);
    while ((physical + done) % size != 0 || size > bytes - done) size /= 2;
    piece(done, size);
    done += size;
  }
}

uint64_t Where(const Access& access) { return kernel->mmio().Resolve(access.address, access.decoded.bytes); }

void CheckTime() {
  DriverGuard::CheckTime(kernel->hal().NowNs(), DriverGuard::kBoundNs * kernel->parameters().wait_scale);
}

/// Runs `work` for an access. If `work` throws, the driver's call ends with that exception.
template <typename Work>
auto Do(Access& access, const Work& work) {
  try {
    return work();
  } catch (...) {
    access.in_use = false;
    DriverGuard::Abandon(std::current_exception());
  }
}

void Begin(Access* access) {
  const bool write = (access->registers[REG_ERR] & kWriteFault) != 0;
  const auto decoded =
      Do(*access, [&] { return DecodeAccess(access->registers, reinterpret_cast<uintptr_t>(access->address), write); });
  if (!decoded) {
    access->in_use = false;
    DriverGuard::Blame(access->address, reinterpret_cast<const void*>(access->registers[REG_RIP]), write);
  }
  access->decoded = *decoded;
  access->data = {};
  Do(*access, [&] {
    const uint64_t physical = Where(*access);
    if (!decoded->reads) return;
    CheckTime();
    InPieces(physical, decoded->bytes, [&](unsigned at, unsigned size) {
      const uint64_t value = kernel->hal().Read(physical + at, size);
      std::memcpy(access->data.data() + at, &value, size);
    });
  });
  Open(*access, true);
  std::memcpy(access->address, access->data.data(), decoded->bytes);
  stepping = access;
  Resume(*access, true);
}

void End(Access* access) {
  Do(*access, [&] {
    const uint64_t physical = Where(*access);
    InPieces(physical, access->decoded.bytes, [&](unsigned at, unsigned size) {
      uint64_t value = 0;
      std::memcpy(&value, access->data.data() + at, size);
      kernel->hal().Write(physical + at, size, value);
    });
  });
  access->in_use = false;
  Resume(*access, false);
}

bool TakeFault(void* address, ucontext_t& context) {
  if (Access* const access = std::exchange(stepping, nullptr); access != nullptr) {
    // The stepped instruction faulted at a second access. Treat this as an ordinary fault.
    Open(*access, false);
    access->in_use = false;
    context.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
    return false;
  }
  if (!kernel->mmio().Contains(address) || StateBytes(context) > kMostState) return false;
  for (Access& access : accesses) {
    if (access.in_use) continue;
    access.in_use = true;
    access.address = static_cast<uint8_t*>(address);
    Keep(context, access);
    Enter(context, Begin, access);
    return true;
  }
  return false;
}

bool TakeTrap(ucontext_t& context) {
  if (Access* const access = std::exchange(resumed, nullptr); access != nullptr) {
    std::memcpy(context.uc_mcontext.fpregs, access->state.data(), access->state_bytes);
    std::memcpy(context.uc_mcontext.gregs, access->registers, sizeof access->registers);
    if (resumed_steps) context.uc_mcontext.gregs[REG_EFL] |= kTrapFlag;
    return true;
  }
  Access* const access = std::exchange(stepping, nullptr);
  if (access == nullptr) return false;
  context.uc_mcontext.gregs[REG_EFL] &= ~kTrapFlag;
  std::memcpy(access->data.data(), access->address, access->decoded.bytes);
  Open(*access, false);
  if (!access->decoded.writes) {
    access->in_use = false;
    return true;
  }
  Keep(context, *access);
  Enter(context, End, *access);
  return true;
}

}  // namespace

DeviceAccesses::DeviceAccesses(Kernel& of) {
  kernel = &of;
  for (Access& access : accesses) access.in_use = false;
  DriverGuard::SetDeviceAccess(Take);
}

DeviceAccesses::~DeviceAccesses() {
  DriverGuard::SetDeviceAccess(nullptr);
  kernel = nullptr;
}

bool DeviceAccesses::Take(int signal, const siginfo_t* info, void* context) {
  auto& of = *static_cast<ucontext_t*>(context);
  if (signal == SIGSEGV) return TakeFault(info->si_addr, of);
  return signal == SIGTRAP && TakeTrap(of);
}

}  // namespace gmmu::os
