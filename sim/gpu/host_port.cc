// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_port.h"

#include <algorithm>

namespace gmmu::sim {
namespace {

constexpr unsigned kIdBits = 8;  // gmmu_axi_pkg::IdWidth; higher bits are the requester's number

bool ToPeer(const PooledTransaction& t) { return t.extension->kind == AddressKind::kPeer; }

}  // namespace

void HostPort::Label(PooledTransaction& t, unsigned id, uint32_t user) const {
  t.owner_tag = id;
  t.extension->requester = static_cast<uint16_t>(parameters_.requester | ((user >> 25) & 7));  // user_t.function_number
  t.extension->kind = static_cast<AddressKind>(user & 3);                                      // user_t.kind
  t.extension->no_snoop = ((user >> 23) & 1) != 0;                                             // user_t.no_snoop
  t.extension->client = static_cast<uint8_t>(id >> kIdBits);
  t.extension->tag = id;
}

/// Returns how many read requests the root complex splits the burst into (pcie/pcie_link.h,
/// SplitRead). The burst does not cross a 4 KiB boundary.
unsigned HostPort::TagsOf(const PooledTransaction& t) const {
  return (t.get_data_length() + parameters_.max_read_request - 1) / parameters_.max_read_request;
}

void HostPort::TakeRead(const Vgmmu_gpu_axi& top) {
  if (!top.m_host_arready) return;
  const uint64_t address = top.m_host_araddr;
  const unsigned lane = static_cast<unsigned>(address & (kBeatBytes - 1));
  const size_t bytes = (top.m_host_arlen + 1u) * size_t{kBeatBytes} - lane;
  PooledTransaction* t = pool_.Acquire(tlm::TLM_READ_COMMAND, address, lane, bytes);
  Label(*t, top.m_host_arid, top.m_host_aruser);
  if (ToPeer(*t)) {
    ++peer_reads_out_;
    return sink_.Send(t);
  }
  ++reads_out_;
  ++reads_;
  if (HasTagsFor(*t)) SendRead(t);
  else waiting_ = t;
}

void HostPort::SendRead(PooledTransaction* t) {
  tags_used_ += TagsOf(*t);
  sink_.Send(t);
}

void HostPort::TakeWrite(const Vgmmu_gpu_axi& top) {
  if (!top.m_host_awready) return;
  const uint64_t start = top.m_host_awaddr & ~uint64_t{kBeatBytes - 1};
  PooledTransaction* t = pool_.Acquire(tlm::TLM_WRITE_COMMAND, start, 0, (top.m_host_awlen + 1u) * size_t{kBeatBytes});
  Label(*t, top.m_host_awid, top.m_host_awuser);
  writes_.push({t, start, 0, ~0u, 0, 0});
}

void HostPort::TakeBeat(const Vgmmu_gpu_axi& top) {
  if (!top.m_host_wready) return;
  Write& write = writes_.front();
  const uint64_t strobe = top.m_host_wstrb;
  const unsigned at = write.got * kBeatBytes;
  if (at + kBeatBytes > write.transaction->get_data_length()) return;  // the checker reports this violation
  std::memcpy(write.transaction->buffer.data() + at, LanesOf(top.m_host_wdata), kBeatBytes);
  if (strobe != 0) {
    write.low = std::min(write.low, at + static_cast<unsigned>(__builtin_ctzll(strobe)));
    write.high = at + 64 - static_cast<unsigned>(__builtin_clzll(strobe));
    write.count += static_cast<unsigned>(__builtin_popcountll(strobe));
  }
  for (unsigned lane = 0; lane < kBeatBytes; ++lane) {
    write.transaction->enables[at + lane] = (strobe >> lane & 1) != 0 ? TLM_BYTE_ENABLED : TLM_BYTE_DISABLED;
  }
  ++write.got;
  if (write.got * kBeatBytes != write.transaction->get_data_length()) return;
  SendWrite(write);
  writes_.pop();
}

void HostPort::SendWrite(Write& write) {
  PooledTransaction* t = write.transaction;
  if (write.count == 0) {  // no byte is enabled, but the write still needs its response in AW order
    write.low = 0;
    write.high = 1;
  }
  const unsigned bytes = write.high - write.low;
  t->set_address(write.start + write.low);
  t->set_data_ptr(t->buffer.data() + write.low);
  t->set_data_length(bytes);
  t->set_streaming_width(bytes);
  if (write.count != bytes) {
    t->set_byte_enable_ptr(t->enables.data() + write.low);
    t->set_byte_enable_length(bytes);
  }
  if (ToPeer(*t)) {
    ++peer_writes_out_;
    sink_.Send(t);
    return;
  }
  if (parameters_.drop_fence && bytes == 16 && t->get_address() % 16 == 0 &&
      t->extension->kind != AddressKind::kInterrupt) {
    std::fill(t->enables.begin(), t->enables.begin() + write.high, TLM_BYTE_DISABLED);
    t->set_byte_enable_ptr(t->enables.data() + write.low);
    t->set_byte_enable_length(bytes);
    ++dropped_;
  }
  if (t->extension->kind == AddressKind::kInterrupt) ++messages_;
  else ++writes_sent_;
  bytes_written_ += write.count;
  ++unanswered_;
  sink_.Send(t);
}

void HostPort::TakeAnswer() {
  PooledTransaction* t = inbound_.front().transaction;
  inbound_.pop();
  if (t->is_write()) {
    accepted_.push({static_cast<unsigned>(t->owner_tag), ToPeer(*t) && !t->is_response_ok(), ToPeer(*t)});
    t->release();
    return;
  }
  if (ToPeer(*t)) {
    --peer_reads_out_;
  } else {
    --reads_out_;
    tags_used_ -= TagsOf(*t);
    if (!t->is_response_ok()) ++read_errors_;
    bytes_read_ += t->get_data_length();
  }
  const unsigned lane = static_cast<unsigned>(t->get_address() & (kBeatBytes - 1));
  data_.push({t, static_cast<unsigned>(t->owner_tag), (lane + t->get_data_length()) / kBeatBytes, 0});
}

void HostPort::DriveRead(Vgmmu_gpu_axi& top) {
  const Data& head = data_.front();
  const bool ok = head.transaction->is_response_ok();
  top.m_host_rvalid = 1;
  top.m_host_rid = head.id;
  top.m_host_rlast = head.done + 1 == head.beats;
  top.m_host_rresp = ok ? 0 : 2;
  if (ok) {
    std::memcpy(LanesOf(top.m_host_rdata), head.transaction->buffer.data() + size_t{head.done} * kBeatBytes,
                kBeatBytes);
  } else {
    std::memset(LanesOf(top.m_host_rdata), 0, kBeatBytes);
  }
}

void HostPort::EndBeat() {
  Data& head = data_.front();
  if (++head.done != head.beats) return;
  head.transaction->release();
  data_.pop();
}

std::vector<hw::Counter> HostPort::Counters() const {
  return {
      {"host_port", "reads", reads_, "bursts", "Read bursts sent to the link."},
      {"host_port", "writes", writes_sent_, "bursts", "Write bursts sent to the link."},
      {"host_port", "messages", messages_, "messages", "Interrupt messages sent to the link."},
      {"host_port", "bytes_read", bytes_read_, "bytes", "Bytes of the answered reads."},
      {"host_port", "bytes_written", bytes_written_, "bytes", "Bytes written, by strobe."},
      {"host_port", "read_errors", read_errors_, "bursts", "Reads answered with an error."},
      {"host_port", "writes_lost", dropped_, "bursts", "Fence records lost on purpose."},
  };
}

}  // namespace gmmu::sim
