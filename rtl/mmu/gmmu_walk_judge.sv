// SPDX-License-Identifier: Apache-2.0
// Judges the beats of the table reads. What cannot wait leaves in the cycle of the beat, with data
// that are right if the one bit beside them says so; all else comes from registers one cycle later.
//
//   beat      the beat's row, one-hot, and its entry: descend: the pointer to the next table, whose
//             read may go; direct: the own entry of a row, with its page or cause
//   judged    one cycle later, the row and what it learns; line: the beat for the rows' lines
//   table     a pointer: for the row's later reads, and with the walk cache's data for it (wc_write,
//             two cycles after the beat; not in the cycle after a kill_i)
module gmmu_walk_judge
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_pte_pkg::*;
  import gmmu_walk_pkg::*;
#(
  parameter int unsigned Rows = 9
) (
  input  logic                 clk_i,
  input  logic                 rst_i,
  input  logic                 kill_i,

  input  logic                 r_valid_i,
  input  r_t                   r_i,
  input  walk_t [Rows-1:0]     walk_i,

  output logic [Rows-1:0]      beat_rows_o,
  output row_t                 beat_row_o,
  output logic                 beat_low_o,
  input  logic [2:0]           beat_word_i,
  input  logic                 block_ok_i,
  input  key_t                 key_i,
  output logic                 descend_o,
  input  logic                 descend_sent_i,
  output pfn_t                 pfn_o,
  output logic                 vram_o,
  output logic                 next_line_o,    // the next table is a leaf of a wide row
  output logic                 direct_o,
  input  logic                 direct_take_i,
  output page_t                page_o,
  output cause_t               cause_o,
  output logic                 wide_o,

  output logic [Rows-1:0]      judged_rows_o,
  output verdict_t             verdict_o,
  output row_t                 judge_row_o,
  output logic                 judge_low_o,
  input  logic [5:0]           judge_shift_i,
  input  logic [2:0]           judge_word_i,

  output logic                 line_valid_o,
  output logic [2:0]           line_beat_o,
  output logic [DataWidth-1:0] line_data_o,
  output logic                 table_write_o,
  output pfn_t                 table_pfn_o,
  output logic                 table_vram_o,
  output logic                 wc_write_o,
  output wc_write_t            wc_data_o
);
  localparam int unsigned WordsPerBeat = DataWidth / 64;
  localparam int unsigned RowWidth = $clog2(Rows);

  // ---- The cycle of the beat.
  logic [Rows-1:0] here, direct_rows, descend_rows;
  logic [63:0]     word;
  logic [2:0]      own_word, beat;
  level_t          level;
  logic            wide, upper, dual, descends, takes_4k, takes_64k, halves, to_64k;
  pte_verdict_t    entry;
  assign beat_row_o = row_t'(r_i.id);
  assign beat_rows_o = r_valid_i ? here : '0;
  always_comb begin
    level = '0;
    beat = '0;
    own_word = '0;
    wide = 1'b0;
    upper = 1'b0;
    dual = 1'b0;
    takes_4k = 1'b0;
    takes_64k = 1'b0;
    halves = 1'b0;
    next_line_o = 1'b0;
    for (int unsigned i = 0; i < Rows; i++) begin
      here[i] = r_i.id[RowWidth-1:0] == RowWidth'(i);
      direct_rows[i] = here[i] && walk_i[i].to_who;
      descend_rows[i] = here[i] && walk_i[i].to_table;
      if (here[i]) begin
        level |= walk_i[i].level;
        beat |= walk_i[i].beat;
        own_word |= walk_i[i].word;
        wide |= walk_i[i].wide;
        upper |= walk_i[i].upper;
        dual |= walk_i[i].dual;
        // Which leaf tables the entry may name; whether it is of a 64 KiB half.
        takes_4k |= !walk_i[i].k64 && !is_half_64k(walk_i[i]);
        takes_64k |= walk_i[i].level == 1 && walk_i[i].has_64k
            && !(walk_i[i].dual && walk_i[i].second);
        halves |= walk_i[i].dual && !walk_i[i].second && (walk_i[i].k64 || walk_i[i].level == 1);
        next_line_o |= walk_i[i].to_line;
      end
    end
  end
  assign beat_low_o = level[0];
  always_comb begin
    word = r_i.data[63:0];
    for (int unsigned i = 0; i < WordsPerBeat; i++) begin
      if (WordsPerBeat > 1 && 32'(level == '0 ? own_word : beat_word_i) % WordsPerBeat == i) begin
        word = r_i.data[i*64 +: 64];
      end
    end
  end
  // Only leaf entries are answered directly: for those above, the page has to be put together.
  assign entry = decode(word, FormLeaf);
  assign page_o = page_of(entry, '0, 1'b1, key_i.vpn, '1, block_ok_i);
  assign cause_o = r_i.error ? cause_t'(FaultTableRead) : cause_t'(entry.fault);
  assign pfn_o = entry.pfn;
  assign vram_o = entry.target == TargetVram;
  assign wide_o = wide;
  assign descends = !r_i.error && names_table(word, 1'b0);
  assign to_64k = !r_i.error && names_table(word, 1'b1) && takes_64k;
  assign descend_o = r_valid_i && descends && descend_rows != '0;
  assign direct_o = r_valid_i && direct_rows != '0;

  // ---- One cycle later.
  level_t          level_q;
  logic            line_q, dual_q, judged_q, stale;
  logic [2:0]      beat_q;
  logic [63:0]     word_q;
  key_t            key_q;
  pte_entry_t      kept;
  always_ff @(posedge clk_i) begin
    if (rst_i) judged_rows_o <= '0;
    else judged_rows_o <= beat_rows_o;
    judged_q <= r_valid_i && !rst_i;
    judge_row_o <= beat_row_o;
    verdict_o <= '{last: r_i.last, error: r_i.error, descends: (descends && takes_4k) || to_64k,
                   k64: to_64k, nothing: halves && !r_i.error && is_nothing(word),
                   sent: descend_sent_i, answered: direct_take_i, big: page_o.big};
    line_data_o <= r_i.data;
    word_q <= word;
    level_q <= level;
    line_q <= wide && !upper;
    dual_q <= dual;
    beat_q <= beat;
    key_q <= key_i;
  end
  assign judge_low_o = level_q[0];
  assign line_valid_o = judged_q;
  // A narrow read's entry lies where it would lie in its line.
  assign line_beat_o = line_q ? beat_q : 3'(32'(judge_word_i) / WordsPerBeat);

  assign kept = pte_entry_t'(word_q);
  assign table_write_o = judged_q && verdict_o.descends && level_q != '0;
  assign table_pfn_o = kept.page[PfnWidth-1:0];
  assign table_vram_o = target_e'(kept.target) == TargetVram;
  always_comb begin
    stale = 1'b0;
    for (int unsigned i = 0; i < Rows; i++) stale |= judged_rows_o[i] && walk_i[i].stale;
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) wc_write_o <= 1'b0;
    else wc_write_o <= table_write_o && !stale && !kill_i;
    wc_data_o <= '{level: level_q, space: key_q.space, tag: key_q.vpn & keep_mask(judge_shift_i),
                   pfn: table_pfn_o, vram: table_vram_o, k64: verdict_o.k64,
                   half: verdict_o.k64 && dual_q};
  end

  logic unused_bits;
  assign unused_bits = ^{walk_i, entry, beat_word_i, own_word, kept, key_q};
endmodule
