// SPDX-License-Identifier: Apache-2.0
#include "os/base/parameters.h"

#include "settings/keys.h"

namespace gmmu::os {
namespace {

constexpr char kWindows22621[] = R"(bring_up = "windows-22621"
discrete_without_remapping_refused = false
deferred_destroy = true
root_before_submission = true
paging_address_is_offset = true
fill_kib = 262144
)";

constexpr char kWindows26100[] = R"(bring_up = "windows-26100"
discrete_without_remapping_refused = false
immediate_updates_have_a_buffer = true
system_process_has_pasid = true
window_pages = 1024
window_updates = "gpu_physical"
submit_during_preemption = true
)";

}  // namespace

std::optional<hw::Stray> Inject::stray() const {
  switch (noisy_device) {
    case NoisyDevice::kNone: return std::nullopt;
    case NoisyDevice::kRead: return hw::Stray::kRead;
    case NoisyDevice::kWrite: return hw::Stray::kWrite;
    case NoisyDevice::kMessage: return hw::Stray::kMessage;
  }
  return std::nullopt;
}

const std::vector<std::string>& Inject::LeakKinds() {
  static const std::vector<std::string> kKinds = {
      "process",       "device",     "context",        "allocation",  "memory_object",
      "adl",           "cpu_view",   "page",           "pinned_page", "domain_mapping",
      "logical_range", "vram_range", "aperture_range", "va_range",    "page_table",
      "dma_buffer",    "fence",      "invalidation",   "rtl_slot"};
  return kKinds;
}

std::vector<std::string> Inject::LeakKeyValues() {
  std::vector<std::string> values = {"", "pcie_tag"};
  values.insert(values.end(), LeakKinds().begin(), LeakKinds().end());
  return values;
}

settings::Keys Parameters::Keys() {
  settings::Keys keys;
  {
    Parameters& place = *this;
    keys.Open("os", "Policy of the operating system model.").presets = {{"documents", ""},
                                                                        {"windows-22621", kWindows22621},
                                                                        {"windows-26100", kWindows26100}};
#include "settings/as_keys.h"
#include "os/base/os.def"
    keys.Close();
  }
  {
    Inject& place = inject;
    keys.Open("inject", "Deliberate faults, for tests of the checks. All are off by default.");
#include "settings/as_keys.h"
#include "os/base/inject.def"
    keys.Close();
  }
  keys.AddFree(
      "registry", registry,
      "Initial registry values for the driver. `[registry.driver]` is its service key, whose path DriverEntry "
      "receives; `[registry.device]` the software key of its device (DeviceRegistryPath); `[registry.hardware]` the "
      "hardware key of the device; `[registry.'\\Registry\\Machine\\...']` any other key. A whole number becomes a "
      "REG_DWORD, or a REG_QWORD above 32 bits; a text a REG_SZ; a list of bytes a REG_BINARY; a list of texts a "
      "REG_MULTI_SZ.");
  return keys;
}

void Parameters::Check(const std::string& file) const {
  settings::CheckMultiple(file, "os.fill_kib", fill_kib, 4);
  settings::CheckMultiple(file, "os.logical_piece_kib", logical_piece_kib, 4);
  settings::CheckMultiple(file, "os.window_pages", window_pages, 16);
  settings::CheckPowerOfTwo(file, "os.memory_block_kib", memory_block_kib);
}

}  // namespace gmmu::os
