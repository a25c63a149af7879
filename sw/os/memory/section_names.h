// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

class Section;

/// The named sections. Handles the object attributes of sections as ZwCreateSection defines them.
///
/// A name exists as long as its section. Object directories are not modelled, so RootDirectory is
/// never a valid handle. There is only one user, with all rights, so the security descriptor and
/// OBJ_KERNEL_HANDLE have no effect.
class SectionNames {
 public:
  /// Sets `name` to the name in `attributes`, or to an empty name if there is none or `attributes`
  /// is null. Malformed attributes return STATUS_INVALID_PARAMETER (Length, Attributes),
  /// STATUS_INVALID_HANDLE (RootDirectory), STATUS_OBJECT_NAME_INVALID (the string) or
  /// STATUS_OBJECT_PATH_SYNTAX_BAD (not an absolute path).
  static NTSTATUS NameOf(const OBJECT_ATTRIBUTES* attributes, std::u16string& name);

  /// Opens the section with this name if `attributes` has OBJ_OPENIF, and returns
  /// STATUS_OBJECT_NAME_EXISTS (a success status); without OBJ_OPENIF, returns
  /// STATUS_OBJECT_NAME_COLLISION. Returns STATUS_OBJECT_NAME_NOT_FOUND if no section has this
  /// name.
  NTSTATUS Open(const std::u16string& name, ULONG attributes, std::shared_ptr<Section>& section) const;
  void Add(const std::u16string& name, const std::shared_ptr<Section>& section) { sections_[name] = section; }

 private:
  std::map<std::u16string, std::weak_ptr<Section>> sections_;
};

}  // namespace gmmu::os
