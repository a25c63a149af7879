// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>
#include <vector>

#include "hw/events.h"

namespace gmmu::events {

/// Explains one event: the request, a line for each step with its cycle, then the cycles by cause.
std::string Explain(const hw::WalkEvent& walk, const std::vector<hw::LookupEvent>& lookups);
std::string Explain(const hw::LookupEvent& lookup);
std::string Explain(const hw::AccessEvent& access);
std::string Explain(const hw::CommandEvent& command);
std::string Explain(const hw::BufferEvent& buffer, const std::vector<hw::CommandEvent>& commands);

}  // namespace gmmu::events
