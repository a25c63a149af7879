// SPDX-License-Identifier: Apache-2.0
// Tests a machine's registry through the routines of wdm_registry.h.
#include "os/kernel/registry.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "ddi/wdm_inline.h"
#include "ddi/wdm_registry.h"
#include "ddi/wdm_strings.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

struct WithRegistry : Machine {
  static Parameters Configured() {
    Parameters parameters = TestParameters();
    parameters.registry["driver"] = {{"Depth", uint64_t{7}}, {"Name", std::string("gpu")}, {"Wide", uint64_t{1} << 32}};
    parameters.registry["device"] = {{"Bytes", std::vector<uint8_t>{1, 2, 3}}};
    parameters.registry["\\Registry\\Machine\\Other"] = {{"List", std::vector<std::string>{"a", "b"}}};
    return parameters;
  }
  WithRegistry() : Machine(Configured()) {}
};

UNICODE_STRING Counted(const char16_t* text) {
  UNICODE_STRING string;
  RtlInitUnicodeString(&string, reinterpret_cast<PCWSTR>(text));
  return string;
}
NTSTATUS Open(const char16_t* path, HANDLE* key, HANDLE root = nullptr) {
  UNICODE_STRING name = Counted(path);
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE, root, nullptr);
  return ZwOpenKey(key, KEY_READ, &attributes);
}
struct Answer {
  NTSTATUS status;
  ULONG type, length;
  std::vector<uint8_t> data;
};
Answer Query(HANDLE key, const char16_t* value, ULONG room = 64) {
  UNICODE_STRING name = Counted(value);
  alignas(8) UCHAR buffer[64] = {};
  ULONG needed = 0;
  const NTSTATUS status = ZwQueryValueKey(key, &name, KeyValuePartialInformation, buffer, room, &needed);
  const auto* partial = reinterpret_cast<KEY_VALUE_PARTIAL_INFORMATION*>(buffer);
  if (!NT_SUCCESS(status)) return {status, 0, needed, {}};
  return {status, partial->Type, needed, {partial->Data, partial->Data + partial->DataLength}};
}

constexpr char16_t kDriverPath[] = u"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\gmmu";

