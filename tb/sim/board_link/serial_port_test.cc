// SPDX-License-Identifier: Apache-2.0
#include "board_link/serial_port.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <vector>

namespace gmmu::sim::board {
namespace {

using Cause = PortError::Cause;
using ::testing::HasSubstr;

/// A pseudo-terminal whose slave side serves as the serial port.
struct Pty {
  Pty() : master(posix_openpt(O_RDWR | O_NOCTTY | O_NONBLOCK)) {
    if (grantpt(master) == 0 && unlockpt(master) == 0) path = ptsname(master);
  }
  ~Pty() {
    if (master >= 0) close(master);
  }
  int master;
  std::string path;
};

Cause Refusal(const std::string& path, std::string* text = nullptr) {
  try {
    SerialPort port(path, 3'000'000);
  } catch (const PortError& error) {
    if (text != nullptr) *text = error.what();
    return error.cause();
  }
  ADD_FAILURE() << path << " was opened";
  return Cause::kFailed;
}

TEST(SerialPort, CarriesEveryByteBothWays) {
  Pty pty;
  for (const unsigned baud : {115'200u, 1'234'567u, 3'000'000u}) {
    SerialPort port(pty.path, baud);
    std::vector<uint8_t> all(256), got(256);
    for (unsigned i = 0; i < 256; ++i) all[i] = static_cast<uint8_t>(i);
    EXPECT_EQ(port.Read(got.data(), got.size()), 0u);
    ASSERT_EQ(port.Write(all.data(), all.size()), 256u);
    size_t there = 0;
    while (there < 256) {
      const ssize_t more = read(pty.master, &got[there], 256 - there);
      if (more > 0) there += static_cast<size_t>(more);
    }
    EXPECT_EQ(got, all);
    ASSERT_EQ(write(pty.master, all.data(), all.size()), 256);
    there = 0;
    while (there < 256) {
      port.Wait(false, 1'000'000'000);
      const size_t more = port.Read(&got[there], 256 - there);
      ASSERT_GT(more, 0u);
      there += more;
    }
    EXPECT_EQ(got, all);
  }
}

TEST(SerialPort, APortThatIsNotThereIsNamed) {
  std::string text;
  EXPECT_EQ(Refusal("/dev/ttyNONE9", &text), Cause::kAbsent);
  EXPECT_THAT(text, HasSubstr("there is no serial port /dev/ttyNONE9"));
}

TEST(SerialPort, APortInUseIsRefusedUntilItIsClosed) {
  Pty pty;
  std::string text;
  {
    SerialPort port(pty.path, 3'000'000);
    EXPECT_EQ(Refusal(pty.path, &text), Cause::kInUse);
    EXPECT_THAT(text, HasSubstr("in use by another program"));
  }
  SerialPort again(pty.path, 3'000'000);
}

TEST(SerialPort, WhatIsNoSerialPortIsRefused) {
  const std::string path = std::filesystem::temp_directory_path() / ("gmmu_port_" + std::to_string(getpid()));
  std::ofstream(path) << "text";
  EXPECT_EQ(Refusal(path), Cause::kNoSerialPort);
  std::filesystem::remove(path);
  EXPECT_EQ(Refusal("/tmp"), Cause::kNoSerialPort);
  EXPECT_EQ(Refusal("/dev/null"), Cause::kNoSerialPort);
}

TEST(SerialPort, AUserWithoutRightsIsToldTheGroup) {
  if (geteuid() == 0) GTEST_SKIP() << "root may open every port";
  Pty pty;
  chmod(pty.path.c_str(), 0);
  std::string text;
  EXPECT_EQ(Refusal(pty.path, &text), Cause::kNoRights);
  EXPECT_THAT(text, HasSubstr("group dialout"));
}

TEST(SerialPort, APortThatGoesAwayIsAnError) {
  auto pty = std::make_unique<Pty>();
  SerialPort port(pty->path, 3'000'000);
  pty.reset();
  uint8_t byte = 0;
  EXPECT_THROW(port.Read(&byte, 1), PortError);
  EXPECT_THROW(port.Write(&byte, 1), PortError);
}

TEST(SerialPort, AWaitEndsAtItsBound) {
  Pty pty;
  const SerialPort port(pty.path, 3'000'000);
  const auto start = std::chrono::steady_clock::now();
  port.Wait(false, 1'000'000);
  EXPECT_GE(std::chrono::steady_clock::now() - start, std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace gmmu::sim::board
