// SPDX-License-Identifier: Apache-2.0
#include "app/cli.h"
#include "app/process.h"

int main(int argc, char** argv) {
  gmmu::app::BeginProgram();
  return gmmu::app::Main(argc, argv, stdout, stderr);
}
