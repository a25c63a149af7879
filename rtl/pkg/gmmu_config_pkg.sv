// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/pkg/sizes.json by tools/config_pkg.py. Do not edit.
// The sizes of the hardware. config_t is the parameter of every module that depends on them. Built, the default of that
// parameter, is the profile that the macro GMMU_PROFILE names; a macro of a single size replaces that size. The packages'
// types depend on the sizes marked (package): every module of a design must have those of Built.
package gmmu_config_pkg;
  typedef struct packed {
    // GMMU_CLIENTS, 1 to 64: client ports
    int unsigned NumClients;
    // GMMU_TRAFFIC_ENGINES, 0 to NumClients: clients 0 to n - 1 that have a traffic engine
    int unsigned TrafficEngines;
    // GMMU_THROUGH_PORTS, 0 or 1: AXI4 through-port s_thr_*
    int unsigned ThroughPorts;
    // GMMU_RINGS, 1 to 4: submission rings
    int unsigned NumRings;
    // GMMU_SPACES, 2 to 64: address spaces
    int unsigned NumSpaces;
    // GMMU_L1_ENTRIES, 2 to 64: L1 TLB entries per translation port
    int unsigned L1Entries;
    // GMMU_L2_ENTRIES, powers of two from 32 to 4096: shared L2 TLB, 4 KiB sub-entries in blocks of sixteen
    int unsigned L2Entries;
    // GMMU_L2_WAYS, powers of two from 1 to 16, at most L2Entries / 16: ways of the L2 TLB
    int unsigned L2Ways;
    // GMMU_WALK_CACHE, powers of two from 2 to 256: walk cache entries per level: pointers to tables, and pages above
    // 64 KiB
    int unsigned WalkCacheEntries;
    // GMMU_WALKS, 1 to 32: concurrent walks
    int unsigned NumWalks;
    // GMMU_READS_IN_FLIGHT, powers of two from 2 to 128: maximum number of copy engine reads in flight
    int unsigned ReadsInFlight;
    // GMMU_COUNTER_BITS, 16 to 64: width of a counter in bits; counters wrap
    int unsigned CounterWidth;
    // GMMU_EVENT_PORT, 0 or 1: event port; 0: ev_* is constant and its logic is not built
    int unsigned EventPort;
    // GMMU_LINK_PORT, 0 or 1: AXI4 port s_peer_* for linked adapters; without it they cannot reach this GPU's VRAM
    int unsigned LinkPort;
    // GMMU_TURN_DOWN, 0 or 1: register sizes_in_use: fewer TLB entries, L2 ways, walk cache entries and walks than were
    // built. 0 on boards and in synthesis figures: the register is not built and reads 0
    int unsigned TurnDown;
    // GMMU_ID_BITS, 1 to 16: id width of m_vram and m_host on gmmu_gpu_axi, in bits; 16: the GPU's own ids
    int unsigned IdBits;
    // GMMU_DATA_BITS, powers of two from 64 to 512 (package): data width of all AXI4 ports
    int unsigned DataWidth;
    // GMMU_VA_BITS, 30 to 57 (package): width of a GPU VA in bits
    int unsigned VaWidth;
    // GMMU_MAX_LEVELS, 2 to 6 (package): largest number of page table levels; geometries with more are refused
    int unsigned MaxLevels;
    // GMMU_CLIENT_SLOTS_LG2, 1 to 7 (package): log2 of the accesses in flight per client and per direction of the
    // through-port
    int unsigned ClientSlotsLg2;
    // Derived from the sizes above; benches of single blocks may set them.
    // access units: clients, through-port read, through-port write
    int unsigned NumUnits;
    // translation ports of the paging engine: fetch, read, write
    int unsigned EnginePorts;
    // translation ports: access units, then the paging engine's
    int unsigned NumPorts;
    // L1 TLB entries that the paging engine's ports share
    int unsigned EngineL1Entries;
    // outstanding misses of a client port, a power of two from 2 to 64
    int unsigned MissSlots;
    // outstanding misses of all engine ports together, a power of two from 2 to 64
    int unsigned EngineMissSlots;
    // the larger of MissSlots and EngineMissSlots
    int unsigned MostSlots;
    // rows of the walk table beyond one per walk and the engine's
    int unsigned SpareRows;
    // rows of the walk table
    int unsigned WalkRows;
    // sets of the L2 TLB, each of L2Ways blocks
    int unsigned L2Sets;
    // steps of a sweep through the L2 TLB and the walk caches
    int unsigned SharedSteps;
    // steps of a sweep through all of the TLB
    int unsigned SweepSteps;
  } config_t;

  // Returns `sizes` with its derived fields.
  function automatic config_t derive(config_t sizes);
    config_t c;
    c = sizes;
    c.NumUnits = c.NumClients + 2 * c.ThroughPorts;
    c.EnginePorts = 3;
    c.NumPorts = c.NumUnits + c.EnginePorts;
    c.EngineL1Entries = c.L1Entries < 16 ? c.L1Entries : 16;
    c.MissSlots = c.ClientSlotsLg2 < 6 ? 1 << c.ClientSlotsLg2 : 64;
    c.EngineMissSlots = c.ReadsInFlight < 4 ? 4 : c.ReadsInFlight > 16 ? 16 : c.ReadsInFlight;
    c.MostSlots = c.MissSlots > c.EngineMissSlots ? c.MissSlots : c.EngineMissSlots;
    c.SpareRows = c.NumWalks < 4 ? 0 : 2;
    c.WalkRows = c.NumWalks + c.SpareRows + 1;
    c.L2Sets = c.L2Entries / 16 / (c.L2Ways == 0 ? 1 : c.L2Ways);
    c.SharedSteps = c.L2Sets > c.WalkCacheEntries ? c.L2Sets : c.WalkCacheEntries;
    c.SweepSteps = c.SharedSteps > c.L1Entries ? c.SharedSteps : c.L1Entries;
    return c;
  endfunction

  // the defaults
  localparam config_t Default = derive('{NumClients: 4, TrafficEngines: 4, ThroughPorts: 0, NumRings: 1, NumSpaces: 16,
      L1Entries: 16, L2Entries: 512, L2Ways: 4, WalkCacheEntries: 16, NumWalks: 8, ReadsInFlight: 32, CounterWidth: 64,
      EventPort: 1, LinkPort: 1, TurnDown: 1, IdBits: 6, DataWidth: 64, VaWidth: 48, MaxLevels: 6, ClientSlotsLg2: 6,
      default: 0});
  // the program's GPU, unless CMake's options say otherwise
  function automatic config_t profile_simulated();
    config_t c;
    c = Default;
    c.NumRings = 2;
    return derive(c);
  endfunction
  localparam config_t Simulated = profile_simulated();
  // the bench of the whole GPU: one client has no traffic engine
  function automatic config_t profile_bench();
    config_t c;
    c = Default;
    c.TrafficEngines = 3;
    return derive(c);
  endfunction
  localparam config_t Bench = profile_bench();
  // the smallest legal sizes, but for the clients and address spaces that the tests need
  function automatic config_t profile_small();
    config_t c;
    c = Default;
    c.NumClients = 2; c.TrafficEngines = 2; c.ThroughPorts = 1; c.NumRings = 2; c.NumSpaces = 8; c.L1Entries = 2;
        c.L2Entries = 32; c.L2Ways = 1; c.WalkCacheEntries = 2; c.NumWalks = 1; c.ReadsInFlight = 2; c.CounterWidth =
        32; c.TurnDown = 0;
    return derive(c);
  endfunction
  localparam config_t Small = profile_small();
  // for proofs, lint and equivalence: the smallest sizes that keep every structure
  function automatic config_t profile_tiny();
    config_t c;
    c = Default;
    c.NumClients = 1; c.TrafficEngines = 1; c.NumSpaces = 2; c.L1Entries = 2; c.L2Entries = 32; c.L2Ways = 1;
        c.WalkCacheEntries = 2; c.NumWalks = 1; c.ReadsInFlight = 2; c.TurnDown = 0; c.VaWidth = 30; c.MaxLevels = 4;
        c.ClientSlotsLg2 = 1;
    return derive(c);
  endfunction
  localparam config_t Tiny = profile_tiny();
  // the largest sizes, with 64-bit ports
  function automatic config_t profile_large();
    config_t c;
    c = Default;
    c.NumClients = 64; c.ThroughPorts = 1; c.NumRings = 4; c.NumSpaces = 64; c.L1Entries = 64; c.L2Entries = 4096;
        c.L2Ways = 16; c.WalkCacheEntries = 256; c.NumWalks = 32; c.ReadsInFlight = 128;
    return derive(c);
  endfunction
  localparam config_t Large = profile_large();
  // the defaults with 256-bit ports
  function automatic config_t profile_wide();
    config_t c;
    c = Default;
    c.DataWidth = 256;
    return derive(c);
  endfunction
  localparam config_t Wide = profile_wide();
  // the cocotb bench: one ordinary ring and one privileged
  function automatic config_t profile_integration();
    config_t c;
    c = Default;
    c.NumClients = 1; c.TrafficEngines = 1; c.NumRings = 2; c.EventPort = 0; c.LinkPort = 0; c.IdBits = 16;
    return derive(c);
  endfunction
  localparam config_t Integration = profile_integration();
  // the GPU of the figures in docs/fpga.md
  function automatic config_t profile_fpga();
    config_t c;
    c = Default;
    c.TrafficEngines = 1; c.CounterWidth = 32; c.EventPort = 0; c.LinkPort = 0; c.TurnDown = 0; c.ClientSlotsLg2 = 4;
    return derive(c);
  endfunction
  localparam config_t Fpga = profile_fpga();
  // profile Fpga with two clients and four table levels, which fits a small board
  function automatic config_t profile_fpga_board();
    config_t c;
    c = Default;
    c.NumClients = 2; c.TrafficEngines = 1; c.CounterWidth = 32; c.EventPort = 0; c.LinkPort = 0; c.TurnDown = 0;
        c.MaxLevels = 4; c.ClientSlotsLg2 = 4;
    return derive(c);
  endfunction
  localparam config_t FpgaBoard = profile_fpga_board();
  // the boards of constraints/
  function automatic config_t profile_board();
    config_t c;
    c = Default;
    c.NumClients = 2; c.TrafficEngines = 1; c.NumWalks = 4; c.ReadsInFlight = 16; c.CounterWidth = 32; c.EventPort = 0;
        c.LinkPort = 0; c.TurnDown = 0; c.MaxLevels = 4; c.ClientSlotsLg2 = 4;
    return derive(c);
  endfunction
  localparam config_t Board = profile_board();
  // the MMU alone on a device that is too small for a GPU
  function automatic config_t profile_mmu_only();
    config_t c;
    c = Default;
    c.NumClients = 1; c.TrafficEngines = 1; c.NumSpaces = 4; c.L1Entries = 4; c.L2Entries = 128; c.L2Ways = 2;
        c.WalkCacheEntries = 4; c.NumWalks = 2; c.ReadsInFlight = 8; c.EventPort = 0; c.TurnDown = 0; c.MaxLevels = 4;
        c.ClientSlotsLg2 = 3;
    return derive(c);
  endfunction
  localparam config_t MmuOnly = profile_mmu_only();

  // Returns `profile` with each size replaced by its GMMU_* macro, if that macro is defined.
  function automatic config_t chosen(config_t profile);
    config_t c;
    c = profile;
