// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "ddi/dispmprt.h"

namespace gmmu::workload {

struct Life;

/// A second logical adapter of the machine, on the GPUs that the first adapter does not use. It can
/// be started and stopped while the first adapter runs (hot-plug).
class OtherAdapter {
 public:
  /// `life` must outlive the object. The constructor starts nothing. `driver` is the adapter's
  /// driver; null selects the first adapter's driver.
  explicit OtherAdapter(Life& life, PDRIVER_INITIALIZE driver = nullptr);
  ~OtherAdapter();

  /// Powers the adapter on. Throws OsError if no GPU is left for it, or if its start is refused.
  void Start();
  /// Powers the adapter off. Objects created through vidmm() must be destroyed before the call.
  void Stop();
  /// Valid between Start and Stop. Checks are added to the result of the first adapter's run, but
  /// `Work` runs on this adapter's own worker. Do not call `restart` or `power_cycle`.
  Life& life();

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace gmmu::workload
