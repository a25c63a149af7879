// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "os/application/facts.h"
#include "os/base/page_math.h"
#include "os/base/random.h"
#include "os/miniport/allocation.h"
#include "workload/clients.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/page_words.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

constexpr uint64_t kBlock = os::kPagesOf64k;  // in pages; the alignment of views (64 KiB pages)
constexpr size_t kMostProcesses = 3, kMostAllocations = 10;

/// A process, the number that refers to it, and the addresses reserved in it.
struct Member {
  os::GpuProcess* process;
  uint64_t id;
  std::vector<uint64_t> reserved;
};

/// An allocation with its expected contents.
struct Subject {
  os::Allocation* allocation;
  uint64_t owner;
  std::vector<uint8_t> bytes;
};

/// Pages of an allocation that are mapped at consecutive addresses.
struct View {
  uint64_t member;
  os::Allocation* allocation;
  uint64_t va, first_page, pages;
};

/// Random operations on random allocations. Each operation that reads compares all bytes that it
/// read.
class VariedWork {
 public:
  VariedWork(Life& life, const ParameterValues& values)
      : life_(life),
        vidmm_(life.vidmm),
        residency_(life.vidmm.residency()),
        words_(life),
        random_(life.options.seed, "varied work"),
        steps_(values.at("steps")),
        largest_(values.at("largest_bytes")),
        maps_(!life.gpu().facts().physical_model) {}

  void Run() {
    uint64_t local = 0;
    for (const os::SegmentFacts& segment : life_.gpu().facts().memory) local = std::max(local, segment.size);
    if (local != 0 && largest_ > local / 8)
      throw WrongMachine("largest_bytes must be at most an eighth of the largest memory segment, " +
                         std::to_string(local / 8) + "; a scenario sets [machine.gpu] vram_mib");
    MakeProcess();
    MakeAllocation();
    using Step = void (VariedWork::*)();
    static constexpr Step kSteps[] = {
        &VariedWork::MakeProcess, &VariedWork::EndProcess, &VariedWork::MakeAllocation, &VariedWork::DestroyOne,
        &VariedWork::MapSome,     &VariedWork::MapSome,    &VariedWork::UnmapSome,      &VariedWork::UnmapSome,
        &VariedWork::FillSome,    &VariedWork::FillSome,   &VariedWork::Evict,          &VariedWork::WriteByGpu,
        &VariedWork::WriteByGpu,  &VariedWork::CompareAll, &VariedWork::BringIn,
    };
    for (uint64_t step = 0; step < steps_; ++step) {
      if (life_.options.progress) life_.options.progress("varied work", step, steps_);
      (this->*kSteps[random_.Below(std::size(kSteps))])();
    }
    // Perform the operations that the random sequence happened to leave out.
    for (uint64_t more = 0; visitors_ == 0 && more < steps_; ++more) BringIn();
    if (maps_ && neighbours_ == 0) {
      if (subjects_.size() == kMostAllocations) Destroy(0);
      MakeAllocation(std::min(largest_, kBlock * kPage));
    }
    for (uint64_t more = 0; maps_ && neighbours_ == 0 && more < steps_; ++more) {
      Map(subjects_.back());
      UnmapSome();
    }
    for (Subject& subject : subjects_) Compare(subject);
    Say("processes came and went during transfers", visitors_ > 0);
    if (maps_) {
      Say("neighbours of unmapped pages were read", neighbours_ > 0);
      Say("addresses at the ends of the space were mapped", at_ends_ > 0);
    }
    while (!members_.empty()) End(members_.back());
  }

 private:
  void Say(const std::string& what, bool right) { life_.Compare(what, right ? "" : "no"); }

  std::vector<Member>::iterator Find(uint64_t member) {
    return std::find_if(members_.begin(), members_.end(), [&](const Member& m) { return m.id == member; });
  }
  os::GpuProcess* ProcessOf(uint64_t member) { return Find(member)->process; }

  void MakeProcess() {
    if (members_.size() == kMostProcesses) return;
    const uint64_t id = ++made_;
    life_.Work([&] { members_.push_back({vidmm_.CreateProcess("process " + std::to_string(id)), id, {}}); });
  }

  void EndProcess() {
    if (members_.size() > 1) End(members_[random_.Below(members_.size())]);
  }

