// SPDX-License-Identifier: Apache-2.0
#include "host/config.h"

#include <algorithm>
#include <numeric>

#include "hw/gmmu_regs.h"
#include "settings/keys.h"

namespace gmmu::sim {
namespace {

/// A configured size that this program's RTL was not built with and cannot be reduced to.
struct Unbuilt {
  std::string name, option, value, built;
};

/// Whether this program's RTL can be reduced to the wanted size of `key`, with all other sizes as
/// built. The two sizes of the L2 TLB are checked together.
bool TurnsDown(const settings::Key& key, const TlbSizes& wanted) {
  const TlbSizes built = MachineConfig::Default().gpu.tlb_sizes();
  TlbSizes only = built;
  if (key.name == "l1_entries") only.l1_entries = wanted.l1_entries;
  else if (key.name == "walk_cache") only.walk_cache = wanted.walk_cache;
  else if (key.name == "walks") only.walks = wanted.walks;
  else only.l2_entries = wanted.l2_entries, only.l2_ways = wanted.l2_ways;
  return CanTurnDown(only, built);
}

void CheckCanBuild(const MachineConfig& config) {
  if (CanBuild(config.gpu.tlb_sizes())) return;
  throw ConfigError(
      "no RTL has gpu.l2_entries = " + std::to_string(config.gpu.l2_entries) + ", gpu.l2_ways = " +
      std::to_string(config.gpu.l2_ways) + ", gpu.walk_cache = " + std::to_string(config.gpu.walk_cache) +
      ": each is a power of two there, with 16 entries or more a way\nGive --engine fast, which takes any "
      "size.");
}

std::vector<Unbuilt> FindUnbuilt(MachineConfig config) {
  CheckCanBuild(config);
  std::vector<Unbuilt> unbuilt;
  const settings::Keys keys = config.Keys();
  for (const settings::Key* key : keys.all()) {
    if (key->build_option.empty() || key->value() == key->initial) continue;
    if (key->up_to_built && TurnsDown(*key, config.gpu.tlb_sizes())) continue;
    unbuilt.push_back(
        {key->full_name(), key->build_option, settings::Render(key->value()), settings::Render(key->initial)});
  }
  return unbuilt;
}

}  // namespace

double MachineConfig::Pcie::payload_bytes_per_second() const {
  // The bit rate of a lane after line coding, times the share that the link layer leaves, times the
  // efficiency of full packets.
  static constexpr double kLane[] = {0, 2.0e9, 4.0e9, 8e9 * 128 / 130, 16e9 * 128 / 130, 32e9 * 128 / 130};
  const double lane = kLane[std::min<uint64_t>(generation, 5)];
  const double link = lane * static_cast<double>(lanes) / 8 * static_cast<double>(link_layer_ppm) / 1e6;
  const auto payload = static_cast<double>(max_payload);
  return link * payload / (payload + static_cast<double>(tlp_overhead));
}

settings::Keys MachineConfig::Keys() {
  settings::Keys keys;
  MachineConfig& place = *this;
#include "settings/as_keys.h"
#include "host/machine.def"
#include "settings/as_keys.h"
#include "host/policy.def"
  return keys;
}

namespace {

void CheckPolicy(const std::string& file, const MachineConfig::Policy& policy) {
  using settings::Refuse;
  settings::CheckPowerOfTwo(file, "policy.l2_block_pages", policy.l2_block_pages);
  if (policy.fill != 0) settings::CheckPowerOfTwo(file, "policy.fill", policy.fill);
  if (policy.l3_entries != 0) settings::CheckPowerOfTwo(file, "policy.l3_entries", policy.l3_entries);
  settings::CheckPowerOfTwo(file, "policy.l3_ways", policy.l3_ways);
  if (policy.merge_lines && policy.schedule == Schedule::kNone && policy.file.empty())
    Refuse(file, "policy.merge_lines", "there is no queue: give policy.schedule = \"arrival\" or \"shortest\"");
  if (policy.file.empty()) {
    if (!policy.arguments.empty()) Refuse(file, "policy.arguments", "is for a policy of policy.file, which is empty");
    return;
  }
  const MachineConfig::Policy hardware;
  const std::pair<const char*, bool> chosen[] = {
      {"policy.l1_replacement", policy.l1_replacement != hardware.l1_replacement},
      {"policy.l2_replacement", policy.l2_replacement != hardware.l2_replacement},
      {"policy.partition", policy.partition != hardware.partition},
      {"policy.fill", policy.fill != hardware.fill},
      {"policy.prefetch", policy.prefetch != hardware.prefetch},
      {"policy.schedule", policy.schedule == Schedule::kShortest}};
  for (const auto& [key, stated] : chosen)
    if (stated) Refuse(file, key, "is the choice of policy.file = \"" + policy.file + "\"; give one of the two");
}

}  // namespace

void MachineConfig::Check(const std::string& file) const {
  using settings::CheckPowerOfTwo;
  using settings::Refuse;
  const uint64_t way = gpu.l2_ways * policy.l2_block_pages, sets = gpu.l2_entries / std::max<uint64_t>(way, 1);
  if (sets == 0 || sets * way != gpu.l2_entries || (sets & (sets - 1)) != 0) {
    Refuse(file, "gpu.l2_entries",
           "is sets times ways times the " + std::to_string(policy.l2_block_pages) +
               " entries of a block, the sets a power of two: " + std::to_string(gpu.l2_entries) +
               " with gpu.l2_ways = " + std::to_string(gpu.l2_ways) + " is not");
  }
  const uint64_t va = 12 + std::accumulate(gpu.page_table_bits.begin(), gpu.page_table_bits.end(), uint64_t{0});
  if (va > gpu.va_bits) {
    Refuse(file, "gpu.page_table_bits",
           "12 page bits and the levels make " + std::to_string(va) + " address bits, gpu.va_bits is " +
               std::to_string(gpu.va_bits));
  }
  if (gpu.vram_beats > gpu.vram_beat_cycles) {
    Refuse(file, "gpu.vram_beats",
           "at most gpu.vram_beat_cycles = " + std::to_string(gpu.vram_beat_cycles) + " is possible");
  }
  for (unsigned unit = 0; unit < gpu.count; ++unit) {
    // The aperture map in VRAM has 8 bytes per 4 KiB page: 2 KiB per MiB of the aperture.
    if (gpu.aperture_mib << 11 > gpu.vram_bytes(unit))
      Refuse(file, "gpu.aperture_mib",
             "its map does not fit in the " + std::to_string(gpu.vram_bytes(unit) >> 20) + " MiB of VRAM of GPU " +
                 std::to_string(unit));
  }
  CheckPowerOfTwo(file, "gpu.reads_in_flight", gpu.reads_in_flight);
  CheckPowerOfTwo(file, "gpu.data_bits", gpu.data_bits);
  CheckPowerOfTwo(file, "pcie.lanes", pcie.lanes);
  CheckPowerOfTwo(file, "pcie.max_payload", pcie.max_payload);
  CheckPowerOfTwo(file, "pcie.max_read_request", pcie.max_read_request);
  CheckPowerOfTwo(file, "pcie.completion_boundary", pcie.completion_boundary);
  CheckPowerOfTwo(file, "host.dram_burst_bytes", host.dram_burst_bytes);
  CheckPowerOfTwo(file, "iommu.iotlb_sets", iommu.iotlb_sets);
  if (host.dram_row_bytes % host.dram_burst_bytes != 0) {
    Refuse(file, "host.dram_row_bytes",
           "must be a multiple of host.dram_burst_bytes = " + std::to_string(host.dram_burst_bytes));
  }
  if (host.dram_trefi_ps != 0 && host.dram_trfc_ps >= host.dram_trefi_ps)
    Refuse(file, "host.dram_trfc_ps", "must be below host.dram_trefi_ps = " + std::to_string(host.dram_trefi_ps));
  CheckPolicy(file, policy);
  settings::CheckMultiple(file, "host.gpu_reserved_kib", host.gpu_reserved_kib, 4);
}

std::vector<std::string> MachineConfig::BuildOptions() const {
  std::vector<std::string> options;
  for (const Unbuilt& size : FindUnbuilt(*this)) options.push_back(size.option + "=" + size.value);
  return options;
}

void MachineConfig::CheckBuilt(const std::string& file) const {
  std::string sizes, changes;
  for (const Unbuilt& size : FindUnbuilt(*this)) {
    sizes += (sizes.empty() ? "" : ", ") + size.name + " = " + size.value + " (built: " + size.built + ")";
    changes += " --set " + size.name + "=" + size.value;
  }
  if (sizes.empty()) return;
  const std::string machine = file.empty() ? changes : " --config " + file;
  throw ConfigError("this program was built with other sizes: " + sizes + "\nBuild the machine with: ./gmmu build" +
                    machine + "\nThen ./gmmu run" + machine + " finds it.");
}

regs::SizesInUse MachineConfig::TurnedDown() const {
  const TlbSizes sizes = gpu.tlb_sizes();
  return sizes == Default().gpu.tlb_sizes() ? regs::SizesInUse{} : sizes.Register();
}

void MachineConfig::CheckNotTurnedDown(const std::string& who) const {
  if (TurnedDown().raw == 0) return;
  throw ConfigError(who +
                    " does not write register sizes_in_use, by which the RTL uses fewer TLB entries, ways, walk cache "
                    "entries or walks than were built\nLeave gpu.l1_entries, l2_entries, l2_ways, walk_cache and walks "
                    "out, and write the register in your software.");
}

std::string MachineConfig::StatedPolicy() const {
  MachineConfig copy = *this;
  std::string names;
  const settings::Keys keys = copy.Keys();
  for (const settings::Key* key : keys.all())
    if (key->section == "policy" && key->value() != key->initial)
      names += (names.empty() ? "" : ", ") + key->full_name();
  return names;
}

void MachineConfig::CheckNoPolicy(const std::string& engine) const {
  const std::string names = StatedPolicy();
  if (names.empty()) return;
  throw ConfigError("--engine " + engine + " is the hardware as it is and has no policies: " + names +
                    "\nGive --engine fast for them (docs/policies.md).");
}

}  // namespace gmmu::sim
