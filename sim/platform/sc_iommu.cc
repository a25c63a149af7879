// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_iommu.h"

#include <algorithm>

#include "pcie/address_map.h"

namespace gmmu::sim {

Iommu::Iommu(sc_core::sc_module_name name, unsigned ports, std::unique_ptr<Remapper> core, const IommuTiming& timing,
             ScAgenda& agenda, MessageSink messages)
    : sc_module(name),
      core_(std::move(core)),
      timing_(timing),
      agenda_(agenda),
      messages_(std::move(messages)),
      ports_(ports) {
  for (unsigned port = 0; port < ports; ++port) {
    ports_[port].socket = std::make_unique<DeviceSocket>(("device" + std::to_string(port)).c_str());
    device(port).register_nb_transport_fw(this, &Iommu::FromDevice, static_cast<int>(port));
  }
  memory.register_nb_transport_bw(this, &Iommu::FromMemory);
  if (core_) {
    core_->set_message_sink([this](uint64_t address, uint32_t data) {
      agenda_.At(ScAgenda::Now() + timing_.lookup_ps, [this, address, data] { messages_(address, data); });
    });
  }
}

// ---- requests

tlm::tlm_sync_enum Iommu::FromDevice(int port, tlm::tlm_generic_payload& t, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay) {
  if (phase == tlm::END_RESP) return tlm::TLM_COMPLETED;
  sc_assert(phase == tlm::BEGIN_REQ);
  if (free_.empty()) {
    all_.push_back(std::make_unique<Request>());
    free_.push_back(all_.back().get());
  }
  Request* request = free_.back();
  free_.pop_back();
  *request = Request();
  Port& from = ports_[static_cast<size_t>(port)];
  request->port = static_cast<unsigned>(port);
  request->transaction = &t;
  request->posted_before = from.arrived;
  request->arrived_ps = ScAgenda::Now() + delay.value();
  t.acquire();
  if (t.is_write()) {
    ++from.arrived;
    from.posted.push_back(request);
  }
  agenda_.At(request->arrived_ps + timing_.lookup_ps, [this, request] { Lookup(request); });
  phase = tlm::END_REQ;
  return tlm::TLM_UPDATED;
}

void Iommu::Lookup(Request* request) {
  if (!core_) {
    Translated(request);
    return;
  }
  const auto& t = *request->transaction;
  const auto* extension = t.get_extension<BusExtension>();
  RemapRequest what;
  what.requester = extension == nullptr ? 0 : extension->requester;
  what.logical = t.get_address();
  what.write = t.is_write();
  if (what.write) std::memcpy(&what.data, t.get_data_ptr(), std::min<size_t>(t.get_data_length(), sizeof what.data));
  what.translated = extension != nullptr && extension->kind == AddressKind::kTranslated;
  request->walk = core_->Lookup(what);
  Dispatch(request);
}

/// Completes a request that needs no walk. Otherwise starts its walk, or queues it until the walk
/// in progress for its page ends or a walker is free.
void Iommu::Dispatch(Request* request) {
  if (request->walk.done) {
    Translated(request);
    return;
  }
  const auto same = [&](const Request* other) {
    return other->walk.request.requester == request->walk.request.requester &&
           other->walk.request.logical / hw::kPageSize == request->walk.request.logical / hw::kPageSize;
  };
  if (std::any_of(walks_under_way_.begin(), walks_under_way_.end(), same)) {
    joined_ += request->joined ? 0 : 1;
    request->joined = true;
    queued_.push_back(request);
  } else if (walks_under_way_.size() < timing_.walks) {
    StartWalk(request);
  } else {
    queued_.push_back(request);
  }
}

void Iommu::StartWalk(Request* request) {
  walks_under_way_.push_back(request);
  most_walks_ = std::max<uint64_t>(most_walks_, walks_under_way_.size());
  WantRead(request);
}

void Iommu::WantRead(Request* request) {
  const RemapRead read = request->walk.read;
  PooledTransaction* t = pool_.Acquire(tlm::TLM_READ_COMMAND, read.address, 0, read.bytes);
  t->extension->kind = AddressKind::kLogical;
  SendToMemory(t, [this, request](PooledTransaction& done) { Fed(request, done); });
}

void Iommu::Fed(Request* request, const PooledTransaction& t) {
  uint64_t words[2] = {0, 0};
  std::memcpy(words, t.buffer.data(), t.get_data_length());
  core_->Feed(request->walk, t.is_response_ok(), words[0], words[1]);
  if (!request->walk.done) {
    WantRead(request);
    return;
  }
  walks_under_way_.erase(std::find(walks_under_way_.begin(), walks_under_way_.end(), request));
  walk_ps_ += ScAgenda::Now() - request->arrived_ps;
  const uint64_t page = request->walk.request.logical / hw::kPageSize;
  Translated(request);
  Requeue(page);
}

/// Called when a walk of `page` has completed. The requests that waited for this walk repeat their
/// lookups, and a queued request gets the free walker.
void Iommu::Requeue(uint64_t page) {
  std::deque<Request*> waiting;
  waiting.swap(queued_);
  for (Request* next : waiting) {
    const bool free = walks_under_way_.size() < timing_.walks;
    if (free || next->walk.request.logical / hw::kPageSize == page) {
      core_->Restart(next->walk);
      Dispatch(next);
    } else {
      queued_.push_back(next);
    }
  }
}

void Iommu::Translated(Request* request) {
  request->translated = true;
  waited_ps_ += ScAgenda::Now() - request->arrived_ps;
  if (request->transaction->is_write()) {
    Commit(ports_[request->port]);
    return;
  }
  if (auto* extension = request->transaction->get_extension<BusExtension>())
    extension->marks.translated_ps = ScAgenda::Now();
  if (request->posted_before > ports_[request->port].committed) {
    ++order_holds_;
    reads_.push_back(request);
    return;
  }
  IssueRead(request);
}

/// Sends the port's writes to memory in order, up to the first untranslated write.
void Iommu::Commit(Port& port) {
  bool moved = false;
  while (!port.posted.empty() && port.posted.front()->translated) {
    Request* request = port.posted.front();
    port.posted.pop_front();
    ++port.committed;
    moved = true;
    if (!CommitWrite(request)) {  // a blocked write or an interrupt message
      Answer(*request, tlm::TLM_OK_RESPONSE);
      Finish(request);
    }
  }
  if (moved) StartReads();
}

/// Returns the request's No Snoop attribute, unless SNP in the leaf entry overrides it with false.
bool Iommu::NoSnoop(const Request& request) const {
  const auto* extension = request.transaction->get_extension<BusExtension>();
  if (extension == nullptr || !extension->no_snoop) return false;
  return !core_ || !request.walk.result.snoop;
}

/// Performs the port's oldest write. Returns true if memory will respond, false if the write does
/// not reach memory.
bool Iommu::CommitWrite(Request* request) {
  auto& t = *request->transaction;
  const RemapResult& result = request->walk.result;
  const uint64_t address = core_ ? result.hpa : t.get_address();
  const bool message = core_ ? result.outcome == RemapOutcome::kInterrupt
                             : address >= kMessageStart && address < kMessageEnd;
  if (core_ && !result.ok()) return false;
  if (message) {
    uint32_t data = result.data;
    if (!core_) std::memcpy(&data, t.get_data_ptr(), std::min(t.get_data_length(), 4u));
    messages_(address, data);
    return false;
  }
  PooledTransaction* out = pool_.Acquire(tlm::TLM_WRITE_COMMAND, address, 0, t.get_data_length());
  out->extension->kind = AddressKind::kTranslated;
  out->extension->no_snoop = NoSnoop(*request);
  out->set_data_ptr(t.get_data_ptr());
  out->set_byte_enable_ptr(t.get_byte_enable_ptr());
  out->set_byte_enable_length(t.get_byte_enable_length());
  SendToMemory(out, [this, request](PooledTransaction&) {
    Answer(*request, tlm::TLM_OK_RESPONSE);
    Finish(request);
  });
  return true;
}

void Iommu::StartReads() {
  std::vector<Request*> ready;
  const auto held = std::stable_partition(reads_.begin(), reads_.end(),
                                          [&](Request* r) { return r->posted_before > ports_[r->port].committed; });
  ready.assign(held, reads_.end());
  reads_.erase(held, reads_.end());
  for (Request* request : ready) IssueRead(request);
}

void Iommu::IssueRead(Request* request) {
  auto& t = *request->transaction;
  const RemapResult& result = request->walk.result;
  if (core_ && result.outcome != RemapOutcome::kMemory) {
    Answer(*request, tlm::TLM_ADDRESS_ERROR_RESPONSE);
    Finish(request);
    return;
  }
  PooledTransaction* in = pool_.Acquire(tlm::TLM_READ_COMMAND, core_ ? result.hpa : t.get_address(), 0,
                                        t.get_data_length());
  in->extension->kind = AddressKind::kTranslated;
  in->extension->no_snoop = NoSnoop(*request);
  in->set_data_ptr(t.get_data_ptr());
  SendToMemory(in, [this, request](PooledTransaction& done) {
    Answer(*request, done.get_response_status());
    Finish(request);
  });
}

void Iommu::Finish(Request* request) {
  if (core_) core_->Finish(request->walk);
  request->transaction->release();
  free_.push_back(request);
  PumpQueue();
}

void Iommu::Answer(Request& request, tlm::tlm_response_status status) {
  request.transaction->set_response_status(status);
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  device(request.port)->nb_transport_bw(*request.transaction, phase, delay);
}

// ---- memory

void Iommu::SendToMemory(PooledTransaction* t, std::function<void(PooledTransaction&)> done) {
  if (free_slots_.empty()) {
    free_slots_.push_back(waiting_.size());
    waiting_.emplace_back();
  }
  const size_t slot = free_slots_.back();
  free_slots_.pop_back();
  waiting_[slot] = std::move(done);
  t->owner_tag = slot;
  tlm::tlm_phase phase = tlm::BEGIN_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  memory->nb_transport_fw(*t, phase, delay);
}

tlm::tlm_sync_enum Iommu::FromMemory(tlm::tlm_generic_payload& t, tlm::tlm_phase& phase, sc_core::sc_time&) {
  if (phase == tlm::END_REQ) return tlm::TLM_ACCEPTED;
  auto& mine = static_cast<PooledTransaction&>(t);
  const auto done = std::move(waiting_[mine.owner_tag]);
  free_slots_.push_back(mine.owner_tag);
  done(mine);
  mine.release();
  phase = tlm::END_RESP;
  return tlm::TLM_COMPLETED;
}

// ---- registers and the invalidation queue

void Iommu::WriteRegister(uint32_t offset, unsigned size, uint64_t value) {
  core_->WriteRegister(offset, size, value);
  PumpQueue();
}

void Iommu::PumpQueue() {
  if (!core_ || queue_busy_) return;
  const RemapWork work = core_->NextWork();
  if (work.kind == RemapWork::Kind::kFetch) {
    queue_busy_ = true;
    PooledTransaction* t = pool_.Acquire(tlm::TLM_READ_COMMAND, work.address, 0, 16);
    t->extension->kind = AddressKind::kLogical;
    SendToMemory(t, [this](PooledTransaction& done) {
      uint64_t words[2];
      std::memcpy(words, done.buffer.data(), sizeof words);
      const bool ok = done.is_response_ok();
      agenda_.At(ScAgenda::Now() + timing_.descriptor_ps, [this, ok, low = words[0], high = words[1]] {
        queue_busy_ = false;
        core_->FetchDone(ok, low, high);
        PumpQueue();
      });
    });
  } else if (work.kind == RemapWork::Kind::kStatus) {
    queue_busy_ = true;
    PooledTransaction* t = pool_.Acquire(tlm::TLM_WRITE_COMMAND, work.address, 0, 4);
    t->extension->kind = AddressKind::kLogical;
    std::memcpy(t->buffer.data(), &work.data, 4);
    SendToMemory(t, [this](PooledTransaction& done) {
      queue_busy_ = false;
      core_->StatusDone(done.is_response_ok());
      PumpQueue();
    });
  }  // each Finish repeats the check of a pending drain
}

std::vector<hw::Counter> Iommu::Counters() const {
  if (!core_) return {};
  auto all = core_->Counters();
  all.push_back({"iommu", "walk_ps", walk_ps_, "ps", "Arrival to translation of the requests that walked, summed."});
  all.push_back({"iommu", "translation_ps", waited_ps_, "ps", "Arrival to translation of all requests, summed."});
  all.push_back({"iommu", "walks_at_once", most_walks_, "walks", "Most walks under way at a time."});
  all.push_back(
      {"iommu", "walks_joined", joined_, "requests", "Missed requests that waited for a walk of their page."});
  all.push_back(
      {"iommu", "reads_held", order_holds_, "requests", "Reads that waited for earlier writes after translation."});
  return all;
}

}  // namespace gmmu::sim
