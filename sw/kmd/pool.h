// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <new>

#include "ddi/wdm.h"

namespace gmmu::kmd {

inline constexpr ULONG kPoolTag = 0x756D6D67;  // "gmmu" in memory order

/// Allocates a zero-initialised object in non-paged pool, or returns null. Call at DISPATCH_LEVEL or below.
template <typename T>
T* PoolNew() {
  void* memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizeof(T), kPoolTag);
  return memory == nullptr ? nullptr : new (memory) T();
}

template <typename T>
void PoolDelete(T* object) {
  if (object == nullptr) return;
  object->~T();
  ExFreePoolWithTag(object, kPoolTag);
}

}  // namespace gmmu::kmd
