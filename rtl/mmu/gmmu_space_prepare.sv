// SPDX-License-Identifier: Apache-2.0
// Computes the shifts and masks of an address space from its geometry, one level per cycle.
//
//   start_i   pulse; cfg_i is stable from this cycle until done_o
//   done_o    pulse; row_o is stable from this cycle until the next start_i
//
// An illegal geometry gives a row that is not enabled. Illegal are: fewer than 2 levels or more
// than were built, a level with fewer than 1 or more than 13 bits, a sum of bits above VaWidth, or
// a dual space with more than 12 bits at level 1 or fewer than 4 at level 0.
module gmmu_space_prepare
  import gmmu_pkg::*;
  import gmmu_mmu_pkg::*;
(
  input  logic       clk_i,
  input  logic       rst_i,

  input  logic       start_i,
  input  space_cfg_t cfg_i,
  output logic       done_o,
  output space_row_t row_o
);
  logic       busy_q, legal_q, used;
  level_t     level_q;
  logic [6:0] sum_q;    // sum of the index bits of all lower levels
  logic [3:0] bits;

  assign bits = cfg_i.bits[level_q];
  assign used = level_q < cfg_i.levels;

  always_ff @(posedge clk_i) begin
    done_o <= 1'b0;
    if (rst_i) begin
      busy_q <= 1'b0;
      done_o <= 1'b0;
    end else if (start_i) begin
      busy_q <= 1'b1;
    end else if (busy_q && level_q == level_t'(MaxLevels)) begin
      busy_q <= 1'b0;
      done_o <= 1'b1;
    end

    if (start_i) begin
      level_q <= '0;
      sum_q <= '0;
      legal_q <= cfg_i.levels >= 2 && cfg_i.levels <= level_t'(MaxLevels)
          && !(cfg_i.dual && (cfg_i.bits[0] < 4'd4 || cfg_i.bits[1] > 4'd12));
      row_o <= '0;
      row_o.root <= cfg_i.root.offset[PaWidth-1:PageLg2];
      row_o.root_target <= cfg_i.root.target;
      row_o.root_entries <= cfg_i.root_entries > 32'd8192 ? 14'd8192 : cfg_i.root_entries[13:0];
      row_o.dual <= cfg_i.dual;
      row_o.has_64k <= cfg_i.bits[0] >= 4'd4;
      row_o.bits_64k <= cfg_i.bits[0] - 4'd4;
      row_o.top <= cfg_i.levels == '0 ? '0 : cfg_i.levels - 1'b1;
    end else if (busy_q && level_q != level_t'(MaxLevels)) begin
      level_q <= level_q + 1'b1;
      if (used) begin
        row_o.root_shift <= sum_q[5:0];  // the root's level comes last, so its values remain
        row_o.root_bits <= bits;
        legal_q <= legal_q && bits >= 4'd1 && bits <= 4'd13;
        sum_q <= sum_q + 7'(bits);
        for (int unsigned l = 0; l < MaxLevels; l++) begin
          if (level_q == level_t'(l)) begin
            row_o.shift[l] <= sum_q[5:0] - 6'(l == 1 && cfg_i.dual);
            row_o.bits[l] <= bits + 4'(l == 1 && cfg_i.dual);
          end
        end
        for (int unsigned l = 1; l < MaxLevels; l++) begin
          if (level_q == level_t'(l)) row_o.keep[l] <= keep_mask(sum_q[5:0]);
        end
      end
    end else if (busy_q) begin
      row_o.enable <= cfg_i.enable && legal_q && sum_q <= 7'(VpnWidth);
      row_o.beyond <= keep_mask(sum_q[5:0]);
    end
  end

  logic unused_root;  // the root's adapter and alignment bits
  assign unused_root = ^{cfg_i.root.adapter, cfg_i.root.offset[PageLg2-1:0]};
endmodule
