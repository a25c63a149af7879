// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/miniport/adapter_answers.h"

namespace gmmu::os {

/// Why Windows would not work with what a driver answered.
struct Refusal {
  std::string field;                   ///< structure and member, e.g. "DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId"
  std::string text;                    ///< what it says, and what it must
  StopCode stop = StopCode::kUnknown;  ///< the system stops with it; kUnknown: the adapter is refused
  std::array<uint64_t, 4> parameters{};
};

/// The rules that Windows holds the answers of an adapter against, in the order in which they are
/// met; empty when all hold. `remapped`: the adapter is behind a DMA-remapping domain.
///
/// Every rule reads one field and names it. Sources by rule: admission.cc.
std::vector<Refusal> Admit(const AdapterAnswers& answers, bool remapped);

/// The same for the driver's table: entries that the physical model needs.
std::vector<Refusal> AdmitTable(const DRIVER_INITIALIZATION_DATA& table, const AdapterAnswers& answers);

/// The same for what linked adapters must agree in (linked display adapters; documents only); `adapters` by index.
std::vector<Refusal> AdmitLink(const std::vector<AdapterAnswers*>& adapters);

/// Throws for the first of them: BugCheck when the system stops, OsError otherwise, with all texts.
void RequireAdmission(const std::vector<Refusal>& refusals);

}  // namespace gmmu::os
