// SPDX-License-Identifier: Apache-2.0
// Fixtures: a kernel on the behavioural twin, and memory objects of an adapter that is attached to
// a domain.
#pragma once
#include <gtest/gtest.h>

#include "host/ram_of_iommu.h"
#include "os/hal/remapping.h"
#include "os/kernel/kernel.h"
#include "os/memory/memory_objects.h"
#include "tb/sim/iommu/translate.h"
#include "twin/fast_engine.h"

namespace gmmu::os {

inline Parameters TestParameters() {
  Parameters parameters;
  parameters.seed = 5;
  parameters.page_table_bits = {9, 9, 9, 9};
  return parameters;
}

/// Returns a request for an object of this type, with only the required members set.
inline DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT Wanted(DXGK_PHYSICAL_MEMORY_TYPE type, uint64_t bytes) {
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT args{};
  args.Type = type;
  args.Size = bytes;
  args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
  if (type == DXGK_PHYSICAL_MEMORY_TYPE_SECTION) {
    args.Section.DesiredAccess = SECTION_ALL_ACCESS;
    args.Section.PageProtection = PAGE_READWRITE;
    args.Section.AllocationAttributes = SEC_COMMIT;
  } else if (type != DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE) {
    args.Mdl.HighAddress.QuadPart = -1;
  }
  return args;
}

struct Machine {
  explicit Machine(const Parameters& parameters = TestParameters()) : kernel(platform, parameters) {}

  sim::twin::FastMachine platform{sim::MachineConfig::Default()};
  Kernel kernel;
  sim::RamOfIommu memory{platform.ram()};

  sim::RemapResult Translate(uint64_t logical, bool write = false) {
    return sim::TranslateAtOnce(*platform.iommu(), memory, {0x100, logical, write});
  }
};

struct Objects : Machine {
  explicit Objects(const Parameters& parameters = TestParameters()) : Machine(parameters) {
    kernel.iommu()->Enable([](const RemappingFault&) {});
    domain = kernel.iommu()->CreateDomain(uint64_t{1} << 33, false, "test");
    kernel.iommu()->Attach({1, 0, 0}, *domain);
    objects.AddAdapter(adapter, {domain, "test"});
  }
  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT Create(uint64_t bytes, HANDLE on,
                                                 DXGK_PHYSICAL_MEMORY_TYPE type = DXGK_PHYSICAL_MEMORY_TYPE_MDL) {
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT args{};
    args.hAdapter = on;
    args.Size = bytes;
    args.Type = type;
    args.CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    args.Mdl.HighAddress.QuadPart = -1;  // also ContiguousMemory.HighestAcceptableAddress (a union)
    EXPECT_EQ(objects.Create(args, "test"), STATUS_SUCCESS);
    return args;
  }
  DXGKARGCB_ALLOCATE_ADL Adl(HANDLE object, uint64_t offset, uint64_t size, bool prefer = true) {
    DXGKARGCB_ALLOCATE_ADL args{};
    args.hAdapterMemoryObject = object;
    args.Offset = offset;
    args.Size = size;
    args.Flags.PreferContiguous = prefer;
    return args;
  }
  /// Tries to create the object, and checks that a failed call changes nothing.
  NTSTATUS TryCreate(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT args) {
    const size_t open = kernel.ledger().open();
    const size_t allocated = kernel.pages().allocated();
    const NTSTATUS status = objects.Create(args, "test");
    if (!NT_SUCCESS(status)) {
      EXPECT_EQ(args.hPhysicalMemoryObject, nullptr);
      EXPECT_EQ(kernel.ledger().open(), open);
      EXPECT_EQ(kernel.pages().allocated(), allocated);
    } else {
      objects.Destroy({args.hPhysicalMemoryObject, args.hAdapterMemoryObject});
    }
    return status;
  }
  DXGKARGCB_MAP_PHYSICAL_MEMORY Map(HANDLE object, uint64_t offset, uint64_t size,
                                    DXGK_ACCESS_MODE mode = DXGK_ACCESS_MODE_KERNEL_MODE) {
    DXGKARGCB_MAP_PHYSICAL_MEMORY args{};
    args.hPhysicalMemoryObject = object;
    args.AccessMode = mode;
    args.Offset = offset;
    args.Size = size;
    EXPECT_EQ(objects.Map(args, "test"), STATUS_SUCCESS);
    return args;
  }
  void Unmap(const DXGKARGCB_MAP_PHYSICAL_MEMORY& view) {
    objects.Unmap({view.hPhysicalMemoryObject, view.pMappedAddress, view.Size});
  }
  int token = 0;
  HANDLE adapter = &token;
  RemappingDomain* domain = nullptr;
  MemoryObjects objects{kernel};
};

}  // namespace gmmu::os