  void End(const Member& ended) {
    const Member member = ended;
    for (size_t index = 0; index < subjects_.size();)
      if (subjects_[index].owner == member.id) Destroy(index);
      else ++index;
    ForgetViews([&](const View& v) { return v.member == member.id; });
    life_.Work([&] {
      for (uint64_t va : member.reserved) vidmm_.FreeVa(*member.process, va);
      vidmm_.DestroyProcess(member.process);  // also destroys the process's views
    });
    members_.erase(Find(member.id));
  }

  /// Returns a random size: a byte, a page, any number of bytes, whole pages or 64 KiB blocks.
  uint64_t SomeBytes() {
    switch (random_.Below(5)) {
      case 0: return 1;
      case 1: return kPage;
      case 2: return 1 + random_.Below(largest_);
      case 3: return (1 + random_.Below(largest_ / kPage)) * kPage;
      default: return std::min(largest_, (1 + random_.Below(4)) * kBlock * kPage);
    }
  }

  void MakeAllocation() {
    if (subjects_.size() < kMostAllocations) MakeAllocation(0);
  }

  /// Creates an allocation of `bytes` bytes; if `bytes` is 0, the size is random.
  void MakeAllocation(uint64_t bytes) {
    static constexpr UINT kPriorities[] = {D3DDDI_ALLOCATIONPRIORITY_LOW, D3DDDI_ALLOCATIONPRIORITY_NORMAL,
                                           D3DDDI_ALLOCATIONPRIORITY_HIGH};
    const Member& owner = members_[random_.Below(members_.size())];
    os::AllocationRequest request{"allocation " + std::to_string(++made_), bytes != 0 ? bytes : SomeBytes()};
    request.accessed_physically = random_.Below(4) == 0;
    request.system_only = random_.Below(4) == 0;
    request.no_large_pages = random_.Below(4) == 0;
    request.priority = kPriorities[random_.Below(3)];
    Subject subject{nullptr, owner.id, {}};
    life_.Work([&] {
      subject.allocation = vidmm_.CreateAllocation(request, owner.process);
      residency_.MakeResident({subject.allocation});  // first residency, so the contents are zeros
    });
    subject.bytes.assign(os::BytesOf(*subject.allocation), 0);
    subjects_.push_back(std::move(subject));
    BringIn(subjects_.back(), request.bytes);
    Map(subjects_.back());
  }

  void DestroyOne() {
    if (subjects_.size() > 1) Destroy(random_.Below(subjects_.size()));
  }

  void Destroy(size_t index) {
    os::Allocation* const allocation = subjects_[index].allocation;
    life_.Work([&] {
      for (const View& view : views_)
        if (view.allocation == allocation) vidmm_.Unmap(*ProcessOf(view.member), view.va, view.pages);
      vidmm_.DestroyAllocation(allocation);
    });
    ForgetViews([&](const View& v) { return v.allocation == allocation; });
    subjects_.erase(subjects_.begin() + static_cast<ptrdiff_t>(index));
  }

  template <typename Which>
  void ForgetViews(const Which& which) {
    views_.erase(std::remove_if(views_.begin(), views_.end(), which), views_.end());
  }

  Subject& SomeSubject() {
    if (subjects_.empty()) MakeAllocation();
    return subjects_[random_.Below(subjects_.size())];
  }

  Subject& SubjectOf(const View& view) {
    return *std::find_if(subjects_.begin(), subjects_.end(),
                         [&](const Subject& subject) { return subject.allocation == view.allocation; });
  }

  void Want(const Subject& subject) { residency_.MakeResident({subject.allocation}); }

  /// Reserves addresses at either end of the address space (the first calls do), or anywhere.
  uint64_t Reserve(os::GpuProcess& process, uint64_t bytes) {
    const os::Geometry geometry = life_.gpu().facts().geometry;
    const uint64_t block = kBlock * kPage, size = (bytes + block - 1) / block * block;
    std::vector<uint64_t> ends{std::max(geometry.Coverage(0), block)};
    // A resizable root would need all of its entries to map the last addresses, so skip them.
    if (geometry.count() > 2) ends.push_back(geometry.Coverage(geometry.count() - 1) - size);
    const uint64_t where = at_ends_ < ends.size() ? at_ends_ : random_.Below(2 * ends.size());
    if (where >= ends.size()) return vidmm_.ReserveVa(process, size);
    try {
      const uint64_t va = vidmm_.ReserveVa(process, size, ends[where]);
      ++at_ends_;
      return va;
    } catch (const os::OsError&) {
      return vidmm_.ReserveVa(process, size);
    }
  }

