// SPDX-License-Identifier: Apache-2.0
// What the blocks of the walk table exchange.
package gmmu_walk_pkg;
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;

  // Where a row is, one bit each. Restart: has to ask for its start. Starting: asked. Issue: wants a
  // read. Read: read under way. Done: the reads are over.
  localparam int unsigned Free = 0;
  localparam int unsigned Restart = 1;
  localparam int unsigned Starting = 2;
  localparam int unsigned Issue = 3;
  localparam int unsigned Read = 4;
  localparam int unsigned Done = 5;
  typedef logic [5:0] state_t;

  typedef struct packed {
    state_t     state;
    logic       wide;
    logic       stale;
    logic       answered;    // who began it has its answer
    logic       fill;        // the line has to be entered
    logic       filling;     // it is being entered
    logic       drop;        // the line is not to be used
    logic       error;       // the own entry's read was an error
    level_t     level;       // of the entry to read, or being read
    logic       upper;       // it is not in a 4 KiB leaf table
    logic       k64;         // it is in a 64 KiB leaf table (level 0)
    logic       dual;        // entries of level 1 are pairs
    logic       has_64k;     // a leaf table may have 64 KiB entries
    logic       second;      // of pairs: the 4 KiB half, the other one has nothing
    logic       mispredicted;  // the index unit was asked for an index of 4 KiB entries, in vain
    logic       below;       // the table was named by an entry, not by the start
    logic       index_valid;  // the index of the next read is known
    logic       asked;       // the index unit works on it
    logic [2:0] word;        // own entry in its line, by the latest index
    logic [2:0] beat;        // the next one of the read under way
    logic [2:0] left;        // beats of a line before the one with the own entry
    logic       chain;       // lookups have joined
    // What the next beat may be used for in its own cycle; 0 while that is undecided.
    logic       to_table;    // it names the next table, whose index is known
    logic       to_line;     // that is a leaf table, to be read by lines
    logic       to_who;      // it holds the own entry
  } walk_t;

  // What a beat means for its row, one cycle after it came.
  typedef struct packed {
    logic last;
    logic error;
    logic descends;          // it names a table
    logic k64;               // of 64 KiB entries
    logic nothing;           // the 64 KiB half has nothing here
    logic sent;              // and the next read is on its way
    logic answered;          // the lookup that began the walk has its answer
    logic big;               // the entry stands for its whole block
  } verdict_t;

  // Is the entry that a row reads the 64 KiB half of a pair?
  function automatic logic is_half_64k(walk_t walk);
    logic unused_bits;
    unused_bits = ^walk;
    return walk.dual && !walk.second && walk.level == 1;
  endfunction

  // The level of an entry as later readers need it.
  typedef struct packed {
    logic [5:0]  shift;
    logic        block_ok;   // the leaf table has sixteen entries or more
    logic [2:0]  line;       // ones: index bits that the table has within a line
    logic [12:0] index;
  } step_t;

  function automatic step_t step_of(logic [5:0] shift, logic [3:0] bits, logic [12:0] index);
    return '{shift: shift, block_ok: bits >= 4'd4,
             line: {bits >= 4'd3, bits >= 4'd2, bits >= 4'd1}, index: index};
  endfunction

  // Rows with a lower one among `rows`, by groups of four: short paths.
  function automatic logic [63:0] above(logic [63:0] rows);
    logic [15:0] groups;
    logic        any_lower;
    for (int unsigned g = 0; g < 16; g++) groups[g] = |rows[g*4 +: 4];
    for (int unsigned g = 0; g < 16; g++) begin
      any_lower = |(groups & 16'((1 << g) - 1));
      above[g*4] = any_lower;
      above[g*4+1] = any_lower || rows[g*4];
      above[g*4+2] = any_lower || |rows[g*4 +: 2];
      above[g*4+3] = any_lower || |rows[g*4 +: 3];
    end
  endfunction

  // How many of `rows`, to 3.
  function automatic logic [1:0] few(logic [63:0] rows);
    logic [15:0][1:0] sum;
    logic [3:0]       four;
    for (int unsigned g = 0; g < 16; g++) begin
      four = rows[g*4 +: 4];
      sum[g][1] = (four[0] && |four[3:1]) || (four[1] && |four[3:2]) || (four[2] && four[3]);
      sum[g][0] = (^four && !(&four[1:0]) && !(&four[3:2])) || (&four[1:0] && |four[3:2])
          || (&four[3:2] && |four[1:0]);
    end
    for (int unsigned step = 1; step < 16; step *= 2) begin
      for (int unsigned g = 0; g < 16; g += 2 * step) begin
        sum[g] = {sum[g][1] || sum[g+step][1] || (sum[g][0] && sum[g+step][0]),
                  sum[g][1] ? sum[g][0] || sum[g+step] != '0
                  : sum[g][0] ? sum[g+step] == '0 || sum[g+step][1] : sum[g+step][0]};
      end
    end
    return sum[0];
  endfunction

  // At least two of `rows`.
  function automatic logic several(logic [63:0] rows);
    logic [15:0] one, two;
    for (int unsigned g = 0; g < 16; g++) begin
      one[g] = |rows[g*4 +: 4];
      two[g] = (rows[g*4] && |rows[g*4+1 +: 3]) || (rows[g*4+1] && |rows[g*4+2 +: 2])
          || (rows[g*4+2] && rows[g*4+3]);
    end
    several = two != '0;
    for (int unsigned g = 1; g < 16; g++) several |= one[g] && |(one & 16'((1 << g) - 1));
  endfunction

  function automatic state_t only(int unsigned bit_number);
    return state_t'(1) << bit_number;
  endfunction
endpackage
