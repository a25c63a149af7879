// SPDX-License-Identifier: Apache-2.0
#include "kmd/ring.h"

#include "kmd/segments.h"

namespace gmmu::kmd {
namespace {
constexpr uint32_t kEntryWords = 4;
static_assert(Ring::kEntries * kEntryWords * 8 == kPage, "the ring fills one page");
}  // namespace

void Ring::Start(const Registers& registers, uint32_t index, bool privileged, const OwnMemory& entries,
                 const OwnMemory& fence, uint32_t completed) {
  registers_ = registers;
  submitted_fence_ = completed;
  privileged_ = privileged;
  block_ = Registers::RingBlock(index);
  entries_ = entries.As<uint64_t>();
  record_ = fence.As<uint64_t>();
  tail_ = head_ = 0;
  for (Submission& submission : submissions_) submission = {};
  record_[0] = regs::FenceRecordCompletion{}.set_fence(completed).raw;

  registers_.Write(regs::RingCtrl{}, block_);
  registers_.Write(regs::RingBase{}.set_address(entries.address()).set_target(regs::Target::kSystem), block_);
  registers_.Write(regs::RingFenceAddress{}.set_address(fence.address()), block_);
  registers_.Write(regs::RingTail{}, block_);
  registers_.Write(regs::RingCtrl{}.set_size_lg2(kSizeLg2).set_privileged(privileged_).set_enable(1), block_);
}

void Ring::Preempt() {
  registers_.Write(regs::RingCtrl{}.set_size_lg2(kSizeLg2).set_privileged(privileged_).set_enable(1).set_preempt(1),
                   block_);
}

void Ring::KeepProgress() const {
  const auto status = Status();  // the fence record is up to date after this read
  const uint32_t completed = CompletedFence();
  for (const Submission& submission : submissions_) {
    if (submission.progress == nullptr || !Newer(submission.fence, completed)) continue;
    uint32_t done = submission.skipped;
    if (status.preempted() && submission.fence == status.fence())
      done += static_cast<uint32_t>(ErrorCommand().offset());
    if (done != 0) submission.progress->Keep(submission.buffer, done);
  }
}

bool Ring::WaitIdle() const {
  // The register read flushes the device's earlier writes, so check the fence record after it.
  return registers_.Poll<regs::RingStatus>([this](regs::RingStatus s) { return !s.busy() && idle(); }, block_);
}

bool Ring::WaitTaken() const {
  const auto taken = [this](regs::RingHead h) { return h.index() % kEntries == tail_; };
  const auto ended = [](regs::RingStatus s) { return !s.busy(); };
  return registers_.Poll<regs::RingHead>(taken, block_) && registers_.Poll<regs::RingStatus>(ended, block_);
}

NTSTATUS Ring::Stop(uint32_t polls) {
  registers_.Write(regs::RingCtrl{}, block_);
  const bool stopped = registers_.Poll<regs::RingStatus>([](regs::RingStatus s) { return !s.busy(); }, block_, polls);
  return stopped ? STATUS_SUCCESS : STATUS_IO_TIMEOUT;
}

NTSTATUS Ring::Submit(const Submission& submission) {
  if (submission.address % 8 != 0 || submission.bytes % 8 != 0) return STATUS_INVALID_PARAMETER;

  const uint32_t next = (tail_ + 1) % kEntries;
  if (next == head_) {
    const bool room = registers_.Poll<regs::RingHead>(
        [&](regs::RingHead h) {
          head_ = static_cast<uint32_t>(h.index()) % kEntries;
          return next != head_;
        },
        block_);
    if (!room) return STATUS_IO_TIMEOUT;
  }

  volatile uint64_t* entry = entries_ + size_t{tail_} * kEntryWords;
  entry[regs::RingEntryBuffer::kOffset / 8] = regs::RingEntryBuffer{}.set_address(submission.address).raw;
  entry[regs::RingEntryShape::kOffset / 8] = regs::RingEntryShape{}
                                                 .set_bytes(submission.bytes)
                                                 .set_physical(!submission.space)
                                                 .set_space(submission.space.value_or(0))
                                                 .set_target(regs::Target::kSystem)
                                                 .set_irq(submission.interrupt)
                                                 .raw;
  entry[regs::RingEntryCompletion::kOffset / 8] = regs::RingEntryCompletion{}.set_fence(submission.fence).raw;
  entry[regs::RingEntrySoftware::kOffset / 8] = 0;

  submissions_[tail_] = submission;
  tail_ = next;
  submitted_fence_ = submission.fence;
  registers_.Write(regs::RingTail{}.set_index(tail_), block_);
  return STATUS_SUCCESS;
}

uint32_t Ring::CompletedFence() const {
  regs::FenceRecordCompletion record;
  record.raw = record_[0];
  return static_cast<uint32_t>(record.fence());
}

}  // namespace gmmu::kmd