  void Map(Subject& subject) {
    if (!maps_) return;
    Member& member = members_[random_.Below(members_.size())];
    const uint64_t all = subject.bytes.size() / kPage;
    View view{member.id, subject.allocation, 0, random_.Below((all + kBlock - 1) / kBlock) * kBlock, 0};
    view.pages = 1 + random_.Below(all - view.first_page);
    life_.Work([&] {
      view.va = Reserve(*member.process, view.pages * kPage);
      member.reserved.push_back(view.va);
      vidmm_.Map(*member.process, view.va, *subject.allocation, view.first_page, view.pages);
    });
    views_.push_back(view);
  }

  void MapSome() {
    if (views_.size() < 3 * kMostAllocations) Map(SomeSubject());
  }

  /// Unmaps some pages of a view. The pages before and after them must stay mapped.
  void UnmapSome() {
    if (views_.empty()) return;
    const size_t index = random_.Below(views_.size());
    const View old = views_[index];
    const uint64_t first = random_.Below(old.pages), pages = 1 + random_.Below(old.pages - first);
    Subject& subject = SubjectOf(old);
    os::GpuProcess& process = *ProcessOf(old.member);
    life_.Work([&] {
      Want(subject);
      vidmm_.Unmap(process, old.va + first * kPage, pages);
    });
    views_.erase(views_.begin() + static_cast<ptrdiff_t>(index));
    const auto keep = [&](uint64_t from, uint64_t count) {
      if (count == 0) return;
      views_.push_back({old.member, old.allocation, old.va + from * kPage, old.first_page + from, count});
      ++neighbours_;
      Read(views_.back());
    };
    keep(0, first);
    keep(first + pages, old.pages - first - pages);
    if (random_.Below(4) == 0)
      words_.Fault(&process, "unmapped page " + std::to_string(++made_), old.va + first * kPage,
                   regs::Fault::kEntryInvalid);
  }

  std::vector<uint8_t> Shown(const View& view) {
    const auto begin = SubjectOf(view).bytes.begin() + static_cast<ptrdiff_t>(view.first_page * kPage);
    return {begin, begin + static_cast<ptrdiff_t>(view.pages * kPage)};
  }

  void Read(const View& view) {
    life_.Work([&] { Want(SubjectOf(view)); });
    RunClients(vidmm_, {ReadOf(ProcessOf(view.member), view.va, Shown(view))}, NameOfView(view) + " read",
               life_.result.checks);
  }

  std::string NameOfView(const View& view) {
    return os::NameOf(*view.allocation) + ", pages " + std::to_string(view.first_page) + " to " +
           std::to_string(view.first_page + view.pages - 1);
  }

  void WriteByGpu() {
    if (views_.empty()) return;
    const View view = views_[random_.Below(views_.size())];
    Subject& subject = SubjectOf(view);
    life_.Work([&] { Want(subject); });
    ClientRun run = AllLines(ProcessOf(view.member), view.va, view.pages * kPage);
    run.pattern = random_.Next();
    run.write = true;
    RunClients(vidmm_, {run}, NameOfView(view) + " written", life_.result.checks);
    const std::vector<uint8_t> now = PatternAt(view.va, view.pages * kPage, *run.pattern);
    std::copy(now.begin(), now.end(), subject.bytes.begin() + static_cast<ptrdiff_t>(view.first_page * kPage));
    Read(view);
  }

  /// Fills part of an allocation with four equal bytes, because the WDDM documentation does not
  /// state whether FillPattern is a byte or a 32-bit word.
  void FillSome() {
    Subject& subject = SomeSubject();
    const uint64_t words = subject.bytes.size() / 4, first = random_.Below(words);
    const uint64_t count = std::min(words - first, 1 + random_.Below(random_.Below(2) == 0 ? 512 : words));
    const auto value = static_cast<uint8_t>(random_.Below(256));
    life_.Work([&] {
      Want(subject);
      vidmm_.transfers().Fill(*subject.allocation, first * 4, count * 4, value * 0x01010101u);
    });
    std::fill_n(subject.bytes.begin() + static_cast<ptrdiff_t>(first * 4), count * 4, value);
  }

