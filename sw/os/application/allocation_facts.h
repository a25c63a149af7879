// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "ddi/ntddk.h"

namespace gmmu::os {

struct Allocation;

// What a run may ask about an allocation.

const std::string& NameOf(const Allocation& allocation);
/// Its size in bytes, whole pages.
uint64_t BytesOf(const Allocation& allocation);
/// The driver's handle.
HANDLE HandleOf(const Allocation& allocation);
/// Byte offset of its first page in VRAM; nullopt: it is not resident.
std::optional<uint64_t> VramOffset(const Allocation& allocation);
/// The driver wants to be notified of its address.
bool HasNotice(const Allocation& allocation);
/// It lives in system memory and has no place in the aperture.
bool OutsideSegments(const Allocation& allocation);

}  // namespace gmmu::os
