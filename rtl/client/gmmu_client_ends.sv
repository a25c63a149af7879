// SPDX-License-Identifier: Apache-2.0
// Completes the accesses of one client, one per cycle: returns the translation to the MMU and
// reports the slot.
//
//   generation  drain generation of a translation response that is accepted in this cycle
//   r, b        the last R beat of a read or the B of a write has arrived; always accepted
//   page        the translation ends the access: it is a fault or a zero page
//   route       the router ends the access with a fault
//   hold_o      a B waits. No new translation may be accepted, so that the wait is bounded
//   done_o      returns every translation response once, when its access is complete
//   end         reports the completed access in the cycle of done_o
module gmmu_client_ends
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;
  import gmmu_client_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_i,

  input  logic        generation_valid_i,
  input  slot_t       generation_slot_i,
  input  logic        generation_i,

  input  logic        r_valid_i,
  input  slot_t       r_slot_i,
  input  logic        r_error_i,
  input  logic        b_valid_i,
  input  slot_t       b_slot_i,
  input  logic        b_error_i,
  input  logic        page_valid_i,
  output logic        page_ready_o,
  input  client_end_t page_i,
  input  logic        route_valid_i,
  output logic        route_ready_o,
  input  slot_t       route_slot_i,
  input  fault_e      route_fault_i,
  output logic        hold_o,

  output xlate_done_t done_o,
  output logic        end_valid_o,
  output client_end_t end_o
);
  typedef struct packed {
    slot_t slot;
    logic  error;
  } b_end_t;

  b_end_t      b_in, b_head;
  client_end_t page_q, next, next_q;
  logic        b_valid, b_take, page_valid_q, page_take, next_valid_q, generation;

  assign b_in = '{slot: b_slot_i, error: b_error_i};
  logic unused_b_ready;  // the FIFO is never full: it has an entry for every slot
  gmmu_fifo #(.Width($bits(b_end_t)), .Depth(Slots)) u_b (
    .clk_i, .rst_i,
    .valid_i(b_valid_i), .ready_o(unused_b_ready), .data_i(b_in),
    .valid_o(b_valid), .ready_i(b_take), .data_o(b_head)
  );
  // page_q holds one completion, so page is accepted at most every other cycle.
  assign page_ready_o = !page_valid_q;

  assign route_ready_o = !r_valid_i;
  assign b_take = !r_valid_i && !route_valid_i;
  assign page_take = b_take && !b_valid;
  always_comb begin
    next = page_q;
    if (r_valid_i) begin
      next = '{slot: r_slot_i, fault: r_error_i ? FaultBusRead : FaultNone, level: '0, zero: 1'b0};
    end else if (route_valid_i) begin
      next = '{slot: route_slot_i, fault: route_fault_i, level: '0, zero: 1'b0};
    end else if (b_valid) begin
      next = '{slot: b_head.slot, fault: b_head.error ? FaultBusWrite : FaultNone, level: '0,
          zero: 1'b0};
    end
  end

  gmmu_lutram #(.Width(1), .Depth(Slots)) u_generation (
    .clk_i, .write_i(generation_valid_i), .write_addr_i(generation_slot_i), .data_i(generation_i),
    .read_addr_i(next_q.slot), .data_o(generation)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      page_valid_q <= 1'b0;
      next_valid_q <= 1'b0;
      end_valid_o <= 1'b0;
      done_o <= '0;
      hold_o <= 1'b0;
    end else begin
      page_valid_q <= page_valid_q ? !page_take : page_valid_i;
      next_valid_q <= r_valid_i || route_valid_i || b_valid || page_valid_q;
      end_valid_o <= next_valid_q;
      done_o.old0 <= {1'b0, next_valid_q && !generation};
      done_o.old1 <= {1'b0, next_valid_q && generation};
      hold_o <= b_valid && !b_take;
    end
    if (page_valid_i && page_ready_o) page_q <= page_i;
    next_q <= next;
    end_o <= next_q;
  end
endmodule