  void BringIn() {
    Subject& subject = SomeSubject();
    BringIn(subject, 1 + random_.Below(subject.bytes.size()));
  }

  /// Pages in the first `bytes` bytes. Meanwhile, another process is created, uses the GPU and is
  /// destroyed.
  void BringIn(Subject& subject, uint64_t bytes) {
    const uint64_t seed = random_.Next();
    life_.Work([&] {
      Want(subject);
      os::SystemBuffer source = os::MakeHostMemory(vidmm_, subject.bytes.size());
      FillPattern(subject.bytes.data(), bytes / 8 * 8, seed);
      std::fill_n(subject.bytes.begin() + static_cast<ptrdiff_t>(bytes / 8 * 8), bytes % 8, static_cast<uint8_t>(seed));
      source.Write(0, subject.bytes.data(), subject.bytes.size());
      bool visited = random_.Below(4) != 0;
      vidmm_.transfers().PageIn(*subject.allocation, source, bytes, [&](uint64_t) {
        if (!std::exchange(visited, true)) Visit();
      });
      source.Release();
    });
  }

  void Visit() {
    os::GpuProcess* const visitor = vidmm_.CreateProcess("visitor " + std::to_string(++visitors_));
    os::SystemBuffer page = os::MakeHostMemory(vidmm_, kPage);
    if (maps_) {
      const uint64_t va = vidmm_.ReserveVa(*visitor, kPage);
      vidmm_.mappings().MapSystem(*visitor, va, page, 0, 1);
      vidmm_.FreeVa(*visitor, va);
    }
    vidmm_.DestroyProcess(visitor);
    page.Release();
  }

  void Evict() {
    Subject& subject = SomeSubject();
    life_.Work([&] { residency_.Evict(*subject.allocation); });
  }

  void CompareAll() {
    for (Subject& subject : subjects_) Compare(subject);
    for (const View& view : views_) Read(view);
  }

  /// Pages out all but the last few bytes. Checks that only the paged-out bytes were written.
  void Compare(Subject& subject) {
    const uint64_t bytes = subject.bytes.size(), some = bytes - random_.Below(std::min<uint64_t>(bytes, 64));
    std::vector<uint8_t> found(bytes), expected = subject.bytes;
    life_.Work([&] {
      Want(subject);
      os::SystemBuffer target = os::MakeHostMemory(vidmm_, bytes);
      std::fill(expected.begin() + static_cast<ptrdiff_t>(some), expected.end(), uint8_t{0x5A});
      const std::vector<uint8_t> before(bytes, 0x5A);
      target.Write(0, before.data(), bytes);
      vidmm_.transfers().PageOut(*subject.allocation, target, some);
      std::memcpy(found.data(), target.Map(0, bytes), bytes);
      target.Unmap();
      target.Release();
    });
    life_.Compare("bytes of " + os::NameOf(*subject.allocation), Difference(found, expected));
    life_.result.bytes += some;
    life_.result.bytes_verified += some;
  }

  Life& life_;
  os::VidMm& vidmm_;
  os::Residency& residency_;
  PageWords words_;
  os::Random random_;
  const uint64_t steps_, largest_;
  const bool maps_;  // true if the GPU has page tables
  std::vector<Member> members_;
  std::vector<Subject> subjects_;
  std::vector<View> views_;
  uint64_t made_ = 0, neighbours_ = 0, visitors_ = 0, at_ends_ = 0;
};

void RunVariedWork(Life& life, const ParameterValues& values) { VariedWork(life, values).Run(); }

}  // namespace

Procedure VariedWorkProcedure() {
  return {"varied_work",
          "Performs random steps on allocations of any size: they are created, filled, paged in and out, evicted, "
          "mapped in several processes and at both ends of the address space, and unmapped next to mapped neighbours, "
          "while processes come and go.",
          {{"steps", 120, 1, 100'000, "Number of random steps."},
           {"largest_bytes", 1 << 18, 2 * kPage, 1 << 26, "Size of the largest allocation in bytes."}},
          RunVariedWork,
          ForModel::kBoth};
}

}  // namespace gmmu::workload
