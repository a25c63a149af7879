// SPDX-License-Identifier: Apache-2.0
#include "probe/translation_checker.h"

#include <algorithm>
#include <cstring>
#include <new>

#include <fmt/format.h>

namespace gmmu::sim {
namespace {

constexpr uint64_t kPageLg2 = 12;
constexpr size_t kMostRecent = 4'096;      // limit on recorded old words of untracked pages
constexpr size_t kMostChanges = 1u << 20;  // limit on recorded changes; the oldest is dropped
constexpr size_t kMostFindings = 64;
constexpr size_t kMostMemos = 1u << 18;  // limit per space
constexpr uint64_t kConfigKey = ~uint64_t{0};

/// Whether a response agrees with a walk in all fields that the event port reports: not the
/// coherent bit, and the level only if there is a fault.
bool Agrees(const TranslationEvent& event, const Translation& walk) {
  if (event.fault != walk.fault) return false;
  if (walk.fault != regs::Fault::kNone) return event.level == walk.level;
  if (event.zero != walk.zero) return false;
  return walk.zero || event.gpa == walk.gpa;
}

std::string Text(const Translation& t) {
  if (t.fault != regs::Fault::kNone) return fmt::format("{} at level {}", regs::NameOf(t.fault), t.level);
  if (t.zero) return "zero page";
  return fmt::format("{} {:#x}", regs::NameOf(t.gpa.target), t.gpa.offset);
}

std::string Text(const TranslationEvent& e) {
  Translation t;
  t.fault = e.fault;
  t.level = e.level;
  t.zero = e.zero;
  t.gpa = e.gpa;
  return Text(t);
}

}  // namespace

TranslationChecker::TranslationChecker(unsigned spaces, VramCore& vram, HostReader host)
    : vram_(vram),
      host_(std::move(host)),
      spaces_(spaces),
      pages_((vram.size() >> kPageLg2) + 1),
      versions_(static_cast<uint64_t*>(std::calloc(pages_, sizeof(uint64_t)))),
      old_words_(kMostRecent) {
  if (versions_ == nullptr) throw std::bad_alloc();
  vram_.AddWriteHook([this](uint64_t address, const uint8_t*, size_t size) { VramWritten(address, size); });
}

// ---- the history of tables

void TranslationChecker::VramWritten(uint64_t address, size_t size) {
  constexpr uint64_t kWord = sizeof(uint64_t), kPage = uint64_t{1} << kPageLg2;
  const uint64_t end = (address + size + kWord - 1) / kWord * kWord;
  for (uint64_t at = address / kWord * kWord; at < end;) {
    const uint64_t part = std::min(end - at, kPage - at % kPage);
    if (uint64_t& version = versions_[at >> kPageLg2]; version == 0) {
      Keep(at, part / kWord);
    } else {
      for (uint64_t word = at; word < at + part; word += kWord) {
        uint64_t old = 0;
        std::memcpy(&old, vram_.data() + word, sizeof old);
        ++now_;
        ++version;
        Remember(word, old, 0);
      }
    }
    at += part;
  }
}

/// Records the old contents of words in an untracked page, which are about to be overwritten. They
/// replace the oldest records.
void TranslationChecker::Keep(uint64_t address, size_t words) {
  const uint64_t room = kMostRecent - old_next_ % kMostRecent;
  if (words > room) old_next_ += room;  // keep the words contiguous in the ring buffer
  recent_.push_back({now_ + 1, address, words, old_next_});
  std::memcpy(&old_words_[old_next_ % kMostRecent], vram_.data() + address, words * sizeof(uint64_t));
  old_next_ += words;
  now_ += words;
  while (recent_.front().first + kMostRecent < old_next_) recent_.pop_front();
}

void TranslationChecker::Remember(uint64_t key, uint64_t old, unsigned config) {
  changes_.push_back({now_, key, old, config});
  if (changes_.size() > kMostChanges) {
    horizon_ = changes_.front().time + 1;
    changes_.pop_front();
  }
}

/// Starts to track a page that was found to hold a table. The recorded old words of its most recent
/// writes are inserted into the history.
void TranslationChecker::FollowPage(uint64_t page) {
  versions_[page] = 1;
  vram_.Touch(page << kPageLg2, 1);
  const auto known = static_cast<ptrdiff_t>(changes_.size());
  for (Write& write : recent_) {
    if (write.address >> kPageLg2 != page) continue;
    for (size_t i = 0; i < write.words; ++i)
      changes_.push_back(
          {write.time + i, write.address + i * sizeof(uint64_t), old_words_[(write.first + i) % kMostRecent], 0});
    write.words = 0;
  }
  const auto by_time = [](const Change& a, const Change& b) { return a.time < b.time; };
  const auto found = changes_.begin() + known;
  if (found == changes_.end()) return;
  std::inplace_merge(std::lower_bound(changes_.begin(), found, *found, by_time), found, changes_.end(), by_time);
}

std::optional<uint64_t> TranslationChecker::ReadNow(regs::Target target, uint64_t address) {
  const uint64_t key = KeyOf(target, address);
  visited_.insert(key);
  if (target == regs::Target::kVram) {
    uint64_t word = 0;
    if (!vram_.Read(address, &word, sizeof word)) return std::nullopt;
    if (versions_[address >> kPageLg2] == 0) FollowPage(address >> kPageLg2);
    return word;
  }
  touched_host_ = true;
  const std::optional<uint64_t> word = host_(address);
  if (!word) return std::nullopt;
  const auto [seen, first] = host_words_.try_emplace(key, *word);
  if (!first && seen->second != *word) {
    ++now_;
    Remember(key, seen->second, 0);
    seen->second = *word;
  }
  return word;
}

std::optional<uint64_t> TranslationChecker::ReadAt(const std::unordered_map<uint64_t, uint64_t>& past,
                                                   regs::Target target, uint64_t address) {
  const std::optional<uint64_t> word = ReadNow(target, address);
  if (!word) return std::nullopt;
  const auto old = past.find(KeyOf(target, address));
  return old == past.end() ? word : old->second;
}

// ---- spaces and invalidations

void TranslationChecker::RegisterWritten(uint32_t offset, uint64_t data, unsigned strobe) {
  if (offset < regs::kSpaceBase) return;
  const uint32_t index = (offset - regs::kSpaceBase) / regs::kSpaceStride;
  if (index >= spaces_.size()) return;
  const uint32_t which = (offset - regs::kSpaceBase) % regs::kSpaceStride;
  Space& space = spaces_[index];
  uint64_t& latch = space.latch[which == regs::SpaceRoot::kOffset ? 1 : 0];
  if ((strobe & 0x0F) != 0) latch = data & 0xFFFF'FFFF;
  if ((strobe & 0xF0) == 0) return;  // only a write to the high half commits the register
  const uint64_t value = (data & ~uint64_t{0xFFFF'FFFF}) | latch;
  if (which == regs::SpaceGeometry::kOffset) space.geometry = value;
  else if (which == regs::SpaceRoot::kOffset) CommitSpace(index, value);
}

void TranslationChecker::CommitSpace(unsigned index, uint64_t root) {
  Space& space = spaces_[index];
  const SpaceConfig config = SpaceConfig::FromRegisters(space.geometry, root);
  space.root = root;
  if (config == space.config) return;
  ++now_;
  old_configs_.push_back(space.config);
  changes_.push_back({now_, kConfigKey, index, static_cast<unsigned>(old_configs_.size())});
  space.config = config;
  space.memo.clear();
  space.last = nullptr;
}

void TranslationChecker::Invalidated(const InvalidationEvent& event) {
  ++invalidations_;
  if (event.scope == regs::Scope::kGlobal) {
    for (unsigned i = 0; i < spaces_.size(); ++i) {
      ++now_;
      spaces_[i].flushed = now_;
      spaces_[i].ranges.clear();
    }
    return;
  }
  if (event.space >= spaces_.size()) return;
  const bool all = event.scope == regs::Scope::kSpace;
  ++now_;
  Space& space = spaces_[event.space];
  if (all) {
    space.flushed = now_;
    space.ranges.clear();
  } else {
    space.ranges.push_back({event.start, event.end, now_});
  }
}

void TranslationChecker::NoteFlush(unsigned index, uint64_t start, uint64_t end) {
  ++flushes_;
  if (index >= spaces_.size()) return;
  ++now_;
  Space& space = spaces_[index];
  if (start == 0 && end == ~uint64_t{0}) {
    space.flushed = now_;
    space.ranges.clear();
  } else {
    space.ranges.push_back({start, end, now_});
  }
}

uint64_t TranslationChecker::WindowStart(const Space& space, uint64_t va) const {
  for (auto range = space.ranges.rbegin(); range != space.ranges.rend(); ++range) {
    if (va >= range->start && va < range->end) return range->time;
  }
  return space.flushed;
}

// ---- responses

void TranslationChecker::Answered(uint64_t cycle, const TranslationEvent& event) {
  ++answers_;
  if (event.space >= spaces_.size()) {  // the hardware has no such space
    Translation expected;
    expected.fault = regs::Fault::kSpaceDisabled;
    if (!Agrees(event, expected)) Fail(cycle, event, expected, 0);
    return;
  }
  Space& space = spaces_[event.space];
  const uint64_t page = event.va >> kPageLg2;
  const uint64_t key = page << 2 | static_cast<uint64_t>(event.access);
  if (space.last == nullptr || space.last_key != key) {
    if (space.memo.size() > kMostMemos) space.memo.clear();
    space.last = &space.memo[key];
    space.last_key = key;
  }
  Memo& memo = *space.last;
  if (!Current(memo)) Fill(memo, space, event);
  Translation expected = memo.answer;
  expected.gpa.offset += event.va & ((uint64_t{1} << kPageLg2) - 1);
  if (Agrees(event, expected)) return;
  const uint64_t from = std::max(WindowStart(space, event.va), horizon_);
  if (MatchesThePast(event, from)) {
    ++past_;
    return;
  }
  Fail(cycle, event, expected, from);
}

bool TranslationChecker::Current(const Memo& memo) const {
  uint64_t versions = 0;
  for (unsigned i = 0; i < memo.pages; ++i) versions += versions_[memo.page[i]];
  return memo.valid && versions == memo.versions;
}

void TranslationChecker::Fill(Memo& memo, const Space& space, const TranslationEvent& event) {
  ++walks_;
  visited_.clear();
  touched_host_ = false;
  memo.answer = ReferenceWalk(space.config, event.va >> kPageLg2 << kPageLg2, event.access,
                              [this](regs::Target target, uint64_t address) { return ReadNow(target, address); });
  memo.valid = !touched_host_;  // walks of tables in host memory are never memoized
  memo.pages = 0;
  memo.versions = 0;
  for (const uint64_t key : visited_) {
    const uint64_t page = key >> kPageLg2;
    if ((key & kHostTag) != 0 || page >= pages_ || memo.pages == kWalkWords) continue;
    memo.page[memo.pages++] = static_cast<uint32_t>(page);
    memo.versions += versions_[page];
  }
}

/// Tries earlier states of the tables: reverts the changes in the window, latest first, until a
/// walk agrees.
bool TranslationChecker::MatchesThePast(const TranslationEvent& event, uint64_t from) {
  std::unordered_map<uint64_t, uint64_t> past;
  SpaceConfig config = spaces_[event.space].config;
  visited_.clear();
  const auto read = [&](regs::Target t, uint64_t a) { return ReadAt(past, t, a); };
  (void)ReferenceWalk(config, event.va, event.access, read);  // fills visited_ with the words read
  std::vector<Change> window;
  const auto collect = [&] {
    window.clear();
    for (auto change = changes_.rbegin(); change != changes_.rend() && change->time > from; ++change)
      window.push_back(*change);
  };
  collect();
  for (size_t i = 0; i < window.size(); ++i) {
    const Change change = window[i];
    bool matters = false;
    if (change.config != 0) {
      if (change.old == event.space) {
        config = old_configs_[change.config - 1];
        matters = true;
      }
    } else {
      past[change.key] = change.old;
      matters = visited_.count(change.key) != 0;
    }
    if (!matters) continue;
    const size_t before = changes_.size();
    if (Agrees(event, ReferenceWalk(config, event.va, event.access, read))) return true;
    // The walk read a new table page, whose recorded changes are now in the history: start over.
    if (changes_.size() != before) {
      past.clear();
      config = spaces_[event.space].config;
      collect();
      i = ~size_t{0};
    }
  }
  return false;
}

void TranslationChecker::Fail(uint64_t cycle, const TranslationEvent& event, const Translation& expected,
                              uint64_t from) {
  ++wrong_;
  if (findings_.size() >= kMostFindings) return;
  findings_.push_back({"translation", fmt::format("cycle {}, port {}: {} of {:#x} in space {} was answered {}; the "
                                                  "tables say {}, and so at "
                                                  "every moment since the last flush (moment {} of {})",
                                                  cycle, event.port, regs::NameOf(event.access), event.va, event.space,
                                                  Text(event), Text(expected), from, now_)});
}

std::vector<hw::Counter> TranslationChecker::Counters() const {
  return {
      {"translation_checker", "answers", answers_, "answers", "Translations compared with the reference walk."},
      {"translation_checker", "walks", walks_, "walks", "Reference walks done for it."},
      {"translation_checker", "older_tables", past_, "answers",
       "Right by tables that were changed later, not flushed yet."},
      {"translation_checker", "wrong", wrong_, "answers", "Wrong at every moment of their window."},
      {"translation_checker", "invalidations", invalidations_, "invalidations", "Completed invalidations seen."},
      {"translation_checker", "flushes_noted", flushes_, "flushes", "Flushes that the operating system counted on."},
  };
}

}  // namespace gmmu::sim
