// SPDX-License-Identifier: Apache-2.0
#include "device/function_on_link.h"

#include "host/agenda.h"
#include "host/config.h"
#include "host/host.h"
#include "host/machine_parts.h"
#include "host/messages.h"
#include "host/plain_host.h"

namespace gmmu::sim::device {
namespace {

constexpr uint64_t kPostPs = 5'000;  // time for which a posted write occupies the CPU

}  // namespace

FunctionOnLink::FunctionOnLink(PlainHost& host, const FunctionParameters& function)
    : host_(host),
      link_ps_(host.config.pcie.latency_ps),
      function_(
          BdfOf(0), function, host.host, host.agenda,
          [&host](uint64_t address, uint32_t data) { host.messages.Put({address, data}); }, link_ps_) {}

// ---- CPU accesses

void FunctionOnLink::Read(const BarAccess& access, void* to) {
  clock().Pass(link_ps_);  // earlier posted writes arrive meanwhile, so the read follows them
  function_.Read(access.bar, access.offset, to, access.size);
  clock().Pass(link_ps_);
}

void FunctionOnLink::Write(const BarAccess& access, const void* from) {
  const auto* bytes = static_cast<const uint8_t*>(from);
  host_.agenda.At(host_.agenda.now() + link_ps_,
                  [this, access, data = std::vector<uint8_t>(bytes, bytes + access.size)] {
                    function_.Write(access.bar, access.offset, data.data(), data.size());
                  });
  clock().Pass(kPostPs);
}

uint32_t FunctionOnLink::ReadConfig(unsigned, uint16_t offset, unsigned size) {
  clock().Pass(2 * link_ps_);
  return function_.ReadConfig(offset, size);
}

void FunctionOnLink::WriteConfig(unsigned, uint16_t offset, unsigned size, uint32_t value) {
  clock().Pass(link_ps_);
  function_.WriteConfig(offset, size, value);
  clock().Pass(link_ps_);
}

// ---- instruments

std::vector<hw::Counter> FunctionOnLink::Counters() {
  const FunctionCounts& c = function_.counts();
  return {{"device", "register_reads", c.register_reads, "requests", "Reads of the CPU from BAR 0 and 4."},
          {"device", "register_writes", c.register_writes, "requests", "Writes of the CPU to BAR 0 and 4."},
          {"device", "steps", c.steps, "steps", "Times that the device's step was called."},
          {"device", "interrupts", c.interrupts, "interrupts", "Interrupts that it sent."},
          {"device", "dma_reads", c.dma_reads, "calls", "Its reads of host memory, of any size."},
          {"device", "dma_read_bytes", c.dma_read_bytes, "bytes", "What they asked for."},
          {"device", "dma_writes", c.dma_writes, "calls", "Its writes to host memory, of any size."},
          {"device", "dma_write_bytes", c.dma_write_bytes, "bytes", "What they carried."},
          {"device", "dma_refused", c.refused, "calls",
           "Of them, those that were refused: reads by anybody, writes without bus mastering."},
          {"device", "dma_not_master", c.not_master, "calls", "Of these, those while it might not be bus master."}};
}

Clock& FunctionOnLink::clock() { return host_.clock; }

uint64_t FunctionOnLink::CyclesEvaluated() { return host_.agenda.acts(); }

uint64_t FunctionOnLink::Cycles() { return host_.agenda.now() / PeriodPs(host_.config.gpu); }

bool FunctionOnLink::Access(unsigned unit, Memory memory, uint64_t address, void* bytes, size_t size, bool write) {
  if (unit != 0) return false;
  if (memory == Memory::kLocal) {
    VramCore& local = function_.memory();
    return write ? local.Write(address, bytes, size) : local.Read(address, bytes, size);
  }
  const uint16_t requester = function_.bdf().requester_id();
  if (!write) return host_.host.Read(requester, address, bytes, size, true);
  host_.host.Write(requester, address, bytes, size, true);
  return true;
}

}  // namespace gmmu::sim::device
