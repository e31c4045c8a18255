#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>

#include "tests/support/catch.hpp"
#include "tests/unit/staged/spool_fixture.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using namespace xasink::txn::staged;
using xasink::test::contains;
using xasink::test::SpoolFixture;

namespace {

mode_t mode_of(const std::filesystem::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

}  // namespace

TEST_CASE_METHOD(SpoolFixture, "a spool file gives back rows, NULLs, empty texts, files and lines") {
  const auto path = make();
  const std::vector<std::string> expected = {
      "a.csv:100|1|NULL|12.10|0123456789abcdef",   "a.csv:101|2||12.11|0123456789abcdef",
      "a.csv:102|3|name 2|12.12|0123456789abcdef", "a.csv:103|4|NULL|12.13|0123456789abcdef",
      "b.csv:100|5|NULL|12.10|0123456789abcdef",   "b.csv:101|6||12.11|0123456789abcdef"};
  CHECK(read_all(path) == expected);

  SpoolReader reader = open(path);
  CHECK(reader.header().xid == test::spool_xid());
  CHECK(reader.header().resource == "fake:shop");
  CHECK(reader.header().schema == *schema);
  RowBatch batch(reader.schema());
  std::size_t bytes = 0;
  while (reader.next(batch)) bytes += batch.bytes();
  CHECK(reader.footer().blocks == 2);
  CHECK(reader.footer().rows == 6);
  CHECK(reader.footer().bytes == bytes);
}

TEST_CASE_METHOD(SpoolFixture, "a file has its other name until it is finished, and belongs to this user alone") {
  const Xid xid = test::spool_xid();
  SpoolWriter writer(folder, header());
  writer.append(test::spool_batch(schema, 1, 3, "a.csv"));
  CHECK(std::filesystem::exists(folder.in_progress(xid)));
  CHECK_FALSE(std::filesystem::exists(folder.prepared(xid)));
  CHECK(mode_of(folder.in_progress(xid)) == 0600);
  CHECK(mode_of(folder.path()) == 0700);
  CHECK(writer.finish() == folder.prepared(xid));
  CHECK_FALSE(std::filesystem::exists(folder.in_progress(xid)));
  CHECK(std::filesystem::exists(folder.prepared(xid)));
}

TEST_CASE_METHOD(SpoolFixture, "a file in progress is locked while its writer lives, a finished one is not") {
  const Xid xid = test::spool_xid();
  SpoolWriter writer(folder, header());
  CHECK_FALSE(File::open(folder.in_progress(xid))->try_lock());
  writer.append(test::spool_batch(schema, 1, 1, "a.csv"));
  static_cast<void>(writer.finish());
  CHECK(File::open(folder.prepared(xid))->try_lock());
}

TEST_CASE_METHOD(SpoolFixture, "a writer that is given up leaves nothing, and a finished file survives its writer") {
  {
    SpoolWriter writer(folder, header());
    writer.append(test::spool_batch(schema, 1, 3, "a.csv"));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto path = make();
  CHECK(std::filesystem::exists(path));
}

TEST_CASE_METHOD(SpoolFixture, "a file of the same name is never written over") {
  const SpoolWriter first(folder, header());
  CHECK_THROWS_WITH(SpoolWriter(folder, header()), contains("File exists") && contains(folder.path().string()));
}

TEST_CASE_METHOD(SpoolFixture, "names of spool files are read back strictly") {
  const auto path = make();
  const auto stem = path.stem().string();
  test::write_file(folder.path() / (stem + "x.prepared"), "");
  test::write_file(folder.path() / "notes.prepared", "");
  test::write_file(folder.path() / (stem + ".prepared.bak"), "");
  const auto entries = folder.prepared_files();
  REQUIRE(entries.size() == 1);
  CHECK(entries[0].path == path);
  CHECK(entries[0].xid == test::spool_xid());
  CHECK(SpoolFolder(temp.path() / "none").prepared_files().empty());
}

TEST_CASE("a spool folder must be an absolute path with an existing parent") {
  CHECK_THROWS_WITH(SpoolFolder("spool"), contains("absolute"));
  const test::TempDir temp;
  const SpoolFolder deep(temp.path() / "missing" / "spool");
  CHECK_THROWS_WITH(deep.ensure(), contains((temp.path() / "missing" / "spool").string()));
}

TEST_CASE_METHOD(SpoolFixture,
                 "a write that the system cuts short is an io error that names the file, and nothing is left") {
  ::signal(SIGXFSZ, SIG_IGN);
  struct rlimit before {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const struct rlimit small { 2000, before.rlim_max };
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  try {
    SpoolWriter writer(folder, header());
    for (int i = 0; i < 100; ++i) writer.append(test::spool_batch(schema, 1, 4, "a.csv"));
    ::setrlimit(RLIMIT_FSIZE, &before);
    FAIL("the writes were taken");
  } catch (const Error& error) {
    ::setrlimit(RLIMIT_FSIZE, &before);
    CHECK(error.category() == Category::io);
    CHECK_FALSE(error.retryable());
    CHECK_THAT(error.what(), contains(folder.in_progress(test::spool_xid()).string()));
  }
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a full disk is an io error that says what to do and is not retryable") {
  const Error error = io_error("write", "/spool/a.inprogress", ENOSPC);
  CHECK(error.category() == Category::io);
  CHECK_FALSE(error.retryable());
  CHECK_THAT(error.what(), contains("/spool/a.inprogress"));
  CHECK_THAT(error.details().hint, contains("free space"));
}
