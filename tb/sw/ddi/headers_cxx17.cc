// SPDX-License-Identifier: Apache-2.0
// Compiled as C++17: the same assertions as headers_c11.c.
#include "layout_static.h"
