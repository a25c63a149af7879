// SPDX-License-Identifier: Apache-2.0
#include "trace/file_source.h"

#include <fmt/format.h>
#include <zstd.h>

#include <random>

#include "tb/sw/trace/trace_bench.h"
#include "trace/frame.h"
#include "trace/writer.h"

namespace gmmu::trace {
namespace {

using ::testing::AnyOf;
using ::testing::ElementsAreArray;
using ::testing::HasSubstr;

std::string Written(const Header& header, const std::vector<Access>& accesses, bool finish = true) {
  std::string bytes;
  Writer writer(header, "out",
                [&](const void* part, size_t size) { bytes.append(static_cast<const char*>(part), size); });
  for (const Access& access : accesses) writer.Add(access);
  if (finish) writer.Finish();
  return bytes;
}

std::string Packed(const std::string& content, bool checksum = true) {
  std::string out(ZSTD_compressBound(content.size()), 0);
  ZSTD_CCtx* context = ZSTD_createCCtx();
  ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, checksum);
  out.resize(ZSTD_compress2(context, out.data(), out.size(), content.data(), content.size()));
  ZSTD_freeCCtx(context);
  return out;
}

/// Returns random accesses of several streams; addresses and sizes are multiples of the header's unit.
std::vector<Access> Random(const Header& header, size_t count, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Access> accesses;
  uint64_t arrival = 0;
  for (size_t i = 0; i < count; ++i) {
    arrival += random() % 5;
    accesses.push_back({(random() >> (random() % 60) & 0xffffffff) * header.unit,
                        static_cast<uint32_t>(header.unit * (1 + random() % 16)), static_cast<Kind>(random() % 3),
                        static_cast<uint32_t>(random() % 40), header.loop == Loop::kOpen ? arrival : random() % 3});
  }
  return accesses;
}

class FileSourceTest : public TraceTest {
 protected:
  std::vector<Access> ReadBack(const std::string& bytes) {
    FileSource source(File("t.gtrace", bytes));
    header_ = source.header();
    return All(source);
  }
  std::string ReadRefusal(const std::string& bytes) {
    return Refusal([&] { ReadBack(bytes); });
  }
};

TEST_F(FileSourceTest, ReadsWhatTheWriterWrote) {
  for (const Loop loop : {Loop::kClosed, Loop::kOpen}) {
    for (const uint32_t unit : {1u, 64u}) {
      Header header;
      header.loop = loop;
      header.unit = unit;
      header.name = "random";
      const std::vector<Access> accesses = Random(header, 3 * kFrameRecords / 2, 17);  // two frames
      EXPECT_EQ(ReadBack(Written(header, accesses)), accesses);
      EXPECT_EQ(header_.unit, unit);
      EXPECT_EQ(header_.name, "random");
    }
  }
}

TEST_F(FileSourceTest, ReadsATraceWithoutAccesses) {
  EXPECT_THAT(ReadBack(Written({}, {})), ElementsAreArray<Access>({}));
}

TEST_F(FileSourceTest, HasTheBytesThatThePageSays) {
  Header header;
  header.name = "page";
  header.provenance = "docs/traces.md";
  std::string bytes = Written(header, {Read(0x1000, 8), Write(0xff8, 8, 3, 2)});
  const std::string text = ToText(header);
  ASSERT_EQ(bytes.substr(0, text.size()), text);
  std::vector<std::string> frames;
  for (size_t at = text.size(); at < bytes.size();) {
    const size_t size = ZSTD_findFrameCompressedSize(bytes.data() + at, bytes.size() - at);
    ASSERT_FALSE(ZSTD_isError(size));
    std::string content(1000, 0);
    content.resize(ZSTD_decompress(content.data(), content.size(), bytes.data() + at, size));
    frames.push_back(content);
    at += size;
  }
  EXPECT_THAT(frames, ElementsAreArray({"H" + text,
                                        std::string("R\x00\x02"          // first record 0, two records
                                                    "\x08\x08\x80\x40"   // read, 8 bytes, +0x1000
                                                    "\x15\x02\x03\x0f",  // write, stream 2, 3 cycles, -8
                                                    11),
                                        std::string("E\x02\x01\x01\x00", 5)}));
}

TEST_F(FileSourceTest, NamesTheMiddleInWhichAFileEnds) {
  Header header;
  const std::string whole = Written(header, Random(header, kFrameRecords + 50, 3));
  for (size_t size = 0; size < whole.size(); size += size < 400 || size > whole.size() - 400 ? 1 : 4999) {
    const std::string text = ReadRefusal(whole.substr(0, size));
    EXPECT_THAT(text, HasSubstr("t.gtrace")) << size;
    if (size > ToText(header).size()) {
      EXPECT_THAT(text, HasSubstr("it is not complete")) << size;
      EXPECT_THAT(text, HasSubstr("frame at offset ")) << size;
    }
  }
  EXPECT_THAT(ReadRefusal(Written(header, {Read(0, 8)}, /*finish=*/false)),
              HasSubstr("the file ends before the trace does"));
}

TEST_F(FileSourceTest, NeverTakesAFlippedBitForAnotherTrace) {
  constexpr uint64_t kSeed = 20;
  SCOPED_TRACE(testing::Message() << "seed " << kSeed);
  Header header;
  header.name = "flip";
  header.count = 300;
  const std::vector<Access> accesses = Random(header, 300, kSeed);
  const std::string whole = Written(header, accesses);
  std::mt19937_64 random(kSeed);
  size_t refused = 0;
  for (int i = 0; i < 1500; ++i) {
    std::string bytes = whole;
    const size_t at = random() % bytes.size();
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << random() % 8));
    SCOPED_TRACE(at);
    std::vector<Access> read;
    const std::string text = Refusal([&] { read = ReadBack(bytes); });
    if (text.empty()) {
      EXPECT_EQ(read, accesses);  // the flipped bit is one that zstd ignores
    } else {
      EXPECT_THAT(text, HasSubstr("t.gtrace"));
      ++refused;
    }
  }
  EXPECT_GT(refused, 1450u);
}

