// SPDX-License-Identifier: Apache-2.0
#include "workload/page_words.h"

#include "os/application/facts.h"
#include "workload/clients.h"
#include "workload/life.h"

namespace gmmu::workload {
os::Allocation* PageWords::Make(const std::string& name, uint64_t pages, uint32_t first, unsigned gpu) {
  os::VidMm& vidmm = life_.link.on(gpu);
  os::Allocation* allocation = vidmm.CreateAllocation(name, pages * kPage);
  vidmm.MakeResident(*allocation);
  const std::vector<uint32_t> words = Words(first, pages);
  for (uint64_t page = 0; page < pages; ++page) vidmm.transfers().Fill(*allocation, page * kPage, kPage, words[page]);
  return allocation;
}

std::vector<uint32_t> PageWords::Words(uint32_t first, uint64_t count) {
  std::vector<uint32_t> words;
  for (uint64_t i = 0; i < count; ++i) words.push_back(Word(first + static_cast<uint32_t>(i)));
  return words;
}

std::vector<uint8_t> PageWords::Bytes(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes;
  for (const uint32_t word : words)
    for (uint64_t i = 0; i < kPage; ++i) bytes.push_back(static_cast<uint8_t>(word >> i % 4 * 8));
  return bytes;
}

void PageWords::Read(os::GpuProcess* process, const std::string& what, uint64_t va, const std::vector<uint32_t>& words,
                     bool execute) {
  ClientRun run = ReadOf(process, va, Bytes(words));
  run.client = client_;
  run.execute = execute;
  RunClients(os::VidMmOf(*process), {run}, what, life_.result.checks);
}

void PageWords::Fault(os::GpuProcess* process, const std::string& what, uint64_t va, regs::Fault fault,
                      regs::Access access) {
  ClientRun run = AllLines(process, va, kPage);
  run.client = client_;
  run.fault = fault;
  run.write = access == regs::Access::kWrite;
  run.execute = access == regs::Access::kExecute;
  RunClients(os::VidMmOf(*process), {run}, what, life_.result.checks);
}

}  // namespace gmmu::workload
