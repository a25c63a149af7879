// SPDX-License-Identifier: Apache-2.0
// Stores the read data of one client in the slots that its accesses reserved.
//
//   first    an access is offered: index in its line of the beat that contains its first byte
//   r        beats of different slots may interleave; always accepted
//   end      pulses two cycles after the last beat of a slot; error: at least one of the slot's
//            beats had an error
//   read     data_o follows read_i by one cycle; a row may be read after the end of its slot has
//            been reported
//   clear    sweeps all slots after reset, before the first access
module gmmu_client_land
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_client_pkg::*;
#(
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes,
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1,
  localparam int unsigned RowWidth = $clog2(Slots * BeatsPerLine)
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 clear_i,
  input  slot_t                clear_slot_i,

  input  logic                 first_i,
  input  slot_t                first_slot_i,
  input  logic [BeatWidth-1:0] first_beat_i,

  input  logic                 r_valid_i,
  input  r_t                   r_i,
  output logic                 end_valid_o,
  output slot_t                end_slot_o,
  output logic                 end_error_o,

  input  logic                 read_i,
  input  logic [RowWidth-1:0]  read_row_i,
  output logic [DataWidth-1:0] data_o
);
  typedef struct packed {
    logic                 error;
    logic [BeatWidth-1:0] beats;  // number of beats received so far
  } state_t;

  logic                 valid_q, error;
  r_t                   r_q;
  slot_t                slot;
  state_t               state, state_d;
  logic [BeatWidth-1:0] first, beat;
  logic [RowWidth-1:0]  row;

  assign slot = r_q.id[SlotLg2-1:0];
  assign beat = first + state.beats;
  if (BeatsPerLine > 1) begin : g_row
    assign row = {slot, beat};
  end else begin : g_whole
    logic unused_beat;
    assign row = slot;
    assign unused_beat = ^beat;
  end
  assign error = state.error || r_q.error;
  assign state_d = r_q.last || clear_i ? '0 : '{error: error, beats: state.beats + 1'b1};

  gmmu_lutram #(.Width($bits(state_t)), .Depth(Slots)) u_state (
    .clk_i, .write_i(valid_q || clear_i), .write_addr_i(clear_i ? clear_slot_i : slot),
    .data_i(state_d), .read_addr_i(slot), .data_o(state)
  );
  gmmu_lutram #(.Width(BeatWidth), .Depth(Slots)) u_first (
    .clk_i, .write_i(first_i), .write_addr_i(first_slot_i), .data_i(first_beat_i),
    .read_addr_i(slot), .data_o(first)
  );
  gmmu_ram_apart #(.Width(DataWidth), .Depth(Slots * BeatsPerLine)) u_data (
    .clk_i, .read_i, .read_addr_i(read_row_i), .data_o,
    .write_i(valid_q), .write_addr_i(row), .data_i(r_q.data)
  );

  always_ff @(posedge clk_i) begin
    valid_q <= r_valid_i && !rst_i;
    end_valid_o <= valid_q && r_q.last && !rst_i;
    if (r_valid_i) r_q <= r_i;
    end_slot_o <= slot;
    end_error_o <= error;
  end

  logic unused_bits;
  assign unused_bits = ^r_q.id;
endmodule
