// SPDX-License-Identifier: Apache-2.0
#include "trace/import.h"

#include <fmt/format.h>

#include <filesystem>

namespace gmmu::trace {
namespace {

/// Reports that the user must state a property that the format does not define.
[[noreturn]] void Ask(const std::string& format, const std::string& path, const std::string& question,
                      const std::string& answer) {
  throw TraceError(fmt::format("{}: {} The format {} does not say.\nGive {}.", path, question, format, answer));
}

[[noreturn]] void Contradicts(const std::string& format, const std::string& option, const std::string& fact) {
  throw TraceError(fmt::format("--{} does not go with {}: {}", option, format, fact));
}

bool Dram(const std::string& format) { return format != "lackey" && format != "accelsim" && format != "champsim"; }

/// Fills in the properties that the format defines. The options must provide the other properties.
Header HeaderOf(const std::string& format, const std::string& path, const ImportOptions& options) {
  Header header;
  header.name = !options.name.empty() ? options.name
                : path == "-"         ? format
                                      : std::filesystem::path(path).stem().string();
  header.provenance = "imported from " + format + ", " + std::filesystem::path(path).filename().string();
  header.address_bits = options.address_bits;
  header.page_bytes = options.page_bytes.value_or(0);
  if (Dram(format)) {
    if (!options.addresses) {
      Ask(format, path, "Are the addresses virtual or physical?", "--addresses virtual or --addresses physical");
    }
    header.addresses = *options.addresses;
    if (!options.unit) Ask(format, path, "Are the addresses bytes or lines?", "--unit bytes or --unit line:64");
    header.unit = *options.unit;
    if (header.unit > 1 && options.bytes && *options.bytes != header.unit) {
      Contradicts(format, "bytes", "an access of lines has one line");
    }
  } else {
    if (options.addresses == Addresses::kPhysical)
      Contradicts(format, "addresses physical", "its addresses are virtual");
    if (options.unit.value_or(1) != 1) Contradicts(format, "unit line", "its addresses are bytes");
  }
  if (format == "ramulator2-readwrite") {
    if (options.organization.empty()) {
      Ask(format, path, "How many of each level of the DRAM are there?",
          "--organization N,N,... in the order of the vectors, as 1,1,4,4,65536,128 (channels, ranks, bank groups, "
          "banks, rows, columns of a line)");
    }
  } else if (!options.organization.empty()) {
    Contradicts(format, "organization", "its addresses are no vectors");
  }
  if (format == "lackey" || format == "accelsim") {
    if (options.bytes) Contradicts(format, "bytes", "it has the size of every access");
  } else if (header.unit == 1 && !options.bytes) {
    Ask(format, path, "How many bytes does an access have?", "--bytes N, as --bytes 8");
  }
  if (format == "dramsim3") header.loop = Loop::kOpen;
  if (format == "ramulator-dram" || format.rfind("ramulator2", 0) == 0)
    header.provenance += "; no times: closed loop without gaps";
  if (format == "accelsim") {
    header.provenance += fmt::format("; lines of {} bytes, {} thread blocks at once", options.coalesce, options.blocks);
  }
  if (format == "lackey" || format == "champsim") {
    header.provenance += options.fetches ? "; with instruction fetches" : "; a cycle for each instruction";
  }
  return header;
}

}  // namespace

const std::vector<Format>& Formats() {
  static const std::vector<Format> kFormats = {
      {"lackey", "text of valgrind --tool=lackey --trace-mem=yes --log-file=FILE PROGRAM: bytes of a process", ""},
      {"accelsim", "a kernel-N.traceg of Accel-Sim's tracer, or its kernelslist.g: the memory columns", ""},
      {"champsim", "input_instr records of 64 bytes (ChampSim's tracer, DPC-3, SPEC traces)", "--bytes"},
      {"ramulator-dram", "lines \"ADDRESS [R|W]\", hexadecimal", "--addresses, --unit, and --bytes with --unit bytes"},
      {"ramulator-cpu", "lines \"BUBBLES READ-ADDRESS [WRITE-ADDRESS]\"",
       "--addresses, --unit, and --bytes with --unit bytes"},
      {"ramulator2-loadstore", "lines \"LD|ST ADDRESS\" of Ramulator 2's LoadStoreTrace",
       "--addresses, --unit, and --bytes with --unit bytes"},
      {"ramulator2-readwrite", "lines \"R|W INDEX,INDEX,...\" of Ramulator 2's ReadWriteTrace",
       "--addresses, --organization, --unit, and --bytes with --unit bytes"},
      {"dramsim3", "lines \"ADDRESS READ|WRITE CYCLE\", open loop",
       "--addresses, --unit, and --bytes with --unit bytes"}};
  return kFormats;
}

Workload Import(const std::string& format, const std::string& path, const ImportOptions& options,
                std::vector<std::string>& notes, Input::Watch watch) {
  std::string names;
  bool known = false;
  for (const Format& each : Formats()) {
    names += (names.empty() ? "" : ", ") + each.name;
    known = known || each.name == format;
  }
  if (!known) throw TraceError(fmt::format("there is no format \"{}\"; there are {}", format, names));
  Workload workload;
  workload.header = HeaderOf(format, path, options);
  const Header& header = workload.header;
  const uint32_t bytes = header.unit > 1 ? header.unit : options.bytes.value_or(1);
  workload.source = format == "lackey"                 ? ReadLackey(path, header, options, watch)
                    : format == "accelsim"             ? ReadAccelSim(path, header, options, notes, watch)
                    : format == "champsim"             ? ReadChampSim(path, header, options, watch)
                    : format == "ramulator-dram"       ? ReadRamulatorDram(path, header, bytes, watch)
                    : format == "ramulator-cpu"        ? ReadRamulatorCpu(path, header, bytes, watch)
                    : format == "ramulator2-loadstore" ? ReadRamulator2LoadStore(path, header, bytes, watch)
                    : format == "ramulator2-readwrite"
                        ? ReadRamulator2ReadWrite(path, header, bytes, options.organization, watch)
                        : ReadDramSim(path, header, bytes, watch);
  return workload;
}

}  // namespace gmmu::trace
