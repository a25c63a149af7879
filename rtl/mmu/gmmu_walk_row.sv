// SPDX-License-Identifier: Apache-2.0
// The state of one row of the walk table. Inputs are events of this row in this cycle, but for the
// data beside them. The table gives each only where it can happen: a start to a free row or one that
// is starting, sent in Issue, beats and their judgement in Read, filling and end in Done; in the
// cycle of a kill only a beat, a judgement and sent.
//
//   begin, restart   it starts as start_i says
//   join, picked     a lookup has joined; who began it and who joined are picked up to be answered
//   asked, again     the index unit has its page number; has put it off
//   index            the index of its next read has come
//   sent             its next read has been sent in the previous cycle
//   beat, judged     a beat of its read comes; verdict_i judges the previous cycle's beat. Where the
//                    64 KiB half of a pair has nothing, the row asks for another start, for the other
//   filling, filled  its line is being entered; is entered
//   restarted        it has asked for its start
//   end              it becomes free
//   kill, killed     some rows are killed; this one is
module gmmu_walk_row
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
  import gmmu_walk_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       begin_i,
  input  logic       restart_i,
  input  logic       wide_i,
  input  start_t     start_i,
  input  logic       join_i,
  input  logic       picked_i,
  input  logic       asked_i,
  input  logic       again_i,
  input  logic       index_i,
  input  logic [2:0] word_i,
  input  logic       sent_i,
  input  logic       beat_i,
  input  logic       judged_i,
  input  verdict_t   verdict_i,
  input  logic       filling_i,
  input  logic       filled_i,
  input  logic       restarted_i,
  input  logic       end_i,
  input  logic       kill_i,
  input  logic       killed_i,

  output walk_t      walk_o
);
  localparam int unsigned WordsPerBeat = DataWidth / 64;

  walk_t  walk_q;
  state_t at;
  assign walk_o = walk_q;
  assign at = walk_q.state;

  logic starts, begins, good, issue, read;
  // Data of a start are loaded until it comes: only the state waits for it.
  assign starts = begin_i || restart_i;
  assign begins = at[Free] || at[Starting];
  assign good = start_i.cause == '0;
  assign issue = at[Issue] && !sent_i;
  assign read = at[Read] || sent_i;

  // The end of a read: a stale one is done again, or goes down, or is the last.
  logic ends, redo, nothing, down, over, descends, answered, wanted, wrong_way, takes_4k;
  assign ends = judged_i && verdict_i.last;
  assign redo = ends && walk_q.stale;
  assign down = ends && !walk_q.stale && verdict_i.descends && walk_q.upper;
  assign nothing = ends && !walk_q.stale && verdict_i.nothing;
  assign over = ends && !walk_q.stale && !(verdict_i.descends && walk_q.upper)
      && !verdict_i.nothing;
  assign descends = down && verdict_i.sent;
  assign answered = walk_q.answered || (judged_i && verdict_i.answered);
  // The index of the level below is computed for 4 KiB entries, unless only 64 KiB ones are
  // possible. wrong_way: the entry names the other kind, so that index is mispredicted.
  assign wrong_way = down && verdict_i.k64 && !walk_q.dual;
  assign takes_4k = !walk_q.k64 && !is_half_64k(walk_q);
  // It held the own entry: `left` has gone down once more since.
  assign wanted = judged_i && (walk_q.upper || !walk_q.wide || walk_q.left == '1);

  always_ff @(posedge clk_i) begin
    walk_q.state[Free] <= end_i || (at[Free] && !begin_i);
    walk_q.state[Restart] <= (at[Restart] && !restarted_i) || (redo && !walk_q.answered) || nothing
        || (killed_i && (issue || (at[Done] && !walk_q.answered)
            || (down && !verdict_i.sent) || (over && !answered)));
    walk_q.state[Starting] <= restarted_i || (at[Starting] && !restart_i);
    walk_q.state[Issue] <= (starts && good) || (issue && !killed_i)
        || (down && !verdict_i.sent && !killed_i);
    walk_q.state[Read] <= (at[Read] && !ends) || sent_i || descends;
    walk_q.state[Done] <= (starts && !good) || (redo && walk_q.answered)
        || (at[Done] && !end_i && !(killed_i && !walk_q.answered))
        || (over && !(killed_i && !answered));

    if (at[Free]) walk_q.wide <= wide_i;
    walk_q.stale <= !redo
        && (walk_q.stale || (killed_i && ((read && !ends) || descends)));
    walk_q.answered <= !begins && (answered || picked_i);
    walk_q.chain <= join_i || (walk_q.chain && !picked_i && !at[Free]);

    // A line that has an error, is stale, or is one whole block, is not entered.
    walk_q.fill <= (sent_i && !walk_q.upper && walk_q.wide)
        || (descends && walk_q.level == 1 && walk_q.wide)
        || (walk_q.fill && !filling_i && !redo && !killed_i && !begins
            && !(judged_i && (verdict_i.error || (verdict_i.answered && verdict_i.big))));
    walk_q.filling <= (filling_i || walk_q.filling) && !filled_i && !begins;
    walk_q.drop <= (judged_i && verdict_i.error) || redo || (killed_i && (at[Done] || over))
        || (walk_q.drop && !sent_i && !descends && !begins);
    if (wanted) walk_q.error <= verdict_i.error;
    else if (begins) walk_q.error <= 1'b0;

    if (begins) begin
      walk_q.level <= start_i.level;
      walk_q.upper <= start_i.level != '0 || start_i.k64;
      walk_q.k64 <= start_i.k64;
      walk_q.dual <= start_i.dual;
      walk_q.has_64k <= start_i.has_64k;
    end else if (down) begin
      walk_q.level <= walk_q.level - 1'b1;
      walk_q.upper <= walk_q.level != 1 || verdict_i.k64;
      walk_q.k64 <= verdict_i.k64;
    end
    walk_q.second <= !at[Free] && !redo && !killed_i && (walk_q.second || nothing);
    walk_q.below <= !begins && (walk_q.below || down);

    // Nothing is below a leaf.
    if (begins) walk_q.index_valid <= start_i.index_valid;
    else if (wrong_way) walk_q.index_valid <= 1'b0;
    else if (sent_i) walk_q.index_valid <= !walk_q.upper || walk_q.k64;
    else if (descends) walk_q.index_valid <= walk_q.level == 1;
    else if (index_i && !walk_q.mispredicted) walk_q.index_valid <= 1'b1;
    walk_q.asked <= !kill_i && (begins ? good && !start_i.index_valid
        : asked_i || (walk_q.asked && !again_i && !index_i));
    // Until that index comes, or the unit, having put it off, is asked anew.
    walk_q.mispredicted <= !kill_i && !begins && (wrong_way ? asked_i || (walk_q.asked && !index_i)
        : walk_q.mispredicted && !asked_i && !index_i);
    if (begins) walk_q.word <= start_i.index[2:0];
    else if (index_i) walk_q.word <= word_i;
    if (at[Issue] || descends) begin
      walk_q.beat <= '0;
      walk_q.left <= 3'(32'(index_i ? word_i : walk_q.word) / WordsPerBeat);
    end else if (beat_i) begin
      walk_q.beat <= walk_q.beat + 1'b1;
      walk_q.left <= walk_q.left - 1'b1;
    end

    // These are one cycle old. A beat never comes earlier after what changes them, or is not used at
    // once.
    walk_q.to_table <= at[Read] && walk_q.upper && takes_4k && walk_q.index_valid && !walk_q.stale && !ends
        && !kill_i;
    walk_q.to_line <= walk_q.wide && walk_q.level == 1;
    walk_q.to_who <= at[Read] && !walk_q.upper && !walk_q.stale && !ends && !kill_i
        && (!walk_q.wide || walk_q.left == 3'(beat_i));

    if (rst_i) begin
      walk_q.state <= only(Free);
      walk_q.stale <= 1'b0;
      walk_q.asked <= 1'b0;
      walk_q.mispredicted <= 1'b0;
      walk_q.to_table <= 1'b0;
      walk_q.to_who <= 1'b0;
    end
  end

  logic unused_bits;
  assign unused_bits = ^start_i;
endmodule
