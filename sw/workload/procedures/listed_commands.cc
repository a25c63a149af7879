// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>

#include "os/application/facts.h"
#include "os/base/random.h"
#include "os/base/text.h"
#include "os/miniport/allocation.h"
#include "os/vidmm/render_calls.h"
#include "workload/device_copy.h"
#include "workload/life.h"
#include "workload/listed_buffer.h"
#include "workload/needs.h"
#include "workload/preempter.h"
#include "workload/procedures/procedures.h"

namespace gmmu::workload {
namespace {

constexpr uint64_t kUnit = 256;  // granularity of the commands' offsets and sizes

/// An allocation, and its expected contents after all packets have completed.
struct Kept {
  os::Allocation* allocation = nullptr;
  std::vector<uint8_t> bytes;
};

struct User {
  os::GpuProcess* process = nullptr;
  std::vector<Kept> own;
  std::optional<os::PacketId> last;
};

class ListedCommandsOfProcesses {
 public:
  ListedCommandsOfProcesses(Life& life, const ParameterValues& values)
      : life_(life),
        values_(values),
        residency_(life.vidmm.residency()),
        calls_(life.vidmm.render_calls()),
        random_(life.options.seed, "listed commands") {}

  void Run() {
    NeedListedCommands(life_);
    NeedTightMemory();
    Make();
    std::optional<Preempter> preempter;
    const uint32_t node = life_.gpu().facts().render_node;
    if (values_.at("resubmissions_at_least") != 0) preempter.emplace(life_, node);
    for (uint64_t round = 0; round < values_.at("rounds"); ++round) {
      if (life_.options.progress) life_.options.progress("rounds", round, values_.at("rounds"));
      for (User& user : users_) Round(user);
    }
    for (User& user : users_) WaitFor(user);
    if (preempter) preempter->Stop();
    for (const User& user : users_)
      for (const Kept& kept : user.own) Compare(kept);
    for (const Kept& kept : shared_) Compare(kept);
    AtLeast("evictions", residency_.counts().evictions);
    AtLeast("discards", residency_.counts().discards);
    AtLeast("buffers", calls_.counts().buffers);
    AtLeast("pieces", calls_.counts().pieces);
    AtLeast("resubmissions", life_.graphics.resubmissions(node));
    life_.result.bytes += bytes_;
    life_.result.bytes_verified += bytes_;
    End();
  }

 private:
  /// Throws WrongMachine if VRAM is too large for the allocations to cause the evictions or split
  /// buffers that the scenario requires.
  void NeedTightMemory() {
    const uint64_t local = life_.gpu().facts().local.size, each = values_.at("kib") << 10;
    const uint64_t own = values_.at("allocations") * each, all = values_.at("processes") * own;
    const bool evicts = values_.at("evictions_at_least") + values_.at("discards_at_least") != 0;
    const uint64_t places = local + std::max(local, life_.gpu().facts().aperture.size);
    if ((evicts && all < places) || (values_.at("pieces_at_least") != 0 && own < local + local / 4)) {
      throw WrongMachine("VRAM of " + std::to_string(local) +
                         " bytes has room for too many of the allocations; a scenario sets gpu.vram_mib, "
                         "gpu.unit_vram_mib and gpu.aperture_mib");
    }
  }

  Kept MakeAllocation(const std::string& name, const os::GpuProcess* owner) {
    os::AllocationRequest request;
    request.name = name;
    request.bytes = values_.at("kib") << 10;
    request.local_only = values_.at("segment") == 1;
    request.system_only = values_.at("segment") == 2;
    // A new allocation contains zeros, so zeros are its expected contents.
    return {life_.vidmm.CreateAllocation(request, owner), std::vector<uint8_t>(request.bytes)};
  }

  void Make() {
    life_.Work([&] {
      for (uint64_t i = 0; i < values_.at("processes"); ++i) {
        User user;
        user.process = life_.vidmm.CreateProcess("process " + std::to_string(i + 1));
        for (uint64_t k = 0; k < values_.at("allocations"); ++k)
          user.own.push_back(
              MakeAllocation("allocation " + std::to_string(k + 1) + " of " + os::NameOf(*user.process), user.process));
        users_.push_back(std::move(user));
      }
      if (values_.at("shared") != 0) shared_.push_back(MakeAllocation("allocation of all processes", nullptr));
    });
  }

  void WaitFor(User& user) {
    if (!user.last) return;
    if (life_.graphics.Wait(*user.last) == os::PacketEnd::kLost)
      throw os::OsError("the device of " + os::NameOf(*user.process) + " was lost: " + os::WhyLost(*user.process));
    user.last.reset();
  }

  /// Returns allocation number `index`, counting the process's own allocations first and then the
  /// shared ones.
  Kept& Pick(User& user, uint64_t index) {
    return index < user.own.size() ? user.own[index] : shared_[index - user.own.size()];
  }

