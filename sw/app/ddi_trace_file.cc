// SPDX-License-Identifier: Apache-2.0
#include "app/ddi_trace_file.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trace/error.h"

namespace gmmu::app {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kHow = "\nMake one with gmmu run --trace-ddi FILE.";

/// Returns the schema that a header line states, such as "gmmu-ddi-trace 1", or an empty string if
/// it states none.
std::string SchemaOf(const std::string& line) {
  const Json header = Json::parse(line, nullptr, false);
  if (!header.is_object() || !header.contains("schema") || !header["schema"].is_string()) return "";
  const auto schema = header["schema"].get<std::string>();
  return schema.rfind("gmmu-ddi-trace ", 0) == 0 ? schema : "";
}

/// Returns the arguments that are strings, each with the name of its option.
std::vector<std::pair<const char*, std::string*>> Texts(RunArguments& run) {
  return {{"scenario", &run.scenario},
          {"driver", &run.driver},
          {"device", &run.device},
          {"config", &run.config},
          {"file", &run.file}};
}

std::string About(const Json& header) {
  const auto text = [&](const char* key) { return header.value(key, std::string()); };
  std::string about = "driver " + (text("driver").empty() ? "of the program" : text("driver"));
  if (!text("scenario").empty()) about += ", scenario " + text("scenario");
  return about + ", engine " + text("engine") + ", seed " + std::to_string(header.value("seed", uint64_t{0}));
}

RunArguments RunOf(const Json& header) {
  RunArguments run;
  run.engine = header.value("engine", run.engine);
  run.seed = header.value("seed", run.seed);
  run.set = header.value("set", run.set);
  for (const auto& [name, place] : Texts(run)) *place = header.value(name, std::string());
  return run;
}

std::vector<std::pair<std::string, std::string>> Values(const Json& object) {
  std::vector<std::pair<std::string, std::string>> values;
  for (const auto& [name, value] : object.items())
    values.emplace_back(name, value.is_string() ? value.get<std::string>() : value.dump());
  return values;
}

DdiCall CallOf(const Json& line) {
  DdiCall call;
  call.call = line.at("call").get<uint64_t>();
  call.inside = line.at("inside").get<uint64_t>();
  call.name = line.at("name").get<std::string>();
  call.thread = line.at("thread").get<std::string>();
  call.irql = line.at("irql").get<unsigned>();
  call.ns = line.at("ns").get<uint64_t>();
  call.end_ns = line.at("end_ns").get<uint64_t>();
  call.in = Values(line.at("in"));
  call.out = Values(line.at("out"));
  if (!line.at("status").is_null()) call.status = line.at("status").get<std::string>();
  return call;
}

}  // namespace

std::string DdiTraceHeader(const RunArguments& arguments) {
  RunArguments run = arguments;
  Json header = {{"schema", kDdiTraceSchema}, {"engine", run.engine}, {"seed", run.seed}};
  for (const auto& [name, place] : Texts(run)) header[name] = *place;
  header["set"] = run.set;
  return header.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool IsDdiTrace(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  return std::getline(file, line) && !SchemaOf(line).empty();
}

DdiTraceFile ReadDdiTrace(const std::string& path) {
  std::ifstream file(path);
  std::string text;
  if (!file || !std::getline(file, text)) throw trace::TraceError(path + ": cannot be read" + kHow);
  const std::string schema = SchemaOf(text);
  if (schema.empty()) throw trace::TraceError(path + ":1: is no trace of a driver's calls" + kHow);
  if (schema != kDdiTraceSchema)
    throw trace::TraceError(path + ":1: is a " + schema + "; this program reads " + kDdiTraceSchema + kHow);
  DdiTraceFile trace;
  trace.path = path;
  for (size_t number = 1; number == 1 || std::getline(file, text); ++number) {
    try {
      const Json line = Json::parse(text);
      if (number == 1) {
        trace.about = About(line);
        trace.run = RunOf(line);
      } else {
        trace.calls.push_back(CallOf(line));
      }
    } catch (const Json::exception& error) {
      const std::string what = error.what();  // "[json.exception.type_error.302] type must be string, but is null"
      throw trace::TraceError(path + ":" + std::to_string(number) +
                              (number == 1 ? ": is no header: " : ": is no call: ") + what.substr(what.find("] ") + 2) +
                              kHow);
    }
  }
  std::sort(trace.calls.begin(), trace.calls.end(), [](const DdiCall& a, const DdiCall& b) { return a.call < b.call; });
  return trace;
}

}  // namespace gmmu::app
