// SPDX-License-Identifier: Apache-2.0
#include "host/host_image.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "host/ram_of_iommu.h"
#include "hw/platform.h"

namespace gmmu::sim {
namespace {

void Put64(std::ostream& out, uint64_t value) {
  char bytes[8];
  for (unsigned i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  out.write(bytes, sizeof bytes);
}

hw::Bdf BdfOf(uint16_t requester) {
  hw::Bdf bdf;
  bdf.bus = static_cast<uint8_t>(requester >> 8);
  bdf.device = static_cast<uint8_t>(requester >> 3 & 31);
  bdf.function = static_cast<uint8_t>(requester & 7);
  return bdf;
}

}  // namespace

void WriteHostImage(const hw::HostRam& ram, std::ostream& out) {
  out.write("HOSTIMG1", 8);
  const std::vector<uint64_t> pages = ram.PagesWithData();
  std::vector<char> page(hw::kPageSize);
  for (size_t first = 0; first < pages.size();) {
    size_t end = first + 1;
    while (end < pages.size() && pages[end] == pages[end - 1] + 1) ++end;
    Put64(out, pages[first] * hw::kPageSize);
    Put64(out, (end - first) * hw::kPageSize);
    for (; first < end; ++first) {
      if (!ram.Read(pages[first] * hw::kPageSize, page.data(), page.size())) {
        throw std::runtime_error(fmt::format("host page {:#x} cannot be read", pages[first]));
      }
      out.write(page.data(), static_cast<std::streamsize>(page.size()));
    }
  }
}

std::string MappingsAsJson(const Remapper* remapper, hw::HostRam& ram) {
  nlohmann::ordered_json dump;
  const bool on = remapper != nullptr && remapper->translating();
  dump["root"] = fmt::format("{:#x}", on ? remapper->root() : 0);
  dump["aw_bits"] = 0;
  dump["devices"] = nlohmann::ordered_json::array();
  if (on) {
    RamOfIommu memory(ram);
    for (const RemapDevice& device : remapper->Mappings(memory)) {
      dump["aw_bits"] = device.address_bits;
      nlohmann::ordered_json mappings = nlohmann::ordered_json::array();
      for (const RemapMapping& m : device.mappings) {
        mappings.push_back({{"logical", fmt::format("{:#x}", m.logical)},
                            {"host", fmt::format("{:#x}", m.hpa)},
                            {"bytes", m.bytes},
                            {"read", m.read},
                            {"write", m.write}});
      }
      dump["devices"].push_back({{"bdf", BdfOf(device.requester).ToString()},
                                 {"domain", device.domain},
                                 {"pass_through", device.pass_through},
                                 {"mappings", mappings}});
    }
  }
  return dump.dump(2) + "\n";
}

}  // namespace gmmu::sim
