// SPDX-License-Identifier: Apache-2.0
#include "events/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gmmu::events {
namespace {

const char* Sentence(hw::Cause cause) {
  switch (cause) {
    case hw::Cause::kClient: return "in the client, before its translation or behind its data";
    case hw::Cause::kL1: return "the L1 has it";
    case hw::Cause::kL2: return "the L1 misses, the L2 has it";
    case hw::Cause::kLookup: return "L1 and L2 miss; it looks up the walk cache and waits for a row of the walk table";
    case hw::Cause::kWalker:
      return "index, wait for a free walker and the way to the edge, until the read stands there";
    case hw::Cause::kCredit: return "the request stands at the edge and is not taken yet";
    case hw::Cause::kVram: return "VRAM answers";
    case hw::Cause::kLinkCredit: return "it waits for credits, a tag or earlier packets of the link";
    case hw::Cause::kLinkUp: return "on the link to the host";
    case hw::Cause::kIommu: return "the IOMMU translates";
    case hw::Cause::kDram: return "host memory answers";
    case hw::Cause::kLinkDown: return "on the link back";
    case hw::Cause::kHostData: return "the data comes in beats";
    case hw::Cause::kHostWrite: return "a write goes out, until the link has it";
    case hw::Cause::kPeer: return "a linked GPU answers";
    case hw::Cause::kAnswer: return "the answer waits for its turn and for the port to take it";
    case hw::Cause::kFill: return "those who joined get their answers, the line goes into the L2, the row becomes free";
    case hw::Cause::kRoute: return "aperture map and mux, until the access stands at the edge";
    case hw::Cause::kQueue: return "decoded, and waiting for the mover or for earlier writes";
    case hw::Cause::kTranslate: return "waiting for translations";
    case hw::Cause::kFetch: return "waiting for the paging buffer's words";
    case hw::Cause::kHostRead: return "reading the host";
    case hw::Cause::kVramRead: return "reading VRAM";
    case hw::Cause::kWrite: return "writes under way";
    case hw::Cause::kInvalidate: return "invalidating translations";
    case hw::Cause::kProcessor: return "command processor and mover";
    case hw::Cause::kFault: return "no walk is needed to see the fault";
    case hw::Cause::kCount: break;
  }
  return "";
}

std::string NameOf(hw::Cause cause, int level) {
  return level < 0 ? hw::CauseName(cause) : fmt::format("{} (level {})", hw::CauseName(cause), level);
}

std::string Head(const char* kind, const hw::Span& span) {
  return fmt::format("{} {}{}: cycle {} to {}, {} cycles\n", kind, span.number,
                     span.unit == 0 ? "" : fmt::format(" of GPU {}", span.unit), span.begin, span.end,
                     span.end - span.begin);
}

/// Returns lines with the cycles of each cause, and its share of `all` cycles in percent.
template <typename Key>
std::string Shares(const std::map<Key, uint64_t>& causes, uint64_t all, std::string (*name)(const Key&)) {
  std::vector<std::pair<uint64_t, Key>> most;
  for (const auto& [key, cycles] : causes) most.emplace_back(cycles, key);
  std::sort(most.rbegin(), most.rend());
  std::string text = "  the cycles went into\n";
  for (const auto& [cycles, key] : most) {
    text += fmt::format("    {:<24}{:>9}  {:5.1f} %\n", name(key), cycles,
                        100.0 * static_cast<double>(cycles) / static_cast<double>(std::max<uint64_t>(1, all)));
  }
  return text + fmt::format("    {:<24}{:>9}\n", "together", all);
}

std::string Shares(const hw::Span& span) {
  std::map<std::pair<hw::Cause, int>, uint64_t> causes;
  for (const hw::Step& step : span.steps) causes[{step.cause, step.level}] += step.end - step.begin;
  return Shares<std::pair<hw::Cause, int>>(causes, span.end - span.begin,
                                           [](const auto& key) { return NameOf(key.first, key.second); });
}

std::string Shares(const hw::EngineSpan& span) {
  std::map<hw::Cause, uint64_t> causes;
  for (size_t i = 0; i < hw::kCauses; ++i)
    if (span.spent[i] != 0) causes[static_cast<hw::Cause>(i)] = span.spent[i];
  std::string text = Shares<hw::Cause>(causes, span.end - span.begin,
                                       [](const hw::Cause& cause) { return std::string(hw::CauseName(cause)); });
  for (const auto& [cause, cycles] : causes) text += fmt::format("    {}: {}\n", hw::CauseName(cause), Sentence(cause));
  return text;
}

std::string Line(const hw::Span& span, const hw::Step& step) {
  return fmt::format("  {:>10}  +{:<7} {:>6} cycles  {:<22} {}\n", step.begin, step.begin - span.begin,
                     step.end - step.begin, NameOf(step.cause, step.level), Sentence(step.cause));
}

std::string Lines(const hw::Span& span) {
  std::string text;
  for (const hw::Step& step : span.steps) text += Line(span, step);
  return text;
}

std::string Read(const hw::TableRead& read) {
  return fmt::format("              reads {} bytes of level {}{} at {} 0x{:X}: {}\n", read.bytes, read.level,
                     read.leaf_64k ? " (entries of 64 KiB)" : "", read.host ? "host" : "VRAM", read.address,
                     read.error ? "an error" : fmt::format("0x{:016X}", read.word));
}

}  // namespace

