// SPDX-License-Identifier: Apache-2.0
// Types of the clients: requests, responses, traffic runs.

package gmmu_client_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  localparam int unsigned SlotLg2 = gmmu_config_pkg::Built.ClientSlotsLg2;  // log2 of Slots
  localparam int unsigned Slots = 1 << SlotLg2;
  typedef logic [SlotLg2-1:0] slot_t;
  typedef logic [SlotLg2:0] count_t;               // number of accesses in flight

  // An access of 1 to 64 bytes within one 64-byte line.
  typedef struct packed {
    slot_t       id;                               // unique among the outstanding accesses
    space_t      space;
    logic [63:0] va;
    access_e     access;
    logic [6:0]  bytes;
  } client_req_t /*verilator public*/;

  // The slot of a write's word and its position in the line. The data is a separate signal. All
  // words of a write precede its request.
  typedef struct packed {
    slot_t       id;
    logic [2:0]  word;                             // index in the line, in words of WordBytes
  } client_w_t /*verilator public*/;

  // One beat of a response. A read returns the words that the access touches, lowest first; a write
  // or a faulted access returns a single beat. The data is a separate signal, in the byte lanes of
  // memory.
  typedef struct packed {
    slot_t       id;
    logic        last;
    fault_e      fault;
    logic [2:0]  word;
  } client_rsp_t /*verilator public*/;

  // AR or AW of the through-port.
  localparam int unsigned ThroughIdWidth = gmmu_axi_pkg::IdWidth;
  typedef struct packed {
    logic [ThroughIdWidth-1:0] id;
    logic [63:0]               va;
    logic [7:0]                len;
    logic [2:0]                size;
    logic [1:0]                burst;
    space_t                    space;              // AxUSER
    logic                      execute;            // AxPROT[2]
  } through_ax_t /*verilator public*/;

  // Returns whether a burst is legal: INCR, with beats no wider than the bus. Any other burst gets
  // SLVERR.
  function automatic logic through_legal(logic [1:0] burst, logic [2:0] size);
    return burst == 2'b01 && 32'(size) <= $clog2(DataBytes);
  endfunction

  // Returns the line offset after a beat of 2^size bytes at line offset `at`. Bit 6 is set if it is
  // in the next line.
  function automatic logic [6:0] through_next(logic [5:0] at, logic [2:0] size);
    logic [6:0] step;
    step = 7'd1 << size;
    return ({1'b0, at} & ~(step - 7'd1)) + step;
  endfunction

  // The outcome of an access: its fault (or FaultNone), the level of the faulting entry, and
  // whether its page is a zero page.
  typedef struct packed {
    slot_t       slot;
    fault_e      fault;
    level_t      level;
    logic        zero;
  } client_end_t /*verilator public*/;

  // The configuration of a traffic run, as software writes it (registers client[i].ctrl, base,
  // lines, order, seed). It is stable while the run is busy.
  typedef struct packed {
    access_e     access;
    pattern_e    pattern;
    logic        verify;
    logic [5:0]  footprint_lg2;
    space_t      space;
    logic [7:0]  depth;                            // maximum number of accesses in flight; 0: Slots
    logic [63:0] base;
    logic [31:0] first;
    logic [31:0] stride;
    logic [31:0] count;
    logic [31:0] step;
    logic [63:0] seed;
  } traffic_cfg_t /*verilator public*/;

  // The state of a traffic run, as software reads it (registers client[i].status, result,
  // fault_address).
  typedef struct packed {
    logic        busy;
    logic        fault;
    fault_e      reason;
    level_t      level;
    logic [31:0] count;
    logic [31:0] crc;
    logic [31:0] mismatches;
    logic [63:0] fault_va;
  } traffic_state_t /*verilator public*/;

  // Returns the 8-byte word that a verified run expects at va = 8 * at. Different values of `at`
  // give different words.
  function automatic logic [63:0] address_pattern(logic [63:0] seed, logic [60:0] at);
    logic [63:0] va;
    va = {at, 3'd0};
    return seed ^ va ^ {va[42:0], va[63:43]} ^ {va[21:0], va[63:22]};
  endfunction
endpackage