`ifdef GMMU_CLIENTS
    c.NumClients = `GMMU_CLIENTS;
`endif
    if (profile.TrafficEngines == profile.NumClients) c.TrafficEngines = c.NumClients;
`ifdef GMMU_TRAFFIC_ENGINES
    c.TrafficEngines = `GMMU_TRAFFIC_ENGINES;
`endif
`ifdef GMMU_THROUGH_PORTS
    c.ThroughPorts = `GMMU_THROUGH_PORTS;
`endif
`ifdef GMMU_RINGS
    c.NumRings = `GMMU_RINGS;
`endif
`ifdef GMMU_SPACES
    c.NumSpaces = `GMMU_SPACES;
`endif
`ifdef GMMU_L1_ENTRIES
    c.L1Entries = `GMMU_L1_ENTRIES;
`endif
`ifdef GMMU_L2_ENTRIES
    c.L2Entries = `GMMU_L2_ENTRIES;
`endif
`ifdef GMMU_L2_WAYS
    c.L2Ways = `GMMU_L2_WAYS;
`endif
`ifdef GMMU_WALK_CACHE
    c.WalkCacheEntries = `GMMU_WALK_CACHE;
`endif
`ifdef GMMU_WALKS
    c.NumWalks = `GMMU_WALKS;
`endif
`ifdef GMMU_READS_IN_FLIGHT
    c.ReadsInFlight = `GMMU_READS_IN_FLIGHT;
