// SPDX-License-Identifier: Apache-2.0
// Models the surroundings of the registers: the register port, the window, the clients, and the
// MMU.
#pragma once

#include "tb/rtl/top/blocks.h"
#include "tb/rtl/top/regs_model.h"

namespace gmmu::top {

constexpr RegsSize kRegsSizes[] = {{4, 16, 1}, {1, 2, 1}, {64, 64, 4}};

/// Models the register port, the window, the clients and the MMU around the registers. Compares
/// every output with the model in every cycle.
class Regs : public BlocksTest {
 protected:
  static constexpr int kBound = 300;  // bound for one write, in cycles

  Regs() : model(kRegsSizes[n]) {
    t.regs_vram_bytes_i = rng();
    t.regs_window_settled_i[n] = 1;
    Inputs();
  }
  /// Sets all read-only inputs to random values.
  void Inputs() {
    t.regs_work_idle_i = Chance(50);
    t.regs_int_status_i = Random(0, 63);
    t.regs_silent_i = Chance(50);
    t.regs_fault_tail_i = Random(0, 0xffff);
    t.regs_fault_dropped_i = Random(0, 0xffff);
    for (unsigned i = 0; i < 4; ++i) {
      auto& ring = rings_[i];
      ring.head = Random(0, 0xffff);
      ring.busy = Chance(50);
      ring.error = Chance(50);
      ring.preempted = Chance(50);
      ring.reason = Random(0, 20);
      ring.access = Random(0, 2);
      ring.level = Random(0, 7);
      ring.fence = static_cast<uint32_t>(rng());
      ring.last_fence = static_cast<uint32_t>(rng());
      ring.error_offset = static_cast<uint32_t>(rng());
      ring.error_header = static_cast<uint32_t>(rng());
      ring.error_address = rng();
      t.regs_ring_i[i] = Pack(ring);
    }
  }

  void Step() override { Cycle(); }
  /// Runs one cycle. Drives all inputs except those of the register port. Returns whether a write
  /// took effect.
  bool Cycle() {
    const bool writing = t.regs_wr_valid_i[n];
    if (!writing) t.regs_window_settled_i[n] = Chance(50);
    else if (!t.regs_window_settled_i[n]) t.regs_window_settled_i[n] = !Chance(unsettled);
    t.regs_ctl_ready_i[n] = !Stall() && !mmu_holds;
    t.regs_ctl_done_i[n] = accepted_ && now >= done_at_ && !mmu_holds;
    DriveClients();
    Settle();
    const bool taken = writing && t.regs_wr_ready_o[n];
    const uint32_t at = t.regs_addr_i[n];
    if (taken) EXPECT_TRUE(t.regs_window_settled_i[n]) << "the window has not settled";
    if (taken && model.Root(at) && !t.regs_silence_o[n]) EXPECT_FALSE(busy_) << "the operation before is under way";
    EXPECT_EQ(t.regs_int_clear_o[n], taken && at == regs::IntStatus::kOffset);
    if (t.regs_int_clear_o[n]) EXPECT_EQ(t.regs_int_clear_bits_o[n], t.regs_wr_data_i[n] & 63);
    CheckOutputs();
    const bool was_busy = busy_;  // still true in the cycle in which an operation ends
    CheckCtl();
    CheckPulses();
    if (taken) Take(at, t.regs_wr_data_i[n], was_busy);
    Edge();
    return taken;
  }
  void Write(uint32_t at, uint64_t data) {
    t.regs_addr_i[n] = at;
    Cycle();
    t.regs_wr_valid_i[n] = 1;
    t.regs_wr_data_i[n] = data;
    int cycles = 0;
    while (!Cycle() && cycles < kBound) ++cycles;
    EXPECT_LT(cycles, kBound) << "a write to 0x" << std::hex << at << " waits";
    t.regs_wr_valid_i[n] = 0;
  }
  uint64_t Read(uint32_t at) {
    t.regs_addr_i[n] = at;
    t.regs_rd_i[n] = 1;
    for (int i = 0, last = model.Client(at) ? 4 : 3; i < last; ++i) Cycle();
    Settle();
    t.regs_rd_i[n] = 0;
    return t.regs_rd_data_o[n];
  }
  void CheckRead(uint32_t at) {
    SCOPED_TRACE(testing::Message() << "a read of 0x" << std::hex << at);
    const uint64_t begin = now, before = Expected(at), value = Read(at);
    if (at == regs::Cycle::kOffset) {
      EXPECT_GE(value, begin);
      EXPECT_LE(value, now);
    } else if (value != before) {  // The MMU may have completed an operation during the read.
      EXPECT_EQ(value, Expected(at)) << std::hex << value;
    }
  }
  void Rest() {
    for (int i = 0; i < kBound && busy_; ++i) Cycle();
    Run(5);
    EXPECT_TRUE(t.regs_idle_o[n]);
  }

