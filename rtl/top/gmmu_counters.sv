// SPDX-License-Identifier: Apache-2.0
// The counters of the register description: port_counters of NumPorts ports and the shared
// counters.
//
//   port_i     events of a port in this cycle: element order of the regfile port_counters. The last
//              element is an amount, the others add 0 or 1
//   shared_i   amounts to add in this cycle: element order of the regfile counters. Elements outside
//              SharedAmounts add 0 or 1
//   read       while rd_i and addr_i stand: rd_busy_o is 1 until rd_data_o is the value of the
//              counter at addr_i, or 0 for other addresses
//
// Each counter is a short register that wraps, and a word of Width bits in RAM. All words are
// visited in turn: what the register has gained since the last visit is added. A register is wide
// enough not to wrap twice meanwhile, so nothing is lost, and its value is the low part of the word.
module gmmu_counters
  import gmmu_regs_pkg::*;
#(
  parameter int unsigned NumPorts = 7,
  parameter int unsigned NumShared = 34,
  parameter int unsigned Width = 64,
  parameter int unsigned AmountWidth = 13,
  parameter logic [NumShared-1:0] SharedAmounts = '1
) (
  input  logic                                    clk_i,
  input  logic                                    rst_i,

  input  logic [NumPorts-1:0][5:0][AmountWidth-1:0] port_i,
  input  logic [NumShared-1:0][AmountWidth-1:0]   shared_i,

  input  logic                                    rd_i,
  input  logic [15:0]                             addr_i,
  output logic                                    rd_busy_o,
  output logic [63:0]                             rd_data_o
);
  // Word of a counter: {port, element} with room for eight elements, then the shared ones.
  localparam int unsigned FirstShared = 8 * NumPorts;
  localparam int unsigned Words = FirstShared + NumShared;
  localparam int unsigned Groups = (Words + 7) / 8;
  localparam int unsigned IndexWidth = $clog2(Words);
  localparam int unsigned EventWidth = IndexWidth + 1;             // gains less than half a turn
  localparam int unsigned SafeWidth = AmountWidth + IndexWidth + 1;
  localparam int unsigned LowWidth = SafeWidth < Width ? SafeWidth : Width;
  typedef logic [IndexWidth-1:0] index_t;
  typedef logic [EventWidth-1:0] event_t;
  typedef logic [LowWidth-1:0] low_t;
  typedef logic [Width-1:0] value_t;

  function automatic logic is_amount(index_t index);
    if (32'(index) < FirstShared) return index[2:0] == 3'd5;
    return SharedAmounts[32'(index) - FirstShared];
  endfunction

  // ---- Registers that count, one of two kinds by counter. What a cycle adds is registered first.
  // A port without an event is passed over as a whole, which is most of them in most cycles of a
  // simulation.
  logic [NumPorts-1:0][4:0]             port_events_q;
  logic [NumPorts-1:0][AmountWidth-1:0] port_amount_q;
  logic [NumShared-1:0]                 events_q;
  logic [NumShared-1:0][AmountWidth-1:0] amounts_q;
  event_t event_low_q [Words];
  low_t   amount_low_q [Words];

  always_ff @(posedge clk_i) begin
    for (int unsigned p = 0; p < NumPorts; p++) begin
      for (int unsigned i = 0; i < 5; i++) port_events_q[p][i] <= port_i[p][i][0];
      port_amount_q[p] <= port_i[p][5];
    end
    for (int unsigned i = 0; i < NumShared; i++) events_q[i] <= shared_i[i][0];
    amounts_q <= shared_i;
    if (rst_i) begin
      port_events_q <= '0;
      port_amount_q <= '0;
      events_q <= '0;
      amounts_q <= '0;
      for (int unsigned i = 0; i < Words; i++) event_low_q[i] <= '0;
      for (int unsigned i = 0; i < Words; i++) amount_low_q[i] <= '0;
    end else begin
      for (int unsigned p = 0; p < NumPorts; p++) begin
        if (port_events_q[p] != '0) begin
          for (int unsigned i = 0; i < 5; i++) begin
            event_low_q[8*p+i] <= event_low_q[8*p+i] + event_t'(port_events_q[p][i]);
          end
        end
        if (port_amount_q[p] != '0) begin
          amount_low_q[8*p+5] <= amount_low_q[8*p+5] + low_t'(port_amount_q[p]);
        end
      end
      for (int unsigned i = 0; i < NumShared; i++) begin
        if (!SharedAmounts[i] && events_q[i]) begin
          event_low_q[FirstShared+i] <= event_low_q[FirstShared+i] + 1'b1;
        end
        if (SharedAmounts[i] && amounts_q[i] != '0) begin
          amount_low_q[FirstShared+i] <= amount_low_q[FirstShared+i] + low_t'(amounts_q[i]);
        end
      end
    end
  end

  // ---- Which counter is read.
  logic   rd_port, rd_shared, rd_q, rd_counter_q, asked_q, done_q, ask_q;
  index_t rd_index_q;

  logic [12:0] port_word, shared_word;  // words from the first one of either kind

  assign port_word = addr_i[15:3] - PortCountersBase[15:3];
  assign shared_word = addr_i[15:3] - CountersBase[15:3];
  assign rd_port = 32'(port_word) < FirstShared && port_word[2:0] < 3'd6;
  assign rd_shared = 32'(shared_word) < NumShared;
  always_ff @(posedge clk_i) begin
    rd_q <= rd_i && !rst_i;
    rd_counter_q <= rd_port || rd_shared;
    rd_index_q <= rd_port ? index_t'(port_word) : index_t'(FirstShared) + index_t'(shared_word);
  end
  assign rd_busy_o = rd_i && !done_q;

  // ---- The visits: choose a word; read it and its register; find the gain; add it; write. A word
  // is visited again only when its last visit is over.
  localparam int unsigned Stages = 5;
  logic   [Stages-1:0] live_q, answer_q, first_stage_q;
  index_t              at_q [Stages];
  index_t              turn_q, visit;
  logic                first_q;                     // the first round after reset: words are 0
  logic                ask_clash, turn_clash, clash, amount2_q;
  value_t              word, word_q, word2_q, sum_q;
  low_t                low2_q, gain_q;
  low_t [Groups-1:0]   group1_q;

  always_comb begin
    ask_clash = 1'b0;
    turn_clash = 1'b0;
    for (int unsigned s = 0; s < Stages; s++) begin
      ask_clash |= live_q[s] && at_q[s] == rd_index_q;
      turn_clash |= live_q[s] && at_q[s] == turn_q;
    end
    clash = ask_q ? ask_clash : turn_clash;
  end
  assign visit = ask_q ? rd_index_q : turn_q;

  gmmu_ram_1r1w #(.Width(Width), .Depth(Words)) u_words (
    .clk_i, .read_i(1'b1), .read_addr_i(at_q[0]), .data_o(word),
    .write_i(live_q[4]), .write_addr_i(at_q[4]), .data_i(sum_q)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      turn_q <= '0;
      first_q <= 1'b1;
      live_q <= '0;
      answer_q <= '0;
      ask_q <= 1'b0;
      asked_q <= 1'b0;
      done_q <= 1'b0;
    end else begin
      if (!ask_q && !clash) begin
        turn_q <= turn_q == index_t'(Words - 1) ? '0 : turn_q + 1'b1;
        if (turn_q == index_t'(Words - 1)) first_q <= 1'b0;
      end
      live_q <= {live_q[Stages-2:0], !clash};
      answer_q <= {answer_q[Stages-2:0], ask_q && !clash};
      if (!rd_q) asked_q <= 1'b0;
      else if (rd_counter_q && !first_q) asked_q <= 1'b1;
      if (rd_q && rd_counter_q && !asked_q && !first_q) ask_q <= 1'b1;
      else if (!clash) ask_q <= 1'b0;
      if (!rd_i) done_q <= 1'b0;
      else if (answer_q[4] || (rd_q && !rd_counter_q)) done_q <= 1'b1;
    end

    for (int unsigned s = 1; s < Stages; s++) at_q[s] <= at_q[s-1];
    first_stage_q <= {first_stage_q[Stages-2:0], first_q};
    // 0: a word is chosen
    at_q[0] <= visit;
    // 1: it is read: of each eight registers one
    for (int unsigned i = 0; i < Words; i++) begin
      if (at_q[0][2:0] == 3'(i)) begin
        group1_q[i/8] <= is_amount(index_t'(i)) ? amount_low_q[i] : low_t'(event_low_q[i]);
      end
    end
    // 2: behind the RAM; one of the eights
    word_q <= first_stage_q[1] ? '0 : word;
    low2_q <= group1_q[at_q[1][IndexWidth-1:3]];
    amount2_q <= is_amount(at_q[1]);
    // 3: the gain
    word2_q <= word_q;
    gain_q <= (low2_q - word_q[LowWidth-1:0]) & (amount2_q ? '1 : low_t'({EventWidth{1'b1}}));
    // 4: the sum
    sum_q <= word2_q + value_t'(gain_q);

    if (!rd_i) rd_data_o <= '0;
    else if (answer_q[4]) rd_data_o <= 64'(sum_q);
  end

  logic unused_bits;
  assign unused_bits = ^{addr_i[2:0], port_i, first_stage_q};
endmodule
