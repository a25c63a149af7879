// SPDX-License-Identifier: Apache-2.0
// The copy engine joined with the real MMU. A data memory is behind one read and one write port, and a
// table memory behind a third port; both are in the VRAM target.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <deque>
#include <set>
#include <string>
#include <vector>

#include "Vgmmu_dma_copy_bench.h"
#include "hw/gmmu_regs.h"
#include "tb/rtl/block_bench.h"

namespace gmmu::dma {

/// How the memories respond.
struct Answers {
  unsigned latency = 100;        ///< cycles from the edge that accepts AR to the edge of the first R
  unsigned write_latency = 1;    ///< cycles from the last W to B
  unsigned spread = 0;           ///< maximum of the random extra cycles
  bool mix = false;              ///< bursts complete in any order, and beats of several interleave
  unsigned ready_percent = 100;  ///< share of cycles in which AR, AW and W are accepted
  unsigned idle_percent = 0;     ///< share of cycles without R and without a job offer
};

struct Job {
  bool physical;
  uint64_t src, dst, length;
};

/// Mover and MMU. They use one space of three levels; page p of the window at kVa is stored at PageAt(p).
class CopyMachine : public BlockBench<Vgmmu_dma_copy_bench> {
 public:
  enum Size { kReads32, kReads128, kReads2 };
  static constexpr unsigned kBus = sizeof(Vgmmu_dma_copy_bench::w_data_o);
  static constexpr uint64_t kVa = 0x40000000, kTables = 0x800000, kBytes = 16 << 20;
  static constexpr unsigned kPages = 1024;  ///< number of data pages: the first 4 MiB

  CopyMachine(Size size, uint64_t seed, Answers answers);

  std::vector<uint8_t> memory = std::vector<uint8_t>(kBytes);
  Answers answers;
  std::vector<std::string> complaints;
  uint64_t first_ar = 0, last_b = 0, reads = 0, table_reads = 0;
  unsigned most_reads = 0;

  uint64_t PageAt(unsigned page) const { return uint64_t{frames_[page]} << 12; }
  /// Returns the physical address of a job's byte.
  uint64_t Find(const Job& job, uint64_t address) const {
    return job.physical ? address : PageAt((address - kVa) >> 12) | (address & 0xfff);
  }
  /// Runs the jobs as fast as they are accepted, until all are done. Returns false if that takes over `limit` cycles.
  [[nodiscard]] bool Run(const std::vector<Job>& jobs, uint64_t limit);
  using BlockBench::Run;
  void Step() override;

 private:
  struct Burst {
    uint64_t due;
    unsigned id;
    uint64_t address;
    unsigned beats, beat;
  };
  bool Chance(unsigned percent) { return percent >= 100 || Dice::Chance(percent); }
  uint64_t Delay(unsigned base) { return base + (answers.spread ? rng() % (answers.spread + 1) : 0); }
  /// Returns the burst that delivers the next beat, or bursts.end().
  std::deque<Burst>::iterator Next(std::deque<Burst>& bursts);
  void MakeTables();
  void Complain(const std::string& what) {
    if (complaints.size() < 20) complaints.push_back(what + " at cycle " + std::to_string(now));
  }
  void Sample();

