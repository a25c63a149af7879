// SPDX-License-Identifier: Apache-2.0
#include "os/miniport/unmodelled.h"

#include <string_view>

#include "os/miniport/adapter_answers.h"

namespace gmmu::os {
namespace {

struct Member {
  const char* structure;
  const char* name;
  bool (*declared)(const void* object);
};

constexpr Member kMembers[] = {
#define UNMODELLED(structure, member) \
  {#structure, #member, [](const void* object) { return static_cast<const structure*>(object)->member != 0; }},
#define AS_DECLARED(structure, member)
#include "os/miniport/unmodelled.def"
};

/// Appends the unmodelled members of `structure` that `object` sets. `where` is a suffix such as " of segment 1".
void Add(std::string_view structure, const void* object, const std::string& where, std::vector<std::string>& out) {
  for (const Member& member : kMembers) {
    if (member.structure == structure && member.declared(object))
      out.push_back(std::string(structure) + "." + member.name + where);
  }
}

}  // namespace

#define ADD(structure, object, where) Add(#structure, static_cast<const structure*>(&(object)), where, out)

std::vector<std::string> UnmodelledOf(const AdapterAnswers& answers) {
  std::vector<std::string> out;
  ADD(DXGK_DRIVERCAPS, answers.driver, "");
  ADD(DXGK_VIDMMCAPS, answers.driver.MemoryManagementCaps, "");
  ADD(DXGK_VIDSCHCAPS, answers.driver.SchedulingCaps, "");
  if (answers.iommu) ADD(DXGK_IOMMU_CAPS, *answers.iommu, "");
  if (answers.physical) ADD(DXGK_PHYSICALADAPTERCAPS, *answers.physical, "");
  if (answers.physical) ADD(DXGK_PHYSICALADAPTERFLAGS, answers.physical->Flags, "");
  ADD(DXGK_GPUMMUCAPS, answers.mmu, "");
  for (size_t i = 0; i < answers.segments.size(); ++i) {
    const std::string segment = " of segment " + std::to_string(i + 1);
    ADD(DXGK_SEGMENTFLAGS, answers.segments[i].Flags, segment);
    ADD(DXGK_SEGMENTDESCRIPTOR4, answers.segments[i], segment);
  }
  out.insert(out.end(), answers.newer.begin(), answers.newer.end());
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGKARG_CREATEALLOCATION& args, const DXGK_ALLOCATIONINFO& info) {
  std::vector<std::string> out;
  ADD(DXGKARG_CREATEALLOCATION, args, "");
  ADD(DXGK_ALLOCATIONINFO, info, "");
  ADD(DXGK_ALLOCATIONINFOFLAGS_WDDM2_0, info.FlagsWddm2, "");
  ADD(DXGK_ALLOCATIONINFOFLAGS2, info.Flags2, "");
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGKARG_OPENALLOCATION& args) {
  std::vector<std::string> out;
  ADD(DXGKARG_OPENALLOCATION, args, "");
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGK_NODEMETADATA& node, const std::string& where) {
  std::vector<std::string> out;
  ADD(DXGK_NODEMETADATA, node, where);
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGK_SEGMENTDESCRIPTOR3& segment, const std::string& where) {
  std::vector<std::string> out;
  ADD(DXGK_SEGMENTDESCRIPTOR3, segment, where);
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGK_CONTEXTINFO_CAPS& caps) {
  std::vector<std::string> out;
  ADD(DXGK_CONTEXTINFO_CAPS, caps, "");
  return out;
}

std::vector<std::string> UnmodelledOf(const DXGKARG_CREATEDEVICE& gave, const DXGKARG_CREATEDEVICE& answered) {
  if (answered.pInfo == gave.pInfo) return {};
  return {"DXGKARG_CREATEDEVICE.pInfo"};
}

#undef ADD

}  // namespace gmmu::os
