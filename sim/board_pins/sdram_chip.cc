// SPDX-License-Identifier: Apache-2.0
#include "board_pins/sdram_chip.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace gmmu::sim {
namespace {

constexpr uint64_t kNs = 1000, kMs = 1'000'000 * kNs;
constexpr unsigned kRefreshSlack = 8;  // number of refreshes that may be overdue

}  // namespace

const SdramPart kAs4c16m16sa7{"AS4C16M16SA-7", 21 * kNs, 21 * kNs, 42 * kNs, 120'000 * kNs,
                              63 * kNs,        14 * kNs, 63 * kNs, 14 * kNs, 14 * kNs,
                              200'000 * kNs,   2,        10 * kNs, 7 * kNs,  64 * kMs};
const SdramPart kMt48lc16m16a27e{"MT48LC16M16A2-7E", 15 * kNs, 15 * kNs, 37 * kNs, 120'000 * kNs,
                                 60 * kNs,           14 * kNs, 66 * kNs, 14 * kNs, 14 * kNs,
                                 100'000 * kNs,      2,        7'500,    7 * kNs,  64 * kMs};

const char* Name(SdramRule rule) {
  constexpr const char* kNames[] = {"power-up",  "tRCD",     "tRP",        "tRAS",    "tRAS(max)",     "tRC",
                                    "tRRD",      "tRFC",     "tWR",        "tMRD",    "late refresh",  "closed row",
                                    "open bank", "not idle", "contention", "no data", "mode register", "not modelled"};
  return kNames[static_cast<unsigned>(rule)];
}

SdramChip::SdramChip(const SdramPart& part, uint64_t clock_ps) : part_(part), clock_ps_(clock_ps) {
  if (clock_ps < part.tck_cl3)
    throw std::invalid_argument(fmt::format("{}: a clock period of {} ps is too short, at least {} ps are needed",
                                            part.name, clock_ps, part.tck_cl3));
}

bool SdramChip::Found(SdramRule rule) const {
  return std::any_of(findings_.begin(), findings_.end(), [&](const SdramFinding& f) { return f.rule == rule; });
}

void SdramChip::Find(SdramRule rule, std::string text) { findings_.push_back({edge_, rule, std::move(text)}); }

void SdramChip::Apart(SdramRule rule, int64_t since, uint64_t ps, const char* what) {
  const int64_t gone = (static_cast<int64_t>(edge_) - since) * static_cast<int64_t>(clock_ps_);
  if (gone < static_cast<int64_t>(ps))
    Find(rule, fmt::format("{} comes {} ps after what it must follow by {} ps.", what, gone, ps));
}

SdramOut SdramChip::Edge(const SdramPins& pins) {
  if (pins.dq_driven && (out_[1].driven || out_[0].driven))
    Find(SdramRule::kContention, "The controller drives dq while the chip does, or in the cycle behind it.");
  const bool command = !pins.csn && !(pins.rasn && pins.casn && pins.wen);
  if (!pins.cke) {
    if (command) Find(SdramRule::kPowerUp, "A command comes while CKE is low.");
    if (power_ != Power::kPause || edge_ * clock_ps_ >= part_.power_up)
      Find(SdramRule::kNotModelled, "CKE is low after the pause of the power-up.");
  } else if (command) {
    Command(pins);
  }
  MoveData(pins);
  if (power_ == Power::kUp && edge_ * clock_ps_ > refresh_due_ps_ && !late_noted_) {
    Find(SdramRule::kRefreshLate, fmt::format("No refresh came until {} ps.", refresh_due_ps_));
    late_noted_ = true;
  }
  const SdramOut out = Drive(pins);
  if (pins.dq_driven && out.driven)
    Find(SdramRule::kContention, "The chip begins to drive dq in the cycle behind the controller's data.");
  ++edge_;
  return out;
}

void SdramChip::Command(const SdramPins& pins) {
  const unsigned bank = pins.ba % kBanks;
  if (edge_ * clock_ps_ < part_.power_up)
    Find(SdramRule::kPowerUp, fmt::format("A command comes before the pause of {} ps has ended.", part_.power_up));
  Apart(SdramRule::kTmrd, mode_set_, part_.tmrd, "A command");
  if (pins.rasn || pins.casn || !pins.wen) Apart(SdramRule::kTrfc, refreshed_, part_.trfc, "A command");
  const bool early = power_ != Power::kUp;
  if (pins.rasn && pins.casn) {
    Find(SdramRule::kNotModelled, "A burst is stopped.");
  } else if (pins.rasn || (pins.casn && pins.wen)) {
    if (early) Find(SdramRule::kPowerUp, "A row or a column is accessed before the power-up is complete.");
    if (pins.rasn) Column(bank, pins, !pins.wen);
    else Activate(bank, pins.a & ((1u << part_.row_bits) - 1));
  } else if (pins.casn) {
    ++counts_.precharges;
    const bool all = pins.a >> 10 & 1;
    for (unsigned b = 0; b < kBanks; ++b) {
      if (all || b == bank) Precharge(b);
    }
    if (power_ == Power::kPause && all) power_ = Power::kPrecharge;
  } else if (pins.wen) {
    Refresh();
  } else {
    LoadMode(pins.ba << 13 | pins.a);
  }
}

void SdramChip::Activate(unsigned bank, unsigned row) {
  Bank& b = banks_[bank];
  ++counts_.activates;
  if (b.open) Find(SdramRule::kOpenBank, fmt::format("Bank {} is activated while its row {} is open.", bank, b.row));
  Apart(SdramRule::kTrp, b.closed, part_.trp, "An activation");
  Apart(SdramRule::kTrc, b.activated, part_.trc, "An activation");
  if (activated_ != b.activated) Apart(SdramRule::kTrrd, activated_, part_.trrd, "An activation of another bank");
  b.open = true;
  b.row = row;
  b.activated = activated_ = static_cast<int64_t>(edge_);
}

void SdramChip::Column(unsigned bank, const SdramPins& pins, bool write) {
  const Bank& b = banks_[bank];
  ++(write ? counts_.writes : counts_.reads);
  if (pins.a >> 10 & 1) Find(SdramRule::kNotModelled, "A column command asks for auto precharge.");
  burst_.left = 0;  // the command truncates a burst in progress
  if (!b.open)
    return Find(SdramRule::kClosedRow, fmt::format("A column of bank {} is accessed without an open row.", bank));
  Apart(SdramRule::kTrcd, b.activated, part_.trcd, "A column command");
  burst_ = {write, bank, pins.a & ((1u << part_.column_bits) - 1), burst_length_};
}

void SdramChip::Precharge(unsigned bank) {
  Bank& b = banks_[bank];
  if (!b.open) return;
  Apart(SdramRule::kTras, b.activated, part_.tras, "A precharge");
  if ((edge_ - static_cast<uint64_t>(b.activated)) * clock_ps_ > part_.tras_max)
    Find(SdramRule::kTrasMax,
         fmt::format("Row {} of bank {} was open for longer than {} ps.", b.row, bank, part_.tras_max));
  Apart(SdramRule::kTwr, b.written, part_.twr, "A precharge");
  if (burst_.left && burst_.bank == bank) {
    if (burst_.write) Find(SdramRule::kTwr, "A precharge cuts off the data of a write.");
    burst_.left = 0;
  }
  b.open = false;
  b.closed = static_cast<int64_t>(edge_);
}

void SdramChip::Refresh() {
  ++counts_.refreshes;
  Apart(SdramRule::kTrfc, refreshed_, part_.trfc, "A refresh");
  for (const Bank& b : banks_) {
    if (b.open) Find(SdramRule::kNotIdle, fmt::format("A refresh comes while row {} is open.", b.row));
    Apart(SdramRule::kTrp, b.closed, part_.trp, "A refresh");
  }
  refreshed_ = static_cast<int64_t>(edge_);
  if (power_ == Power::kPause) Find(SdramRule::kPowerUp, "A refresh comes before all banks were precharged.");
  if (power_ == Power::kPrecharge) power_ = Power::kRefresh;
  ++power_refreshes_;
  const uint64_t interval = part_.refresh_ps >> part_.row_bits;
  refresh_due_ps_ = std::min(refresh_due_ps_ + interval, edge_ * clock_ps_ + (kRefreshSlack + 1) * interval);
  late_noted_ = false;
}

void SdramChip::LoadMode(unsigned value) {
  for (const Bank& b : banks_) {
    if (b.open) Find(SdramRule::kNotIdle, fmt::format("The mode register is set while row {} is open.", b.row));
    Apart(SdramRule::kTrp, b.closed, part_.trp, "The mode register's command");
  }
  if (power_ != Power::kUp && power_refreshes_ < part_.refreshes)
    Find(SdramRule::kPowerUp,
         fmt::format("The mode register is set after {} refreshes, {} are needed.", power_refreshes_, part_.refreshes));
  const unsigned length = value & 7, latency = value >> 4 & 7;
  if (value & ~0x77u || length > 3 || latency < 2 || latency > 3)
    return Find(SdramRule::kMode, fmt::format("Mode register {:#06x} is reserved or not modelled.", value));
  if (latency == 2 && clock_ps_ < part_.tck_cl2)
    Find(SdramRule::kMode, fmt::format("CAS latency 2 needs a clock period of {} ps.", part_.tck_cl2));
  mode_set_ = static_cast<int64_t>(edge_);
  latency_ = latency;
  burst_length_ = 1u << length;
  if (power_ != Power::kUp)
    refresh_due_ps_ = edge_ * clock_ps_ + (kRefreshSlack + 1) * (part_.refresh_ps >> part_.row_bits);
  power_ = Power::kUp;
}

void SdramChip::MoveData(const SdramPins& pins) {
  SdramOut word;
  if (burst_.left) {
    Bank& b = banks_[burst_.bank];
    uint16_t& cell = Cell(burst_.bank, b.row, burst_.column);
    if (burst_.write) {
      const unsigned mask = (pins.dqm & 1 ? 0 : 0x00ff) | (pins.dqm & 2 ? 0 : 0xff00);
      if (mask && !pins.dq_driven) Find(SdramRule::kNoData, "A word of a write is neither driven nor masked.");
      else cell = static_cast<uint16_t>((cell & ~mask) | (pins.dq & mask));
      b.written = static_cast<int64_t>(edge_);
    } else {
      word = {3, cell};
    }
    // The burst wraps inside its aligned block.
    burst_.column = (burst_.column & ~(burst_length_ - 1)) | ((burst_.column + 1) & (burst_length_ - 1));
    --burst_.left;
  }
  pipe_.push_back(word);
}

SdramOut SdramChip::Drive(const SdramPins& pins) {
  SdramOut out;
  while (pipe_.size() >= std::max(latency_, 2u)) {  // data that was read latency - 1 edges ago
    out = pipe_.front();
    pipe_.pop_front();
  }
  // DQM sampled at edge n masks the data that is driven after edge n + 1 and sampled at edge n + 2.
  out.driven = static_cast<uint8_t>(out.driven & ~dqm_);
  dqm_ = pins.dqm;
  if (!(out.driven & 1)) out.dq = static_cast<uint16_t>((out.dq & 0xff00) | (~out.dq & 0x00ff));
  if (!(out.driven & 2)) out.dq = static_cast<uint16_t>((out.dq & 0x00ff) | (~out.dq & 0xff00));
  out_ = {out_[1], out};
  return out;
}

uint16_t& SdramChip::Cell(unsigned bank, unsigned row, unsigned column) {
  const uint64_t index = uint64_t{row} * kBanks + bank;
  std::vector<uint16_t>& columns = rows_[index];
  if (columns.empty()) {
    for (uint64_t i = 0; i < uint64_t{1} << part_.column_bits; ++i)
      columns.push_back(Untouched((index << part_.column_bits) + i));
  }
  return columns[column];
}

uint8_t SdramChip::Byte(uint64_t address) const {
  const uint64_t cell = address % size() / 2;
  const auto row = rows_.find(cell >> part_.column_bits);
  const uint64_t column = cell & ((uint64_t{1} << part_.column_bits) - 1);
  const uint16_t word = row == rows_.end() ? Untouched(cell) : row->second[column];
  return static_cast<uint8_t>(word >> (address % 2 * 8));
}

void SdramChip::FlipBit(uint64_t address, unsigned bit) {
  const uint64_t cell = address % size() / 2, row = cell >> part_.column_bits;
  const uint64_t column = cell & ((uint64_t{1} << part_.column_bits) - 1);
  Cell(row % kBanks, static_cast<unsigned>(row / kBanks),
       static_cast<unsigned>(column)) ^= static_cast<uint16_t>(1u << (address % 2 * 8 + bit % 8));
}

}  // namespace gmmu::sim