std::string Explain(const hw::WalkEvent& walk, const std::vector<hw::LookupEvent>& lookups) {
  std::string text = Head("walk", walk);
  text += fmt::format("  for port {}, space {}, va 0x{:X}, in row {}; its first read is of level {}\n", walk.port,
                      walk.space, walk.va, walk.row, walk.start_level);
  size_t read = 0;
  for (const hw::Step& step : walk.steps) {
    if (read < walk.reads.size() && step.begin >= walk.reads[read].offered) text += Read(walk.reads[read++]);
    text += Line(walk, step);
  }
  if (walk.lost) text += "  a reset of the GPU ended it\n";
  text += Shares(walk);
  if (lookups.empty()) return text + "  no lookup in this file waited for it\n";
  for (const hw::LookupEvent& lookup : lookups) {
    text += fmt::format("  lookup {} of port {} (va 0x{:X}) {}, answered at {}{}\n", lookup.number, lookup.port,
                        lookup.va, lookup.ending == hw::Ending::kMerged ? "joined it" : "began it", lookup.end,
                        lookup.fault == regs::Fault::kNone ? "" : fmt::format(" with {}", regs::NameOf(lookup.fault)));
  }
  return text;
}

std::string Explain(const hw::LookupEvent& lookup) {
  std::string text = Head("lookup", lookup);
  text += fmt::format("  port {}, tag {}, space {}, {} of va 0x{:X}; ending: {}{}{}\n", lookup.port, lookup.tag,
                      lookup.space, regs::NameOf(lookup.access), lookup.va, hw::EndingName(lookup.ending),
                      lookup.fault == regs::Fault::kNone ? "" : fmt::format(", {}", regs::NameOf(lookup.fault)),
                      lookup.walk == 0 ? "" : fmt::format(", walk {}", lookup.walk));
  return text + Lines(lookup) + Shares(lookup);
}

std::string Explain(const hw::AccessEvent& access) {
  std::string text = Head("access", access);
  text += fmt::format("  client {}, slot {}, {} of va 0x{:X}; lookup {}{}\n", access.client, access.slot,
                      regs::NameOf(access.access), access.va, access.lookup,
                      access.fault == regs::Fault::kNone ? "" : fmt::format("; {}", regs::NameOf(access.fault)));
  return text + Lines(access) + Shares(access);
}

std::string Explain(const hw::CommandEvent& command) {
  return fmt::format(
             "command {}{}: {} of {} bytes, cycle {} to {}, {} cycles\n"
             "  at offset 0x{:X} of paging buffer {} (fence {}); {}{}\n",
             command.number, command.unit == 0 ? "" : fmt::format(" of GPU {}", command.unit),
             regs::NameOf(regs::CommandHeaderWord{command.header & 0xFF}.opcode()), command.bytes, command.begin,
             command.end, command.end - command.begin, command.offset, command.buffer, command.fence,
             command.issued == command.begin ? "it needs no transfer, or had it at once"
                                             : fmt::format("the mover took its transfer at {}", command.issued),
             command.finished ? "" : "; it did not finish") +
         Shares(command);
}

std::string Explain(const hw::BufferEvent& buffer, const std::vector<hw::CommandEvent>& commands) {
  std::string text = fmt::format("paging buffer {}{}: {} bytes at 0x{:X}, fence {}, cycle {} to {}, {} cycles{}\n",
                                 buffer.number, buffer.unit == 0 ? "" : fmt::format(" of GPU {}", buffer.unit),
                                 buffer.bytes, buffer.address, buffer.fence, buffer.begin, buffer.end,
                                 buffer.end - buffer.begin, buffer.completed ? "" : "; it was not completed");
  for (const hw::CommandEvent& command : commands) {
    text += fmt::format("  {:>10}  +{:<7} {:>6} cycles  command {}: {} of {} bytes; transfer from +{} to +{}\n",
                        command.begin, command.begin - buffer.begin, command.end - command.begin, command.number,
                        regs::NameOf(regs::CommandHeaderWord{command.header & 0xFF}.opcode()), command.bytes,
                        command.issued - buffer.begin, command.end - buffer.begin);
  }
  return text + Shares(buffer);
}

}  // namespace gmmu::events
