// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::hw {

/// Loads a user's shared object by dlopen() with RTLD_NOW and RTLD_LOCAL. On failure returns null and sets `why` to the
/// reason, without the path in front.
///
/// The dynamic loader crashes on some damaged files, and a constructor in the file may end the process. The file is
/// therefore loaded in a child process first, with no output and for at most 60 s, so that the caller can report the
/// crash.
void* OpenSharedObject(const std::string& path, std::string& why);

}  // namespace gmmu::hw
