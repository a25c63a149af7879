// SPDX-License-Identifier: Apache-2.0
#include "board/sizes.h"

#include <map>

#include <fmt/format.h>

#include "hw/gmmu_regs.h"
#include "settings/keys.h"

namespace gmmu::sim::board {
namespace {

std::map<std::string, uint64_t> Built(const BoardIdentity& board) {
  const regs::Cap0 cap0{board.cap0};
  const regs::Cap1 cap1{board.cap1};
  return {{"gpu.clients", cap0.clients()},       {"gpu.rings", cap0.rings()},
          {"gpu.spaces", cap0.spaces()},         {"gpu.l1_entries", cap1.l1_entries()},
          {"gpu.l2_entries", cap1.l2_entries()}, {"gpu.l2_ways", cap1.l2_ways()},
          {"gpu.walk_cache", cap1.walk_cache()}, {"gpu.walks", cap0.walks()},
          {"gpu.reads_in_flight", cap0.reads()}, {"gpu.data_bits", cap0.bus_bytes() * 8},
          {"gpu.va_bits", cap0.va_bits()},       {"gpu.clock_mhz", (board.clock_hz + 500'000) / 1'000'000}};
}

TlbSizes BuiltTlbs(const BoardIdentity& board) {
  const regs::Cap1 cap1{board.cap1};
  return {cap1.l1_entries(), cap1.l2_entries(), cap1.l2_ways(), cap1.walk_cache(), regs::Cap0{board.cap0}.walks()};
}

[[noreturn]] void Simulated(const std::string& what) {
  throw ConfigError(what + " is possible in a simulated machine only\nGive --engine rtl or --engine fast for it.");
}

}  // namespace

void RefuseSimulated(const MachineConfig& config, bool lost_answer) {
  if (config.gpu.count != 1) Simulated(fmt::format("gpu.count = {}", config.gpu.count));
  if (config.gpu.vram_reorder) Simulated("gpu.vram_reorder = true");
  if (config.inject.vram_flip.after_write_bytes != 0) Simulated("inject.vram_flip.after_write_bytes");
  if (lost_answer) Simulated("inject.leak = \"rtl_slot\": an answer that the GPU loses");
}

void Adopt(const BoardIdentity& board, const std::set<std::string>& stated, MachineConfig& config) {
  std::string differences;
  const auto differs = [&](const std::string& key, const std::string& wanted, const std::string& built) {
    differences += fmt::format("{}{} = {} (board: {})", differences.empty() ? "" : ", ", key, wanted, built);
  };
  const std::map<std::string, uint64_t> built = Built(board);
  settings::Keys keys = config.Keys();
  for (const settings::Key* key : keys.all()) {
    const auto found = built.find(key->full_name());
    if (found != built.end() && stated.count(key->full_name()) == 0) *std::get<uint64_t*>(key->place) = found->second;
  }
  const bool turns_down = regs::Cap2{board.cap2}.turn_down() != 0 &&
                          CanTurnDown(config.gpu.tlb_sizes(), BuiltTlbs(board));
  for (const settings::Key* key : keys.all()) {
    const auto found = built.find(key->full_name());
    if (found == built.end() || (turns_down && key->up_to_built)) continue;
    const uint64_t value = *std::get<uint64_t*>(key->place);
    if (value != found->second) differs(key->full_name(), std::to_string(value), std::to_string(found->second));
  }
  const uint64_t mib = board.vram_bytes >> 20;
  const bool own = !config.gpu.unit_vram_mib.empty() && config.gpu.unit_vram_mib[0] != 0;
  if (!own && stated.count("gpu.vram_mib") == 0) config.gpu.vram_mib = mib;
  if (config.gpu.vram_bytes() > board.vram_bytes)
    differs(own ? "gpu.unit_vram_mib" : "gpu.vram_mib", std::to_string(config.gpu.vram_bytes() >> 20),
            fmt::format("at most {}", mib));
  const uint64_t levels = regs::Cap2{board.cap2}.levels();
  if (config.gpu.page_table_bits.size() > levels)
    differs("gpu.page_table_bits", fmt::format("{} levels", config.gpu.page_table_bits.size()),
            fmt::format("at most {} levels", levels));
  if (!differences.empty()) {
    throw ConfigError("the board was built with other sizes: " + differences +
                      "\nLeave these keys out, or load a bitstream with these sizes.");
  }
  config.Check("the board's machine");
}

regs::SizesInUse TurnedDown(const MachineConfig& config, const BoardIdentity& board) {
  const TlbSizes sizes = config.gpu.tlb_sizes();
  return sizes == BuiltTlbs(board) ? regs::SizesInUse{} : sizes.Register();
}

}  // namespace gmmu::sim::board
