// SPDX-License-Identifier: Apache-2.0
#include "os/tables/windows_22621.h"

#include <algorithm>

#include "os/base/bring_up.h"
#include "os/miniport/geometry.h"
#include "os/tables/table_tree.h"

namespace gmmu::os {

PageTable& Windows22621::WriteInvalid(unsigned level, uint64_t va, const UpdateSink& sink) {
  PageTable& table = tree_.Place(level, va);
  Initialise(table, tree_.ExtentAt(level, va), sink);
  table.written = true;
  return table;
}

PageTable& Windows22621::Build(unsigned level, uint64_t va, const UpdateSink& sink) {
  const unsigned top = tree_.root().level();
  for (unsigned up = top; up-- > level;) tree_.Place(up, va);
  if (level == 0) WriteInvalid(0, va, sink);
  else tree_.WriteLinks(level, va, sink);
  for (unsigned up = level + 1; up <= top; ++up) {
    if (tree_.Place(up, va).written) {
      tree_.WriteLink(up - 1, va, sink);
      break;
    }
    tree_.WriteLinks(up, va, sink);
  }
  return tree_.Place(level, va);
}

void Windows22621::MakeWhole(uint64_t va_end, const UpdateSink& sink) {
  const Geometry& geometry = tree_.geometry();
  const unsigned top = tree_.root().level();
  for (unsigned level = top; level-- > 0;) {
    for (uint64_t va = 0; va < va_end; va += geometry.Coverage(level)) tree_.Place(level, va);
  }
  for (uint64_t va = 0; va < va_end; va += geometry.Coverage(0)) WriteInvalid(0, va, sink);
  for (uint64_t va = 0; va < va_end; va += geometry.Coverage(1)) {
    WriteInvalid(1, va, sink);
    for (uint64_t leaf = va; leaf < std::min(va_end, va + geometry.Coverage(1)); leaf += geometry.Coverage(0))
      tree_.WriteLink(0, leaf, sink);
  }
  for (unsigned level = 2; level <= top; ++level) {
    for (uint64_t va = 0; va < va_end; va += geometry.Coverage(level)) tree_.WriteLinks(level, va, sink);
  }
  for (uint64_t i = 0; i < kUnexplainedWholeWrites; ++i) tree_.WriteLinks(top, 0, sink);
}

}  // namespace gmmu::os
