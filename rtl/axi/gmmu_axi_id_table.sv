// SPDX-License-Identifier: Apache-2.0
// Id table for one direction (reads or writes) of gmmu_axi_ids. It assigns a free id of IdBits bits
// to every burst, stores the id that the burst has inside the GPU, and frees the assigned id on the
// burst's last response. The id that has been free longest is assigned next. "Above" means the
// GPU's side, "below" the memory's.
//
//   ax      offers with the GPU's id, held until accepted; ax_shared_i: this id is the shared id
//   m       the same offers with the assigned id, held until accepted; an offer waits while no id
//           is free
//   answer  a beat of R, or a B, in the cycle in which it is accepted. known_o: a burst with this
//           id is outstanding at the memory, and up_id_o is that burst's id above. A response with
//           an unknown id changes nothing
//   shared  all outstanding bursts with the shared id use a single id below, so that AXI4 keeps
//           their order. At most 2**CountWidth - 1 of them are outstanding; the next one waits.
//           There are two shared ids, which differ in the highest bit of the id above, the
//           generation
//
// These paths are combinational: answer_id_i to known_o and up_id_o, ax to m, m_ready_i to
// ax_ready_o. gmmu_axi_ids registers each of these signals on the way to its own ports.
module gmmu_axi_id_table #(
  parameter int unsigned IdBits = 4,
  parameter int unsigned UpBits = 16,
  parameter bit          Shared = 1'b0,  // 0: ax_shared_i is ignored
  parameter int unsigned CountWidth = 5
) (
  input  logic              clk_i,
  input  logic              rst_i,

  input  logic              ax_valid_i,
  output logic              ax_ready_o,
  input  logic [UpBits-1:0] ax_id_i,
  input  logic              ax_shared_i,
  output logic              m_valid_o,
  input  logic              m_ready_i,
  output logic [IdBits-1:0] m_id_o,

  input  logic              answer_i,
  input  logic              answer_last_i,
  input  logic [IdBits-1:0] answer_id_i,
  output logic              known_o,
  output logic [UpBits-1:0] up_id_o
);
  localparam int unsigned Ids = 2**IdBits;
  typedef logic [IdBits-1:0] id_t;
  typedef logic [CountWidth-1:0] count_t;

  logic           take, ended, last_ended, release_id;
  // share: the offer reuses the shared id; share_full: the shared id's count is at its maximum
  logic           share, share_full;
  id_t            share_id;
  logic [Ids-1:0] busy_q;             // ids outstanding at the memory

  assign take = m_valid_o && m_ready_i;
  assign known_o = busy_q[answer_id_i];
  assign ended = answer_i && answer_last_i && known_o;

  // ---- Free ids: the ids that have never been used come first, in ascending order, then freed
  // ids.
  logic [IdBits:0] fresh_q;
  logic            fresh, back_valid, back_room, may_go;
  id_t             back_id;
  assign fresh = !fresh_q[IdBits];
  gmmu_fifo #(.Width(IdBits), .Depth(Ids)) u_back (
    .clk_i, .rst_i, .valid_i(release_id), .ready_o(back_room), .data_i(answer_id_i),
    .valid_o(back_valid), .ready_i(take && !share && !fresh), .data_o(back_id)
  );
  a_room: assert property (@(posedge clk_i) disable iff (rst_i) !release_id || back_room);

  assign may_go = share ? !share_full : fresh || back_valid;
  assign m_valid_o = ax_valid_i && may_go;
  assign ax_ready_o = m_ready_i && may_go;
  assign m_id_o = share ? share_id : fresh ? fresh_q[IdBits-1:0] : back_id;

  gmmu_lutram #(.Width(UpBits), .Depth(Ids)) u_ids (
    .clk_i, .write_i(take), .write_addr_i(m_id_o), .data_i(ax_id_i),
    .read_addr_i(answer_id_i), .data_o(up_id_o)
  );

  always_ff @(posedge clk_i) begin
    if (rst_i) begin
      fresh_q <= '0;
      busy_q <= '0;
    end else begin
      if (take && !share && fresh) fresh_q <= fresh_q + 1'b1;
      if (last_ended) busy_q[answer_id_i] <= 1'b0;
      if (take) busy_q[m_id_o] <= 1'b1;
    end
  end

  // ---- For each generation: its shared downstream ID, and the number of bursts that use that ID.
  if (Shared) begin : g_shared
    logic   [1:0] held_q, begins, ends, alone, waits;
    id_t    [1:0] id_q;
    count_t [1:0] count_q;
    logic         generation;
    assign generation = ax_id_i[UpBits-1];
    assign share = ax_shared_i && held_q[generation];
    assign share_id = id_q[generation];
    assign share_full = count_q[generation] == '1;
    assign last_ended = ended && (ends & ~alone) == '0;
    // The id below stays allocated while an offer with the shared id is pending, even when all
    // other bursts with that id are complete.
    assign release_id = ended && (ends & (~alone | waits)) == '0;

    for (genvar g = 0; g < 2; g++) begin : g_generation
      assign waits[g] = ax_valid_i && ax_shared_i && generation == 1'(g);
      assign begins[g] = take && ax_shared_i && generation == 1'(g);
      assign ends[g] = ended && held_q[g] && id_q[g] == answer_id_i;
      assign alone[g] = count_q[g] == count_t'(1);
      always_ff @(posedge clk_i) begin
        if (rst_i) begin
          held_q[g] <= 1'b0;
          count_q[g] <= '0;
        end else begin
          if (begins[g]) held_q[g] <= 1'b1;
          else if (ends[g] && alone[g] && !waits[g]) held_q[g] <= 1'b0;
          if (begins[g] != ends[g]) count_q[g] <= count_q[g] + (begins[g] ? count_t'(1) : '1);
        end
        if (begins[g]) id_q[g] <= m_id_o;
      end
    end
  end else begin : g_unique
    assign share = 1'b0;
    assign share_id = '0;
    assign share_full = 1'b0;
    assign last_ended = ended;
    assign release_id = ended;
    logic unused_shared;
    assign unused_shared = ax_shared_i;
  end
endmodule
