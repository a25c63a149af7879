// SPDX-License-Identifier: Apache-2.0
// Contracts of the MMU, watched on every bench that has one.
bind gmmu_mmu gmmu_mmu_props #(.NumPorts(NumPorts)) u_props (
  .clk_i, .rst_i, .req_valid_i, .req_ready_o, .req_i, .rsp_valid_o, .rsp_ready_i, .rsp_o, .done_i,
  .ctl_valid_i, .ctl_ready_o, .ctl_i, .ctl_done_o, .ar_valid_o, .ar_ready_i, .ar_o, .r_valid_i,
  .r_i);
