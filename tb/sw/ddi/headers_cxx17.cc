// SPDX-License-Identifier: Apache-2.0
// Compiles the assertions of headers_c11.c as C++17.
#include "layout_static.h"
