// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <ostream>
#include <string>

namespace gmmu::hw {
class HostRam;
}

namespace gmmu::sim {

class Remapper;

/// Writes the image described at Engine::DumpHost: every page ever written, with adjacent pages in
/// one record.
void WriteHostImage(const hw::HostRam& ram, std::ostream& out);

/// Returns the mappings of all devices as the JSON text of Engine::DumpMappings. The list of devices is empty if
/// `remapper` is null or its translation is off.
std::string MappingsAsJson(const Remapper* remapper, hw::HostRam& ram);

}  // namespace gmmu::sim
