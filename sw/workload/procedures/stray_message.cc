// SPDX-License-Identifier: Apache-2.0
#include "os/vidmm/vidmm_link.h"
#include "workload/input.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

void RunStrayMessage(Life& life, const ParameterValues& values) {
  hw::Instruments* const instruments = life.host.platform().instruments();
  NeedCap(instruments != nullptr, "a device that sends messages of its own accord");
  if (!life.options.os.interrupt_remapping)
    throw WrongMachine("the message would pass: a scenario sets [machine.os] interrupt_remapping = true");
  NeedCap(
      life.link.gpus() >= values.at("gpus"),
      "DxgkDdiLinkDevice of a chain: the message is for another GPU ([machine.gpu] count, [machine.os] linked_gpus)");
  RunSeededMainJob(life, values.at("bytes"));
  instruments->StrayAccess(life.gpu().facts().bdf, hw::Stray::kMessage, values.at("address"),
                           static_cast<uint32_t>(values.at("data")));
  const uint64_t until = life.host.platform().NowNs() + values.at("wait_us") * 1000;
  life.host.WaitOrFault([&] { return life.host.platform().NowNs() >= until; }, "a blocked message to be reported",
                        1000);
  life.Compare("the message is blocked and reported", "nothing was reported");
}

}  // namespace

Procedure StrayMessageProcedure() {
  return {"stray_message",
          "Runs the main job. Then GPU 0 sends an interrupt message that the system has not routed for it; the "
          "IOMMU must block and report it.",
          {{"bytes", 65536, 1, kMaxInputBytes, "Size of the main job's buffer in bytes."},
           {"gpus", 1, 1, 8, "Number of GPUs of the adapter that the message needs."},
           {"address", 0xFEE00000, 0xFEE00000, 0xFEEFFFFC, "Address of the message."},
           {"data", 0x41, 0, 0xFFFFFFFF, "Data of the message."},
           {"wait_us", 50, 1, 1'000'000, "Time in us within which the message must have been reported."}},
          RunStrayMessage};
}

}  // namespace gmmu::workload