  std::vector<uint32_t> frames_;
  std::deque<Burst> reads_, tables_, writes_, ended_;
  std::set<unsigned> read_ids_, write_ids_;
  bool in_w_ = false;
};

inline CopyMachine::CopyMachine(Size size, uint64_t seed, Answers with) : BlockBench(size, seed), answers(with) {
  for (unsigned n = 0; n < kPages; ++n) frames_.push_back(n);
  std::shuffle(frames_.begin(), frames_.end(), rng);
  for (uint64_t at = 0; at < kPages << 12; at += 8) {
    const uint64_t word = rng();
    std::memcpy(&memory[at], &word, 8);
  }
  MakeTables();
  t.size_i = size;
  t.vram_bytes_i = kBytes;
  t.rst_i = 1;
  Run(4);
  t.rst_i = 0;
  t.ctl_valid_i = t.ctl_set_i = 1;
  t.ctl_root_i = kTables;
  bool taken = false;
  for (int n = 0; n < 10000 && !taken; ++n) {
    Settle();
    taken = t.ctl_ready_o;
    Step();
  }
  t.ctl_valid_i = t.ctl_set_i = 0;
  bool done = false;
  for (int n = 0; n < 10000 && !done; ++n) {
    Step();
    done = t.ctl_done_o;
  }
  if (!done) Complain("the space was not taken");
  Step();
}

inline void CopyMachine::MakeTables() {
  auto put = [&](uint64_t at, uint64_t page) {
    regs::PteEntry entry;
    entry.set_valid(1).set_target(regs::Target::kVram).set_page(page);
    std::memcpy(&memory[at], &entry.raw, 8);
  };
  put(kTables + 8 * (kVa >> 30 & 511), (kTables >> 12) + 1);
  for (unsigned page = 0; page < kPages; ++page) {
    const uint64_t leaf = (kTables >> 12) + 2 + (page >> 9);
    put(kTables + 0x1000 + 8 * (page >> 9), leaf);
    put((leaf << 12) + 8 * (page & 511), frames_[page]);
  }
}

inline std::deque<CopyMachine::Burst>::iterator CopyMachine::Next(std::deque<Burst>& bursts) {
  if (!answers.mix) return !bursts.empty() && bursts.front().due <= now ? bursts.begin() : bursts.end();
  std::vector<size_t> due;
  for (size_t n = 0; n < bursts.size(); ++n)
    if (bursts[n].due <= now) due.push_back(n);
  return due.empty() ? bursts.end() : bursts.begin() + due[rng() % due.size()];
}

inline void CopyMachine::Step() {
  t.ar_ready_i = Chance(answers.ready_percent);
  t.aw_ready_i = Chance(answers.ready_percent);
  t.w_ready_i = Chance(answers.ready_percent);
  t.table_ar_ready_i = 1;

  t.r_valid_i = 0;
  auto read = Next(reads_);
  if (read != reads_.end() && !Chance(100 - answers.idle_percent)) read = reads_.end();
  if (read != reads_.end()) {
    const uint64_t at = (read->address & ~uint64_t{kBus - 1}) + kBus * read->beat;
    uint8_t data[kBus];
    for (unsigned lane = 0; lane < kBus; ++lane)  // Lanes below the address are undefined.
      data[lane] = at + lane < read->address ? 0xe5 : memory.at(at + lane);
    std::memcpy(&t.r_data_i, data, kBus);
    t.r_valid_i = 1;
    t.r_id_i = read->id;
    t.r_last_i = ++read->beat == read->beats;
    if (read->beat == read->beats) {
      read_ids_.erase(read->id);
      reads_.erase(read);
    }
  }
  t.table_r_valid_i = 0;
  auto entry = Next(tables_);
  if (entry != tables_.end()) {
    const uint64_t at = (entry->address & ~uint64_t{kBus - 1}) + kBus * entry->beat;
    std::memcpy(&t.table_r_data_i, &memory.at(at), kBus);
    t.table_r_valid_i = 1;
    t.table_r_id_i = entry->id;
    t.table_r_last_i = ++entry->beat == entry->beats;
    if (entry->beat == entry->beats) tables_.erase(entry);
  }
  t.b_valid_i = 0;
  auto answer = Next(ended_);
  if (answer != ended_.end()) {
    t.b_valid_i = 1;
    t.b_id_i = answer->id;
    write_ids_.erase(answer->id);
    ended_.erase(answer);
    last_b = now;
  }
  Settle();
  if (!t.rst_i) Sample();
  Edge();
}

inline void CopyMachine::Sample() {
  auto burst = [&](unsigned id, uint64_t address, unsigned len, uint64_t due) {
    const uint64_t end = (address & ~uint64_t{kBus - 1}) + uint64_t{kBus} * (len + 1);
    if (address >> 12 != (end - 1) >> 12) Complain("burst crosses 4 KiB");
    return Burst{due, id, address, len + 1, 0};
  };
  if (t.ar_valid_o && t.ar_ready_i) {
    if (first_ar == 0) first_ar = now;
    if (!read_ids_.insert(t.ar_id_o).second) Complain("read id used twice");
    reads_.push_back(burst(t.ar_id_o, t.ar_addr_o, t.ar_len_o, now + Delay(answers.latency)));
    most_reads = std::max<unsigned>(most_reads, read_ids_.size());
    ++reads;
  }
  if (t.table_ar_valid_o && t.table_ar_ready_i) {
    tables_.push_back(burst(t.table_ar_id_o, t.table_ar_addr_o, t.table_ar_len_o, now + Delay(answers.latency)));
    ++table_reads;
  }
  if (t.aw_valid_o && t.aw_ready_i) {
    if (!write_ids_.insert(t.aw_id_o).second) Complain("write id used twice");
    writes_.push_back(burst(t.aw_id_o, t.aw_addr_o, t.aw_len_o, 0));
  }
  if (in_w_ && !t.w_valid_o) Complain("gap inside a W burst");
  if (t.w_valid_o && writes_.empty()) {
    Complain("W before AW");
  } else if (t.w_valid_o && t.w_ready_i) {
    Burst& write = writes_.front();
    const uint64_t at = (write.address & ~uint64_t{kBus - 1}) + kBus * write.beat;
    uint8_t data[kBus];
    std::memcpy(data, &t.w_data_o, kBus);
    if (t.w_strb_o == 0) Complain("beat without a byte");
    for (unsigned lane = 0; lane < kBus; ++lane)
      if (t.w_strb_o >> lane & 1) memory.at(at + lane) = data[lane];
    const bool last = ++write.beat == write.beats;
    if (last != t.w_last_o) Complain("WLAST wrong");
    in_w_ = !last;
    if (last) {
      write.due = now + Delay(answers.write_latency);
      ended_.push_back(write);
      writes_.pop_front();
    }
  }
}

inline bool CopyMachine::Run(const std::vector<Job>& jobs, uint64_t limit) {
  size_t next = 0;
  bool standing = false;  // an offer stays until it is accepted
  for (uint64_t n = 0; n < limit; ++n) {
    const bool offer = next < jobs.size() && (standing || Chance(100 - answers.idle_percent));
    t.job_valid_i = offer;
    if (offer) {
      t.job_source_i = 0;  // SourceCopy
      t.job_physical_i = jobs[next].physical;
      t.job_src_i = jobs[next].src;
      t.job_dst_i = jobs[next].dst;
      t.job_length_i = jobs[next].length;
    }
    Settle();
    const bool taken = offer && t.job_ready_o;
    standing = offer && !taken;
    Step();
    if (t.fault_o) {
      Complain("a job failed");
      return false;
    }
    if (taken) ++next;
    if (next == jobs.size() && !taken && t.idle_o) {
      if (!reads_.empty() || !writes_.empty() || !ended_.empty()) Complain("in flight at rest");
      return true;
    }
  }
  t.job_valid_i = 0;
  Complain("jobs did not end: " + std::to_string(next) + " of " + std::to_string(jobs.size()) + " taken");
  return false;
}

}  // namespace gmmu::dma
