// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "ddi/wdm_registry.h"
#include "tb/sw/os/machine.h"

namespace gmmu::os {
namespace {

struct WithDevice : Machine {
  WithDevice() {
    PciFunction function;
    function.bdf = {1, 2, 3};
    function.vendor = 0x1AF4;
    function.device = 0x10;
    function.revision = 5;
    function.class_code = 0x030200;
    kernel.AddDeviceObject(device, function);
  }
  std::u16string Text(DEVICE_REGISTRY_PROPERTY property) {
    ULONG needed = 0;
    EXPECT_EQ(IoGetDeviceProperty(device, property, 0, nullptr, &needed), STATUS_BUFFER_TOO_SMALL);
    std::u16string text(needed / sizeof(char16_t), u'?');
    EXPECT_EQ(IoGetDeviceProperty(device, property, needed, text.data(), &needed), STATUS_SUCCESS);
    return text;
  }
  ULONG Number(DEVICE_REGISTRY_PROPERTY property) {
    ULONG value = 0, needed = 0;
    EXPECT_EQ(IoGetDeviceProperty(device, property, sizeof value, &value, &needed), STATUS_SUCCESS);
    EXPECT_EQ(needed, sizeof value);
    return value;
  }
  PDEVICE_OBJECT const device = reinterpret_cast<PDEVICE_OBJECT>(this);
};

TEST(DeviceProperties, AreThoseOfThePciFunction) {
  WithDevice machine;
  const std::u16string ids = machine.Text(DevicePropertyHardwareID);
  EXPECT_EQ(ids.substr(0, ids.find(u'\0')), u"PCI\\VEN_1AF4&DEV_0010&SUBSYS_00000000&REV_05");
  EXPECT_EQ(ids.substr(ids.size() - 24), std::u16string(u"\0PCI\\VEN_1AF4&DEV_0010\0\0", 24)) << "a list";
  EXPECT_EQ(machine.Text(DevicePropertyCompatibleIDs), std::u16string(u"PCI\\CC_0302\0\0", 13));
  EXPECT_EQ(machine.Text(DevicePropertyClassName), std::u16string(u"Display\0", 8));
  EXPECT_EQ(machine.Number(DevicePropertyBusNumber), 1u);
  EXPECT_EQ(machine.Number(DevicePropertyAddress), 0x20003u);
}

TEST(DeviceProperties, OfAnotherObjectOrLevelAreABugCheck) {
  WithDevice machine;
  ULONG needed;
  EXPECT_THROW(IoGetDeviceProperty(nullptr, DevicePropertyAddress, 0, nullptr, &needed), BugCheck);
  EXPECT_EQ(IoGetDeviceProperty(machine.device, static_cast<DEVICE_REGISTRY_PROPERTY>(99), 0, nullptr, &needed),
            STATUS_OBJECT_NAME_NOT_FOUND);
  machine.kernel.scheduler().Raise(kDispatch);
  EXPECT_THROW(machine.Number(DevicePropertyAddress), BugCheck);
}

}  // namespace
}  // namespace gmmu::os
