// SPDX-License-Identifier: Apache-2.0
#include "app/outputs.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace gmmu::app {
namespace {

namespace fs = std::filesystem;

class Outputs : public ::testing::Test {
 protected:
  Outputs() : folder_(fs::temp_directory_path() / ("gmmu_outputs_" + std::to_string(getpid()))) {
    fs::create_directories(folder_);
  }
  ~Outputs() override { fs::remove_all(folder_); }
  std::string Path(const std::string& name) const { return (folder_ / name).string(); }
  std::string Content(const std::string& name) const {
    std::ifstream file(Path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static void Put(const std::string& path, const std::string& text) {
    OutputFile file(path);
    file.Write(text.data(), text.size());
    file.Commit();
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_;
};

TEST_F(Outputs, OfASymbolicLinkTheFileBehindItIsReplaced) {
  std::ofstream(Path("file")) << "old";
  fs::create_symlink("file", Path("link"));
  Put(Path("link"), "new");
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content("file"), "new");
  EXPECT_EQ(files(), 2u);
}

// If a shell redirects standard output to a file, /dev/stdout is a link to that regular file.
TEST_F(Outputs, OfADescriptorIsWrittenAtItsPlaceAlsoIntoARegularFile) {
  const int descriptor = open(Path("file").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_GE(descriptor, 0);
  ASSERT_EQ(write(descriptor, "before ", 7), 7);
  Put("/dev/fd/" + std::to_string(descriptor), "here ");
  Put("/proc/self/fd/" + std::to_string(descriptor), "and here ");
  ASSERT_EQ(write(descriptor, "after", 5), 5);
  close(descriptor);
  EXPECT_EQ(Content("file"), "before here and here after");
  EXPECT_EQ(files(), 1u);
  EXPECT_THROW(Put("/dev/fd/" + std::to_string(descriptor), "closed"), OutputError);
}

TEST_F(Outputs, AppearWholeOrNotAtAll) {
  std::ofstream(Path("file")) << "old";
  {
    OutputFile file(Path("file"));
    file.Write("new", 3);
    EXPECT_EQ(Content("file"), "old");
  }
  EXPECT_EQ(Content("file"), "old");
  Put(Path("file"), "new");
  EXPECT_EQ(Content("file"), "new");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace gmmu::app
