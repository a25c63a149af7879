// SPDX-License-Identifier: Apache-2.0
// main() of every test program. It is in a separate object file, because SystemC's shared library also defines main().
#include <gmock/gmock.h>

int main(int argc, char** argv) {
  testing::InitGoogleMock(&argc, argv);
  return RUN_ALL_TESTS();
}
