// SPDX-License-Identifier: Apache-2.0
// Stops elaboration when a parameter of gmmu_gpu, or a macro of the packages, has an unsupported
// value. The message names the parameter, its value and the legal values. The module has no hardware.
module gmmu_parameter_check
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
#(
  parameter int unsigned NumClients = 4,
  parameter int unsigned TrafficEngines = NumClients,
  parameter int unsigned ThroughPorts = 0,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned NumRings = 1,
  parameter int unsigned L1Entries = 16,
  parameter int unsigned L2Entries = 512,
  parameter int unsigned L2Ways = 4,
  parameter int unsigned WalkCacheEntries = 16,
  parameter int unsigned NumWalks = 8,
  parameter int unsigned ReadsInFlight = 32,
  parameter int unsigned CounterWidth = 64,
  parameter int unsigned EventPort = 1,
  parameter int unsigned LinkPort = 1,
  parameter int unsigned TurnDown = 1
) ();
  // Returns whether value is a power of two in [low, high].
  function automatic logic power(int unsigned value, int unsigned low, int unsigned high);
    return value >= low && value <= high && (value & (value - 1)) == 0;
  endfunction

  if (NumClients < 1 || NumClients > ClientCount) begin : g_clients
    $fatal(1, "gmmu_gpu: NumClients is %0d, legal: 1 to 64", NumClients);
  end
  if (TrafficEngines > NumClients) begin : g_traffic
    $fatal(1, "gmmu_gpu: TrafficEngines is %0d, legal: 0 to NumClients", TrafficEngines);
  end
  if (ThroughPorts > 1) begin : g_through
    $fatal(1, "gmmu_gpu: ThroughPorts is %0d, legal: 0 or 1", ThroughPorts);
  end
  if (EventPort > 1) begin : g_events
    $fatal(1, "gmmu_gpu: EventPort is %0d, legal: 0 or 1", EventPort);
  end
  if (LinkPort > 1) begin : g_link
    $fatal(1, "gmmu_gpu: LinkPort is %0d, legal: 0 or 1", LinkPort);
  end
  if (TurnDown > 1) begin : g_turn_down
    $fatal(1, "gmmu_gpu: TurnDown is %0d, legal: 0 or 1", TurnDown);
  end
  if (NumSpaces < 2 || NumSpaces > SpaceCount) begin : g_spaces
    $fatal(1, "gmmu_gpu: NumSpaces is %0d, legal: 2 to 64", NumSpaces);
  end
  if (NumRings < 1 || NumRings > RingCount) begin : g_rings
    $fatal(1, "gmmu_gpu: NumRings is %0d, legal: 1 to 4", NumRings);
  end
  if (L1Entries < 2 || L1Entries > 64) begin : g_l1
    $fatal(1, "gmmu_gpu: L1Entries is %0d, legal: 2 to 64", L1Entries);
  end
  if (!power(L2Entries, 32, 4096)) begin : g_l2
    $fatal(1, "gmmu_gpu: L2Entries is %0d, legal: powers of two from 32 to 4096", L2Entries);
  end
  if (!power(L2Ways, 1, 16) || 16 * L2Ways > L2Entries) begin : g_ways
    $fatal(1, "gmmu_gpu: L2Ways is %0d, legal: powers of two from 1 to 16, at most L2Entries / 16",
        L2Ways);
  end
  if (!power(WalkCacheEntries, 2, 256)) begin : g_walk_cache
    $fatal(1, "gmmu_gpu: WalkCacheEntries is %0d, legal: powers of two from 2 to 256",
        WalkCacheEntries);
  end
  if (NumWalks < 1 || NumWalks > 32) begin : g_walks
    $fatal(1, "gmmu_gpu: NumWalks is %0d, legal: 1 to 32", NumWalks);
  end
  if (!power(ReadsInFlight, 2, 128)) begin : g_reads
    $fatal(1, "gmmu_gpu: ReadsInFlight is %0d, legal: powers of two from 2 to 128", ReadsInFlight);
  end
  if (CounterWidth < 16 || CounterWidth > 64) begin : g_counters
    $fatal(1, "gmmu_gpu: CounterWidth is %0d, legal: 16 to 64", CounterWidth);
  end
  if (DataWidthAsked != DataWidth) begin : g_data
    $fatal(1, "gmmu_gpu: GMMU_DATA_WIDTH is %0d, legal: 64, 128, 256, 512", DataWidthAsked);
  end
  if (VaWidth < 30 || VaWidth > 57) begin : g_va
    $fatal(1, "gmmu_gpu: GMMU_VA_WIDTH is %0d, legal: 30 to 57", VaWidth);
  end
  if (MaxLevels < 2 || MaxLevels > 6) begin : g_levels
    $fatal(1, "gmmu_gpu: GMMU_MAX_LEVELS is %0d, legal: 2 to 6", MaxLevels);
  end
  if (SlotLg2 < 1 || SlotLg2 > 7) begin : g_slots
    $fatal(1, "gmmu_gpu: GMMU_CLIENT_SLOTS_LG2 is %0d, legal: 1 to 7", SlotLg2);
  end
endmodule
