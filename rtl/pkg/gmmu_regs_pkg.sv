// SPDX-License-Identifier: Apache-2.0
// Generated from rtl/pkg/gmmu.rdl by tools/regs/generate.py. Do not edit.
package gmmu_regs_pkg;
  typedef enum logic [1:0] {
    AccessRead = 2'd0,
    AccessWrite = 2'd1,
    AccessExecute = 2'd2
  } access_e;

  typedef enum logic [7:0] {
    FaultNone = 8'd0,
    FaultSpaceDisabled = 8'd1,
    FaultVaRange = 8'd2,
    FaultRootBound = 8'd3,
    FaultEntryInvalid = 8'd4,
    FaultEntryReserved = 8'd5,
    FaultTableRead = 8'd6,
    FaultWriteProtect = 8'd7,
    FaultExecuteProtect = 8'd8,
    FaultVramRange = 8'd9,
    FaultApertureRange = 8'd10,
    FaultApertureEntry = 8'd11,
    FaultApertureRead = 8'd12,
    FaultPeerAbsent = 8'd13,
    FaultBusRead = 8'd14,
    FaultBusWrite = 8'd15,
    FaultCommandBad = 8'd16,
    FaultCommandFetch = 8'd17,
    FaultRingFetch = 8'd18,
    FaultNotPrivileged = 8'd19
  } fault_e;

  typedef enum logic [7:0] {
    OpcodeNop = 8'd0,
    OpcodeCopy = 8'd1,
    OpcodeFill = 8'd2,
    OpcodeTableWrite = 8'd3,
    OpcodeTableRepeat = 8'd4,
    OpcodeApertureMap = 8'd5,
    OpcodeApertureList = 8'd6,
    OpcodeApertureUnmap = 8'd7,
    OpcodeFlushTlb = 8'd8,
    OpcodeSignalFence = 8'd9
  } opcode_e;

  typedef enum logic [1:0] {
    PatternOrder = 2'd0,
    PatternRandom = 2'd1,
    PatternChase = 2'd2
  } pattern_e;

  typedef enum logic [1:0] {
    ScopeGlobal = 2'd0,
    ScopeSpace = 2'd1,
    ScopeRange = 2'd2
  } scope_e;

  typedef enum logic [1:0] {
    TargetSystem = 2'd0,
    TargetVram = 2'd1,
    TargetAperture = 2'd2,
    TargetPeer = 2'd3
  } target_e;

  localparam logic [15:0] IdOffset = 16'h0000;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [7:0] minor;  // 47:40
    logic [7:0] major;  // 39:32
    logic [31:0] magic;  // 31:0
  } id_t;

  localparam logic [15:0] Cap0Offset = 16'h0008;
  typedef struct packed {
    logic [7:0] pa_bits;  // 63:56
    logic [7:0] va_bits;  // 55:48
    logic [7:0] bus_bytes;  // 47:40
    logic [7:0] reads;  // 39:32
    logic [7:0] rings;  // 31:24
    logic [7:0] walks;  // 23:16
    logic [7:0] spaces;  // 15:8
    logic [7:0] clients;  // 7:0
  } cap0_t;

  localparam logic [15:0] Cap1Offset = 16'h0010;
  typedef struct packed {
    logic [7:0] reserved0;
    logic [15:0] walk_cache;  // 55:40
    logic [7:0] l2_ways;  // 39:32
    logic [15:0] l2_entries;  // 31:16
    logic [15:0] l1_entries;  // 15:0
  } cap1_t;

  localparam logic [15:0] VramSizeOffset = 16'h0018;
  typedef struct packed {
    logic [63:0] bytes;  // 63:0
  } vram_size_t;

  localparam logic [15:0] CycleOffset = 16'h0020;
  typedef struct packed {
    logic [63:0] cycles;  // 63:0
  } cycle_t;

  localparam logic [15:0] CtrlOffset = 16'h0028;
  typedef struct packed {
    logic [61:0] reserved0;
    logic [0:0] silence;  // 1:1
    logic [0:0] enable;  // 0:0
  } ctrl_t;

  localparam logic [15:0] StatusOffset = 16'h0030;
  typedef struct packed {
    logic [61:0] reserved0;
    logic [0:0] silent;  // 1:1
    logic [0:0] idle;  // 0:0
  } status_t;

  localparam logic [15:0] WindowBaseOffset = 16'h0038;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] offset;  // 47:0
  } window_base_t;

  localparam logic [15:0] Cap2Offset = 16'h0040;
  typedef struct packed {
    logic [5:0] reserved0;
    logic [3:0] host_aperture_lg2;  // 57:54
    logic [0:0] turn_down;  // 53:53
    logic [7:0] traffic;  // 52:45
    logic [0:0] verify;  // 44:44
    logic [3:0] patterns;  // 43:40
    logic [2:0] reserved1;
    logic [0:0] events;  // 36:36
    logic [3:0] through_ports;  // 35:32
    logic [0:0] reserved2;
    logic [6:0] counter_bits;  // 30:24
    logic [3:0] reserved3;
    logic [3:0] levels;  // 19:16
    logic [7:0] large_entries;  // 15:8
    logic [7:0] client_slots;  // 7:0
  } cap2_t;

  localparam logic [15:0] SizesInUseOffset = 16'h0048;
  typedef struct packed {
    logic [7:0] walks;  // 63:56
    logic [15:0] walk_cache;  // 55:40
    logic [7:0] l2_ways;  // 39:32
    logic [15:0] l2_entries;  // 31:16
    logic [15:0] l1_entries;  // 15:0
  } sizes_in_use_t;

  localparam logic [15:0] HostApertureOffset = 16'h0050;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [19:0] first;  // 31:12
    logic [10:0] reserved1;
    logic [0:0] enable;  // 0:0
  } host_aperture_t;

  localparam logic [15:0] HostApertureEntryOffset = 16'h0058;
  typedef struct packed {
    logic [15:0] index;  // 63:48
    logic [35:0] page;  // 47:12
    logic [10:0] reserved0;
    logic [0:0] valid;  // 0:0
  } host_aperture_entry_t;

  localparam logic [15:0] IntStatusOffset = 16'h0080;
  typedef struct packed {
    logic [57:0] reserved0;
    logic [0:0] preempted;  // 5:5
    logic [0:0] invalidate;  // 4:4
    logic [0:0] client;  // 3:3
    logic [0:0] fault;  // 2:2
    logic [0:0] ring_error;  // 1:1
    logic [0:0] fence;  // 0:0
  } int_status_t;

  localparam logic [15:0] IntEnableOffset = 16'h0088;
  typedef struct packed {
    logic [57:0] reserved0;
    logic [5:0] enable;  // 5:0
  } int_enable_t;

  localparam logic [15:0] FaultQueueBaseOffset = 16'h00a0;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] address;  // 47:0
  } fault_queue_base_t;

  localparam logic [15:0] FaultQueueSizeOffset = 16'h00a8;
  typedef struct packed {
    logic [54:0] reserved0;
    logic [0:0] enable;  // 8:8
    logic [3:0] reserved1;
    logic [3:0] size_lg2;  // 3:0
  } fault_queue_size_t;

  localparam logic [15:0] FaultQueueHeadOffset = 16'h00b0;
  typedef struct packed {
    logic [47:0] reserved0;
    logic [15:0] index;  // 15:0
  } fault_queue_head_t;

  localparam logic [15:0] FaultQueueTailOffset = 16'h00b8;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [15:0] dropped;  // 47:32
    logic [15:0] reserved1;
    logic [15:0] index;  // 15:0
  } fault_queue_tail_t;

  localparam logic [15:0] ApertureBaseOffset = 16'h00c0;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] offset;  // 47:0
  } aperture_base_t;

  localparam logic [15:0] AperturePagesOffset = 16'h00c8;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] pages;  // 31:0
  } aperture_pages_t;

  localparam logic [15:0] LinkOffset = 16'h00d0;
  typedef struct packed {
    logic [52:0] reserved0;
    logic [2:0] own;  // 10:8
    logic [4:0] reserved1;
    logic [2:0] adapters;  // 2:0
  } link_t;

  localparam logic [15:0] InvStartOffset = 16'h0100;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } inv_start_t;

  localparam logic [15:0] InvEndOffset = 16'h0108;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } inv_end_t;

  localparam logic [15:0] InvCmdOffset = 16'h0110;
  typedef struct packed {
    logic [49:0] reserved0;
    logic [5:0] space;  // 13:8
    logic [5:0] reserved1;
    logic [1:0] scope;  // 1:0
  } inv_cmd_t;

  localparam logic [15:0] InvStatusOffset = 16'h0118;
  typedef struct packed {
    logic [31:0] done;  // 63:32
    logic [30:0] reserved0;
    logic [0:0] busy;  // 0:0
  } inv_status_t;

  localparam logic [15:0] RingBase = 16'h1000;
  localparam int unsigned RingStride = 256;
  localparam int unsigned RingCount = 4;
  localparam logic [15:0] RingBaseOffset = 16'h0000;
  typedef struct packed {
    logic [13:0] reserved0;
    logic [1:0] target;  // 49:48
    logic [47:0] address;  // 47:0
  } ring_base_t;

  localparam logic [15:0] RingCtrlOffset = 16'h0008;
  typedef struct packed {
    logic [52:0] reserved0;
    logic [0:0] preempt;  // 10:10
    logic [0:0] privileged;  // 9:9
    logic [0:0] enable;  // 8:8
    logic [3:0] reserved1;
    logic [3:0] size_lg2;  // 3:0
  } ring_ctrl_t;

  localparam logic [15:0] RingTailOffset = 16'h0010;
  typedef struct packed {
    logic [47:0] reserved0;
    logic [15:0] index;  // 15:0
  } ring_tail_t;

  localparam logic [15:0] RingHeadOffset = 16'h0018;
  typedef struct packed {
    logic [47:0] reserved0;
    logic [15:0] index;  // 15:0
  } ring_head_t;

  localparam logic [15:0] RingFenceAddressOffset = 16'h0020;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] address;  // 47:0
  } ring_fence_address_t;

  localparam logic [15:0] RingStatusOffset = 16'h0028;
  typedef struct packed {
    logic [31:0] fence;  // 63:32
    logic [8:0] reserved0;
    logic [2:0] level;  // 22:20
    logic [1:0] reserved1;
    logic [1:0] access;  // 17:16
    logic [7:0] reason;  // 15:8
    logic [4:0] reserved2;
    logic [0:0] preempted;  // 2:2
    logic [0:0] error;  // 1:1
    logic [0:0] busy;  // 0:0
  } ring_status_t;

  localparam logic [15:0] RingLastFenceOffset = 16'h0030;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] fence;  // 31:0
  } ring_last_fence_t;

  localparam logic [15:0] RingErrorCommandOffset = 16'h0038;
  typedef struct packed {
    logic [31:0] header;  // 63:32
    logic [31:0] offset;  // 31:0
  } ring_error_command_t;

  localparam logic [15:0] RingErrorAddressOffset = 16'h0040;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } ring_error_address_t;

  localparam logic [15:0] SpaceBase = 16'h2000;
  localparam int unsigned SpaceStride = 16;
  localparam int unsigned SpaceCount = 64;
  localparam logic [15:0] SpaceGeometryOffset = 16'h0000;
  typedef struct packed {
    logic [31:0] root_entries;  // 63:32
    logic [3:0] bits5;  // 31:28
    logic [3:0] bits4;  // 27:24
    logic [3:0] bits3;  // 23:20
    logic [3:0] bits2;  // 19:16
    logic [3:0] bits1;  // 15:12
    logic [3:0] bits0;  // 11:8
    logic [2:0] reserved0;
    logic [0:0] dual;  // 4:4
    logic [0:0] reserved1;
    logic [2:0] levels;  // 2:0
  } space_geometry_t;

  localparam logic [15:0] SpaceRootOffset = 16'h0008;
  typedef struct packed {
    logic [0:0] enable;  // 63:63
    logic [12:0] reserved0;
    logic [1:0] target;  // 49:48
    logic [47:0] address;  // 47:0
  } space_root_t;

  localparam logic [15:0] ClientBase = 16'h4000;
  localparam int unsigned ClientStride = 64;
  localparam int unsigned ClientCount = 64;
  localparam logic [15:0] ClientCtrlOffset = 16'h0000;
  typedef struct packed {
    logic [33:0] reserved0;
    logic [5:0] footprint_lg2;  // 29:24
    logic [7:0] depth;  // 23:16
    logic [1:0] reserved1;
    logic [5:0] space;  // 13:8
    logic [1:0] reserved2;
    logic [1:0] pattern;  // 5:4
    logic [1:0] access;  // 3:2
    logic [0:0] verify;  // 1:1
    logic [0:0] start;  // 0:0
  } client_ctrl_t;

  localparam logic [15:0] ClientBaseOffset = 16'h0008;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } client_base_t;

  localparam logic [15:0] ClientLinesOffset = 16'h0010;
  typedef struct packed {
    logic [31:0] stride;  // 63:32
    logic [31:0] first;  // 31:0
  } client_lines_t;

  localparam logic [15:0] ClientOrderOffset = 16'h0018;
  typedef struct packed {
    logic [31:0] step;  // 63:32
    logic [31:0] count;  // 31:0
  } client_order_t;

  localparam logic [15:0] ClientSeedOffset = 16'h0020;
  typedef struct packed {
    logic [63:0] value;  // 63:0
  } client_seed_t;

  localparam logic [15:0] ClientStatusOffset = 16'h0028;
  typedef struct packed {
    logic [31:0] count;  // 63:32
    logic [12:0] reserved0;
    logic [2:0] level;  // 18:16
    logic [7:0] reason;  // 15:8
    logic [5:0] reserved1;
    logic [0:0] fault;  // 1:1
    logic [0:0] busy;  // 0:0
  } client_status_t;

  localparam logic [15:0] ClientResultOffset = 16'h0030;
  typedef struct packed {
    logic [31:0] mismatches;  // 63:32
    logic [31:0] crc;  // 31:0
  } client_result_t;

  localparam logic [15:0] ClientFaultAddressOffset = 16'h0038;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } client_fault_address_t;

  localparam logic [15:0] PortCountersBase = 16'h8000;
  localparam int unsigned PortCountersStride = 64;
  localparam int unsigned PortCountersCount = 69;
  localparam logic [15:0] PortCountersLookupsOffset = 16'h0000;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_lookups_t;

  localparam logic [15:0] PortCountersHitsOffset = 16'h0008;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_hits_t;

  localparam logic [15:0] PortCountersMissesOffset = 16'h0010;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_misses_t;

  localparam logic [15:0] PortCountersMergedOffset = 16'h0018;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_merged_t;

  localparam logic [15:0] PortCountersFaultsOffset = 16'h0020;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_faults_t;

  localparam logic [15:0] PortCountersCyclesOffset = 16'h0028;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } port_counters_cycles_t;

  localparam logic [15:0] CountersBase = 16'ha000;
  localparam int unsigned CountersWords = 34;
  localparam int unsigned CountersL2LookupsIndex = 0;
  localparam int unsigned CountersL2HitsIndex = 1;
  localparam int unsigned CountersL2MissesIndex = 2;
  localparam int unsigned CountersL2MergedIndex = 3;
  localparam int unsigned CountersL2FillsIndex = 4;
  localparam int unsigned CountersL2EvictionsIndex = 5;
  localparam int unsigned CountersWalksIndex = 6;
  localparam int unsigned CountersWalksOkIndex = 7;
  localparam int unsigned CountersWalksFaultIndex = 8;
  localparam int unsigned CountersWalksRedoneIndex = 9;
  localparam int unsigned CountersTableReadsIndex = 10;
  localparam int unsigned CountersWalkIssueCyclesIndex = 11;
  localparam int unsigned CountersWalkMemoryCyclesIndex = 12;
  localparam int unsigned CountersWalkCyclesIndex = 13;
  localparam int unsigned CountersWcLookupsIndex = 14;
  localparam int unsigned CountersWcHitsIndex = 15;
  localparam int unsigned CountersInvalidationsIndex = 16;
  localparam int unsigned CountersInvalidationCyclesIndex = 17;
  localparam int unsigned CountersApLookupsIndex = 18;
  localparam int unsigned CountersApHitsIndex = 19;
  localparam int unsigned CountersRingEntriesIndex = 20;
  localparam int unsigned CountersCommandsIndex = 21;
  localparam int unsigned CountersCopyReadBytesIndex = 22;
  localparam int unsigned CountersCopyWriteBytesIndex = 23;
  localparam int unsigned CountersEngineCyclesIndex = 24;
  localparam int unsigned CountersMessagesIndex = 25;
  localparam int unsigned CountersFaultRecordsIndex = 26;
  localparam int unsigned CountersVramReadBytesIndex = 27;
  localparam int unsigned CountersVramWriteBytesIndex = 28;
  localparam int unsigned CountersHostReadBytesIndex = 29;
  localparam int unsigned CountersHostWriteBytesIndex = 30;
  localparam int unsigned CountersClientReadBytesIndex = 31;
  localparam int unsigned CountersClientWriteBytesIndex = 32;
  localparam int unsigned CountersClientCyclesIndex = 33;
  // bits that a cycle can add, by register
  localparam logic [33:0][3:0] CountersAdds = {
    4'd1,  // client_cycles
    4'd13,  // client_write_bytes
    4'd13,  // client_read_bytes
    4'd7,  // host_write_bytes
    4'd7,  // host_read_bytes
    4'd7,  // vram_write_bytes
    4'd7,  // vram_read_bytes
    4'd1,  // fault_records
    4'd1,  // messages
    4'd1,  // engine_cycles
    4'd9,  // copy_write_bytes
    4'd9,  // copy_read_bytes
    4'd2,  // commands
    4'd1,  // ring_entries
    4'd1,  // ap_hits
    4'd1,  // ap_lookups
    4'd1,  // invalidation_cycles
    4'd1,  // invalidations
    4'd1,  // wc_hits
    4'd1,  // wc_lookups
    4'd6,  // walk_cycles
    4'd6,  // walk_memory_cycles
    4'd6,  // walk_issue_cycles
    4'd1,  // table_reads
    4'd1,  // walks_redone
    4'd1,  // walks_fault
    4'd1,  // walks_ok
    4'd1,  // walks
    4'd1,  // l2_evictions
    4'd1,  // l2_fills
    4'd1,  // l2_merged
    4'd1,  // l2_misses
    4'd1,  // l2_hits
    4'd1  // l2_lookups
  };
  localparam logic [15:0] CountersL2LookupsOffset = 16'h0000;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_lookups_t;

  localparam logic [15:0] CountersL2HitsOffset = 16'h0008;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_hits_t;

  localparam logic [15:0] CountersL2MissesOffset = 16'h0010;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_misses_t;

  localparam logic [15:0] CountersL2MergedOffset = 16'h0018;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_merged_t;

  localparam logic [15:0] CountersL2FillsOffset = 16'h0020;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_fills_t;

  localparam logic [15:0] CountersL2EvictionsOffset = 16'h0028;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_l2_evictions_t;

  localparam logic [15:0] CountersWalksOffset = 16'h0030;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walks_t;

  localparam logic [15:0] CountersWalksOkOffset = 16'h0038;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walks_ok_t;

  localparam logic [15:0] CountersWalksFaultOffset = 16'h0040;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walks_fault_t;

  localparam logic [15:0] CountersWalksRedoneOffset = 16'h0048;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walks_redone_t;

  localparam logic [15:0] CountersTableReadsOffset = 16'h0050;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_table_reads_t;

  localparam logic [15:0] CountersWalkIssueCyclesOffset = 16'h0058;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walk_issue_cycles_t;

  localparam logic [15:0] CountersWalkMemoryCyclesOffset = 16'h0060;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walk_memory_cycles_t;

  localparam logic [15:0] CountersWalkCyclesOffset = 16'h0068;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_walk_cycles_t;

  localparam logic [15:0] CountersWcLookupsOffset = 16'h0070;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_wc_lookups_t;

  localparam logic [15:0] CountersWcHitsOffset = 16'h0078;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_wc_hits_t;

  localparam logic [15:0] CountersInvalidationsOffset = 16'h0080;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_invalidations_t;

  localparam logic [15:0] CountersInvalidationCyclesOffset = 16'h0088;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_invalidation_cycles_t;

  localparam logic [15:0] CountersApLookupsOffset = 16'h0090;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_ap_lookups_t;

  localparam logic [15:0] CountersApHitsOffset = 16'h0098;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_ap_hits_t;

  localparam logic [15:0] CountersRingEntriesOffset = 16'h00a0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_ring_entries_t;

  localparam logic [15:0] CountersCommandsOffset = 16'h00a8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_commands_t;

  localparam logic [15:0] CountersCopyReadBytesOffset = 16'h00b0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_copy_read_bytes_t;

  localparam logic [15:0] CountersCopyWriteBytesOffset = 16'h00b8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_copy_write_bytes_t;

  localparam logic [15:0] CountersEngineCyclesOffset = 16'h00c0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_engine_cycles_t;

  localparam logic [15:0] CountersMessagesOffset = 16'h00c8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_messages_t;

  localparam logic [15:0] CountersFaultRecordsOffset = 16'h00d0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_fault_records_t;

  localparam logic [15:0] CountersVramReadBytesOffset = 16'h00d8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_vram_read_bytes_t;

  localparam logic [15:0] CountersVramWriteBytesOffset = 16'h00e0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_vram_write_bytes_t;

  localparam logic [15:0] CountersHostReadBytesOffset = 16'h00e8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_host_read_bytes_t;

  localparam logic [15:0] CountersHostWriteBytesOffset = 16'h00f0;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_host_write_bytes_t;

  localparam logic [15:0] CountersClientReadBytesOffset = 16'h00f8;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_client_read_bytes_t;

  localparam logic [15:0] CountersClientWriteBytesOffset = 16'h0100;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_client_write_bytes_t;

  localparam logic [15:0] CountersClientCyclesOffset = 16'h0108;
  typedef struct packed {
    logic [63:0] n;  // 63:0
  } counters_client_cycles_t;

  localparam logic [15:0] RingEntryBufferByte = 16'h0000;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } ring_entry_buffer_t;

  localparam logic [15:0] RingEntryShapeByte = 16'h0008;
  typedef struct packed {
    logic [14:0] reserved0;
    logic [0:0] irq;  // 48:48
    logic [7:0] space;  // 47:40
    logic [3:0] reserved1;
    logic [1:0] target;  // 35:34
    logic [0:0] reserved2;
    logic [0:0] physical;  // 32:32
    logic [31:0] bytes;  // 31:0
  } ring_entry_shape_t;

  localparam logic [15:0] RingEntryCompletionByte = 16'h0010;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] fence;  // 31:0
  } ring_entry_completion_t;

  localparam logic [15:0] RingEntrySoftwareByte = 16'h0018;
  typedef struct packed {
    logic [63:0] cookie;  // 63:0
  } ring_entry_software_t;

  localparam logic [15:0] FenceRecordCompletionByte = 16'h0000;
  typedef struct packed {
    logic [31:0] entries;  // 63:32
    logic [31:0] fence;  // 31:0
  } fence_record_completion_t;

  localparam logic [15:0] FenceRecordTimeByte = 16'h0008;
  typedef struct packed {
    logic [63:0] cycle;  // 63:0
  } fence_record_time_t;

  localparam logic [15:0] FaultRecordWhatByte = 16'h0000;
  typedef struct packed {
    logic [31:0] fence;  // 63:32
    logic [0:0] physical;  // 31:31
    logic [2:0] level;  // 30:28
    logic [1:0] reserved0;
    logic [1:0] access;  // 25:24
    logic [7:0] port_index;  // 23:16
    logic [7:0] space;  // 15:8
    logic [7:0] reason;  // 7:0
  } fault_record_what_t;

  localparam logic [15:0] FaultRecordWhereByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } fault_record_where_t;

  localparam logic [15:0] FaultRecordWhenByte = 16'h0010;
  typedef struct packed {
    logic [63:0] cycle;  // 63:0
  } fault_record_when_t;

  localparam logic [15:0] FaultRecordOrderByte = 16'h0018;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] sequence_;  // 31:0
  } fault_record_order_t;

  localparam logic [15:0] CommandHeaderWordByte = 16'h0000;
  typedef struct packed {
    logic [15:0] words;  // 63:48
    logic [7:0] reserved0;
    logic [7:0] dst_space;  // 39:32
    logic [7:0] src_space;  // 31:24
    logic [5:0] reserved1;
    logic [1:0] dst_target;  // 17:16
    logic [1:0] src_target;  // 15:14
    logic [0:0] dst_physical;  // 13:13
    logic [0:0] src_physical;  // 12:12
    logic [1:0] scope;  // 11:10
    logic [0:0] irq;  // 9:9
    logic [0:0] wait_writes;  // 8:8
    logic [7:0] opcode;  // 7:0
  } command_header_word_t;

  localparam logic [15:0] CmdCopySourceByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_copy_source_t;

  localparam logic [15:0] CmdCopyDestinationByte = 16'h0010;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_copy_destination_t;

  localparam logic [15:0] CmdCopyLengthByte = 16'h0018;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] bytes;  // 47:0
  } cmd_copy_length_t;

  localparam logic [15:0] CmdFillDestinationByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_fill_destination_t;

  localparam logic [15:0] CmdFillLengthByte = 16'h0010;
  typedef struct packed {
    logic [15:0] reserved0;
    logic [47:0] bytes;  // 47:0
  } cmd_fill_length_t;

  localparam logic [15:0] CmdFillValueByte = 16'h0018;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] pattern;  // 31:0
  } cmd_fill_value_t;

  localparam logic [15:0] CmdTableWriteDestinationByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_table_write_destination_t;

  localparam logic [15:0] CmdTableWriteFirstByte = 16'h0010;
  typedef struct packed {
    logic [63:0] entry;  // 63:0
  } cmd_table_write_first_t;

  localparam logic [15:0] CmdTableRepeatDestinationByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_table_repeat_destination_t;

  localparam logic [15:0] CmdTableRepeatCountByte = 16'h0010;
  typedef struct packed {
    logic [31:0] reserved0;
    logic [31:0] entries;  // 31:0
  } cmd_table_repeat_count_t;

  localparam logic [15:0] CmdTableRepeatFirstByte = 16'h0018;
  typedef struct packed {
    logic [63:0] entry;  // 63:0
  } cmd_table_repeat_first_t;

  localparam logic [15:0] CmdTableRepeatIncrementByte = 16'h0020;
  typedef struct packed {
    logic [63:0] step;  // 63:0
  } cmd_table_repeat_increment_t;

  localparam logic [15:0] CmdApertureMapRangeByte = 16'h0008;
  typedef struct packed {
    logic [31:0] pages;  // 63:32
    logic [31:0] page;  // 31:0
  } cmd_aperture_map_range_t;

  localparam logic [15:0] CmdApertureMapFirstByte = 16'h0010;
  typedef struct packed {
    logic [63:0] entry;  // 63:0
  } cmd_aperture_map_first_t;

  localparam logic [15:0] CmdApertureListRangeByte = 16'h0008;
  typedef struct packed {
    logic [31:0] pages;  // 63:32
    logic [31:0] page;  // 31:0
  } cmd_aperture_list_range_t;

  localparam logic [15:0] CmdApertureListFirstByte = 16'h0010;
  typedef struct packed {
    logic [63:0] entry;  // 63:0
  } cmd_aperture_list_first_t;

  localparam logic [15:0] CmdApertureUnmapRangeByte = 16'h0008;
  typedef struct packed {
    logic [31:0] pages;  // 63:32
    logic [31:0] page;  // 31:0
  } cmd_aperture_unmap_range_t;

  localparam logic [15:0] CmdApertureUnmapDummyByte = 16'h0010;
  typedef struct packed {
    logic [63:0] entry;  // 63:0
  } cmd_aperture_unmap_dummy_t;

  localparam logic [15:0] CmdFlushTlbStartByte = 16'h0008;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } cmd_flush_tlb_start_t;

  localparam logic [15:0] CmdFlushTlbEndByte = 16'h0010;
  typedef struct packed {
    logic [63:0] va;  // 63:0
  } cmd_flush_tlb_end_t;

  localparam logic [15:0] CmdSignalFenceDestinationByte = 16'h0008;
  typedef struct packed {
    logic [63:0] address;  // 63:0
  } cmd_signal_fence_destination_t;

  localparam logic [15:0] CmdSignalFencePayloadByte = 16'h0010;
  typedef struct packed {
    logic [63:0] value;  // 63:0
  } cmd_signal_fence_payload_t;

  localparam logic [15:0] PteEntryByte = 16'h0000;
  typedef struct packed {
    logic [0:0] reserved63;  // 63:63
    logic [4:0] segment;  // 62:58
    logic [5:0] adapter;  // 57:52
    logic [39:0] page;  // 51:12
    logic [1:0] software;  // 11:10
    logic [0:0] table_64k;  // 9:9
    logic [0:0] contiguous;  // 8:8
    logic [1:0] target;  // 7:6
    logic [0:0] large_;  // 5:5
    logic [0:0] no_execute;  // 4:4
    logic [0:0] read_only;  // 3:3
    logic [0:0] coherent;  // 2:2
    logic [0:0] zero;  // 1:1
    logic [0:0] valid;  // 0:0
  } pte_entry_t;

  localparam logic [15:0] ApertureEntryEntryByte = 16'h0000;
  typedef struct packed {
    logic [11:0] reserved0;
    logic [39:0] page;  // 51:12
    logic [8:0] reserved1;
    logic [0:0] coherent;  // 2:2
    logic [0:0] reserved2;
    logic [0:0] valid;  // 0:0
  } aperture_entry_entry_t;

endpackage
