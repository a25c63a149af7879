// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

namespace gmmu::sim {

/// Timing and sizes of an SDR SDRAM with 16 data bits, with the names that the data sheet uses. Times are in
/// picoseconds.
struct SdramPart {
  const char* name;
  uint64_t trcd;           ///< activate to read or write
  uint64_t trp;            ///< precharge to activate, refresh or mode register
  uint64_t tras;           ///< activate to precharge
  uint64_t tras_max;       ///< longest time that a row may be open
  uint64_t trc;            ///< activate to activate of the same bank
  uint64_t trrd;           ///< activate to activate of another bank
  uint64_t trfc;           ///< refresh to activate, refresh or mode register
  uint64_t twr;            ///< last data of a write to precharge
  uint64_t tmrd;           ///< mode register to any other command
  uint64_t power_up;       ///< NOP or inhibit with a running clock before the first command
  unsigned refreshes;      ///< refreshes required between the power-up pause and the mode register
  uint64_t tck_cl2;        ///< shortest clock period with CAS latency 2
  uint64_t tck_cl3;        ///< shortest clock period with CAS latency 3
  uint64_t refresh_ps;     ///< period in which every row must be refreshed
  unsigned row_bits = 13;  ///< log2 of the rows per bank and of the refreshes in refresh_ps
  unsigned column_bits = 9;
};

/// Alliance AS4C16M16SA-7: data sheet AS4C16M16SA-C&I, revision 3.0 of March 2015, table 16; note
/// 11 for the power-up sequence.
extern const SdramPart kAs4c16m16sa7;
/// Micron MT48LC16M16A2-7E: data sheet 256Mb_sdr, tables of electrical characteristics.
extern const SdramPart kMt48lc16m16a27e;

/// The pins that the chip samples at a rising edge of its clock. Names that end in n are active
/// low.
struct SdramPins {
  bool cke = true, csn = false, rasn = true, casn = true, wen = true;
  uint8_t ba = 0;
  uint16_t a = 0;
  uint8_t dqm = 0;         ///< bit n: byte n of dq is masked
  bool dq_driven = false;  ///< the controller drives dq
  uint16_t dq = 0;
};

/// The values that the chip drives onto dq from one clock edge to the next.
struct SdramOut {
  uint8_t driven = 0;  ///< bit n: byte n is driven
  uint16_t dq = 0;     ///< bytes that are not driven hold an arbitrary value
};

enum class SdramRule {
  kPowerUp,      ///< command during the power-up pause, with CKE low, or out of the power-up order
  kTrcd,         ///< column command too early after the activation
  kTrp,          ///< command too early after a precharge
  kTras,         ///< precharge too early after the activation
  kTrasMax,      ///< row open for too long
  kTrc,          ///< activation too early after the previous one of the same bank
  kTrrd,         ///< activation too early after one of another bank
  kTrfc,         ///< command too early after a refresh
  kTwr,          ///< precharge too early after the last data of a write, or during its data
  kTmrd,         ///< command too early after a mode register set
  kRefreshLate,  ///< refreshes lag an even distribution over refresh_ps by more than 8
  kClosedRow,    ///< column command to a bank without an open row
  kOpenBank,     ///< activation of a bank whose row is open
  kNotIdle,      ///< refresh or mode register while a row is open
  kContention,   ///< both sides drive dq, or one takes over without an idle cycle
  kNoData,       ///< write of an unmasked byte that is not driven
  kMode,         ///< reserved or unsupported mode, or CAS latency too short for the clock
  kNotModelled,  ///< burst stop, self refresh, auto precharge, CKE low after power-up
};
const char* Name(SdramRule rule);

struct SdramFinding {
  uint64_t edge;  ///< edge number of the chip's clock, from 0
  SdramRule rule;
  std::string text;  ///< description, a full sentence
};

/// A pin-accurate SDR SDRAM. It records a finding for each violated rule and then behaves as a real
/// chip would, where that is defined. A cell that was never written contains a value that depends
/// on its address.
class SdramChip {
 public:
  static constexpr unsigned kBanks = 4;

  /// Throws std::invalid_argument unless `clock_ps` is positive and at least the part's shortest clock period.
  SdramChip(const SdramPart& part, uint64_t clock_ps);

  /// Processes a rising clock edge with these pin values. Returns the values on dq from now to the next edge.
  SdramOut Edge(const SdramPins& pins);

  const std::vector<SdramFinding>& findings() const { return findings_; }
  bool Found(SdramRule rule) const;
  uint64_t edges() const { return edge_; }
  uint64_t size() const { return uint64_t{2} << (part_.row_bits + part_.column_bits + 2); }

  /// Returns a byte of the contents. The address is {row, bank, column, byte of the column} and
  /// wraps at size().
  uint8_t Byte(uint64_t address) const;
  /// Injects an error for tests: inverts bit `bit` (0 to 7) of a byte.
  void FlipBit(uint64_t address, unsigned bit);

  /// Number of commands of each kind so far.
  struct Counts {
    uint64_t activates = 0, reads = 0, writes = 0, precharges = 0, refreshes = 0;
  };
  const Counts& counts() const { return counts_; }

 private:
  enum class Power { kPause, kPrecharge, kRefresh, kUp };
  struct Bank {
    bool open = false;
    unsigned row = 0;
    int64_t activated = kLongAgo, closed = kLongAgo, written = kLongAgo;  ///< edge numbers
  };
  struct Burst {
    bool write = false;
    unsigned bank = 0, column = 0, left = 0;
  };
  static constexpr int64_t kLongAgo = -(int64_t{1} << 40);

  void Find(SdramRule rule, std::string text);
  /// Records a violation of `rule` if less than `ps` has passed since clock edge `since`.
  void Apart(SdramRule rule, int64_t since, uint64_t ps, const char* what);
  void Command(const SdramPins& pins);
  void Activate(unsigned bank, unsigned row);
  void Column(unsigned bank, const SdramPins& pins, bool write);
  void Precharge(unsigned bank);
  void Refresh();
  void LoadMode(unsigned value);
  void MoveData(const SdramPins& pins);
  SdramOut Drive(const SdramPins& pins);
  uint16_t& Cell(unsigned bank, unsigned row, unsigned column);
  uint16_t Untouched(uint64_t cell) const { return static_cast<uint16_t>(cell * 40503u >> 3 ^ 0xa5c3); }

  const SdramPart part_;
  const uint64_t clock_ps_;
  uint64_t edge_ = 0;
  std::array<Bank, kBanks> banks_;
  Power power_ = Power::kPause;
  unsigned power_refreshes_ = 0;
  int64_t mode_set_ = kLongAgo, refreshed_ = kLongAgo, activated_ = kLongAgo;
  uint64_t refresh_due_ps_ = 0;  ///< deadline of the next refresh
  bool late_noted_ = false;
  unsigned latency_ = 0, burst_length_ = 1;
  Burst burst_;
  std::deque<SdramOut> pipe_;                                 ///< read data on its way to dq
  uint8_t dqm_ = 0;                                           ///< dqm at the last edge
  std::array<SdramOut, 2> out_{};                             ///< output at the last two edges
  std::unordered_map<uint64_t, std::vector<uint16_t>> rows_;  ///< {row, bank} -> columns
  std::vector<SdramFinding> findings_;
  Counts counts_;
};

}  // namespace gmmu::sim
