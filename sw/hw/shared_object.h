// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::hw {

/// Loads a user's shared object with dlopen(), RTLD_NOW and RTLD_LOCAL. On failure, returns null
/// and sets `why` to the reason, without the path.
///
/// The dynamic loader crashes on some damaged files, and a constructor in the file may end the
/// process. The file is therefore first loaded in a child process, with its output discarded and
/// for at most 60 s, so that the caller can report a crash.
void* OpenSharedObject(const std::string& path, std::string& why);

}  // namespace gmmu::hw
