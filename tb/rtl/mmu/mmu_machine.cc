// SPDX-License-Identifier: Apache-2.0
#include "mmu_machine.h"

#include <fmt/format.h>

#include <algorithm>

namespace gmmu::bench {
namespace {

constexpr unsigned kTags = 64;
constexpr unsigned kQueueLimit = 32;

/// Returns the sizes of the MMU selected by `like` (see g_like in gmmu_mmu_bench).
regs::SizesInUse SizesOf(unsigned like) {
  const auto sizes = [](unsigned l1, unsigned l2, unsigned ways, unsigned walk_cache, unsigned walks) {
    return regs::SizesInUse()
        .set_l1_entries(l1)
        .set_l2_entries(l2)
        .set_l2_ways(ways)
        .set_walk_cache(walk_cache)
        .set_walks(walks);
  };
  return like == 1 ? sizes(4, 128, 2, 4, 2) : like == 2 ? sizes(5, 64, 4, 8, 5) : sizes(2, 32, 1, 2, 1);
}

}  // namespace

Machine::Machine(bool small, uint64_t seed, unsigned like)
    : BlockBench(small, seed), ports_(small ? 2 : kPorts), like_(like) {
  for (auto& history : spaces_) history.emplace_back(0, sim::SpaceConfig{});
  t.small_i = small;
  t.like_i = static_cast<uint8_t>(like);
  Reset();
}

void Machine::TurnDownAlike() {
  Control control;
  control.sizes = SizesOf(like_);
  Do(control);
  if (t.sizes_o != control.sizes->raw) Error("the sizes were not taken");
  // Let both MMUs complete the operation: they may have started it at different times.
  for (int cycle = 0; cycle < 600; ++cycle) Step();
  alike_ = true;
}

void Machine::Error(const std::string& text) {
  if (errors_.size() < 10) errors_.push_back(fmt::format("cycle {}: {}", now, text));
}

bool Machine::Post(const Request& request) {
  if (queue_[request.port].size() >= kQueueLimit) return false;
  queue_[request.port].push_back(request);
  ++pending_;
  return true;
}

void Machine::Command(const Control& control) { commands_.push_back(control); }

std::vector<Answer> Machine::TakeAnswers() { return std::exchange(answers_, {}); }

/// Sets the inputs for the next edge. An offer is held until it is accepted.
void Machine::Drive() {
  for (unsigned p = 0; p < ports_; ++p) {
    if (!offered_[p] && !queue_[p].empty() && Random(100) >= manners.req_idle) {
      auto& tags = waiting_[p];
      const auto free = std::find_if(tags.begin(), tags.end(), [](const auto& use) { return !use.has_value(); });
      if (free != tags.end()) {
        const Request& request = queue_[p].front();
        offer_[p].tag = static_cast<uint8_t>(free - tags.begin());
        offer_[p].space = static_cast<uint8_t>(request.space);
        offer_[p].va = request.va;
        offer_[p].access = static_cast<uint8_t>(request.access);
        t.req_i[p] = Pack(offer_[p]);
        offered_[p] = true;
      }
    }
    t.req_valid_i[p] = offered_[p];
    t.rsp_ready_i[p] = Random(100) >= manners.rsp_stall;
    unsigned back[2] = {0, 0};
    auto& uses = in_use_[p];
    for (auto use = uses.begin(); use != uses.end();) {
      unsigned& count = back[use->answer.generation];
      if (use->until <= now && count < 3) {
        ++count;
        use = uses.erase(use);
      } else {
        ++use;
      }
    }
    t.done_i[p] = static_cast<uint8_t>(back[1] << 2 | back[0]);
  }

  t.ctl_valid_i = !commands_.empty() && !command_busy_;
  if (t.ctl_valid_i) {
    const Control& c = commands_.front();
    GMMU_STRUCT(gmmu_mmu_bench, mmu_ctl_t) ctl{};
    ctl.op = c.sizes ? 2 : c.set_space ? 1 : 0;
    ctl.scope = static_cast<uint8_t>(c.scope);
    ctl.space = static_cast<uint8_t>(c.space);
    ctl.va_start = c.sizes ? c.sizes->raw : c.start;
    ctl.va_end = c.end;
    ctl.cfg.enable = c.config.enable;
    ctl.cfg.root.target = static_cast<uint8_t>(c.config.root_target);
    ctl.cfg.root.offset = c.config.root_address;
    ctl.cfg.root_entries = c.config.root_entries;
    ctl.cfg.levels = static_cast<uint8_t>(c.config.levels);
    for (unsigned l = 0; l < 6; ++l) ctl.cfg.bits[l] = c.config.bits[l];
    ctl.cfg.dual = c.config.dual;
    t.ctl_i = Pack(ctl);
  }

  t.ar_ready_i = Random(100) >= manners.ar_stall;
  t.r_valid_i = 0;
  if (Random(100) >= manners.r_stall) {
    std::vector<int> ready;
    for (size_t i = 0; i < bursts_.size(); ++i) {
      if (bursts_[i].due <= now) ready.push_back(static_cast<int>(i));
      if (!ready.empty() && !manners.reorder) break;
    }
    if (!ready.empty()) {
      r_burst_ = ready[Random(static_cast<unsigned>(ready.size()))];
      const Burst& burst = bursts_[static_cast<size_t>(r_burst_)];
      const unsigned words = t.data_words_o;
      const uint64_t beat = (burst.address & ~uint64_t{words * 8 - 1}) + burst.sent * words * 8;
      t.r_valid_i = 1;
      t.r_id_i = static_cast<uint8_t>(burst.id);
      t.r_last_i = burst.sent + 1 == burst.beats;
      t.r_error_i = 0;
      for (unsigned w = 0; w < words; ++w) {
        const TableMemory::Key key{burst.target, beat + w * 8};
        const bool used = burst.beats * words >= 8 || key.second == burst.address;
        const uint64_t newest = used ? memory.Read(key) : 0x1234567890abcdefull;
        t.r_word_i[w] = burst.words.empty() || !used ? newest : burst.words[(key.second - burst.address) / 8];
        if (used && memory.Poisoned(key)) t.r_error_i = 1;
      }
    }
  }
}

/// Records the effects of the next edge, from the values before it.
void Machine::Sample() {
  if (alike_ && t.differs_o) Error(fmt::format("it is not what an MMU with the sizes of {} does", like_));
  if (t.r_valid_i) {
    Burst& burst = bursts_[static_cast<size_t>(r_burst_)];
    if (++burst.sent == burst.beats) bursts_.erase(bursts_.begin() + r_burst_);
  }
  const auto rd = Unpack<GMMU_STRUCT(gmmu_mmu_bench, rd_req_t)>(t.rd_req_o);
  if (rd.ar_valid && t.ar_ready_i) {
    Burst burst;
    burst.id = rd.ar.id;
    burst.target = rd.ar.port == 0 ? 1 : 0;
    burst.address = rd.ar.addr;
    burst.beats = rd.ar.len + 1u;
    burst.due = now + manners.latency + Random(manners.latency_spread + 1);
    for (const Burst& other : bursts_) {
      if (other.id == burst.id) Error("an AXI id is used twice at once");
    }
    if (burst.address % 8 != 0 || (burst.address & 0xfff) + burst.beats * t.data_words_o * 8 > 4096 + 56) {
      Error("a burst is misaligned or crosses 4 KiB");
    }
    if (Random(100) < manners.early_read) {
      const unsigned words = burst.beats == 1 && t.data_words_o < 8 ? 1 : burst.beats * t.data_words_o;
      for (unsigned w = 0; w < words; ++w) burst.words.push_back(memory.Read({burst.target, burst.address + w * 8}));
    }
    bursts_.push_back(burst);
  }

  for (unsigned p = 0; p < ports_; ++p) {
    if (t.req_valid_i[p] && t.req_ready_o[p]) {
      Answer& answer = waiting_[p][offer_[p].tag].emplace();
      answer.request = queue_[p].front();
      answer.accepted = now;
      queue_[p].pop_front();
      offered_[p] = false;
    }
    if (t.rsp_valid_o[p] && !shown_[p]) shown_at_[p] = now;
    shown_[p] = t.rsp_valid_o[p] && !t.rsp_ready_i[p];
    if (t.rsp_valid_o[p] && t.rsp_ready_i[p]) {
      const auto rsp = Unpack<GMMU_STRUCT(gmmu_mmu_bench, xlate_rsp_t)>(t.rsp_o[p]);
      const unsigned tag = rsp.tag;
      if (tag >= kTags || !waiting_[p][tag]) {
        Error(fmt::format("port {} answers tag {}, which is not outstanding", p, tag));
        continue;
      }
      Answer answer = *waiting_[p][tag];
      waiting_[p][tag].reset();
      --pending_;
      answer.answered = shown_at_[p];
      answer.taken = now;
      answer.generation = rsp.generation;
      answer.result.fault = static_cast<regs::Fault>(rsp.fault);
      answer.result.level = rsp.level;
      answer.result.zero = rsp.zero;
      answer.result.coherent = rsp.coherent;
      answer.result.gpa.target = static_cast<regs::Target>(rsp.gpa.target);
      answer.result.gpa.adapter = rsp.gpa.adapter;
      answer.result.gpa.offset = rsp.gpa.offset;
      // The event reports only that some bit above the built width is set.
      const uint64_t above = ~uint64_t{0} << 48;
      const uint64_t seen = (answer.request.va & above) != 0 ? answer.request.va | above : answer.request.va;
      const auto event = Unpack<GMMU_STRUCT(gmmu_mmu_bench, xlate_event_t)>(t.ev_o[p]);
      if (!t.ev_valid_o[p] || event.va != seen || event.fault != rsp.fault) {
        Error(fmt::format("port {}: the event does not match the answer", p));
      }
      if (check) Check(answer, 0, now);
      in_use_[p].push_back({answer, now + 1 + hold_ + Random(manners.done_delay + 1)});
      answers_.push_back(answer);
    } else if (t.ev_valid_o[p]) {
      Error(fmt::format("port {}: an event without an answer", p));
    }
  }

  if (t.ctl_valid_i && t.ctl_ready_o) {
    command_ = commands_.front();
    commands_.pop_front();
    command_busy_ = true;
    command_begun_ = now;
    if (command_.set_space && !command_.sizes) spaces_[command_.space].emplace_back(now, command_.config);
  }
  if (t.ctl_done_o) {
    if (!command_busy_) Error("done without an operation");
    command_busy_ = false;
    const bool equal = command_.set_space && !t.inv_valid_o;
    for (unsigned s = 0; s < 64 && !equal; ++s) {
      const bool all = command_.sizes || (!command_.set_space && command_.scope == regs::Scope::kGlobal);
      if (s != command_.space && !all) continue;
      const bool whole = all || command_.set_space || command_.scope != regs::Scope::kRange;
      flushes_[s].push_back({command_begun_, now, whole, command_.start, command_.end});
    }
    // No translation from before the completed operation may be in use now.
    for (unsigned p = 0; p < ports_ && check && !equal; ++p) {
      for (const Use& use : in_use_[p]) Check(use.answer, 0, now);
    }
  }
}

void Machine::Count() {
  const auto count = Unpack<GMMU_STRUCT(gmmu_mmu_bench, mmu_count_t)>(t.count_o);
  counts.l2_lookups += count.l2_lookup, counts.l2_hits += count.l2_hit, counts.l2_misses += count.l2_miss;
  counts.l2_merged += count.l2_merged, counts.l2_fills += count.l2_fill, counts.table_reads += count.table_read;
  counts.walks += count.walk, counts.walks_ok += count.walk_ok, counts.walks_fault += count.walk_fault;
  counts.walks_redone += count.walk_redone;
  for (unsigned p = 0; p < ports_; ++p) {
    const auto port = Unpack<GMMU_STRUCT(gmmu_mmu_bench, port_count_t)>(t.port_count_o[p]);
    counts.lookups[p] += port.lookup, counts.hits[p] += port.hit, counts.misses[p] += port.miss;
    counts.merged[p] += port.merged, counts.faults[p] += port.fault;
  }
}

void Machine::Step() {
  Drive();
  Settle();
  Sample();
  Count();
  Edge();
}

bool Machine::Run(uint64_t bound) {
  const auto busy = [this] {
    if (pending_ != 0 || !CommandsDone()) return true;
    for (const auto& uses : in_use_) {
      if (!uses.empty()) return true;
    }
    return !t.idle_o;
  };
  const uint64_t end = now + bound;
  for (int extra = 0; extra < 4;) {
    if (now == end) return false;
    Step();
    extra = busy() ? 0 : extra + 1;
  }
  return true;
}

Answer Machine::Translate(const Request& request) {
  answers_.clear();
  Post(request);
  if (!Run(100000)) Error("a lookup was not answered");
  return answers_.empty() ? Answer{} : answers_.back();
}

void Machine::Do(const Control& control) {
  Command(control);
  if (!Run(100000)) Error("an operation did not end");
}

uint64_t Machine::WindowStart(unsigned space, uint64_t va) const {
  uint64_t from = 0;
  const uint64_t page = va >> 12;
  for (const Flush& flush : flushes_[space]) {
    const bool covers = flush.whole ||
                        (flush.start < flush.end && page >= flush.start >> 12 && page <= (flush.end - 1) >> 12);
    if (covers) from = std::max(from, flush.begun);
  }
  return from;
}

void Machine::Check(const Answer& answer, uint64_t from_at_least, uint64_t to) {
  const uint64_t from = std::max(from_at_least, WindowStart(answer.request.space, answer.request.va));
  ++checked_;
  if (Explained(answer, from, to)) return;
  const sim::SpaceConfig space = config(answer.request.space);
  const auto read = [this](regs::Target target, uint64_t address) -> std::optional<uint64_t> {
    const TableMemory::Key key{static_cast<int>(target), address};
    if (memory.Poisoned(key)) return std::nullopt;
    return memory.Read(key);
  };
  const sim::Translation walk = sim::ReferenceWalk(space, answer.request.va, answer.request.access, read);
  const auto say = [](const sim::Translation& what) {
    return fmt::format("fault {} level {} zero {} gpa {}:{:#x}", static_cast<int>(what.fault), what.level, what.zero,
                       static_cast<int>(what.gpa.target), what.gpa.offset);
  };
  Error(fmt::format("port {} space {} va {:#x} access {} accepted {}: got {}, walk now says {}; window from {}",
                    answer.request.port, answer.request.space, answer.request.va,
                    static_cast<int>(answer.request.access), answer.accepted, say(answer.result), say(walk), from));
}

/// Returns whether the response is that of a walk in which each entry was read at some cycle in
/// [from, to]. A faulting entry, and the empty words on the way to it, are never cached, so they
/// must have been read after the request was accepted. The halves of a pair may come from two
/// tables if the entry that points to them changed.
bool Machine::Explained(const Answer& answer, uint64_t from, uint64_t to) {
  const bool of_entry = answer.result.fault == regs::Fault::kEntryInvalid ||
                        answer.result.fault == regs::Fault::kEntryReserved;
  const auto current = [&](const std::pair<TableMemory::Key, uint64_t>& word) {
    const auto fresh = memory.Values(word.first, std::max(from, std::min(answer.accepted, to)), to);
    return !of_entry || std::find(fresh.begin(), fresh.end(), word.second) != fresh.end();
  };
  const auto right = [&](const sim::Translation& walk, const Words& words) {
    if (!(walk == answer.result)) return false;
    for (size_t i = 0; i < words.size(); ++i) {
      const bool nothing = (words[i].second & 3) == 0;
      if ((nothing || i + 1 == words.size()) && !current(words[i])) return false;
    }
    return true;
  };
  const auto& configs = spaces_[answer.request.space];
  for (size_t c = 0; c < configs.size(); ++c) {
    const bool begins = configs[c].first <= to;
    const bool ends = c + 1 < configs.size() && configs[c + 1].first < from;
    if (!begins || ends) continue;
    const sim::SpaceConfig& space = configs[c].second;
    if (AnyWalk(space, answer, from, to, false, right)) return true;
    const auto nothing = [&](const sim::Translation&, const Words& words) {
      for (size_t i = space.levels - 2; i < words.size() && i < space.levels; ++i) {
        const bool poisoned = memory.Poisoned(words[i].first);
        if (!poisoned && (words[i].second & 3) == 0) return current(words[i]);
      }
      return false;
    };
    if (space.dual && AnyWalk(space, answer, from, to, false, nothing) && AnyWalk(space, answer, from, to, true, right))
      return true;
  }
  return false;
}

/// Returns whether `wanted` accepts any of the walks in which each word has a value that it held in
/// [from, to]. second: treats the 64 KiB halves as empty.
bool Machine::AnyWalk(const sim::SpaceConfig& space, const Answer& answer, uint64_t from, uint64_t to, bool second,
                      const std::function<bool(const sim::Translation&, const Words&)>& wanted) {
  std::vector<size_t> choice, options;
  for (;;) {
    Words words;
    unsigned reads = 0;
    const auto reader = [&](regs::Target target, uint64_t address) -> std::optional<uint64_t> {
      if (++reads + 1 == space.levels && second) return 0;
      const TableMemory::Key key{static_cast<int>(target), address};
      const std::vector<uint64_t> values = memory.Values(key, from, to);
      const size_t step = words.size();
      if (step == choice.size()) {
        choice.push_back(0);
        options.push_back(values.size());
      }
      words.emplace_back(key, values[choice[step]]);
      if (memory.Poisoned(key)) return std::nullopt;
      return words.back().second;
    };
    const sim::Translation walk = sim::ReferenceWalk(space, answer.request.va, answer.request.access, reader);
    if (wanted(walk, words)) return true;
    choice.resize(words.size());
    options.resize(words.size());
    while (!choice.empty() && ++choice.back() == options.back()) {
      choice.pop_back();
      options.pop_back();
    }
    if (choice.empty()) return false;
  }
}

}  // namespace gmmu::bench