`endif
`ifdef GMMU_COUNTER_BITS
    c.CounterWidth = `GMMU_COUNTER_BITS;
`endif
`ifdef GMMU_EVENT_PORT
    c.EventPort = `GMMU_EVENT_PORT;
`endif
`ifdef GMMU_LINK_PORT
    c.LinkPort = `GMMU_LINK_PORT;
`endif
`ifdef GMMU_TURN_DOWN
    c.TurnDown = `GMMU_TURN_DOWN;
`endif
`ifdef GMMU_ID_BITS
    c.IdBits = `GMMU_ID_BITS;
`endif
`ifdef GMMU_DATA_BITS
    c.DataWidth = `GMMU_DATA_BITS;
`endif
`ifdef GMMU_VA_BITS
    c.VaWidth = `GMMU_VA_BITS;
`endif
`ifdef GMMU_MAX_LEVELS
    c.MaxLevels = `GMMU_MAX_LEVELS;
`endif
`ifdef GMMU_CLIENT_SLOTS_LG2
    c.ClientSlotsLg2 = `GMMU_CLIENT_SLOTS_LG2;
`endif
    return derive(c);
  endfunction
`ifndef GMMU_PROFILE
`define GMMU_PROFILE Default
`endif
  localparam config_t Built = chosen(`GMMU_PROFILE);
endpackage
