// SPDX-License-Identifier: Apache-2.0
// The sizes of the whole GPU as built, under their names in rtl/pkg/sizes.json. They are defined by
// cmake/GmmuRtlTests.cmake.
#pragma once

namespace gmmu::top::sizes {

constexpr unsigned kNumClients = GMMU_TOP_NumClients;
constexpr unsigned kTrafficEngines = GMMU_TOP_TrafficEngines;
constexpr unsigned kThroughPorts = GMMU_TOP_ThroughPorts;
constexpr unsigned kNumSpaces = GMMU_TOP_NumSpaces;
constexpr unsigned kNumRings = GMMU_TOP_NumRings;
constexpr unsigned kL2Entries = GMMU_TOP_L2Entries;
constexpr unsigned kNumWalks = GMMU_TOP_NumWalks;
constexpr unsigned kReadsInFlight = GMMU_TOP_ReadsInFlight;
constexpr bool kTurnDown = GMMU_TOP_TurnDown != 0;

}  // namespace gmmu::top::sizes
