// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::os {

class PhysicalAdapter;

/// Throws OsError, which names `what`, when the GPU is one of several that are linked: `what` is for one GPU.
void RefuseOnLink(PhysicalAdapter& gpu, const std::string& what);

}  // namespace gmmu::os
