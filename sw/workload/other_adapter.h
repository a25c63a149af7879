// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <memory>

#include "ddi/dispmprt.h"

namespace gmmu::workload {

struct Life;

/// A second logical adapter of the machine, on the GPUs that the first one does not use. Its device may come and go while
/// the first adapter runs (hot-plug).
class OtherAdapter {
 public:
  /// `life` must outlive the object. Nothing is started. `driver`: the adapter's driver; null: that of the first adapter.
  explicit OtherAdapter(Life& life, PDRIVER_INITIALIZE driver = nullptr);
  ~OtherAdapter();

  /// Powers the adapter on. Throws OsError if there is no GPU for it, or if its start is refused.
  void Start();
  /// Powers the adapter off. Objects created through vidmm() must be destroyed before the call.
  void Stop();
  /// Valid between Start and Stop. Checks are added to the result of the first adapter's run. Work runs on this adapter's
  /// own worker. `restart` and `power_cycle` must not be called.
  Life& life();

 private:
  struct Parts;
  std::shared_ptr<Parts> parts_;
};

}  // namespace gmmu::workload
