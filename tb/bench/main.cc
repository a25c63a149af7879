// SPDX-License-Identifier: Apache-2.0
#include "tb/bench/cli.h"

int main(int argc, char** argv) { return gmmu::bench::Main(gmmu::bench::AllRows(), argc, argv, stdout, stderr); }
