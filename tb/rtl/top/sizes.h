// SPDX-License-Identifier: Apache-2.0
// The sizes of gmmu_top_bench as built: parameters of gmmu_gpu by their names. Without a definition
// they are those of the bench's defaults (cmake/GmmuRtlTests.cmake gives those of another size).
#pragma once

#ifndef GMMU_TOP_NumClients
#define GMMU_TOP_NumClients 4
#define GMMU_TOP_TrafficEngines 3
#define GMMU_TOP_ThroughPorts 0
#define GMMU_TOP_NumSpaces 16
#define GMMU_TOP_NumRings 1
#define GMMU_TOP_L2Entries 512
#define GMMU_TOP_NumWalks 8
#define GMMU_TOP_ReadsInFlight 32
#define GMMU_TOP_TurnDown 1
#endif

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
