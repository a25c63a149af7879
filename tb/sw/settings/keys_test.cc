// SPDX-License-Identifier: Apache-2.0
#include "settings/keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace gmmu::settings {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

enum class Colour { kRed, kGreen };
uint64_t BuiltSize(const std::string& name) { return name == "WALLS" ? 4 : name == "LAMPS" ? 6 : 0; }

struct Town {
#include "settings/as_members.h"
#include "tb/sw/settings/example.def"

  settings::Keys AllKeys() {
    settings::Keys keys;
    Town& place = *this;
#include "settings/as_keys.h"
#include "tb/sw/settings/example.def"
    return keys;
  }
};

Town FromToml(const std::string& text, const std::string& table = "") {
  Town town;
  Load(town.AllKeys(), text, "t.toml", table);
  return town;
}

std::string ErrorOf(const std::string& text, const std::string& table = "") {
  try {
    FromToml(text, table);
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_LE(std::count(what.begin(), what.end(), '\n'), 2) << what;
    return what;
  }
  return "no error";
}

TEST(Settings, AreMembersWithTheirDefaultsAndConversions) {
  const Town town;
  EXPECT_EQ(town.shop.rooms, 3u);
  EXPECT_TRUE(town.shop.open);
  EXPECT_EQ(town.shop.colour, Colour::kRed);
  EXPECT_EQ(town.shop.shelves, (std::vector<uint64_t>{5, 7}));
  EXPECT_EQ(town.shop.walls, 4u);
  EXPECT_EQ(town.shop.doors(), 4u);
}

TEST(Settings, TakeWhatTheFileStatesAndKeepTheRest) {
  const Town town = FromToml(
      "[shop]\nrooms = 4\nopen = false\ncolour = \"green\"\nowner = \"Bob\"\nshelves = [1, 2, 3]\ntill = {coins = 8}");
  EXPECT_EQ(town.shop.rooms, 4u);
  EXPECT_FALSE(town.shop.open);
  EXPECT_EQ(town.shop.colour, Colour::kGreen);
  EXPECT_EQ(town.shop.owner, "Bob");
  EXPECT_EQ(town.shop.shelves, (std::vector<uint64_t>{1, 2, 3}));
  EXPECT_EQ(town.shop.till.coins, 8u);
  EXPECT_EQ(town.shop.since, 1900u);
  EXPECT_EQ(FromToml("[shop.till]\ncoins = 9").shop.till.coins, 9u);
}

TEST(Settings, OfAnUnknownNameAreRefusedWithTheNearestOneAndItsLine) {
  EXPECT_THAT(ErrorOf("[shop]\n\nroms = 5\n"),
              AllOf(StartsWith("t.toml:3: "), HasSubstr("unknown key shop.roms"), HasSubstr("nearest is shop.rooms")));
  EXPECT_THAT(ErrorOf("[shop.till]\nrooms = 1"), HasSubstr("unknown key shop.till.rooms"));
  EXPECT_THAT(ErrorOf("[shp]\nrooms = 4\n"), AllOf(StartsWith("t.toml:1: "), HasSubstr("nearest is [shop]")));
  EXPECT_THAT(ErrorOf("shop = 3"), HasSubstr("shop is a section: write [shop]"));
}

TEST(Settings, MayBeOneTableOfALargerFileWhoseLinesErrorsGive) {
  const std::string file = "title = \"a\"\n\n[machine.shop]\nrooms = 2\n";
  EXPECT_EQ(FromToml(file, "machine").shop.rooms, 2u);
  EXPECT_EQ(FromToml("title = \"a\"", "machine").shop.rooms, 3u);
  EXPECT_THAT(ErrorOf(file + "oben = true", "machine"), StartsWith("t.toml:5: unknown key shop.oben"));
}

