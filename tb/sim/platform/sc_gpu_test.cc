// SPDX-License-Identifier: Apache-2.0
#include "platform/sc_gpu.h"

#include <gmock/gmock.h>

#include "examples/tlm/cpu.h"
#include "host/bare_machine.h"
#include "platform/sc_engine.h"
#include "platform/sc_kernel.h"

namespace gmmu::sim {
namespace {

using regs::Target;
using sc_core::sc_time;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr uint64_t kFrom = 0x400000, kTo = 0x500000;
constexpr size_t kBytes = 10'000;

/// The platform of examples/tlm on its own SystemC kernel.
struct UserPlatform {
  explicit UserPlatform(std::function<void(hw::Platform&)> software,
                        const sc_time& first_edge = sc_time(0.5, sc_core::SC_NS))
      : bus("bus"),
        memory("memory"),
        cpu("cpu", bus, memory, std::move(software)),
        clock("clock", sc_time(4, sc_core::SC_NS), 0.5, first_edge),
        gpu(TlmGpu::Create("gpu")) {
    bus.clock.bind(clock);
    cpu.socket.bind(bus.from_cpu);
    gpu->dma().bind(bus.from_gpu);
    bus.to_gpu.bind(gpu->registers());
    bus.to_memory.bind(memory.socket);
  }

  void Run() {
    sc_core::sc_start(sc_time(1, sc_core::SC_MS));
    EXPECT_TRUE(cpu.finished()) << cpu.error();
    EXPECT_THAT(gpu->Findings(), IsEmpty());
  }

  Bus bus;
  Memory memory;
  Cpu cpu;
  sc_core::sc_clock clock;
  std::unique_ptr<TlmGpu> gpu;
};

bool CopyThere(BareMachine& machine, uint64_t from = kFrom) {
  return machine.Execute(BareMachine::Copy(Target::kSystem, from, Target::kVram, 0x8005, kBytes));
}
bool CopyBack(BareMachine& machine) {
  return machine.Execute(BareMachine::Copy(Target::kVram, 0x8005, Target::kSystem, kTo, kBytes));
}

void Begin(BareMachine& machine) {
  machine.PowerOn();
  machine.StartRing();
  machine.Fill(kFrom, kBytes, 5);
}

void Copy(hw::Platform& platform) {
  BareMachine machine(platform);
  Begin(machine);
  EXPECT_TRUE(CopyThere(machine));
  EXPECT_TRUE(CopyBack(machine));
  EXPECT_EQ(machine.Bytes(kTo, kBytes), machine.Bytes(kFrom, kBytes));
}

uint64_t CyclesOfCopy(const sc_time& first_edge) {
  const Kernel kernel;
  UserPlatform platform(Copy, first_edge);
  platform.Run();
  EXPECT_GT(platform.memory.bytes_written, kBytes);  // the fences add more bytes
  return platform.gpu->cycles();
}

TEST(TlmGpu, CopiesByThePlatformsBusWhateverTheClocksPhase) {
  const uint64_t cycles = CyclesOfCopy(sc_time(0.5, sc_core::SC_NS));
  EXPECT_EQ(CyclesOfCopy(sc_time(0.5, sc_core::SC_NS)), cycles);
  // If edges of the platform's clock and the GPU's clock coincide, the GPU samples a bus change one
  // or two GPU cycles later.
  EXPECT_NEAR(static_cast<double>(CyclesOfCopy(sc_time(1, sc_core::SC_NS))), static_cast<double>(cycles), 100);
}

TEST(TlmGpu, AnswersAnAddressErrorWhereNoBarIs) {
  const Kernel kernel;
  UserPlatform platform([](hw::Platform& p) {
    EXPECT_EQ(p.ConfigRead({}, 0, 2), 0x1234u);
    (void)p.MmioRead(BareMachine::kRegisters, 8);
  });
  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  EXPECT_FALSE(platform.cpu.finished());
  EXPECT_THAT(platform.cpu.error(), HasSubstr("TLM_ADDRESS_ERROR_RESPONSE"));
}

TEST(TlmGpu, StopsItsRingWhenThePlatformRefusesARead) {
  const Kernel kernel;
  UserPlatform platform([](hw::Platform& p) {
    BareMachine machine(p);
    Begin(machine);
    EXPECT_FALSE(CopyThere(machine, 0x40000000));  // the address is past the end of memory
    EXPECT_NE(machine.status().error(), 0u);
  });
  platform.Run();
}

TEST(TlmGpu, GoesOnAfterAMachineOfAnotherKernel) {
  const Kernel kernel;
  bool between = false;
  UserPlatform platform([&](hw::Platform& p) {
    BareMachine machine(p);
    Begin(machine);
    EXPECT_TRUE(CopyThere(machine));
    sc_core::sc_pause();
    p.WaitForMessage(1);
    EXPECT_TRUE(between);
    EXPECT_TRUE(CopyBack(machine));
    EXPECT_EQ(machine.Bytes(kTo, kBytes), machine.Bytes(kFrom, kBytes));
  });
  sc_core::sc_start(sc_time(1, sc_core::SC_MS));
  ASSERT_EQ(sc_core::sc_get_status(), sc_core::SC_PAUSED);
  const sc_time paused = sc_core::sc_time_stamp();
  {
    const auto engine = CreateRtl(MachineConfig::Default(), {});
    EXPECT_EQ(engine->Run([](hw::Platform& p) {
      BareMachine(p).PowerOn();
      return 42;
    }),
              42);
  }
  between = true;
  EXPECT_EQ(sc_core::sc_time_stamp(), paused);
  platform.Run();
}

TEST(TlmGpu, RefusesAMachineInsideTheSimulation) {
  const Kernel kernel;
  std::string error;
  UserPlatform platform([&](hw::Platform& p) {
    p.WaitForMessage(100);
    try {
      (void)CreateRtl(MachineConfig::Default(), {});
    } catch (const ConfigError& refused) {
      error = refused.what();
    }
    Copy(p);
  });
  platform.Run();
  EXPECT_THAT(error, HasSubstr("a SystemC simulation runs in this process"));
}

TEST(TlmGpu, RefusesSizesThatWereNotBuiltAndOtherResolutions) {
  const auto error = [](const MachineConfig& config) -> std::string {
    try {
      (void)TlmGpu::Create("gpu", config);
    } catch (const ConfigError& refused) {
      return refused.what();
    }
    return "";
  };
  MachineConfig other = MachineConfig::Default();
  other.gpu.clients *= 2;
  {
    const Kernel kernel;
    EXPECT_THAT(error(other), HasSubstr("gpu.clients"));
  }
  const Kernel kernel;
  sc_core::sc_set_time_resolution(10, sc_core::SC_PS);
  EXPECT_THAT(error(MachineConfig::Default()), HasSubstr("time resolution is 10 ps"));
}

}  // namespace
}  // namespace gmmu::sim
