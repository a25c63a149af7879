// SPDX-License-Identifier: Apache-2.0
// Adapts the VT-d unit to the Remapper interface.
#include "iommu/vtd/remapper.h"

#include "iommu/vtd/core.h"

namespace gmmu::sim {

VtdParameters VtdParametersOf(const RemapperParameters& of) {
  VtdParameters p;
  p.caching_mode = of.caches_refusals;
  p.rwbf = of.write_buffer;
  p.pages_2m = of.largest_page_lg2 >= 21;
  p.pages_1g = of.largest_page_lg2 >= 30;
  p.num_fault_records = of.fault_records;
  p.context_entries = of.device_entries;
  p.iotlb_sets = of.tlb_sets;
  p.iotlb_ways = of.tlb_ways;
  p.psc_entries = of.table_entries;
  p.interrupt_remapping = of.interrupt_remapping;
  return p;
}

namespace {

VtdRequest RequestOf(const RemapRequest& of) {
  return {of.requester, of.logical, of.write,
          of.translated ? VtdAddressType::kTranslated : VtdAddressType::kUntranslated, of.data};
}

class VtdRemapper : public Remapper {
 public:
  explicit VtdRemapper(const RemapperParameters& parameters) : core_(VtdParametersOf(parameters)) {}

  void set_message_sink(const MessageSink& sink) override { core_.set_message_sink(sink); }
  uint64_t ReadRegister(uint32_t offset, unsigned size) const override { return core_.ReadRegister(offset, size); }
  void WriteRegister(uint32_t offset, unsigned size, uint64_t value) override {
    core_.WriteRegister(offset, size, value);
  }

  RemapWalk Lookup(const RemapRequest& request) override {
    if (free_.empty()) {
      free_.push_back(static_cast<uint32_t>(walks_.size()));
      walks_.emplace_back();
    }
    RemapWalk walk;
    walk.request = request;
    walk.slot = free_.back();
    free_.pop_back();
    walks_[walk.slot] = core_.Lookup(RequestOf(request));
    Show(walk);
    return walk;
  }
  void Feed(RemapWalk& walk, bool ok, uint64_t low, uint64_t high) override {
    core_.Feed(walks_[walk.slot], ok, low, high);
    Show(walk);
  }
  void Restart(RemapWalk& walk) override {
    core_.Restart(walks_[walk.slot]);
    Show(walk);
  }
  void Finish(const RemapWalk& walk) override {
    core_.Finish(walks_[walk.slot]);
    free_.push_back(walk.slot);
  }
  void CountJoined(bool below_top) override { core_.CountJoined(below_top); }
  RemapResult Peek(RemapMemory& memory, const RemapRequest& request) const override {
    return core_.Peek(memory, RequestOf(request));
  }

  RemapWork NextWork() override { return core_.NextWork(); }
  void FetchDone(bool ok, uint64_t low, uint64_t high) override { core_.FetchDone(ok, low, high); }
  void StatusDone(bool ok) override { core_.StatusDone(ok); }

  bool translating() const override { return core_.translating(); }
  uint64_t root() const override { return core_.root(); }
  std::vector<RemapDevice> Mappings(RemapMemory& memory) const override {
    return core_.MappingsOf(memory, core_.root());
  }
  std::vector<hw::Counter> Counters() const override { return core_.Counters(); }

 private:
  void Show(RemapWalk& walk) const {
    const VtdWalk& mine = walks_[walk.slot];
    walk.done = mine.done();
    walk.below_top = mine.below_top();
    if (walk.done) walk.result = mine.result();
    else walk.read = mine.read();
  }

  VtdCore core_;
  std::vector<VtdWalk> walks_;  ///< by slot
  std::vector<uint32_t> free_;
};

}  // namespace

std::unique_ptr<Remapper> Remapper::Make(const RemapperParameters& parameters) {
  return std::make_unique<VtdRemapper>(parameters);
}

}  // namespace gmmu::sim
