// SPDX-License-Identifier: Apache-2.0
// Tests executive resources (ERESOURCE), critical regions, and misuses that Windows forbids.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "ddi/wdm.h"
#include "os/threads/driver_locks.h"
#include "tb/sw/os/threads/driver_threads.h"

namespace gmmu::os {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

static_assert(sizeof(ERESOURCE) == 0x68 && offsetof(ERESOURCE, OwnerEntry) == 0x30, "as wdm.h has it on x64");

/// A resource that is initialized at its first use.
struct Resource {
  void Make() {
    if (!std::exchange(made, true)) EXPECT_EQ(ExInitializeResourceLite(&it), STATUS_SUCCESS);
  }
  BOOLEAN Alone(BOOLEAN wait = TRUE) {
    KeEnterCriticalRegion();
    Make();
    return ExAcquireResourceExclusiveLite(&it, wait);
  }
  BOOLEAN Shared(BOOLEAN wait = TRUE) {
    KeEnterCriticalRegion();
    Make();
    return ExAcquireResourceSharedLite(&it, wait);
  }
  void Release() {
    ExReleaseResourceLite(&it);
    KeLeaveCriticalRegion();
  }
  ERESOURCE it;
  bool made = false;
};

TEST(DriverResources, AreHeldByOneThread) {
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Resource resource;
    EXPECT_EQ(Counted(seed,
                      [&](const auto& work) {
                        EXPECT_TRUE(resource.Alone());
                        EXPECT_EQ(KeGetCurrentIrql(), PASSIVE_LEVEL);
                        EXPECT_TRUE(resource.Alone()) << "its holder may have it again";
                        EXPECT_TRUE(resource.Shared()) << "in either way";
                        work();
                        for (int i = 0; i < 3; ++i) resource.Release();
                      }),
              12);
  }
}

TEST(DriverResources, AreSharedByAnyNumberAndThenByNobodyElse) {
  int most = 0;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    Threads threads(seed);
    Resource resource;
    int sharing = 0, writing = 0;
    for (const char* name : {"a", "b", "c"}) {
      threads.Add(name, [&] {
        for (int i = 0; i < 4; ++i) {
          EXPECT_TRUE(resource.Shared());
          most = std::max(most, ++sharing);
          EXPECT_EQ(writing, 0);
          threads.kernel.scheduler().Preempt();
          --sharing;
          resource.Release();
        }
      });
    }
    threads.Add("writer", [&] {
      for (int i = 0; i < 4; ++i) {
        EXPECT_TRUE(resource.Alone());
        EXPECT_EQ(sharing + writing++, 0);
        threads.kernel.scheduler().Preempt();
        --writing;
        resource.Release();
      }
    });
    EXPECT_EQ(threads.Run(), "");
  }
  EXPECT_GT(most, 1) << "they share it";
}

TEST(DriverResources, AreNotSharedPastOneWhoWaitsForThem) {
  Threads threads;
  Resource resource;
  std::string order;
  bool held = false, asked = false;
  Scheduler& scheduler = threads.kernel.scheduler();
  threads.Add("holder", [&] {
    resource.Shared();
    held = true;
    scheduler.Wait([&] { return asked; }, 100'000, "the writer");
    LARGE_INTEGER while_others_wait;
    while_others_wait.QuadPart = -100;
    KeDelayExecutionThread(KernelMode, FALSE, &while_others_wait);
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource.it, FALSE)) << "who has it does not wait";
    ExReleaseResourceLite(&resource.it);
    order += "h";
    resource.Release();
  });
  threads.Add("writer", [&] {
    scheduler.Wait([&] { return held; }, 100'000, "the holder");
    KeEnterCriticalRegion();
    EXPECT_FALSE(ExAcquireResourceExclusiveLite(&resource.it, FALSE)) << "not at once";
    asked = true;
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource.it, TRUE));
    order += "w";
    resource.Release();
  });
  threads.Add("reader", [&] {
    scheduler.Wait([&] { return asked; }, 100'000, "the writer");
    LARGE_INTEGER behind;
    behind.QuadPart = -10;
    KeDelayExecutionThread(KernelMode, FALSE, &behind);
    KeEnterCriticalRegion();
    EXPECT_FALSE(ExAcquireResourceSharedLite(&resource.it, FALSE)) << "one waits for it";
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource.it, TRUE));
    order += "r";
    resource.Release();
  });
  EXPECT_EQ(threads.Run(), "");
  EXPECT_EQ(order, "hwr");
}

