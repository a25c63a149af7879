// SPDX-License-Identifier: Apache-2.0
// Types of the clients: requests, answers, traffic runs.
`ifndef GMMU_CLIENT_SLOTS_LG2
`define GMMU_CLIENT_SLOTS_LG2 6
`endif

package gmmu_client_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  localparam int unsigned SlotLg2 = `GMMU_CLIENT_SLOTS_LG2;  // accesses in flight of a client, log2
  localparam int unsigned Slots = 1 << SlotLg2;
  typedef logic [SlotLg2-1:0] slot_t;
  typedef logic [SlotLg2:0] count_t;               // of accesses in flight, 0 to Slots

  // An access of 1 to 64 bytes that lies inside one 64-byte line.
  typedef struct packed {
    slot_t       id;                               // unique among those outstanding
    space_t      space;
    logic [63:0] va;
    access_e     access;
    logic [6:0]  bytes;
  } client_req_t;

  // One 8-byte word of a write's line, given before the request.
  typedef struct packed {
    slot_t       id;
    logic [2:0]  word;
    logic [63:0] data;                             // byte lanes as in memory
  } client_w_t;

  // A beat of an answer: reads give the words that the access touches, lowest first; writes and
  // faults give one beat.
  typedef struct packed {
    slot_t       id;
    logic        last;
    fault_e      fault;
    logic [2:0]  word;
    logic [63:0] data;
  } client_rsp_t;

  // A traffic run as software writes it (registers client[i].ctrl, base, lines, order, seed).
  typedef struct packed {
    access_e     access;
    space_t      space;
    logic [7:0]  depth;                            // most accesses in flight, 0: all slots
    logic [63:0] base;
    logic [31:0] first;
    logic [31:0] stride;
    logic [31:0] count;
    logic [31:0] step;
    logic [63:0] seed;
  } traffic_cfg_t;

  // A traffic run as software reads it (registers client[i].status, result, fault_address).
  typedef struct packed {
    logic        busy;
    logic        fault;
    fault_e      reason;
    level_t      level;
    logic [31:0] count;
    logic [31:0] crc;
    logic [63:0] fault_va;
  } traffic_state_t;
endpackage