TEST_F(FileSourceTest, SurvivesAnyBytesInItsFrames) {
  constexpr uint64_t kSeed = 21;
  std::mt19937_64 random(kSeed);
  const std::string text = ToText({});
  for (int i = 0; i < 1500; ++i) {
    SCOPED_TRACE(testing::Message() << "seed " << kSeed << ", number " << i);
    std::string content = random() % 4 == 0 ? "" : std::string("R\x00\x03", 3);
    for (size_t bytes = random() % 30; bytes != 0; --bytes) content += static_cast<char>(random());
    EXPECT_THAT(ReadRefusal(text + Packed("H" + text) + Packed(content)), HasSubstr("t.gtrace: record "));
  }
}

TEST_F(FileSourceTest, SaysWhatIsWrongWithAFrame) {
  const std::string text = ToText({}), begin = text + Packed("H" + text);
  const auto with = [&](std::string content) { return ReadRefusal(begin + Packed(content)); };
  using std::string;
  EXPECT_THAT(with(string("R\x01\x01", 3)), HasSubstr("a frame is missing or stands twice"));
  EXPECT_THAT(with(string("R\x00\x00", 3)), HasSubstr("0 records in a frame"));
  EXPECT_THAT(with("X"), HasSubstr("a frame of type 0x58 is not known"));
  EXPECT_THAT(with(string("R\x00\x01\x03", 4)), HasSubstr("0x3 begins no record"));
  EXPECT_THAT(with(string("R\x00\x01\x28", 4)), HasSubstr("0x28 begins no record"));
  EXPECT_THAT(with(string("R\x00\x01\x08\x04\x00\x00", 7)), HasSubstr("the frame has bytes behind its last record"));
  EXPECT_THAT(with(string("R\x00\x02\x08\x04\x00", 6)), HasSubstr("the frame has fewer records than it states"));
  EXPECT_THAT(with(string("R\x00\x01\x00\x00", 5)), HasSubstr("0 bytes are not 1 to 65536"));
  EXPECT_THAT(with(string("R\x00\x01\x08\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", 15)),
              HasSubstr("end beyond the address space of 48 bits"));
  EXPECT_THAT(with("R\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"), HasSubstr("the first record is no number"));
  EXPECT_THAT(with(string("E\x01\x01\x00\x00", 5)), HasSubstr("the end states another count"));
  EXPECT_THAT(with(string(kMaxFrame + 1, 'R')), HasSubstr("it is damaged"));
  EXPECT_THAT(ReadRefusal(text + Packed("H" + text + "x")), HasSubstr("it was changed or damaged"));
}

