// SPDX-License-Identifier: Apache-2.0
#include "platform/config.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <numeric>
#include <sstream>

#include <toml++/toml.h>

#include "platform/config_keys.h"

namespace gmmu::sim {
namespace {

std::string FullName(const Key& key) { return std::string(key.section) + "." + key.name; }

size_t EditDistance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t above = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, diagonal + (a[i - 1] == b[j - 1] ? 0 : 1)});
      diagonal = above;
    }
  }
  return row.back();
}

/// The known key that is the least edits away; a key of the same section wins over one elsewhere.
std::string Nearest(const std::string& section, const std::string& name) {
  std::string best;
  size_t best_distance = ~size_t{0};
  for (const Key& key : ConfigKeys()) {
    const bool here = section == key.section;
    const size_t distance =
        2 * EditDistance(name, key.name) + (here ? 0 : 2 * EditDistance(section, key.section) + 1);
    if (distance < best_distance) {
      best_distance = distance;
      best = FullName(key);
    }
  }
  return best;
}

std::string NearestSection(const std::string& name) {
  std::string best;
  size_t best_distance = ~size_t{0};
  for (const Key& key : ConfigKeys()) {
    const size_t distance = EditDistance(name, key.section);
    if (distance < best_distance) {
      best_distance = distance;
      best = key.section;
    }
  }
  return best;
}

std::string Allowed(const Key& key) {
  std::ostringstream out;
  if (std::holds_alternative<bool>(key.initial)) return "true or false";
  if (std::holds_alternative<std::string>(key.initial)) {
    if (key.choices.empty()) return "a string";
    for (size_t i = 0; i < key.choices.size(); ++i)
      out << (i == 0 ? "" : " or ") << '"' << key.choices[i] << '"';
    return out.str();
  }
  const bool list = std::holds_alternative<std::vector<uint64_t>>(key.initial);
  out << (list ? "a list of 2 to 6 whole numbers, each " : "a whole number");
  if (key.max == static_cast<uint64_t>(INT64_MAX)) {
    out << (list ? "" : ", ") << "at least " << key.min;
  } else {
    out << (list ? "" : " from ") << key.min << " to " << key.max;
  }
  if (*key.unit != '\0') out << " (" << key.unit << ")";
  return out.str();
}

class Loader {
 public:
  Loader(MachineConfig& config, const std::string& file) : config_(config), file_(file) {}

