// SPDX-License-Identifier: Apache-2.0
// Tests which object attributes are accepted for a section, as by ZwCreateSection. The expected
// behaviour follows Microsoft's documentation; it has not been observed on Windows.
#include "os/memory/section_names.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

using Create = DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

/// Valid attributes with a name. Tests then corrupt a member.
struct Named {
  explicit Named(std::u16string path, ULONG flags = OBJ_KERNEL_HANDLE) : text(std::move(path)) {
    name.Length = name.MaximumLength = static_cast<USHORT>(text.size() * sizeof(WCHAR));
    name.Buffer = reinterpret_cast<PWSTR>(text.data());
    attributes.Length = sizeof attributes;
    attributes.ObjectName = &name;
    attributes.Attributes = flags;
  }
  Named(const Named&) = delete;
  Named& operator=(const Named&) = delete;
  Create Section(uint64_t bytes = 8192) {
    Create args = Wanted(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, bytes);
    args.Section.ObjectAttributes = &attributes;
    return args;
  }
  std::u16string text;
  UNICODE_STRING name{};
  OBJECT_ATTRIBUTES attributes{};
};

NTSTATUS Spoiled(void (*spoil)(Named&)) {
  Objects test;
  Named named(u"\\BaseNamedObjects\\one");
  spoil(named);
  return test.TryCreate(named.Section());
}

TEST(SectionNames, MalformedAttributesAreRefusedEachWithItsStatus) {
  EXPECT_EQ(Spoiled([](Named&) {}), STATUS_SUCCESS);
  EXPECT_EQ(Spoiled([](Named& n) { n.attributes.Length = 0; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Spoiled([](Named& n) { n.attributes.Length += 8; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Spoiled([](Named& n) { n.attributes.Attributes |= 0x2000; }), STATUS_INVALID_PARAMETER);
  EXPECT_EQ(Spoiled([](Named& n) { n.attributes.RootDirectory = &n; }), STATUS_INVALID_HANDLE);
  EXPECT_EQ(Spoiled([](Named& n) { n.name.Length -= 1; }), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(Spoiled([](Named& n) { n.name.MaximumLength = 2; }), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(Spoiled([](Named& n) { n.name.Buffer = nullptr; }), STATUS_OBJECT_NAME_INVALID);
  EXPECT_EQ(Spoiled([](Named& n) { n.text[0] = u'x'; }), STATUS_OBJECT_PATH_SYNTAX_BAD);
  EXPECT_EQ(Spoiled([](Named& n) { n.attributes.ObjectName = nullptr; }), STATUS_SUCCESS) << "a section without a name";
}

TEST(SectionNames, TheSecondCreationCollidesOrOpensWhatIsThere) {
  Objects test;
  Named made(u"\\BaseNamedObjects\\shared"), opens(u"\\BaseNamedObjects\\shared", OBJ_OPENIF);
  Create first = made.Section();
  ASSERT_EQ(test.objects.Create(first, "test"), STATUS_SUCCESS);
  EXPECT_EQ(test.TryCreate(made.Section()), STATUS_OBJECT_NAME_COLLISION);
  Named other(u"\\BaseNamedObjects\\SHARED"), folded(u"\\BaseNamedObjects\\SHARED", OBJ_CASE_INSENSITIVE);
  EXPECT_EQ(test.TryCreate(other.Section()), STATUS_SUCCESS) << "another name";
  EXPECT_EQ(test.TryCreate(folded.Section()), STATUS_OBJECT_NAME_COLLISION);

  Create second = opens.Section(4096);
  ASSERT_EQ(test.objects.Create(second, "test"), STATUS_OBJECT_NAME_EXISTS) << "a success";
  const auto writes = test.Map(first.hPhysicalMemoryObject, 4096, 4096);
  // The section keeps the size of its first creation, so its second page can be mapped.
  const auto reads = test.Map(second.hPhysicalMemoryObject, 4096, 4096);
  std::memcpy(static_cast<char*>(writes.pMappedAddress) + writes.Offset, "same", 4);
  EXPECT_EQ(std::memcmp(static_cast<char*>(reads.pMappedAddress) + reads.Offset, "same", 4), 0);
  test.Unmap(writes);
  test.objects.Destroy({first.hPhysicalMemoryObject, nullptr});
  EXPECT_EQ(std::memcmp(static_cast<char*>(reads.pMappedAddress) + reads.Offset, "same", 4), 0);
  test.Unmap(reads);
  EXPECT_EQ(test.TryCreate(made.Section()), STATUS_OBJECT_NAME_COLLISION) << "the second has it still";
  test.objects.Destroy({second.hPhysicalMemoryObject, nullptr});
  EXPECT_EQ(test.TryCreate(made.Section()), STATUS_SUCCESS) << "the name went with the last of them";
}

}  // namespace
}  // namespace gmmu::os
