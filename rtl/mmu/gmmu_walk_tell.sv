// SPDX-License-Identifier: Apache-2.0
// Sends the responses of walks. The lookup that began a walk gets its response directly from the
// beat with its entry, or later from the fetched line. Lookups that joined the walk get their
// responses from that line, one per cycle.
//
//   begin      a row receives its key and the lookup that began it
//   start      the row's fault cause, the level of its first read, and whether a contiguous entry
//              may map its whole block (block_ok)
//   fact       error, level, form and geometry of the row's own entry
//   line       beats of table reads; beats of different rows may interleave. A read of a single
//              entry uses beat 0, and each word of that beat is the entry
//   direct     a row's own entry arrives in this cycle. direct_take_o: it leaves as a response in
//              this cycle, but never during hold_i or ahead of a pending response
//   join       appends a lookup to the row's chain, the linked list of the lookups that joined it
//              (join_chain_i: the row already has a chain)
//   row        a row whose lookups need responses: first the lookup that began it (row_begin_i),
//              then the chain. row_ready_o accepts all of them; a lookup that joins later starts a
//              new chain
//   tell       the responses. large: a large page, which goes to the walk cache with its shift.
//              narrow: a page that no line fill enters into the L2
//   again      a lookup that the row cannot serve and that must be replayed. Only the lookup that
//              began a walk gets its fault: a joined lookup may have been accepted after the
//              faulting entry was read, and the entry may have become valid since then
//   count      pulses one cycle after the response to a lookup that began a walk is accepted
//   kept_o     rows that must not be freed, because their lookups are being served
//   quiet_o    no response is in flight
module gmmu_walk_tell
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts,
  localparam int unsigned Rows = Config.WalkRows,
  localparam int unsigned MissSlots = Config.MostSlots,
  localparam int unsigned RowWidth = $clog2(Rows),
  localparam int unsigned SlotBits = $clog2(MissSlots),
  localparam int unsigned WaiterWidth = $clog2(NumPorts) + SlotBits
) (
  input  logic                   clk_i,
  input  logic                   rst_i,

  input  logic                   begin_i,
  input  logic [RowWidth-1:0]    start_row_i,
  input  key_t                   begin_key_i,
  input  logic [WaiterWidth-1:0] waiter_i,        // the lookup that begins or joins a walk
  input  logic                   start_i,
  input  cause_t                 start_cause_i,
  input  level_t                 start_level_i,
  input  logic                   start_block_ok_i,

  input  logic                   fact_i,
  input  logic [RowWidth-1:0]    fact_row_i,
  input  logic                   fact_error_i,
  input  level_t                 fact_level_i,
  input  form_e                  fact_form_i,
  input  logic [5:0]             fact_shift_i,
  input  logic [2:0]             fact_line_i,

  input  logic                   line_valid_i,
  input  logic [RowWidth-1:0]    line_row_i,
  input  logic [2:0]             line_beat_i,
  input  logic [DataWidth-1:0]   line_data_i,

  input  logic                   direct_valid_i,
  output logic                   direct_take_o,
  input  logic [RowWidth-1:0]    direct_row_i,
  input  logic [WaiterWidth-1:0] direct_who_i,
  input  key_t                   direct_key_i,
  input  page_t                  direct_page_i,
  input  cause_t                 direct_cause_i,
  input  logic                   direct_wide_i,

  input  logic                   join_i,
  input  logic [RowWidth-1:0]    join_row_i,
  input  logic [2:0]             join_sub_i,
  input  logic                   join_chain_i,

  input  logic                   row_valid_i,
  output logic                   row_ready_o,
  input  logic [RowWidth-1:0]    row_i,
  input  logic [Rows-1:0]        rows_i,
  input  logic                   row_begin_i,
  input  logic                   row_chain_i,
  input  logic [Rows-1:0]        wide_rows_i,
  input  logic [Rows-1:0]        drop_rows_i,

  output logic                   tell_valid_o,
  input  logic                   tell_ready_i,
  output msg_t                   tell_o,
  output logic                   tell_large_o,
  output logic                   tell_narrow_o,
  output logic [5:0]             tell_shift_o,
  output row_t                   tell_row_o,
  output logic                   again_valid_o,
  input  logic                   again_ready_i,
  output lookup_t                again_o,

  output logic                   count_ok_o,
  output logic                   count_fault_o,
  input  logic                   hold_i,
  output logic [Rows-1:0]        kept_o,
  output logic                   quiet_o
);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned Beats = 8 / WordsPerBeat;
  localparam int unsigned BeatWidth = Beats > 1 ? $clog2(Beats) : 0;
  localparam int unsigned LineWidth = RowWidth + BeatWidth;
  typedef logic [WaiterWidth-1:0] waiter_t;
  typedef logic [LineWidth-1:0] address_t;
  typedef logic [RowWidth-1:0] index_t;
  typedef logic [Rows-1:0] rows_t;

  typedef struct packed {
    logic       error;
    level_t     level;
    form_e      form;
    logic [5:0] shift;
    logic [2:0] line;
  } fact_t;
  typedef struct packed {
    cause_t cause;
    level_t level;
    logic   block_ok;
  } start_fact_t;
  typedef struct packed {
    msg_t msg;
    logic narrow;
    row_t row;
  } answer_t;

  function automatic address_t beat_address(index_t row, logic [2:0] beat);
    return address_t'((32'(row) << BeatWidth) | 32'(beat));
  endfunction
  function automatic port_t port_of(waiter_t who);
    logic unused_bits;
    unused_bits = ^who;
    return port_t'(who[WaiterWidth-1:SlotBits]);
  endfunction
  function automatic slot_t slot_of(waiter_t who);
    logic unused_bits;
    unused_bits = ^who;
    return slot_t'(who[SlotBits-1:0]);
  endfunction

  // ---- Lookups that wait for each row: the one that began it, and the first and the last that
  // joined it. Each waiting lookup stores its page within the line, and the next lookup in the
  // chain.
  waiter_t    row_who, row_head, row_tail, join_tail, next, link_address;
  logic [2:0] row_sub, sub;
  logic       link_read, c_take, advance, staged_free;
  gmmu_lutram #(.Width(WaiterWidth + 3), .Depth(Rows)) u_who (
    .clk_i, .write_i(begin_i), .write_addr_i(start_row_i),
    .data_i({waiter_i, begin_key_i.vpn[2:0]}), .read_addr_i(row_i), .data_o({row_who, row_sub}));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_head (
    .clk_i, .write_i(join_i && !join_chain_i), .write_addr_i(join_row_i), .data_i(waiter_i),
    .read_addr_i(row_i), .data_o(row_head));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail (
    .clk_i, .write_i(join_i), .write_addr_i(join_row_i), .data_i(waiter_i),
    .read_addr_i(row_i), .data_o(row_tail));
  gmmu_lutram #(.Width(WaiterWidth), .Depth(Rows)) u_tail_join (
    .clk_i, .write_i(join_i), .write_addr_i(join_row_i), .data_i(waiter_i),
    .read_addr_i(join_row_i), .data_o(join_tail));
  gmmu_ram_block #(.Width(3), .Depth(2**WaiterWidth)) u_sub (
    .clk_i, .read_i(link_read), .read_addr_i(link_address), .data_o(sub),
    .write_i(join_i), .write_addr_i(waiter_i), .data_i(join_sub_i));
  gmmu_ram_block #(.Width(WaiterWidth), .Depth(2**WaiterWidth)) u_next (
    .clk_i, .read_i(link_read), .read_addr_i(link_address), .data_o(next),
    .write_i(join_i && join_chain_i), .write_addr_i(join_tail), .data_i(waiter_i));

  // ---- The row being served, one of its lookups per cycle.
  typedef enum logic [1:0] {StIdle, StBegin, StChain} state_e;
  state_e     c_state_q;
  logic       c_begin, c_line, c_leaf, c_last, c_chain_q;
  rows_t      c_rows_q;
  index_t     c_row_q;
  waiter_t    c_who_q, c_head_q, c_tail_q, c_who;
  logic [2:0] c_sub_q, c_sub, c_mask, c_word;
  gmmu_lutram #(.Width(4), .Depth(Rows)) u_line_facts (
    .clk_i, .write_i(fact_i), .write_addr_i(fact_row_i),
    .data_i({fact_form_i == FormLeaf, fact_line_i}), .read_addr_i(c_row_q), .data_o({c_leaf, c_mask}));
  assign row_ready_o = c_state_q == StIdle && !hold_i;
  assign c_take = row_ready_o && row_valid_i;
  assign c_begin = c_state_q == StBegin;
  assign c_last = c_begin ? !c_chain_q : c_head_q == c_tail_q;
  assign c_who = c_begin ? c_who_q : c_head_q;
  assign c_sub = c_begin ? c_sub_q : sub;
  assign c_line = c_leaf && (c_rows_q & wide_rows_i) != '0;
  assign c_word = c_line ? c_sub & c_mask : '0;
  assign link_read = c_state_q == StIdle || (c_state_q == StChain && advance);
  assign link_address = c_state_q == StIdle ? row_head : next;
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      c_state_q <= StIdle;
      c_rows_q <= '0;
    end else begin
      if (c_state_q == StIdle) c_rows_q <= c_take ? rows_i : '0;
      else if (advance && c_last) c_rows_q <= '0;
      unique case (c_state_q)
        StBegin: if (advance) c_state_q <= c_chain_q ? StChain : StIdle;
        StChain: if (advance && c_last) c_state_q <= StIdle;
        default: if (c_take) c_state_q <= row_begin_i ? StBegin : StChain;  // StIdle
      endcase
    end
    if (c_state_q == StIdle) begin
      c_row_q <= row_i;
      c_who_q <= row_who;
      c_sub_q <= row_sub;
      c_head_q <= row_head;
      c_tail_q <= row_tail;
      c_chain_q <= row_chain_i;
    end else if (c_state_q == StChain && advance) begin
      c_head_q <= next;
    end
  end

  // ---- Stage q holds a lookup while the RAMs read the beat of its line, and the key and facts of
  // its row.
  logic        q_valid_q, q_begin_q, q_same;
  rows_t       q_rows_q;
  index_t      q_row_q;
  waiter_t     q_who_q;
  logic [2:0]  q_sub_q, q_own_q, q_word_q;
  logic [DataWidth-1:0] beat_data;
  logic [63:0] q_word;
  key_t        q_key;
  fact_t       q_fact;
  start_fact_t q_start;
  gmmu_ram_apart #(.Width(DataWidth), .Depth(2**LineWidth)) u_lines (
    .clk_i, .read_i(advance), .read_addr_i(beat_address(c_row_q, 3'(32'(c_word) / WordsPerBeat))),
    .data_o(beat_data),
    .write_i(line_valid_i), .write_addr_i(beat_address(line_row_i, line_beat_i)),
    .data_i(line_data_i));
  gmmu_ram_block #(.Width($bits(key_t)), .Depth(Rows)) u_keys (
    .clk_i, .read_i(advance), .read_addr_i(c_row_q), .data_o(q_key),
    .write_i(begin_i), .write_addr_i(start_row_i), .data_i(begin_key_i));
  gmmu_lutram #(.Width($bits(fact_t)), .Depth(Rows)) u_facts (
    .clk_i, .write_i(fact_i), .write_addr_i(fact_row_i),
    .data_i({fact_error_i, fact_level_i, fact_form_i, fact_shift_i, fact_line_i}),
    .read_addr_i(q_row_q), .data_o(q_fact));
  gmmu_lutram #(.Width($bits(start_fact_t)), .Depth(Rows)) u_starts (
    .clk_i, .write_i(start_i), .write_addr_i(start_row_i),
    .data_i({start_cause_i, start_level_i, start_block_ok_i}),
    .read_addr_i(q_row_q), .data_o(q_start));
  assign advance = staged_free;
  always_comb begin
    q_word = beat_data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (32'(q_word_q) % WordsPerBeat == i) q_word = beat_data[i*64 +: 64];
    end
  end
  // A 64 KiB entry serves every lookup that can join its row.
  assign q_same = q_fact.form == FormLeaf64
      || ((q_sub_q ^ q_own_q) & ~(q_fact.form == FormLeaf ? q_fact.line : '0)) == '0;
  always_ff @(posedge clk_i) begin
    if (rst_i) q_valid_q <= 1'b0;
    else if (advance) q_valid_q <= c_state_q != StIdle;
    if (rst_i) q_rows_q <= '0;
    else if (advance) q_rows_q <= c_rows_q;
    if (advance) begin
      q_begin_q <= c_begin;
      q_row_q <= c_row_q;
      q_who_q <= c_who;
      q_sub_q <= c_sub;
      q_own_q <= c_sub_q;
      q_word_q <= c_word;
    end
  end

  // ---- Stage e decodes and checks the entry.
  logic         e_valid_q, e_begin_q, e_good_q, e_fits_q, e_error_q, e_wide_q, e_block_ok_q;
  logic         staged_valid_q, crooked, no_cause;
  rows_t        e_rows_q;
  index_t       e_row_q;
  waiter_t      e_who_q;
  logic [63:0]  e_word_q;
  key_t         e_key_q;
  level_t       e_level_q;
  form_e        e_form_q;
  logic [5:0]   e_shift_q;
  cause_t       e_cause_q, cause;
  vpn_t         e_keep_q;
  pfn_t         span;     // page number bits inside the page
  pte_verdict_t entry;
  pte_entry_t   form;
  page_t        page;
  always_ff @(posedge clk_i) begin
    if (rst_i) e_valid_q <= 1'b0;
    else if (advance) e_valid_q <= q_valid_q;
    if (rst_i) e_rows_q <= '0;
    else if (advance) e_rows_q <= q_rows_q;
    if (advance) begin
      e_begin_q <= q_begin_q;
      e_row_q <= q_row_q;
      e_who_q <= q_who_q;
      e_word_q <= q_word;
      e_key_q <= q_key;
      e_key_q.vpn[2:0] <= q_sub_q;
      e_level_q <= q_start.cause == '0 ? q_fact.level : q_start.level;
      e_form_q <= q_fact.form;
      e_shift_q <= q_fact.shift;
      e_keep_q <= keep_mask(q_fact.shift);
      e_cause_q <= q_start.cause;
      e_error_q <= q_fact.error;
      e_good_q <= q_start.cause == '0 && !q_fact.error;
      e_block_ok_q <= q_start.block_ok;
      e_wide_q <= (q_rows_q & wide_rows_i) != '0;
      e_fits_q <= q_same && (q_rows_q & drop_rows_i) == '0;
    end
  end
  assign span = pfn_t'(vpn_t'(~e_keep_q));
  // The alignment of a large page is checked separately (crooked), because that check is slow.
  assign form = pte_entry_t'(e_word_q);
  assign entry = decode(e_word_q, e_form_q);
  assign crooked = form.valid && !form.zero && form.large_ && e_form_q == FormUpper
      && (entry.pfn & span) != '0 && e_good_q;
  assign page = page_of(entry, e_level_q, e_form_q == FormLeaf, e_key_q.vpn, e_keep_q, e_block_ok_q);
  always_comb begin
    cause = e_cause_q;
    if (e_cause_q == '0) cause = e_error_q ? cause_t'(FaultTableRead) : cause_t'(entry.fault);
    no_cause = e_good_q && entry.fault == FaultNone;
  end

  // ---- The response. A fault goes only to the lookup that began the walk.
  logic       fits_q, crooked_q, large_q, answers, staged_goes, tell_free;
  answer_t    staged_q;
  rows_t      staged_rows_q;
  logic [5:0] shift_q;
  assign answers = !staged_q.msg.merged || (fits_q && !crooked_q);
  assign staged_goes = staged_valid_q && answers;
  // A staged lookup that cannot leave blocks the lookups behind it.
  assign staged_free = !staged_valid_q || (answers ? tell_free : again_ready_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) staged_valid_q <= 1'b0;
    else if (advance) staged_valid_q <= e_valid_q;
    if (rst_i) staged_rows_q <= '0;
    else if (advance) staged_rows_q <= e_rows_q;
    if (advance) begin
      fits_q <= e_fits_q && no_cause;
      crooked_q <= crooked;
      large_q <= e_begin_q && no_cause && (e_form_q == FormUpper || e_form_q == FormHalf64);
      shift_q <= e_shift_q;
      staged_q <= '{
        msg: '{port: port_of(e_who_q), slot: slot_of(e_who_q), merged: !e_begin_q, key: e_key_q,
               page: page, cause: cause},
        narrow: e_begin_q && no_cause && (e_form_q == FormLeaf64
            || (e_form_q == FormLeaf && (!e_wide_q || page.big))),
        row: row_t'(e_row_q)};
    end
  end
  assign again_valid_o = staged_valid_q && !answers;
  assign again_o = '{port: staged_q.msg.port, slot: staged_q.msg.slot, key: staged_q.msg.key};

  // ---- The output register. The staged response has priority over a direct response.
  answer_t offer_q, direct_answer;
  logic    taken;
  assign tell_free = !tell_valid_o || tell_ready_i;
  assign direct_take_o = direct_valid_i && tell_free && !staged_goes && !hold_i;
  assign direct_answer = '{
    msg: '{port: port_of(direct_who_i), slot: slot_of(direct_who_i), merged: 1'b0,
           key: direct_key_i, page: direct_page_i, cause: direct_cause_i},
    narrow: direct_cause_i == '0 && (!direct_wide_i || direct_page_i.big),
    row: row_t'(direct_row_i)};
  assign tell_o = offer_q.msg;
  assign tell_narrow_o = offer_q.narrow;
  assign tell_row_o = offer_q.row;
  assign taken = tell_valid_o && tell_ready_i;
  always_ff @(posedge clk_i) begin
    if (rst_i) tell_valid_o <= 1'b0;
    else if (tell_free) tell_valid_o <= staged_goes || direct_take_o;
    if (tell_free) begin
      offer_q <= staged_goes ? staged_q : direct_answer;
      if (staged_goes && crooked_q) begin
        offer_q.msg.cause <= staged_q.msg.cause | cause_t'(FaultEntryReserved);
      end
      tell_large_o <= staged_goes && large_q && !crooked_q;
      tell_shift_o <= shift_q;
    end
    count_ok_o <= !rst_i && taken && !offer_q.msg.merged && offer_q.msg.cause == '0;
    count_fault_o <= !rst_i && taken && !offer_q.msg.merged && offer_q.msg.cause != '0;
  end
  assign kept_o = c_rows_q | q_rows_q | e_rows_q | staged_rows_q;
  assign quiet_o = c_state_q == StIdle && !q_valid_q && !e_valid_q && !staged_valid_q && !tell_valid_o;

  logic unused_bits;  // bits that are used by decode only
  assign unused_bits = ^form;

  if ((MissSlots & (MissSlots - 1)) != 0 || NumPorts < 2) begin : g_illegal
    $fatal(1, "gmmu_walk_tell: MissSlots must be a power of two, NumPorts at least 2");
  end
endmodule
