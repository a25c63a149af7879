// SPDX-License-Identifier: Apache-2.0
// The GMMU: translates GPU virtual addresses for NumPorts ports. It has an L1 TLB per client port
// and one for the paging engine, a shared L2 TLB, a walk cache, NumWalks concurrent walks, and
// invalidation with drain.
//
//   req, rsp   per port: lookups in, responses out in any order (matched by tag). req_ready_o and
//              rsp_valid_o depend on no input of the same cycle. Every lookup gets exactly one
//              response
//   done       per port and drain generation (xlate_rsp_t.generation): the number of responses
//              whose use has ended. A port must report every response that it accepted
//   ctl        one operation at a time: accepted with ctl_ready_o, completed by a one-cycle pulse
//              on ctl_done_o
//   rd         table reads. The AXI id is the row of the walk table (at most NumWalks + 3 rows).
//              Each row has at most one burst in flight; NumWalks may be in flight at once, plus
//              one for the paging engine
//   ev         one completed lookup per port, in the cycle in which the port accepts the response
//   mev        walk, fill and eviction events, in the cycle in which they happen
//   inv        pulses with ctl_done_o when an invalidation, or the flush of a changed space, has
//              completed
//   sizes_o    register sizes_in_use. With reduced sizes the MMU has the same cycle timing as one
//              that was built with these sizes, except while the sizes change
module gmmu_mmu
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_mmu_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts
) (
  input  logic                        clk_i,
  input  logic                        rst_i,

  input  logic         [NumPorts-1:0] req_valid_i,
  output logic         [NumPorts-1:0] req_ready_o,
  input  xlate_req_t   [NumPorts-1:0] req_i,
  output logic         [NumPorts-1:0] rsp_valid_o,
  input  logic         [NumPorts-1:0] rsp_ready_i,
  output xlate_rsp_t   [NumPorts-1:0] rsp_o,
  input  xlate_done_t  [NumPorts-1:0] done_i,

  input  logic                        ctl_valid_i,
  output logic                        ctl_ready_o,
  input  mmu_ctl_t                    ctl_i,
  output logic                        ctl_done_o,

  output rd_req_t                     rd_req_o,
  input  rd_rsp_t                     rd_rsp_i,
  output logic                        ar_early_o,   // the request comes from register early_ar_o
  output ax_t                         early_ar_o,

  output logic         [NumPorts-1:0] ev_valid_o,
  output xlate_event_t [NumPorts-1:0] ev_o,
  output logic                        inv_valid_o,
  output scope_e                      inv_scope_o,
  output space_t                      inv_space_o,
  output logic         [63:0]         inv_start_o,
  output logic         [63:0]         inv_end_o,
  output logic         [63:0]         sizes_o,

  output mmu_event_t                  mev_o,

  output port_count_t  [NumPorts-1:0] port_count_o,
  output mmu_count_t                  count_o,
  // 1: no lookup, response, walk or operation is in flight
  output logic                        idle_o
);
  localparam int unsigned EnginePorts = Config.EnginePorts;
  localparam int unsigned Clients = NumPorts - EnginePorts;
  // Returns whether value is a power of two from 2 to 64.
  function automatic logic power(int unsigned value);
    return value >= 2 && value <= 64 && (value & (value - 1)) == 0;
  endfunction

  logic      hold, quiet, pipeline_quiet, walks_quiet, fill_idle, generation, stale;
  kill_t     kill;
  sweep_t    sweep;
  logic       space_write, resize, counted;
  logic [63:0] resize_word;
  use_t       in_use;
  space_t     space;
  space_row_t space_row;

  // Ports.
  logic    [NumPorts-1:0]      lookup_hint, lookup_pending, lookup_valid, lookup_ready, msg_valid;
  logic    [Clients:0]         port_idle;
  asker_t  [NumPorts-1:0]      lookup;
  key_t    [NumPorts-1:0]      lookup_key;
  logic    [Clients:0][1:0]    port_drained;
  logic    [1:0]               drained;
  msg_t                        msg;
  translation_t                later, last;
  hint_t                       late_hint, later_hint, last_hint;

  for (genvar p = 0; p < Clients; p++) begin : g_port
    xlate_done_t  done [1];
    port_count_t  count [1];
    logic   [1:0] unused_source;
    logic         unused_few;
    assign done[0] = done_i[p];
    assign port_count_o[p] = count[0];
    assign ev_valid_o[p] = Config.EventPort != 0 && rsp_valid_o[p] && rsp_ready_i[p];
    logic clk;
    gmmu_sleep u_sleep (
      .clk_i, .rst_i, .clk_o(clk),
      .awake_i(!port_idle[p] || req_valid_i[p] || msg_valid[p] || sweep.valid || in_use.set || done_i[p] != '0)
    );
    gmmu_l1 #(.Config(Config)) u_l1 (
      .clk_i(clk), .rst_i, .port_i(port_t'(p)),
      .req_valid_i(req_valid_i[p]), .req_ready_o(req_ready_o[p]), .req_i(req_i[p]),
      .req_source_i('0), .rsp_valid_o(rsp_valid_o[p]), .rsp_ready_i(rsp_ready_i[p]),
      .rsp_o(rsp_o[p]), .rsp_source_o(unused_source), .done_i(done),
      .lookup_hint_o(lookup_hint[p]), .lookup_pending_o(lookup_pending[p]),
      .lookup_key_o(lookup_key[p]), .lookup_valid_o(lookup_valid[p]),
      .lookup_ready_i(lookup_ready[p]), .lookup_o(lookup[p]),
      .msg_valid_i(msg_valid[p]), .msg_i(msg), .late_hint_i(late_hint), .later_i(later),
      .last_i(last), .last_hint_i(last_hint), .sweep_i(sweep), .use_size_i(in_use.l1),
      .use_set_i(in_use.set), .generation_i(generation), .drained_o(port_drained[p]), .ev_o(ev_o[p]), .count_o(count), .few_o(unused_few),
      .idle_o(port_idle[p]));
  end

  // The engine's ports share one L1, which sends each lookup with the port number of its source.
  xlate_done_t engine_done [EnginePorts];
  port_count_t engine_count [EnginePorts];
  for (genvar i = 0; i < EnginePorts; i++) begin : g_engine_port
    assign engine_done[i] = done_i[Clients+i];
    assign port_count_o[Clients+i] = engine_count[i];
    if (i > 0) begin : g_other
      assign {lookup_hint[Clients+i], lookup_pending[Clients+i], lookup_valid[Clients+i]} = '0;
      assign {lookup[Clients+i], lookup_key[Clients+i]} = '0;
    end
  end
  // The clock of the engine's L1 stops while the L1 only waits for responses to misses, or for
  // ports to return responses; a message or done_i restarts it.
  logic clk_engine;
  gmmu_sleep u_engine_sleep (
    .clk_i, .rst_i, .clk_o(clk_engine),
    .awake_i(req_valid_i[NumPorts-1:Clients] != '0 || lookup_hint[Clients] || lookup_pending[Clients]
             || msg_valid != '0 || sweep.valid || in_use.set || done_i[NumPorts-1:Clients] != '0
             || rsp_valid_o[NumPorts-1:Clients] != '0)
  );
  gmmu_l1_shared #(.Config(Config)) u_engine_l1 (
    .clk_i(clk_engine), .rst_i,
    .req_valid_i(req_valid_i[NumPorts-1:Clients]), .req_ready_o(req_ready_o[NumPorts-1:Clients]),
    .req_i(req_i[NumPorts-1:Clients]), .rsp_valid_o(rsp_valid_o[NumPorts-1:Clients]),
    .rsp_ready_i(rsp_ready_i[NumPorts-1:Clients]), .rsp_o(rsp_o[NumPorts-1:Clients]),
    .done_i(engine_done),
    .lookup_hint_o(lookup_hint[Clients]), .lookup_pending_o(lookup_pending[Clients]),
    .lookup_key_o(lookup_key[Clients]), .lookup_valid_o(lookup_valid[Clients]),
    .lookup_ready_i(lookup_ready[Clients]), .lookup_o(lookup[Clients]),
    .msg_valid_i(msg_valid[NumPorts-1:Clients] != '0), .msg_i(msg),
    .late_hint_i(late_hint), .later_i(later), .last_i(last), .last_hint_i(last_hint),
    .sweep_i(sweep), .use_size_i(in_use.engine_l1), .use_set_i(in_use.set), .generation_i(generation),
    .drained_o(port_drained[Clients]),
    .ev_valid_o(ev_valid_o[NumPorts-1:Clients]), .ev_o(ev_o[NumPorts-1:Clients]),
    .count_o(engine_count), .idle_o(port_idle[Clients]));
  logic unused_ready;  // ready of the ports that share the first engine port's L1
  assign unused_ready = ^lookup_ready;

  always_ff @(posedge clk_i) begin
    late_hint <= hint_of(msg.key);
    later_hint <= late_hint;
    last_hint <= later_hint;
    last <= later;
  end

  always_ff @(posedge clk_i) begin
    drained <= 2'b11;
    for (int unsigned p = 0; p <= Clients; p++) begin
      for (int unsigned g = 0; g < 2; g++) begin
        if (!port_drained[p][g]) drained[g] <= 1'b0;
      end
    end
  end

  // Shared levels.
  key_t      search_key, restart_key, probe_key, entry_key;
  logic      search_hit, search_near, row_free, row_engine, begins, begin_wide, begin_engine;
  logic      joins, restarts;
  logic [1:0] rows_early;
  row_t      begin_row, start_row, restart_row, line_row, fill_done_row;
  logic [DataWidth-1:0] line_data;
  lookup_t   what, again;
  start_t    start;
  logic      restart_valid, restart_ready, restart_second, restart_wide, again_valid, again_ready;
  logic      tell_valid, tell_ready, tell_large, tell_narrow, wc_write;
  msg_t      tell;
  logic [5:0] tell_shift;
  wc_write_t wc_data;
  logic      probe_valid, probed;
  logic [Config.L2Ways-1:0] probed_same, probed_empty, tag_write, data_write;
  logic [15:0] probed_present, entry_present;
  page_t     entry_page;
  line_t     fill;
  logic      line_valid, fill_valid, fill_ready, fill_done, ends;
  row_t      end_row, entry_row, tell_row;
  key_t      end_key;
  logic [2:0] line_beat;
  logic      lookup_idle, walks_idle, busy;

  // The walk table's clock stops while its rows only wait for memory.
  logic clk_lookup, clk_walks, clk_control, walks_still;
  gmmu_sleep u_lookup_sleep (
    .clk_i, .rst_i, .clk_o(clk_lookup),
    .awake_i(!lookup_idle || !fill_idle || busy || ctl_valid_i || lookup_hint != '0 || lookup_pending != '0
             || restart_valid || again_valid || tell_valid || wc_write)
  );
  gmmu_sleep u_walks_sleep (
    .clk_i, .rst_i, .clk_o(clk_walks),
    .awake_i(!walks_still || !lookup_idle || !fill_idle || busy || ctl_valid_i || rd_rsp_i.r_valid)
  );
  gmmu_sleep u_control_sleep (.clk_i, .rst_i, .clk_o(clk_control), .awake_i(busy || ctl_valid_i));
  gmmu_lookup #(.Config(Config)) u_lookup (
    .clk_i(clk_lookup), .rst_i,
    .lookup_hint_i(lookup_hint), .lookup_pending_i(lookup_pending), .lookup_key_i(lookup_key),
    .lookup_valid_i(lookup_valid), .lookup_ready_o(lookup_ready), .lookup_i(lookup),
    .msg_valid_o(msg_valid), .msg_o(msg), .later_o(later),
    .search_key_o(search_key), .search_hit_i(search_hit), .search_near_i(search_near),
    .row_free_i(row_free), .row_engine_i(row_engine),
    .rows_early_i(rows_early),
    .begin_o(begins), .begin_wide_o(begin_wide), .begin_engine_o(begin_engine), .join_o(joins),
    .what_o(what), .restart_o(restarts), .restart_row_o(start_row), .start_o(start),
    .restart_valid_i(restart_valid), .restart_ready_o(restart_ready),
    .restart_row_i(restart_row), .restart_key_i(restart_key), .restart_second_i(restart_second),
    .restart_wide_i(restart_wide),
    .again_valid_i(again_valid), .again_ready_o(again_ready), .again_i(again),
    .tell_valid_i(tell_valid), .tell_ready_o(tell_ready), .tell_i(tell),
    .tell_large_i(tell_large), .tell_shift_i(tell_shift),
    .wc_write_i(wc_write), .wc_data_i(wc_data),
    .probe_valid_i(probe_valid), .probe_key_i(probe_key),
    .probed_o(probed), .probed_same_o(probed_same), .probed_empty_o(probed_empty),
    .probed_present_o(probed_present),
    .tag_write_i(tag_write), .data_write_i(data_write), .fill_key_i(entry_key),
    .fill_present_i(entry_present), .fill_page_i(entry_page),
    .hold_i(hold), .quiet_o(pipeline_quiet), .kill_i(kill), .sweep_i(sweep),
    .space_write_i(space_write), .space_i(space), .space_row_i(space_row), .use_i(in_use),
    .count_hit_o(count_o.l2_hit), .count_miss_o(count_o.l2_miss),
    .count_merged_o(count_o.l2_merged),
    .count_wc_lookup_o(count_o.wc_lookup), .count_wc_hit_o(count_o.wc_hit), .idle_o(lookup_idle));

  gmmu_walk_table #(.Config(Config)) u_walks (
    .clk_i(clk_walks), .rst_i,
    .search_key_i(search_key), .search_hit_o(search_hit), .search_near_o(search_near),
    .row_free_o(row_free), .row_engine_o(row_engine),
    .rows_early_o(rows_early),
    .begin_i(begins), .begin_wide_i(begin_wide), .begin_engine_i(begin_engine),
    .begin_row_o(begin_row), .join_i(joins), .what_i(what),
    .restart_i(restarts), .restart_row_i(start_row), .start_i(start),
    .restart_valid_o(restart_valid), .restart_ready_i(restart_ready),
    .restart_row_o(restart_row), .restart_key_o(restart_key), .restart_second_o(restart_second),
    .restart_wide_o(restart_wide),
    .ar_valid_o(rd_req_o.ar_valid), .ar_ready_i(rd_rsp_i.ar_ready), .ar_o(rd_req_o.ar), .ar_early_o, .early_ar_o,
    .r_valid_i(rd_rsp_i.r_valid), .r_i(rd_rsp_i.r),
    .tell_valid_o(tell_valid), .tell_ready_i(tell_ready), .tell_o(tell),
    .tell_large_o(tell_large), .tell_narrow_o(tell_narrow), .tell_shift_o(tell_shift), .tell_row_o(tell_row),
    .again_valid_o(again_valid), .again_ready_i(again_ready), .again_o(again),
    .wc_write_o(wc_write), .wc_data_o(wc_data),
    .line_valid_o(line_valid), .line_row_o(line_row), .line_beat_o(line_beat),
    .line_data_o(line_data),
    .fill_valid_o(fill_valid), .fill_ready_i(fill_ready), .fill_o(fill),
    .fill_done_i(fill_done), .fill_done_row_i(fill_done_row),
    .end_o(ends), .end_row_o(end_row), .end_key_o(end_key),
    .hold_i(hold), .kill_i(kill), .stale_o(stale), .quiet_o(walks_quiet),
    .space_write_i(space_write), .space_i(space),
    .shape_i('{dual: space_row.dual, bits_64k: space_row.bits_64k, shift: space_row.shift,
               bits: space_row.bits}),
    .use_i(in_use),
    .count_ok_o(count_o.walk_ok), .count_fault_o(count_o.walk_fault),
    .count_read_o(count_o.table_read),
    .count_issue_o(count_o.walk_issue), .count_memory_o(count_o.walk_memory),
    .count_rows_o(count_o.walk_rows), .still_o(walks_still), .idle_o(walks_idle));

  gmmu_fill #(.Config(Config)) u_fill (
    .clk_i(clk_walks), .rst_i,
    .line_valid_i(line_valid), .line_row_i(line_row), .line_beat_i(line_beat),
    .line_data_i(line_data),
    .page_valid_i(tell_valid && tell_ready && tell_narrow),
    .page_i('{key: tell.key, page: tell.page}), .page_row_i(tell_row), .row_o(entry_row),
    .start_valid_i(fill_valid), .start_ready_o(fill_ready), .start_i(fill), .done_o(fill_done),
    .done_row_o(fill_done_row),
    .probe_valid_o(probe_valid), .probe_key_o(probe_key),
    .probed_i(probed), .probed_same_i(probed_same), .probed_empty_i(probed_empty),
    .probed_present_i(probed_present), .tag_write_o(tag_write), .data_write_o(data_write),
    .key_o(entry_key), .present_o(entry_present), .page_o(entry_page),
    .count_fill_o(count_o.l2_fill), .count_eviction_o(count_o.l2_eviction), .idle_o(fill_idle),
    .use_i(in_use));

  gmmu_sizes #(.Config(Config)) u_sizes (.clk_i(clk_control), .rst_i, .set_i(resize), .word_i(resize_word), .word_o(sizes_o), .use_o(in_use));

  gmmu_control #(.Config(Config)) u_control (
    .clk_i(clk_control), .rst_i,
    .ctl_valid_i, .ctl_ready_o, .ctl_i, .ctl_done_o,
    .inv_valid_o, .inv_scope_o, .inv_space_o, .inv_start_o, .inv_end_o,
    .hold_o(hold), .quiet_i(quiet), .kill_o(kill), .sweep_o(sweep), .generation_o(generation),
    .drained_i(drained), .stale_i(stale),
    .space_write_o(space_write), .space_o(space), .space_row_o(space_row),
    .resize_o(resize), .resize_word_o(resize_word), .sweep_last_i(in_use.sweep_last), .busy_o(busy),
    .counted_o(counted));

  assign quiet = pipeline_quiet && walks_quiet && fill_idle;
  always_ff @(posedge clk_i) idle_o <= &port_idle && lookup_idle && walks_idle && fill_idle && !busy && !rst_i;

  assign mev_o = '{
    walk_start: begins, walk_row: begin_row, port: what.port, slot: what.slot, key: what.key,
    walk_end: ends, end_row: end_row, end_key: end_key,
    fill: count_o.l2_fill, evict: count_o.l2_eviction, fill_row: entry_row, fill_key: entry_key
  };

  assign count_o.l2_lookup = count_o.l2_hit || count_o.l2_miss || count_o.l2_merged;
  assign count_o.walk = count_o.l2_miss;
  assign count_o.walk_redone = restarts && start.half;
  assign count_o.invalidation = inv_valid_o;
  assign count_o.invalidating = counted;

  if (NumPorts < 2 || NumPorts > 69 || Config.EngineL1Entries < 2 || Config.EngineL1Entries > 64
      || !power(Config.MissSlots) || !power(Config.EngineMissSlots)) begin : g_illegal
    $fatal(1, "gmmu_mmu: NumPorts must be from 2 to 69, EngineL1Entries from 2 to 64, the numbers of miss slots powers of two from 2 to 64");
  end
endmodule
