// SPDX-License-Identifier: Apache-2.0
// The aperture map: translates a page of the aperture segment to a logical page of the host, or to
// a fault.
//
//   lookups  NumPorts independent streams of page numbers. Responses keep the order of their
//            stream, and have no ready: the requester reserves space for them. A lookup is accepted
//            every other cycle, but from the same stream only every third cycle. After a cache hit,
//            the response follows three cycles after the lookup was accepted.
//   table    aperture entries of 8 bytes (rdl: aperture_entry) in VRAM, entry p at base_i + 8 * p.
//            Lines of 64 bytes are read into a small direct-mapped cache.
//   flush    flush_i (a pulse) drops the cache. flush_done_o pulses when the cache is empty and no
//            later response uses an older entry. Software must flush after a change of base_i or
//            pages_i.
//   faults   page >= pages_i: FaultApertureRange; invalid entry: FaultApertureEntry; bus error of
//            the table read: FaultApertureRead (never cached).
module gmmu_aperture_map
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_axi_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumPorts = Config.NumPorts,
  parameter int unsigned Lines = 8  // number of cached lines of eight entries, a power of two
) (
  input  logic                         clk_i,
  input  logic                         rst_i,

  input  pa_t                          base_i,
  input  logic [31:0]                  pages_i,

  input  logic                         flush_i,
  output logic                         flush_done_o,

  input  logic          [NumPorts-1:0] req_valid_i,
  output logic          [NumPorts-1:0] req_ready_o,
  input  pfn_t          [NumPorts-1:0] req_page_i,
  output logic          [NumPorts-1:0] rsp_valid_o,
  output aperture_rsp_t                rsp_o,  // response to the port whose rsp_valid_o is set

  output rd_req_t                      rd_req_o,
  input  rd_rsp_t                      rd_rsp_i,

  // Pulses for the counters. lookup_o: the map has responded to a lookup; hit_o: that lookup hit in
  // the cache.
  output logic                         lookup_o,
  output logic                         hit_o,
  output logic                         idle_o
);
  logic clk;   // gated clock: stopped while no lookup or flush is pending
  localparam int unsigned EntryLg2 = 3;                          // log2 of the entries per line
  localparam int unsigned EntriesPerBeat = DataBytes / 8;
  localparam int unsigned BeatsPerLine = LineBytes / DataBytes;
  localparam int unsigned BeatWidth = BeatsPerLine > 1 ? $clog2(BeatsPerLine) : 1;
  localparam int unsigned IndexWidth = $clog2(Lines);
  localparam int unsigned RowWidth = $clog2(Lines * BeatsPerLine);
  localparam int unsigned LineWidth = PfnWidth - EntryLg2;       // width of a page's line number
  localparam int unsigned TagWidth = LineWidth - IndexWidth;
  localparam int unsigned PortWidth = NumPorts > 1 ? $clog2(NumPorts) : 1;

  if (Lines < 2 || (Lines & (Lines - 1)) != 0) begin : g_illegal
    $fatal(1, "gmmu_aperture_map: Lines must be a power of two, 2 or more");
  end

  typedef struct packed {
    logic valid;
    logic coherent;
    pfn_t page;
  } entry_t;

  // One lookup at a time: StateRead reads the cache, StateJudge checks the entry. After a miss,
  // StateAsk sends the table read, StateFetch receives the line, and StateRead follows again.
  typedef enum logic [2:0] {StateIdle, StateRead, StateJudge, StateAsk, StateFetch} state_e;
  state_e state_q;

  // The next lookup is selected while the current one is checked.
  logic [NumPorts-1:0]  grant, grant_q, port_q;
  logic [PortWidth-1:0] grant_index, grant_index_q;
  logic                 granted_q, may_take, take;
  pfn_t                 page_q;

  gmmu_rr_arbiter #(.N(NumPorts)) u_arbiter (
    .clk_i(clk), .rst_i, .req_i(req_valid_i), .advance_i(!granted_q), .gnt_o(grant),
    .index_o(grant_index)
  );
  always_ff @(posedge clk) begin
    if (rst_i || take) begin
      granted_q <= 1'b0;
      grant_q <= '0;
    end else if (!granted_q) begin
      granted_q <= req_valid_i != '0;
      grant_q <= grant;
    end
    if (!granted_q) grant_index_q <= grant_index;
  end

  // The cache.
  logic [Lines-1:0]      valid_q;
  logic [TagWidth-1:0]   tag;
  logic [IndexWidth-1:0] index;
  logic [RowWidth-1:0]   fill_row_index, read_row_index;
  logic [BeatWidth-1:0]  read_beat;
  entry_t [EntriesPerBeat-1:0] row, fill_row;
  entry_t                entry;
  logic                  killed_q;      // the cache was flushed while a line was being fetched
  logic                  bad_q;         // a beat of the fetched line had an error
  logic [BeatWidth-1:0]  fill_beat_q;
  logic                  fill, fill_last;
  logic                  fetched_q;     // the current lookup missed, and its line has been fetched
  logic                  flush_q;
  logic                  r_valid_q;
  r_t                    r_q;

  assign index = page_q[EntryLg2 +: IndexWidth];
  assign fill_row_index = RowWidth'({index, fill_beat_q} >> (BeatsPerLine > 1 ? 0 : 1));
  assign read_row_index = RowWidth'({index, read_beat} >> (BeatsPerLine > 1 ? 0 : 1));

  if (BeatsPerLine > 1) begin : g_beats
    assign read_beat = page_q[EntryLg2-1 -: BeatWidth];
  end else begin : g_one_beat
    assign read_beat = '0;
  end
  if (EntriesPerBeat > 1) begin : g_entries
    assign entry = row[page_q[$clog2(EntriesPerBeat)-1:0]];
  end else begin : g_one_entry
    assign entry = row[0];
  end

  for (genvar i = 0; i < EntriesPerBeat; i++) begin : g_fill
    aperture_entry_entry_t raw;
    logic                  unused_raw;
    assign raw = r_q.data[64*i +: 64];
    assign fill_row[i] = '{valid: raw.valid, coherent: raw.coherent, page: raw.page[PfnWidth-1:0]};
    assign unused_raw = ^{raw.reserved0, raw.reserved1, raw.reserved2, raw.page};
  end

  gmmu_ram_block #(
    .Width($bits(entry_t) * EntriesPerBeat), .Depth(Lines * BeatsPerLine)
  ) u_entries (
    .clk_i(clk),
    .write_i(fill), .write_addr_i(fill_row_index), .data_i(fill_row),
    .read_i(state_q == StateRead), .read_addr_i(read_row_index), .data_o(row)
  );
  gmmu_lutram #(.Width(TagWidth), .Depth(Lines)) u_tags (
    .clk_i(clk),
    .write_i(state_q == StateAsk), .write_addr_i(index), .data_i(page_q[PfnWidth-1 -: TagWidth]),
    .read_addr_i(index), .data_o(tag)
  );

  assign fill = state_q == StateFetch && r_valid_q;
  assign fill_last = fill && r_q.last;

  // Checks of the current lookup. Tag and range are compared while the entry is read.
  logic   in_range, in_range_q, hit, hit_q, forced_q, resolved, answer_now;
  fault_e reason;

  assign in_range = page_q[PfnWidth-1:32] == '0 && page_q[31:0] < pages_i;
  assign hit = valid_q[index] && tag == page_q[PfnWidth-1 -: TagWidth] && !flush_i;
  assign resolved = hit_q || forced_q;
  always_comb begin
    reason = FaultNone;
    if (!in_range_q) reason = FaultApertureRange;
    else if (bad_q) reason = FaultApertureRead;
    else if (!entry.valid) reason = FaultApertureEntry;
  end

  assign answer_now = state_q == StateJudge && resolved;
  assign may_take = state_q == StateIdle || answer_now;
  assign take = may_take && granted_q;
  assign req_ready_o = may_take ? grant_q : '0;

  ax_t ar_q;
  assign rd_req_o = '{ar_valid: state_q == StateAsk, ar: ar_q};
  logic [PaWidth:0] line_address;  // one extra bit; a carry forces an address beyond VRAM
  assign line_address = {1'b0, base_i} +
                        (PaWidth + 1)'({page_q[PfnWidth-1:EntryLg2], {(2*EntryLg2){1'b0}}});
  always_ff @(posedge clk) begin
    if (state_q == StateJudge) begin
      ar_q <= '0;
      ar_q.port <= PortVram;
      ar_q.addr <= line_address[PaWidth-1:0];
      if (line_address[PaWidth]) ar_q.addr[PaWidth-1] <= 1'b1;
      ar_q.len <= 8'(BeatsPerLine - 1);
    end
  end

  always_ff @(posedge clk) begin
    r_valid_q <= rd_rsp_i.r_valid && !rst_i;
    r_q <= rd_rsp_i.r;
    if (rst_i) begin
      state_q <= StateIdle;
      valid_q <= '0;
      killed_q <= 1'b0;
      bad_q <= 1'b0;
      rsp_valid_o <= '0;
      lookup_o <= 1'b0;
      hit_o <= 1'b0;
      flush_done_o <= 1'b0;
      flush_q <= 1'b0;
    end else begin
      rsp_valid_o <= answer_now ? port_q : '0;
      lookup_o <= answer_now;
      hit_o <= answer_now && hit_q && in_range_q && !fetched_q;
      if (answer_now) bad_q <= 1'b0;

      unique case (state_q)
        StateIdle: if (take) state_q <= StateRead;
        StateRead: state_q <= StateJudge;
        StateJudge: begin
          killed_q <= 1'b0;
          if (!resolved) state_q <= StateAsk;
          else state_q <= take ? StateRead : StateIdle;
        end
        StateAsk: if (rd_rsp_i.ar_ready) state_q <= StateFetch;
        default: begin
          if (fill && r_q.error) bad_q <= 1'b1;
          if (fill_last) begin
            state_q <= StateRead;
            // StateRead misses, and the line is fetched again
            if (killed_q || flush_i) bad_q <= 1'b0;
            else valid_q[index] <= !bad_q && !r_q.error;
          end
        end
      endcase

      // A line is not valid while it is fetched. A flush drops all lines, including one that is
      // being fetched.
      if (state_q == StateAsk) valid_q[index] <= 1'b0;
      if (flush_i) begin
        valid_q <= '0;
        killed_q <= 1'b1;
      end
      flush_q <= flush_i;
      flush_done_o <= flush_q;
    end

    if (may_take) begin
      port_q <= grant_q;
      page_q <= req_page_i[grant_index_q];
    end
    if (state_q == StateRead) begin
      in_range_q <= in_range;
      hit_q <= hit;
      forced_q <= !in_range || bad_q;
    end
    if (state_q == StateAsk) fill_beat_q <= '0;
    else if (fill) fill_beat_q <= fill_beat_q + 1'b1;
    if (may_take) fetched_q <= 1'b0;
    else if (fill_last) fetched_q <= 1'b1;
    rsp_o <= '{fault: reason, coherent: entry.coherent, page: entry.page};
  end

  assign idle_o = state_q == StateIdle && req_valid_i == '0 && rsp_valid_o == '0 && !flush_q &&
      !flush_done_o;

  gmmu_sleep u_sleep (.clk_i, .rst_i, .clk_o(clk), .awake_i(!idle_o || flush_i || rd_rsp_i.r_valid));
  logic unused_bits;
  assign unused_bits = ^{r_q.id, page_q};
endmodule
