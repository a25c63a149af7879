// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "os/vidmm/va_calls.h"

#include <functional>

#include "os/vidmm/allocation.h"
#include "os/vidmm/gpu_process.h"
#include "os/vidmm/vidmm.h"
#include "tb/sw/os/driver_front.h"

namespace gmmu::os::test {
using workload::Life;
using Operation = D3DDDI_UPDATEGPUVIRTUALADDRESS_OPERATION;
using Type = D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE;

inline Type Of(bool write, bool execute, bool zero = false, bool no_access = false) {
  Type type{};
  type.Write = write;
  type.Execute = execute;
  type.Zero = zero;
  type.NoAccess = no_access;
  return type;
}

/// A process with an allocation of 32 pages, and helpers for an application's VA calls.
class VaCall : public DriverFront {
 protected:
  struct World {
    explicit World(Life& life) : calls(life.vidmm) {
      process = life.vidmm.CreateProcess("process");
      data = Filled(life, 32, 0x100);
      handle = calls.Open(*data);
    }
    void End(Life& life) {
      calls.Forget(*process);
      life.vidmm.DestroyAllocation(data);
      life.vidmm.DestroyProcess(process);
    }
    D3DDDI_MAPGPUVIRTUALADDRESS MapArgs(uint64_t base, uint64_t offset, uint64_t pages,
                                        Type type = Of(true, true)) const {
      D3DDDI_MAPGPUVIRTUALADDRESS args{};
      args.BaseAddress = base;
      args.hAllocation = handle;
      args.OffsetInPages = offset;
      args.SizeInPages = pages;
      args.Protection = type;
      return args;
    }
    uint64_t Reserve(uint64_t bytes, D3DDDIGPUVIRTUALADDRESS_RESERVATION_TYPE type, uint64_t driver = 0) {
      D3DDDI_RESERVEGPUVIRTUALADDRESS args{};
      args.Size = bytes;
      args.ReservationType = type;
      args.DriverProtection = driver;
      EXPECT_EQ(calls.Reserve(*process, args), STATUS_SUCCESS);
      EXPECT_EQ(args.PagingFenceValue, 0u) << "done";
      return args.VirtualAddress;
    }
    VaCalls calls;
    GpuProcess* process;
    Allocation* data;
    D3DKMT_HANDLE handle;
  };
  /// Runs `body` on the worker thread with a new World.
  void In(const std::function<void(Life&, World&)>& body) {
    Run([&](Life& life) {
      life.worker.Call([&] {
        World world(life);
        body(life, world);
        world.End(life);
      });
    });
  }
  static Operation MapOf(uint64_t base, uint64_t bytes, D3DKMT_HANDLE handle, uint64_t offset, uint64_t size) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_MAP;
    operation.Map = {base, bytes, handle, offset, size};
    return operation;
  }
  static Operation CopyOf(uint64_t source, uint64_t target, uint64_t bytes) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_COPY;
    operation.Copy = {source, bytes, target};
    return operation;
  }
  static Operation UnmapOf(uint64_t base, uint64_t bytes, Type type) {
    Operation operation{};
    operation.OperationType = D3DDDI_UPDATEGPUVIRTUALADDRESS_UNMAP;
    operation.Unmap = {base, bytes, type};
    return operation;
  }
};

}  // namespace gmmu::os::test
