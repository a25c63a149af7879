// SPDX-License-Identifier: Apache-2.0
#include "hw/page_store.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace gmmu::hw {

PageStore::PageStore(std::string owner) : owner_(std::move(owner)), file_(memfd_create("gmmu-pages", MFD_CLOEXEC)) {
  if (file_ < 0) throw std::runtime_error(owner_ + ": cannot create an anonymous file: " + std::strerror(errno));
}

PageStore::~PageStore() {
  for (uint8_t* chunk : chunks_) munmap(chunk, kChunk);
  close(file_);
}

uint8_t* PageStore::Find(uint64_t page) const {
  Recent& recent = recent_[page % recent_.size()];
  if (recent.page == page) return recent.bytes;
  const auto found = offsets_.find(page);
  if (found == offsets_.end()) return nullptr;
  recent = {page, BytesOf(found->second)};
  return recent.bytes;
}

uint8_t* PageStore::Use(uint64_t page) {
  if (uint8_t* const bytes = Find(page)) return bytes;
  return BytesOf(OffsetOf(page));
}

uint64_t PageStore::OffsetOf(uint64_t page) {
  const auto found = offsets_.find(page);
  if (found != offsets_.end()) return found->second;
  const uint64_t offset = offsets_.size() * kPageSize;
  if (offset == chunks_.size() * kChunk) Grow();
  offsets_.emplace(page, offset);
  return offset;
}

void PageStore::Grow() {
  const uint64_t size = chunks_.size() * kChunk;
  void* chunk = MAP_FAILED;
  if (ftruncate(file_, static_cast<off_t>(size + kChunk)) == 0)
    chunk = mmap(nullptr, kChunk, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file_, static_cast<off_t>(size));
  if (chunk == MAP_FAILED) {
    throw std::runtime_error(owner_ + ": cannot have " + std::to_string((size + kChunk) >> 20) +
                             " MiB of pages in use (is a limit set, see `ulimit -v`?): " + std::strerror(errno));
  }
  // Zeroing a huge page would cost more time than it saves in page faults.
  madvise(chunk, kChunk, MADV_NOHUGEPAGE);
  madvise(chunk, kChunk, MADV_DONTDUMP);
  chunks_.push_back(static_cast<uint8_t*>(chunk));
}

std::vector<uint64_t> PageStore::Used() const {
  std::vector<uint64_t> pages;
  pages.reserve(offsets_.size());
  for (const auto& [page, offset] : offsets_) pages.push_back(page);
  std::sort(pages.begin(), pages.end());
  return pages;
}

}  // namespace gmmu::hw
