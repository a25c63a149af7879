// SPDX-License-Identifier: Apache-2.0
// AXI4 inside the GPU and at its ports. Bursts are INCR, their size is the full bus width, and a burst
// never crosses 4 KiB.
//
// Inside the GPU, ax_t.port selects the memory port of a burst. At the edge (the GPU's ports), each
// memory port is a separate AXI4 port, and the requester's number is prepended to the burst's id.
// Every outstanding burst of a requester has its own id; nothing relies on an order between ids,
// and beats of different ids may interleave on R (but not on W).
package gmmu_axi_pkg;
  import gmmu_pkg::*;

  localparam int unsigned IdWidth = 8;         // internal ports: id that the requester assigns
  localparam int unsigned RequesterWidth = 7;
  localparam int unsigned EdgeIdWidth = IdWidth + RequesterWidth;
  // At the GPU's ports, the isolator prepends its generation to the id.
  localparam int unsigned PortIdWidth = EdgeIdWidth + 1;

  // Numbers of the mux's requesters (rtl/top/README.md); the clients come last. All writes through
  // the VRAM window have id 0, so that they stay in order.
  localparam int unsigned ReqTables = 0;
  localparam int unsigned ReqAperture = 1;
  localparam int unsigned ReqFetch = 2;
  localparam int unsigned ReqRead = 3;
  localparam int unsigned ReqWrite = 4;
  localparam int unsigned ReqWindow = 5;
  localparam int unsigned ReqFaults = 6;
  localparam int unsigned ReqInterrupt = 7;
  localparam int unsigned ReqClients = 8;

  // PortPeer: VRAM of a linked adapter, through the host port; address {adapter[5:0], offset[41:0]}
  typedef enum logic [1:0] {PortVram, PortHost, PortPeer} port_e;

  // AxUSER fields of the host port.
  typedef enum logic [1:0] {KindLogical, KindTranslated, KindInterrupt, KindPeer} kind_e;
  typedef struct packed {
    logic [2:0]  function_number;
    logic        relaxed;
    logic        no_snoop;
    logic        pasid_valid;
    logic [19:0] pasid;
    kind_e       kind;
  } user_t /*verilator public*/;

  // AxPROT and AxCACHE at the ports of gmmu_gpu_axi.
  localparam logic [2:0] AxProt = 3'b010;               // unprivileged, non-secure, data
  localparam logic [3:0] CacheDevice = 4'b0001;         // Device Bufferable
  localparam logic [3:0] CacheNone = 4'b0010;           // Normal Non-cacheable Non-bufferable
  localparam logic [3:0] CacheBufferable = 4'b0011;     // Normal Non-cacheable Bufferable
  localparam logic [3:0] CacheWriteBack = 4'b1111;      // Write-back, allocate

  // AxCACHE of the host port. A coherent page is looked up and allocated in the host's caches. For
  // any other page, B must come from memory: the fence write that follows may be coherent, so a B
  // from an intermediate buffer would be too early. An interrupt message is not a memory access and
  // must remain a single write.
  function automatic logic [3:0] host_cache(kind_e kind, logic no_snoop);
    if (kind == KindInterrupt) return CacheDevice;
    return no_snoop || kind == KindPeer ? CacheNone : CacheWriteBack;
  endfunction

  typedef struct packed {  // AR and AW
    logic [IdWidth-1:0] id;
    port_e              port;
    // Byte address of the first beat, with any alignment; byte lanes below it are unused.
    pa_t                addr;
    logic [7:0]         len;    // beats - 1
    user_t              user;
  } ax_t /*verilator public*/;

  typedef struct packed {
    logic [DataWidth-1:0] data;
    logic [DataBytes-1:0] strb;
    logic                 last;
  } w_t /*verilator public*/;

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [DataWidth-1:0] data;
    logic                 error;  // RRESP was not OKAY
    logic                 last;
  } r_t /*verilator public*/;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic               error;
  } b_t /*verilator public*/;

  // Channels of one requester, by direction. Reads and writes are separate structs, so that a
  // reader has no write channels and no ready depends on a valid of the other direction. R and B
  // are always accepted.
  typedef struct packed {
    logic ar_valid;
    ax_t  ar;
  } rd_req_t /*verilator public*/;

  typedef struct packed {
    logic ar_ready;
    logic r_valid;
    r_t   r;
  } rd_rsp_t /*verilator public*/;

  typedef struct packed {
    logic aw_valid;
    ax_t  aw;
    logic w_valid;
    w_t   w;
  } wr_req_t /*verilator public*/;

  typedef struct packed {
    logic aw_ready;
    logic w_ready;
    logic b_valid;
    b_t   b;
  } wr_rsp_t /*verilator public*/;

  // Channels between the mux and the isolator, one set per memory port. The valid and ready bits
  // are separate signals.
  typedef struct packed {
    logic [EdgeIdWidth-1:0] id;
    pa_t                    addr;
    logic [7:0]             len;
    user_t                  user;
  } edge_ax_t /*verilator public*/;

  typedef struct packed {
    logic [EdgeIdWidth-1:0] id;
    logic [DataWidth-1:0]   data;
    logic                   error;
    logic                   last;
  } edge_r_t /*verilator public*/;

  typedef struct packed {
    logic [EdgeIdWidth-1:0] id;
    logic                   error;
  } edge_b_t /*verilator public*/;

  // The same channels at the GPU's ports, where size and burst are constant.
  localparam logic [2:0] BeatSize = 3'($clog2(DataBytes));
  localparam logic [1:0] BurstIncr = 2'b01;
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;

  typedef struct packed {
    logic [PortIdWidth-1:0] id;
    pa_t                    addr;
    logic [7:0]             len;
    user_t                  user;
  } port_ax_t /*verilator public*/;

  typedef struct packed {
    logic [PortIdWidth-1:0] id;
    logic [DataWidth-1:0]   data;
    logic [1:0]             resp;
    logic                   last;
  } port_r_t /*verilator public*/;

  typedef struct packed {
    logic [PortIdWidth-1:0] id;
    logic [1:0]             resp;
  } port_b_t /*verilator public*/;

  // Channels of the subordinate ports s_peer and s_thr, except that AR and AW of s_thr use
  // through_ax_t instead of sub_ax_t.
  typedef struct packed {
    logic [IdWidth-1:0] id;
    pa_t                addr;
    logic [7:0]         len;
    logic [2:0]         size;
    logic [1:0]         burst;
  } sub_ax_t /*verilator public*/;

  typedef struct packed {
    logic [IdWidth-1:0]   id;
    logic [DataWidth-1:0] data;
    logic [1:0]           resp;
    logic                 last;
  } sub_r_t /*verilator public*/;

  typedef struct packed {
    logic [IdWidth-1:0] id;
    logic [1:0]         resp;
  } sub_b_t /*verilator public*/;
endpackage