  void Load(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const std::string section(name.str());
      if (!KnownSection(section)) {
        Fail(node,
             "unknown section [" + section + "]; the nearest is [" + NearestSection(section) + "]");
      }
      if (!node.is_table())
        Fail(node, section + " is a section: write [" + section + "] and its keys below");
      Section(section, *node.as_table());
    }
  }

  /// Rules between keys. They have no line of their own.
  void CheckTogether() const {
    const auto& c = config_;
    const auto& bits = c.gpu.page_table_bits;
    const uint64_t va = 12 + std::accumulate(bits.begin(), bits.end(), uint64_t{0});
    if (va > c.gpu.va_bits) {
      FailKey("gpu.page_table_bits", "12 page bits and the levels make " + std::to_string(va) +
                                         " address bits, gpu.va_bits is " +
                                         std::to_string(c.gpu.va_bits));
    }
    if (c.gpu.vram_beats > c.gpu.vram_beat_cycles) {
      FailKey("gpu.vram_beats", "at most gpu.vram_beat_cycles = " +
                                    std::to_string(c.gpu.vram_beat_cycles) + " is possible");
    }
    if (c.gpu.aperture_mib * 2 > c.gpu.vram_mib * 1024) {  // 8 bytes a page of 4 KiB
      FailKey("gpu.aperture_mib",
              "its map does not fit in gpu.vram_mib = " + std::to_string(c.gpu.vram_mib));
    }
    PowerOfTwo("pcie.lanes", c.pcie.lanes);
    PowerOfTwo("pcie.max_payload", c.pcie.max_payload);
    PowerOfTwo("pcie.max_read_request", c.pcie.max_read_request);
    PowerOfTwo("pcie.completion_boundary", c.pcie.completion_boundary);
    PowerOfTwo("host.dram_burst_bytes", c.host.dram_burst_bytes);
    PowerOfTwo("iommu.iotlb_sets", c.iommu.iotlb_sets);
    if (c.host.dram_row_bytes % c.host.dram_burst_bytes != 0) {
      FailKey("host.dram_row_bytes", "must be a multiple of host.dram_burst_bytes = " +
                                         std::to_string(c.host.dram_burst_bytes));
    }
    if (c.host.dram_trefi_ps != 0 && c.host.dram_trfc_ps >= c.host.dram_trefi_ps) {
      FailKey("host.dram_trfc_ps",
              "must be below host.dram_trefi_ps = " + std::to_string(c.host.dram_trefi_ps));
    }
    if (c.host.gpu_reserved_kib % 4 != 0) FailKey("host.gpu_reserved_kib", "must be a multiple of 4");
    if (c.driver.save_area_kib % 4 != 0) FailKey("driver.save_area_kib", "must be a multiple of 4");
    if (c.driver.context_kib % 4 != 0) FailKey("driver.context_kib", "must be a multiple of 4");
    if (c.os.fill_kib % 4 != 0) FailKey("os.fill_kib", "must be a multiple of 4");
    if (c.driver.paging_private_bytes % 16 != 0) FailKey("driver.paging_private_bytes", "must be a multiple of 16");
    if (c.os.copies_entries && c.driver.contiguous_pages)
      FailKey("os.copies_entries", "needs driver.contiguous_pages = false: a copied entry would promise too much");
    if (c.driver.isolation_required && !c.driver.isolation) {
      FailKey("driver.isolation_required", "is true, driver.isolation is false: what is needed must be supported");
    }
    if (c.driver.paging_buffer_bytes % 64 != 0) FailKey("driver.paging_buffer_bytes", "must be a multiple of 64");
    if (c.os.window_pages % 16 != 0) FailKey("os.window_pages", "must be a multiple of 16");
    if ((c.driver.dual_pte || c.driver.system_64k) && !c.driver.leaf_64k)
      FailKey(c.driver.dual_pte ? "driver.dual_pte" : "driver.system_64k", "needs driver.leaf_64k = true");
    if (c.driver.leaf_64k && bits[0] < 4)
      FailKey("gpu.page_table_bits", "at least 4 bits of level 0 with driver.leaf_64k");
    if (c.driver.dual_pte && bits[1] > 12)
      FailKey("gpu.page_table_bits", "at most 12 bits of level 1 with driver.dual_pte");
    if (c.driver.dual_pte && c.driver.system_tables() && bits[1] > 8)
      FailKey("gpu.page_table_bits",
              "at most 8 bits of level 1 with driver.dual_pte and driver.page_tables = \"system\"");
    for (const uint64_t bytes : c.driver.page_table_bytes) {
      if (bytes % 4096 != 0) FailKey("driver.page_table_bytes", std::to_string(bytes) + " is not a multiple of 4096");
      if (bytes > 4096 && c.driver.system_tables())
        FailKey("driver.page_table_bytes", "tables of driver.page_tables = \"system\" have 4096 bytes");
    }
    PowerOfTwo("driver.page_table_alignment", c.driver.page_table_alignment);
    if (c.driver.page_table_alignment != 0 && c.driver.page_table_alignment < 4096)
      FailKey("driver.page_table_alignment", "must be 0 or at least 4096");
    if (c.driver.system_tables() && *std::max_element(bits.begin(), bits.end()) > 9) {
      FailKey("gpu.page_table_bits", "at most 9 bits a level with driver.page_tables = \"system\"");
    }
    if (c.os.needs_unit() && !c.iommu.present) {
      FailKey("os.iommu", "\"" + c.os.iommu + "\" needs iommu.present = true; without a unit use \"physical\"");
    }
  }

 private:
  static bool KnownSection(const std::string& section) {
    return std::any_of(ConfigKeys().begin(), ConfigKeys().end(), [&](const Key& key) {
      return section == key.section ||
             std::string(key.section).compare(0, section.size() + 1, section + ".") == 0;
    });
  }

  void Section(const std::string& section, const toml::table& table) {
    for (const auto& [name, node] : table) {
      const std::string leaf(name.str());
      if (section == "gpu" && leaf == "unit") {
        Units(node);
        continue;
      }
      if (node.is_table() && KnownSection(section + "." + leaf)) {
        Section(section + "." + leaf, *node.as_table());
        continue;
      }
      const auto& keys = ConfigKeys();
      const auto key = std::find_if(keys.begin(), keys.end(), [&](const Key& k) {
        return section == k.section && leaf == k.name;
      });
      if (key == keys.end()) {
        Fail(node,
             "unknown key " + section + "." + leaf + "; the nearest is " + Nearest(section, leaf));
      }
      Set(*key, node);
    }
  }

  void Units(const toml::node& node) {
    const toml::array* units = node.as_array();
    if (units == nullptr || !units->is_array_of_tables())
      Fail(node, "gpu.unit is a list of sections: write [[gpu.unit]]");
    if (units->size() > 1)
      Fail(*units->get(1), "a second [[gpu.unit]]: the GPUs of a machine are equal; write [gpu] count = 2");
    Section("gpu", *units->get(0)->as_table());
  }

  void Set(const Key& key, const toml::node& node) {
    const KeySlot slot = key.slot(config_);
    if (auto* number = std::get_if<uint64_t*>(&slot)) {
      **number = Number(key, node);
    } else if (auto* flag = std::get_if<bool*>(&slot)) {
      if (!node.is_boolean()) Bad(key, node);
      **flag = node.as_boolean()->get();
    } else if (auto* text = std::get_if<std::string*>(&slot)) {
      if (!node.is_string()) Bad(key, node);
      const std::string& value = node.as_string()->get();
      if (!key.choices.empty() &&
          std::find(key.choices.begin(), key.choices.end(), value) == key.choices.end())
        Bad(key, node);
      **text = value;
    } else if (auto* list = std::get_if<std::vector<uint64_t>*>(&slot)) {
      const toml::array* array = node.as_array();
      if (array == nullptr || array->size() < 2 || array->size() > 6) Bad(key, node);
      std::vector<uint64_t> values;
      for (const toml::node& element : *array) values.push_back(Number(key, element));
      **list = std::move(values);
    }
  }

  uint64_t Number(const Key& key, const toml::node& node) const {
    if (!node.is_integer()) Bad(key, node);
    const int64_t value = node.as_integer()->get();
    if (value < 0 || static_cast<uint64_t>(value) < key.min ||
        static_cast<uint64_t>(value) > key.max)
      Bad(key, node);
    return static_cast<uint64_t>(value);
  }

  void PowerOfTwo(const char* name, uint64_t value) const {
    if ((value & (value - 1)) != 0) FailKey(name, std::to_string(value) + " is not a power of two");
  }

  [[noreturn]] void Bad(const Key& key, const toml::node& node) const {
    std::ostringstream value;
    value << toml::node_view<const toml::node>(&node);
    Fail(node, FullName(key) + " = " + value.str() + " is not possible; allowed: " + Allowed(key));
  }
  [[noreturn]] void Fail(const toml::node& node, const std::string& text) const {
    throw ConfigError(file_ + ":" + std::to_string(node.source().begin.line) + ": " + text);
  }
  [[noreturn]] void FailKey(const std::string& key, const std::string& text) const {
    throw ConfigError(file_ + ": " + key + ": " + text);
  }

  MachineConfig& config_;
  const std::string& file_;
};

