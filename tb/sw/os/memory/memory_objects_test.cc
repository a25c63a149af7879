// SPDX-License-Identifier: Apache-2.0
#include "os/memory/memory_objects.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "os/base/bug_check.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using ::testing::HasSubstr;

TEST(MemoryObjects, CpuAndDeviceSeeTheSameBytesInTheSameOrder) {
  Objects test;
  const auto object = test.Create(5 * 4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 5 * 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  ASSERT_EQ(adl.pAdl->PageCount, 5u);
  ASSERT_TRUE(adl.pAdl->Flags.Contiguous);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096 + 100;
  map.Size = 8192;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);
  std::memcpy(static_cast<char*>(map.pMappedAddress) + map.Offset + 4090, "across", 6);
  char text[7] = {};
  for (uint64_t i = 0; i < 6; ++i) {
    const uint64_t logical = (adl.pAdl->BasePageNumber + 1) * 4096 + 100 + 4090 + i;
    const auto result = test.Translate(logical);
    ASSERT_TRUE(result.ok());
    ASSERT_TRUE(test.platform.ram().Read(result.hpa, &text[i], 1));
  }
  EXPECT_STREQ(text, "across");

  test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, map.Size});
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject});
  EXPECT_TRUE(test.domain->empty());
}

TEST(MemoryObjects, RefuseBadArgumentsAndChangeNothing) {
  Objects test;
  const auto object = test.Create(2 * 4096, test.adapter);
  const size_t open = test.kernel.ledger().open();
  for (const auto& [offset, size] : std::vector<std::pair<uint64_t, uint64_t>>{
           {1, 4096}, {0, 4095}, {0, 0}, {4096, 8192}, {8192, 4096}, {0, 3 * 4096}}) {
    auto adl = test.Adl(object.hAdapterMemoryObject, offset, size);
    EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER) << offset << " " << size;
    EXPECT_EQ(adl.pAdl, nullptr);
  }
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  adl.Flags.RequireContiguous = 1;  // permitted only for contiguous memory and I/O space
  EXPECT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_INVALID_PARAMETER);

  DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT create{};
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "no size";
  create.Size = 4096;
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an uncached section";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
  create.IOSpace.BaseAddress.QuadPart = 0x100000;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "RAM as I/O space";
  create.Type = DXGK_PHYSICAL_MEMORY_TYPE_MDL;
  create.hAdapter = &create;
  EXPECT_EQ(test.objects.Create(create, "test"), STATUS_INVALID_PARAMETER) << "an unknown adapter";
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT again{object.hPhysicalMemoryObject, test.adapter, nullptr};
  EXPECT_EQ(test.objects.Open(again, "test"), STATUS_INVALID_PARAMETER) << "opened already";
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Offset = 4096;
  map.Size = 8192;
  EXPECT_EQ(test.objects.Map(map, "test"), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(test.kernel.ledger().open(), open);
}

TEST(MemoryObjects, BugCheckOnMisuse) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  const auto other = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  DXGKARGCB_MAP_PHYSICAL_MEMORY map{};
  map.hPhysicalMemoryObject = object.hPhysicalMemoryObject;
  map.Size = 4096;
  ASSERT_EQ(test.objects.Map(map, "test"), STATUS_SUCCESS);

  EXPECT_THROW(test.objects.Destroy({other.hPhysicalMemoryObject, nullptr}), BugCheck) << "open on an adapter";
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck) << "an ADL exists";
  EXPECT_THROW(test.objects.FreeAdl({other.hAdapterMemoryObject, adl.pAdl}), BugCheck) << "another object's handle";
  EXPECT_THROW(test.objects.Unmap({other.hPhysicalMemoryObject, map.pMappedAddress, 4096}), BugCheck);
  EXPECT_THROW(test.objects.Unmap({object.hPhysicalMemoryObject, map.pMappedAddress, 8192}), BugCheck) << "wrong size";
  EXPECT_THROW(test.objects.Destroy({&test, nullptr}), BugCheck) << "unknown handle";
  test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl});
  EXPECT_THROW(test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}), BugCheck) << "freed twice";
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}), BugCheck) << "a view";

  test.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(test.Create(4096, test.adapter), BugCheck) << "above APC_LEVEL";
}

TEST(MemoryObjects, StayUnattachedUntilOpened) {
  Objects test;
  const auto object = test.Create(4096, nullptr);
  EXPECT_EQ(object.hAdapterMemoryObject, nullptr);
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  ASSERT_EQ(test.objects.Open(open, "test"), STATUS_SUCCESS);
  test.objects.Close({open.hAdapterMemoryObject});
  test.objects.Destroy({object.hPhysicalMemoryObject, nullptr});
}

TEST(MemoryObjects, NameWhatIsLeft) {
  Objects test;
  const size_t before = test.kernel.ledger().Leaks().size();
  const auto object = test.Create(4096, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "somebody"), STATUS_SUCCESS);
  const auto leaks = test.kernel.ledger().Leaks();
  std::string kinds;
  for (size_t i = before; i < leaks.size(); ++i)
    kinds += leaks[i].kind + "/" + leaks[i].owner + "/" + leaks[i].created_by + " ";
  EXPECT_THAT(kinds, HasSubstr("memory_object/test/DxgkCbCreatePhysicalMemoryObject"));
  EXPECT_THAT(kinds, HasSubstr("adl/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("domain_mapping/somebody/DxgkCbAllocateAdl"));
  EXPECT_THAT(kinds, HasSubstr("pinned_page/somebody/DxgkCbAllocateAdl"));
}

/// The bug check must name the call.
TEST(MemoryObjects, OfAnAdapterThatWasRemovedAreABugCheck) {
  Objects test;
  const auto object = test.Create(8192, test.adapter);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  test.objects.RemoveAdapter(test.adapter);
  const auto stop_of = [](const auto& call) -> std::string {
    try {
      call();
    } catch (const BugCheck& stop) {
      return stop.what();
    }
    return "";
  };
  EXPECT_THAT(stop_of([&] { test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}); }),
              HasSubstr("DxgkCbFreeAdl for an adapter that is not started"));
  auto more = test.Adl(object.hAdapterMemoryObject, 4096, 4096);
  EXPECT_THAT(stop_of([&] { test.objects.AllocateAdl(more, "test"); }),
              HasSubstr("DxgkCbAllocateAdl for an adapter that is not started"));
}

