// SPDX-License-Identifier: Apache-2.0
#include "os/hal/vtd/invalidation_queue.h"

#include "os/base/errors.h"
#include "os/hal/vtd/second_stage.h"
#include "os/base/text.h"

namespace gmmu::os::vtd {
namespace {
constexpr uint64_t kQueueEntries = 256;
}

void InvalidationQueue::Enable() {
  if (pfn_ == 0) Start();
  Submit({{1u | 1u << 4, 0}, {2u | 1u << 4 | 3u << 6, 0}});  // global, context cache then IOTLB
}

void InvalidationQueue::Start() {
  pfn_ = SecondStage::NewTable(registers_.hal(), pages_, "IOMMU invalidation queue");
  status_pfn_ = SecondStage::NewTable(registers_.hal(), pages_, "IOMMU wait status");
  registers_.Write64(kIqt, 0);
  registers_.Write64(kIqa, pfn_ * hw::kPageSize);
  tail_ = 0;
  error_.clear();
  registers_.Command(kQie, true);
}

void InvalidationQueue::Disable() { registers_.Command(kQie, false); }

void InvalidationQueue::FreePages() {
  pages_.Free(pfn_);
  pages_.Free(status_pfn_);
  pfn_ = 0;
}

void InvalidationQueue::Submit(const std::vector<Descriptor>& descriptors) {
  if (pfn_ == 0) return;  // a unit that is off has no cached entries
  Require();
  const uint32_t slot = next_status_++ % 1024;
  const uint64_t status = status_pfn_ * hw::kPageSize + 4 * slot;
  const uint32_t done = next_status_;
  const Ledger::Ticket ticket = ledger_.Open("invalidation", "status " + std::to_string(done), "iommu",
                                             "queued invalidation");
  uint32_t tail = tail_;
  auto put = [&](const Descriptor& descriptor) {
    const uint64_t at = pfn_ * hw::kPageSize + 16 * uint64_t{tail};
    registers_.WriteEntry(at, descriptor.low);
    registers_.WriteEntry(at + 8, descriptor.high);
    tail = (tail + 1) % kQueueEntries;
  };
  for (const Descriptor& descriptor : descriptors) put(descriptor);
  // A wait descriptor with status write and fence.
  put({5u | 1u << 5 | 1u << 6 | uint64_t{done} << 32, status});
  tail_ = tail;
  registers_.Write64(kIqt, uint64_t{tail} << 4);
  if (forget_()) return;
  auto answered = [&] {
    uint32_t value = 0;
    if (!error_.empty()) return true;
    return registers_.hal().ram().Read(status, &value, sizeof value) && value == done;
  };
  registers_.hal().scheduler().Wait(answered, kBoundNs, "the IOMMU's invalidation wait descriptor", kPollNs);
  Require();
  ledger_.Close(ticket);
}

void InvalidationQueue::Require() const {
  if (!error_.empty()) throw OsError(error_);
}

// A stopped queue completes no invalidation, so pages cannot be reused safely. Every call that
// waits for the queue therefore throws, which ends the run.
void InvalidationQueue::OnError() {
  const uint64_t at = registers_.Read64(kIqh);
  const uint64_t address = pfn_ * hw::kPageSize + at;
  error_ = "the IOMMU stopped its invalidation queue, IQERCD " + Hex(Field(registers_.Read64(kIqercd), 3, 0)) +
           ", at the descriptor " + std::to_string(at / 16) + " (tail " + std::to_string(registers_.Read64(kIqt) / 16) +
           "): " + Hex(registers_.ReadEntry(address)) + " " + Hex(registers_.ReadEntry(address + 8));
  registers_.Write32(kGcmd, registers_.Read32(kGsts) & kLevelBits & ~kQie);
  registers_.Write32(kFsts, kIqe);
}

}  // namespace gmmu::os::vtd
