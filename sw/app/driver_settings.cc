// SPDX-License-Identifier: Apache-2.0
#include "app/driver_settings.h"

#include "settings/keys.h"

namespace gmmu::app {

settings::Keys DriverSettings::Keys() {
  settings::Keys keys;
  auto& others = keys.Open("driver", "Parameters of the display driver.").others;
  const auto choice = [&](const char* name, uint64_t& member, uint64_t initial, const char* text,
                          std::vector<settings::Choice> choices) -> settings::Key& {
    settings::Key key;
    key.name = name;
    key.place = settings::ChoicePlace::Of(member);
    key.text = text;
    for (const settings::Choice& each : choices)
      if (each.value == initial) key.initial = each.name;
    key.choices = std::move(choices);
    return keys.Add(std::move(key));
  };
#define NAMED(name, number) {name, number}
#define NUMBER(key, Value, initial, unit, min, max, text) \
  keys.AddNumber(#key, key, initial, unit, min, max, text).other_name = #Value;
#define BYTES(key, member, Value, lg2, initial, unit, min, max, text) NUMBER(key, Value, initial, unit, min, max, text)
#define SWITCH(key, Value, initial, text) keys.AddSwitch(#key, key, initial, text).other_name = #Value;
#define CHOICE(key, member, Value, initial, text, ...) \
  choice(#key, key, initial, text, {__VA_ARGS__}).other_name = #Value;
#define LEVELS(key, Value, unit, min, max, text) \
  keys.AddList(#key, key, {0, 0}, unit, min, max, text).other_name = #Value "0 to 5";
#define NO_KEY(member, Value, initial, text) others.push_back({#Value, text});
#include "kmd/driver.def"
#undef NAMED
  keys.Close();
  return keys;
}

void DriverSettings::Check(const std::string& file) const {
  using settings::CheckMultiple;
  using settings::Refuse;
  CheckMultiple(file, "driver.save_area_kib", save_area_kib, 4);
  CheckMultiple(file, "driver.visible_vram_kib", visible_vram_kib, 64);
  CheckMultiple(file, "driver.system_segment_kib", system_segment_kib, 64);
  CheckMultiple(file, "driver.context_kib", context_kib, 4);
  CheckMultiple(file, "driver.paging_private_bytes", paging_private_bytes, 16);
  CheckMultiple(file, "driver.paging_buffer_bytes", paging_buffer_bytes, 64);
  if (host_aperture && system_segment_kib != 0)
    Refuse(file, "driver.host_aperture", "needs VRAM as memory segments, and driver.system_segment_kib is not 0");
  if (isolation_required && !isolation) {
    Refuse(file, "driver.isolation_required", "is true, driver.isolation is false: what is needed must be supported");
  }
  if ((dual_pte || system_64k) && !leaf_64k)
    Refuse(file, dual_pte ? "driver.dual_pte" : "driver.system_64k", "needs driver.leaf_64k = true");
  for (const uint64_t bytes : page_table_bytes) {
    if (bytes % 4096 != 0)
      Refuse(file, "driver.page_table_bytes", std::to_string(bytes) + " is not a multiple of 4096");
    if (bytes > 4096 && system_tables())
      Refuse(file, "driver.page_table_bytes", "tables of driver.page_tables = \"system\" have 4096 bytes");
  }
  settings::CheckPowerOfTwo(file, "driver.page_table_alignment", page_table_alignment);
  if (page_table_alignment != 0 && page_table_alignment < 4096)
    Refuse(file, "driver.page_table_alignment", "must be 0 or at least 4096");
}

std::map<std::string, uint64_t> DriverSettings::Registry() const {
  std::map<std::string, uint64_t> values;
#define NUMBER(key, Value, initial, unit, min, max, text) values[#Value] = key;
#define BYTES(key, member, Value, lg2, initial, unit, min, max, text) values[#Value] = key << lg2;
#define SWITCH(key, Value, initial, text) values[#Value] = key;
#define CHOICE(key, member, Value, initial, text, ...) values[#Value] = key;
#define LEVELS(key, Value, unit, min, max, text) \
  for (size_t level = 0; level < key.size(); ++level) values[#Value + std::to_string(level)] = key[level];
#define NO_KEY(member, Value, initial, text)
#include "kmd/driver.def"
  values["DriverVaUser"] = 1;
  return values;
}

}  // namespace gmmu::app
