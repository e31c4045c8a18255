#include <sys/stat.h>

#include <algorithm>

#include "src/sources/file_list.hpp"
#include "src/sources/finished_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/sources/support.hpp"

using namespace xasink;
using namespace xasink::test;
using sources::FileEntry;
using sources::FinishedFiles;
using sources::list_files;

TEST_CASE("files of all patterns come once, sorted by name byte by byte") {
  const TempFolder folder;
  for (const char* name : {"b.csv", "a.csv", "B.csv", "a10.csv", "a9.csv", "c[1].csv"}) folder.write(name, "x");
  const auto files = list_files({folder.path("a*.csv"), folder.path("*.csv"), folder.path("c[1].csv")}, false);
  std::vector<std::string> names;
  for (const FileEntry& file : files) names.push_back(file.name.substr(folder.path("").size()));
  CHECK(names == std::vector<std::string>{"B.csv", "a.csv", "a10.csv", "a9.csv", "b.csv", "c[1].csv"});
  CHECK(files.front().size == 1);
}

TEST_CASE("a pattern that matches nothing is an error that names it, unless files may still come") {
  const TempFolder folder;
  folder.write("a.csv", "x");
  CHECK_THAT(error_of(
                 [&] {
                   static_cast<void>(list_files({folder.path("*.csv"), folder.path("no-*.csv")}, false));
                 },
                 Category::configuration),
             contains("no file matches " + folder.path("no-*.csv")));
  CHECK(list_files({folder.path("no-*.csv")}, true).empty());
}

TEST_CASE("folders, pipes and devices are refused by name") {
  const TempFolder folder;
  folder.write("in/../a.csv", "x");
  REQUIRE(::mkdir(folder.path("d.csv").c_str(), 0700) == 0);
  REQUIRE(::mkfifo(folder.path("p.csv").c_str(), 0600) == 0);
  const auto error = [](const std::string& path) {
    return error_of([&] { static_cast<void>(list_files({path}, true)); }, Category::configuration);
  };
  CHECK_THAT(error(folder.path("d*.csv")), contains("d.csv is a folder") && contains("d.csv/*.csv"));
  CHECK_THAT(error(folder.path("p.csv")), contains("p.csv is a pipe"));
  CHECK_THAT(error("/dev/null"), contains("/dev/null is a character device"));
}

TEST_CASE("finished files are checked by name and size, few and many alike") {
  for (const std::size_t count : {1U, 5U, 16U, 17U, 40U}) {
    std::vector<FileEntry> files;
    FinishedFiles finished;
    for (std::size_t i = 0; i < count; ++i) {
      files.push_back({"f" + std::to_string(1000 + i), i});
      finished.add(files.back());
    }
    CHECK(finished.recent.size() <= FinishedFiles::max_recent);
    CHECK(finished.last() == files.back().name);
    CHECK_NOTHROW(finished.check(files));
    for (std::size_t i = 0; i < count; ++i) {
      INFO(i << " of " << count);
      auto changed = files;
      changed[i].size += 1;
      CHECK_THAT(
          error_of([&] { finished.check(changed); }, Category::preflight),
          contains(i + FinishedFiles::max_recent >= count ? files[i].name + " has grown" : "has another size now"));
      auto missing = files;
      missing.erase(missing.begin() + static_cast<std::ptrdiff_t>(i));
      CHECK_THAT(error_of([&] { finished.check(missing); }, Category::preflight),
                 contains(i + FinishedFiles::max_recent >= count ? files[i].name + " was read before and is missing"
                                                                 : "were added or removed"));
      auto added = files;
      added.insert(added.begin() + static_cast<std::ptrdiff_t>(i), {files[i].name.substr(0, 4) + "0new", 1});
      std::sort(added.begin(), added.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
      CHECK_FALSE(error_of([&] { finished.check(added); }, Category::preflight).empty());
      auto renamed = files;
      renamed[i].name += "x";
      CHECK_FALSE(error_of([&] { finished.check(renamed); }, Category::preflight).empty());
    }
  }
}
