// SPDX-License-Identifier: Apache-2.0
#include "gmmu/watched_platform.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

namespace gmmu {
namespace {

constexpr size_t kPage = 4096;  // size of the parts of a block copy; the engines use smaller parts

}  // namespace

/// Forwards the accesses of a GPU's clients to the machine, forwards the responses to the clients,
/// and reports the responses to the watcher.
class WatchedPlatform::Told : public hw::ClientAccesses {
 public:
  Told(unsigned unit, Watcher& watcher) : unit_(unit), watcher_(watcher) {}
  /// Replaces the source of accesses. Responses to accesses of the previous source are no longer
  /// reported.
  void Renew(hw::ClientAccesses* accesses) {
    if (accesses != accesses_) under_way_.clear();
    accesses_ = accesses;
  }

  uint64_t Due(unsigned client) override { return accesses_->Due(client); }
  hw::ClientRequest Take(unsigned client, uint64_t cycle) override {
    const hw::ClientRequest request = accesses_->Take(client, cycle);
    under_way_.emplace(std::make_pair(client, request.tag), request);
    return request;
  }
  void Answered(unsigned client, const hw::ClientAnswer& answer) override {
    const auto found = under_way_.find({client, answer.tag});
    if (found != under_way_.end()) {
      const hw::ClientRequest& request = found->second;
      watcher_.Answered({request.va, answer.requested, answer.answered, client, request.bytes,
                         static_cast<uint8_t>(request.access), static_cast<uint8_t>(answer.fault),
                         static_cast<uint8_t>(unit_)});
      under_way_.erase(found);
    }
    accesses_->Answered(client, answer);
  }

 private:
  struct Hash {
    size_t operator()(const std::pair<unsigned, uint64_t>& key) const {
      return std::hash<uint64_t>()(key.second * 64 + key.first);
    }
  };
  const unsigned unit_;
  Watcher& watcher_;
  hw::ClientAccesses* accesses_ = nullptr;
  /// Keyed by client and tag. Accesses with the same client and tag may complete in any order, so
  /// their responses cannot be distinguished.
  std::unordered_multimap<std::pair<unsigned, uint64_t>, hw::ClientRequest, Hash> under_way_;
};

WatchedPlatform::WatchedPlatform(hw::Platform& platform, Watcher& watcher)
    : p_(platform), i_(*platform.instruments()), watcher_(watcher) {}

WatchedPlatform::~WatchedPlatform() = default;

void WatchedPlatform::DriveClients(unsigned unit, hw::ClientAccesses* accesses) {
  while (told_.size() <= unit) told_.push_back(std::make_unique<Told>(static_cast<unsigned>(told_.size()), watcher_));
  told_[unit]->Renew(accesses);
  i_.DriveClients(unit, accesses == nullptr ? nullptr : told_[unit].get());
}

uint64_t WatchedPlatform::MmioRead(uint64_t address, unsigned size) {
  const uint64_t value = p_.MmioRead(address, size);
  watcher_.Look();
  return value;
}

void WatchedPlatform::MmioWrite(uint64_t address, unsigned size, uint64_t value) {
  p_.MmioWrite(address, size, value);
  watcher_.Look();
}

void WatchedPlatform::MmioReadBlock(uint64_t address, void* to, size_t size) {
  for (size_t done = 0; done < size;) {
    const size_t piece = std::min(size - done, kPage - (address + done) % kPage);
    p_.MmioReadBlock(address + done, static_cast<uint8_t*>(to) + done, piece);
    watcher_.Look();
    done += piece;
  }
}

void WatchedPlatform::MmioWriteBlock(uint64_t address, const void* from, size_t size) {
  for (size_t done = 0; done < size;) {
    const size_t piece = std::min(size - done, kPage - (address + done) % kPage);
    p_.MmioWriteBlock(address + done, static_cast<const uint8_t*>(from) + done, piece);
    watcher_.Look();
    done += piece;
  }
}

uint32_t WatchedPlatform::ConfigRead(hw::Bdf bdf, uint16_t offset, unsigned size) {
  const uint32_t value = p_.ConfigRead(bdf, offset, size);
  watcher_.Look();
  return value;
}

void WatchedPlatform::ConfigWrite(hw::Bdf bdf, uint16_t offset, unsigned size, uint32_t value) {
  p_.ConfigWrite(bdf, offset, size, value);
  watcher_.Look();
}

bool WatchedPlatform::WaitForMessage(uint64_t bound_ns) {
  while (true) {
    const uint64_t now = std::min(bound_ns, watcher_.LongestWaitNs());
    const bool came = p_.WaitForMessage(now);
    watcher_.Look();
    if (came) return true;
    bound_ns -= now;
    if (bound_ns == 0) return false;
  }
}

}  // namespace gmmu
