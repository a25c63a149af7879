// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/miniport/adapter_answers.h"

namespace gmmu::os {

/// A reason why Windows would reject a driver's answer.
struct Refusal {
  std::string field;                   ///< structure and member, e.g. "DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId"
  std::string text;                    ///< the actual and the required value
  StopCode stop = StopCode::kUnknown;  ///< the bug check; kUnknown: the adapter is refused instead
  std::array<uint64_t, 4> parameters{};
};

/// Checks the answers of an adapter against the rules of Windows; returns the broken ones in the order of the checks,
/// empty if all hold. `remapped`: the adapter is behind a DMA-remapping domain.
///
/// Every rule checks one field and names it. admission.cc gives the source of each rule.
std::vector<Refusal> Admit(const AdapterAnswers& answers, bool remapped);

/// Checks the driver's table for the entries that the physical model needs.
std::vector<Refusal> AdmitTable(const DRIVER_INITIALIZATION_DATA& table, const AdapterAnswers& answers);

/// Checks the answers in which linked adapters must agree (linked display adapters; documents only). `adapters` is
/// ordered by index.
std::vector<Refusal> AdmitLink(const std::vector<AdapterAnswers*>& adapters);

/// Throws if there is a refusal: a BugCheck if the system stops for the first one, otherwise OsError with all texts.
void RequireAdmission(const std::vector<Refusal>& refusals);

}  // namespace gmmu::os
