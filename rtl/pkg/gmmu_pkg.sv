// SPDX-License-Identifier: Apache-2.0
// Types that several folders share: addresses, translation requests and responses, address space
// configuration.
//
// Vocabulary: va (GPU virtual address), gpa (GPU physical address: target, adapter, offset), iova
// (logical address on the host port). Level 0 is the leaf level. Ranges are half open.
package gmmu_pkg;
  import gmmu_regs_pkg::*;

  localparam int unsigned VaWidth = gmmu_config_pkg::Built.VaWidth;  // 30 to 57
  localparam int unsigned PaWidth = 48;  // width of an offset in bits, for every target
  localparam int unsigned PeerWidth = 42;  // width of an offset in a peer's VRAM, in bits
  localparam int unsigned PageLg2 = 12;
  localparam int unsigned VpnWidth = VaWidth - PageLg2;  // width of a va's 4 KiB page number
  localparam int unsigned PfnWidth = PaWidth - PageLg2;  // width of an offset's 4 KiB page number
  // maximum number of table levels, 2 to 6
  localparam int unsigned MaxLevels = gmmu_config_pkg::Built.MaxLevels;
  // Data width of the AXI ports in bits. If the configured width is illegal, DataWidth is 64, and
  // gmmu_parameter_check reports the error.
  localparam int unsigned DataWidthAsked = gmmu_config_pkg::Built.DataWidth;
  localparam int unsigned DataWidth =
      DataWidthAsked inside {64, 128, 256, 512} ? DataWidthAsked : 64;
  localparam int unsigned DataBytes = DataWidth / 8;
  // Size of a line in bytes: the largest client access, and eight page table entries.
  localparam int unsigned LineBytes = 64;

  typedef logic [VaWidth-1:0] va_t;
  typedef logic [VpnWidth-1:0] vpn_t;
  typedef logic [PaWidth-1:0] pa_t;
  typedef logic [PfnWidth-1:0] pfn_t;
  typedef logic [5:0] space_t;    // address space number, below NumSpaces
  // Translation port number: clients, then through-port read and write, then engine fetch, read and
  // write.
  typedef logic [6:0] port_t;
  typedef logic [2:0] level_t;
  typedef logic [7:0] tag_t;      // identifies one outstanding lookup of a port

  typedef struct packed {
    target_e    target;
    logic [5:0] adapter;          // used for TargetPeer only
    pa_t        offset;
  } gpa_t /*verilator public*/;

  // Entries of the CPU host aperture. A page that is not valid maps to nothing.
  localparam int unsigned HostApertureLg2 = 8;
  typedef struct packed {
    logic valid;
    pfn_t page;
  } host_page_t /*verilator public*/;
  typedef struct packed {
    logic [HostApertureLg2-1:0] index;
    host_page_t       entry;
  } host_page_set_t /*verilator public*/;
  // Registers `host_aperture` and `host_aperture_entry`. write: an entry is written, for one cycle.
  typedef struct packed {
    logic               enable;
    logic [19:0]        first;    // first page in BAR2, a multiple of the number of entries
    logic               write;
    host_page_set_t     entry;
  } host_aperture_cfg_t /*verilator public*/;

  // Register `link`. adapters: the number of linked adapters, including this GPU; 0 or 1 means that
  // no other adapter is linked. own: this GPU's number among them.
  typedef struct packed {
    logic [2:0] own;
    logic [2:0] adapters;
  } link_cfg_t /*verilator public*/;

  // A lookup. Its response carries the same tag; responses come in any order. A port uses a tag for
  // at most one outstanding lookup.
  typedef struct packed {
    tag_t    tag;
    space_t  space;
    logic [63:0] va;              // all 64 bits, because bits above the geometry are checked
    access_e access;
  } xlate_req_t /*verilator public*/;

  // The response. If fault is set, gpa, zero and coherent are undefined. If zero is set, reads
  // return 0 and writes are dropped. The port returns the drain generation through `done` when the
  // access has received its last R beat or its B, or when it will never be sent. The port does so
  // exactly once per response, including faults and zero pages.
  typedef struct packed {
    tag_t    tag;
    logic    generation;
    gpa_t    gpa;
    logic    zero;
    logic    coherent;
    fault_e  fault;
    level_t  level;               // level of the faulting entry
  } xlate_rsp_t /*verilator public*/;

  // Number of responses that a port returns in this cycle, by drain generation.
  typedef struct packed {
    logic [1:0] old1;             // generation 1 (0 to 3)
    logic [1:0] old0;             // generation 0 (0 to 3)
  } xlate_done_t /*verilator public*/;

  // Configuration of one address space, as software writes it to the space's geometry and root
  // registers.
  typedef struct packed {
    logic              enable;
    gpa_t              root;      // 4 KiB aligned
    logic [31:0]       root_entries;
    level_t            levels;    // 2 to 6
    logic              dual;      // level 1 entries are pairs (dual PTEs)
    logic [5:0][3:0]   bits;      // index bits by level, 1 to 13; level 0 is the leaf
  } space_cfg_t /*verilator public*/;

  typedef enum logic [1:0] {
    CtlInvalidate,  // drops the translations in `scope`; completes when no port uses any of them
    // Sets the configuration of address space `space` to cfg, and flushes that space if this
    // changes its configuration.
    CtlSetSpace,
    CtlResize                     // sets sizes_in_use to va_start and drops all translations
  } mmu_op_e;

  typedef struct packed {
    mmu_op_e    op;
    scope_e     scope;
    space_t     space;
    logic [63:0] va_start;
    logic [63:0] va_end;
    space_cfg_t cfg;
  } mmu_ctl_t /*verilator public*/;

  // A fault, as passed to the fault log.
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

  // The aperture map's response for one aperture page. fault is FaultNone or a FaultAperture
  // reason; in the latter case the other fields are undefined.
  typedef struct packed {
    fault_e fault;
    logic   coherent;
    pfn_t   page;                 // logical page in host memory
  } aperture_rsp_t /*verilator public*/;

  // Interrupt message (MSI) of the PCI function: a write of `data` to `address`. While enable is 0,
  // no message is sent.
  typedef struct packed {
    logic        enable;
    logic [31:0] data;
    logic [63:0] address;
  } message_t /*verilator public*/;

  // One completed lookup, as the MMU reports it to the event port.
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