std::string Render(const KeyValue& value) {
  if (const auto* number = std::get_if<uint64_t>(&value)) return std::to_string(*number);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "true" : "false";
  std::ostringstream out;
  if (const auto* text = std::get_if<std::string>(&value)) {
    out << toml::value<std::string>(*text);
    return out.str();
  }
  out << "[";
  const auto& list = std::get<std::vector<uint64_t>>(value);
  for (size_t i = 0; i < list.size(); ++i) out << (i == 0 ? "" : ", ") << list[i];
  out << "]";
  return out.str();
}

KeyValue ValueAt(const KeySlot& slot) {
  return std::visit([](auto* place) { return KeyValue(*place); }, slot);
}

}  // namespace

double MachineConfig::Pcie::payload_bytes_per_second() const {
  // Raw bit rate of a lane after its line code, then what the link layer leaves, then full packets.
  static constexpr double kLane[] = {
      0, 2.0e9, 4.0e9, 8e9 * 128 / 130, 16e9 * 128 / 130, 32e9 * 128 / 130};
  const double lane = kLane[std::min<uint64_t>(generation, 5)];
  const double link =
      lane * static_cast<double>(lanes) / 8 * static_cast<double>(link_layer_ppm) / 1e6;
  const auto payload = static_cast<double>(max_payload);
  return link * payload / (payload + static_cast<double>(tlp_overhead));
}

