// SPDX-License-Identifier: Apache-2.0
// The copy engine connected to the real MMU. A model of VRAM serves a read port and a write port
// for data, and a separate read port for page tables.
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
#include "tb/rtl/structs.h"

namespace gmmu::dma {

/// How the memories respond.
struct Answers {
  unsigned latency = 100;        ///< cycles from the edge that accepts AR to the edge of the first R
  unsigned write_latency = 1;    ///< cycles from the last W to B
  unsigned spread = 0;           ///< maximum of the random extra cycles
  bool mix = false;              ///< bursts complete in any order, and beats of different bursts interleave
  unsigned ready_percent = 100;  ///< share of cycles in which AR, AW and W are accepted
  unsigned idle_percent = 0;     ///< share of cycles without R and without a job offer
};

struct Job {
  bool physical;
  uint64_t src, dst, length;
};

/// Mover and MMU, with one address space of three levels. Page p of the window at kVa is mapped to PageAt(p).
class CopyMachine : public BlockBench<Vgmmu_dma_copy_bench> {
  using ReadRequest = GMMU_STRUCT(gmmu_dma_copy_bench, rd_req_t);
  using ReadResponse = GMMU_STRUCT(gmmu_dma_copy_bench, rd_rsp_t);
  using WriteRequest = GMMU_STRUCT(gmmu_dma_copy_bench, wr_req_t);
  using WriteResponse = GMMU_STRUCT(gmmu_dma_copy_bench, wr_rsp_t);

 public:
  enum Size { kReads32, kReads128, kReads2 };
  static constexpr unsigned kBus = sizeof(ReadResponse::r.data);
  static constexpr uint64_t kVa = 0x40000000, kTables = 0x800000, kBytes = 16 << 20;
  static constexpr unsigned kPages = 1024;  ///< number of data pages: the first 4 MiB
  static constexpr unsigned kSpace = 1;

  CopyMachine(Size size, uint64_t seed, Answers answers);

  std::vector<uint8_t> memory = std::vector<uint8_t>(kBytes);
  Answers answers;
  std::vector<std::string> complaints;
  uint64_t first_ar = 0, last_b = 0, reads = 0, table_reads = 0;
  unsigned most_reads = 0;

  uint64_t PageAt(unsigned page) const { return uint64_t{frames_[page]} << 12; }
  /// Returns the physical address of a byte of a job.
  uint64_t Find(const Job& job, uint64_t address) const {
    return job.physical ? address : PageAt((address - kVa) >> 12) | (address & 0xfff);
  }
  /// Runs the jobs as fast as they are accepted. Returns false if they take over `limit` cycles.
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
  /// Selects the burst that delivers the next beat. Returns bursts.end() if there is none.
  std::deque<Burst>::iterator Next(std::deque<Burst>& bursts);
  void MakeTables();
  void Complain(const std::string& what) {
    if (complaints.size() < 20) complaints.push_back(what + " at cycle " + std::to_string(now));
  }
  void Sample(const ReadResponse& rd, const WriteResponse& wr);

  std::vector<uint32_t> frames_;
  std::deque<Burst> reads_, tables_, writes_, ended_;
  std::set<unsigned> read_ids_, write_ids_;
  bool in_w_ = false;
  uint8_t job_id_ = 0;
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
  GMMU_STRUCT(gmmu_dma_copy_bench, mmu_ctl_t) ctl{};
  ctl.op = 1;  // CtlSetSpace
  ctl.space = kSpace;
  ctl.cfg.enable = 1, ctl.cfg.levels = 3, ctl.cfg.root_entries = 512;
  ctl.cfg.root.target = static_cast<uint8_t>(regs::Target::kVram), ctl.cfg.root.offset = kTables;
  for (unsigned level = 0; level < 3; ++level) ctl.cfg.bits[level] = 9;
  t.ctl_i = Pack(ctl);
  t.ctl_valid_i = 1;
  bool taken = false;
  for (int n = 0; n < 10000 && !taken; ++n) {
    Settle();
    taken = t.ctl_ready_o;
    Step();
  }
  t.ctl_valid_i = 0;
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
  ReadResponse rd{}, table{};
  WriteResponse wr{};
  rd.ar_ready = Chance(answers.ready_percent);
  wr.aw_ready = Chance(answers.ready_percent);
  wr.w_ready = Chance(answers.ready_percent);
  table.ar_ready = 1;

