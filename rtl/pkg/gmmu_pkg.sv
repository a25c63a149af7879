// SPDX-License-Identifier: Apache-2.0
// Types shared by the folders: addresses, translation requests and responses, address space
// configuration.
//
// Vocabulary: va (GPU virtual address), gpa (GPU physical address: target, adapter, offset), iova
// (logical address on the host port). Level 0 is the leaf level. Ranges are half open.
package gmmu_pkg;
  import gmmu_regs_pkg::*;

  localparam int unsigned VaWidth = gmmu_config_pkg::Built.VaWidth;  // 30 to 57
  localparam int unsigned PaWidth = 48;                  // width of an offset, for every target
  localparam int unsigned PeerWidth = 42;                // width of an offset in a peer's VRAM
  localparam int unsigned PageLg2 = 12;
  localparam int unsigned VpnWidth = VaWidth - PageLg2;  // 4 KiB page number of a va
  localparam int unsigned PfnWidth = PaWidth - PageLg2;  // 4 KiB page number of an offset
  localparam int unsigned MaxLevels = gmmu_config_pkg::Built.MaxLevels;  // levels of page tables, 2 to 6
  // Width of the AXI ports. gmmu_parameter_check reports an illegal width; 64 then replaces it.
  localparam int unsigned DataWidthAsked = gmmu_config_pkg::Built.DataWidth;
  localparam int unsigned DataWidth =
      DataWidthAsked inside {64, 128, 256, 512} ? DataWidthAsked : 64;
  localparam int unsigned DataBytes = DataWidth / 8;
  // Size of a client line, and of a line of eight table entries.
  localparam int unsigned LineBytes = 64;

  typedef logic [VaWidth-1:0] va_t;
  typedef logic [VpnWidth-1:0] vpn_t;
  typedef logic [PaWidth-1:0] pa_t;
  typedef logic [PfnWidth-1:0] pfn_t;
  typedef logic [5:0] space_t;    // address space number, below NumSpaces
  // Translation ports: clients, through-port read and write, engine fetch, read, write.
  typedef logic [6:0] port_t;
  typedef logic [2:0] level_t;
  typedef logic [7:0] tag_t;      // identifies an outstanding lookup of one port

  typedef struct packed {
    target_e    target;
    logic [5:0] adapter;          // of TargetPeer
    pa_t        offset;
  } gpa_t /*verilator public*/;

  // Register `link`: the linked adapters, among which this GPU has number `own`. adapters = 0 or 1: none
  // is linked.
  typedef struct packed {
    logic [2:0] own;
    logic [2:0] adapters;
  } link_cfg_t /*verilator public*/;

  // A lookup. tag returns with the response; responses come in any order. A port uses each tag for at
  // most one outstanding lookup.
  typedef struct packed {
    tag_t    tag;
    space_t  space;
    logic [63:0] va;              // all 64 bits: bits above the geometry are checked
    access_e access;
  } xlate_req_t /*verilator public*/;

  // The response. With a fault, gpa, zero and coherent are undefined. With zero, reads return 0 and
  // writes are dropped. The user returns generation, the drain generation, through `done` when the access has received
  // its last R beat or its B, or will never be sent. Every response, including faults and zero pages, is returned
  // exactly once.
  typedef struct packed {
    tag_t    tag;
    logic    generation;
    gpa_t    gpa;
    logic    zero;
    logic    coherent;
    fault_e  fault;
    level_t  level;               // level of the faulting entry
  } xlate_rsp_t /*verilator public*/;

  // Responses of one port returned in this cycle, by drain generation.
  typedef struct packed {
    logic [1:0] old1;             // responses of generation 1 (0 to 3)
    logic [1:0] old0;             // responses of generation 0
  } xlate_done_t /*verilator public*/;

  // One address space in the form that software writes (space registers geometry and root).
  typedef struct packed {
    logic              enable;
    gpa_t              root;      // 4 KiB aligned
    logic [31:0]       root_entries;
    level_t            levels;    // 2 to 6
    logic              dual;      // each entry of level 1 is a pair
    logic [5:0][3:0]   bits;      // index bits by level, 1 to 13; [0] is the leaf
  } space_cfg_t /*verilator public*/;

  typedef enum logic [1:0] {
    CtlInvalidate,                // drops the translations in scope; done when none of them is in use
    // Sets a new configuration of space; flushes the space if the configuration differs from the old one.
    CtlSetSpace,
    CtlResize                     // sets new sizes in use: va_start is sizes_in_use; drops everything
  } mmu_op_e;

  typedef struct packed {
    mmu_op_e    op;
    scope_e     scope;
    space_t     space;
    logic [63:0] va_start;
    logic [63:0] va_end;
    space_cfg_t cfg;
  } mmu_ctl_t /*verilator public*/;

  // A fault in the form that the log accepts.
  typedef struct packed {
    fault_e      reason;
    space_t      space;
    port_t       port;
    access_e     access;
    level_t      level;
    logic        physical;
    logic [31:0] fence;
    logic [63:0] address;
  } fault_info_t /*verilator public*/;

  // The aperture map's response for one aperture page. fault: FaultNone, or one of the FaultAperture
  // reasons (then the other fields are undefined).
  typedef struct packed {
    fault_e fault;
    logic   coherent;
    pfn_t   page;                 // logical page in host memory
  } aperture_rsp_t /*verilator public*/;

  // Interrupt message of the PCI function: a write of data to address, sent while enable is set.
  typedef struct packed {
    logic        enable;
    logic [31:0] data;
    logic [63:0] address;
  } message_t /*verilator public*/;

  // One completed lookup in the form that the MMU reports to the event port.
  typedef struct packed {
    space_t      space;
    access_e     access;
    logic [63:0] va;
    gpa_t        gpa;
    logic        zero;
    fault_e      fault;
    level_t      level;
  } xlate_event_t /*verilator public*/;
endpackage
