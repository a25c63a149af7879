// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/application/facts.h"
#include "workload/clients.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/other_adapter.h"
#include "workload/plug_in.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

/// An application with host memory that a client of one adapter's GPU reads repeatedly, until Stop.
class Onlooker {
 public:
  Onlooker(Life& life, const std::string& name, uint64_t bytes) : life_(life), name_(name), expected_(bytes) {
    FillPattern(expected_.data(), bytes, life.options.seed + 7);
    life.Work([&] {
      buffer_ = os::MakeHostMemory(life.vidmm, bytes);
      buffer_.Write(0, expected_.data(), bytes);
      process_ = life.vidmm.CreateProcess(name);
      va_ = life.vidmm.ReserveVa(*process_, bytes);
      life.vidmm.mappings().MapSystem(*process_, va_, buffer_);
    });
    life.host.Spawn(name, [this] {
      while (!stop_) {
        RunClients(life_.vidmm, {ReadOf(process_, va_, expected_)}, name_ + " reads", checks_);
        ++rounds_;
        // Accesses through a plug-in take no simulated time, so wait here to let other threads run.
        const uint64_t next = life_.host.platform().NowNs() + kPauseNs;
        life_.host.WaitOrFault([&] { return life_.host.platform().NowNs() >= next; }, "the next round", kPauseNs);
      }
      stopped_ = true;
    });
  }
  /// Waits until the client has completed at least one round that it started after this call.
  void Again() {
    const uint64_t before = rounds_;
    life_.host.WaitOrFault([&] { return rounds_ > before + 1; }, name_ + " to read again", 1000);
  }
  void Stop() {
    stop_ = true;
    life_.host.WaitOrFault([&] { return stopped_; }, name_ + " to stop", 1000);
    // The number of rounds depends on how long the other adapter takes, so all rounds are reported
    // as one check.
    const auto wrong = std::find_if(checks_.begin(), checks_.end(), [](const Check& check) { return !check.passed; });
    life_.Compare("what " + name_ + " read", wrong == checks_.end() ? "" : wrong->text);
    life_.Work([&] {
      life_.vidmm.FreeVa(*process_, va_);
      life_.vidmm.DestroyProcess(process_);
      buffer_.Release();
    });
  }
  os::SystemBuffer& buffer() { return buffer_; }
  os::GpuProcess* process() { return process_; }
  uint64_t rounds() const { return rounds_; }

 private:
  Life& life_;
  const std::string name_;
  std::vector<uint8_t> expected_;
  std::vector<Check> checks_;
  os::SystemBuffer buffer_;
  os::GpuProcess* process_ = nullptr;
  static constexpr uint64_t kPauseNs = 1000;
  uint64_t va_ = 0, rounds_ = 0;
  bool stop_ = false, stopped_ = false;
};

class TwoAdapters {
 public:
  TwoAdapters(Life& life, const ParameterValues& values) : life_(life), values_(values), other_(life) {}

  void Run() {
    if (life_.host.platform().firmware().gpus <= life_.graphics.gpus()) {
      NeedCap(PlugIn::Current() == nullptr, "a second device (a device of one's own is the only one)");
      throw WrongMachine(
          "there is no GPU for a second adapter; a scenario sets [machine.gpu] count and [machine.os] "
          "linked_gpus");
    }
    if (life_.graphics.gpus() < values_.at("linked")) {
      throw WrongMachine("the first adapter has " + std::to_string(life_.graphics.gpus()) + " GPUs and must have " +
                         std::to_string(values_.at("linked")) + "; a scenario sets [machine.os] linked_gpus");
    }
    if (values_.at("trespasses") != 0 && !life_.graphics.has_domain())
      throw WrongMachine("an adapter without a domain can read all memory; a scenario sets [machine.os] iommu");
    if (values_.at("isolates") != 0) {
      NeedIsolation(life_);
      if (IsolatesAlways(life_))
        throw WrongMachine("[machine.os] iommu_flags isolates the adapters when they start, not one of them later");
    }
    Onlooker first(life_, "first", values_.at("bytes"));
    first.Again();
    ComesAndGoes(first, "the first time");
    ComesAndGoes(first, "again");
    StartOther();
    AreApart(first.buffer());
    SharesAnObject();
    if (values_.at("isolates") != 0) Isolates(first);
    if (values_.at("resets") != 0) {
      FindProcedure("adapter_reset")->run(other_.life(), {{"pages", 4}, {"hold_us", values_.at("resets")}});
      first.Again();
      Say("a reset of the second adapter leaves the first one alone", life_.graphics.recoveries().empty());
    }
    if (values_.at("trespasses") != 0) Trespasses(first.buffer());
    if (values_.at("removes") != 0) {
      IsRemoved(first);
      other_.Stop();
      first.Again();
      first.Stop();
    } else {
      first.Stop();
      StopsTheFirst();
      other_.Stop();
    }
    life_.result.bytes += values_.at("bytes");
    life_.result.bytes_verified += values_.at("bytes");
  }

