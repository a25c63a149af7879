// SPDX-License-Identifier: Apache-2.0
// Implements the routines declared in wdm_registry.h.
#include "ddi/wdm_registry.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "os/kernel/driver_objects.h"
#include "os/kernel/kernel.h"

using gmmu::os::Kernel;
using gmmu::os::KernelObject;
using gmmu::os::Registry;
using Key = Registry::Key;

namespace {

std::u16string Text(PCWSTR text) { return reinterpret_cast<const char16_t*>(text); }
std::u16string Text(PCUNICODE_STRING text) {
  return {reinterpret_cast<const char16_t*>(text->Buffer), text->Length / sizeof(WCHAR)};
}

void RequirePassive(const char* routine) { Kernel::Called(routine, gmmu::os::kPassive); }

Key* KeyOf(HANDLE handle) {
  KernelObject* const object = Kernel::Current().driver().objects.Find(handle);
  return object == nullptr || object->type != KernelObject::Type::kKey ? nullptr : static_cast<Key*>(object);
}

/// Returns the path that the attributes specify, or "" if their root directory is not a registry
/// key.
std::u16string PathOf(const OBJECT_ATTRIBUTES& attributes) {
  const std::u16string name = attributes.ObjectName == nullptr ? u"" : Text(attributes.ObjectName);
  if (attributes.RootDirectory == nullptr) return name;
  const Key* const root = KeyOf(attributes.RootDirectory);
  if (root == nullptr) return u"";
  return gmmu::os::Utf16(root->name) + (name.empty() ? u"" : u"\\" + name);
}

NTSTATUS Set(Key& key, const std::u16string& name, ULONG type, const void* data, ULONG bytes) {
  const auto* const from = static_cast<const uint8_t*>(data);
  key.values[Registry::Upper(name)] = {name, type, {from, from + bytes}};
  return STATUS_SUCCESS;
}

/// Copies a structure to the driver's buffer: the fixed part of `fixed` bytes, followed by `rest`,
/// as far as it fits.
NTSTATUS Answer(PVOID to, ULONG length, PULONG needed, const void* structure, size_t fixed, const void* rest,
                size_t bytes) {
  *needed = static_cast<ULONG>(fixed + bytes);
  if (length < fixed) return STATUS_BUFFER_TOO_SMALL;
  memcpy(to, structure, fixed);
  memcpy(static_cast<uint8_t*>(to) + fixed, rest, std::min<size_t>(bytes, length - fixed));
  return length < *needed ? STATUS_BUFFER_OVERFLOW : STATUS_SUCCESS;
}

std::u16string Absolute(ULONG relative, PCWSTR path) {
  const std::u16string below = path == nullptr ? u"" : Text(path);
  const std::u16string control = u"\\Registry\\Machine\\System\\CurrentControlSet\\";
  switch (relative & 0xFFFF) {
    case RTL_REGISTRY_SERVICES: return control + u"Services\\" + below;
    case RTL_REGISTRY_CONTROL: return control + u"Control\\" + below;
    default: return below;
  }
}

/// Implements RTL_QUERY_REGISTRY_DIRECT: copies a string to the caller's UNICODE_STRING, or a value
/// of up to 8 bytes.
NTSTATUS Direct(const RTL_QUERY_REGISTRY_TABLE& entry, ULONG type, const void* data, ULONG bytes) {
  const ULONG expected = entry.DefaultType >> RTL_QUERY_REGISTRY_TYPECHECK_SHIFT;
  if ((entry.Flags & RTL_QUERY_REGISTRY_TYPECHECK) != 0 && expected != type) return STATUS_OBJECT_TYPE_MISMATCH;
  if (type == REG_SZ || type == REG_EXPAND_SZ || type == REG_MULTI_SZ) {
    auto* const to = static_cast<PUNICODE_STRING>(entry.EntryContext);
    const auto length = static_cast<USHORT>(bytes < sizeof(WCHAR) ? 0 : bytes - sizeof(WCHAR));
    if (to->Buffer == nullptr || to->MaximumLength < bytes) return STATUS_BUFFER_TOO_SMALL;
    memcpy(to->Buffer, data, bytes);
    to->Length = length;
    return STATUS_SUCCESS;
  }
  if (bytes > sizeof(ULONG64)) return STATUS_NOT_SUPPORTED;
  memcpy(entry.EntryContext, data, bytes);
  return STATUS_SUCCESS;
}

NTSTATUS Query(const Key& key, const RTL_QUERY_REGISTRY_TABLE& entry, PVOID context) {
  const auto found = key.values.find(Registry::Upper(Text(entry.Name)));
  ULONG type = entry.DefaultType & 0xFFFFFF, bytes = entry.DefaultLength;
  const void* data = entry.DefaultData;
  if (found != key.values.end()) {
    type = found->second.type;
    data = found->second.data.data();
    bytes = static_cast<ULONG>(found->second.data.size());
  } else if ((entry.Flags & RTL_QUERY_REGISTRY_REQUIRED) != 0) {
    return STATUS_OBJECT_NAME_NOT_FOUND;
  } else if (type == REG_NONE || data == nullptr) {
    return STATUS_SUCCESS;
  }
  if ((entry.Flags & RTL_QUERY_REGISTRY_DIRECT) != 0) return Direct(entry, type, data, bytes);
  return entry.QueryRoutine(entry.Name, type, const_cast<PVOID>(data), bytes, context, entry.EntryContext);
}

}  // namespace

