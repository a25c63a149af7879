// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/bare_gpu.h"

#include "gpu/event_tap.h"

namespace gmmu::bench {
namespace {

constexpr uint64_t kPeriod = 1000;  // ps
constexpr unsigned kResetCycles = 16;

}  // namespace

BareGpu::BareGpu(const ArrayTiming& vram, const ArrayTiming& host, const std::vector<RegisterWrite>& script)
    : vram_(kMemoryBytes),
      host_(kMemoryBytes),
      checker_(GMMU_SPACES, vram_,
               [this](uint64_t address) -> std::optional<uint64_t> {
                 uint64_t word = 0;
                 if (!host_.Read(address, &word, sizeof word)) return std::nullopt;
                 return word;
               }),
      vram_port_(vram_, vram),
      host_port_(host_, host),
      cpu_port_([](const sim::CpuPort::Access&, bool) {}, [](const sim::CpuPort::Access&) {}),
      script_(script.begin(), script.end()) {
  context_.randReset(0);
  top_ = std::make_unique<Vgmmu_gpu_axi>(&context_, "gpu");
  top_->vram_bytes_i = kMemoryBytes;
  top_->s_reg_bready = top_->s_reg_rready = top_->s_win_bready = top_->s_win_rready = 1;
  top_->bus_master_i = 1;
  for (unsigned i = 0; i < kResetCycles; ++i) {
    top_->areset = 1;
    top_->aclk = 0;
    top_->eval();
    top_->aclk = 1;
    top_->eval();
  }
  top_->aclk = 0;
  top_->areset = 0;
  cpu_port_.set_write_hook(
      [this](uint32_t offset, uint64_t data, unsigned strobe) { checker_.RegisterWritten(offset, data, strobe); });
  for (RegisterWrite& write : script_) {
    sim::CpuPort::Access access;
    access.write = true;
    access.offset = write.offset;
    access.data = reinterpret_cast<uint8_t*>(&write.value);
    cpu_port_.Push(access, (write.cycle + 1) * kPeriod - kPeriod / 2);
  }
}

BareGpu::~BareGpu() { top_->final(); }

void BareGpu::Step() {
  Vgmmu_gpu_axi& top = *top_;
  top.cycle_i = cycle_;
  vram_port_.Drive(top, cycle_);
  host_port_.Drive(top, cycle_);
  cpu_port_.Drive(top, (cycle_ + 1) * kPeriod);
  if (clients_ != nullptr) clients_->Drive(top, cycle_);
  top.aclk = 0;
  top.eval();
  axi_.Sample(top, cycle_);
  vram_port_.Sample(top, cycle_);
  host_port_.Sample(top, cycle_);
  cpu_port_.Sample(top);
  if (clients_ != nullptr) clients_->Sample(top, cycle_);
  if (sim::HasEvents(top)) {
    const uint64_t before = translations();  // several ports may respond in this cycle
    sim::TapEvents(top, cycle_, checker_);
    answers_.insert(answers_.end(), translations() - before, cycle_);
  }
  top.aclk = 1;
  top.eval();
  ++cycle_;
}

std::vector<std::string> BareGpu::Findings() const {
  std::vector<std::string> all;
  for (const auto& list : {axi_.Findings(), checker_.findings()})
    for (const hw::Finding& finding : list) all.push_back(finding.probe + ": " + finding.text);
  return all;
}

uint64_t BareGpu::translations() const {
  for (const hw::Counter& counter : checker_.Counters())
    if (counter.name == "answers") return counter.value;
  return 0;
}

}  // namespace gmmu::bench
