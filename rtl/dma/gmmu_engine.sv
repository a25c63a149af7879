// SPDX-License-Identifier: Apache-2.0
// The paging DMA engine: submission rings, command processor, transfer engine, fences.
//
//   rings     ring_i / ring_o: registers of each ring. The engine works on one entry at a time;
//             rings take turns. No entry starts while enable_i is 0, but an entry in progress
//             completes. When a ring's enable falls, its entry is abandoned (no fence, no error):
//             accesses already sent still complete, and no others are sent. enable_i and a ring's
//             enable take effect one cycle late, a new tail two cycles late; idle_o reflects them
//             at once. A ring's preempt stops the ring at a command boundary (gmmu_dma_ring).
//   xlate     three translation ports: fetch (paging buffers), read and write (transfers). Every
//             response is returned through `done` exactly once.
//   ap        aperture lookups of the same three paths, for gmmu_aperture_map.
//   memory    fetch and read: read-only requesters; write: write-only (data, tables, aperture
//             entries, fences). R and B are always accepted. Ids identify bursts in flight; responses
//             arrive in any order.
//   ctl       invalidations, for flush_tlb and aperture unmap commands; ctl_done_i pulses when one
//             is complete.
//   aperture  When the B of written aperture entries has arrived, aperture_flush_o pulses, and the
//             engine waits for a pulse on aperture_flush_done_i.
//   errors    A fault stops the ring at the first command, in command order, that failed. The fault
//             is offered on fault_o; then ring_o shows the error and ring_error_o pulses.
//   counters  events and byte counts of the current cycle
module gmmu_engine
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumRings = Config.NumRings
) (
  input  logic                       clk_i,
  input  logic                       rst_i,

  // ctrl.enable is set and the GPU is a bus master
  input  logic                       enable_i,
  input  logic [63:0]                cycle_i,             // for fence records
  input  logic [63:0]                vram_bytes_i,
  input  link_cfg_t                  link_i,
  output logic                       idle_o,  // no work is in progress and none can start

  input  ring_cfg_t   [NumRings-1:0] ring_i,
  output ring_state_t [NumRings-1:0] ring_o,
  output logic                       fence_irq_o,         // pulses after the B of the fence record
  output logic                       ring_error_o,        // pulse
  output logic                       preempted_o,         // pulse

  output logic                       fetch_req_valid_o,
  input  logic                       fetch_req_ready_i,
  output xlate_req_t                 fetch_req_o,
  input  logic                       fetch_rsp_valid_i,
  output logic                       fetch_rsp_ready_o,
  input  xlate_rsp_t                 fetch_rsp_i,
  output xlate_done_t                fetch_done_o,

  output logic                       read_req_valid_o,
  input  logic                       read_req_ready_i,
  output xlate_req_t                 read_req_o,
  input  logic                       read_rsp_valid_i,
  output logic                       read_rsp_ready_o,
  input  xlate_rsp_t                 read_rsp_i,
  output xlate_done_t                read_done_o,

  output logic                       write_req_valid_o,
  input  logic                       write_req_ready_i,
  output xlate_req_t                 write_req_o,
  input  logic                       write_rsp_valid_i,
  output logic                       write_rsp_ready_o,
  input  xlate_rsp_t                 write_rsp_i,
  output xlate_done_t                write_done_o,

  output logic [2:0]                 ap_req_valid_o,      // [0] fetch, [1] read, [2] write
  input  logic [2:0]                 ap_req_ready_i,
  output pfn_t [2:0]                 ap_req_page_o,
  input  logic [2:0]                 ap_rsp_valid_i,
  input  aperture_rsp_t              ap_rsp_i,  // response to the path whose ap_rsp_valid_i is set

  output rd_req_t                    fetch_rd_req_o,
  input  rd_rsp_t                    fetch_rd_rsp_i,

  output rd_req_t                    rd_req_o,
  input  rd_rsp_t                    rd_rsp_i,

  output wr_req_t                    wr_req_o,
  input  wr_rsp_t                    wr_rsp_i,

  output logic                       ctl_valid_o,
  input  logic                       ctl_ready_i,
  output mmu_ctl_t                   ctl_o,
  input  logic                       ctl_done_i,

  input  pa_t                        aperture_base_i,
  input  logic [31:0]                aperture_pages_i,
  output logic                       aperture_flush_o,
  input  logic                       aperture_flush_done_i,

  output logic                       fault_valid_o,
  input  logic                       fault_ready_i,
  output fault_info_t                fault_o,

  output logic                       count_entry_o,
  output logic [1:0]                 count_commands_o,
  output logic [8:0]                 count_read_bytes_o,
  output logic [8:0]                 count_write_bytes_o,
  output logic                       busy_o
);
  // Fetch, rings and commands share a gated clock, because they mostly wait for the mover.
  logic clk, fetch_awake, ring_awake, command_awake;
  gmmu_sleep u_sleep (.clk_i, .rst_i, .clk_o(clk), .awake_i(fetch_awake || ring_awake || command_awake));

  // Fetch: one stream of words, of a ring entry or of its paging buffer.
  logic        fetch_valid, fetch_ready, fetch_abort, fetch_quiet;
  place_t      fetch_place;
  logic [32:0] fetch_end;
  logic        word_valid, word_error, entry_ready, command_ready;
  logic [63:0] word;
  dma_fault_t  word_fault, command_word_fault;
  gmmu_dma_fetch u_fetch (
    .clk_i(clk), .awake_o(fetch_awake), .rst_i, .vram_bytes_i, .link_i, .abort_i(fetch_abort), .quiet_o(fetch_quiet),
    .job_valid_i(fetch_valid), .job_ready_o(fetch_ready), .job_place_i(fetch_place),
    .job_end_i(fetch_end),
    .valid_o(word_valid), .ready_i(command_ready),
    .other_ready_i(entry_ready), .word_o(word), .error_o(word_error),
    .fault_o(word_fault),
    .req_valid_o(fetch_req_valid_o), .req_ready_i(fetch_req_ready_i), .req_o(fetch_req_o),
    .rsp_valid_i(fetch_rsp_valid_i), .rsp_ready_o(fetch_rsp_ready_o), .rsp_i(fetch_rsp_i),
    .done_o(fetch_done_o),
    .ap_req_valid_o(ap_req_valid_o[0]), .ap_req_ready_i(ap_req_ready_i[0]),
    .ap_req_page_o(ap_req_page_o[0]), .ap_rsp_valid_i(ap_rsp_valid_i[0]), .ap_rsp_i,
    .rd_req_o(fetch_rd_req_o), .rd_rsp_i(fetch_rd_rsp_i));
  always_comb begin
    command_word_fault = word_fault;
    if (word_fault.reason == FaultBusRead) command_word_fault.reason = FaultCommandFetch;
  end

  // Rings.
  logic        start, privileged, kill, command_done, command_failed, command_killed, command_irq;
  logic        preempt, command_stopped;
  logic [31:0] start_bytes, error_offset, error_header;
  place_t      start_buffer;
  pa_t         record_address;
  logic [63:0] record_value;
  dma_fault_t  command_error;
  logic [1:0]  error_path;
  gmmu_dma_ring #(.Config(Config)) u_ring (
    .clk_i(clk), .awake_o(ring_awake), .rst_i, .enable_i, .idle_o, .busy_o, .ring_i, .ring_o, .fence_irq_o, .ring_error_o,
    .preempted_o, .count_entry_o,
    .fetch_valid_o(fetch_valid), .fetch_ready_i(fetch_ready), .fetch_place_o(fetch_place),
    .fetch_end_o(fetch_end), .fetch_abort_o(fetch_abort), .fetch_quiet_i(fetch_quiet),
    .word_valid_i(word_valid), .word_ready_o(entry_ready), .word_i(word),
    .word_error_i(word_error), .word_fault_i(word_fault),
    .start_o(start), .start_bytes_o(start_bytes), .start_buffer_o(start_buffer),
    .privileged_o(privileged), .record_address_o(record_address), .record_value_o(record_value),
    .kill_o(kill), .preempt_o(preempt),
    .done_i(command_done), .failed_i(command_failed), .killed_i(command_killed),
    .stopped_i(command_stopped),
    .command_irq_i(command_irq), .error_i(command_error), .error_path_i(error_path),
    .error_offset_i(error_offset), .error_header_i(error_header),
    .fault_valid_o, .fault_ready_i, .fault_o);

  // Commands.
  logic       job_valid, job_ready, inline_valid, inline_ready, inline_dead, mover_kill, mover_idle;
  logic       mover_retired, mover_fault_valid, mover_fault_ready;
  logic [63:0] inline_word;
  job_t       job;
  dma_fault_t mover_fault;
  job_id_t    mover_fault_job;
  logic       fence_at_work;
  logic [8:0] write_bytes;
  gmmu_dma_command #(.Config(Config)) u_command (
    .clk_i(clk), .awake_o(command_awake), .rst_i,
    .start_i(start), .bytes_i(start_bytes), .buffer_i(start_buffer), .privileged_i(privileged),
    .record_address_i(record_address), .record_value_i(record_value), .cycle_i, .kill_i(kill),
    .preempt_i(preempt), .preempted_o(command_stopped),
    .done_o(command_done), .failed_o(command_failed), .killed_o(command_killed),
    .fence_irq_o(command_irq), .error_o(command_error), .error_path_o(error_path),
    .error_offset_o(error_offset), .error_header_o(error_header),
    .word_valid_i(word_valid), .word_ready_o(command_ready), .word_i(word),
    .word_error_i(word_error), .word_fault_i(command_word_fault),
    .job_valid_o(job_valid), .job_ready_i(job_ready), .job_o(job),
    .inline_valid_o(inline_valid), .inline_ready_i(inline_ready), .inline_word_o(inline_word),
    .inline_dead_o(inline_dead),
    .mover_kill_o(mover_kill), .mover_idle_i(mover_idle), .mover_retired_i(mover_retired),
    .mover_fault_valid_i(mover_fault_valid), .mover_fault_ready_o(mover_fault_ready),
    .mover_fault_i(mover_fault), .mover_fault_job_i(mover_fault_job),
    .ctl_valid_o, .ctl_ready_i, .ctl_o, .ctl_done_i,
    .aperture_base_i, .aperture_pages_i, .aperture_flush_o, .aperture_flush_done_i,
    .fence_at_work_o(fence_at_work), .count_commands_o);

  // Transfers.
  gmmu_dma_mover #(.Config(Config), .MaxBurst(256)) u_mover (   // bursts of 256 bytes fill a TLP
    .clk_i, .rst_i, .vram_bytes_i, .link_i,
    .job_valid_i(job_valid), .job_ready_o(job_ready), .job_i(job),
    .word_valid_i(inline_valid), .word_ready_o(inline_ready), .word_i(inline_word),
    .words_dead_i(inline_dead), .kill_i(mover_kill), .idle_o(mover_idle),
    .retired_o(mover_retired), .fault_valid_o(mover_fault_valid),
    .fault_ready_i(mover_fault_ready), .fault_o(mover_fault), .fault_job_o(mover_fault_job),
    .read_req_valid_o, .read_req_ready_i, .read_req_o, .read_rsp_valid_i, .read_rsp_ready_o,
    .read_rsp_i, .read_done_o,
    .write_req_valid_o, .write_req_ready_i, .write_req_o, .write_rsp_valid_i, .write_rsp_ready_o,
    .write_rsp_i, .write_done_o,
    .ap_req_valid_o(ap_req_valid_o[2:1]), .ap_req_ready_i(ap_req_ready_i[2:1]),
    .ap_req_page_o(ap_req_page_o[2:1]), .ap_rsp_valid_i(ap_rsp_valid_i[2:1]), .ap_rsp_i,
    .rd_req_o, .rd_rsp_i, .wr_req_o, .wr_rsp_i,
    .count_read_bytes_o, .count_write_bytes_o(write_bytes));
  assign count_write_bytes_o = fence_at_work ? '0 : write_bytes;
endmodule
