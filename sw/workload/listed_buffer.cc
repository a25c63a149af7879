// SPDX-License-Identifier: Apache-2.0
#include "workload/listed_buffer.h"

#include <algorithm>

#include "os/application/facts.h"
#include "os/vidmm/render_calls.h"
#include "workload/life.h"
#include "workload/plug_in.h"

namespace gmmu::workload {

ListedBuffer::ListedBuffer(Life& life, os::GpuProcess* process, uint32_t command_bytes)
    : life_(life), process_(process) {
  const os::ListRoom room = os::RenderCalls::RoomOf(*process);
  commands_.resize(command_bytes == 0 ? room.command_bytes : command_bytes);
  allocations_.resize(room.allocations);
  patches_.resize(room.patches);
  buffer_.commands = commands_.data();
  buffer_.command_room = static_cast<uint32_t>(commands_.size());
  buffer_.allocations = allocations_.data();
  buffer_.allocation_room = room.allocations;
  buffer_.patches = patches_.data();
  buffer_.patch_room = room.patches;
}

GMMU_OPERAND ListedBuffer::Operand(os::Allocation& allocation, uint64_t offset) {
  auto found = std::find(named_.begin(), named_.end(), &allocation);
  if (found == named_.end()) found = named_.insert(found, &allocation);
  return {static_cast<uint64_t>(found - named_.begin()) + 1, offset};
}

bool ListedBuffer::Appended(int answer) const {
  if (buffer_.command_bytes > commands_.size() || buffer_.allocation_count > allocations_.size() ||
      buffer_.patch_count > patches_.size())
    throw os::OsError("GmmuUserModeDriver writes more commands or list elements than it had room for");
  return answer != 0;
}

bool ListedBuffer::Copy(os::Allocation& source, uint64_t source_offset, os::Allocation& destination,
                        uint64_t destination_offset, uint64_t bytes) {
  const GMMU_OPERAND from = Operand(source, source_offset), to = Operand(destination, destination_offset);
  return Appended(PlugIn::Current()->driver().list_copy(&buffer_, from, to, bytes));
}

bool ListedBuffer::Fill(os::Allocation& destination, uint64_t offset, uint64_t bytes, uint32_t pattern) {
  const GMMU_OPERAND to = Operand(destination, offset);
  return Appended(PlugIn::Current()->driver().list_fill(&buffer_, to, bytes, pattern));
}

os::PacketId ListedBuffer::Submit(const std::string& what) {
  os::ListedCommands listed;
  listed.commands.assign(commands_.begin(), commands_.begin() + buffer_.command_bytes);
  for (uint32_t i = 0; i < buffer_.allocation_count; ++i) {
    const GMMU_LISTED_ALLOCATION& element = allocations_[i];
    if (element.allocation > named_.size())
      throw os::OsError("GmmuUserModeDriver lists allocation " + std::to_string(element.allocation) +
                        ", which no operand named");
    listed.allocations.push_back(
        {element.allocation == 0 ? nullptr : named_[element.allocation - 1], element.write != 0});
  }
  for (uint32_t i = 0; i < buffer_.patch_count; ++i) {
    const GMMU_PATCH_LOCATION& element = patches_[i];
    D3DDDI_PATCHLOCATIONLIST patch{};
    patch.AllocationIndex = element.allocation_index;
    patch.SlotId = element.slot & 0xFFFFFF;
    patch.DriverId = element.driver_id;
    patch.AllocationOffset = element.allocation_offset;
    patch.PatchOffset = element.patch_offset;
    patch.SplitOffset = element.split_offset;
    listed.patches.push_back(patch);
  }
  buffer_.command_bytes = buffer_.allocation_count = buffer_.patch_count = 0;
  named_.clear();
  os::PacketId packet = 0;
  life_.Work([&] { packet = life_.vidmm.render_calls().Submit(*process_, listed, what); });
  return packet;
}

void ListedBuffer::SubmitAndWait(const std::string& what) {
  if (life_.graphics.Wait(Submit(what)) != os::PacketEnd::kLost) return;
  throw os::OsError(what + ": the device of " + os::NameOf(*process_) + " was lost: " + os::WhyLost(*process_));
}

void CopyByCommands(ListedBuffer& buffer, os::Allocation& source, os::Allocation& destination, uint64_t bytes,
                    uint64_t command_bytes, const std::string& what) {
  for (uint64_t done = 0; done < bytes; done += command_bytes) {
    const uint64_t size = std::min(command_bytes, bytes - done);
    if (buffer.Copy(source, done, destination, done, size)) continue;
    if (!buffer.empty()) buffer.Submit(what);
    if (!buffer.Copy(source, done, destination, done, size))
      throw os::OsError("a command does not fit into an empty command buffer");
  }
  buffer.SubmitAndWait(what);
}

}  // namespace gmmu::workload
