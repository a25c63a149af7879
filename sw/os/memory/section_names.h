// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <map>
#include <memory>
#include <string>

#include "ddi/ntdef.h"

namespace gmmu::os {

class Section;

/// Sections that have a name: what the object attributes of a section mean, as ZwCreateSection takes them.
///
/// A name lives as long as its section. There are no directories, so that RootDirectory is never a handle, and one user
/// to whom all is allowed, so that the security descriptor and OBJ_KERNEL_HANDLE change nothing.
class SectionNames {
 public:
  /// The name that `attributes` ask for; empty: none, also for null attributes. A failure for what is malformed:
  /// STATUS_INVALID_PARAMETER (Length, Attributes), STATUS_INVALID_HANDLE (RootDirectory), STATUS_OBJECT_NAME_INVALID
  /// (the string), STATUS_OBJECT_PATH_SYNTAX_BAD (no path from the root).
  static NTSTATUS NameOf(const OBJECT_ATTRIBUTES* attributes, std::u16string& name);

  /// The section with this name: STATUS_OBJECT_NAME_EXISTS, a success, with OBJ_OPENIF, else
  /// STATUS_OBJECT_NAME_COLLISION. STATUS_OBJECT_NAME_NOT_FOUND: there is none.
  NTSTATUS Open(const std::u16string& name, ULONG attributes, std::shared_ptr<Section>& section) const;
  void Add(const std::u16string& name, const std::shared_ptr<Section>& section) { sections_[name] = section; }

 private:
  std::map<std::u16string, std::weak_ptr<Section>> sections_;
};

}  // namespace gmmu::os
