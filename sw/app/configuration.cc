// SPDX-License-Identifier: Apache-2.0
#include "app/configuration.h"

#include <algorithm>
#include <numeric>

#include "host/slowness.h"
#include "settings/keys.h"

namespace gmmu::app {
namespace {

using settings::Refuse;

constexpr uint64_t kWindows = 16;           // upper bound on scratch windows (os.window_pages)
constexpr uint64_t kLeastTdrUs = 50;        // longest non-preemptible part of a packet
constexpr uint64_t kMostScale = 1'000'000;  // upper bound of os.wait_scale
constexpr const char* kPcieTag = "pcie_tag";

/// Rejects a VRAM size that is too small for the driver's own memory, or for the part that the CPU must be able to
/// access.
void CheckVram(const sim::MachineConfig::Gpu& gpu, const DriverSettings& driver, const std::string& file) {
  constexpr uint64_t kLeast = 128;  // minimum for page tables, in KiB
  for (unsigned unit = 0; unit < gpu.count; ++unit) {
    const std::string of = " KiB of VRAM of GPU " + std::to_string(unit);
    const uint64_t vram = gpu.vram_bytes(unit) >> 10, shown = std::min(vram, gpu.window_bytes(unit) >> 10);
    if (driver.visible_vram_kib > shown)
      Refuse(file, "driver.visible_vram_kib", "the CPU sees at most " + std::to_string(shown) + of);
    const uint64_t map = gpu.aperture_mib * 2;  // in KiB; 8 bytes per 4 KiB page
    const uint64_t saved = driver.isolation ? driver.save_area_kib : 0;
    if (map + saved + kLeast > vram) {
      Refuse(file, saved > map ? "driver.save_area_kib" : "gpu.aperture_mib",
             "the save area's " + std::to_string(saved) + " KiB, the aperture's map of " + std::to_string(map) +
                 " and " + std::to_string(kLeast) + " for page tables are more than the " + std::to_string(vram) + of);
    }
  }
}

constexpr uint64_t kScenarioVariety = 200;  // default of os.variety in scenarios

/// Checks the rules that involve keys of several components. `with_gpu` is false if the machine has
/// a device model in place of a GPU.
void CheckTogether(const sim::MachineConfig& machine, const os::Parameters& os, const DriverSettings& driver,
                   bool with_gpu, const std::string& file) {
  if (os.copies_entries && driver.contiguous_pages) {
    Refuse(file, "os.copies_entries", "needs driver.contiguous_pages = false: a copied entry would promise too much");
  }
  if (!os.aperture_writes_back && !driver.coherent_aperture) {
    Refuse(file, "os.aperture_writes_back",
           "must be true with driver.coherent_aperture = false: this driver leaves the CPU's caches to the system");
  }
  const auto& bits = machine.gpu.page_table_bits;
  if (driver.leaf_64k && bits[0] < 4)
    Refuse(file, "gpu.page_table_bits", "at least 4 bits of level 0 with driver.leaf_64k");
  if (driver.dual_pte && bits[1] > 12)
    Refuse(file, "gpu.page_table_bits", "at most 12 bits of level 1 with driver.dual_pte");
  if (driver.dual_pte && driver.system_tables() && bits[1] > 8) {
    Refuse(file, "gpu.page_table_bits",
           "at most 8 bits of level 1 with driver.dual_pte and driver.page_tables = \"system\"");
  }
  if (driver.system_tables() && *std::max_element(bits.begin(), bits.end()) > 9)
    Refuse(file, "gpu.page_table_bits", "at most 9 bits a level with driver.page_tables = \"system\"");
  const uint64_t linked = os.linked_gpus == 0 ? machine.gpu.count : std::min(os.linked_gpus, machine.gpu.count);
  if (driver.system_segment_kib != 0 && linked > 1) {
    Refuse(file, "driver.system_segment_kib",
           "a segment of system memory is no linked GPU's (gpu.count, os.linked_gpus): the others reach VRAM only");
  }
  const bool remaps = os.iommu == os::RemapPolicy::kWhenPossible;
  if (os.interrupt_remapping && !(machine.iommu.present && machine.iommu.interrupt_remapping)) {
    Refuse(file, "os.interrupt_remapping",
           "needs a unit that remaps interrupts: iommu.present = true and iommu.interrupt_remapping = true");
  }
  if ((remaps || os.iommu == os::RemapPolicy::kIdentity) && !machine.iommu.present) {
    Refuse(file, "os.iommu",
           std::string(remaps ? "\"remap\"" : "\"identity\"") +
               " needs iommu.present = true; without a unit use \"physical\"");
  }
  if (!with_gpu) return;
  if (const uint64_t least_us = kLeastTdrUs * sim::Slowness(machine); os.tdr_delay_us < least_us) {
    Refuse(file, "os.tdr_delay_us",
           "a packet that does not hang may take up to " + std::to_string(least_us) +
               " us on this machine; its speed follows from " + sim::KeysOfSpeed(machine));
  }
  const uint64_t pages = uint64_t{1} << std::min<uint64_t>(63, std::accumulate(bits.begin(), bits.end(), uint64_t{0}));
  if (pages < kWindows * os.window_pages) {
    Refuse(file, "gpu.page_table_bits",
           "the virtual addresses of " + std::to_string(pages) + " pages are too few for the scratch windows: " +
               std::to_string(kWindows) + " of os.window_pages = " + std::to_string(os.window_pages));
  }
  CheckVram(machine.gpu, driver, file);
}

/// Applies one --set change. Returns the names of the keys that it has set.
std::set<std::string> Change(const settings::Keys& keys, const std::string& change) {
  const size_t equals = change.find('=');
  if (equals == std::string::npos || equals == 0 || equals + 1 == change.size())
    throw settings::Error("--set " + change + ": write SECTION.KEY=VALUE, as --set gpu.vram_mib=128");
  const std::string name = change.substr(0, equals);
  std::string value = change.substr(equals + 1);
  const size_t dot = std::min(name.rfind('.'), name.size());
  const settings::Key* key = keys.Find(name.substr(0, dot), name.substr(std::min(dot + 1, name.size())));
  if (key != nullptr && std::holds_alternative<std::string>(key->initial) && value[0] != '"' && value[0] != '\'')
    value = settings::Render(value);
  return settings::Load(keys, name + " = " + value, "--set " + change);
}

}  // namespace

Configuration Configuration::FromToml(std::string_view text, const std::string& file, const std::string& table,
                                      const std::vector<std::string>& set) {
  Configuration configuration;
  const settings::Keys keys = configuration.Keys();
  configuration.stated = settings::Load(keys, text, file, table);
  const bool scenario = table == "machine";
  if (scenario && configuration.stated.count("os.variety") == 0) configuration.os_.variety = kScenarioVariety;
  for (const std::string& change : set) configuration.stated.merge(Change(keys, change));
  configuration.machine.inject.lose_tag = configuration.os_.inject.leak == kPcieTag;
  configuration.machine.Check(file);
  configuration.os_.Check(file);
  configuration.driver.Check(file);
  configuration.device.Check(configuration.machine, file);
  CheckTogether(configuration.machine, configuration.os_, configuration.driver, !configuration.device.present(), file);
  return configuration;
}

Configuration Configuration::FromFile(const std::string& path, const std::vector<std::string>& set) {
  return FromToml(path.empty() ? "" : settings::ReadFile(path), path.empty() ? "--set" : path, "", set);
}

void Configuration::ForSerialLine() {
  const auto wait = [&](const char* key, uint64_t& value, uint64_t slow) {
    if (stated.count(key) == 0) value = slow;
  };
  wait("os.wait_scale", os_.wait_scale, 600);
  wait("os.tdr_delay_us", os_.tdr_delay_us, 120'000'000);
  wait("os.quantum_us", os_.quantum_us, 500'000);
}

settings::Keys Configuration::Keys() {
  settings::Keys keys = machine.Keys();
  keys.Append(os_.Keys());
  keys.Append(driver.Keys());
  keys.Append(device.Keys());
  return keys;
}

std::string Configuration::ToToml() const {
  Configuration copy = *this;
  return settings::ToToml(copy.Keys());
}

std::string Configuration::ToJson() const {
  Configuration copy = *this;
  return settings::ToJson(copy.Keys());
}

std::string Configuration::Page() {
  Configuration defaults;
  return "# The settings\n\n"
         "<!-- SPDX-License-Identifier: Apache-2.0. Generated: gmmu config --markdown > docs/settings.md -->\n\n"
         "These are the keys of a configuration file (`gmmu run --config FILE`) and of the tables `[machine.SECTION]` "
         "of a scenario, by\nsection. A file is TOML; keys that it omits have their defaults. `gmmu config` prints a "
         "file of all keys, `gmmu config --list\nSECTION` the keys of one section. A default in capitals is a CMake "
         "variable: the key is a size of the RTL and must equal\nthe size with which the program was built (`./gmmu "
         "build --config FILE`), or be at most that size where its meaning says so.\n\n"
         "Each setting is defined once, in [machine.def](../sim/host/machine.def), "
         "[policy.def](../sim/host/policy.def), "
         "[os.def](../sw/os/base/os.def), [inject.def](../sw/os/base/inject.def),\n"
         "[driver.def](../sw/kmd/driver.def), [device.def](../sim/device/device.def). This page and the program's "
         "error messages are derived from these files.\n" +
         settings::ToMarkdown(defaults.Keys());
}

os::Parameters Configuration::OsParameters(uint64_t seed) const {
  os::Parameters parameters = os_;
  parameters.seed = seed;
  parameters.wait_scale = std::min(os_.wait_scale * sim::Slowness(machine), kMostScale);
  parameters.aperture_bytes = machine.gpu.aperture_bytes();
  parameters.limit_bits = machine.gpu.limit_bits;
  parameters.page_table_bits = machine.gpu.page_table_bits;
  parameters.driver = driver.Registry();
  if (device.present()) parameters.driver["VramBytes"] = device.memory_bytes(machine);
  // The machine itself injects this leak, so the operating system model must not.
  if (machine.inject.lose_tag) parameters.inject.leak.clear();
  return parameters;
}

}  // namespace gmmu::app
