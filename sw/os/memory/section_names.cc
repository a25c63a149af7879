// SPDX-License-Identifier: Apache-2.0
#include "os/memory/section_names.h"

#include <algorithm>

namespace gmmu::os {
namespace {

char16_t Folded(char16_t c) { return c >= u'a' && c <= u'z' ? static_cast<char16_t>(c - u'a' + u'A') : c; }

bool SameFolded(const std::u16string& one, const std::u16string& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](char16_t a, char16_t b) { return Folded(a) == Folded(b); });
}

}  // namespace

NTSTATUS SectionNames::NameOf(const OBJECT_ATTRIBUTES* attributes, std::u16string& name) {
  name.clear();
  if (attributes == nullptr) return STATUS_SUCCESS;
  if (attributes->Length != sizeof(OBJECT_ATTRIBUTES) || (attributes->Attributes & ~ULONG{OBJ_VALID_ATTRIBUTES}) != 0)
    return STATUS_INVALID_PARAMETER;
  if (attributes->RootDirectory != nullptr) return STATUS_INVALID_HANDLE;
  const UNICODE_STRING* const text = attributes->ObjectName;
  if (text == nullptr || text->Length == 0) return STATUS_SUCCESS;
  if (text->Length % sizeof(WCHAR) != 0 || text->Length > text->MaximumLength || text->Buffer == nullptr)
    return STATUS_OBJECT_NAME_INVALID;
  for (size_t i = 0; i < text->Length / sizeof(WCHAR); ++i) name += static_cast<char16_t>(text->Buffer[i]);
  if (name.front() == u'\\' && name.size() > 1) return STATUS_SUCCESS;
  name.clear();
  return STATUS_OBJECT_PATH_SYNTAX_BAD;
}

NTSTATUS SectionNames::Open(const std::u16string& name, ULONG attributes, std::shared_ptr<Section>& section) const {
  for (const auto& [each, held] : sections_) {
    const bool same = (attributes & OBJ_CASE_INSENSITIVE) != 0 ? SameFolded(each, name) : each == name;
    if (!same || held.expired()) continue;
    if ((attributes & OBJ_OPENIF) == 0) return STATUS_OBJECT_NAME_COLLISION;
    section = held.lock();
    return STATUS_OBJECT_NAME_EXISTS;
  }
  return STATUS_OBJECT_NAME_NOT_FOUND;
}

}  // namespace gmmu::os