 private:
  void Say(const std::string& what, bool right) { life_.Compare(what, right ? "" : "no"); }

  void StartOther() {
    try {
      other_.Start();
    } catch (const os::OsError& error) {
      throw WrongMachine("a second adapter does not start: " + std::string(error.what()) +
                         "; a scenario sets [machine.gpu] count and [machine.os] linked_gpus");
    }
  }

  /// The second adapter is pulled out of its slot while it fills its own memory. Its packet and its
  /// device are lost, and it makes no further access. The first adapter keeps working.
  void IsRemoved(Onlooker& first) {
    hw::Instruments* const instruments = life_.host.platform().instruments();
    NeedCap(instruments != nullptr, "a device that can be taken out of its slot");
    Life& other = other_.life();
    NeedRender(other);
    os::GpuProcess* process = nullptr;
    os::Allocation* memory = nullptr;
    uint64_t va = 0;
    const uint64_t bytes = 256 * kPage;
    other.Work([&] {
      process = other.vidmm.CreateProcess("process of the removed adapter");
      memory = other.vidmm.CreateAllocation("memory", bytes);
      other.vidmm.MakeResident(*memory);
      va = other.vidmm.ReserveVa(*process, bytes);
      other.vidmm.Map(*process, va, *memory, 0, bytes / kPage);
    });
    RenderBuffer commands(other, process, kPage);
    commands.Fill(va, bytes, 0x5EED);
    const os::PacketId packet = commands.Submit("a fill that is cut short");
    const auto pass = [&](uint64_t ns) {
      const uint64_t until = life_.host.platform().NowNs() + ns;
      life_.host.WaitOrFault([&] { return life_.host.platform().NowNs() >= until; }, "time to pass", kPassNs);
    };
    pass(3 * kPassNs);
    Say("it was removed in the middle of a packet", !other.graphics.Ended(packet));
    const os::GpuFacts facts = other.gpu().facts();
    instruments->Unplug(facts.machine_unit);
    pass(20 * kPassNs);  // let accesses in flight complete
    const hw::BusCounts before = instruments->BusAccesses(facts.bdf);
    pass(20 * kPassNs);
    other.graphics.SurpriseRemove();
    Say("its packet is lost", other.graphics.Wait(packet) == os::PacketEnd::kLost);
    Say("its device is lost", os::DeviceLost(*process));
    commands.Release();
    other.Work([&] {
      other.vidmm.FreeVa(*process, va);
      other.vidmm.DestroyAllocation(memory);
      other.vidmm.DestroyProcess(process);
    });
    first.Again();
    const hw::BusCounts after = instruments->BusAccesses(facts.bdf);
    life_.Compare("it makes no access any more",
                  after.total() == before.total() ? ""
                                                  : std::to_string(after.reads - before.reads) + " reads, " +
                                                        std::to_string(after.writes - before.writes) + " writes, " +
                                                        std::to_string(after.messages - before.messages) + " messages");
  }
  static constexpr uint64_t kPassNs = 1000;

  /// The second adapter is plugged in, does work and is removed, while the first adapter's client
  /// reads.
  void ComesAndGoes(Onlooker& first, const std::string& when) {
    StartOther();
    RunSeededMainJob(other_.life(), values_.at("bytes"), "second adapter, " + when + ": ");
    first.Again();
    other_.Stop();
    first.Again();
  }

  /// Checks that the second adapter's domain maps no page of `memory`, which an application of the
  /// first adapter uses.
  void AreApart(const os::SystemBuffer& memory) {
    const os::Adapter mine = life_.graphics, theirs = other_.life().graphics;
    Say("both adapters have the same DMA mode", mine.mode() == theirs.mode());
    if (!mine.has_domain() || !theirs.has_domain()) return;
    uint64_t shared = 0;
    for (uint64_t i = 0; i < memory.host_pages().size(); ++i) {
      const uint64_t host = memory.host_pages()[i];
      shared += theirs.At(memory.page(i)) == host || theirs.At(host) == host;
    }
    life_.Compare("the second adapter's domain has none of the first one's pages",
                  shared == 0 || theirs.domain_has_all() ? "" : std::to_string(shared) + " pages");
  }

