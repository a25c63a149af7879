// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

struct AdapterAnswers;

/// What the driver declares of an adapter that this model accepts and does not carry out: names of members that are
/// not 0, as "DXGK_SEGMENTFLAGS.Agp of segment 1". unmodelled.def has all of them; behind them what is set though the
/// driver's version does not have it.
std::vector<std::string> UnmodelledOf(const AdapterAnswers& answers);
/// The same of an allocation, and of a context.
std::vector<std::string> UnmodelledOf(const DXGKARG_CREATEALLOCATION& args, const DXGK_ALLOCATIONINFO& info);
std::vector<std::string> UnmodelledOf(const DXGKARG_OPENALLOCATION& args);
std::vector<std::string> UnmodelledOf(const DXGK_NODEMETADATA& node, const std::string& where);
std::vector<std::string> UnmodelledOf(const DXGK_SEGMENTDESCRIPTOR3& segment, const std::string& where);
std::vector<std::string> UnmodelledOf(const DXGK_CONTEXTINFO_CAPS& caps);

}  // namespace gmmu::os
