// SPDX-License-Identifier: Apache-2.0
#include "workload/device_copy.h"

#include <algorithm>
#include <cstring>

#include "hw/gmmu_regs.h"
#include "hw/traffic.h"
#include "os/application/facts.h"
#include "os/application/gpu.h"
#include "os/base/text.h"
#include "workload/life.h"
#include "workload/lines.h"

namespace gmmu::workload {

DeviceCopy::DeviceCopy(Life& life, uint64_t bytes)
    : life_(life),
      vram_(life.vidmm.CreateAllocation("bytes that the GPU saw", bytes)),
      target_(os::MakeHostMemory(life.vidmm, bytes)) {
  life.vidmm.MakeResident(*vram_);
}

void DeviceCopy::Release() {
  life_.vidmm.DestroyAllocation(vram_);
  target_.Release();
}

std::vector<uint8_t> DeviceCopy::FromAperture(uint64_t aperture_page, uint64_t bytes) {
  life_.vidmm.transfers().CopyFromAperture(aperture_page * kPage, *vram_, 0, bytes);
  life_.vidmm.transfers().PageOut(*vram_, target_, bytes);
  const uint8_t* view = target_.Map(0, bytes);
  std::vector<uint8_t> found(view, view + bytes);
  target_.Unmap();
  return found;
}

namespace {

/// Moves the window of BAR 2 if necessary, then calls `access` with the offset from the start of
/// BAR 2.
template <typename Access>
void WithWindow(const Life& life, const os::Gpu& gpu, uint64_t offset, uint64_t bytes, const Access& access) {
  constexpr uint64_t kAlwaysShown = uint64_t{64} << 20;
  if (offset + bytes <= kAlwaysShown) return access(offset);
  hw::Platform& platform = life.host.platform();
  const uint64_t base = gpu.facts().registers + regs::WindowBase::kOffset;
  platform.MmioWrite(base, 8, regs::WindowBase().set_offset(offset / kPage * kPage).raw);
  access(offset % kPage);
  platform.MmioWrite(base, 8, regs::WindowBase().raw);
}

}  // namespace

void ReadVram(const Life& life, const os::Gpu& gpu, uint64_t offset, std::vector<uint8_t>& to) {
  WithWindow(life, gpu, offset, to.size(), [&](uint64_t at) { gpu.ReadVram(at, to.data(), to.size()); });
}

void WriteVram(const Life& life, const os::Gpu& gpu, uint64_t offset, const std::vector<uint8_t>& from) {
  WithWindow(life, gpu, offset, from.size(), [&](uint64_t at) { gpu.WriteVram(at, from.data(), from.size()); });
}

uint64_t OffsetInVram(const os::Gpu& gpu, const os::Allocation& allocation) {
  const os::GpuFacts facts = gpu.facts();
  const unsigned id = os::SegmentOf(allocation);
  const auto segment = std::find_if(facts.memory.begin(), facts.memory.end(),
                                    [id](const auto& s) { return s.id == id; });
  return *os::VramOffset(allocation) + segment->base - facts.local.base;
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
