// SPDX-License-Identifier: Apache-2.0
// Measures copies in the whole co-simulation: host memory is an address descriptor list (ADL) of
// scattered 4 KiB pages, reached through the aperture map, the PCIe link and an IOTLB that holds
// all pages.
#include <fmt/format.h>

#include "tb/bench/paging_machine.h"
#include "tb/bench/row.h"

namespace gmmu::bench {
namespace {

void Measure(bool in, Row& row) {
  PagingMachine::Link link;
  link.in = in;
  PagingMachine::MeasureLink(link);
  row.figure = static_cast<double>(link.bytes) / link.seconds / 1e9;
  row.note = link.iotlb_misses == 0 ? "" : fmt::format("{} IOTLB misses in that time", link.iotlb_misses);
}

void Add(Measurements& to, const std::string& name, bool in) {
  const sim::MachineConfig config = PagingMachine::LinkConfig();
  Row row;
  row.name = name;
  row.unit = "GB/s";
  row.limit = config.pcie.payload_bytes_per_second() / 1e9;
  row.limit_text = "payload of the link";
  row.machine = fmt::format("whole machine: PCIe {}.0 x{}, MPS {}, warm IOTLB of {} sets x {} ways, {} reads in flight",
                            config.pcie.generation, config.pcie.lanes, config.pcie.max_payload, config.iommu.iotlb_sets,
                            config.iommu.iotlb_ways, config.gpu.reads_in_flight);
  row.config = "2 MiB, doorbell to interrupt";
  row.OfLimit(0.97);
  to.push_back({row, [in](Row& into) { Measure(in, into); }});
}

}  // namespace

void AddLinkRows(Measurements& to) {
  Add(to, "scattered ADL of 4 KiB pages, page in", true);
  Add(to, "scattered ADL of 4 KiB pages, page out", false);
}

}  // namespace gmmu::bench
