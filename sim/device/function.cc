// SPDX-License-Identifier: Apache-2.0
#include "device/function.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "host/engine.h"

namespace gmmu::sim::device {
namespace {

constexpr uint64_t kMessages = 0xFEE00000;  // target address of interrupt line messages

}  // namespace

Function::Function(hw::Bdf bdf, const FunctionParameters& parameters, HostAccess& host, Agenda& agenda,
                   std::function<void(uint64_t, uint32_t)> deliver, uint64_t line_ps)
    : bdf_(bdf),
      host_access_(host),
      agenda_(agenda),
      deliver_(std::move(deliver)),
      line_ps_(line_ps),
      config_(parameters.config),
      memory_(parameters.memory_bytes),
      registers_(parameters.config.bar0_bytes) {
  host_.version = GMMU_DEVICE_VERSION;
  host_.machine = this;
  host_.memory = memory_.Open();  // the device accesses its own memory directly
  host_.memory_bytes = memory_.size();
  host_.visible_bytes = parameters.config.bar2_bytes;
  host_.registers = registers_.data();
  host_.register_bytes = registers_.size();
  host_.read = [](void* machine, uint64_t address, void* to, uint32_t bytes) {
    return static_cast<int>(static_cast<Function*>(machine)->Dma(address, to, bytes, false));
  };
  host_.write = [](void* machine, uint64_t address, const void* from, uint32_t bytes) {
    return static_cast<int>(static_cast<Function*>(machine)->Dma(address, const_cast<void*>(from), bytes, true));
  };
  host_.interrupt = [](void* machine) { static_cast<Function*>(machine)->Interrupt(); };
  host_.now_ns = [](void* machine) { return static_cast<Function*>(machine)->agenda_.now() / 1000; };
  if (parameters.open) parameters.open(host_, table_);
  if (!registers_are_memory()) host_.registers = nullptr;
}

Function::~Function() {
  if (table_.close != nullptr) table_.close(table_.state);
}

// ---- CPU accesses

void Function::Read(unsigned bar, uint64_t offset, void* to, size_t size) {
  std::memset(to, 0xFF, size);
  if (bar == 2) {
    static_cast<void>(memory_.Read(offset, to, size));
    return;
  }
  ++counts_.register_reads;
  if (bar == 0 && registers_are_memory()) {
    std::memcpy(to, &registers_[offset], size);
    return;
  }
  if (table_.read == nullptr) return;
  auto* bytes = static_cast<uint8_t*>(to);
  for (size_t done = 0; done < size;) {  // a block access is split into accesses of up to 8 bytes
    const size_t piece = std::min<size_t>(8, size - done);
    const uint64_t value = table_.read(table_.state, bar, offset + done, static_cast<unsigned>(piece));
    std::memcpy(bytes + done, &value, piece);
    done += piece;
  }
}

void Function::Write(unsigned bar, uint64_t offset, const void* from, size_t size) {
  if (bar == 2) {
    static_cast<void>(memory_.Write(offset, from, size));
    return;
  }
  ++counts_.register_writes;
  if (bar == 0 && registers_are_memory()) {
    std::memcpy(&registers_[offset], from, size);
  } else if (table_.write != nullptr) {
    const auto* bytes = static_cast<const uint8_t*>(from);
    for (size_t done = 0; done < size;) {
      const size_t piece = std::min<size_t>(8, size - done);
      uint64_t value = 0;
      std::memcpy(&value, bytes + done, piece);
      table_.write(table_.state, bar, offset + done, static_cast<unsigned>(piece), value);
      done += piece;
    }
  }
  Plan(agenda_.now());
}

void Function::WriteConfig(uint16_t offset, unsigned size, uint32_t value) {
  const bool powered = config_.powered();
  config_.Write(offset, size, value);
  if (!powered || config_.powered()) return;
  memory_.LosePower();
  if (table_.memory_lost != nullptr) table_.memory_lost(table_.state);
}

// ---- device requests

void Function::Plan(uint64_t ps) {
  if (table_.step == nullptr || ps >= planned_ps_) return;
  planned_ps_ = ps;
  agenda_.At(ps, [this, ps] {
    // An earlier step has replaced this one and planned its own successor.
    if (planned_ps_ != ps) return;
    planned_ps_ = GMMU_DEVICE_IDLE;
    Step();
  });
}

void Function::Step() {
  if (!config_.powered()) return;
  const uint64_t now = agenda_.now() / 1000;
  ++counts_.steps;
  const uint64_t next = table_.step(table_.state, now);
  if (next == GMMU_DEVICE_IDLE) return;
  if (next <= now) {
    throw EngineError(
        fmt::format("the device's step at {} ns asks for the next one at {} ns, which is not later", now, next));
  }
  Plan(next > GMMU_DEVICE_IDLE / 1000 ? GMMU_DEVICE_IDLE - 1 : next * 1000);
}

bool Function::Dma(uint64_t address, void* bytes, uint32_t size, bool write) {
  auto* at = static_cast<uint8_t*>(bytes);
  uint64_t& bytes_counted = write ? counts_.dma_write_bytes : counts_.dma_read_bytes;
  ++(write ? counts_.dma_writes : counts_.dma_reads);
  bytes_counted += size;
  bool good = config_.bus_master();
  while (good && size > 0) {
    const auto piece = static_cast<uint32_t>(std::min<uint64_t>(size, hw::kPageSize - address % hw::kPageSize));
    if (write) {
      host_access_.Write(bdf_.requester_id(), address, at, piece, true);
    } else {
      good = host_access_.Read(bdf_.requester_id(), address, at, piece, true);
    }
    if (good) address += piece, at += piece, size -= piece;
  }
  if (!good) {
    ++counts_.refused;
    counts_.not_master += config_.bus_master() ? 0 : 1;
    if (!write) std::memset(at, 0xFF, size);
  }
  return good || write;
}

void Function::Interrupt() {
  if (!config_.powered()) return;
  if (const FunctionMessage message = config_.message(); message.enable && config_.bus_master()) {
    host_access_.Write(bdf_.requester_id(), message.address, &message.data, sizeof message.data, true);
    ++counts_.interrupts;
  } else if (config_.has_line() && !config_.intx_disable() && config_.line() != 0) {
    ++counts_.interrupts;
    agenda_.At(agenda_.now() + line_ps_, [this, line = config_.line()] { deliver_(kMessages, line); });
  }
}

std::vector<hw::InUse> Function::ResourcesInUse() const {
  const char* name = table_.in_use == nullptr ? nullptr : table_.in_use(table_.state);
  if (name == nullptr) return {};
  return {{"device", name}};
}

}  // namespace gmmu::sim::device