extern "C" {

NTSTATUS ZwOpenKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess, POBJECT_ATTRIBUTES ObjectAttributes) {
  UNREFERENCED_PARAMETER(DesiredAccess);
  RequirePassive("ZwOpenKey");
  Kernel& kernel = Kernel::Current();
  Key* const key = kernel.driver().registry.Open(PathOf(*ObjectAttributes));
  if (key == nullptr) return STATUS_OBJECT_NAME_NOT_FOUND;
  *KeyHandle = kernel.driver().objects.Open(*key, "ZwOpenKey");
  return STATUS_SUCCESS;
}

NTSTATUS ZwCreateKey(PHANDLE KeyHandle, ACCESS_MASK DesiredAccess, POBJECT_ATTRIBUTES ObjectAttributes,
                     ULONG TitleIndex, PUNICODE_STRING Class, ULONG CreateOptions, PULONG Disposition) {
  UNREFERENCED_PARAMETER(DesiredAccess);
  UNREFERENCED_PARAMETER(TitleIndex);
  UNREFERENCED_PARAMETER(Class);
  UNREFERENCED_PARAMETER(CreateOptions);
  RequirePassive("ZwCreateKey");
  Kernel& kernel = Kernel::Current();
  const std::u16string path = PathOf(*ObjectAttributes);
  if (path.empty() || path[0] != u'\\') return STATUS_OBJECT_PATH_SYNTAX_BAD;
  bool made = false;
  Key& key = kernel.driver().registry.Create(path, made);
  if (Disposition != nullptr) *Disposition = made ? REG_CREATED_NEW_KEY : REG_OPENED_EXISTING_KEY;
  *KeyHandle = kernel.driver().objects.Open(key, "ZwCreateKey");
  return STATUS_SUCCESS;
}

NTSTATUS ZwQueryValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, KEY_VALUE_INFORMATION_CLASS Class,
                         PVOID KeyValueInformation, ULONG Length, PULONG ResultLength) {
  RequirePassive("ZwQueryValueKey");
  const Key* const key = KeyOf(KeyHandle);
  if (key == nullptr) return STATUS_INVALID_HANDLE;
  const auto found = key->values.find(Registry::Upper(Text(ValueName)));
  if (found == key->values.end()) return STATUS_OBJECT_NAME_NOT_FOUND;
  const Registry::Value& value = found->second;
  const auto name_bytes = static_cast<ULONG>(value.name.size() * sizeof(WCHAR));
  const auto data_bytes = static_cast<ULONG>(value.data.size());
  switch (Class) {
    case KeyValueBasicInformation: {
      const KEY_VALUE_BASIC_INFORMATION fixed{0, value.type, name_bytes, {}};
      return Answer(KeyValueInformation, Length, ResultLength, &fixed, offsetof(KEY_VALUE_BASIC_INFORMATION, Name),
                    value.name.data(), name_bytes);
    }
    case KeyValueFullInformation: {
      constexpr size_t kFixed = offsetof(KEY_VALUE_FULL_INFORMATION, Name);
      const KEY_VALUE_FULL_INFORMATION fixed{0,          value.type, static_cast<ULONG>(kFixed) + name_bytes,
                                             data_bytes, name_bytes, {}};
      std::string rest(name_bytes + data_bytes, 0);
      memcpy(rest.data(), value.name.data(), name_bytes);
      memcpy(rest.data() + name_bytes, value.data.data(), data_bytes);
      return Answer(KeyValueInformation, Length, ResultLength, &fixed, kFixed, rest.data(), rest.size());
    }
    case KeyValuePartialInformation: {
      const KEY_VALUE_PARTIAL_INFORMATION fixed{0, value.type, data_bytes, {}};
      return Answer(KeyValueInformation, Length, ResultLength, &fixed, offsetof(KEY_VALUE_PARTIAL_INFORMATION, Data),
                    value.data.data(), data_bytes);
    }
  }
  return STATUS_INVALID_PARAMETER;
}

