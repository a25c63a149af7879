// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace gmmu::os {

class PagingWork;
class PhysicalAdapter;
struct GpuProcess;

/// Where the GPU has pages of 64 KiB, gives the process a TableOrder, which every update is held against, and makes its
/// address space suspend the context and flush around changes between pages of 64 KiB and of 4 KiB. `paging`: it is the
/// paging process, whose context does not run while its own queue is empty; contexts of others are suspended.
void WatchOrder(GpuProcess& process, PhysicalAdapter& gpu, PagingWork& work, bool paging);

}  // namespace gmmu::os
