// json_reader.cpp - reading JSON.
#include <catch2/catch.hpp>

#include "compiler/support/json_reader.hpp"

namespace onnxc {
namespace {

TEST_CASE("JSON is read", "[json]") {
  const JsonValue v = read_json(
      " {\"a\": [1, -2.5e1, true, false, null, {}, []], \"\\u00e4\\ud83d\\ude00\\n\\\"\\/\": "
      "\"x\\\\y\","
      " \"a\": \"last\"} ");
  REQUIRE(v.is(JsonValue::Kind::object));
  REQUIRE(v.members.size() == 3);
  const std::vector<JsonValue>& items = v.members[0].value.items;
  REQUIRE(items.size() == 7);
  CHECK(items[0].number == 1);
  CHECK(items[1].number == -25);
  CHECK(items[2].boolean);
  CHECK(items[3].is(JsonValue::Kind::boolean));
  CHECK_FALSE(items[3].boolean);
  CHECK(items[4].is(JsonValue::Kind::null));
  CHECK(items[5].is(JsonValue::Kind::object));
  CHECK(items[6].is(JsonValue::Kind::array));
  CHECK(v.members[1].name == "\xC3\xA4\xF0\x9F\x98\x80\n\"/");
  CHECK(v.members[1].value.string == "x\\y");
  REQUIRE(v.find("a") != nullptr);
  CHECK(v.find("a")->string == "last");
  CHECK(v.find("b") == nullptr);
}

TEST_CASE("what is no JSON is refused with its line", "[json]") {
  for (const char* text : {"",       "{",       "[1,]",      "{\"a\" 1}",   "{\"a\": 1,}",
                           "\"a",    "\"\\x\"", "\"\\u12\"", "\"\\ud800\"", "\"\\ud800\\u0041\"",
                           "01",     "+1",      "1.",        "1e",          ".5",
                           "tru",    "nul",     "[1] 2",     "\"\n\"",      "\"\xFF\"",
                           "{1: 2}", "\"\\",    "1e999",     "-1e999"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(read_json(text), JsonError);
  }
  CHECK_THROWS_WITH(read_json("[\n1,\n}"), Catch::StartsWith("line 3"));
  CHECK_THROWS_AS(read_json(std::string(100000, '[')), JsonError);
}

}  // namespace
}  // namespace onnxc