  RegsModel model;
  unsigned unsettled = 60;  // chance, in percent, that the window stays unsettled for a cycle
  bool mmu_holds = false;
  unsigned operations_ = 0, invalidations_ = 0, told_ = 0, done_ = 0;
  bool busy_ = false;

 private:
  static uint64_t Word(unsigned client, unsigned word) {
    return (client + 1) * 0x9e3779b97f4a7c15 ^ word * 0x1111111111111111;
  }
  /// Drives the clients' response, two cycles after regs_client_rd_o.
  void DriveClients() {
    // This is the previous cycle's request.
    reads_.push_back({t.regs_client_rd_o[n], t.regs_client_word_o[n]});
    t.regs_client_data_i[n] = 0;
    if (reads_.size() < 2) return;
    const auto [mask, word] = reads_.front();
    reads_.pop_front();
    for (unsigned c = 0; c < 64; ++c) {
      if (mask >> c & 1) t.regs_client_from_i[n] = c, t.regs_client_data_i[n] = Word(c, word);
    }
  }

  void Take(uint32_t at, uint64_t data, bool was_busy) {
    model.Write(at, data, was_busy);
    if (at == regs::HostApertureEntry::kOffset) set_ = regs::HostApertureEntry{data};
    flush_ = at == regs::ApertureBase::kOffset || at == regs::AperturePages::kOffset;
    if (const auto client = model.Client(at)) client_ = {1ull << *client, at / 8 % 8, data};
    const bool invalidates = at == regs::InvCmd::kOffset && !was_busy;
    if (!invalidates && (!model.Root(at) || was_busy)) return;
    busy_ = true;
    invalidates_ = invalidates;
    ctl_at_ = at;
    ctl_start_ = model.Kept(regs::InvStart::kOffset);
    ctl_end_ = model.Kept(regs::InvEnd::kOffset);
    ctl_geometry_ = invalidates ? regs::SpaceGeometry{} : model.Kept<regs::SpaceGeometry>(at - 8);
    ctl_root_.raw = model.Kept(at);
    since_ = now;
    ++operations_;
    invalidations_ += invalidates;
  }

