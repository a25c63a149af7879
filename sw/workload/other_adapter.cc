// SPDX-License-Identifier: Apache-2.0
#include "workload/other_adapter.h"

#include <exception>
#include <optional>

#include "os/base/errors.h"
#include "os/dxgkrnl/dxgkrnl.h"
#include "os/dxgkrnl/logical_adapter.h"
#include "os/kernel/kernel.h"
#include "os/threads/worker.h"
#include "os/vidmm/vidmm_link.h"
#include "os/vidsch/vidsch.h"
#include "workload/life.h"

namespace gmmu::workload {

struct OtherAdapter::Parts {
  Parts(Life& life, PDRIVER_INITIALIZE driver)
      : first(life),
        adapter(life.dxgkrnl, driver == nullptr ? life.options.driver : driver),
        worker(life.kernel.scheduler(), "second vidmm worker") {
    adapter.vidsch().set_adapter_reset([this] { worker.Call([this] { link->Rebuild(); }); });
  }
  Life& first;
  os::LogicalAdapter adapter;
  os::Worker worker;
  std::optional<os::VidMmLink> link;
  std::optional<Life> life;
};

OtherAdapter::OtherAdapter(Life& life, PDRIVER_INITIALIZE driver) : parts_(std::make_shared<Parts>(life, driver)) {
  life.kept.push_back(parts_);
}

OtherAdapter::~OtherAdapter() { parts_->worker.Stop(); }

void OtherAdapter::Start() {
  Parts& parts = *parts_;
  std::exception_ptr refusal;  // an exception that escapes from the worker would end the whole run
  parts.worker.Call([&] {
    refusal = os::RefusalOf([&] { parts.adapter.Start(); });
    if (refusal) return parts.adapter.GiveUp();
    parts.link.emplace(parts.adapter);
    parts.link->Start();
  });
  if (refusal) std::rethrow_exception(refusal);
  Life& first = parts.first;
  parts.life.emplace(Life{first.kernel, first.dxgkrnl, parts.adapter, parts.worker, *parts.link, parts.link->on(0),
                          first.options, first.result, nullptr, nullptr, first.kept});
}

void OtherAdapter::Stop() {
  Parts& parts = *parts_;
  parts.life.reset();
  parts.worker.Call([&] {
    parts.link->Stop();
    parts.adapter.Stop();
  });
}

Life& OtherAdapter::life() { return *parts_->life; }

}  // namespace gmmu::workload
