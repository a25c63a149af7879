// SPDX-License-Identifier: Apache-2.0
// Types of the paging DMA engine: ring configuration and state, transfer jobs, commands, internal faults.
package gmmu_dma_pkg;
  import gmmu_pkg::*;
  import gmmu_regs_pkg::*;

  // A ring's configuration, as software writes it (registers ring[n].base, ctrl, tail,
  // fence_address).
  typedef struct packed {
    logic        enable;
    logic        privileged;
    logic        preempt;
    logic [3:0]  size_lg2;
    target_e     base_target;
    pa_t         base;           // 4 KiB aligned
    // as written by software; an error unless it is less than the ring's size
    logic [15:0] tail;
    pa_t         fence_address;  // 16-byte aligned, in system memory
  } ring_cfg_t /*verilator public*/;

  // A ring's state, as software reads it (registers ring[n].head, status, last_fence,
  // error_command, error_address).
  typedef struct packed {
    logic [15:0] head;
    logic        busy;
    logic        error;
    logic        preempted;
    fault_e      reason;
    access_e     access;
    level_t      level;
    logic [31:0] fence;          // fence of the failed or preempted entry
    logic [31:0] last_fence;
    logic [31:0] error_offset;
    logic [31:0] error_header;
    logic [63:0] error_address;
  } ring_state_t /*verilator public*/;

  // An address, as specified by a ring entry or a command.
  typedef struct packed {
    logic        physical;
    target_e     target;         // if physical
    space_t      space;          // if virtual
    logic [63:0] address;        // virtual address, or offset in the target
  } place_t /*verilator public*/;

  // The low address bits of a range's last byte. A range is shorter than 2^48 bytes, so these bits
  // identify its last byte.
  typedef logic [48:0] end_t;

  // Where the data of a transfer job comes from.
  typedef enum logic [1:0] {
    SourceCopy,                  // bytes read from src
    SourcePattern,               // value[31:0] repeated: byte i is pattern byte i mod 4
    SourceWords,                 // 8-byte words from the inline stream
    SourceSteps                  // 8-byte words value, value + step, value + 2 step, ...
  } source_e;

  typedef logic [7:0] job_id_t;

  // A transfer that writes the bytes from dst to dst_end, inclusive. For SourceWords and
  // SourceSteps, the destination is 8-byte aligned and the length a multiple of 8.
  typedef struct packed {
    job_id_t     id;             // consecutive
    source_e     source;
    place_t      src;            // SourceCopy only
    end_t        src_end;
    place_t      dst;
    end_t        dst_end;
    logic [63:0] value;
    logic [63:0] step;
  } job_t /*verilator public*/;

  // The layout of a write burst's beats (see gmmu_dma_write).
  typedef logic [7:0] beats_t;
  typedef logic [$clog2(DataBytes)-1:0] lane_t;
  typedef struct packed {
    logic        kind;  // source of the beats: 1 generated (gmmu_dma_feed), 0 read from memory
    lane_t       lane;           // byte lane of the first byte
    lane_t       stop;           // byte lane of the last byte, in the last beat
    beats_t      beats_m1;
    logic        last;           // last burst of its job
  } shape_t /*verilator public*/;

  // What a command needs, decoded from its header (gmmu_dma_decode).
  typedef struct packed {
    logic       has_inline;      // inline words follow the operands
    logic       aperture;
    logic       src;             // has a source operand
    logic       dst;
    logic       settle;          // starts only after the B of all earlier writes
    logic       privilege;  // physical address, table or aperture command, or flush of all spaces
    logic       space_bad;       // its address space is not implemented
    logic [2:0] operands;
  } command_needs_t /*verilator public*/;

  // A one-hot opcode.
  typedef struct packed {
    logic nop;
    logic copy;
    logic fill;
    logic table_write;
    logic table_repeat;
    logic aperture_map;
    logic aperture_list;
    logic aperture_unmap;
    logic flush_tlb;
    logic signal_fence;
  } command_opcode_t /*verilator public*/;

  function automatic command_opcode_t opcode_of(logic [7:0] code);
    return '{nop: code == OpcodeNop, copy: code == OpcodeCopy, fill: code == OpcodeFill,
             table_write: code == OpcodeTableWrite, table_repeat: code == OpcodeTableRepeat,
             aperture_map: code == OpcodeApertureMap, aperture_list: code == OpcodeApertureList,
             aperture_unmap: code == OpcodeApertureUnmap, flush_tlb: code == OpcodeFlushTlb,
             signal_fence: code == OpcodeSignalFence};
  endfunction

  // A command without its inline words. The opcode determines which fields hold operands; the other
  // operand fields are undefined.
  typedef struct packed {
    logic                 over;        // end of the buffer: not a command
    // a word could not be read (the header itself, if header is 0)
    logic                 unreadable;
    logic                 malformed;
    logic                 odd;         // an operand is misaligned or has bits beyond its width
    logic [31:0]          offset;      // byte offset in the buffer
    command_header_word_t header;
    command_needs_t       needs;
    command_opcode_t      opcode;
    logic [63:0]          src;         // source operand, or start of the range to flush
    logic [63:0]          dst;         // destination operand, or {pages, page} of an aperture command
    logic [47:0]          length;      // bytes; undefined for a table write, 8 for a fence
    logic [63:0]          value;       // value operand, or end of the range to flush
    logic [63:0]          step;        // step of SourceSteps, else 0
  } command_t /*verilator public*/;

  // Why a transfer or a fetch stopped.
  typedef struct packed {
    fault_e      reason;
    access_e     access;
    level_t      level;
    place_t      place;          // first byte of the failing burst
  } dma_fault_t /*verilator public*/;
endpackage
