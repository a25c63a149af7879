// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "ddi/d3dkmddi.h"

namespace gmmu::os {

struct AdapterAnswers;

/// Returns the adapter members that the driver sets and that this model accepts but does not
/// implement, as names such as "DXGK_SEGMENTFLAGS.Agp of segment 1". unmodelled.def lists the
/// members. The names in AdapterAnswers::newer come last.
std::vector<std::string> UnmodelledOf(const AdapterAnswers& answers);
/// Like the function above, for an allocation, a node, a segment and a context.
std::vector<std::string> UnmodelledOf(const DXGKARG_CREATEALLOCATION& args, const DXGK_ALLOCATIONINFO& info);
std::vector<std::string> UnmodelledOf(const DXGKARG_OPENALLOCATION& args);
std::vector<std::string> UnmodelledOf(const DXGK_NODEMETADATA& node, const std::string& where);
std::vector<std::string> UnmodelledOf(const DXGK_SEGMENTDESCRIPTOR3& segment, const std::string& where);
std::vector<std::string> UnmodelledOf(const DXGK_CONTEXTINFO_CAPS& caps);
/// Reports pInfo (WDDM 1) if the driver changed it. `gave` is the structure as passed to the
/// driver, in which pInfo shares a union with the flags; `answered` is the structure that the
/// driver returned.
std::vector<std::string> UnmodelledOf(const DXGKARG_CREATEDEVICE& gave, const DXGKARG_CREATEDEVICE& answered);

}  // namespace gmmu::os
