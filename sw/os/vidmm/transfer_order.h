// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "ddi/d3dkmddi.h"
#include "os/base/bug_check.h"

namespace gmmu::os {

/// Checks the order of TRANSFER operations: the first piece of a move has TransferStart, the last
/// has TransferEnd, and each move ends before the next move begins (DXGK_TRANSFERFLAGS). If a piece
/// takes several calls (MultipassOffset), only the first call is checked, because the others repeat
/// its flags.
class TransferOrder {
 public:
  /// Call once for each operation. Triggers a bug check if `operation` is out of order.
  void Note(const DXGKARG_BUILDPAGINGBUFFER& operation) {
    if (operation.Operation == DXGK_OPERATION_TRANSFER) Note(operation.Transfer);
    if (operation.Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER) Note(operation.SpecialLockTransfer);
  }

 private:
  template <typename Operand>
  void Note(const Operand& operand) {
    if (operand.Flags.TransferStart && open_)
      throw BugCheck("TransferStart of a move while another one has not had its TransferEnd");
    if (!operand.Flags.TransferStart && !open_) throw BugCheck("a piece of a move that had no TransferStart");
    if (open_ && operand.hAllocation != allocation_) throw BugCheck("a piece of one move between those of another");
    open_ = !operand.Flags.TransferEnd;
    allocation_ = operand.hAllocation;
  }
  bool open_ = false;
  HANDLE allocation_ = nullptr;
};

}  // namespace gmmu::os
