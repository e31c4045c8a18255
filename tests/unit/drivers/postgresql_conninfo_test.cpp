#include <cstdlib>

#include "drivers/postgresql/conninfo.hpp"
#include "tests/support/catch.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using postgresql::Conninfo;
using xasink::test::contains;

namespace {

std::string name_of(const std::string& url) { return Conninfo::parse(url).resource_name(); }

std::string option(const std::string& url, const std::string& key) {
  for (const auto& [name, value] : Conninfo::parse(url).connect_options()) {
    if (name == key) return value;
  }
  return "(absent)";
}

}  // namespace

TEST_CASE("the resource name is canonical and the same server reads back from it") {
  const std::pair<const char*, const char*> cases[] = {
      {"postgresql://app@db/shop", "postgresql://app@db:5432/shop"},
      {"postgres://app@DB.Example.org:6000/shop?sslmode=require", "postgresql://app@db.example.org:6000/shop"},
      {"postgresql://app@db", "postgresql://app@db:5432/app"},
      {"postgresql://app@[::1]:5433/shop", "postgresql://app@[::1]:5433/shop"},
      {"postgresql://app@[fe80::1%25eth0]/shop", "postgresql://app@[fe80::1%25eth0]:5432/shop"},
      {"postgresql://app@%2Fvar%2Frun%2Fpg/shop", "postgresql://app@%2Fvar%2Frun%2Fpg:5432/shop"},
      {"postgresql:///shop?user=app&host=/run/pg", "postgresql://app@%2Frun%2Fpg:5432/shop"},
      {"postgresql://app@a:1,b:2/shop", "postgresql://app@a:1,b:2/shop"},
      {"postgresql://app@/shop?host=a,b&port=7", "postgresql://app@a:7,b:7/shop"},
      {"postgresql://app@/shop?hostaddr=10.0.0.1", "postgresql://app@10.0.0.1:5432/shop"},
      {"postgresql://app@/shop", "postgresql://app@:5432/shop"},
      {"postgresql://a%40b@db/odd%20%2F%20name", "postgresql://a%40b@db:5432/odd%20%2F%20name"},
  };
  for (const auto& [url, name] : cases) {
    INFO(url);
    CHECK(name_of(url) == name);
    CHECK(name_of(name) == name);
  }
}

TEST_CASE("no password gets into the resource name, wherever it stands in the URL") {
  for (const char* url : {"postgresql://app:hunter2@db/shop", "postgresql://app@db/shop?password=hunter2",
                          "postgresql://db/shop?user=app&password=hunter2&sslpassword=hunter2",
                          "postgresql://app:hunter2@a:1,b:2/shop", "postgresql://app:@db/shop?sslpassword=hunter2",
                          "postgresql://app:hunter2%40x%2F@db/shop?options=-c%20a.b%3Dhunter2"}) {
    INFO(url);
    CHECK_THAT(name_of(url), !contains("hunter2"));
    CHECK_THAT(name_of(url), contains("postgresql://app@"));
  }
}

TEST_CASE("a URL that can't be read is refused without showing what may be a secret") {
  for (const char* url : {
           "postgresql://app:hunter2%zz@db/shop",        // bad percent-encoding in the password
           "postgresql://app:hunter2@[::1/shop",         // no end of the address
           "postgresql://app:hunter2@db/shop?password",  // no value
           "postgresql://app:x/hunter2@db/shop",         // unescaped slash: libpq reads x as port
           "postgresql://app:12/hunter2@db/shop",        // the same with digits
           "postgresql://app:hunter2@db:port/shop",      // not a port
           "mysql://app:hunter2@db/shop",                // somebody else's
           "postgresql://app:hunter2@db/shop?service=hunter2",
       }) {
    INFO(url);
    try {
      const auto name = name_of(url);
      FAIL("accepted as " << name);
    } catch (const Error& error) {
      CHECK(error.category() == Category::configuration);
      CHECK_THAT(std::string(error.what()) + error.details().hint, !contains("hunter2"));
      CHECK_FALSE(error.details().hint.empty());
    }
  }
}

TEST_CASE("the name of an unknown option is told") {
  CHECK_THROWS_WITH(Conninfo::parse("postgresql://app:hunter2@db/shop?sslmoode=require"), contains("sslmoode"));
}

TEST_CASE("timeouts and the application's name are ours unless the URL has them; the encoding is always UTF-8") {
  CHECK(option("postgresql://app@db/shop", "connect_timeout") == "10");
  CHECK(option("postgresql://app@db/shop", "tcp_user_timeout") == "30000");
  CHECK(option("postgresql://app@db/shop", "fallback_application_name") == "xasink");
  CHECK(option("postgresql://app@db/shop?connect_timeout=3", "connect_timeout") == "3");
  CHECK(option("postgresql://app@db/shop?application_name=loader", "application_name") == "loader");
  CHECK(option("postgresql://app@db/shop?client_encoding=LATIN1", "client_encoding") == "UTF8");
}

TEST_CASE("the connect string quotes what has spaces, quotes and backslashes") {
  const std::string text = Conninfo::parse("postgresql://app:it%27s%20a%5Cb@db/shop").connect_string();
  CHECK_THAT(text, contains(R"(password='it\'s a\\b')"));
}
