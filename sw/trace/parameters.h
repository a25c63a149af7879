// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gmmu::trace {

/// A parameter of a generator. If its unit is "file", it is a path, otherwise an integer.
struct ParameterRule {
  std::string name;
  std::optional<uint64_t> initial;  ///< default; nullopt: the parameter is mandatory
  std::string unit;
  uint64_t min = 0, max = ~uint64_t{0};
  std::string text;
};

/// The parameters in `gen:NAME,KEY=VALUE,...`. A number may end in KiB, MiB or GiB.
class Parameters {
 public:
  /// `text` is the part after the generator's name. Throws TraceError for a key that is unknown,
  /// repeated or missing, or a value out of bounds.
  Parameters(const std::string& generator, const std::string& text, const std::vector<ParameterRule>& rules);

  uint64_t operator[](const std::string& name) const { return numbers_.at(name); }
  const std::string& File(const std::string& name) const { return files_.at(name); }
  void Set(const std::string& name, uint64_t value) { numbers_.at(name) = value; }
  bool given(const std::string& name) const { return given_.count(name) != 0; }
  /// Returns `gen:NAME` with all parameters. It generates the same accesses on every machine.
  std::string Spec() const;
  [[noreturn]] void Refuse(const std::string& what) const;

 private:
  void Take(const std::string& pair, const std::vector<ParameterRule>& rules);

  std::string generator_;
  std::map<std::string, uint64_t> numbers_;
  std::map<std::string, std::string> files_;
  std::map<std::string, bool> given_;
};

}  // namespace gmmu::trace