TEST(Settings, OutOfRangeAreRefusedWithWhatIsAllowed) {
  EXPECT_THAT(ErrorOf("[shop]\nrooms = 10"),
              AllOf(StartsWith("t.toml:2: shop.rooms = 10"), HasSubstr("a whole number from 1 to 9 (rooms)")));
  EXPECT_THAT(ErrorOf("[shop]\nrooms = -1"), HasSubstr("shop.rooms = -1"));
  EXPECT_THAT(ErrorOf("[shop]\nrooms = 1.5"), HasSubstr("shop.rooms"));
  EXPECT_THAT(ErrorOf("[shop]\nsince = \"long ago\""), HasSubstr("a whole number, at least 0"));
  EXPECT_THAT(ErrorOf("[shop]\nopen = 1"), HasSubstr("true or false"));
  EXPECT_THAT(ErrorOf("[shop]\ncolour = \"blue\""), HasSubstr("\"red\" or \"green\""));
  EXPECT_THAT(ErrorOf("[shop]\ncolour = 1"), HasSubstr("\"red\" or \"green\""));
  EXPECT_THAT(ErrorOf("[shop]\nowner = \"Eve\""), HasSubstr("\"\" or \"Ann\" or \"Bob\""));
  EXPECT_THAT(ErrorOf("[shop]\nname = 5"), HasSubstr("a string"));
  EXPECT_THAT(ErrorOf("[shop]\nshelves = [9]"), HasSubstr("a list of 2 to 6 whole numbers, each 1 to 40 (books)"));
  EXPECT_THAT(ErrorOf("[shop]\nshelves = [9, 41]"), HasSubstr("each 1 to 40"));
  EXPECT_THAT(ErrorOf("[shop\n"), AllOf(StartsWith("t.toml:1: "), HasSubstr("not TOML")));
}

TEST(Settings, OfASectionMayStandInAListOfOne) {
  EXPECT_EQ(FromToml("[[shop.branch]]\nrooms = 7").shop.rooms, 7u);
  EXPECT_THAT(ErrorOf("[[shop.branch]]\n[[shop.branch]]\n"),
              AllOf(StartsWith("t.toml:2: "), HasSubstr("a second [[shop.branch]]: there is one shop")));
}

TEST(Settings, OfAPresetAreDefaultsWhereverItStands) {
  uint64_t rooms = 1, doors = 1;
  Colour preset = Colour::kRed;
  Keys keys;
  keys.Open("house", "A house.").presets = {{"small", ""}, {"large", "rooms = 9\ndoors = 8\n"}};
  keys.AddChoice("preset", preset, Colour::kRed, "Size.", {"small", "large"});
  keys.AddNumber("rooms", rooms, 1, "", 0, 9, "Rooms.");
  keys.AddNumber("doors", doors, 1, "", 0, 9, "Doors.");
  const std::set<std::string> stated = Load(keys, "[house]\ndoors = 3\npreset = \"large\"", "h.toml");
  EXPECT_EQ(stated, (std::set<std::string>{"house.doors", "house.preset"}));
  EXPECT_EQ(rooms, 9u);
  EXPECT_EQ(doors, 3u);
  EXPECT_THROW(Load(keys, "[house]\npreset = \"huge\"", "h.toml"), Error);
  EXPECT_THAT(ToMarkdown(keys), HasSubstr("| `large` | `rooms = 9`, `doors = 8` |"));
  EXPECT_THAT(ToMarkdown(keys), HasSubstr("| `small` | the defaults |"));
}

TEST(Settings, ArePrintedAsAFileThatLoadsAsItself) {
  Town town;
  town.shop.rooms = 8;
  town.shop.name = "the \"best\"";
  town.shop.colour = Colour::kGreen;
  town.shop.shelves = {9, 12};
  const std::string text = ToToml(town.AllKeys());
  EXPECT_EQ(ToToml(FromToml(text).AllKeys()), text);
  EXPECT_THAT(text, HasSubstr("\n# Rooms of the shop. run, a whole number from 1 to 9 (rooms), default 3\n"));
  EXPECT_THAT(text, HasSubstr("\nrooms = 8\n"));
  EXPECT_THAT(text, HasSubstr("# Walls. build,"));
  const Keys keys = town.AllKeys();
  for (const Key* key : keys.all()) EXPECT_THAT(text, HasSubstr(key->text));
}

TEST(Settings, OfOneSectionOrAllCanBeListed) {
  Town town;
  const std::string all = ToList(town.AllKeys(), "");
  EXPECT_THAT(all, HasSubstr("shop.rooms = 3, a whole number from 1 to 9 (rooms)\n    Rooms of the shop."));
  EXPECT_THAT(all, HasSubstr("shop.till.coins"));
  EXPECT_THAT(ToList(town.AllKeys(), "shop.till"), StartsWith("shop.till.coins = 0"));
  try {
    ToList(town.AllKeys(), "shop.til");
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "no section [shop.til]; the nearest is [shop.till]");
  }
}

