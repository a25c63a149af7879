// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <string>

namespace gmmu::hw {

/// dlopen() of a user's file with RTLD_NOW and RTLD_LOCAL. Returns null with the reason in `why`, without the path
/// in front of it.
///
/// The dynamic loader crashes on some damaged files, or ends the process, and a constructor in the file may do the same.
/// The file is therefore loaded in a child process first, without output and for at most 60 s, so that the caller can
/// report what happens.
void* OpenSharedObject(const std::string& path, std::string& why);

}  // namespace gmmu::hw
