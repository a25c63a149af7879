// SPDX-License-Identifier: Apache-2.0
// Implements IoGetDeviceProperty for a driver's devices.
#include <cstring>
#include <string>
#include <vector>

#include "ddi/wdm_registry.h"
#include "os/base/bug_check.h"
#include "os/kernel/kernel.h"
#include "os/kernel/registry.h"
#include "os/base/text.h"

namespace {

using gmmu::os::PciFunction;

constexpr char kClass[] = "{4d36e968-e325-11ce-bfc1-08002be10318}";

/// Formats a number as `digits` upper-case hexadecimal digits, such as "10DE".
std::string Digits(uint32_t value, unsigned digits) {
  std::string text;
  for (unsigned i = digits; i-- > 0;) text += "0123456789ABCDEF"[value >> (4 * i) & 15];
  return text;
}

std::vector<std::string> HardwareIds(const PciFunction& function) {
  const std::string device = "PCI\\VEN_" + Digits(function.vendor, 4) + "&DEV_" + Digits(function.device, 4);
  const std::string subsystem = "&SUBSYS_" + Digits(function.subsystem, 4) + Digits(function.subsystem_vendor, 4);
  const std::string revision = "&REV_" + Digits(function.revision, 2);
  return {device + subsystem + revision, device + subsystem, device + revision, device};
}

std::vector<uint8_t> Number(ULONG value) {
  std::vector<uint8_t> bytes(sizeof value);
  memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

/// Encodes strings as UTF-16, each with a terminator. If `list` is true, an empty string ends the
/// list.
std::vector<uint8_t> Texts(const std::vector<std::string>& texts, bool list) {
  std::u16string all;
  for (const std::string& text : texts) all += gmmu::os::Utf16(text) + u'\0';
  if (list) all += u'\0';
  const auto* const bytes = reinterpret_cast<const uint8_t*>(all.data());
  return {bytes, bytes + all.size() * sizeof(char16_t)};
}
std::vector<uint8_t> Text(const std::string& text) { return Texts({text}, false); }

/// Returns the property's value, or an empty vector if the device does not have the property.
std::vector<uint8_t> PropertyOf(const PciFunction& function, DEVICE_REGISTRY_PROPERTY property) {
  switch (property) {
    case DevicePropertyDeviceDescription:
    case DevicePropertyFriendlyName: return Text("gmmu");
    case DevicePropertyManufacturer: return Text("gmmu");
    case DevicePropertyHardwareID: return Texts(HardwareIds(function), true);
    case DevicePropertyCompatibleIDs: return Texts({"PCI\\CC_" + Digits(function.class_code >> 8, 4)}, true);
    case DevicePropertyClassName: return Text("Display");
    case DevicePropertyClassGuid: return Text(kClass);
    case DevicePropertyDriverKeyName: return Text(std::string(kClass) + "\\0000");
    case DevicePropertyPhysicalDeviceObjectName:
      return Text("\\Device\\NTPNP_PCI" + Digits(function.bdf.requester_id(), 4));
    case DevicePropertyLocationInformation:
      return Text("PCI bus " + std::to_string(function.bdf.bus) + ", device " + std::to_string(function.bdf.device) +
                  ", function " + std::to_string(function.bdf.function));
    case DevicePropertyBusNumber: return Number(function.bdf.bus);
    case DevicePropertyAddress: return Number(ULONG{function.bdf.device} << 16 | function.bdf.function);
  }
  return {};
}

}  // namespace

extern "C" NTSTATUS IoGetDeviceProperty(PDEVICE_OBJECT DeviceObject, DEVICE_REGISTRY_PROPERTY DeviceProperty,
                                        ULONG BufferLength, PVOID PropertyBuffer, PULONG ResultLength) {
  gmmu::os::Kernel& kernel = gmmu::os::Kernel::Current();
  kernel.scheduler().RequireIrql("IoGetDeviceProperty", gmmu::os::kPassive);
  const PciFunction* const function = kernel.DeviceOf(DeviceObject);
  if (function == nullptr) throw gmmu::os::BugCheck("IoGetDeviceProperty of what is no physical device object");
  const std::vector<uint8_t> value = PropertyOf(*function, DeviceProperty);
  *ResultLength = static_cast<ULONG>(value.size());
  if (value.empty()) return STATUS_OBJECT_NAME_NOT_FOUND;
  if (value.size() > BufferLength) return STATUS_BUFFER_TOO_SMALL;
  memcpy(PropertyBuffer, value.data(), value.size());
  return STATUS_SUCCESS;
}