NTSTATUS ZwSetValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName, ULONG TitleIndex, ULONG Type, PVOID Data,
                       ULONG DataSize) {
  UNREFERENCED_PARAMETER(TitleIndex);
  RequirePassive("ZwSetValueKey");
  Key* const key = KeyOf(KeyHandle);
  return key == nullptr ? STATUS_INVALID_HANDLE : Set(*key, Text(ValueName), Type, Data, DataSize);
}

NTSTATUS ZwDeleteValueKey(HANDLE KeyHandle, PUNICODE_STRING ValueName) {
  RequirePassive("ZwDeleteValueKey");
  Key* const key = KeyOf(KeyHandle);
  if (key == nullptr) return STATUS_INVALID_HANDLE;
  return key->values.erase(Registry::Upper(Text(ValueName))) == 0 ? STATUS_OBJECT_NAME_NOT_FOUND : STATUS_SUCCESS;
}

NTSTATUS IoOpenDeviceRegistryKey(PDEVICE_OBJECT DeviceObject, ULONG DevInstKeyType, ACCESS_MASK DesiredAccess,
                                 PHANDLE DeviceRegKey) {
  UNREFERENCED_PARAMETER(DeviceObject);
  UNREFERENCED_PARAMETER(DesiredAccess);
  RequirePassive("IoOpenDeviceRegistryKey");
  Kernel& kernel = Kernel::Current();
  const bool driver = (DevInstKeyType & PLUGPLAY_REGKEY_DRIVER) != 0;
  Key* const key = kernel.driver().registry.Open(gmmu::os::Utf16(driver ? Registry::kDevice : Registry::kHardware));
  *DeviceRegKey = kernel.driver().objects.Open(*key, "IoOpenDeviceRegistryKey");
  return STATUS_SUCCESS;
}

NTSTATUS RtlQueryRegistryValues(ULONG RelativeTo, PCWSTR Path, PRTL_QUERY_REGISTRY_TABLE QueryTable, PVOID Context,
                                PVOID Environment) {
  UNREFERENCED_PARAMETER(Environment);
  RequirePassive("RtlQueryRegistryValues");
  Registry& registry = Kernel::Current().driver().registry;
  const bool by_handle = (RelativeTo & RTL_REGISTRY_HANDLE) != 0;
  Key* const root = by_handle ? KeyOf(const_cast<PWSTR>(Path)) : registry.Open(Absolute(RelativeTo, Path));
  if (root == nullptr) {
    return (RelativeTo & RTL_REGISTRY_OPTIONAL) != 0 ? STATUS_SUCCESS
           : by_handle                               ? STATUS_INVALID_HANDLE
                                                     : STATUS_OBJECT_NAME_NOT_FOUND;
  }
  const Key* key = root;
  for (const RTL_QUERY_REGISTRY_TABLE* entry = QueryTable; entry->QueryRoutine != nullptr || entry->Name != nullptr;
       ++entry) {
    if (entry->Name == nullptr) return STATUS_NOT_SUPPORTED;
    NTSTATUS status = STATUS_SUCCESS;
    if ((entry->Flags & RTL_QUERY_REGISTRY_SUBKEY) != 0) {
      key = registry.Open(gmmu::os::Utf16(root->name) + u"\\" + Text(entry->Name));
      if (key == nullptr) status = STATUS_OBJECT_NAME_NOT_FOUND;
    } else {
      status = Query(*key, *entry, Context);
    }
    if (!NT_SUCCESS(status)) return status;
  }
  return STATUS_SUCCESS;
}

NTSTATUS RtlWriteRegistryValue(ULONG RelativeTo, PCWSTR Path, PCWSTR ValueName, ULONG ValueType, PVOID ValueData,
                               ULONG ValueLength) {
  RequirePassive("RtlWriteRegistryValue");
  bool made = false;
  Key* const key = (RelativeTo & RTL_REGISTRY_HANDLE) != 0
                       ? KeyOf(const_cast<PWSTR>(Path))
                       : &Kernel::Current().driver().registry.Create(Absolute(RelativeTo, Path), made);
  return key == nullptr ? STATUS_INVALID_HANDLE : Set(*key, Text(ValueName), ValueType, ValueData, ValueLength);
}

}  // extern "C"
