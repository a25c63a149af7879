// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "app/cli.h"
#include "os/miniport/import_scan.h"
#include "workload/input.h"

namespace gmmu::app {

int ScanDriver(const std::string& path, std::FILE* out) {
  const std::vector<uint8_t> file = workload::LoadInput(path);
  std::vector<std::string> imports;
  try {
    imports = os::ImportsOf(file);
  } catch (const os::ImportScanError& error) {
    throw workload::InputError(
        path + ": " + error.what() +
        "\nGive a driver's binary for Windows (.sys), object, library or archive (PE or ELF, 64 bits).");
  }
  const std::vector<std::string> forbidden = os::ForbiddenImports(imports);
  for (const std::string& name : forbidden) fmt::print(out, "forbidden import: {}\n", name);
  fmt::print(out, "{} imports, {} of them forbidden to a driver with GPU isolation\n", imports.size(),
             forbidden.size());
  return forbidden.empty() ? kExitGood : kExitFailed;
}

}  // namespace gmmu::app