  // The commands in a buffer, and the buffers of a context, execute in order. Different contexts
  // are not ordered, so a round that uses the shared allocations waits for all packets before and
  // after.
  void Round(User& user) {
    const bool with_shared = !shared_.empty() && turns_++ % 2 == 0;
    if (with_shared)
      for (User& each : users_) WaitFor(each);
    ListedBuffer buffer(life_, user.process, static_cast<uint32_t>(values_.at("buffer_kib") << 10));
    const uint64_t commands = values_.at("commands"), count = user.own.size() + with_shared;
    for (uint64_t command = 0; command < commands; ++command) {
      // With `all`, a round uses every allocation in turn; otherwise it selects allocations at
      // random.
      const uint64_t from = values_.at("all") != 0 ? command % count : random_.Below(count);
      const uint64_t to = with_shared && command == 0 ? count - 1
                          : values_.at("all") != 0    ? (command + 1) % count
                                                      : random_.Below(count);
      Command(user, buffer, Pick(user, from), Pick(user, to));
    }
    if (!buffer.empty()) user.last = buffer.Submit("listed commands");
    if (with_shared) WaitFor(user);
  }

  /// Appends a fill if `from` and `to` are the same allocation. Otherwise appends a copy or a fill,
  /// chosen at random.
  void Command(User& user, ListedBuffer& buffer, Kept& from, Kept& to) {
    const uint64_t size = (1 + random_.Below(to.bytes.size() / kUnit)) * kUnit;
    const uint64_t at = random_.Below((to.bytes.size() - size) / kUnit + 1) * kUnit;
    const uint64_t source = random_.Below((from.bytes.size() - size) / kUnit + 1) * kUnit;
    const auto pattern = static_cast<uint32_t>(random_.Next());
    const bool fill = from.allocation == to.allocation || random_.Below(4) == 0;
    const auto append = [&] {
      return fill ? buffer.Fill(*to.allocation, at, size, pattern)
                  : buffer.Copy(*from.allocation, source, *to.allocation, at, size);
    };
    if (!append()) {
      if (!buffer.empty()) user.last = buffer.Submit("listed commands");
      if (!append()) throw os::OsError("a command does not fit into an empty command buffer");
    }
    bytes_ += size;
    const auto target = to.bytes.begin() + static_cast<ptrdiff_t>(at);
    if (!fill) {
      std::copy_n(from.bytes.begin() + static_cast<ptrdiff_t>(source), size, target);
      return;
    }
    for (uint64_t i = 0; i < size; ++i)
      target[static_cast<ptrdiff_t>(i)] = static_cast<uint8_t>(pattern >> 8 * (i % 4));
  }

  void Compare(const Kept& kept) {
    life_.Work([&] { residency_.Evict(*kept.allocation); });
    std::vector<uint8_t> found = os::InSystemMemory(*kept.allocation);
    if (found.empty()) found.resize(kept.bytes.size());  // the allocation has never been accessed
    life_.Compare("contents of " + os::NameOf(*kept.allocation), Difference(found, kept.bytes));
  }

  void AtLeast(const std::string& what, uint64_t count) {
    const uint64_t least = values_.at(what + "_at_least");
    if (least == 0) return;
    life_.Compare(what,
                  count >= least ? "" : std::to_string(count) + ", at least " + std::to_string(least) + " must be");
  }

  void End() {
    life_.Work([&] {
      for (const Kept& kept : shared_) life_.vidmm.DestroyAllocation(kept.allocation);
      for (const User& user : users_) {
        for (const Kept& kept : user.own) life_.vidmm.DestroyAllocation(kept.allocation);
        life_.vidmm.DestroyProcess(user.process);
      }
    });
  }

  Life& life_;
  const ParameterValues& values_;
  os::Residency& residency_;
  os::RenderCalls& calls_;
  os::Random random_;
  std::vector<User> users_;
  std::vector<Kept> shared_;
  uint64_t turns_ = 0, bytes_ = 0;
};

void RunListedCommands(Life& life, const ParameterValues& values) { ListedCommandsOfProcesses(life, values).Run(); }

}  // namespace

Procedure ListedCommandsProcedure() {
  return {"listed_commands",
          "On a GPU without page tables, processes copy and fill by commands with allocation and patch location lists. "
          "At the end every byte is compared.",
          {{"processes", 2, 1, 8, "Number of processes, each with one context."},
           {"allocations", 4, 1, 64, "Number of allocations per process."},
           {"kib", 64, 4, 1 << 16, "Size of each allocation in KiB, a multiple of 4."},
           {"rounds", 8, 1, 10'000, "Number of command buffers per process."},
           {"commands", 6, 1, 1'000, "Number of commands per command buffer."},
           {"buffer_kib", 0, 0, 1 << 10, "Size of a command buffer in KiB; 0: the size of a DMA buffer."},
           {"all", 0, 0, 1, "1: the commands of a buffer use all allocations of the process in turn. 0: random ones."},
           {"shared", 0, 0, 1, "1: one more allocation is shared by all processes. 0: none."},
           {"segment", 0, 0, 2,
            "Placement of the allocations. 0: the driver's preference; 1: memory segments; 2: the aperture."},
           {"evictions_at_least", 0, 0, 1 << 30, "Minimum number of evictions; 0: not checked."},
           {"discards_at_least", 0, 0, 1 << 30, "Minimum number of evictions without a copy; 0: not checked."},
           {"buffers_at_least", 0, 0, 1 << 30, "Minimum number of DMA buffers filled; 0: not checked."},
           {"pieces_at_least", 0, 0, 1 << 30,
            "Minimum number of pieces in which DMA buffers are submitted; 0: not checked."},
           {"resubmissions_at_least", 0, 0, 1 << 30,
            "Minimum number of resubmitted packets; 0: the node is not preempted."}},
          RunListedCommands,
          ForModel::kPhysical};
}

}  // namespace gmmu::workload
