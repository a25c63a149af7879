// SPDX-License-Identifier: Apache-2.0
// The registers of rtl/pkg/gmmu.rdl, except the counters.
//
//   bus     addr_i is valid from one cycle before wr_valid_i rises; the decoded bits are
//           registered. wr_valid_i and wr_data_i are held until wr_ready_o; the write takes effect
//           in that cycle. Every write waits until the window has settled, so that doorbells,
//           roots, invalidations and changes of the window's base follow all earlier window
//           accesses. A root write, or with TurnDown a write of sizes_in_use, also waits until the
//           previous MMU operation is done. While silence_o is 1, such a write is ignored, because
//           that operation may wait for held accesses.
//   read    while rd_i is 1: rd_data_o comes three cycles after addr_i (client registers: four)
//   ctl     operations for the MMU: a new space configuration (root write), an invalidation
//           (inv_cmd) or new sizes in use
module gmmu_regs
  import gmmu_config_pkg::config_t;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter config_t Config = gmmu_config_pkg::Built,
  localparam int unsigned NumClients = Config.NumClients,
  localparam int unsigned Engines = Config.TrafficEngines,  // clients 0 to Engines - 1 have registers
  localparam int unsigned NumSpaces = Config.NumSpaces,
  localparam int unsigned NumRings = Config.NumRings,
  localparam bit          TurnDown = Config.TurnDown != 0,  // 0: no register sizes_in_use
  parameter logic [63:0] Cap0 = '0,
  parameter logic [63:0] Cap1 = '0,
  parameter logic [63:0] Cap2 = '0
) (
  input  logic                            clk_i,
  input  logic                            rst_i,

  input  logic                            wr_valid_i,
  output logic                            wr_ready_o,
  input  logic           [15:0]           addr_i,
  input  logic           [63:0]           wr_data_i,
  input  logic                            rd_i,
  output logic           [63:0]           rd_data_o,

  input  logic                            window_settled_i,
  input  logic           [63:0]           vram_bytes_i,
  input  logic           [63:0]           cycle_i,
  input  logic                            work_idle_i,
  input  logic           [63:0]           sizes_i,           // value of sizes_in_use

  output logic                            enable_o,
  output logic                            silence_o,
  input  logic                            silent_i,
  output pa_t                             window_base_o,
  output host_aperture_cfg_t              host_aperture_o,
  output logic                            int_clear_o,
  output logic           [5:0]            int_clear_bits_o,
  output logic           [5:0]            int_enable_o,
  input  logic           [5:0]            int_status_i,
  output pa_t                             fault_base_o,
  output logic           [3:0]            fault_size_lg2_o,
  output logic                            fault_enable_o,
  output logic           [15:0]           fault_head_o,
  input  logic           [15:0]           fault_tail_i,
  input  logic           [15:0]           fault_dropped_i,
  output pa_t                             aperture_base_o,
  output logic           [31:0]           aperture_pages_o,
  output logic                            aperture_flush_o,  // pulse: base or pages was written
  output link_cfg_t                       link_o,

  output ring_cfg_t      [NumRings-1:0]   ring_o,
  input  ring_state_t    [NumRings-1:0]   ring_i,

  // Access to the registers of one client: see gmmu_client_regs.
  output logic           [NumClients-1:0] client_wr_o,
  output logic           [NumClients-1:0] client_rd_o,
  output logic           [2:0]            client_word_o,
  output logic           [63:0]           client_data_o,
  input  logic           [NumClients-1:0][63:0] client_data_i,

  output logic                            ctl_valid_o,
  input  logic                            ctl_ready_i,
  output mmu_ctl_t                        ctl_o,
  input  logic                            ctl_done_i,
  output logic                            invalidated_o,     // pulse: an inv_cmd has completed
  output logic                            idle_o
);
  localparam int unsigned SpaceWidth = $clog2(NumSpaces);

  // ---- The decoder: one registered bit for each register.
  localparam int unsigned Globals = TurnDown ? 25 : 24;
  localparam logic [Globals-1:0][15:0] GlobalOffsets = (Globals * 16)'({
    SizesInUseOffset, HostApertureEntryOffset, HostApertureOffset, InvStatusOffset, InvCmdOffset, InvEndOffset, InvStartOffset, LinkOffset, AperturePagesOffset,
    ApertureBaseOffset, FaultQueueTailOffset, FaultQueueHeadOffset, FaultQueueSizeOffset,
    FaultQueueBaseOffset, IntEnableOffset, IntStatusOffset, WindowBaseOffset, StatusOffset,
    CtrlOffset, CycleOffset, VramSizeOffset, Cap2Offset, Cap1Offset, Cap0Offset, IdOffset
  });
  typedef enum int unsigned {
    AtId, AtCapA, AtCapB, AtCapC, AtVramSize, AtCycle, AtCtrl, AtStatus, AtWindowBase, AtIntStatus,
    AtIntEnable, AtFaultQueueBase, AtFaultQueueSize, AtFaultQueueHead, AtFaultQueueTail,
    AtApertureBase, AtAperturePages, AtLink, AtInvStart, AtInvEnd, AtInvCmd, AtInvStatus,
    AtHostAperture, AtHostApertureEntry
  } global_e;   // with TurnDown, sizes_in_use is the last one
  localparam int unsigned RingWords = 9;
  localparam logic [RingWords-1:0][15:0] RingOffsets = {
    RingErrorAddressOffset, RingErrorCommandOffset, RingLastFenceOffset, RingStatusOffset,
    RingFenceAddressOffset, RingHeadOffset, RingTailOffset, RingCtrlOffset, RingBaseOffset
  };
  typedef enum int unsigned {
    AtRingBase, AtRingCtrl, AtRingTail, AtRingHead, AtRingFenceAddress, AtRingStatus,
    AtRingLastFence, AtRingErrorCommand, AtRingErrorAddress
  } ring_e;

  logic [Globals-1:0]     global_q;
  logic [RingWords-1:0]   ring_word_q;
  logic [NumRings-1:0]    ring_q;
  logic [NumClients-1:0]  client_q;
  logic                   space_geometry_q, space_root_q;
  logic [SpaceWidth-1:0]  space_index_q;
  logic [2:0]             word_q;
  logic                   in_space;

  assign in_space = addr_i[15:11] == 5'b00100 && 32'(addr_i[10:4]) < NumSpaces;
  always_ff @(posedge clk_i) begin
    if (wr_valid_i || rd_i) begin   // addr_i holds an access
      for (int unsigned i = 0; i < Globals; i++) global_q[i] <= addr_i == GlobalOffsets[i];
      for (int unsigned i = 0; i < RingWords; i++) begin
        ring_word_q[i] <= addr_i[6:0] == RingOffsets[i][6:0];
      end
      for (int unsigned i = 0; i < NumRings; i++) begin
        ring_q[i] <= addr_i[15:12] == 4'h1 && !addr_i[7] && 32'(addr_i[11:8]) == i;
      end
      for (int unsigned i = 0; i < NumClients; i++) begin
        client_q[i] <= addr_i[15:12] == 4'h4 && 32'(addr_i[11:6]) == i;
      end
      space_root_q <= in_space && addr_i[3];
      space_geometry_q <= in_space && !addr_i[3];
      space_index_q <= addr_i[4+:SpaceWidth];
      word_q <= addr_i[5:3];
    end
  end

  // ---- Writes.
  logic        write, settled_q, root_waits, root_write;
  logic        ctl_busy_q, ctl_inv_q;
  logic [31:0] ctl_done_count_q;

  // The window accepts no address while a write waits, so it stays settled. A write of SPACE_ROOT
  // or of new sizes also waits for the previous MMU operation, except during silence.
  logic sizes;
  assign sizes = TurnDown && global_q[Globals-1];
  always_ff @(posedge clk_i) begin
    settled_q <= window_settled_i && wr_valid_i && !write && !root_waits && !rst_i;
  end
  assign root_waits = (space_root_q || sizes) && ctl_busy_q && !silence_o;
  assign wr_ready_o = settled_q && !root_waits;  // 0 in the first cycle: not decoded yet
  assign write = wr_valid_i && wr_ready_o;
  assign root_write = write && space_root_q && !ctl_busy_q;

  // Write data by register type: existing fields are stored, all other bits read as 0.
  window_base_t        w_window_base;
  host_aperture_t      w_host_aperture;
  host_aperture_entry_t w_host_entry;
  fault_queue_size_t   w_fault_size;
  ring_base_t          w_ring_base;
  ring_ctrl_t          w_ring_ctrl;
  space_root_t         w_root;
  inv_cmd_t            w_inv;
  assign w_window_base = wr_data_i;
  assign w_host_aperture = wr_data_i;
  assign w_host_entry = wr_data_i;
  assign w_fault_size = wr_data_i;
  assign w_ring_base = wr_data_i;
  assign w_ring_ctrl = wr_data_i;
  assign w_root = wr_data_i;
  assign w_inv = wr_data_i;

  logic [63:0] inv_start_q, inv_end_q;
  inv_cmd_t    inv_cmd_q;

  assign int_clear_o = write && global_q[AtIntStatus];
  assign int_clear_bits_o = wr_data_i[5:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      enable_o <= 1'b0;
      silence_o <= 1'b0;
      window_base_o <= '0;
      host_aperture_o <= '0;
      int_enable_o <= '0;
      fault_base_o <= '0;
      fault_size_lg2_o <= '0;
      fault_enable_o <= 1'b0;
      fault_head_o <= '0;
      aperture_base_o <= '0;
      aperture_pages_o <= '0;
      aperture_flush_o <= 1'b0;
      link_o <= '0;
      inv_start_q <= '0;
      inv_end_q <= '0;
      inv_cmd_q <= '0;
    end else begin
      aperture_flush_o <= 1'b0;
      host_aperture_o.write <= 1'b0;
      if (write) begin
        if (global_q[AtHostAperture]) begin
          host_aperture_o.enable <= w_host_aperture.enable;
          host_aperture_o.first <= w_host_aperture.first;
        end
        if (global_q[AtHostApertureEntry]) begin
          host_aperture_o.write <= 1'b1;
          host_aperture_o.entry.index <= w_host_entry.index[HostApertureLg2-1:0];
          host_aperture_o.entry.entry <= '{valid: w_host_entry.valid, page: w_host_entry.page};
        end
        if (global_q[AtCtrl]) {silence_o, enable_o} <= wr_data_i[1:0];
        if (global_q[AtWindowBase]) window_base_o <= {w_window_base.offset[PaWidth-1:12], 12'd0};
        if (global_q[AtIntEnable]) int_enable_o <= wr_data_i[5:0];
        if (global_q[AtFaultQueueBase]) fault_base_o <= {wr_data_i[PaWidth-1:12], 12'd0};
        if (global_q[AtFaultQueueSize]) begin
          fault_size_lg2_o <= w_fault_size.size_lg2;
          fault_enable_o <= w_fault_size.enable;
        end
        if (global_q[AtFaultQueueHead]) fault_head_o <= wr_data_i[15:0];
        if (global_q[AtApertureBase]) aperture_base_o <= {wr_data_i[PaWidth-1:12], 12'd0};
        if (global_q[AtAperturePages]) aperture_pages_o <= wr_data_i[31:0];
        if (global_q[AtLink]) link_o <= '{own: wr_data_i[10:8], adapters: wr_data_i[2:0]};
        aperture_flush_o <= global_q[AtApertureBase] || global_q[AtAperturePages];
        if (global_q[AtInvStart]) inv_start_q <= wr_data_i;
        if (global_q[AtInvEnd]) inv_end_q <= wr_data_i;
        if (global_q[AtInvCmd] && !ctl_busy_q) begin
          inv_cmd_q <= '0;
          inv_cmd_q.space <= w_inv.space;
          inv_cmd_q.scope <= w_inv.scope;
        end
      end
    end
  end

  // Rings.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ring_o <= '0;
    end else if (write) begin
      for (int unsigned i = 0; i < NumRings; i++) begin
        if (ring_q[i] && ring_word_q[AtRingBase]) begin
          ring_o[i].base <= {w_ring_base.address[PaWidth-1:12], 12'd0};
          ring_o[i].base_target <= target_e'(w_ring_base.target);
        end
        if (ring_q[i] && ring_word_q[AtRingCtrl]) begin
          ring_o[i].size_lg2 <= w_ring_ctrl.size_lg2;
          ring_o[i].enable <= w_ring_ctrl.enable;
          ring_o[i].privileged <= w_ring_ctrl.privileged;
          ring_o[i].preempt <= w_ring_ctrl.preempt;
        end
        if (ring_q[i] && ring_word_q[AtRingTail]) ring_o[i].tail <= wr_data_i[15:0];
        if (ring_q[i] && ring_word_q[AtRingFenceAddress]) begin
          ring_o[i].fence_address <= {wr_data_i[PaWidth-1:4], 4'd0};
        end
      end
    end
  end

  // Each client stores its own registers.
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumClients; i++) begin
      client_wr_o[i] <= write && client_q[i] && !rst_i;
    end
    client_data_o <= wr_data_i;
  end
  assign client_rd_o = client_q;
  assign client_word_o = word_q;

  // ---- Spaces: geometry and root are stored in RAM, and sent to the MMU by the write of the root.
  space_geometry_t geometry_q;
  space_root_t     root_q;
  logic [63:0]     geometry_word, root_word;
  // Per space: the word has been written since reset (the RAM words are not reset).
  logic [NumSpaces-1:0] geometry_set_q, root_set_q;

  gmmu_ram_block #(.Width(64), .Depth(NumSpaces)) u_geometry (
    .clk_i, .write_i(write && space_geometry_q), .write_addr_i(space_index_q),
    .data_i(wr_data_i),
    .read_i(1'b1), .read_addr_i(addr_i[4+:SpaceWidth]), .data_o(geometry_word)
  );
  gmmu_ram_block #(.Width(64), .Depth(NumSpaces)) u_root (
    .clk_i, .write_i(root_write), .write_addr_i(space_index_q), .data_i(wr_data_i),
    .read_i(1'b1), .read_addr_i(addr_i[4+:SpaceWidth]), .data_o(root_word)
  );
  // geometry_q and root_q must be valid two cycles after addr_i, the earliest cycle of a root
  // write. The RAM words and written bits are therefore indexed by addr_i: one cycle after addr_i,
  // space_index_q still has the previous access's index.
  logic geometry_there_q, root_there_q;
  always_ff @(posedge clk_i) begin
    geometry_there_q <= geometry_set_q[addr_i[4+:SpaceWidth]];
    root_there_q <= root_set_q[addr_i[4+:SpaceWidth]];
    geometry_q <= geometry_there_q ? geometry_word : '0;
    root_q <= root_there_q ? root_word : '0;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      geometry_set_q <= '0;
      root_set_q <= '0;
    end else if (write) begin
      if (root_write) root_set_q[space_index_q] <= 1'b1;
      if (space_geometry_q) geometry_set_q[space_index_q] <= 1'b1;
    end
  end

  mmu_ctl_t set_space, invalidate, resize;
  always_comb begin
    set_space = '0;
    set_space.op = CtlSetSpace;
    set_space.scope = ScopeSpace;
    set_space.space = space_t'(space_index_q);
    set_space.cfg = '{
      enable: w_root.enable,
      root: '{target: target_e'(w_root.target), adapter: '0,
          offset: {w_root.address[PaWidth-1:12], 12'd0}},
      root_entries: geometry_q.root_entries,
      levels: geometry_q.levels,
      dual: geometry_q.dual,
      bits: {geometry_q.bits5, geometry_q.bits4, geometry_q.bits3, geometry_q.bits2,
          geometry_q.bits1, geometry_q.bits0}
    };
    invalidate = '0;
    invalidate.op = CtlInvalidate;
    invalidate.scope = scope_e'(w_inv.scope);
    invalidate.space = w_inv.space;
    invalidate.va_start = inv_start_q;
    invalidate.va_end = inv_end_q;
    resize = invalidate;
    resize.op = CtlResize;
    resize.va_start = wr_data_i;
  end

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ctl_valid_o <= 1'b0;
      ctl_busy_q <= 1'b0;
      ctl_inv_q <= 1'b0;
      ctl_done_count_q <= '0;
      invalidated_o <= 1'b0;
    end else begin
      invalidated_o <= 1'b0;
      if (ctl_ready_i) ctl_valid_o <= 1'b0;
      if (ctl_done_i) begin
        ctl_busy_q <= 1'b0;
        ctl_done_count_q <= ctl_done_count_q + 1'b1;
        invalidated_o <= ctl_inv_q;
      end
      if (root_write || (write && (global_q[AtInvCmd] || sizes) && !ctl_busy_q)) begin
        ctl_valid_o <= 1'b1;
        ctl_busy_q <= 1'b1;
        ctl_inv_q <= global_q[AtInvCmd];
      end
    end
    if (!ctl_busy_q) ctl_o <= space_root_q ? set_space : sizes ? resize : invalidate;
  end

  assign idle_o = !ctl_busy_q && !invalidated_o && client_wr_o == '0 && !aperture_flush_o && !host_aperture_o.write;

  // ---- Reads: the first stage merges three or four registers each, the second merges the groups.
  localparam int unsigned GlobalGroups = (Globals + 3) / 4;
  logic [GlobalGroups-1:0][63:0] global_data_q;
  logic [2:0][63:0]              ring_data_q;
  logic                          read_geometry_q, read_root_q;
  logic [63:0]                   client_data;

  space_geometry_t geometry_read;
  space_root_t     root_read;
  always_comb begin
    geometry_read = geometry_q;
    {geometry_read.reserved0, geometry_read.reserved1} = '0;
    root_read = root_q;
    root_read.reserved0 = '0;
    client_data = '0;
    for (int unsigned i = 1; i <= Engines; i++) client_data |= client_data_i[i-1];
  end

  // The inputs of the read multiplexer change only during a read.
  always_ff @(posedge clk_i) begin
    logic [Globals-1:0][63:0]   global_data;
    logic [RingWords-1:0][63:0] ring_data;
    logic [63:0]                word;
    id_t                        id;
    fault_queue_size_t          size;
    fault_queue_tail_t          tail;
    inv_status_t                status;
    link_t                      link;
    host_aperture_t             aperture;
    ring_cfg_t                  cfg;
    ring_state_t                state;
    ring_base_t                 base;
    ring_ctrl_t                 ctrl;
    ring_status_t               ring_status;
    if (rd_i) begin
      id = '{reserved0: '0, minor: 8'd5, major: 8'd1, magic: 32'h554D4D47};
      size = '0;
      size.enable = fault_enable_o;
      size.size_lg2 = fault_size_lg2_o;
      tail = '0;
      tail.index = fault_tail_i;
      tail.dropped = fault_dropped_i;
      status = '0;
      status.busy = ctl_busy_q;
      status.done = ctl_done_count_q;
      link = '0;
      link.own = link_o.own;
      link.adapters = link_o.adapters;
      global_data = '0;
      global_data[AtId] = id;
      global_data[AtCapA] = Cap0;
      global_data[AtCapB] = Cap1;
      global_data[AtCapC] = Cap2;
      global_data[AtVramSize] = vram_bytes_i;
      global_data[AtCycle] = cycle_i;
      global_data[AtCtrl] = {62'd0, silence_o, enable_o};
      global_data[AtStatus] = {62'd0, silent_i, work_idle_i};
      global_data[AtWindowBase] = {16'd0, window_base_o};
      aperture = '0;
      aperture.enable = host_aperture_o.enable;
      aperture.first = host_aperture_o.first;
      global_data[AtHostAperture] = aperture;
      global_data[AtIntStatus] = {58'd0, int_status_i};
      global_data[AtIntEnable] = {58'd0, int_enable_o};
      global_data[AtFaultQueueBase] = {16'd0, fault_base_o};
      global_data[AtFaultQueueSize] = size;
      global_data[AtFaultQueueHead] = {48'd0, fault_head_o};
      global_data[AtFaultQueueTail] = tail;
      global_data[AtApertureBase] = {16'd0, aperture_base_o};
      global_data[AtAperturePages] = {32'd0, aperture_pages_o};
      global_data[AtLink] = link;
      global_data[AtInvStart] = inv_start_q;
      global_data[AtInvEnd] = inv_end_q;
      global_data[AtInvCmd] = inv_cmd_q;
      global_data[AtInvStatus] = status;
      if (TurnDown) global_data[Globals-1] = sizes_i;

      cfg = '0;
      state = '0;
      for (int unsigned i = 0; i < NumRings; i++) begin
        if (ring_q[i]) begin
          cfg |= ring_o[i];
          state |= ring_i[i];
        end
      end
      base = '{reserved0: '0, target: cfg.base_target, address: cfg.base};
      ctrl = '{reserved0: '0, preempt: cfg.preempt, privileged: cfg.privileged,
               enable: cfg.enable, reserved1: '0, size_lg2: cfg.size_lg2};
      ring_status = '{fence: state.fence, reserved0: '0, level: state.level, reserved1: '0,
                      access: state.access, reason: state.reason, reserved2: '0,
                      preempted: state.preempted, error: state.error, busy: state.busy};
      ring_data[AtRingBase] = base;
      ring_data[AtRingCtrl] = ctrl;
      ring_data[AtRingTail] = {48'd0, cfg.tail};
      ring_data[AtRingHead] = {48'd0, state.head};
      ring_data[AtRingFenceAddress] = {16'd0, cfg.fence_address};
      ring_data[AtRingStatus] = ring_status;
      ring_data[AtRingLastFence] = {32'd0, state.last_fence};
      ring_data[AtRingErrorCommand] = {state.error_header, state.error_offset};
      ring_data[AtRingErrorAddress] = state.error_address;

      for (int unsigned g = 0; g < GlobalGroups; g++) begin
        word = '0;
        for (int unsigned i = 4 * g; i < 4 * g + 4 && i < Globals; i++) begin
          if (global_q[i]) word |= global_data[i];
        end
        global_data_q[g] <= word;
      end
      for (int unsigned g = 0; g < 3; g++) begin
        word = '0;
        for (int unsigned i = 3 * g; i < 3 * g + 3; i++) begin
          if (ring_word_q[i]) word |= ring_data[i];
        end
        ring_data_q[g] <= word;
      end
      read_geometry_q <= space_geometry_q;
      read_root_q <= space_root_q;

      word = client_data;
      for (int unsigned g = 0; g < GlobalGroups; g++) word |= global_data_q[g];
      for (int unsigned g = 0; g < 3; g++) word |= ring_data_q[g];
      if (read_geometry_q) word |= geometry_read;
      if (read_root_q) word |= root_read;
      rd_data_o <= word;
    end
  end

  logic unused_bits;
  assign unused_bits = ^{client_data_i, w_window_base, w_host_aperture, w_host_entry, w_fault_size, w_ring_base, w_ring_ctrl, w_root,
                         w_inv, sizes_i};
endmodule