TEST(DriverResources, MisuseIsABugCheckThatNamesIt) {
  const auto alone = [](auto body) {
    Threads threads;
    Resource resource;
    return threads.Alone([&] { body(resource, threads.kernel.scheduler()); });
  };
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                KeEnterCriticalRegion();
                ExAcquireResourceSharedLite(&resource.it, TRUE);
              }),
              HasSubstr("ExAcquireResourceSharedLite: the resource at 0x"));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Make();
                ExAcquireResourceExclusiveLite(&resource.it, TRUE);
              }),
              HasSubstr("ExAcquireResourceExclusiveLite at IRQL 0: normal kernel APCs are not disabled"));
  EXPECT_THAT(alone([](Resource& resource, Scheduler& scheduler) {
                KeEnterCriticalRegion();
                resource.Make();
                scheduler.Raise(kDispatch);
                ExAcquireResourceSharedLite(&resource.it, FALSE);
              }),
              HasSubstr("ExAcquireResourceSharedLite above APC_LEVEL (IRQL 1): called at IRQL 2"));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Make();
                ExReleaseResourceLite(&resource.it);
              }),
              HasSubstr("is released by alone, and nobody holds it"));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Alone();
                ExDeleteResourceLite(&resource.it);
              }),
              AllOf(HasSubstr("ExDeleteResourceLite: the resource at 0x"), HasSubstr("while alone holds it")));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Make();
                EXPECT_EQ(ExDeleteResourceLite(&resource.it), STATUS_SUCCESS);
                resource.Alone();
              }),
              HasSubstr("was not initialised"));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Alone();
                KeLeaveCriticalRegion();
              }),
              AllOf(HasSubstr("KeLeaveCriticalRegion while the resource at 0x"), HasSubstr("is held")));
  EXPECT_THAT(alone([](Resource& resource, Scheduler&) {
                resource.Shared();
                resource.Alone();
              }),
              AllOf(HasSubstr("deadlock: alone waits for the resource"), HasSubstr("which it holds itself")));
}

TEST(DriverResources, AreReleasedByTheirHolderOnly) {
  Threads threads;
  Resource resource;
  bool taken = false;
  threads.Add("holder", [&] {
    resource.Shared();
    taken = true;
  });
  threads.Add("other", [&] {
    threads.kernel.scheduler().Wait([&] { return taken; }, 1000, "the holder");
    KeEnterCriticalRegion();
    ExReleaseResourceLite(&resource.it);
  });
  EXPECT_THAT(threads.Run(), HasSubstr("is released by other, and holder holds it"));
}

// A fast mutex raises its owner to APC_LEVEL, and the owner of a mutex receives no normal kernel
// APCs. Neither needs a critical region.
TEST(DriverResources, NeedNoCriticalRegionWhereNormalApcsAreDisabledAnyway) {
  Threads threads;
  Resource resource;
  FAST_MUTEX fast;
  KMUTEX mutex;
  EXPECT_EQ(threads.Alone([&] {
    resource.Make();
    ExInitializeFastMutex(&fast);
    ExAcquireFastMutex(&fast);
    EXPECT_TRUE(ExAcquireResourceExclusiveLite(&resource.it, TRUE));
    ExReleaseResourceLite(&resource.it);
    ExReleaseFastMutex(&fast);
    KeInitializeMutex(&mutex, 0);
    KeWaitForSingleObject(&mutex, Executive, KernelMode, FALSE, nullptr);
    EXPECT_TRUE(ExAcquireResourceSharedLite(&resource.it, TRUE));
    ExReleaseResourceLite(&resource.it);
    KeReleaseMutex(&mutex, FALSE);
  }),
            "");
}

TEST(DriverResources, ThatTwoShareAndBothWantAloneAreANamedDeadlock) {
  Threads threads;
  Resource first, second;
  int holding = 0;
  const auto take = [&](Resource& one, Resource& other) {
    one.Shared();
    ++holding;
    threads.kernel.scheduler().Wait([&] { return holding == 2; }, 1000, "the other");
    other.Alone();
  };
  threads.Add("one", [&] { take(first, second); });
  threads.Add("two", [&] { take(second, first); });
  EXPECT_THAT(threads.Run(), AllOf(HasSubstr("deadlock: "), HasSubstr(" holds, who waits for the resource"),
                                   HasSubstr("which it holds itself")));
}

TEST(CriticalRegions, LieInEachOtherAndEndWhereTheyBegan) {
  {
    Threads threads;
    Resource resource;
    EXPECT_EQ(threads.Alone([&] {
      KeEnterCriticalRegion();
      resource.Alone();
      resource.Release();
      resource.Alone();
      ExReleaseResourceLite(&resource.it);
      KeLeaveCriticalRegion();
      KeLeaveCriticalRegion();
      EXPECT_EQ(threads.kernel.locks().held(), 0u);
    }),
              "");
  }
  {
    Threads threads;
    EXPECT_THAT(threads.Alone([&] {
      KeEnterCriticalRegion();
      KeLeaveCriticalRegion();
      KeLeaveCriticalRegion();
    }),
                HasSubstr("KeLeaveCriticalRegion: alone is in no critical region"));
  }
  Threads returning;
  EXPECT_THAT(returning.Alone([&] {
    KeEnterCriticalRegion();
    returning.kernel.locks().CheckReturn("DxgkDdiEscape", 0);
  }),
              HasSubstr("DxgkDdiEscape returned in a critical region (KeEnterCriticalRegion)"));
}

}  // namespace
}  // namespace gmmu::os
