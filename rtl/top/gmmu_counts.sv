// SPDX-License-Identifier: Apache-2.0
// Connects each counter to its events, sums the bytes of the clients and counts the beats of the
// memory ports. gmmu_counters holds the counters themselves.
//
//   bus      [0] VRAM, [1] host: a beat of R or W is accepted. Reads count all bytes of a beat,
//            writes only the enabled bytes, one cycle later. idle_o: nothing is left to count
//   units    size in bytes of the access that a client, or one direction of the through-port, has
//            completed in this cycle; 0: none
//   read     see gmmu_counters
module gmmu_counts
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumUnits = Config.NumUnits,
  localparam int unsigned NumPorts = Config.NumPorts
) (
  input  logic                             clk_i,
  input  logic                             rst_i,

  input  port_count_t [NumPorts-1:0]       port_i,
  input  mmu_count_t                       mmu_i,
  input  logic                             ap_lookup_i,
  input  logic                             ap_hit_i,
  input  logic                             entry_i,
  input  logic [1:0]                       commands_i,
  input  logic [8:0]                       engine_read_i,
  input  logic [8:0]                       engine_write_i,
  input  logic                             engine_busy_i,
  input  logic                             message_i,
  input  logic                             record_i,
  input  logic [NumUnits-1:0][6:0]         unit_read_i,
  input  logic [NumUnits-1:0][6:0]         unit_write_i,
  input  logic                             units_busy_i,
  input  logic [1:0]                       bus_r_i,
  input  logic [1:0]                       bus_w_i,
  input  logic [1:0][DataBytes-1:0]        bus_strb_i,
  output logic                             idle_o,

  input  logic                             rd_i,
  input  logic [15:0]                      addr_i,
  output logic                             rd_busy_o,
  output logic [63:0]                      rd_data_o
);
  typedef logic [12:0] amount_t;

  // ---- Bytes that the access units completed in this cycle.
  amount_t units_read, units_written;
  always_comb begin
    units_read = '0;
    units_written = '0;
    for (int unsigned i = 0; i < NumUnits; i++) begin
      if (unit_read_i[i] != '0) units_read += amount_t'(unit_read_i[i]);
      if (unit_write_i[i] != '0) units_written += amount_t'(unit_write_i[i]);
    end
  end

  // ---- Bytes of the memory ports.
  function automatic amount_t ones(logic [DataBytes-1:0] bits);
    amount_t sum;
    sum = '0;
    for (int unsigned i = 0; i < DataBytes; i++) sum += amount_t'(bits[i]);
    return sum;
  endfunction

  amount_t bus_read_q [2], bus_written_q [2];
  for (genvar p = 0; p < 2; p++) begin : g_bus
    always_ff @(posedge clk_i) begin
      bus_read_q[p] <= bus_r_i[p] ? amount_t'(DataBytes) : '0;
      if (bus_w_i[p]) bus_written_q[p] <= ones(bus_strb_i[p]);
      else bus_written_q[p] <= '0;
    end
  end
  assign idle_o = (bus_read_q[0] | bus_read_q[1] | bus_written_q[0] | bus_written_q[1]) == '0;

  // ---- Amounts, in the order of the register description.
  amount_t amounts [CountersWords];
  assign amounts[CountersL2LookupsIndex] = amount_t'(mmu_i.l2_lookup);
  assign amounts[CountersL2HitsIndex] = amount_t'(mmu_i.l2_hit);
  assign amounts[CountersL2MissesIndex] = amount_t'(mmu_i.l2_miss);
  assign amounts[CountersL2MergedIndex] = amount_t'(mmu_i.l2_merged);
  assign amounts[CountersL2FillsIndex] = amount_t'(mmu_i.l2_fill);
  assign amounts[CountersL2EvictionsIndex] = amount_t'(mmu_i.l2_eviction);
  assign amounts[CountersWalksIndex] = amount_t'(mmu_i.walk);
  assign amounts[CountersWalksOkIndex] = amount_t'(mmu_i.walk_ok);
  assign amounts[CountersWalksFaultIndex] = amount_t'(mmu_i.walk_fault);
  assign amounts[CountersWalksRedoneIndex] = amount_t'(mmu_i.walk_redone);
  assign amounts[CountersTableReadsIndex] = amount_t'(mmu_i.table_read);
  assign amounts[CountersWalkIssueCyclesIndex] = amount_t'(mmu_i.walk_issue);
  assign amounts[CountersWalkMemoryCyclesIndex] = amount_t'(mmu_i.walk_memory);
  assign amounts[CountersWalkCyclesIndex] = amount_t'(mmu_i.walk_rows);
  assign amounts[CountersWcLookupsIndex] = amount_t'(mmu_i.wc_lookup);
  assign amounts[CountersWcHitsIndex] = amount_t'(mmu_i.wc_hit);
  assign amounts[CountersInvalidationsIndex] = amount_t'(mmu_i.invalidation);
  assign amounts[CountersInvalidationCyclesIndex] = amount_t'(mmu_i.invalidating);
  assign amounts[CountersApLookupsIndex] = amount_t'(ap_lookup_i);
  assign amounts[CountersApHitsIndex] = amount_t'(ap_hit_i);
  assign amounts[CountersRingEntriesIndex] = amount_t'(entry_i);
  assign amounts[CountersCommandsIndex] = amount_t'(commands_i);
  assign amounts[CountersCopyReadBytesIndex] = amount_t'(engine_read_i);
  assign amounts[CountersCopyWriteBytesIndex] = amount_t'(engine_write_i);
  assign amounts[CountersEngineCyclesIndex] = amount_t'(engine_busy_i);
  assign amounts[CountersMessagesIndex] = amount_t'(message_i);
  assign amounts[CountersFaultRecordsIndex] = amount_t'(record_i);
  assign amounts[CountersVramReadBytesIndex] = bus_read_q[0];
  assign amounts[CountersVramWriteBytesIndex] = bus_written_q[0];
  assign amounts[CountersHostReadBytesIndex] = bus_read_q[1];
  assign amounts[CountersHostWriteBytesIndex] = bus_written_q[1];
  assign amounts[CountersClientReadBytesIndex] = units_read;
  assign amounts[CountersClientWriteBytesIndex] = units_written;
  assign amounts[CountersClientCyclesIndex] = amount_t'(units_busy_i);

  gmmu_counters #(.NumPorts(NumPorts), .Width(Config.CounterWidth)) u_counters (
    .clk_i, .rst_i, .port_i, .shared_i(amounts), .rd_i, .addr_i, .rd_busy_o, .rd_data_o
  );
endmodule
