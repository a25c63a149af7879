// SPDX-License-Identifier: Apache-2.0
#include "app/process.h"
#include "tb/bench/cli.h"

int main(int argc, char** argv) {
  gmmu::app::BeginProgram();
  return gmmu::bench::Main(gmmu::bench::AllRows(), argc, argv, stdout, stderr);
}
