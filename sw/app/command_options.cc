// SPDX-License-Identifier: Apache-2.0
#include "app/command_options.h"

#include <CLI/CLI.hpp>

#include "trace/number.h"

namespace gmmu::app {

CLI::Option* AddNumber(CLI::App* command, const std::string& name, uint64_t& value, const std::string& help) {
  return command
      ->add_option_function<std::string>(
          name,
          [&value, name](const std::string& text) {
            const auto number = trace::ParseNumber(text);
            if (!number) {
              throw CLI::ValidationError(name,
                                         "\"" + text + "\" is not a number; give 0 to 18446744073709551615, or 0x...");
            }
            value = *number;
          },
          help)
      ->type_name("N");
}

void AddChanges(CLI::App* command, std::vector<std::string>& set) {
  command->add_option("--set", set, "Change a key of the configuration, as --set gpu.vram_mib=128; may be given again")
      ->type_name("KEY=VALUE")
      ->take_all()
      ->expected(1);
}

}  // namespace gmmu::app