  void CheckOutputs() {
    EXPECT_EQ(t.regs_enable_o[n], model.Kept<regs::Ctrl>().enable());
    EXPECT_EQ(t.regs_silence_o[n], model.Kept<regs::Ctrl>().silence());
    EXPECT_EQ(t.regs_window_base_o[n], model.Kept(regs::WindowBase::kOffset));
    const auto aperture = Unpack<HostApertureCfg>(t.regs_host_aperture_o[n]);
    EXPECT_EQ(aperture.enable, model.Kept<regs::HostAperture>().enable());
    EXPECT_EQ(aperture.first, model.Kept<regs::HostAperture>().first());
    EXPECT_EQ(aperture.write, set_.has_value());
    if (set_) {
      EXPECT_EQ(aperture.entry.index, set_->index() & 0xff);
      EXPECT_EQ(aperture.entry.entry.valid, set_->valid());
      EXPECT_EQ(aperture.entry.entry.page, set_->page());
    }
    EXPECT_EQ(t.regs_int_enable_o[n], model.Kept(regs::IntEnable::kOffset));
    EXPECT_EQ(t.regs_fault_base_o[n], model.Kept(regs::FaultQueueBase::kOffset));
    const auto size = model.Kept<regs::FaultQueueSize>();
    EXPECT_EQ(t.regs_fault_size_lg2_o[n], size.size_lg2());
    EXPECT_EQ(t.regs_fault_enable_o[n], size.enable());
    EXPECT_EQ(t.regs_fault_head_o[n], model.Kept(regs::FaultQueueHead::kOffset));
    EXPECT_EQ(t.regs_aperture_base_o[n], model.Kept(regs::ApertureBase::kOffset));
    EXPECT_EQ(t.regs_aperture_pages_o[n], model.Kept(regs::AperturePages::kOffset));
    const auto link = model.Kept<regs::Link>();
    EXPECT_EQ(t.regs_link_o[n], link.own() << 3 | link.adapters());
    for (unsigned i = 0; i < kRegsSizes[n].rings; ++i) {
      const uint32_t ring = regs::kRingBase + i * regs::kRingStride;
      const auto ctrl = model.Kept<regs::RingCtrl>(ring);
      const auto base = model.Kept<regs::RingBase>(ring);
      const auto out = Unpack<GMMU_STRUCT(gmmu_top_blocks_bench, ring_cfg_t)>(t.regs_ring_o[n][i]);
      EXPECT_EQ(out.enable, ctrl.enable());
      EXPECT_EQ(out.privileged, ctrl.privileged());
      EXPECT_EQ(out.preempt, ctrl.preempt());
      EXPECT_EQ(out.size_lg2, ctrl.size_lg2());
      EXPECT_EQ(out.base, base.address());
      EXPECT_EQ(out.base_target, static_cast<unsigned>(base.target()));
      EXPECT_EQ(out.tail, model.Kept(ring + regs::RingTail::kOffset));
      EXPECT_EQ(out.fence_address, model.Kept(ring + regs::RingFenceAddress::kOffset));
    }
  }

  void CheckCtl() {
    EXPECT_EQ(t.regs_ctl_valid_o[n], busy_ && !accepted_ && now > since_);
    if (t.regs_ctl_valid_o[n] && busy_) {
      const auto ctl = Unpack<Ctl>(t.regs_ctl_o[n]);
      EXPECT_EQ(ctl.op == 1, !invalidates_) << "CtlSetSpace";
      if (invalidates_) {
        const auto& cmd = ctl_root_.raw;
        EXPECT_EQ(ctl.scope, cmd & 3);
        EXPECT_EQ(ctl.space, cmd >> 8 & 63);
        EXPECT_EQ(ctl.va_start, ctl_start_);
        EXPECT_EQ(ctl.va_end, ctl_end_);
      } else {
        const auto& g = ctl_geometry_;
        EXPECT_EQ(ctl.space, (ctl_at_ - regs::kSpaceBase) / regs::kSpaceStride);
        EXPECT_EQ(ctl.va_start | ctl.va_end, 0u) << "the event of a root write has no range";
        EXPECT_EQ(ctl.cfg.enable, ctl_root_.enable());
        EXPECT_EQ(ctl.cfg.root.target, static_cast<unsigned>(ctl_root_.target()));
        EXPECT_EQ(ctl.cfg.root.offset, ctl_root_.address() & ~0xfffull);
        EXPECT_EQ(ctl.cfg.root_entries, g.root_entries());
        EXPECT_EQ(ctl.cfg.levels, g.levels());
        EXPECT_EQ(ctl.cfg.dual, g.dual());
        for (unsigned i = 0; i < 6; ++i) EXPECT_EQ(ctl.cfg.bits[i], g.raw >> (8 + 4 * i) & 15);
      }
      if (t.regs_ctl_ready_i[n]) accepted_ = true, done_at_ = now + Random(1, 30);
    }
    if (busy_ && now > since_) EXPECT_FALSE(t.regs_idle_o[n]);
    if (t.regs_ctl_done_i[n]) {
      busy_ = accepted_ = false;
      ended_ = invalidates_;
      ++done_;
    } else if (ended_) {
      EXPECT_TRUE(t.regs_invalidated_o[n]) << "in the cycle after its end";
      ended_ = false;
      ++told_;
    } else {
      EXPECT_FALSE(t.regs_invalidated_o[n]);
    }
  }
  void CheckPulses() {
    EXPECT_EQ(t.regs_aperture_flush_o[n], flush_);
    EXPECT_EQ(t.regs_client_wr_o[n], client_.mask);
    if (client_.mask != 0) {
      EXPECT_EQ(t.regs_client_word_o[n], client_.word);
      EXPECT_EQ(t.regs_client_data_o[n], client_.data);
    }
    if (flush_ || set_ || client_.mask != 0 || t.regs_invalidated_o[n]) EXPECT_FALSE(t.regs_idle_o[n]);
    flush_ = false;
    set_.reset();
    client_ = {};
  }

