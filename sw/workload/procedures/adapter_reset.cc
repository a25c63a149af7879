// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <memory>
#include <vector>

#include "workload/clients.h"
#include "workload/copier.h"
#include "workload/life.h"
#include "workload/needs.h"
#include "workload/plug_in.h"
#include "workload/procedures/procedures.h"
#include "workload/render_buffer.h"

namespace gmmu::workload {
namespace {

constexpr size_t kMostResets = 4;  // maximum number of resets; below the default os.tdr_limit_count

std::string Unless(bool held, const std::string& otherwise) { return held ? "" : otherwise; }

/// A process whose packet reads host memory that does not respond for a while. During that time,
/// the engine that executes the packet can be neither preempted nor reset.
class Guilty {
 public:
  Guilty(Life& life, uint64_t hold_ns) : life_(life) {
    uint64_t target_va = 0;
    life.Work([&] {
      source_ = os::MakeHostMemory(life.vidmm, kPage);
      process_ = life.vidmm.CreateProcess("guilty process");
      target_ = life.vidmm.CreateAllocation("target", kPage);
      life.vidmm.MakeResident(*target_);
      // A 64 KiB page can be mapped only where the low 16 bits of the virtual address equal those
      // of the page's address (Allocation::MayShow).
      const uint64_t apart = life.gpu().facts().geometry.leaf_64k_bytes != 0 ? 65536 : kPage;
      va_ = life.vidmm.ReserveVa(*process_, 2 * apart);
      target_va = va_ + apart;
      life.vidmm.mappings().MapSystem(*process_, va_, source_);
      life.vidmm.Map(*process_, target_va, *target_, 0, 1);
    });
    commands_ = std::make_unique<RenderBuffer>(life, process_, kPage);
    commands_->Copy(va_, target_va, kPage);
    hw::Instruments* instruments = life.host.platform().instruments();
    if (instruments == nullptr) throw os::OsError("this machine has no instruments: nobody can hold its answers");
    instruments->HoldReads(life.gpu().facts().machine_unit, source_.logical(), life.host.platform().NowNs() + hold_ns);
    packet_ = commands_->Submit("a copy from memory that does not answer");
  }
  os::PacketEnd Wait() { return life_.graphics.Wait(packet_); }
  bool lost() const { return os::DeviceLost(*process_); }
  const std::string& name() const { return os::NameOf(*process_); }
  void End() {
    commands_->Release();
    life_.Work([&] {
      life_.vidmm.FreeVa(*process_, va_);
      life_.vidmm.DestroyAllocation(target_);
      life_.vidmm.DestroyProcess(process_);
      source_.Release();
    });
  }

 private:
  Life& life_;
  os::SystemBuffer source_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* target_ = nullptr;
  uint64_t va_ = 0;
  std::unique_ptr<RenderBuffer> commands_;
  os::PacketId packet_ = 0;
};

/// An application whose data is in system memory when the adapter is reset. After the reset, the
/// application creates a new device and restores the data to it.
class Survivor {
 public:
  Survivor(Life& life, uint64_t pages) : life_(life), bytes_(pages * kPage), expected_(bytes_) {
    FillPattern(expected_.data(), bytes_, life.options.seed + 1);
    life.Work([&] {
      kept_ = os::MakeHostMemory(life.vidmm, bytes_);
      uint8_t* const cpu = kept_.Map(0, bytes_);
      std::memcpy(cpu, expected_.data(), bytes_);
      Make();
      life.vidmm.transfers().PageIn(*allocation_, kept_, bytes_);
      std::memset(cpu, 0, bytes_);
      life.vidmm.transfers().PageOut(*allocation_, kept_, bytes_);
      kept_.Unmap();
    });
  }
  bool lost() const { return os::DeviceLost(*process_); }
  /// Destroys the objects that the reset has invalidated, and creates new ones.
  void ComeBack() {
    life_.Work([&] {
      Unmake();
      Make();
      life_.vidmm.transfers().PageIn(*allocation_, kept_, bytes_);
    });
    RunClients(life_.vidmm, {ReadOf(process_, va_, expected_)}, os::NameOf(*process_) + ", what came back",
               life_.result.checks);
  }
  void End() {
    life_.Work([&] {
      Unmake();
      kept_.Release();
    });
  }