  auto read = Next(reads_);
  if (read != reads_.end() && !Chance(100 - answers.idle_percent)) read = reads_.end();
  if (read != reads_.end()) {
    const uint64_t at = (read->address & ~uint64_t{kBus - 1}) + kBus * read->beat;
    uint8_t data[kBus];
    for (unsigned lane = 0; lane < kBus; ++lane)  // Lanes below the address are undefined.
      data[lane] = at + lane < read->address ? 0xe5 : memory.at(at + lane);
    std::memcpy(&rd.r.data, data, kBus);
    rd.r_valid = 1;
    rd.r.id = read->id;
    rd.r.last = ++read->beat == read->beats;
    if (read->beat == read->beats) {
      read_ids_.erase(read->id);
      reads_.erase(read);
    }
  }
  auto entry = Next(tables_);
  if (entry != tables_.end()) {
    const uint64_t at = (entry->address & ~uint64_t{kBus - 1}) + kBus * entry->beat;
    std::memcpy(&table.r.data, &memory.at(at), kBus);
    table.r_valid = 1;
    table.r.id = entry->id;
    table.r.last = ++entry->beat == entry->beats;
    if (entry->beat == entry->beats) tables_.erase(entry);
  }
  auto answer = Next(ended_);
  if (answer != ended_.end()) {
    wr.b_valid = 1;
    wr.b.id = answer->id;
    write_ids_.erase(answer->id);
    ended_.erase(answer);
    last_b = now;
  }
  t.rd_rsp_i = Pack(rd), t.table_rsp_i = Pack(table), t.wr_rsp_i = Pack(wr);
  Settle();
  if (!t.rst_i) Sample(rd, wr);
  Edge();
}

inline void CopyMachine::Sample(const ReadResponse& rd, const WriteResponse& wr) {
  auto burst = [&](const auto& ax, uint64_t due) {
    const uint64_t end = (ax.addr & ~uint64_t{kBus - 1}) + uint64_t{kBus} * (ax.len + 1);
    if (ax.addr >> 12 != (end - 1) >> 12) Complain("burst crosses 4 KiB");
    return Burst{due, ax.id, ax.addr, ax.len + 1u, 0};
  };
  const auto read = Unpack<ReadRequest>(t.rd_req_o), table = Unpack<ReadRequest>(t.table_req_o);
  const auto out = Unpack<WriteRequest>(t.wr_req_o);
  if (read.ar_valid && rd.ar_ready) {
    if (first_ar == 0) first_ar = now;
    if (!read_ids_.insert(read.ar.id).second) Complain("read id used twice");
    reads_.push_back(burst(read.ar, now + Delay(answers.latency)));
    most_reads = std::max<unsigned>(most_reads, read_ids_.size());
    ++reads;
  }
  if (table.ar_valid) {
    tables_.push_back(burst(table.ar, now + Delay(answers.latency)));
    ++table_reads;
  }
  if (out.aw_valid && wr.aw_ready) {
    if (!write_ids_.insert(out.aw.id).second) Complain("write id used twice");
    writes_.push_back(burst(out.aw, 0));
  }
  if (in_w_ && !out.w_valid) Complain("gap inside a W burst");
  if (out.w_valid && writes_.empty()) {
    Complain("W before AW");
  } else if (out.w_valid && wr.w_ready) {
    Burst& write = writes_.front();
    const uint64_t at = (write.address & ~uint64_t{kBus - 1}) + kBus * write.beat;
    uint8_t data[kBus];
    std::memcpy(data, &out.w.data, kBus);
    if (out.w.strb == 0) Complain("beat without a byte");
    for (unsigned lane = 0; lane < kBus; ++lane)
      if (out.w.strb >> lane & 1) memory.at(at + lane) = data[lane];
    const bool last = ++write.beat == write.beats;
    if (last != out.w.last) Complain("WLAST wrong");
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
  bool standing = false;  // the previous cycle's offer was not accepted
  for (uint64_t n = 0; n < limit; ++n) {
    const bool offer = next < jobs.size() && (standing || Chance(100 - answers.idle_percent));
    t.job_valid_i = offer;
    if (offer) {
      const Job& from = jobs[next];
      GMMU_STRUCT(gmmu_dma_copy_bench, job_t) job{};  // SourceCopy
      job.id = job_id_;
      job.src.physical = job.dst.physical = from.physical;
      job.src.target = job.dst.target = static_cast<uint8_t>(regs::Target::kVram);
      job.src.space = job.dst.space = kSpace;
      job.src.address = from.src, job.src_end = from.src + from.length - 1;
      job.dst.address = from.dst, job.dst_end = from.dst + from.length - 1;
      t.job_i = Pack(job);
    }
    Settle();
    const bool taken = offer && t.job_ready_o;
    standing = offer && !taken;
    Step();
    if (t.fault_o) {
      Complain("a job failed");
      return false;
    }
    if (taken) ++next, ++job_id_;
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
