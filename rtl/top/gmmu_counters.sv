// SPDX-License-Identifier: Apache-2.0
// The counters of the register description: the port_counters of NumPorts ports, and the shared
// counters.
//
//   port_i     events of a port in this cycle, and the number of its outstanding lookups, which is
//              added to `cycles`
//   shared_i   amounts to add in this cycle, in the order of the elements of regfile counters. The
//              amount of element i has Adds[i] bits; its upper bits are 0
//   read       hold rd_i and addr_i. rd_busy_o is 1 until rd_data_o is valid: the value of the
//              counter at addr_i, or 0 for other addresses. A read waits for its counter's turn, at
//              most one round over all words
//
// Each counter consists of a short register that wraps and a word of Width bits in RAM. The words
// are updated in rotation, one per cycle: each gains what its register has counted since the last
// update. The register is wide enough not to wrap twice between two updates, so no event is lost.
// For a counter of single events the register is an LFSR, which costs one gate; the LFSR's position
// at the last update is stored with the word. For a counter of amounts the register is a sum, and
// the low part of the word is the sum at the last update.
module gmmu_counters
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned NumShared = CountersWords,
  parameter int unsigned Width = 64,
  parameter logic [NumShared-1:0][3:0] Adds = CountersAdds,
  localparam int unsigned AddWidth = 13
) (
  input  logic                      clk_i,
  input  logic                      rst_i,

  input  port_count_t [NumPorts-1:0] port_i,
  input  logic [AddWidth-1:0]       shared_i [NumShared],

  input  logic                      rd_i,
  input  logic [15:0]               addr_i,
  output logic                      rd_busy_o,
  output logic [63:0]               rd_data_o
);
  // Words are numbered {port, element}, with eight elements per port, followed by the shared counters.
  localparam int unsigned FirstShared = 8 * NumPorts;
  localparam int unsigned Words = FirstShared + NumShared;
  localparam int unsigned IndexWidth = $clog2(Words);
  localparam int unsigned PlaceWidth = $clog2(Words + 2);  // the LFSR has 2^PlaceWidth - 1 states
  localparam int unsigned SumWidth = AddWidth + IndexWidth < Width ? AddWidth + IndexWidth : Width;
  localparam int unsigned Cycles = $bits(port_i[0].outstanding);
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [PlaceWidth-1:0] place_t;
  typedef logic [SumWidth-1:0] sum_t;
  typedef logic [Width-1:0] value_t;

  // For each word: whether it counts single events, and the mask of the sum bits that it needs so
  // as not to wrap within a round.
  typedef logic [Words-1:0] by_word_t;
  typedef logic [Words-1:0][SumWidth-1:0] masks_t;
  function automatic by_word_t events();
    by_word_t is_event;
    for (int unsigned i = 0; i < Words; i++) begin
      is_event[i] = i < FirstShared ? i % 8 < 5 : Adds[i-FirstShared] == 4'd1;
    end
    return is_event;
  endfunction
  function automatic masks_t masks();
    masks_t mask;
    for (int unsigned i = 0; i < Words; i++) begin
      mask[i] = ~({SumWidth{1'b1}} << ((i < FirstShared ? Cycles : 32'(Adds[i-FirstShared])) + IndexWidth));
    end
    return mask;
  endfunction
  localparam by_word_t IsEvent = events();
  localparam masks_t   MaskOf = masks();

  // Returns the next state of the LFSR; the sequence begins at 0 (Xilinx XAPP 052 lists the taps).
  function automatic place_t after(place_t state);
    logic feedback;
    feedback = state[PlaceWidth-1] ^ state[PlaceWidth == 5 || PlaceWidth == 10 ? PlaceWidth - 3
        : PlaceWidth == 9 ? 4 : PlaceWidth == 8 ? 5 : PlaceWidth - 2];
    if (PlaceWidth == 8) feedback ^= state[4] ^ state[3];
    return {state[PlaceWidth-2:0], !feedback};
  endfunction
  // constant: the position of each LFSR state in the sequence
  (* ram_style = "block", rom_style = "block" *) place_t place_of [1 << PlaceWidth];
  initial begin
    place_t state;
    state = '0;
    for (int unsigned i = 0; i + 1 < 1 << PlaceWidth; i++) begin
      place_of[state] = place_t'(i);
      state = after(state);
    end
    place_of[state] = '0;
  end

  // ---- The counting registers. The amounts of each cycle are registered first.
  logic [4:0]          port_events_q [NumPorts];
  logic [Cycles-1:0]   port_cycles_q [NumPorts];
  place_t              port_event_q [NumPorts][5];
  sum_t                port_sum_q [NumPorts];
  place_t              event_q [NumShared];  // a counter uses event_q or sum_q; the other one is 0
  sum_t                sum_q [NumShared];

  logic rst_q;
  always_ff @(posedge clk_i) rst_q <= rst_i;
  for (genvar p = 0; p < NumPorts; p++) begin : g_port
    always_ff @(posedge clk_i) begin
      port_cycles_q[p] <= port_i[p].outstanding;
      port_events_q[p] <=
          {port_i[p].fault, port_i[p].merged, port_i[p].miss, port_i[p].hit, port_i[p].lookup};
      if (rst_q) port_event_q[p] <= '{default: '0};
      else if (port_events_q[p] != '0) begin   // skips the loop in most cycles
        for (int unsigned i = 0; i < 5; i++) begin
          if (port_events_q[p][i]) port_event_q[p][i] <= after(port_event_q[p][i]);
        end
      end
      if (rst_q) port_sum_q[p] <= '0;
      else if (port_cycles_q[p] != '0) port_sum_q[p] <= (port_sum_q[p] + sum_t'(port_cycles_q[p])) & MaskOf[8*p+5];
    end
  end
  for (genvar i = 0; i < NumShared; i++) begin : g_shared
    if (IsEvent[FirstShared+i]) begin : g_event
      logic now_q;
      assign sum_q[i] = '0;
      always_ff @(posedge clk_i) begin
        now_q <= shared_i[i][0];
        if (rst_q) event_q[i] <= '0;
        else if (now_q) event_q[i] <= after(event_q[i]);
      end
    end else begin : g_amount
      logic [AddWidth-1:0] now_q;
      assign event_q[i] = '0;
      always_ff @(posedge clk_i) begin
        now_q <= shared_i[i];
        if (rst_q) sum_q[i] <= '0;
        else if (now_q != '0) sum_q[i] <= (sum_q[i] + sum_t'(now_q)) & MaskOf[FirstShared+i];
      end
    end
    a_adds: assert property (@(posedge clk_i) disable iff (rst_i) shared_i[i] >> Adds[i] == '0);
  end

  // ---- The counter that is being read.
  logic        rd_port, rd_shared, rd_q, rd_counter_q, done_q;
  index_t      rd_index_q;
  logic [12:0] port_word, shared_word;  // number of the word within its group

  // Each group of counters is aligned to its size, so an XOR with the group's base gives the word
  // number.
  assign port_word = addr_i[15:3] ^ PortCountersBase[15:3];
  assign shared_word = addr_i[15:3] ^ CountersBase[15:3];
  assign rd_port = 32'(port_word) < FirstShared && port_word[2:0] < 3'd6;
  assign rd_shared = 32'(shared_word) < NumShared;
  always_ff @(posedge clk_i) begin
    rd_q <= rd_i && !rst_i;
    rd_counter_q <= rd_port || rd_shared;
    rd_index_q <= rd_port ? index_t'(port_word) : index_t'(FirstShared) + index_t'(shared_word);
  end
  assign rd_busy_o = rd_i && !done_q;

  // ---- The stages of an update: select a register; read its position and its word; register
  // these; compute the gain; compute the sum, which is written back. turn_q is the number of the
  // counter; turn_hot_q is its one-hot form, which makes the selection an OR.
  localparam int unsigned Stages = 5;
  index_t            turn_q;
  index_t            at_q [Stages];
  logic [Words-1:0]  turn_hot_q;
  // first_q: first round after reset, in which the RAM words are undefined and taken as 0
  logic              first_q, fresh0_q, fresh1_q;
  logic [Stages-1:0] asked_q, live_q;
  logic              is_event2_q;
  place_t            event0_q, place1_q, place2_q, place3_q, place4_q, was2_q, place_gain;
  sum_t              sum0_q, sum1_q, sum2_q, mask2_q, gain3_q;
  value_t            value, value2_q, value3_q, value4_q;
  place_t            was;

  gmmu_ram_block #(.Width(PlaceWidth + Width), .Depth(Words)) u_words (
    .clk_i, .read_i(1'b1), .read_addr_i(at_q[0]), .data_o({was, value}),
    .write_i(live_q[4]), .write_addr_i(at_q[4]), .data_i({place4_q, value4_q})
  );

  place_t event_now;
  sum_t   sum_now;
  always_comb begin
    event_now = '0;
    sum_now = '0;
    for (int unsigned p = 0; p < NumPorts; p++) begin
      if (turn_hot_q[8*p +: 6] != '0) begin
        for (int unsigned i = 0; i < 5; i++) if (turn_hot_q[8*p+i]) event_now |= port_event_q[p][i];
        if (turn_hot_q[8*p+5]) sum_now |= port_sum_q[p];
      end
    end
    for (int unsigned i = 0; i < NumShared; i++) begin
      if (turn_hot_q[FirstShared+i]) event_now |= event_q[i];
      if (turn_hot_q[FirstShared+i]) sum_now |= sum_q[i];
    end
  end

  // The sequence has 2^PlaceWidth - 1 states, so a wrapped difference is one too large.
  logic   place_wraps;
  place_t place_step;
  assign {place_wraps, place_step} = {1'b0, place2_q} - {1'b0, was2_q};
  assign place_gain = place_step - place_t'(place_wraps);

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      turn_q <= '0;
      turn_hot_q <= Words'(1);
      first_q <= 1'b1;
      live_q <= '0;
      asked_q <= '0;
      done_q <= 1'b0;
    end else begin
      turn_q <= turn_hot_q[Words-1] ? '0 : turn_q + 1'b1;
      turn_hot_q <= {turn_hot_q[Words-2:0], turn_hot_q[Words-1]};
      if (turn_hot_q[Words-1]) first_q <= 1'b0;
      live_q <= {live_q[Stages-2:0], 1'b1};
      asked_q <= {asked_q[Stages-2:0], rd_q && rd_counter_q && turn_q == rd_index_q};
      if (!rd_i) done_q <= 1'b0;
      else if (asked_q[4] || (rd_q && !rd_counter_q)) done_q <= 1'b1;
    end

    for (int unsigned s = 1; s < Stages; s++) at_q[s] <= at_q[s-1];
    at_q[0] <= turn_q;
    // stage 0: the selected register
    event0_q <= event_now;
    sum0_q <= sum_now;
    fresh0_q <= first_q;
    // stage 1: RAM outputs
    place1_q <= place_of[event0_q];
    sum1_q <= sum0_q;
    fresh1_q <= fresh0_q;
    // stage 2: RAM outputs, registered
    place2_q <= place1_q;
    sum2_q <= sum1_q;
    if (fresh1_q) {was2_q, value2_q} <= '0;
    else {was2_q, value2_q} <= {was, value};
    is_event2_q <= IsEvent[at_q[1]];
    mask2_q <= MaskOf[at_q[1]];
    // stage 3: the gain
    place3_q <= place2_q;
    value3_q <= value2_q;
    gain3_q <= is_event2_q ? sum_t'(place_gain) : (sum2_q - value2_q[SumWidth-1:0]) & mask2_q;
    // stage 4: the sum
    place4_q <= place3_q;
    value4_q <= value3_q + value_t'(gain3_q);

    if (!rd_i) rd_data_o <= '0;
    else if (asked_q[4]) rd_data_o <= 64'(value4_q);
  end

  logic unused_addr;
  assign unused_addr = ^addr_i[2:0];
endmodule
