// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "os/base/bug_check.h"
#include "os/miniport/adapter_answers.h"

namespace gmmu::os {

/// A violated rule, for which Windows would reject the driver's results.
struct Refusal {
  std::string field;                   ///< structure and member, e.g. "DXGK_QUERYSEGMENTOUT4.PagingBufferSegmentId"
  std::string text;                    ///< the actual value and the required one
  StopCode stop = StopCode::kUnknown;  ///< the bug check; kUnknown: Windows refuses the adapter instead
  std::array<uint64_t, 4> parameters{};
};

/// Checks an adapter's query results against the rules of Windows. Returns the violations in check
/// order; the list is empty if there are none. `remapped`: the adapter's DMA is remapped by an
/// IOMMU domain.
///
/// Every rule checks a single field and names it. admission.cc cites the source of each rule.
std::vector<Refusal> Admit(const AdapterAnswers& answers, bool remapped);

/// Checks that the driver's table has the entries that the physical model needs.
std::vector<Refusal> AdmitTable(const DRIVER_INITIALIZATION_DATA& table, const AdapterAnswers& answers);

/// Checks the query results that must be equal on all linked adapters. `adapters` is ordered by index. The rules come
/// from the documentation on linked display adapters; they were not observed on Windows.
std::vector<Refusal> AdmitLink(const std::vector<AdapterAnswers*>& adapters);

/// Throws if the list is not empty: a BugCheck if Windows responds to the first violation with a
/// bug check, otherwise an OsError with all messages.
void RequireAdmission(const std::vector<Refusal>& refusals);

}  // namespace gmmu::os
