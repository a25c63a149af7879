// SPDX-License-Identifier: Apache-2.0
#include "gpu/host_port.h"

#include <gtest/gtest.h>
#include <verilated.h>

#include <deque>

int sc_main(int, char**) { return 0; }  // SystemC's library needs this symbol, and no engine is linked here

namespace gmmu::sim {
namespace {

/// A HostPort on the pins of the Verilated model. The test drives the pins itself and never evaluates the model.
class HostPortTest : public ::testing::Test, public HostPort::Sink {
 public:
  void Send(PooledTransaction* transaction) override { sent_.push_back(transaction); }

 protected:
  void Make(unsigned tags, unsigned max_read_request) {
    HostPortParameters parameters;
    parameters.tags = tags;
    parameters.max_read_request = max_read_request;
    port_ = std::make_unique<HostPort>(parameters, pool_, *this);
  }

  /// Runs one cycle with a valid read request of `bytes` bytes, or without a request if `bytes` is 0. Returns whether
  /// the port accepted the request.
  bool Cycle(unsigned bytes) {
    edge_ps_ += 1000;
    top_.m_host_arvalid = bytes != 0;
    top_.m_host_araddr = address_;
    top_.m_host_arlen = bytes == 0 ? 0 : static_cast<uint8_t>(bytes / kBeatBytes - 1);
    top_.m_host_aruser = 0;
    top_.m_host_rready = 1;
    port_->Drive(top_, edge_ps_);
    const bool taken = bytes != 0 && top_.m_host_arready != 0;
    port_->Sample(top_);
    if (taken) address_ += 4096;
    return taken;
  }
  /// Requests a read in each of `cycles` cycles. Returns the number of reads that the port sent.
  size_t Sent(unsigned bytes, unsigned cycles = 100) {
    for (unsigned i = 0; i < cycles; ++i) Cycle(bytes);
    return sent_.size();
  }
  void AnswerFirst() {
    sent_.front()->set_response_status(tlm::TLM_OK_RESPONSE);
    port_->Answer(sent_.front(), edge_ps_ + 1);
    sent_.pop_front();
  }

  VerilatedContext context_;
  Vgmmu_gpu_axi top_{&context_, "gpu"};
  TransactionPool pool_;
  std::unique_ptr<HostPort> port_;
  std::deque<PooledTransaction*> sent_;
  uint64_t edge_ps_ = 0, address_ = 0x7000'0040;
};

TEST_F(HostPortTest, AReadTakesTheTagsOfItsOwnRequests) {
  for (const unsigned bytes : {64u, 128u, 256u, 512u}) {
    sent_.clear();
    Make(/*tags=*/9, /*max_read_request=*/128);
    EXPECT_EQ(Sent(bytes), 9 / (bytes <= 128 ? 1 : bytes / 128)) << bytes << " bytes";
  }
}

TEST_F(HostPortTest, WhatLacksTagsWaitsInThePortAndLeavesWhenTheyAreFree) {
  Make(/*tags=*/3, /*max_read_request=*/128);
  EXPECT_TRUE(Cycle(256));
  EXPECT_TRUE(Cycle(256));
  EXPECT_EQ(sent_.size(), 1u);  // the second read needs two tags, but only one is free
  EXPECT_FALSE(Cycle(64));
  EXPECT_FALSE(port_->idle());
  EXPECT_EQ(port_->outstanding(), 2u);
  AnswerFirst();
  EXPECT_TRUE(Cycle(64));  // the waiting read is sent now, so the port accepts another read
  EXPECT_EQ(sent_.size(), 2u);
}

TEST_F(HostPortTest, AReadOfMoreRequestsThanThereAreTagsLeavesAlone) {
  Make(/*tags=*/1, /*max_read_request=*/128);
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(Sent(512), 1u);
    AnswerFirst();
  }
}

}  // namespace
}  // namespace gmmu::sim
