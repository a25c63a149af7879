// SPDX-License-Identifier: Apache-2.0
// Binds the MMU's property modules into every bench that contains the MMU.
bind gmmu_mmu gmmu_mmu_props #(.NumPorts(NumPorts)) u_props (
  .clk_i, .rst_i, .req_valid_i, .req_ready_o, .req_i, .rsp_valid_o, .rsp_ready_i, .rsp_o, .done_i,
  .ctl_valid_i, .ctl_ready_o, .ctl_i, .ctl_done_o, .rd_req_o, .rd_rsp_i);
