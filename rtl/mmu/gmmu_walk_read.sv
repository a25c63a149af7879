// SPDX-License-Identifier: Apache-2.0
// Issues the table reads (id = row, one burst per row) and computes their indices. There is one
// register in front of the AR port. A read reaches it from a beat, a start or a job; if the
// register is full, the read is retried as a job.
//
//   beat     a pointer arrives in this cycle for a row whose next index is already known. If
//            descend_i confirms the pointer, the read goes to the register. descend_sent_o: the
//            read is in flight
//   start    a walk starts with a known index, or in a leaf table, whose index needs no shift.
//            While the register is empty, the read bypasses it and is offered at once; if it is not
//            accepted, it goes to the register. start_sent_o: the read is offered or in the
//            register
//   full     no read may start except reads of the engine (start_engine_i, job_engine_i) and reads
//            from beats. One start or job is then parked (start_parked_o, job_parked_o); it is the
//            first to be sent later (parked_sent_o). A kill discards it
//   job      computes the index of a row, given its key and level (LevelLeaf64: a leaf table of 64
//            KiB entries; half: the lowest index bit at a pair level). Inputs are stable until
//            job_done_o or abort_i. At job_done_o, at least four cycles later, the index is known
//            and, with job_read_i, the read is in flight. After job_done_o or abort_i the next job
//            may be offered. job_busy_o is 1 from the job's second cycle on
//   own      own_o: number of the row's entry within its line, for a beat from a leaf table.
//            lane_o: the same for any table, stored separately for odd and even levels; used if a
//            beat has several words
//   table    stores the latest pointer of a row. Later jobs with job_below_i use it; other jobs use
//            the pointer from the start
//   shape    two cycles after a space and level (or LevelLeaf64): shape_shift_o, the number of bits
//            below the index, and shape_line_o, the mask of a leaf table's index bits within a line
//   write    stores the shape of a space; shape and space are stable for eight cycles
//
// No read starts in the cycle of kill_i.
module gmmu_walk_read
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam int unsigned Rows = Config.WalkRows,
  localparam int unsigned RowWidth = $clog2(Rows)
) (
  input  logic                clk_i,
  input  logic                rst_i,
  input  logic                kill_i,

  input  logic                beat_i,
  input  logic [RowWidth-1:0] beat_row_i,
  input  logic                beat_low_i,
  output logic [2:0]          own_o,
  output logic [2:0]          lane_o,
  input  logic                descend_i,
  input  pfn_t                descend_pfn_i,
  input  logic                descend_vram_i,
  input  logic                descend_line_i,
  output logic                descend_sent_o,

  input  logic                start_valid_i,
  input  logic [RowWidth-1:0] start_row_i,
  input  vpn_t                start_vpn_i,
  input  start_t              start_i,
  input  logic                start_line_i,
  input  logic                start_engine_i,
  output logic                start_sent_o,
  output logic                start_parked_o,

  input  logic                job_i,
  input  logic [RowWidth-1:0] job_row_i,
  input  key_t                job_key_i,
  input  level_t              job_level_i,
  input  logic                job_half_i,
  input  logic                job_read_i,
  input  logic                job_line_i,
  input  logic                job_below_i,
  input  logic                job_engine_i,
  output logic                job_done_o,
  output logic                job_parked_o,
  input  logic                abort_i,
  output logic                job_busy_o,

  input  logic                full_i,
  output logic                parked_sent_o,

  input  logic                table_write_i,
  input  logic [RowWidth-1:0] table_row_i,
  input  pfn_t                table_pfn_i,
  input  logic                table_vram_i,

  input  space_t              shape_space_i,
  input  level_t              shape_level_i,
  output logic [5:0]          shape_shift_o,
  output logic [2:0]          shape_line_o,
  input  logic                write_i,
  input  space_t              write_space_i,
  input  shape_t              write_shape_i,

  output logic                ar_valid_o,
  input  logic                ar_ready_i,
  output ax_t                 ar_o,
  output logic                ar_early_o,  // the request comes from register early_ar_o
  output ax_t                 early_ar_o
);
  localparam int unsigned SpaceWidth = NumSpaces > 1 ? $clog2(NumSpaces) : 1;
  localparam int unsigned LineBeats = 8 * 64 / DataWidth;
  typedef logic [RowWidth-1:0] index_t;
  typedef struct packed {
    pfn_t pfn;
    logic vram;
  } table_t;
  typedef struct packed {
    logic [2:0] line;
    logic       pair;    // entries are pairs, and the index counts halves
    logic [3:0] bits;
    logic [5:0] shift;
  } entry_t;

  function automatic logic [12:0] mask_of(logic [3:0] bits);
    return 13'(~(14'h3fff << bits));
  endfunction

  // ---- RAMs with the spaces' shapes by level. They are written one level per cycle, and read for
  // jobs and entry checks.
  logic [3:0]      fill_q;    // level to write next; 8: none
  entry_t          fill, job_shape, shape_now;
  logic [5:0]      shape_shift_q;
  logic [2:0]      shape_line_q;
  logic            job_read_shape, fills;
  assign fills = write_i || !fill_q[3];
  always_comb begin
    fill = '{line: {write_shape_i.bits[0] >= 4'd3, write_shape_i.bits[0] >= 4'd2,
                    write_shape_i.bits[0] >= 4'd1},
             pair: write_shape_i.dual && fill_q[2:0] == 3'd1,
             bits: write_shape_i.bits_64k, shift: 6'd4};
    for (int unsigned l = 0; l < MaxLevels; l++) begin
      if (fill_q[2:0] == 3'(l)) begin
        fill.bits = write_shape_i.bits[l];
        fill.shift = write_shape_i.shift[l];
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (rst_i) fill_q <= 4'd8;
    else if (fills) fill_q <= write_i && fill_q[3] ? 4'd1 : fill_q + 4'd1;
  end
  gmmu_ram_block #(.Width($bits(entry_t)), .Depth(NumSpaces * 8)) u_job_shapes (
    .clk_i, .read_i(job_read_shape),
    .read_addr_i({SpaceWidth'(job_key_i.space), job_level_i}), .data_o(job_shape),
    .write_i(fills), .write_addr_i({SpaceWidth'(write_space_i), fill_q[2:0]}), .data_i(fill));
  gmmu_ram_block #(.Width($bits(entry_t)), .Depth(NumSpaces * 8)) u_shapes (
    .clk_i, .read_i(1'b1),
    .read_addr_i({SpaceWidth'(shape_space_i), shape_level_i}), .data_o(shape_now),
    .write_i(fills), .write_addr_i({SpaceWidth'(write_space_i), fill_q[2:0]}), .data_i(fill));
  always_ff @(posedge clk_i) begin
    shape_shift_q <= shape_now.shift + 6'(shape_now.pair);
    shape_line_q <= shape_now.line;
  end
  assign shape_shift_o = shape_shift_q;
  assign shape_line_o = shape_line_q;

  // ---- Stages of a job: read shape and table; register them; shift the index; use it.
  logic [2:0]  step_q;       // one-hot stage
  table_t      started, named, job_table_q;
  entry_t      job_shape_q;
  logic [12:0] job_index_q;
  vpn_t        job_vpn_q;
  logic        job_goes, job_read_q, free;
  assign job_read_shape = job_i && step_q == '0;
  gmmu_ram_block #(.Width($bits(table_t)), .Depth(Rows)) u_started (
    .clk_i, .read_i(job_read_shape), .read_addr_i(job_row_i), .data_o(started),
    .write_i(start_valid_i), .write_addr_i(start_row_i), .data_i({start_i.pfn, start_i.vram}));
  gmmu_ram_block #(.Width($bits(table_t)), .Depth(Rows)) u_named (
    .clk_i, .read_i(job_read_shape), .read_addr_i(job_row_i), .data_o(named),
    .write_i(table_write_i), .write_addr_i(table_row_i), .data_i({table_pfn_i, table_vram_i}));
  logic job_may, parked_valid_q;
  assign job_may = job_engine_i || (!full_i && !parked_valid_q);
  assign job_goes = step_q[2] && !start_valid_i && !kill_i
      && (!job_read_q || (job_may ? free && !beat_i && !parked_sent_o : !parked_valid_q));
  assign job_parked_o = job_goes && job_read_q && !job_may;
  assign job_done_o = job_goes;
  assign job_busy_o = step_q != '0;
  always_ff @(posedge clk_i) begin
    if (rst_i || abort_i || job_goes) step_q <= '0;
    else step_q <= {step_q[1] || step_q[2], step_q[0], step_q == '0 && job_i};
    job_read_q <= job_read_i;
    job_shape_q <= job_shape;
    job_table_q <= job_below_i ? named : started;
    job_vpn_q <= job_key_i.vpn;
    job_index_q <= 13'(job_vpn_q >> job_shape_q.shift) & mask_of(job_shape_q.bits);
    if (job_shape_q.pair) job_index_q[0] <= job_half_i;
  end

  // ---- Per row: the latest computed index, and the number of the row's own entry in its line.
  // Jobs write both, starts only the number.
  logic [12:0] start_index, latest;
  logic        start_known, start_low, job_low, word_low;
  logic [2:0]  word;
  index_t      word_row;
  assign start_known = start_i.index_valid || start_i.level == '0;
  assign start_index = start_i.index_valid ? start_i.index
      : 13'(start_i.k64 ? start_vpn_i >> 4 : start_vpn_i) & mask_of(start_i.bits);
  assign start_low = start_i.level[0];
  assign job_low = job_level_i[0];
  gmmu_lutram #(.Width(13), .Depth(Rows)) u_latest (
    .clk_i, .write_i(job_goes), .write_addr_i(job_row_i), .data_i(job_index_q),
    .read_addr_i(beat_row_i), .data_o(latest));
  assign word_row = start_valid_i ? start_row_i : job_row_i;
  assign word_low = start_valid_i ? start_low : job_low;
  assign word = start_valid_i ? start_index[2:0] : job_index_q[2:0];
  gmmu_lutram #(.Width(3), .Depth(Rows)) u_own (
    .clk_i, .write_i((start_valid_i || job_goes) && !word_low), .write_addr_i(word_row),
    .data_i(word), .read_addr_i(beat_row_i), .data_o(own_o));
  if (DataWidth > 64) begin : g_lane
    gmmu_lutram #(.Width(3), .Depth(2**(RowWidth+1))) u_lane (
      .clk_i, .write_i(start_valid_i || job_goes), .write_addr_i({word_row, word_low}),
      .data_i(word), .read_addr_i({beat_row_i, beat_low_i}), .data_o(lane_o));
  end else begin : g_one
    logic unused_low;
    assign unused_low = beat_low_i;
    assign lane_o = '0;
  end

  // ---- The register in front of the AR port.
  typedef struct packed {
    index_t     row;
    pfn_t       pfn;
    logic       vram;
    logic [8:0] index;
    logic       line;
  } read_t;
  function automatic read_t read_of(index_t row, table_t from, logic [12:0] index, logic line);
    return '{row: row, pfn: from.pfn + pfn_t'(index[12:9]), vram: from.vram, index: index[8:0], line: line};
  endfunction
  logic  valid_q, knows, starts, passes;   // passes: a start bypasses the register
  read_t start_read, job_read, parked_q, read_q;
  assign knows = start_valid_i && start_i.cause == '0 && start_known;   // no read starts in the cycle of a kill
  assign starts = knows && (start_engine_i || (!full_i && !parked_valid_q));
  assign start_parked_o = knows && !starts && !parked_valid_q;
  assign passes = starts && !valid_q;
  assign parked_sent_o = parked_valid_q && !full_i && free && !beat_i && !(starts && !passes) && !kill_i;
  assign job_read = read_of(job_row_i, job_table_q, job_index_q, job_line_i);
  always_ff @(posedge clk_i) begin
    parked_valid_q <= !rst_i && !kill_i && (parked_valid_q ? !parked_sent_o : start_parked_o || job_parked_o);
    if (!parked_valid_q) parked_q <= start_valid_i ? start_read : job_read;
  end
  assign free = ar_ready_i || !(valid_q || passes);
  assign descend_sent_o = beat_i && descend_i && free && !kill_i;
  assign start_sent_o = starts && (!valid_q || (free && !beat_i));
  assign start_read = read_of(start_row_i, '{pfn: start_i.pfn, vram: start_i.vram}, start_index, start_line_i);
  always_ff @(posedge clk_i) begin
    if (rst_i) valid_q <= 1'b0;
    else if (passes && !ar_ready_i) valid_q <= 1'b1;
    else if (free) begin
      valid_q <= descend_sent_o || (start_sent_o && !passes) || parked_sent_o
          || (job_goes && job_read_q && job_may);
    end
    if (passes && !ar_ready_i) read_q <= start_read;
    else if (free) begin
      if (beat_i) begin
        read_q <= read_of(beat_row_i, '{pfn: descend_pfn_i, vram: descend_vram_i}, latest, descend_line_i);
      end else begin
        read_q <= starts && !passes ? start_read : parked_sent_o ? parked_q : job_read;
      end
    end
  end
  assign ar_valid_o = valid_q || passes;
  function automatic ax_t ax_of(read_t read);
    return '{id: IdWidth'(read.row), port: read.vram ? PortVram : PortHost,
             addr: {read.pfn, read.index[8:3], read.line ? 3'd0 : read.index[2:0], 3'd0},
             len: read.line ? 8'(LineBeats - 1) : 8'd0, user: '0};
  endfunction
  assign ar_o = ax_of(valid_q ? read_q : start_read);
  assign ar_early_o = valid_q;
  assign early_ar_o = ax_of(read_q);

  logic unused_bits;
  assign unused_bits = ^{start_i, job_key_i, job_shape_q, shape_now, write_space_i, shape_space_i};
endmodule