TEST(Settings, AreAlsoJsonWithASchema) {
  Town town = FromToml("[shop]\ncolour = \"green\"\nshelves = [1, 2, 3]\n[shop.till]\ncoins = 7\n");
  EXPECT_EQ(ToJson(town.AllKeys()),
            "{\"shop\":{\"rooms\":3,\"since\":1900,\"open\":true,\"colour\":\"green\",\"name\":\"\",\"owner\":\"\","
            "\"shelves\":[1,2,3],\"walls\":4,\"lamps\":6,\"till\":{\"coins\":7}}}");
  const auto schema = nlohmann::json::parse(ToJsonSchema(town.AllKeys()));
  const auto& shop = schema["properties"]["shop"];
  EXPECT_EQ(shop["description"], "A shop.");
  EXPECT_EQ(shop["additionalProperties"], false);
  const auto is = [](const nlohmann::json& key, const char* text) { EXPECT_EQ(key, nlohmann::json::parse(text)); };
  is(shop["properties"]["rooms"], R"({"type": "integer", "minimum": 1, "maximum": 9, "default": 3, "unit": "rooms",
                                      "description": "Rooms of the shop.", "when": "run"})");
  EXPECT_FALSE(shop["properties"]["since"].contains("maximum"));
  is(shop["properties"]["open"],
     R"({"type": "boolean", "default": true, "description": "It is open.", "when": "run"})");
  is(shop["properties"]["colour"]["enum"], R"(["red", "green"])");
  EXPECT_FALSE(shop["properties"]["name"].contains("enum"));
  is(shop["properties"]["shelves"], R"({"type": "array", "minItems": 2, "maxItems": 6, "default": [5, 7],
                                        "items": {"type": "integer", "minimum": 1, "maximum": 40}, "unit": "books",
                                        "description": "Books of each shelf.", "when": "run"})");
  is(shop["properties"]["walls"], R"({"type": "integer", "minimum": 1, "maximum": 8, "default": 4,
                                      "description": "Walls.", "when": "build", "build_option": "WALLS"})");
  is(shop["properties"]["lamps"], R"({"type": "integer", "minimum": 1, "maximum": 8, "default": 6,
                                      "description": "Lamps.", "when": "run", "build_option": "LAMPS"})");
  EXPECT_EQ(shop["properties"]["till"]["properties"]["coins"]["maximum"], 100);
  EXPECT_EQ(shop["properties"]["branch"]["maxItems"], 1);
}

TEST(Settings, OfTwoOwnersMayShareASection) {
  uint64_t one = 1, two = 2;
  Keys first, second;
  first.Open("both", "Both.");
  first.AddNumber("one", one, 1, "", 0, 9, "One.");
  second.Open("both", "Both.");
  second.AddNumber("two", two, 2, "", 0, 9, "Two.");
  first.Append(second);
  ASSERT_EQ(first.sections().size(), 1u);
  Load(first, "[both]\none = 5\ntwo = 6", "b.toml");
  EXPECT_EQ(one + two, 11u);
}

TEST(Settings, OfAMissingFileOrAFolderAreAnError) {
  EXPECT_THROW(ReadFile("/nonexistent/x.toml"), Error);
  EXPECT_THROW(ReadFile("/"), Error);
  const std::string path = ::testing::TempDir() + "gmmu_empty.toml";
  std::ofstream(path).close();
  EXPECT_EQ(ReadFile(path), "");
  std::remove(path.c_str());
}

TEST(Settings, HaveRulesInCommon) {
  EXPECT_NO_THROW(CheckMultiple("f", "shop.rooms", 8, 4));
  EXPECT_NO_THROW(CheckPowerOfTwo("f", "shop.rooms", 8));
  try {
    CheckMultiple("f", "shop.rooms", 9, 4);
    FAIL();
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "f: shop.rooms: must be a multiple of 4");
  }
  EXPECT_THROW(CheckPowerOfTwo("f", "shop.rooms", 9), Error);
}

}  // namespace
}  // namespace gmmu::settings