TEST_F(FileSourceTest, RefusesASecondTraceOrAnythingElseBehindTheEnd) {
  Header bytes, lines;
  lines.unit = 64;
  const std::string first = Written(bytes, {Read(0, 8)});
  EXPECT_THAT(ReadRefusal(first + Written(lines, {Read(0, 64)})),
              AllOf(HasSubstr("at offset " + std::to_string(first.size())),
                    HasSubstr("a second trace, perhaps of another unit")));
}

TEST_F(FileSourceTest, RefusesAnotherCountThanTheHeaderStates) {
  Header header;
  header.count = 2;
  EXPECT_THAT(Refusal([&] { Written(header, {Read(0, 8)}); }),
              HasSubstr("out: 1 accesses were written, but 2 were announced"));
  const std::string text = ToText(header);
  EXPECT_THAT(ReadRefusal(text + Packed("H" + text) + Packed(std::string("E\0\0\0\0", 5))),
              HasSubstr("the header states 2 accesses, and there are 0"));
}

TEST_F(FileSourceTest, TheWriterRefusesWhatDoesNotFitItsHeader) {
  Header header;
  header.unit = 64;
  header.loop = Loop::kOpen;
  EXPECT_THAT(Refusal([&] { Written(header, {Read(0, 64), Read(8, 8)}); }), HasSubstr("out: record 1: 8 bytes at 0x8"));
  EXPECT_THAT(Refusal([&] { Written(header, {Read(0, 64, 9), Read(0, 64, 8)}); }),
              HasSubstr("out: record 1: arrives at cycle 8, before the last one at cycle 9"));
}

TEST_F(FileSourceTest, NamesAFileThatIsNoTrace) {
  EXPECT_THAT(Refusal([&] { FileSource source(Path("none")); }), HasSubstr("none: cannot be opened: No such file"));
  EXPECT_THAT(Refusal([&] { FileSource source(Path("")); }), HasSubstr("cannot be read: Is a directory"));
  EXPECT_THAT(ReadRefusal(""), HasSubstr("t.gtrace: is empty"));
  EXPECT_THAT(ReadRefusal(std::string(100000, 'x')), HasSubstr("not a trace of gmmu"));
  EXPECT_THAT(ReadRefusal("gmmu-trace 1\nname = x\n"), HasSubstr("ends in its header"));
}

TEST_F(FileSourceTest, RefusesAFrameWithoutItsChecksum) {
  Header header;
  header.count = 0;
  const std::string text = ToText(header), end = std::string("E") + std::string(4, 0);
  EXPECT_EQ(ReadRefusal(text + Packed("H" + text) + Packed(end)), "");
  EXPECT_THAT(ReadRefusal(text + Packed("H" + text, false) + Packed(end)),
              HasSubstr(fmt::format("frame at offset {}: the frame has no checksum", text.size())));
  EXPECT_THAT(ReadRefusal(text + Packed("H" + text) + Packed(end, false)), HasSubstr("the frame has no checksum"));
}

TEST_F(FileSourceTest, SaysThatAHeaderWasConvertedToOtherEndsOfLines) {
  std::string bytes = Written({}, {}), converted;
  for (const char c : bytes) converted += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_THAT(ReadRefusal(converted), HasSubstr("t.gtrace:1: \"gmmu-trace 1\\x0d\" ends in a carriage return"));
}

}  // namespace
}  // namespace gmmu::trace
