// SPDX-License-Identifier: Apache-2.0
// Unconnected blocks of the paging engine: two splitters, a realigner, a feeder, a header decoder,
// two mark arrays, and six units. Units 0 (two slots) and 1 are readers, 2 (two slots) and 3 are
// writers, 4 (two chunks) and 5 are fetchers. Unit ports are indexed by unit number; outputs that a
// unit does not have are constant.
module gmmu_dma_blocks_bench
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  localparam int unsigned Units = 6,
  localparam int unsigned LaneLg2 = $clog2(DataBytes)
) (
  input  logic        clk_i,
  input  logic        rst_i,

  // Splitters with chunks of 64 and of 256 bytes.
  input  logic        split_valid_i [2],
  output logic        split_ready_o [2],
  input  logic [63:0] split_address_i [2],
  input  logic [47:0] split_length_i [2],
  input  logic [7:0]  split_user_i [2],
  output logic        split_valid_o [2],
  input  logic        split_ready_i [2],
  output logic [63:0] split_address_o [2],
  output logic [5:0]  split_space_o [2],
  output logic [7:0]  split_bytes_m1_o [2],
  output logic        split_last_o [2],
  output logic [7:0]  split_user_o [2],

  input  logic        realign_valid_i,
  output logic        realign_ready_o,
  input  logic [DataWidth-1:0] realign_data_i,
  input  logic [DataBytes-1:0] realign_mask_i,
  input  logic        realign_last_i,
  input  logic [7:0]  realign_shift_i,
  output logic        realign_valid_o,
  input  logic        realign_ready_i,
  output logic [DataWidth-1:0] realign_data_o,
  output logic        realign_idle_o,

  input  logic        make_valid_i,
  output logic        make_ready_o,
  input  logic [1:0]  make_source_i,
  input  logic [1:0]  make_lane_i,
  input  logic [63:0] make_value_i,
  input  logic [63:0] make_step_i,
  input  logic        shape_valid_i,
  output logic        shape_ready_o,
  input  logic        shape_make_i,
  input  logic [7:0]  shape_lane_i,
  input  logic [7:0]  shape_stop_i,
  input  logic [7:0]  shape_beats_m1_i,
  input  logic        shape_last_i,
  input  logic        copy_valid_i,
  output logic        copy_ready_o,
  input  logic [DataWidth-1:0] copy_data_i,
  input  logic        word_valid_i,
  output logic        word_ready_o,
  input  logic [63:0] word_i,
  output logic        copies_o,
  output logic        starved_o,
  output logic        feed_valid_o,
  input  logic        feed_ready_i,
  output logic [DataWidth-1:0] feed_data_o,
  output logic [DataBytes-1:0] feed_strb_o,

  input  logic [63:0] decode_header_i,
  output logic        decode_good_o,
  output logic [2:0]  decode_operands_o,
  output logic        decode_inline_o,
  output logic        decode_table_o,
  output logic        decode_aperture_o,
  output logic        decode_src_o,
  output logic        decode_dst_o,
  output logic        decode_settle_o,

  // Mark arrays with 2 and with 32 slots. A pointer is one bit wider than a slot number.
  input  logic [5:0]  marks_alloc_i [2],
  output logic        marks_started_o [2],
  input  logic        marks_mark_i [2],
  input  logic [4:0]  marks_slot_i [2],
  input  logic [2:0]  marks_bits_i [2],
  input  logic [5:0]  marks_look_i [2],
  output logic        marks_marked_o [2],
  output logic [2:0]  marks_bits_o [2],

  // Units.
  input  logic [63:0] vram_bytes_i,
  input  logic        stop_i [Units],        // aborts a fetcher
  input  logic        clear_i [Units],
  output logic        quiet_o [Units],
  output logic        awake_o [Units],         // fetchers only
  input  logic        job_valid_i [Units],
  output logic        job_ready_o [Units],
  input  place_t      job_place_i [Units],
  input  end_t        job_end_i [Units],
  input  logic [7:0]  job_label_i [Units],
  output logic        req_valid_o [Units],
  input  logic        req_ready_i [Units],
  output xlate_req_t  req_o [Units],
  input  logic        rsp_valid_i [Units],
  output logic        rsp_ready_o [Units],
  input  xlate_rsp_t  rsp_i [Units],
  output xlate_done_t done_o [Units],
  output logic        ap_req_valid_o [Units],
  input  logic        ap_req_ready_i [Units],
  output pfn_t        ap_req_page_o [Units],
  input  logic        ap_rsp_valid_i [Units],
  input  aperture_rsp_t ap_rsp_i [Units],
  output rd_req_t     rd_req_o [Units],
  input  rd_rsp_t     rd_rsp_i [Units],
  output wr_req_t     wr_req_o [Units],
  input  wr_rsp_t     wr_rsp_i [Units],
  output logic        fault_valid_o [Units],
  output dma_fault_t  fault_o [Units],
  output logic [7:0]  fault_label_o [Units],
  output logic        drained_o [Units],
  output logic        stuck_o [Units],
  output logic [8:0]  count_o [Units],
  // Data from readers, or words from fetchers in the lowest 64 bits. For fetchers, out_last_o
  // signals an error.
  output logic        out_valid_o [Units],
  input  logic        out_ready_i [Units],
  output logic [DataWidth-1:0] out_data_o [Units],
  output logic [DataBytes-1:0] out_mask_o [Units],
  output logic        out_last_o [Units],
  output logic [7:0]  out_label_o [Units],
  // Data for the writers.
  input  logic        data_valid_i [Units],
  output logic        data_ready_o [Units],
  input  logic [DataWidth-1:0] data_i [Units],
  input  logic [DataBytes-1:0] strb_i [Units],
  output logic        retired_o [Units]
);
  logic unused;

  for (genvar n = 0; n < 2; n++) begin : g_split
    localparam int unsigned ChunkLg2 = n == 0 ? 6 : 8;
    place_t              place;
    logic [ChunkLg2-1:0] stop;
    gmmu_dma_split #(.Chunk(1 << ChunkLg2), .UserWidth(8)) u_split (
      .clk_i, .rst_i, .valid_i(split_valid_i[n]), .ready_o(split_ready_o[n]),
      .place_i('{physical: 1'b0, target: TargetSystem, space: 6'd5,
                 address: split_address_i[n]}),
      .end_i(end_t'(split_address_i[n] + 64'(split_length_i[n]) - 64'd1)),
      .user_i(split_user_i[n]), .valid_o(split_valid_o[n]),
      .ready_i(split_ready_i[n]), .place_o(place), .stop_o(stop),
      .last_o(split_last_o[n]), .user_o(split_user_o[n]));
    assign split_address_o[n] = place.address;
    assign split_space_o[n] = place.space;
    assign split_bytes_m1_o[n] = 8'(stop - place.address[ChunkLg2-1:0]);
  end

  gmmu_dma_realign u_realign (
    .clk_i, .rst_i, .valid_i(realign_valid_i), .ready_o(realign_ready_o),
    .data_i(realign_data_i), .mask_i(realign_mask_i), .last_i(realign_last_i),
    .shift_i(realign_shift_i[LaneLg2-1:0]), .valid_o(realign_valid_o), .ready_i(realign_ready_i),
    .data_o(realign_data_o), .idle_o(realign_idle_o));

  gmmu_dma_feed u_feed (
    .clk_i, .rst_i, .job_valid_i(make_valid_i), .job_ready_o(make_ready_o),
    .job_source_i(source_e'(make_source_i)), .job_lane_i(make_lane_i),
    .job_value_i(make_value_i), .job_step_i(make_step_i),
    .shape_valid_i, .shape_ready_o,
    .shape_i('{kind: shape_make_i, lane: lane_t'(shape_lane_i), stop: lane_t'(shape_stop_i),
               beats_m1: shape_beats_m1_i, last: shape_last_i}),
    .copy_valid_i, .copy_ready_o, .copy_data_i, .word_valid_i, .word_ready_o, .word_i, .copies_o,
    .starved_o, .valid_o(feed_valid_o), .ready_i(feed_ready_i), .data_o(feed_data_o),
    .strb_o(feed_strb_o));

  logic sized, clean;
  command_header_word_t decode_header;
  assign decode_header = decode_header_i;
  assign decode_good_o = sized && clean;
  gmmu_dma_decode u_decode (
    .header_i(decode_header_i), .opcode_i(opcode_of(decode_header_i[7:0])),
    .many_i(decode_header.words[15:3] != '0), .sized_o(sized), .clean_o(clean),
    .operands_o(decode_operands_o),
    .has_inline_o(decode_inline_o), .table_o(decode_table_o), .aperture_o(decode_aperture_o),
    .src_o(decode_src_o), .dst_o(decode_dst_o), .settle_o(decode_settle_o));

  for (genvar n = 0; n < 2; n++) begin : g_marks
    localparam int unsigned TagWidth = n == 0 ? 1 : 5;
    logic [TagWidth-1:0] unused_start;
    gmmu_dma_marks #(.Slots(1 << TagWidth), .Bits(3)) u_marks (
      .clk_i, .rst_i, .alloc_i(marks_alloc_i[n][TagWidth:0]), .started_o(marks_started_o[n]),
      .start_slot_o(unused_start), .mark_i(marks_mark_i[n]),
      .mark_slot_i(marks_slot_i[n][TagWidth-1:0]), .mark_bits_i(marks_bits_i[n]),
      .look_i(marks_look_i[n][TagWidth:0]), .marked_o(marks_marked_o[n]),
      .bits_o(marks_bits_o[n]));
  end

  for (genvar n = 0; n < Units; n++) begin : g_unit
    if (n < 2) begin : g_read
      gmmu_dma_read #(
        .Slots(n == 0 ? 2 : 32), .MaxBurst(n == 0 ? 64 : 128), .LabelWidth(8)
      ) u_read (
        .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .stop_i(stop_i[n]), .clear_i(clear_i[n]),
        .quiet_o(quiet_o[n]), .job_valid_i(job_valid_i[n]), .job_ready_o(job_ready_o[n]),
        .job_place_i(job_place_i[n]), .job_end_i(job_end_i[n]), .job_label_i(job_label_i[n]),
        .req_valid_o(req_valid_o[n]), .req_ready_i(req_ready_i[n]), .req_o(req_o[n]),
        .rsp_valid_i(rsp_valid_i[n]), .rsp_ready_o(rsp_ready_o[n]), .rsp_i(rsp_i[n]), .done_o(done_o[n]),
        .ap_req_valid_o(ap_req_valid_o[n]), .ap_req_ready_i(ap_req_ready_i[n]),
        .ap_req_page_o(ap_req_page_o[n]), .ap_rsp_valid_i(ap_rsp_valid_i[n]), .ap_rsp_i(ap_rsp_i[n]),
        .rd_req_o(rd_req_o[n]), .rd_rsp_i(rd_rsp_i[n]),
        .valid_o(out_valid_o[n]), .ready_i(out_ready_i[n]),
        .data_o(out_data_o[n]), .mask_o(out_mask_o[n]), .last_o(out_last_o[n]),
        .label_o(out_label_o[n]), .fault_valid_o(fault_valid_o[n]), .fault_o(fault_o[n]),
        .fault_label_o(fault_label_o[n]), .drained_o(drained_o[n]), .count_bytes_o(count_o[n]));
      assign {data_ready_o[n], retired_o[n], wr_req_o[n], stuck_o[n]} = '0;
    end else if (n < 4) begin : g_write
      gmmu_dma_write #(.Slots(n == 2 ? 2 : 64), .MaxBurst(n == 2 ? 64 : 128)) u_write (
        .clk_i, .rst_i, .vram_bytes_i, .link_i('0), .stop_i(stop_i[n]), .clear_i(clear_i[n]),
        .quiet_o(quiet_o[n]), .stuck_o(stuck_o[n]), .job_valid_i(job_valid_i[n]),
        .job_ready_o(job_ready_o[n]), .job_place_i(job_place_i[n]), .job_end_i(job_end_i[n]),
        .job_id_i(job_label_i[n]), .job_kind_i(1'b0), .shape_valid_o(),
        .shape_ready_i(1'b1), .shape_o(), .data_valid_i(data_valid_i[n]),
        .data_ready_o(data_ready_o[n]), .data_i(data_i[n]), .strb_i(strb_i[n]),
        .req_valid_o(req_valid_o[n]), .req_ready_i(req_ready_i[n]), .req_o(req_o[n]),
        .rsp_valid_i(rsp_valid_i[n]), .rsp_ready_o(rsp_ready_o[n]), .rsp_i(rsp_i[n]), .done_o(done_o[n]),
        .ap_req_valid_o(ap_req_valid_o[n]), .ap_req_ready_i(ap_req_ready_i[n]),
        .ap_req_page_o(ap_req_page_o[n]), .ap_rsp_valid_i(ap_rsp_valid_i[n]), .ap_rsp_i(ap_rsp_i[n]),
        .wr_req_o(wr_req_o[n]), .wr_rsp_i(wr_rsp_i[n]), .retired_o(retired_o[n]),
        .fault_valid_o(fault_valid_o[n]), .fault_o(fault_o[n]), .fault_job_o(fault_label_o[n]),
        .count_bytes_o(count_o[n]));
      assign {awake_o[n], rd_req_o[n], drained_o[n], out_valid_o[n], out_data_o[n]} = '0;
      assign {out_mask_o[n], out_last_o[n], out_label_o[n]} = '0;
    end else begin : g_fetch
      logic [63:0] word;
      logic        word_valid;
      // For fetchers, out_last_o signals an error.
      assign out_valid_o[n] = word_valid || out_last_o[n];
      gmmu_dma_fetch #(.Chunks(n == 4 ? 2 : 8)) u_fetch (
        .clk_i, .awake_o(awake_o[n]), .rst_i, .vram_bytes_i, .link_i('0), .abort_i(stop_i[n]), .quiet_o(quiet_o[n]),
        .job_valid_i(job_valid_i[n]), .job_ready_o(job_ready_o[n]), .job_place_i(job_place_i[n]),
        .job_end_i(job_end_i[n][32:0]), .valid_o(word_valid), .ready_i(out_ready_i[n]),
        .other_ready_i(1'b0), .word_o(word), .error_o(out_last_o[n]), .fault_o(fault_o[n]),
        .req_valid_o(req_valid_o[n]), .req_ready_i(req_ready_i[n]), .req_o(req_o[n]),
        .rsp_valid_i(rsp_valid_i[n]), .rsp_ready_o(rsp_ready_o[n]), .rsp_i(rsp_i[n]), .done_o(done_o[n]),
        .ap_req_valid_o(ap_req_valid_o[n]), .ap_req_ready_i(ap_req_ready_i[n]),
        .ap_req_page_o(ap_req_page_o[n]), .ap_rsp_valid_i(ap_rsp_valid_i[n]), .ap_rsp_i(ap_rsp_i[n]),
        .rd_req_o(rd_req_o[n]), .rd_rsp_i(rd_rsp_i[n]));
      assign out_data_o[n] = DataWidth'(word);
      assign fault_valid_o[n] = out_valid_o[n] && out_last_o[n];
      assign {out_mask_o[n], out_label_o[n], fault_label_o[n], drained_o[n], count_o[n]} = '0;
      assign {data_ready_o[n], retired_o[n], wr_req_o[n], stuck_o[n]} = '0;
    end
  end
  assign unused = realign_shift_i[7] ^ shape_lane_i[7] ^ shape_stop_i[7];
endmodule