MachineConfig MachineConfig::Default() {
  MachineConfig config{};
  for (const Key& key : ConfigKeys()) {
    const KeySlot slot = key.slot(config);
    std::visit(
        [&](auto* place) {
          *place = std::get<std::remove_pointer_t<decltype(place)>>(key.initial);
        },
        slot);
  }
  return config;
}

MachineConfig MachineConfig::FromToml(std::string_view text, const std::string& file, const std::string& section) {
  MachineConfig config = Default();
  toml::table root;
  try {
    root = toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    throw ConfigError(file + ":" + std::to_string(error.source().begin.line) +
                      ": not TOML: " + std::string(error.description()));
  }
  const toml::table* table = section.empty() ? &root : root[section].as_table();
  Loader loader(config, file);
  if (table != nullptr) loader.Load(*table);
  loader.CheckTogether();
  return config;
}

MachineConfig MachineConfig::FromFile(const std::string& path) {
  const auto refuse = [&](const char* why) {
    throw ConfigError(path + ": cannot be read: " + why +
                      "\nGive a TOML file; `gmmu config` prints one.");
  };
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (file == nullptr) refuse(std::strerror(errno));
  std::string text;
  char block[4096];
  for (size_t got; (got = std::fread(block, 1, sizeof block, file)) > 0;) text.append(block, got);
  const int error = std::ferror(file) != 0 ? errno : 0;  // a folder opens, but does not read
  std::fclose(file);
  if (error != 0) refuse(std::strerror(error));
  return FromToml(text, path);
}

std::string MachineConfig::ToToml() const {
  std::ostringstream out;
  out << "# gmmu machine configuration. Every key with its value; keys left out have their "
         "defaults.\n"
         "# run: read at start. build: a parameter of the RTL, must equal what the program was "
         "built with.\n";
  std::string section;
  MachineConfig copy = *this;
  for (const Key& key : ConfigKeys()) {
    if (section != key.section) {
      section = key.section;
      const std::string text = SectionDescription(section);
      out << "\n";
      if (!text.empty()) out << "# " << text << "\n";
      out << "[" << section << "]\n";
    }
    const KeyValue value = ValueAt(key.slot(copy));
    out << "# " << key.description << " " << (key.kind == KeyKind::kBuild ? "build" : "run") << ", "
        << Allowed(key) << ", default " << Render(key.initial) << "\n"
        << key.name << " = " << Render(value) << "\n";
  }
  return out.str();
}

std::vector<std::string> MachineConfig::BuildOptions() const {
  std::vector<std::string> options;
  MachineConfig copy = *this;
  for (const Key& key : ConfigKeys()) {
    if (key.kind != KeyKind::kBuild) continue;
    const KeyValue value = ValueAt(key.slot(copy));
    if (value != key.initial) options.push_back(key.build_option + ("=" + Render(value)));
  }
  return options;
}

void MachineConfig::CheckBuilt(const std::string& file) const {
  std::string keys;
  MachineConfig copy = *this;
  for (const Key& key : ConfigKeys()) {
    if (key.kind != KeyKind::kBuild) continue;
    const KeyValue value = ValueAt(key.slot(copy));
    if (value == key.initial) continue;
    keys += (keys.empty() ? "" : ", ") + FullName(key) + " = " + Render(value) +
            " (built: " + Render(key.initial) + ")";
  }
  if (keys.empty()) return;
  throw ConfigError("this program was built with other sizes: " + keys +
                    "\nBuild the machine with: ./gmmu build --config " + file +
                    "\nThen ./gmmu run --config " + file + " finds it.");
}

}  // namespace gmmu::sim
