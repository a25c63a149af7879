// SPDX-License-Identifier: Apache-2.0
#include "workload/device_copy.h"

#include <algorithm>
#include <cstring>

#include "hw/traffic.h"
#include "os/base/text.h"
#include "workload/life.h"
#include "workload/lines.h"

namespace gmmu::workload {

DeviceCopy::DeviceCopy(Life& life, uint64_t bytes)
    : life_(life), vram_(life.memory.CreateAllocation("bytes that the GPU saw", bytes)), target_(life.memory, bytes) {
  life.memory.MakeResident(*vram_);
}

void DeviceCopy::Release() {
  life_.memory.DestroyAllocation(vram_);
  target_.Release();
}

std::vector<uint8_t> DeviceCopy::FromAperture(uint64_t aperture_page, uint64_t bytes) {
  life_.aperture.CopyOut(aperture_page * kPage, *vram_, 0, bytes);
  life_.memory.PageOut(*vram_, target_, bytes);
  const uint8_t* view = target_.Map(0, bytes);
  std::vector<uint8_t> found(view, view + bytes);
  target_.Unmap();
  return found;
}

std::vector<uint8_t> PatternAt(uint64_t va, uint64_t bytes, uint64_t seed) {
  std::vector<uint8_t> pattern(bytes);
  for (uint64_t at = 0; at < bytes; at += 8) {
    const uint64_t word = hw::AddressPattern(seed, va + at);
    std::memcpy(pattern.data() + at, &word, sizeof word);
  }
  return pattern;
}

std::string Difference(const std::vector<uint8_t>& found, const std::vector<uint8_t>& expected) {
  if (found.size() != expected.size())
    return std::to_string(found.size()) + " bytes, expected " + std::to_string(expected.size());
  const auto at = std::mismatch(found.begin(), found.end(), expected.begin());
  if (at.first == found.end()) return "";
  return "byte " + std::to_string(at.first - found.begin()) + " is " + os::Hex(*at.first) + ", expected " +
         os::Hex(*at.second);
}

}  // namespace gmmu::workload