  /// Checks that a memory object that is opened on both adapters is the same memory on both.
  void SharesAnObject() {
    if (life_.gpu().facts().interface_version < DXGKDDI_INTERFACE_VERSION_WDDM2_9) return;
    constexpr uint64_t kPages = 3;
    const DXGKRNL_INTERFACE table = life_.gpu().Callbacks();
    life_.Work([&] {
      DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
      create.Size = kPages * kPage;
      create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
      create.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
      create.Mdl.HighAddress.QuadPart = -1;
      Require(table.DxgkCbCreatePhysicalMemoryObject(&create), "a memory object");
      std::vector<std::vector<uint64_t>> pages;
      for (const Life* life : {&life_, &other_.life()}) {
        DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{create.hPhysicalMemoryObject, life->gpu().Callbacks().DeviceHandle,
                                                   nullptr};
        Require(table.DxgkCbOpenPhysicalMemoryObject(&open), "a memory object opened on another adapter");
        DXGKARGCB_ALLOCATE_ADL adl{};
        adl.hAdapterMemoryObject = open.hAdapterMemoryObject;
        adl.Size = kPages * kPage;
        Require(table.DxgkCbAllocateAdl(&adl), "an ADL");
        pages.emplace_back();
        for (uint64_t i = 0; i < kPages; ++i) {
          const uint64_t page = adl.pAdl->Flags.Contiguous ? adl.pAdl->BasePageNumber + i : adl.pAdl->Pages[i];
          pages.back().push_back(life->graphics.has_domain() ? life->graphics.At(page) : page);
        }
        const DXGKARGCB_FREE_ADL free{open.hAdapterMemoryObject, adl.pAdl};
        table.DxgkCbFreeAdl(&free);
        const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT close{open.hAdapterMemoryObject};
        table.DxgkCbClosePhysicalMemoryObject(&close);
      }
      const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT destroy{create.hPhysicalMemoryObject, nullptr};
      table.DxgkCbDestroyPhysicalMemoryObject(&destroy);
      Say("an object that both adapters have opened is the same memory", pages[0] == pages[1]);
    });
  }

  /// GPU isolation is activated on the first adapter while the second adapter's client keeps
  /// reading in its own DMA mode.
  void Isolates(Onlooker& first) {
    Onlooker second(other_.life(), "second", values_.at("bytes"));
    second.Again();
    const os::DmaMode before = other_.life().graphics.mode();
    life_.Work([&] { life_.graphics.StartSecureVm(); });
    second.Again();
    first.Again();
    Say("the first adapter is isolated", life_.graphics.mode() == os::DmaMode::kIdentity);
    Say("the second one's mode is as before", other_.life().graphics.mode() == before);
    second.Stop();
  }

  /// The second adapter's client reads a logical address of the first adapter.
  void Trespasses(os::SystemBuffer& memory) {
    Life& other = other_.life();
    uint64_t page = 0;
    while (page < memory.host_pages().size() && other.graphics.At(memory.page(page)) != ~uint64_t{0}) ++page;
    if (page == memory.host_pages().size())
      throw WrongMachine("every address of the first adapter is also the second's");
    os::SystemBuffer wrong;
    os::GpuProcess* process = nullptr;
    uint64_t va = 0;
    other.Work([&] {
      wrong = os::MakeHostMemory(other.vidmm, kPage);
      wrong.Falsify(0, memory.page(page));
      process = other.vidmm.CreateProcess("trespasser");
      va = other.vidmm.ReserveVa(*process, kPage);
      other.vidmm.mappings().MapSystem(*process, va, wrong);
    });
    ClientRun run = AllLines(process, va, kPage);
    run.fault = regs::Fault::kBusRead;
    RunClients(other.vidmm, {run}, "memory of the first adapter", life_.result.checks);
    // The IOMMU reports the read in a message, which may arrive after the client's fault.
    const uint64_t until = life_.host.platform().NowNs() + 50 * kPassNs;
    life_.host.WaitOrFault([&] { return life_.host.platform().NowNs() >= until; }, "the IOMMU to report the read",
                           kPassNs);
    Say("the IOMMU reported the read", false);
  }

  /// The first adapter is stopped and restarted while the second adapter's client reads.
  void StopsTheFirst() {
    Onlooker second(other_.life(), "second", values_.at("bytes"));
    second.Again();
    const uint64_t before = second.rounds();
    life_.restart(life_.options.os.iommu);
    second.Again();
    Say("the second adapter works while the first one is stopped and started", second.rounds() > before + 1);
    RunSeededMainJob(life_, values_.at("bytes"), "first adapter, restarted: ");
    second.Stop();
  }

  Life& life_;
  const ParameterValues& values_;
  OtherAdapter other_;
};

void RunTwoAdapters(Life& life, const ParameterValues& values) { TwoAdapters(life, values).Run(); }

}  // namespace

Procedure TwoAdaptersProcedure() {
  return {
      "two_adapters",
      "A second adapter is started, works and is stopped while a client of the first one reads. Starting, stopping, "
      "isolating or resetting one adapter must not affect the other, and neither may access the other's memory.",
      {{"bytes", 65536, kPage, 1 << 24, "Number of bytes that each client reads, a multiple of 4096."},
       {"isolates", 0, 0, 1, "1: the first adapter is isolated while it runs."},
       {"resets", 0, 0, 1'000'000,
        "Time in us for which memory does not respond, so that the second adapter is reset; 0: no reset."},
       {"removes", 0, 0, 1, "1: the second adapter is removed from its slot at the end."},
       {"linked", 1, 1, 4, "Minimum number of GPUs of the first adapter."},
       {"trespasses", 0, 0, 1, "1: the second adapter's client reads an address of the first one's memory."}},
      RunTwoAdapters};
}

}  // namespace gmmu::workload
