// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>

#include "kmd/own_memory.h"
#include "kmd/progress.h"
#include "kmd/registers.h"

namespace gmmu::kmd {

/// One submission to the ring.
struct Submission {
  uint64_t address = 0;  ///< logical address or GPU VA of the commands, 8-byte aligned
  uint32_t bytes = 0;    ///< multiple of 8; 0: the submission only signals its fence
  uint32_t fence = 0;
  std::optional<uint32_t> space = std::nullopt;  ///< space of a virtual address; nullopt: system memory
  uint64_t buffer = 0;                           ///< address of the first byte of the system's buffer
  uint32_t skipped = 0;                          ///< bytes executed before a preemption
  Progress* progress = nullptr;                  ///< KeepProgress writes it; outlives the entry
  bool interrupt = true;                         ///< the hardware raises an interrupt at the end
};

/// A ring of submissions: one page of entries and one fence record.
///
/// Entries complete in order. When an entry completes, the hardware writes its fence id to the
/// fence record and raises an interrupt.
class Ring {
 public:
  /// One page holds 2^kSizeLg2 entries of 32 bytes.
  static constexpr uint32_t kSizeLg2 = 7;
  static constexpr uint32_t kEntries = 1u << kSizeLg2;

  /// Programs ring `index` and starts it empty. The memory must stay valid while the ring is used.
  /// A privileged ring may use physical addresses and table commands. Fences up to `completed`
  /// count as completed.
  void Start(const Registers& registers, uint32_t index, bool privileged, const OwnMemory& entries,
             const OwnMemory& fence, uint32_t completed);
  /// Makes the hardware abandon the current command when all accesses in flight have completed.
  /// Returns STATUS_IO_TIMEOUT if the ring has not stopped after `polls` reads of its status
  /// register.
  NTSTATUS Stop(uint32_t polls = Registers::kPolls);

  /// Requests a stop before the next command. The hardware sends an interrupt when it has stopped.
  void Preempt();

  /// Writes an entry and rings the doorbell. Returns STATUS_INVALID_PARAMETER for a misaligned
  /// buffer, and STATUS_IO_TIMEOUT if the ring is full and no entry completes within the driver's
  /// time limit.
  [[nodiscard]] NTSTATUS Submit(const Submission& submission);

  /// Fence id of the most recently completed entry, read from memory. Before any entry has
  /// completed, it is the `completed` argument of Start.
  uint32_t CompletedFence() const;
  /// Records how much of each uncompleted submission has been executed. Call before Stop and Start.
  /// The preempted submission has been executed up to the command at which the hardware stopped;
  /// the later submissions have made no progress.
  void KeepProgress() const;
  uint32_t submitted_fence() const { return submitted_fence_; }
  bool idle() const { return CompletedFence() == submitted_fence_; }
  /// Waits until all submissions have completed; returns false on a timeout.
  [[nodiscard]] bool WaitIdle() const;
  /// Waits until the hardware has fetched and completed all entries, including those that repeat an
  /// old fence id.
  [[nodiscard]] bool WaitTaken() const;

  regs::RingStatus Status() const { return registers_.Read<regs::RingStatus>(block_); }
  regs::RingErrorCommand ErrorCommand() const { return registers_.Read<regs::RingErrorCommand>(block_); }
  regs::RingErrorAddress ErrorAddress() const { return registers_.Read<regs::RingErrorAddress>(block_); }

  /// True if fence id a is newer than b, even across a wrap.
  static bool Newer(uint32_t a, uint32_t b) { return static_cast<int32_t>(a - b) > 0; }

 private:
  Registers registers_;
  uint32_t block_ = 0;
  volatile uint64_t* entries_ = nullptr;
  volatile uint64_t* record_ = nullptr;
  uint32_t tail_ = 0;
  uint32_t head_ = 0;  ///< value that was read last
  uint32_t submitted_fence_ = 0;
  bool privileged_ = false;
  Submission submissions_[kEntries] = {};
};

}  // namespace gmmu::kmd
