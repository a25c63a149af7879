// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/pkg/sizes.json by tools/config_pkg.py. Do not edit.
// Stops elaboration when a size has an illegal value. The message names the size, its value and the legal values. The
// module has no hardware.
module gmmu_parameter_check
  import gmmu_config_pkg::config_t;
#(
  parameter config_t Config = gmmu_config_pkg::Built
) ();
  localparam config_t c = Config;
  // Returns whether value is a power of two.
  function automatic logic power(int unsigned value);
    return (value & (value - 1)) == 0;
  endfunction

  if (c.NumClients < 1 || c.NumClients > 64) begin : g_num_clients
    $fatal(1, "gmmu_gpu: NumClients (GMMU_CLIENTS) is %0d, legal: 1 to 64", c.NumClients);
  end
  if (c.TrafficEngines > c.NumClients) begin : g_traffic_engines
    $fatal(1, "gmmu_gpu: TrafficEngines (GMMU_TRAFFIC_ENGINES) is %0d, legal: 0 to NumClients", c.TrafficEngines);
  end
  if (c.ThroughPorts > 1) begin : g_through_ports
    $fatal(1, "gmmu_gpu: ThroughPorts (GMMU_THROUGH_PORTS) is %0d, legal: 0 or 1", c.ThroughPorts);
  end
  if (c.NumRings < 1 || c.NumRings > 4) begin : g_num_rings
    $fatal(1, "gmmu_gpu: NumRings (GMMU_RINGS) is %0d, legal: 1 to 4", c.NumRings);
  end
  if (c.NumSpaces < 2 || c.NumSpaces > 64) begin : g_num_spaces
    $fatal(1, "gmmu_gpu: NumSpaces (GMMU_SPACES) is %0d, legal: 2 to 64", c.NumSpaces);
  end
  if (c.L1Entries < 2 || c.L1Entries > 64) begin : g_l1_entries
    $fatal(1, "gmmu_gpu: L1Entries (GMMU_L1_ENTRIES) is %0d, legal: 2 to 64", c.L1Entries);
  end
  if (c.L2Entries < 32 || c.L2Entries > 4096 || !power(c.L2Entries)) begin : g_l2_entries
    $fatal(1, "gmmu_gpu: L2Entries (GMMU_L2_ENTRIES) is %0d, legal: powers of two from 32 to 4096", c.L2Entries);
  end
  if (c.L2Ways < 1 || c.L2Ways > 16 || !power(c.L2Ways) || !(16 * c.L2Ways <= c.L2Entries)) begin : g_l2_ways
    $fatal(1, "gmmu_gpu: L2Ways (GMMU_L2_WAYS) is %0d, legal: powers of two from 1 to 16, at most L2Entries / 16", c.L2Ways);
  end
  if (c.WalkCacheEntries < 2 || c.WalkCacheEntries > 256 || !power(c.WalkCacheEntries)) begin : g_walk_cache_entries
    $fatal(1, "gmmu_gpu: WalkCacheEntries (GMMU_WALK_CACHE) is %0d, legal: powers of two from 2 to 256", c.WalkCacheEntries);
  end
  if (c.NumWalks < 1 || c.NumWalks > 32) begin : g_num_walks
    $fatal(1, "gmmu_gpu: NumWalks (GMMU_WALKS) is %0d, legal: 1 to 32", c.NumWalks);
  end
  if (c.ReadsInFlight < 2 || c.ReadsInFlight > 128 || !power(c.ReadsInFlight)) begin : g_reads_in_flight
    $fatal(1, "gmmu_gpu: ReadsInFlight (GMMU_READS_IN_FLIGHT) is %0d, legal: powers of two from 2 to 128", c.ReadsInFlight);
  end
  if (c.CounterWidth < 16 || c.CounterWidth > 64) begin : g_counter_width
    $fatal(1, "gmmu_gpu: CounterWidth (GMMU_COUNTER_BITS) is %0d, legal: 16 to 64", c.CounterWidth);
  end
  if (c.EventPort > 1) begin : g_event_port
    $fatal(1, "gmmu_gpu: EventPort (GMMU_EVENT_PORT) is %0d, legal: 0 or 1", c.EventPort);
  end
  if (c.LinkPort > 1) begin : g_link_port
    $fatal(1, "gmmu_gpu: LinkPort (GMMU_LINK_PORT) is %0d, legal: 0 or 1", c.LinkPort);
  end
  if (c.TurnDown > 1) begin : g_turn_down
    $fatal(1, "gmmu_gpu: TurnDown (GMMU_TURN_DOWN) is %0d, legal: 0 or 1", c.TurnDown);
  end
  if (c.IdBits < 1 || c.IdBits > 16) begin : g_id_bits
    $fatal(1, "gmmu_gpu: IdBits (GMMU_ID_BITS) is %0d, legal: 1 to 16", c.IdBits);
  end
  if (c.DataWidth < 64 || c.DataWidth > 512 || !power(c.DataWidth)) begin : g_data_width
    $fatal(1, "gmmu_gpu: DataWidth (GMMU_DATA_BITS) is %0d, legal: powers of two from 64 to 512", c.DataWidth);
  end
  if (c.VaWidth < 30 || c.VaWidth > 57) begin : g_va_width
    $fatal(1, "gmmu_gpu: VaWidth (GMMU_VA_BITS) is %0d, legal: 30 to 57", c.VaWidth);
  end
  if (c.MaxLevels < 2 || c.MaxLevels > 6) begin : g_max_levels
    $fatal(1, "gmmu_gpu: MaxLevels (GMMU_MAX_LEVELS) is %0d, legal: 2 to 6", c.MaxLevels);
  end
  if (c.ClientSlotsLg2 < 1 || c.ClientSlotsLg2 > 7) begin : g_client_slots_lg2
    $fatal(1, "gmmu_gpu: ClientSlotsLg2 (GMMU_CLIENT_SLOTS_LG2) is %0d, legal: 1 to 7", c.ClientSlotsLg2);
  end
  if (c.DataWidth != gmmu_config_pkg::Built.DataWidth) begin : g_data_width_package
    $fatal(1, "gmmu_gpu: DataWidth is %0d, but the packages have %0d; define GMMU_DATA_BITS for every file",
        c.DataWidth, gmmu_config_pkg::Built.DataWidth);
  end
  if (c.VaWidth != gmmu_config_pkg::Built.VaWidth) begin : g_va_width_package
    $fatal(1, "gmmu_gpu: VaWidth is %0d, but the packages have %0d; define GMMU_VA_BITS for every file",
        c.VaWidth, gmmu_config_pkg::Built.VaWidth);
  end
  if (c.MaxLevels != gmmu_config_pkg::Built.MaxLevels) begin : g_max_levels_package
    $fatal(1, "gmmu_gpu: MaxLevels is %0d, but the packages have %0d; define GMMU_MAX_LEVELS for every file",
        c.MaxLevels, gmmu_config_pkg::Built.MaxLevels);
  end
  if (c.ClientSlotsLg2 != gmmu_config_pkg::Built.ClientSlotsLg2) begin : g_client_slots_lg2_package
    $fatal(1, "gmmu_gpu: ClientSlotsLg2 is %0d, but the packages have %0d; define GMMU_CLIENT_SLOTS_LG2 for every file",
        c.ClientSlotsLg2, gmmu_config_pkg::Built.ClientSlotsLg2);
  end
endmodule