 private:
  void Make() {
    process_ = life_.vidmm.CreateProcess("surviving process");
    allocation_ = life_.vidmm.CreateAllocation("its bytes", bytes_);
    life_.vidmm.MakeResident(*allocation_);
    va_ = life_.vidmm.ReserveVa(*process_, bytes_);
    life_.vidmm.Map(*process_, va_, *allocation_, 0, bytes_ / kPage);
  }
  void Unmake() {
    life_.vidmm.FreeVa(*process_, va_);
    life_.vidmm.DestroyAllocation(allocation_);
    life_.vidmm.DestroyProcess(process_);
  }

  Life& life_;
  const uint64_t bytes_;
  std::vector<uint8_t> expected_;
  os::SystemBuffer kept_;
  os::GpuProcess* process_ = nullptr;
  os::Allocation* allocation_ = nullptr;
  uint64_t va_ = 0;
};

void ResetAndGoOn(Life& life, const ParameterValues& values) {
  NeedRender(life);
  NeedCap(PlugIn::Current() == nullptr, "reads of the device that can be held back (only this project's GPU)");
  NeedTimeoutWithin(life, values.at("hold_us") * 1000);
  Survivor survivor(life, values.at("pages"));
  // A driver may try to reset its engine for any length of time. If memory responds before the
  // driver gives up, only the engine is reset. The hold time is therefore quadrupled until the
  // adapter is reset.
  size_t resets = 0;
  std::unique_ptr<Guilty> guilty;
  for (uint64_t hold_ns = values.at("hold_us") * 1000; resets < kMostResets; hold_ns *= 4) {
    guilty = std::make_unique<Guilty>(life, hold_ns);
    life.Compare("the packet of the guilty process is lost",
                 Unless(guilty->Wait() == os::PacketEnd::kLost, "it completed"));
    ++resets;
    const auto recovered = [&] {
      const auto recoveries = life.graphics.recoveries();
      return recoveries.size() == resets &&
             (!recoveries.back().adapter || life.graphics.CallsOf("DxgkDdiRestartFromTimeout") != 0);
    };
    life.host.Wait(recovered, "the recovery of the engine or the adapter", 1000);
    if (life.graphics.recoveries().back().adapter) break;
    guilty->End();
  }
  const auto calls = [&](const char* entry, uint64_t expected) {
    const uint64_t count = life.graphics.CallsOf(entry);
    life.Compare(std::string(entry) + " is called once", Unless(count == expected, std::to_string(count) + " times"));
  };
  calls("DxgkDdiResetEngine", resets);
  calls("DxgkDdiResetFromTimeout", 1);
  calls("DxgkDdiRestartFromTimeout", 1);
  const os::RecoveryFacts last = life.graphics.recoveries().back();
  life.Compare("the adapter was reset once, because the engine of the guilty process could not be",
               Unless(last.adapter && last.device == guilty->name() &&
                          last.why.find("the engine could not be reset") != std::string::npos,
                      "for \"" + last.device + "\": " + last.why));
  life.Compare("every device is lost", Unless(guilty->lost() && survivor.lost(), "one is not"));
  guilty->End();
  survivor.ComeBack();
  Copier goes_on(life, "new process", 4, 2);
  for (uint32_t round = 1; round <= 2; ++round) goes_on.SubmitRound(round);
  life.Compare("packets go on", Unless(goes_on.Finish() == os::PacketEnd::kCompleted, "one was lost"));
  goes_on.Check();
  const size_t count = life.graphics.recoveries().size();
  life.Compare("nothing else had to be recovered", Unless(count == resets, std::to_string(count) + " recoveries"));
  life.result.bytes += values.at("pages") * kPage + goes_on.bytes();
  life.result.bytes_verified = life.result.bytes;
  goes_on.End();
  survivor.End();
}

// No paging buffer is in flight while the memory does not respond, so none may be lost.
void RunAdapterReset(Life& life, const ParameterValues& values) {
  try {
    ResetAndGoOn(life, values);
  } catch (const os::AdapterWasReset&) {
    throw WrongMachine("a paging buffer takes longer than [machine.os] tdr_delay_us = " +
                       std::to_string(life.options.os.tdr_delay_us) + " on this machine, although nothing hangs");
  }
}

}  // namespace

Procedure AdapterResetProcedure() {
  return {"adapter_reset",
          "A process reads host memory that does not respond for a while. Its engine cannot be reset, so the adapter "
          "is reset and rebuilt. Another process's bytes are restored from system memory, and packets continue.",
          {{"pages", 16, 1, 4096, "Number of pages of the process whose bytes are restored."},
           {"hold_us", 2000, 1, 1'000'000,
            "Time in us for which the memory does not respond, shorter than the driver waits in an adapter reset; four "
            "times as long after each attempt in which the engine could be reset."}},
          RunAdapterReset};
}

}  // namespace gmmu::workload
