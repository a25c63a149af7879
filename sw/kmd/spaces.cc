// SPDX-License-Identifier: Apache-2.0
#include "kmd/spaces.h"

#include <algorithm>

namespace gmmu::kmd {

void Spaces::Initialize(const Registers& registers, uint32_t count, const Parameters& parameters) {
  registers_ = registers;
  count_ = std::min(count, kMost);
  taken_ = {};
  roots_ = {};
  const auto& bits = parameters.page_table_bits;
  geometry_ = regs::SpaceGeometry{}
                  .set_levels(parameters.page_table_levels)
                  .set_dual(parameters.dual_pte)
                  .set_bits0(bits[0])
                  .set_bits1(bits[1])
                  .set_bits2(bits[2])
                  .set_bits3(bits[3])
                  .set_bits4(bits[4])
                  .set_bits5(bits[5]);
}

NTSTATUS Spaces::WaitUntilQuiet() const {
  const bool quiet = registers_.Poll<regs::InvStatus>([](regs::InvStatus s) { return !s.busy(); });
  return quiet ? STATUS_SUCCESS : STATUS_IO_TIMEOUT;
}

NTSTATUS Spaces::WriteRoot(uint32_t space, const Root& root) {
  registers_.Write(root.geometry, Registers::SpaceBlock(space));
  registers_.Write(root.root, Registers::SpaceBlock(space));
  return WaitUntilQuiet();
}

NTSTATUS Spaces::Acquire(uint32_t* space) {
  for (uint32_t i = 0; i < count_; ++i) {
    if (taken_[i]) continue;
    NTSTATUS status = WaitUntilQuiet();  // the hardware ignores commands while it is busy
    if (!NT_SUCCESS(status)) return status;
    registers_.Write(regs::InvCmd{}.set_scope(regs::Scope::kSpace).set_space(i));
    status = WaitUntilQuiet();
    if (!NT_SUCCESS(status)) return status;
    taken_[i] = true;
    roots_[i] = {};
    *space = i;
    return STATUS_SUCCESS;
  }
  return STATUS_INSUFFICIENT_RESOURCES;
}

NTSTATUS Spaces::Release(uint32_t space) {
  roots_[space] = Root{geometry_, regs::SpaceRoot{}};
  const NTSTATUS status = WriteRoot(space, roots_[space]);
  if (NT_SUCCESS(status)) taken_[space] = false;  // after a failure, never reuse the space
  return status;
}

NTSTATUS Spaces::SetRoot(uint32_t space, regs::Target target, uint64_t address, uint32_t entries) {
  Root wanted{geometry_, regs::SpaceRoot{}};
  wanted.geometry.set_root_entries(entries);
  wanted.root.set_address(address).set_target(target).set_enable(1);
  Root& now = roots_[space];
  if (now.root.raw == wanted.root.raw && now.geometry.raw == wanted.geometry.raw) return STATUS_SUCCESS;
  now = wanted;
  return WriteRoot(space, now);
}

uint32_t Spaces::WithRoot(regs::Target target, uint64_t address) const {
  for (uint32_t i = 0; i < count_; ++i) {
    const regs::SpaceRoot root = roots_[i].root;
    if (taken_[i] && root.enable() && root.target() == target && root.address() == address) return i;
  }
  return kNone;
}

NTSTATUS Spaces::Restore() {
  for (uint32_t i = 0; i < count_; ++i) {
    if (!taken_[i] || !roots_[i].root.enable()) continue;
    const NTSTATUS status = WriteRoot(i, roots_[i]);
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

}  // namespace gmmu::kmd
