// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <string>

#include "kmd/escape.h"
#include "workload/needs.h"
#include "workload/device_copy.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

enum class Way : uint64_t { kPinned = 1, kWindows = 2, kLost = 3 };

kmd::EscapeQuerySaveArea Area(Life& life) {
  kmd::EscapeQuerySaveArea area;
  life.gpu().Escape(area, "the query of the save area");
  return area;
}

uint64_t SameBytes(const std::vector<uint8_t>& is, const std::vector<uint8_t>& was) {
  uint64_t same = 0;
  for (size_t i = 0; i < was.size(); ++i) same += is[i] == was[i];
  return same;
}

void RunPowerCycle(Life& life, const ParameterValues& values) {
  NeedOurEscapes("kQuerySaveArea");
  const uint64_t bytes = values.at("bytes");
  const auto way = static_cast<Way>(values.at("way"));
  const kmd::EscapeQuerySaveArea area = Area(life);
  if (area.bytes == 0) {
    throw NotApplicable("the driver saves nothing of VRAM over a power transition");
  }
  // Failures are injected per section. Adapters that share a section would also share its failures,
  // so the procedure then requires a single GPU.
  const bool injected = life.options.os.inject.pin_failures != 0 || life.options.os.inject.window_failures != 0;
  for (unsigned gpu = 1; gpu < life.graphics.gpus() && injected; ++gpu)
    if (life.graphics.gpu(gpu).CapOf("DXGK_FRAMEBUFFERSAVEAREA.MaximumSize") == 0)
      NeedOneGpu(life, "a failure of [machine.inject] in a section that all adapters share");
  const std::vector<uint8_t> kept = SeededInput(life.options.seed ^ 0x736176, area.bytes);
  WriteVram(life, life.gpu(), area.offset, kept);

  // This application data stays in system memory. Procedure "sleep" covers allocations in VRAM.
  const std::vector<uint8_t> input = SeededInput(life.options.seed, bytes);
  os::SystemBuffer buffer;
  const auto fill = [&](const std::vector<uint8_t>& with) {
    std::memcpy(buffer.Map(0, bytes), with.data(), bytes);
    buffer.Unmap();
  };
  const uint64_t lines = (bytes + kLine - 1) / kLine * kLine;
  os::Allocation* allocation = nullptr;
  uint64_t elsewhere = 0;  // index of a page that the driver does not save
  life.Work([&] {
    buffer = os::MakeHostMemory(life.vidmm, lines);
    fill(input);
    allocation = life.vidmm.CreateAllocation("data", bytes);
    life.vidmm.MakeResident(*allocation);
    life.vidmm.transfers().PageIn(*allocation, buffer, lines);
    fill(std::vector<uint8_t>(bytes));
    life.vidmm.transfers().PageOut(*allocation, buffer, lines);
    elsewhere = OffsetInVram(life.gpu(), *allocation);
    life.vidmm.DestroyAllocation(allocation);
  });
  const std::vector<uint8_t> mark = SeededInput(life.options.seed ^ 0x6B72616D, kPage);
  WriteVram(life, life.gpu(), elsewhere, mark);

  std::vector<uint8_t> asleep(area.bytes);
  life.power_cycle([&] { ReadVram(life, life.gpu(), area.offset, asleep); });
  life.Compare("in D3 the device answers nobody", Difference(asleep, std::vector<uint8_t>(asleep.size(), 0xFF)));
  std::vector<uint8_t> found(mark.size());
  ReadVram(life, life.gpu(), elsewhere, found);
  const uint64_t same = SameBytes(found, mark);  // some bytes may match by chance
  life.Compare("VRAM lost its content", same < mark.size() / 16 ? "" : std::to_string(same) + " bytes stayed");

  const kmd::EscapeQuerySaveArea after = Area(life);
  const uint64_t wanted = values.at("way");
  life.Compare("way of the transfer",
               after.state == wanted ? "" : std::to_string(after.state) + ", must be " + std::to_string(wanted));
  const auto way_out = values.at("way_out") == 0 ? way : static_cast<Way>(values.at("way_out"));
  uint64_t windows = values.at("lost_after");
  for (const Way each : {way_out, way}) windows += each == Way::kWindows ? area.bytes / kPage : 0;
  life.Compare("windows",
               after.windows == windows ? "" : std::to_string(after.windows) + ", must be " + std::to_string(windows));
  std::vector<uint8_t> back(area.bytes);
  ReadVram(life, life.gpu(), area.offset, back);
  const std::vector<uint8_t> empty(area.bytes);
  life.Compare("the driver's bytes", Difference(back, way == Way::kLost ? empty : kept));

  life.Work([&] {
    allocation = life.vidmm.CreateAllocation("data again", bytes);
    life.vidmm.MakeResident(*allocation);
    life.vidmm.transfers().PageIn(*allocation, buffer, lines);
    fill(std::vector<uint8_t>(bytes));
    life.vidmm.transfers().PageOut(*allocation, buffer, lines);
    std::vector<uint8_t> came(bytes);
    std::memcpy(came.data(), buffer.Map(0, bytes), bytes);
    buffer.Unmap();
    life.Compare("what waited in system memory, through the woken GPU", Difference(came, input));
    life.vidmm.DestroyAllocation(allocation);
    buffer.Release();
  });
  RunSeededMainJob(life, bytes, "awake: ");
}

}  // namespace

Procedure PowerCycleProcedure() {
  return {"power_cycle",
          "Sends the adapter to D3 and back. VRAM loses its contents. The driver's save area is restored exactly, or "
          "cleared if it was lost. Then data is paged again and the main job runs.",
          {{"bytes", 32768, 1, kMaxInputBytes, "Number of bytes paged before and after the power cycle."},
           {"way", 1, 1, 3, "How the save area must be restored. 1: pinned pages; 2: one-page windows; 3: lost."},
           {"way_out", 0, 0, 3, "How the save area must be saved, as for way; 0: as way says."},
           {"lost_after", 0, 0, 65536, "Number of windows mapped before the save area was lost."}},
          RunPowerCycle};
}

}  // namespace gmmu::workload