TEST(RegistryOfAMachine, HasWhatTheConfigurationSaysByTheKitsTypes) {
  WithRegistry machine;
  HANDLE key;
  ASSERT_EQ(Open(u"\\REGISTRY\\machine\\system\\currentcontrolset\\services\\GMMU", &key), STATUS_SUCCESS)
      << "without case";
  EXPECT_EQ(Query(key, u"depth").type, ULONG{REG_DWORD});
  EXPECT_EQ(Query(key, u"Depth").data, (std::vector<uint8_t>{7, 0, 0, 0}));
  EXPECT_EQ(Query(key, u"Wide").type, ULONG{REG_QWORD});
  EXPECT_EQ(Query(key, u"Name").data, (std::vector<uint8_t>{'g', 0, 'p', 0, 'u', 0, 0, 0}));
  EXPECT_EQ(Query(key, u"None").status, STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(Query(key, u"Name", 4).status, STATUS_BUFFER_TOO_SMALL);
  EXPECT_EQ(Query(key, u"Name", 14).status, STATUS_BUFFER_OVERFLOW);
  EXPECT_EQ(Query(key, u"Name", 14).length, 20u);
  ZwClose(key);
  ASSERT_EQ(Open(u"\\Registry\\Machine\\Other", &key), STATUS_SUCCESS);
  EXPECT_EQ(Query(key, u"List").type, ULONG{REG_MULTI_SZ});
  EXPECT_EQ(Query(key, u"List").data, (std::vector<uint8_t>{'a', 0, 0, 0, 'b', 0, 0, 0, 0, 0}));
  ZwClose(key);
  ASSERT_EQ(IoOpenDeviceRegistryKey(nullptr, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key), STATUS_SUCCESS);
  EXPECT_EQ(Query(key, u"Bytes").data, (std::vector<uint8_t>{1, 2, 3}));
  ZwClose(key);
  EXPECT_EQ(Open(u"\\Registry\\Machine\\Nothing", &key), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(machine.kernel.ledger().open(), 0u);
}

TEST(RegistryOfAMachine, TakesKeysAndValuesOfTheDriver) {
  WithRegistry machine;
  HANDLE root, key;
  ASSERT_EQ(Open(kDriverPath, &root), STATUS_SUCCESS);
  UNICODE_STRING name = Counted(u"Parameters"), value = Counted(u"Speed");
  OBJECT_ATTRIBUTES attributes;
  InitializeObjectAttributes(&attributes, &name, OBJ_KERNEL_HANDLE, root, nullptr);
  ULONG made = 0, speed = 9;
  ASSERT_EQ(ZwCreateKey(&key, KEY_ALL_ACCESS, &attributes, 0, nullptr, 0, &made), STATUS_SUCCESS);
  EXPECT_EQ(made, ULONG{REG_CREATED_NEW_KEY});
  EXPECT_EQ(ZwSetValueKey(key, &value, 0, REG_DWORD, &speed, sizeof speed), STATUS_SUCCESS);
  EXPECT_EQ(Query(key, u"SPEED").data, (std::vector<uint8_t>{9, 0, 0, 0}));
  ZwClose(key);
  ASSERT_EQ(Open(u"Parameters", &key, root), STATUS_SUCCESS) << "relative to a key";
  EXPECT_EQ(ZwDeleteValueKey(key, &value), STATUS_SUCCESS);
  EXPECT_EQ(ZwDeleteValueKey(key, &value), STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(Query(key, u"Speed").status, STATUS_OBJECT_NAME_NOT_FOUND);
  ZwClose(key);
  EXPECT_EQ(Query(key, u"Speed").status, STATUS_INVALID_HANDLE);
  EXPECT_EQ(machine.kernel.ledger().Leaks().at(0).kind, "handle") << "the root is still open";
}

TEST(RegistryOfAMachine, HasFullAndBasicInformation) {
  WithRegistry machine;
  HANDLE key;
  Open(kDriverPath, &key);
  UNICODE_STRING name = Counted(u"Depth");
  alignas(8) UCHAR buffer[64];
  ULONG needed;
  ASSERT_EQ(ZwQueryValueKey(key, &name, KeyValueFullInformation, buffer, sizeof buffer, &needed), STATUS_SUCCESS);
  const auto* full = reinterpret_cast<KEY_VALUE_FULL_INFORMATION*>(buffer);
  EXPECT_EQ(full->NameLength, 10u);
  EXPECT_EQ(buffer[full->DataOffset], 7);
  EXPECT_EQ(needed, full->DataOffset + 4);
  ASSERT_EQ(ZwQueryValueKey(key, &name, KeyValueBasicInformation, buffer, sizeof buffer, &needed), STATUS_SUCCESS);
  EXPECT_EQ(reinterpret_cast<KEY_VALUE_BASIC_INFORMATION*>(buffer)->Name[0], 'D');
}

NTSTATUS Sum(PWSTR, ULONG type, PVOID data, ULONG bytes, PVOID context, PVOID entry) {
  EXPECT_EQ(type, ULONG{REG_DWORD});
  EXPECT_EQ(bytes, 4u);
  *static_cast<ULONG*>(context) += *static_cast<ULONG*>(data);
  *static_cast<ULONG*>(entry) = 1;
  return STATUS_SUCCESS;
}

TEST(RegistryOfAMachine, IsReadByTablesOfQueries) {
  WithRegistry machine;
  auto wide = [](const char16_t* text) { return const_cast<PWSTR>(reinterpret_cast<PCWSTR>(text)); };
  ULONG sum = 0, entry = 0, direct = 0, absent = 0, missing = 5;
  WCHAR text[8];
  UNICODE_STRING name{0, sizeof text, text};
  RTL_QUERY_REGISTRY_TABLE table[] = {{Sum, 0, wide(u"Depth"), &entry, REG_NONE, nullptr, 0},
                                      {nullptr, RTL_QUERY_REGISTRY_DIRECT | RTL_QUERY_REGISTRY_TYPECHECK,
                                       wide(u"Depth"), &direct, REG_DWORD << 24, nullptr, 0},
                                      {nullptr, RTL_QUERY_REGISTRY_DIRECT, wide(u"Name"), &name, REG_NONE, nullptr, 0},
                                      {nullptr, RTL_QUERY_REGISTRY_DIRECT, wide(u"Missing"), &absent, REG_DWORD,
                                       &missing, sizeof missing},
                                      {}};
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"gmmu"), table, &sum, nullptr), STATUS_SUCCESS);
  EXPECT_EQ(sum, 7u);
  EXPECT_EQ(entry, 1u);
  EXPECT_EQ(direct, 7u);
  EXPECT_EQ(name.Length, 6);
  EXPECT_EQ(text[2], 'u');
  EXPECT_EQ(absent, 5u) << "the default of a value that is missing";
  table[1].DefaultType = REG_SZ << 24;
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"gmmu"), table, &sum, nullptr),
            STATUS_OBJECT_TYPE_MISMATCH);
  table[0].Name = wide(u"Nothing");
  table[0].Flags = RTL_QUERY_REGISTRY_REQUIRED;
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"gmmu"), table, &sum, nullptr),
            STATUS_OBJECT_NAME_NOT_FOUND);
  EXPECT_EQ(RtlQueryRegistryValues(RTL_REGISTRY_SERVICES, wide(u"none"), table, &sum, nullptr),
            STATUS_OBJECT_NAME_NOT_FOUND);
  ULONG nine = 9;
  EXPECT_EQ(RtlWriteRegistryValue(RTL_REGISTRY_ABSOLUTE, wide(u"\\Registry\\Machine\\New"), wide(u"V"), REG_DWORD,
                                  &nine, 4),
            STATUS_SUCCESS);
  HANDLE key;
  ASSERT_EQ(Open(u"\\Registry\\Machine\\New", &key), STATUS_SUCCESS);
  EXPECT_EQ(Query(key, u"V").data[0], 9);
}

TEST(RegistryOfAMachine, IsForPassiveLevel) {
  WithRegistry machine;
  machine.kernel.scheduler().Raise(kApc);
  HANDLE key;
  EXPECT_THROW(Open(kDriverPath, &key), BugCheck);
}

TEST(Utf16Text, HasSurrogatesAndNoBadBytes) {
  EXPECT_EQ(Utf16("a\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80"), u"a\u00e4\u20ac\U0001F600");
  EXPECT_EQ(Utf16("\xFFz\xC3"), u"?z?");
}

}  // namespace
}  // namespace gmmu::os
