#include "src/cli/error_report.hpp"

#include "tests/support/catch.hpp"

using namespace xasink;
using namespace xasink::cli;

TEST_CASE("an error is a sentence, and its hint a second line") {
  CHECK(error_text(Error(Category::io, "can't read x", "look at x")) == "xasink: can't read x\n  hint: look at x\n");
  CHECK(error_text(Error(Category::io, "can't read x")) == "xasink: can't read x\n");
}

TEST_CASE("an error as JSON carries all that is known, and null for the rest") {
  ErrorDetails details;
  details.category = Category::contention;
  details.sqlstate = "40P01";
  details.vendor_code = 7;
  details.xid = "xasink1.a.b.1/0.1.0.c";
  details.hint = "again";
  const Json json = error_json(Error("deadlock", details));
  CHECK(json["exit_code"] == 1);
  CHECK(json["error"]["category"] == "contention");
  CHECK(json["error"]["message"] == "deadlock");
  CHECK(json["error"]["hint"] == "again");
  CHECK(json["error"]["sqlstate"] == "40P01");
  CHECK(json["error"]["vendor_code"] == 7);
  CHECK(json["error"]["xid"] == "xasink1.a.b.1/0.1.0.c");
  CHECK(json["error"]["file"].is_null());
  CHECK(json["error"]["line"].is_null());
  CHECK(json["error"]["column"].is_null());

  const Json bare = error_json(Error(Category::internal, "broken"));
  CHECK(bare["error"]["sqlstate"].is_null());
  CHECK(bare["error"]["vendor_code"].is_null());
  CHECK(bare["error"]["hint"].is_null());
}

TEST_CASE("an error about a row says where the row is") {
  ErrorDetails details;
  details.category = Category::data;
  const Json json = error_json(DataError("orders.csv:7: no", details, {"orders.csv", 7, "amount", "x"}));
  CHECK(json["exit_code"] == 4);
  CHECK(json["error"]["file"] == "orders.csv");
  CHECK(json["error"]["line"] == 7);
  CHECK(json["error"]["column"] == "amount");
}

TEST_CASE("bytes that are not UTF-8 don't make the JSON invalid") {
  const std::string text = to_text(error_json(Error(Category::server, "bad \xff byte")));
  CHECK(Json::accept(text));
  CHECK_THAT(text, test::contains("bad \xEF\xBF\xBD byte"));
}
