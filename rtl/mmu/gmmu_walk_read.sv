// SPDX-License-Identifier: Apache-2.0
// Issues the table reads: id = row, one burst a row. A read comes by one of two ways, each with a
// register in front of the port:
//
//   descend  a pointer comes in this cycle: the read of the table that it names. Address and row are
//            taken whatever it is; only descend_i says that it is to be read. descend_sent_o
//   start    a walk starts above the leaves with a valid index. It goes before the rows below
//   early    the index of a row comes in the next cycle, as raw & mask
//   row      a row wants a read. It, or the row of `soon`, is kept here until its read is sent;
//            kept_o says which row is kept. A kill drops it
//   sent_o   by row, one cycle late: the read of a start, or of who was kept, is on its way
//
// The entry's pointer is written to table_*_i one cycle after it came.
module gmmu_walk_read
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter int unsigned Rows = 9
) (
  input  logic            clk_i,
  input  logic            rst_i,
  input  logic            kill_i,

  input  logic            descend_i,
  output logic            descend_sent_o,
  input  row_t            descend_row_i,
  input  pfn_t            descend_pfn_i,
  input  logic            descend_vram_i,
  input  logic [12:0]     descend_index_i,
  input  logic            descend_line_i,

  input  logic            start_valid_i,   // a walk starts
  input  row_t            start_row_i,
  input  logic [Rows-1:0] start_rows_i,
  input  start_t          start_i,

  input  logic [Rows-1:0] early_rows_i,
  input  logic            early_held_i,    // but not now
  input  logic [12:0]     early_index_i,   // in the next cycle
  output logic            row_ready_o,
  input  logic [Rows-1:0] rows_i,
  input  row_t            row_i,
  input  logic [12:0]     row_index_i,
  input  logic [Rows-1:0] below_i,         // rows whose table an entry named
  input  logic [Rows-1:0] line_i,          // rows that read a line
  output logic [Rows-1:0] kept_o,
  output logic [Rows-1:0] sent_o,

  input  logic            table_write_i,
  input  row_t            table_row_i,
  input  pfn_t            table_pfn_i,
  input  logic            table_vram_i,

  output logic            ar_valid_o,
  input  logic            ar_ready_i,
  output ax_t             ar_o
);
  localparam int unsigned RowWidth = $clog2(Rows);
  localparam int unsigned LineBeats = 8 * 64 / DataWidth;
  typedef logic [RowWidth-1:0] index_t;
  typedef struct packed {
    pfn_t pfn;
    logic vram;
  } table_t;
  typedef struct packed {
    index_t     row;
    logic       vram;
    pfn_t       pfn;
    logic [8:0] word;
    logic       line;
  } read_t;

  // The read of a table's entry, or of the line that holds it.
  function automatic read_t table_read(index_t row, logic vram, pfn_t pfn, logic [12:0] index,
      logic line);
    return '{row: row, vram: vram, pfn: pfn + pfn_t'(index[12:9]), word: index[8:0], line: line};
  endfunction

  // A row that waits here. A row that asks goes before one whose index is about to come.
  logic            row, row_send, below_q, line_q, keep_q, fresh_q, start_sent;
  logic [12:0]     index_q, index;
  index_t          kept_row_q, early_row;
  table_t          started, named, kept_table;
  assign row = rows_i != '0;
  assign row_ready_o = !keep_q;
  always_ff @(posedge clk_i) begin
    if (rst_i || kill_i || row_send) begin
      kept_o <= '0;
      keep_q <= 1'b0;
    end else if (!keep_q) begin
      kept_o <= row ? rows_i : early_held_i ? '0 : early_rows_i;
      keep_q <= row || (early_rows_i != '0 && !early_held_i);
    end
    fresh_q <= !keep_q && !row;
    index_q <= keep_q ? index : row_index_i;
    if (!keep_q) begin
      kept_row_q <= row ? index_t'(row_i) : early_row;
      below_q <= row ? (rows_i & below_i) != '0 : (early_rows_i & below_i) != '0;
      line_q <= row ? (rows_i & line_i) != '0 : (early_rows_i & line_i) != '0;
    end
  end
  always_comb begin
    early_row = '0;
    for (int unsigned i = 0; i < Rows; i++) begin
      if (early_rows_i[i]) early_row |= index_t'(i);
    end
  end
  assign index = fresh_q ? early_index_i : index_q;

  gmmu_lutram #(.Width($bits(table_t)), .Depth(Rows)) u_started (
    .clk_i, .write_i(start_valid_i), .write_addr_i(index_t'(start_row_i)),
    .data_i({start_i.pfn, start_i.vram}), .read_addr_i(kept_row_q), .data_o(started));
  gmmu_lutram #(.Width($bits(table_t)), .Depth(Rows)) u_named (
    .clk_i, .write_i(table_write_i), .write_addr_i(index_t'(table_row_i)),
    .data_i({table_pfn_i, table_vram_i}), .read_addr_i(kept_row_q), .data_o(named));
  assign kept_table = below_q ? named : started;

  // The two registers. first_q: the one of pointers is on offer, which an offer that stands keeps.
  logic  pointer_valid_q, other_valid_q, first_q, pointer_free, other_free, other_sent;
  read_t pointer_q, other_q, offer;
  assign ar_valid_o = pointer_valid_q || other_valid_q;
  assign pointer_free = !pointer_valid_q || (ar_ready_i && first_q);
  assign other_free = !other_valid_q || (ar_ready_i && !first_q);
  assign descend_sent_o = descend_i && pointer_free && !kill_i;
  assign start_sent = start_valid_i && start_i.cause == '0 && start_i.index_valid
      && start_i.level != '0 && other_free;
  assign row_send = keep_q && !start_valid_i && other_free;
  assign other_sent = start_sent || (row_send && !kill_i);
  always_ff @(posedge clk_i) begin
    sent_o <= rst_i || !other_sent ? '0 : start_valid_i ? start_rows_i : kept_o;
    if (rst_i) begin
      pointer_valid_q <= 1'b0;
      other_valid_q <= 1'b0;
    end else begin
      if (pointer_free) pointer_valid_q <= descend_sent_o;
      if (other_free) other_valid_q <= other_sent;
    end
    if (!ar_valid_o || ar_ready_i) first_q <= descend_sent_o || (pointer_valid_q && !first_q);
    if (pointer_free) begin
      pointer_q <= table_read(index_t'(descend_row_i), descend_vram_i, descend_pfn_i,
          descend_index_i, descend_line_i);
    end
    if (other_free) begin
      other_q <= start_valid_i
          ? table_read(index_t'(start_row_i), start_i.vram, start_i.pfn, start_i.index, 1'b0)
          : table_read(kept_row_q, kept_table.vram, kept_table.pfn, index, line_q);
    end
  end

  assign offer = first_q ? pointer_q : other_q;
  always_comb begin
    ar_o.id = IdWidth'(offer.row);
    ar_o.port = offer.vram ? PortVram : PortHost;
    ar_o.addr = {offer.pfn, offer.word[8:3], offer.line ? 3'd0 : offer.word[2:0], 3'd0};
    ar_o.len = offer.line ? 8'(LineBeats - 1) : 8'd0;
    ar_o.user = '0;
  end

  logic unused_bits;
  assign unused_bits = ^{start_i, start_row_i, row_i, descend_row_i, table_row_i};
endmodule
