// SPDX-License-Identifier: Apache-2.0
#include "board_link/messages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace gmmu::sim::board {
namespace {

using ::testing::ElementsAre;

template <typename Message>
Message Only(const Bytes& bytes) {
  UpReader reader;
  for (const uint8_t byte : bytes) {  // a message may arrive in parts of any size
    EXPECT_FALSE(reader.Next().has_value());
    reader.Add({byte});
  }
  const auto message = reader.Next();
  EXPECT_TRUE(message.has_value() && std::holds_alternative<Message>(*message));
  EXPECT_FALSE(reader.Next().has_value());
  return std::get<Message>(*message);
}

TEST(BoardMessages, AReadOfHostMemoryHasItsFields) {
  const auto read = Only<HostRead>({0x01, 0x34, 0x12, 0x00, 0x00, 0x80, 0x02, 1, 2, 3, 4, 5, 6, 31});
  EXPECT_EQ(read.id, 0x1234);
  EXPECT_EQ(read.address, 0x060504030201u);
  EXPECT_EQ(read.beats, 32u);
  EXPECT_TRUE(read.user.no_snoop());
  EXPECT_EQ(read.user.function(), 1u);
  EXPECT_EQ(read.user.kind(), 0u);
}

TEST(BoardMessages, AWriteOfFormZeroWritesAllFromItsAddressOn) {
  const auto write = Only<HostWrite>(
      {0x02, 2, 0, 0, 0, 0x05, 0x10, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
  EXPECT_EQ(write.user.kind(), 2u);
  EXPECT_EQ(write.address, 0x1005u);
  EXPECT_THAT(write.strobes, ElementsAre(0xE0, 0xFF));
  EXPECT_THAT(write.data, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
}

TEST(BoardMessages, AWriteOfFormOneHasStrobesOfEachBeat) {
  const auto write = Only<HostWrite>({0x02, 0, 0,  0,  0,  0,  0x10, 0,  0, 0, 0, 1, 1,  //
                                      0x0F, 1, 2,  3,  4,  5,  6,    7,  8,              //
                                      0x80, 9, 10, 11, 12, 13, 14,   15, 16});
  EXPECT_THAT(write.strobes, ElementsAre(0x0F, 0x80));
  EXPECT_THAT(write.data, ElementsAre(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16));
}

TEST(BoardMessages, AnswersAndRoomFollowEachOther) {
  UpReader reader;
  reader.Add({0x03, 1, 0, 8, 7, 6, 5, 4, 3, 2, 1, 0x04, 0x00, 0x01, 0x03, 1, 2, 0, 0, 0, 0, 0, 0, 0, 0});
  const auto first = std::get<CpuAnswer>(*reader.Next());
  EXPECT_TRUE(first.ok);
  EXPECT_THAT(first.words, ElementsAre(0x0102030405060708u));
  EXPECT_EQ(std::get<RequestRoom>(*reader.Next()).bytes, 256u);
  EXPECT_FALSE(std::get<CpuAnswer>(*reader.Next()).ok);
  EXPECT_FALSE(reader.Next().has_value());
}

TEST(BoardMessages, WhatTheProtocolDoesNotHaveIsAnError) {
  UpReader reader;
  reader.Add({0x05});
  EXPECT_THROW(reader.Next(), MessageError);
  UpReader form;
  form.Add({0x02, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2});
  EXPECT_THROW(form.Next(), MessageError);
}

TEST(BoardMessages, RequestsHaveTheLayoutOfThePage) {
  EXPECT_THAT(WriteRegister(0x1238, 0x0F, 0x1122334455667788),
              ElementsAre(0x11, 0x38, 0x12, 0x0F, 0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11));
  EXPECT_THAT(ReadRegister(0x20), ElementsAre(0x12, 0x20, 0));
  const uint64_t words[] = {1, 2};
  EXPECT_THAT(WriteWindow(0x01020300, 0xFF, words, 2),
              ElementsAre(0x13, 0, 3, 2, 1, 2, 0xFF, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(ReadWindow(8, 32), ElementsAre(0x14, 8, 0, 0, 0, 32));
  EXPECT_THAT(WriteBoard(5, 3), ElementsAre(0x15, 5, 3, 0, 0, 0, 0, 0, 0, 0));
  EXPECT_THAT(ReadBoard(8), ElementsAre(0x16, 8));
  EXPECT_THAT(Completion(0x0102, 1, true, Bytes(8, 9)), ElementsAre(0x17, 2, 1, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9));
  EXPECT_THAT(Completion(3, 256, false, {}), ElementsAre(0x17, 3, 0, 255, 2));
}

TEST(BoardMessages, CreditNeverGrowsPastWhatTheBoardHas) {
  RequestCredit credit;
  EXPECT_TRUE(credit.Has(2048));
  EXPECT_FALSE(credit.Has(2049));
  credit.Spend(100);
  EXPECT_FALSE(credit.Has(1949));
  credit.Give(60);
  EXPECT_EQ(credit.left(), 2008u);
  EXPECT_THROW(credit.Give(41), MessageError);
}

}  // namespace
}  // namespace gmmu::sim::board
