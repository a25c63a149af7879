// SPDX-License-Identifier: Apache-2.0
// The registers of rtl/pkg/gmmu.rdl, counters excepted.
//
//   bus     wr_valid_i with addr_i and wr_data_i stands until wr_ready_o; the write takes effect in
//           that cycle. Every write waits until the window has settled, so doorbells, roots,
//           invalidations and the window's base come after all earlier window accesses. A root
//           write also waits until the operation before it is done.
//   read    rd_data_o one cycle after addr_i, of a client three
//   ctl     operations for the MMU: a new space configuration (root write) or an invalidation
//           (inv_cmd)
module gmmu_regs
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_dma_pkg::*;
#(
  parameter int unsigned NumClients = 4,
  parameter int unsigned NumSpaces = 16,
  parameter int unsigned NumRings = 1,
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
  output logic           [63:0]           rd_data_o,

  input  logic                            window_settled_i,
  input  logic           [63:0]           vram_bytes_i,
  input  logic           [63:0]           cycle_i,
  input  logic                            work_idle_i,

  output logic                            enable_o,
  output pa_t                             window_base_o,
  output logic                            int_clear_o,
  output logic           [4:0]            int_clear_bits_o,
  output logic           [4:0]            int_enable_o,
  input  logic           [4:0]            int_status_i,
  output pa_t                             fault_base_o,
  output logic           [3:0]            fault_size_lg2_o,
  output logic                            fault_enable_o,
  output logic           [15:0]           fault_head_o,
  input  logic           [15:0]           fault_tail_i,
  input  logic           [15:0]           fault_dropped_i,
  output pa_t                             aperture_base_o,
  output logic           [31:0]           aperture_pages_o,
  output logic                            aperture_flush_o,  // base or pages have changed

  output ring_cfg_t      [NumRings-1:0]   ring_o,
  input  ring_state_t    [NumRings-1:0]   ring_i,

  // one client's registers: see gmmu_client_regs
  output logic           [NumClients-1:0] client_wr_o,
  output logic           [NumClients-1:0] client_rd_o,
  output logic           [2:0]            client_word_o,
  output logic           [63:0]           client_data_o,
  input  logic           [NumClients-1:0][63:0] client_data_i,

  output logic                            ctl_valid_o,
  input  logic                            ctl_ready_i,
  output mmu_ctl_t                        ctl_o,
  input  logic                            ctl_done_i,
  output logic                            invalidated_o,     // pulse: an inv_cmd is done
  output logic                            idle_o
);
  localparam int unsigned SpaceWidth = $clog2(NumSpaces);
  localparam int unsigned RingWidth = NumRings > 1 ? $clog2(NumRings) : 1;

  // ---- Which register.
  logic        in_global, in_ring, in_space, in_client;
  logic [15:0] global_word;               // register offset inside 0x0000 to 0x07F8
  logic [3:0]  ring_word;
  logic        space_root;
  logic [3:0]  ring_number;
  logic [6:0]  space_number;
  logic [5:0]  client_number;
  logic [RingWidth-1:0]   ring_index;
  logic [SpaceWidth-1:0]  space_index;

  assign in_global = addr_i[15:11] == '0;
  assign global_word = {5'd0, addr_i[10:3], 3'd0};
  assign ring_number = addr_i[11:8];
  assign ring_word = addr_i[6:3];
  assign in_ring = addr_i[15:12] == 4'h1 && !addr_i[7] && 32'(ring_number) < NumRings;
  assign ring_index = ring_number[RingWidth-1:0];
  assign space_number = addr_i[10:4];
  assign space_root = addr_i[3];
  assign in_space = addr_i[15:11] == 5'b00100 && 32'(space_number) < NumSpaces;
  assign space_index = space_number[SpaceWidth-1:0];
  assign client_number = addr_i[11:6];
  assign in_client = addr_i[15:12] == 4'h4 && 32'(client_number) < NumClients;

  // ---- Writes.
  logic        write, is_root, is_inv;
  logic        ctl_busy_q, ctl_inv_q;
  logic [31:0] ctl_done_count_q;

  assign is_root = in_space && space_root;
  assign is_inv = in_global && global_word == InvCmdOffset;
  assign wr_ready_o = window_settled_i && !(is_root && ctl_busy_q);
  assign write = wr_valid_i && wr_ready_o;

  // Write data by register type: fields that exist are kept, the rest reads 0.
  window_base_t        w_window_base;
  fault_queue_size_t   w_fault_size;
  ring_base_t          w_ring_base;
  ring_ctrl_t          w_ring_ctrl;
  space_root_t         w_root;
  inv_cmd_t            w_inv;
  assign w_window_base = wr_data_i;
  assign w_fault_size = wr_data_i;
  assign w_ring_base = wr_data_i;
  assign w_ring_ctrl = wr_data_i;
  assign w_root = wr_data_i;
  assign w_inv = wr_data_i;

  logic [63:0] inv_start_q, inv_end_q;
  inv_cmd_t    inv_cmd_q;

  assign int_clear_o = write && in_global && global_word == IntStatusOffset;
  assign int_clear_bits_o = wr_data_i[4:0];

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      enable_o <= 1'b0;
      window_base_o <= '0;
      int_enable_o <= '0;
      fault_base_o <= '0;
      fault_size_lg2_o <= '0;
      fault_enable_o <= 1'b0;
      fault_head_o <= '0;
      aperture_base_o <= '0;
      aperture_pages_o <= '0;
      aperture_flush_o <= 1'b0;
      inv_start_q <= '0;
      inv_end_q <= '0;
      inv_cmd_q <= '0;
    end else begin
      aperture_flush_o <= 1'b0;
      if (write && in_global) begin
        case (global_word)
          CtrlOffset: enable_o <= wr_data_i[0];
          WindowBaseOffset: window_base_o <= {w_window_base.offset[PaWidth-1:12], 12'd0};
          IntEnableOffset: int_enable_o <= wr_data_i[4:0];
          FaultQueueBaseOffset: fault_base_o <= {wr_data_i[PaWidth-1:12], 12'd0};
          FaultQueueSizeOffset: begin
            fault_size_lg2_o <= w_fault_size.size_lg2;
            fault_enable_o <= w_fault_size.enable;
          end
          FaultQueueHeadOffset: fault_head_o <= wr_data_i[15:0];
          ApertureBaseOffset: begin
            aperture_base_o <= {wr_data_i[PaWidth-1:12], 12'd0};
            aperture_flush_o <= 1'b1;
          end
          AperturePagesOffset: begin
            aperture_pages_o <= wr_data_i[31:0];
            aperture_flush_o <= 1'b1;
          end
          InvStartOffset: inv_start_q <= wr_data_i;
          InvEndOffset: inv_end_q <= wr_data_i;
          InvCmdOffset: if (!ctl_busy_q) begin
            inv_cmd_q <= '0;
            inv_cmd_q.space <= w_inv.space;
            inv_cmd_q.scope <= w_inv.scope;
          end
          default: ;
        endcase
      end
    end
  end

  // Rings.
  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      ring_o <= '0;
    end else if (write && in_ring) begin
      case ({9'd0, ring_word, 3'd0})
        RingBaseOffset: begin
          ring_o[ring_index].base <= {w_ring_base.address[PaWidth-1:12], 12'd0};
          ring_o[ring_index].base_target <= target_e'(w_ring_base.target);
        end
        RingCtrlOffset: begin
          ring_o[ring_index].size_lg2 <= w_ring_ctrl.size_lg2;
          ring_o[ring_index].enable <= w_ring_ctrl.enable;
          ring_o[ring_index].privileged <= w_ring_ctrl.privileged;
        end
        RingTailOffset: ring_o[ring_index].tail <= wr_data_i[15:0];
        RingFenceAddressOffset: ring_o[ring_index].fence_address <= {wr_data_i[PaWidth-1:4], 4'd0};
        default: ;
      endcase
    end
  end

  // Clients: their registers are their own.
  always_ff @(posedge clk_i) begin
    for (int unsigned i = 0; i < NumClients; i++) begin
      client_wr_o[i] <= write && in_client && 32'(client_number) == i && !rst_i;
      client_rd_o[i] <= in_client && 32'(client_number) == i;
    end
    client_word_o <= addr_i[5:3];
    client_data_o <= wr_data_i;
  end

  // ---- Spaces: geometry and root are kept in RAM and go to the MMU with the root's write.
  space_geometry_t geometry;
  logic [63:0]     geometry_word, root_word;
  // written since reset: RAM words have no reset
  logic [NumSpaces-1:0] geometry_set_q, root_set_q;

  gmmu_lutram #(.Width(64), .Depth(NumSpaces)) u_geometry (
    .clk_i, .write_i(write && in_space && !space_root), .write_addr_i(space_index),
    .data_i(wr_data_i),
    .read_addr_i(space_index), .data_o(geometry_word)
  );
  gmmu_lutram #(.Width(64), .Depth(NumSpaces)) u_root (
    .clk_i, .write_i(write && is_root), .write_addr_i(space_index), .data_i(wr_data_i),
    .read_addr_i(space_index), .data_o(root_word)
  );
  assign geometry = geometry_set_q[space_index] ? geometry_word : '0;

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      geometry_set_q <= '0;
      root_set_q <= '0;
    end else if (write && in_space) begin
      if (space_root) root_set_q[space_index] <= 1'b1;
      else geometry_set_q[space_index] <= 1'b1;
    end
  end

  mmu_ctl_t set_space, invalidate;
  always_comb begin
    set_space = '0;
    set_space.op = CtlSetSpace;
    set_space.scope = ScopeSpace;
    set_space.space = space_t'(space_number);
    set_space.cfg = '{
      enable: w_root.enable,
      root: '{target: target_e'(w_root.target), adapter: '0,
          offset: {w_root.address[PaWidth-1:12], 12'd0}},
      root_entries: geometry.root_entries,
      levels: geometry.levels,
      bits: {geometry.bits5, geometry.bits4, geometry.bits3, geometry.bits2, geometry.bits1,
          geometry.bits0}
    };
    invalidate = '0;
    invalidate.op = CtlInvalidate;
    invalidate.scope = scope_e'(w_inv.scope);
    invalidate.space = w_inv.space[5:0];
    invalidate.va_start = inv_start_q;
    invalidate.va_end = inv_end_q;
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
      if (write && (is_root || (is_inv && !ctl_busy_q))) begin
        ctl_valid_o <= 1'b1;
        ctl_busy_q <= 1'b1;
        ctl_inv_q <= is_inv;
      end
    end
    if (write && !ctl_busy_q) ctl_o <= is_root ? set_space : invalidate;
  end

  assign idle_o = !ctl_busy_q && !invalidated_o && client_wr_o == '0 && !aperture_flush_o;

  // ---- Reads.
  logic [63:0] global_data, ring_data, space_data, client_data;

  always_comb begin
    id_t                 id;
    fault_queue_size_t   size;
    fault_queue_tail_t   tail;
    inv_status_t         status;
    id = '{reserved0: '0, minor: 8'd1, major: 8'd1, magic: 32'h554D4D47};
    size = '0;
    size.enable = fault_enable_o;
    size.size_lg2 = fault_size_lg2_o;
    tail = '0;
    tail.index = fault_tail_i;
    tail.dropped = fault_dropped_i;
    status = '0;
    status.busy = ctl_busy_q;
    status.done = ctl_done_count_q;
    global_data = '0;
    case (global_word)
      IdOffset: global_data = id;
      Cap0Offset: global_data = Cap0;
      Cap1Offset: global_data = Cap1;
      Cap2Offset: global_data = Cap2;
      VramSizeOffset: global_data = vram_bytes_i;
      CycleOffset: global_data = cycle_i;
      CtrlOffset: global_data = {63'd0, enable_o};
      StatusOffset: global_data = {63'd0, work_idle_i};
      WindowBaseOffset: global_data = {16'd0, window_base_o};
      IntStatusOffset: global_data = {59'd0, int_status_i};
      IntEnableOffset: global_data = {59'd0, int_enable_o};
      FaultQueueBaseOffset: global_data = {16'd0, fault_base_o};
      FaultQueueSizeOffset: global_data = size;
      FaultQueueHeadOffset: global_data = {48'd0, fault_head_o};
      FaultQueueTailOffset: global_data = tail;
      ApertureBaseOffset: global_data = {16'd0, aperture_base_o};
      AperturePagesOffset: global_data = {32'd0, aperture_pages_o};
      InvStartOffset: global_data = inv_start_q;
      InvEndOffset: global_data = inv_end_q;
      InvCmdOffset: global_data = inv_cmd_q;
      InvStatusOffset: global_data = status;
      default: global_data = '0;
    endcase
  end

  ring_cfg_t   ring_cfg;
  ring_state_t ring_state;
  assign ring_cfg = ring_o[ring_index];
  assign ring_state = ring_i[ring_index];
  always_comb begin
    ring_base_t   base;
    ring_ctrl_t   ctrl;
    ring_status_t status;
    base = '{reserved0: '0, target: ring_cfg.base_target, address: ring_cfg.base};
    ctrl = '{reserved0: '0, privileged: ring_cfg.privileged, enable: ring_cfg.enable, reserved1: '0,
             size_lg2: ring_cfg.size_lg2};
    status = '{fence: ring_state.fence, reserved0: '0, level: ring_state.level, reserved1: '0,
               access: ring_state.access, reason: ring_state.reason, reserved2: '0,
                   error: ring_state.error,
               busy: ring_state.busy};
    case ({9'd0, ring_word, 3'd0})
      RingBaseOffset: ring_data = base;
      RingCtrlOffset: ring_data = ctrl;
      RingTailOffset: ring_data = {48'd0, ring_cfg.tail};
      RingHeadOffset: ring_data = {48'd0, ring_state.head};
      RingFenceAddressOffset: ring_data = {16'd0, ring_cfg.fence_address};
      RingStatusOffset: ring_data = status;
      RingLastFenceOffset: ring_data = {32'd0, ring_state.last_fence};
      RingErrorCommandOffset: ring_data = {ring_state.error_header, ring_state.error_offset};
      RingErrorAddressOffset: ring_data = ring_state.error_address;
      default: ring_data = '0;
    endcase
  end

  space_geometry_t geometry_read;
  space_root_t     root_read;
  always_comb begin
    geometry_read = geometry;
    geometry_read.reserved0 = '0;
    root_read = root_set_q[space_index] ? root_word : '0;
    root_read.reserved0 = '0;
  end
  assign space_data = space_root ? root_read : geometry_read;

  always_comb begin
    client_data = '0;
    for (int unsigned i = 0; i < NumClients; i++) client_data |= client_data_i[i];
  end

  always_ff @(posedge clk_i) begin
    rd_data_o <= (in_global ? global_data : '0) | (in_ring ? ring_data : '0) |
                 (in_space ? space_data : '0) | client_data;
  end

  logic unused_bits;
  assign unused_bits = ^{addr_i[2:0], w_window_base, w_fault_size, w_ring_base, w_ring_ctrl, w_root,
                         w_inv, geometry.reserved0};
endmodule
