// SPDX-License-Identifier: Apache-2.0
#include "pcie/pcie_link.h"

#include <algorithm>
#include <cassert>
#include <stdexcept>
#include <string>

namespace gmmu::sim {
namespace {

// Usable Mb/s per lane and direction after line coding, as usually quoted for each generation: 2.5 and 5 GT/s with
// 8b/10b; 8, 16 and 32 GT/s with 128b/130b.
constexpr unsigned kLaneMbps[] = {2000, 4000, 7870, 15750, 31500};

void Require(bool condition, const char* text) {
  if (!condition) throw std::invalid_argument(std::string("pcie: ") + text);
}

bool PowerOfTwo(unsigned value) { return value != 0 && (value & (value - 1)) == 0; }

const PcieParameters& Checked(const PcieParameters& parameters) {
  Check(parameters);
  return parameters;
}

std::vector<TlpPiece> Split(uint64_t address, uint64_t bytes, unsigned most) {
  std::vector<TlpPiece> pieces;
  while (bytes > 0) {
    const uint64_t to_page_end = 4096 - address % 4096;
    const auto size = static_cast<unsigned>(std::min({bytes, uint64_t{most}, to_page_end}));
    pieces.push_back({address, size});
    address += size;
    bytes -= size;
  }
  return pieces;
}

}  // namespace

void Check(const PcieParameters& p) {
  Require(p.generation >= 1 && p.generation <= 5, "generation must be 1..5");
  Require(PowerOfTwo(p.lanes) && p.lanes <= 16, "lanes must be 1, 2, 4, 8 or 16");
  Require(p.tlp_overhead >= 1 && p.tlp_overhead <= 256, "tlp_overhead must be 1..256");
  Require(p.link_layer_ppm >= 1 && p.link_layer_ppm <= 1'000'000, "link_layer_ppm must be 1..1000000");
  Require(PowerOfTwo(p.max_payload) && p.max_payload >= 128 && p.max_payload <= 4096,
          "max_payload must be a power of two in 128..4096");
  Require(PowerOfTwo(p.max_read_request) && p.max_read_request >= 128 && p.max_read_request <= 4096,
          "max_read_request must be a power of two in 128..4096");
  Require(p.read_completion_boundary == 64 || p.read_completion_boundary == 128,
          "read_completion_boundary must be 64 or 128");
  Require(p.tags >= 1 && p.tags <= 1024, "tags must be 1..1024");
  for (size_t kind = 0; kind < kTlpKinds; ++kind) {
    Require(p.credits[kind].headers >= 1, "header credits must be at least 1");
    const bool carries_payload = kind != static_cast<size_t>(TlpKind::kNonPosted);
    Require(!carries_payload || p.credits[kind].data * 16 >= p.max_payload,
            "data credits must hold the maximum payload");
  }
}

double RawBitsPerSecond(const PcieParameters& parameters) {
  return 1e6 * kLaneMbps[parameters.generation - 1] * parameters.lanes;
}

double TlpBitsPerSecond(const PcieParameters& parameters) {
  return RawBitsPerSecond(parameters) * parameters.link_layer_ppm / 1e6;
}

double WriteEfficiency(const PcieParameters& p, uint64_t size) {
  const uint64_t tlps = (size + p.max_payload - 1) / p.max_payload;
  return static_cast<double>(size) / static_cast<double>(tlps * p.tlp_overhead + size);
}

double ReadEfficiency(const PcieParameters& p, uint64_t size) {
  uint64_t completions = 0;
  for (const TlpPiece& request : SplitRead(p, 0, size))
    completions += SplitCompletion(p, request.address, request.bytes).size();
  return static_cast<double>(size) / static_cast<double>(completions * p.tlp_overhead + size);
}

std::vector<TlpPiece> SplitWrite(const PcieParameters& p, uint64_t address, uint64_t bytes) {
  return Split(address, bytes, p.max_payload);
}

std::vector<TlpPiece> SplitRead(const PcieParameters& p, uint64_t address, uint64_t bytes) {
  return Split(address, bytes, p.max_read_request);
}

std::vector<TlpPiece> SplitCompletion(const PcieParameters& p, uint64_t address, uint64_t bytes) {
  std::vector<TlpPiece> pieces;
  while (bytes > 0) {
    uint64_t size = bytes;
    if (size > p.max_payload) {
      const uint64_t end = address + p.max_payload;
      size = end - end % p.read_completion_boundary - address;
    }
    pieces.push_back({address, static_cast<unsigned>(size)});
    address += size;
    bytes -= size;
  }
  return pieces;
}

PcieDirection::PcieDirection(const PcieParameters& parameters, const char* block)
    : parameters_(Checked(parameters)), block_(block), fs_per_byte_(8e15 / TlpBitsPerSecond(parameters)) {}

bool PcieDirection::CanSend(TlpKind kind, unsigned payload_bytes) const {
  const auto k = static_cast<size_t>(kind);
  return used_[k].headers < parameters_.credits[k].headers &&
         used_[k].data + DataCredits(payload_bytes) <= parameters_.credits[k].data;
}

PcieDirection::Sent PcieDirection::Send(TlpKind kind, unsigned payload_bytes, uint64_t ready_ps) {
  assert(CanSend(kind, payload_bytes));
  const auto k = static_cast<size_t>(kind);
  used_[k].headers += 1;
  used_[k].data += DataCredits(payload_bytes);
  tlps_[k] += 1;
  payload_[k] += payload_bytes;

  const uint64_t start_fs = std::max(free_fs_, ready_ps * 1000);
  const auto length_fs = static_cast<uint64_t>(fs_per_byte_ * (payload_bytes + parameters_.tlp_overhead) + 0.5);
  free_fs_ = start_fs + length_fs;
  busy_fs_ += length_fs;
  const uint64_t sent_ps = (free_fs_ + 999) / 1000;
  return {start_fs / 1000, sent_ps, sent_ps + parameters_.latency_ps};
}

void PcieDirection::Release(TlpKind kind, unsigned payload_bytes) {
  const auto k = static_cast<size_t>(kind);
  assert(used_[k].headers >= 1 && used_[k].data >= DataCredits(payload_bytes));
  used_[k].headers -= 1;
  used_[k].data -= DataCredits(payload_bytes);
}

bool PcieDirection::idle() const {
  return std::all_of(used_.begin(), used_.end(), [](const Used& used) { return used.headers == 0 && used.data == 0; });
}

std::vector<hw::Counter> PcieDirection::Counters() const {
  std::vector<hw::Counter> counters;
  static constexpr const char* kNames[] = {"posted", "non_posted", "completion"};
  uint64_t payload = 0;
  for (size_t kind = 0; kind < kTlpKinds; ++kind) {
    const std::string name = kNames[kind];
    counters.push_back({block_, name + "_tlps", tlps_[kind], "TLPs", "TLPs of this kind sent"});
    payload += payload_[kind];
  }
  counters.push_back({block_, "payload", payload, "bytes", "Payload of all TLPs sent"});
  counters.push_back({block_, "busy", busy_fs_ / 1000, "ps", "Time that TLPs took on the link"});
  return counters;
}

std::optional<unsigned> TagPool::Allocate() {
  for (size_t tag = 0; tag < used_.size(); ++tag) {
    if (used_[tag]) continue;
    used_[tag] = true;
    ++in_use_;
    return static_cast<unsigned>(tag);
  }
  return std::nullopt;
}

void TagPool::Free(unsigned tag) {
  assert(tag < used_.size() && used_[tag]);
  used_[tag] = false;
  --in_use_;
}

}  // namespace gmmu::sim