// The documentation does not say what happens if an object is destroyed while it is open or has a
// CPU view.
TEST(MemoryMisuse, DestroyInUseStopsOrTheMemoryGoesWithItsLastView) {
  for (bool stops : {true, false}) {
    Parameters parameters = TestParameters();
    parameters.destroy_in_use_stops = stops;
    Objects test(parameters);
    const size_t before = test.kernel.pages().allocated();
    const auto viewed = test.Create(4096, nullptr);
    const auto opened = test.Create(4096, test.adapter);
    const auto view = test.Map(viewed.hPhysicalMemoryObject, 0, 4096);
    if (stops) {
      EXPECT_THROW(test.objects.Destroy({viewed.hPhysicalMemoryObject, nullptr}), BugCheck);
      EXPECT_THROW(test.objects.Destroy({opened.hPhysicalMemoryObject, nullptr}), BugCheck);
      continue;
    }
    test.objects.Destroy({viewed.hPhysicalMemoryObject, nullptr});
    test.objects.Destroy({opened.hPhysicalMemoryObject, nullptr});
    static_cast<char*>(view.pMappedAddress)[0] = 1;
    EXPECT_EQ(test.kernel.pages().allocated(), before + 1);
    DXGKARGCB_MAP_PHYSICAL_MEMORY again{viewed.hPhysicalMemoryObject, DXGK_ACCESS_MODE_KERNEL_MODE, 0, 1, nullptr};
    EXPECT_THROW(test.objects.Map(again, "test"), BugCheck) << "the handle is gone";
    test.Unmap(view);
    EXPECT_EQ(test.kernel.pages().allocated(), before);
  }
}

TEST(MemoryMisuse, AnAdapterObjectIsClosedOnce) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  test.objects.Close({object.hAdapterMemoryObject});
  EXPECT_THROW(test.objects.Close({object.hAdapterMemoryObject}), BugCheck);
  EXPECT_THROW(test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}), BugCheck)
      << "by close or by destroy, not both";
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  EXPECT_THROW(test.objects.AllocateAdl(adl, "test"), BugCheck) << "it must be opened again first";
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  ASSERT_EQ(test.objects.Open(open, "test"), STATUS_SUCCESS);
  adl = test.Adl(open.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  test.objects.FreeAdl({open.hAdapterMemoryObject, adl.pAdl});
  test.objects.Destroy({object.hPhysicalMemoryObject, open.hAdapterMemoryObject});
}

TEST(MemoryMisuse, AboveApcLevelEveryOneOfTheEightStops) {
  Objects test;
  const auto object = test.Create(4096, test.adapter);
  const auto view = test.Map(object.hPhysicalMemoryObject, 0, 4096);
  auto adl = test.Adl(object.hAdapterMemoryObject, 0, 4096);
  ASSERT_EQ(test.objects.AllocateAdl(adl, "test"), STATUS_SUCCESS);
  auto create = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_MDL, 4096);
  DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open{object.hPhysicalMemoryObject, test.adapter, nullptr};
  auto map = view;
  auto more = adl;
  test.kernel.scheduler().Raise(kApc);
  test.Unmap(test.Map(object.hPhysicalMemoryObject, 0, 4096));  // APC_LEVEL is still permitted
  const std::pair<const char*, std::function<void()>> calls[] = {
      {"DxgkCbCreatePhysicalMemoryObject", [&] { test.objects.Create(create, "test"); }},
      {"DxgkCbOpenPhysicalMemoryObject", [&] { test.objects.Open(open, "test"); }},
      {"DxgkCbAllocateAdl", [&] { test.objects.AllocateAdl(more, "test"); }},
      {"DxgkCbFreeAdl", [&] { test.objects.FreeAdl({object.hAdapterMemoryObject, adl.pAdl}); }},
      {"DxgkCbMapPhysicalMemory", [&] { test.objects.Map(map, "test"); }},
      {"DxgkCbUnmapPhysicalMemory", [&] { test.Unmap(view); }},
      {"DxgkCbClosePhysicalMemoryObject", [&] { test.objects.Close({object.hAdapterMemoryObject}); }},
      {"DxgkCbDestroyPhysicalMemoryObject",
       [&] { test.objects.Destroy({object.hPhysicalMemoryObject, object.hAdapterMemoryObject}); }}};
  test.kernel.scheduler().Raise(kDispatch);
  for (const auto& [name, call] : calls) {  // none of these calls may change the ADL or the view
    try {
      call();
      ADD_FAILURE() << name << " was let pass";
    } catch (const BugCheck& stop) {
      EXPECT_EQ(stop.cause(), std::string(name) + " above APC_LEVEL (IRQL 1): called at IRQL 2");
    }
  }
}

}  // namespace
}  // namespace gmmu::os
