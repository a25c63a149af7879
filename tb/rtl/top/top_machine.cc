// SPDX-License-Identifier: Apache-2.0
#include "tb/rtl/top/top_machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "Vgmmu_gpu_axi_gmmu_pkg.h"
#include "tb/rtl/structs.h"

namespace gmmu::top {

void Slave::Check(const Ax& ax, const char* kind) {
  const uint64_t first = ax.address & ~7ull, last = first + 8ull * ax.len;
  if (first >> 12 != last >> 12) errors.push_back(std::string(kind) + " crosses 4 KiB");
}

void Slave::TakeRead(unsigned id, uint64_t address, unsigned len, uint64_t cycle) {
  Ax ax;
  ax.id = id, ax.address = address, ax.len = len, ax.due = cycle + latency;
  Check(ax, "read");
  if (!read_ids_.insert(id).second) errors.push_back("read id used twice");
  ax.error = !memory.Has(address);
  reads_.push_back(ax);
  ++reads;
}

void Slave::TakeWrite(unsigned id, uint64_t address, unsigned len, uint32_t user) {
  Ax ax;
  ax.id = id, ax.address = address, ax.len = len, ax.user = user;
  Check(ax, "write");
  const bool window = (id >> 8 & 0x7f) == 5;  // All writes of the window have the same id.
  if (!write_ids_.insert(id).second && !window) errors.push_back("write id used twice");
  ax.error = !memory.Has(address) && (user & 3) != 2;
  waiting_.push_back(ax);
  ++writes;
}

void Slave::TakeBeat(uint64_t data, unsigned strobe, bool last, uint64_t cycle) {
  Ax& ax = waiting_.front();
  if (on_beat) on_beat((ax.address & ~7ull) + 8 * ax.beat);
  for (unsigned i = 0; i < 8; ++i) {
    if ((strobe >> i & 1) == 0) continue;
    const uint64_t at = (ax.address & ~7ull) + 8 * ax.beat + i;
    if (at < ax.address) errors.push_back("strobe below the address");
    const uint8_t byte = static_cast<uint8_t>(data >> (8 * i));
    if (memory.Has(at)) memory.Write(at, byte);
    ax.bytes.push_back(byte);
  }
  if (last != (ax.beat == ax.len)) errors.push_back("wrong last");
  ++ax.beat;
  if (!last) return;
  log.push_back({ax.address, ax.user & 3, (ax.user >> 23 & 1) != 0, ax.bytes});
  ax.due = cycle + write_latency;
  answers_.push_back(ax);
  waiting_.pop_front();
}

const Slave::ReadBeat* Slave::Offer(uint64_t cycle, std::mt19937_64& random) {
  if (offering_) return &offered_;
  std::vector<size_t> due;
  for (size_t i = 0; i < reads_.size(); ++i) {
    if (reads_[i].due <= cycle) due.push_back(i);
    if (!shuffle && !due.empty()) break;
  }
  if (due.empty()) return nullptr;
  const size_t pick = due[shuffle ? random() % due.size() : 0];
  std::swap(reads_[0], reads_[pick]);
  Ax& ax = reads_.front();
  const uint64_t at = (ax.address & ~7ull) + 8 * ax.beat;
  if (on_beat) on_beat(at);
  offered_ = {ax.id, ax.error ? 0xDEADDEADDEADDEADull : memory.Read64(at), ax.error, ax.beat == ax.len};
  offering_ = true;
  return &offered_;
}

void Slave::EndBeat() {
  offering_ = false;
  if (++reads_.front().beat <= reads_.front().len) return;
  read_ids_.erase(reads_.front().id);
  reads_.pop_front();
}

const Slave::Ax* Slave::Answer(uint64_t cycle) const {
  return !answers_.empty() && answers_.front().due <= cycle ? &answers_.front() : nullptr;
}

void Slave::EndAnswer() {
  write_ids_.erase(answers_.front().id);
  answers_.pop_front();
}

void TopMachine::EnableMessages(bool on) {
  GMMU_STRUCT(gmmu_gpu_axi, message_t) message{};
  message.enable = on;
  message.data = 0x41;
  message.address = 0xFEE00010;
  t.message_i = Pack(message);
}

TopMachine::TopMachine(uint64_t seed) : BlockBench(seed) {
  vram.memory.Make(0, kVramBytes);
  t.vram_bytes_i = kVramBytes;
  t.bus_master_i = 1;
  EnableMessages(true);
  t.areset = 1;
  Run(4);
  t.areset = 0;
  now = 0;
}

TopMachine::~TopMachine() {
  for (const auto& finding : axi_.Findings()) ADD_FAILURE() << finding.text;
  EXPECT_EQ(vram.memory.strays() + host.memory.strays(), 0u) << "accesses outside the made pages";
}

void TopMachine::Step() {
  t.cycle_i = now;
  const auto ready = [&](const Slave& s) { return s.stall_percent == 0 || rng() % 100 >= s.stall_percent; };
  t.m_vram_arready = ready(vram);
  t.m_vram_awready = ready(vram);
  t.m_vram_wready = vram.HasWrite() && !vram.hold_w && ready(vram);
  t.m_host_arready = ready(host);
  t.m_host_awready = ready(host);
  t.m_host_wready = host.HasWrite() && !host.hold_w && ready(host);
  const Slave::ReadBeat* vr = vram.Offer(now, rng);
  const Slave::ReadBeat* hr = host.Offer(now, rng);
  t.m_vram_rvalid = vr != nullptr;
  if (vr != nullptr)
    t.m_vram_rid = vr->id, t.m_vram_rdata = vr->data, t.m_vram_rresp = vr->error ? 2 : 0, t.m_vram_rlast = vr->last;
  t.m_host_rvalid = hr != nullptr;
  if (hr != nullptr)
    t.m_host_rid = hr->id, t.m_host_rdata = hr->data, t.m_host_rresp = hr->error ? 2 : 0, t.m_host_rlast = hr->last;
  const Slave::Ax* vb = vram.Answer(now);
  const Slave::Ax* hb = host.Answer(now);
  t.m_vram_bvalid = vb != nullptr;
  if (vb != nullptr) t.m_vram_bid = vb->id, t.m_vram_bresp = vb->error ? 2 : 0;
  t.m_host_bvalid = hb != nullptr;
  if (hb != nullptr) t.m_host_bid = hb->id, t.m_host_bresp = hb->error ? 2 : 0;
  t.s_win_bready = 1;
  t.s_peer_rready = t.s_peer_bready = 1;
  if (drive) drive(t);
  Settle();

  axi_.Sample(t, now);
  if (!t.areset && watch) watch(t);
  if (!t.areset) {
    if (t.m_vram_rvalid && t.m_vram_rready) vram.EndBeat();
    if (t.m_host_rvalid && t.m_host_rready) host.EndBeat();
    if (t.m_vram_bvalid && t.m_vram_bready) vram.EndAnswer();
    if (t.m_host_bvalid && t.m_host_bready) host.EndAnswer();
    if (t.m_vram_wvalid && t.m_vram_wready) vram.TakeBeat(t.m_vram_wdata, t.m_vram_wstrb, t.m_vram_wlast, now);
    if (t.m_host_wvalid && t.m_host_wready) host.TakeBeat(t.m_host_wdata, t.m_host_wstrb, t.m_host_wlast, now);
    if (t.m_vram_arvalid && t.m_vram_arready) vram.TakeRead(t.m_vram_arid, t.m_vram_araddr, t.m_vram_arlen, now);
    if (t.m_host_arvalid && t.m_host_arready) host.TakeRead(t.m_host_arid, t.m_host_araddr, t.m_host_arlen, now);
    if (t.m_vram_awvalid && t.m_vram_awready) vram.TakeWrite(t.m_vram_awid, t.m_vram_awaddr, t.m_vram_awlen, 0);
    if (t.m_host_awvalid && t.m_host_awready)
      host.TakeWrite(t.m_host_awid, t.m_host_awaddr, t.m_host_awlen, t.m_host_awuser);
    if (t.s_win_bvalid) --window_writes_, response = t.s_win_bresp;
  }
  Edge();
}

uint64_t TopMachine::Read(uint32_t offset) {
  t.s_reg_arvalid = 1;
  t.s_reg_araddr = static_cast<uint16_t>(offset);
  t.s_reg_rready = 0;
  Settle();
  Until([&] { return t.s_reg_arready; }, "register read address");
  Step();
  t.s_reg_arvalid = 0;
  Settle();
  Until([&] { return t.s_reg_rvalid; }, "register read data");
  const uint64_t data = t.s_reg_rdata;
  response = t.s_reg_rresp;
  t.s_reg_rready = 1;
  Step();
  t.s_reg_rready = 0;
  return data;
}

uint32_t TopMachine::Read32(uint32_t offset) {
  return static_cast<uint32_t>(Read(offset) >> ((offset & 4) != 0 ? 32 : 0));
}

void TopMachine::Write(uint32_t offset, uint64_t value, unsigned strobe) {
  t.s_reg_awvalid = t.s_reg_wvalid = 1;
  t.s_reg_awaddr = static_cast<uint16_t>(offset);
  t.s_reg_wdata = value;
  t.s_reg_wstrb = static_cast<uint8_t>(strobe);
  t.s_reg_bready = 1;
  Settle();
  Until([&] { return t.s_reg_awready && t.s_reg_wready; }, "register write address");
  Step();
  t.s_reg_awvalid = t.s_reg_wvalid = 0;
  Settle();
  Until([&] { return t.s_reg_bvalid; }, "register write answer");
  response = t.s_reg_bresp;
  Step();
  t.s_reg_bready = 0;
}

void TopMachine::Write32(uint32_t offset, uint32_t value) {
  const bool high = (offset & 4) != 0;
  Write(offset, static_cast<uint64_t>(value) << (high ? 32 : 0), high ? 0xf0 : 0x0f);
}

void TopMachine::WindowWrite(uint32_t offset, uint64_t value, unsigned strobe) {
  t.s_win_awvalid = t.s_win_wvalid = 1;
  t.s_win_awaddr = offset;
  t.s_win_wdata = value;
  t.s_win_wstrb = static_cast<uint8_t>(strobe);
  Settle();
  Until([&] { return t.s_win_awready && t.s_win_wready; }, "window write");
  ++window_writes_;
  Step();
  t.s_win_awvalid = t.s_win_wvalid = 0;
  Settle();
}

uint64_t TopMachine::WindowRead(uint32_t offset) {
  t.s_win_arvalid = 1;
  t.s_win_araddr = offset;
  t.s_win_rready = 0;
  Settle();
  Until([&] { return t.s_win_arready; }, "window read address");
  Step();
  t.s_win_arvalid = 0;
  Settle();
  Until([&] { return t.s_win_rvalid; }, "window read data");
  const uint64_t data = t.s_win_rdata;
  response = t.s_win_rresp;
  t.s_win_rready = 1;
  Step();
  t.s_win_rready = 0;
  return data;
}

void TopMachine::MakeSpace(unsigned space, uint64_t at) {
  roots_[space] = at;
  next_table_[space] = at + 0x1000;
  regs::SpaceGeometry geometry;
  geometry.set_levels(2).set_bits0(9).set_bits1(9).set_root_entries(512);
  Set(geometry, SpaceAt(space));
  regs::SpaceRoot root;
  root.set_address(at).set_target(regs::Target::kVram).set_enable(1);
  Set(root, SpaceAt(space));
  Until([&] { return Get<regs::InvStatus>().busy() == 0; }, "the space");
}

uint64_t TopMachine::EntryAddress(unsigned space, uint64_t va) {
  const uint64_t slot = roots_.at(space) + 8 * (va >> 21 & 0x1ff);
  regs::PteEntry upper{vram.memory.Read64(slot)};
  if (upper.valid() == 0) {
    upper.set_valid(1).set_target(regs::Target::kVram).set_page(next_table_[space] >> 12);
    next_table_[space] += 0x1000;
    vram.memory.Write64(slot, upper.raw);
  }
  return (upper.page() << 12) + 8 * (va >> 12 & 0x1ff);
}

void TopMachine::Map(unsigned space, uint64_t va, regs::PteEntry entry) {
  vram.memory.Write64(EntryAddress(space, va), entry.raw);
}

void TopMachine::MapPages(unsigned space, uint64_t va, regs::Target target, uint64_t offset, unsigned pages) {
  for (unsigned i = 0; i < pages; ++i) {
    Map(space, va + 4096ull * i, regs::PteEntry{}.set_valid(1).set_target(target).set_page((offset >> 12) + i));
  }
}

void TopMachine::StartTraffic(unsigned client, regs::ClientCtrl ctrl, uint64_t base, uint32_t first, uint32_t stride,
                              uint32_t count, uint32_t step, uint64_t seed) {
  const uint32_t at = ClientAt(client);
  Set(regs::ClientBase{base}, at);
  Set(regs::ClientLines{}.set_first(first).set_stride(stride), at);
  Set(regs::ClientOrder{}.set_count(count).set_step(step), at);
  Set(regs::ClientSeed{seed}, at);
  Set(ctrl.set_start(1), at);
}

regs::ClientStatus TopMachine::EndTraffic(unsigned client) {
  regs::ClientStatus status;
  Until([&] { return (status = Get<regs::ClientStatus>(ClientAt(client))).busy() == 0; }, "the traffic run");
  return status;
}

regs::ClientStatus TopMachine::Traffic(unsigned client, regs::ClientCtrl ctrl, uint64_t base, uint32_t first,
                                       uint32_t stride, uint32_t count, uint32_t step, uint64_t seed) {
  StartTraffic(client, ctrl, base, first, stride, count, step, seed);
  return EndTraffic(client);
}

unsigned TopMachine::Messages() const {
  return static_cast<unsigned>(
      std::count_if(host.log.begin(), host.log.end(), [](const HostWrite& w) { return w.kind == 2; }));
}

}  // namespace gmmu::top
