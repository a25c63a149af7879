// SPDX-License-Identifier: Apache-2.0
#include "probe/engine_log.h"

namespace gmmu::sim {
namespace {

using hw::Cause;

Cause CauseOf(const EngineCycle& now, const EngineLoad& load) {
  if (load.host_reads != 0) return Cause::kHostRead;
  if (load.vram_reads != 0) return Cause::kVramRead;
  if (load.writes != 0) return Cause::kWrite;
  if (now.state >= EngineCycle::kFlush && now.state <= EngineCycle::kControlDone) return Cause::kInvalidate;
  if (load.translating) return Cause::kTranslate;
  return load.fetches != 0 ? Cause::kFetch : Cause::kProcessor;
}

uint64_t BytesOf(const EngineCycle& now) {
  switch (regs::CommandHeaderWord{now.header}.opcode()) {
    case regs::Opcode::kCopy:
    case regs::Opcode::kFill:
    case regs::Opcode::kTableRepeat:
    case regs::Opcode::kApertureMap:
    case regs::Opcode::kApertureUnmap: return now.length;
    case regs::Opcode::kTableWrite:
    case regs::Opcode::kApertureList: return now.words * uint64_t{8};
    case regs::Opcode::kSignalFence: return 8;
    default: return 0;
  }
}

bool Settles(uint32_t header) {
  switch (regs::CommandHeaderWord{header}.opcode()) {
    case regs::Opcode::kApertureMap:
    case regs::Opcode::kApertureList:
    case regs::Opcode::kApertureUnmap:
    case regs::Opcode::kSignalFence: return true;
    default: return false;
  }
}

}  // namespace

void EngineLog::Cycle(uint64_t cycle, const EngineCycle& now, const EngineLoad& load) {
  if (!open_ && now.start && now.state == EngineCycle::kIdle) {
    open_ = true;
    buffer_ = hw::BufferEvent();
    buffer_.unit = unit_;
    buffer_.number = ++buffers_;
    buffer_.begin = cycle;
    buffer_.fence = now.fence;
    buffer_.address = now.address;
    buffer_.bytes = now.bytes;
    spent_.fill(0);
  } else if (open_) {
    Follow(cycle, now);
  }
  state_ = now.state;
  if (open_) ++spent_[static_cast<size_t>(CauseOf(now, load))];
}

void EngineLog::Follow(uint64_t cycle, const EngineCycle& now) {
  const bool back = now.state != state_ && (now.state == EngineCycle::kGet || now.state == EngineCycle::kIdle);
  if (at_work_ && back) {
    at_work_ = false;
    if (!command_.has_job) {
      EndCommand(cycle, command_, now.state == EngineCycle::kGet);
    } else if (command_.settles && !jobs_.empty()) {
      EndCommand(cycle, jobs_.back(), now.state == EngineCycle::kGet);
      jobs_.pop_back();
    }
  }
  if (now.state == EngineCycle::kIdle && state_ != EngineCycle::kIdle)
    return EndBuffer(cycle, state_ == EngineCycle::kRecordDone);
  if (state_ == EngineCycle::kGet && (now.state == EngineCycle::kRange || now.state == EngineCycle::kWait))
    Begin(cycle, now);
  if (at_work_ && !command_.has_job && now.state == EngineCycle::kIssue && now.job_ready) {
    command_.has_job = true;
    command_.event.issued = cycle;
    command_.at = spent_;
    jobs_.push_back(command_);
  }
  if (now.retired && now.state != EngineCycle::kRecordDone) {
    for (auto job = jobs_.begin(); job != jobs_.end(); ++job) {
      if (job->settles) continue;  // ended above, together with its command
      EndCommand(cycle, *job, true);
      jobs_.erase(job);
      break;
    }
  }
}

void EngineLog::Begin(uint64_t cycle, const EngineCycle& now) {
  command_ = Command();
  at_work_ = true;
  hw::CommandEvent& event = command_.event;
  event.unit = unit_;
  event.number = ++commands_;
  event.begin = event.issued = cycle;
  event.buffer = buffer_.number;
  event.fence = buffer_.fence;
  event.offset = now.offset;
  event.header = now.header;
  event.bytes = BytesOf(now);
  command_.settles = Settles(now.header);
  command_.at = spent_;
}

void EngineLog::EndCommand(uint64_t cycle, Command& command, bool finished) {
  hw::CommandEvent& event = command.event;
  event.end = cycle;
  event.finished = finished;
  for (size_t i = 0; i < hw::kCauses; ++i) event.spent[i] = spent_[i] - command.at[i];
  event.spent[static_cast<size_t>(Cause::kQueue)] += event.issued - event.begin;
  if (!CheckSpent(event)) ++broken_;
  sink_.Take(event);
}

void EngineLog::EndBuffer(uint64_t cycle, bool completed) {
  for (Command& job : jobs_) EndCommand(cycle, job, completed);
  jobs_.clear();
  at_work_ = open_ = false;
  buffer_.end = cycle;
  buffer_.completed = completed;
  buffer_.spent = spent_;
  if (!CheckSpent(buffer_)) ++broken_;
  sink_.Take(buffer_);
}

void EngineLog::Reset(uint64_t cycle) {
  if (!open_) return;
  if (at_work_ && !command_.has_job) EndCommand(cycle, command_, false);
  EndBuffer(cycle, false);
  state_ = EngineCycle::kIdle;
}

}  // namespace gmmu::sim