  /// Returns the data that a read must return in this cycle.
  uint64_t Expected(uint32_t at) const {
    if (const auto client = model.Client(at)) return Word(*client, at / 8 % 8);
    if (model.Keeps(at)) return model.Kept(at);
    if (const auto ring = model.Ring(at)) return RingState(*ring, at % regs::kRingStride);
    switch (at) {
      case regs::Id::kOffset: return regs::Id{}.set_magic(0x554D4D47).set_major(1).set_minor(5).raw;
      case regs::Cap0::kOffset: return 0xA0A1'A2A3'A4A5'A6A7;
      case regs::Cap1::kOffset: return 0xB0B1'B2B3'B4B5'B6B7;
      case regs::Cap2::kOffset: return 0xC0C1'C2C3'C4C5'C6C7;
      case regs::VramSize::kOffset: return t.regs_vram_bytes_i;
      case regs::Status::kOffset: return regs::Status{}.set_idle(t.regs_work_idle_i).set_silent(t.regs_silent_i).raw;
      case regs::IntStatus::kOffset: return t.regs_int_status_i;
      case regs::FaultQueueTail::kOffset: return t.regs_fault_tail_i | uint64_t{t.regs_fault_dropped_i} << 32;
      case regs::InvStatus::kOffset: return regs::InvStatus{}.set_busy(busy_).set_done(done_).raw;
      default: return 0;
    }
  }
  uint64_t RingState(unsigned i, uint32_t offset) const {
    const auto& ring = rings_[i];
    switch (offset) {
      case regs::RingHead::kOffset: return ring.head;
      case regs::RingStatus::kOffset:
        return regs::RingStatus{}
            .set_busy(ring.busy)
            .set_error(ring.error)
            .set_preempted(ring.preempted)
            .set_reason(static_cast<regs::Fault>(ring.reason))
            .set_access(static_cast<regs::Access>(ring.access))
            .set_level(ring.level)
            .set_fence(ring.fence)
            .raw;
      case regs::RingLastFence::kOffset: return ring.last_fence;
      case regs::RingErrorCommand::kOffset: return ring.error_offset | uint64_t{ring.error_header} << 32;
      case regs::RingErrorAddress::kOffset: return ring.error_address;
      default: return 0;
    }
  }

  struct ClientWrite {
    uint64_t mask = 0;
    unsigned word = 0;
    uint64_t data = 0;
  };
  ClientWrite client_;
  GMMU_STRUCT(gmmu_top_blocks_bench, ring_state_t) rings_[4] = {};
  std::optional<regs::HostApertureEntry> set_;  // the entry that this cycle sets
  bool flush_ = false, accepted_ = false, invalidates_ = false, ended_ = false;
  uint64_t since_ = 0, done_at_ = 0, ctl_start_ = 0, ctl_end_ = 0;
  uint32_t ctl_at_ = 0;
  regs::SpaceGeometry ctl_geometry_;
  regs::SpaceRoot ctl_root_;
  std::deque<std::pair<uint64_t, unsigned>> reads_;
};

}  // namespace gmmu::top
