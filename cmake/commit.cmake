# SPDX-License-Identifier: Apache-2.0
# cmake -DSOURCE=FOLDER -DTO=FILE -P commit.cmake writes a C++ source with the commit of the checkout, or with "unknown"
# if there is no checkout. If the commit is unchanged, the file keeps its timestamp and nothing is rebuilt.
set(commit unknown)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --show-toplevel RESULT_VARIABLE none OUTPUT_VARIABLE top
                  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  file(REAL_PATH ${SOURCE} source)
  if(none EQUAL 0 AND top STREQUAL source)  # false for a copy inside another project's checkout
    execute_process(COMMAND ${GIT} -C ${SOURCE} describe --always --dirty --abbrev=12 RESULT_VARIABLE none
                    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    if(none EQUAL 0)
      set(commit ${described})
    endif()
  endif()
endif()
file(CONFIGURE OUTPUT ${TO} @ONLY CONTENT [[#include "app/commit.h"
namespace gmmu::app {
const char* const kCommit = "@commit@";
}
]])
