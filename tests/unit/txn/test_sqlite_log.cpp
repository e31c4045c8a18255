#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/temp_dir.hpp"
#include "txn/log/sqlite_log.hpp"
#include "xasink/error.hpp"

using namespace xasink;
using txn::LogAccess;
using xasink::test::contains;

namespace {

struct Fixture {
  xasink::test::TempDir folder;
  std::filesystem::path file = folder.path() / "orders.db";

  std::unique_ptr<TransactionLog> open(const std::string& job = "orders", LogAccess access = LogAccess::exclusive) {
    return txn::open_sqlite_log(file, job, access);
  }
  void sql(const std::string& text) {
    sqlite3* raw = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &raw) == SQLITE_OK);
    REQUIRE(sqlite3_exec(raw, text.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(raw);
  }
};

Committable branch(const LogIdentity& identity, std::uint64_t checkpoint, std::uint32_t writer = 0) {
  return {Protocol::prepared, "postgresql://app@db:5432/shop", "orders",
          Xid{identity.job, identity.owner, identity.epoch, writer, checkpoint, 0}, 10, 100, ""};
}

Category category_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error.category();
  }
  FAIL("nothing was thrown");
  return Category::internal;
}

}  // namespace

TEST_CASE_METHOD(Fixture, "a new log has an owner, no epoch and nothing decided") {
  const auto log = open();
  const LogIdentity identity = log->identity();
  CHECK(identity.job == "orders");
  CHECK(valid_owner(identity.owner));
  CHECK(identity.epoch == 0);
  CHECK_FALSE(log->last_decision());
  CHECK(log->unfinished().empty());
}

TEST_CASE_METHOD(Fixture, "the log keeps its identity, and each opening gets an epoch and ids nobody had before") {
  std::string owner;
  {
    const auto log = open();
    owner = log->identity().owner;
    CHECK(log->raise_epoch(3).reserved_through == 3);
  }
  const auto log = open();
  const LogIdentity second = log->raise_epoch(3);
  CHECK(second.owner == owner);
  CHECK(second.epoch == 2);
  CHECK(second.reserved_through == 6);
}

TEST_CASE_METHOD(Fixture, "a decision is there with its position and branches, also after closing the log") {
  LogIdentity identity;
  {
    const auto log = open();
    identity = log->raise_epoch(3);
    log->decide(identity.epoch, {1, "{\"row\":7}", {branch(identity, 1, 0), branch(identity, 1, 1)}, false}, 4);
  }
  const auto log = open();
  const auto last = log->last_decision();
  REQUIRE(last);
  CHECK(last->checkpoint == 1);
  CHECK(last->position == "{\"row\":7}");
  CHECK(last->rows == 20);
  CHECK_FALSE(last->committed_at);
  const auto unfinished = log->unfinished();
  REQUIRE(unfinished.size() == 1);
  REQUIRE(unfinished[0].branches.size() == 2);
  CHECK(unfinished[0].branches[0].committable == branch(identity, 1, 0));
  CHECK(unfinished[0].branches[0].outcome == BranchOutcome::pending);
  CHECK(log->decided(branch(identity, 1, 1).xid));
  CHECK_FALSE(log->decided(branch(identity, 2, 1).xid));
  CHECK(log->identity().reserved_through == 4);
}

TEST_CASE_METHOD(Fixture, "an older epoch can't decide, and leaves nothing behind when it tries") {
  const auto log = open();
  const LogIdentity old = log->raise_epoch(3);
  const LogIdentity now = log->raise_epoch(3);
  CHECK_THROWS_AS(log->decide(old.epoch, {1, "p", {branch(old, 1)}, false}, 99), FencedError);
  CHECK_FALSE(log->last_decision());
  CHECK_FALSE(log->decided(branch(old, 1).xid));
  CHECK(log->identity().reserved_through == now.reserved_through);
}

TEST_CASE_METHOD(Fixture, "a checkpoint is committed when all its branches are, and not before") {
  const auto log = open();
  const LogIdentity identity = log->raise_epoch(3);
  const Committable first = branch(identity, 1, 0);
  const Committable second = branch(identity, 1, 1);
  log->decide(identity.epoch, {1, "p", {first, second}, false}, 4);
  log->record_outcomes(1, std::vector<LoggedBranch>{{first, BranchOutcome::committed, "COMMIT PREPARED"},
                                                    {second, BranchOutcome::lost, "gone"}});
  REQUIRE(log->unfinished().size() == 1);
  log->record_outcomes(1, std::vector<LoggedBranch>{{second, BranchOutcome::already_committed, "marker present"}});
  CHECK(log->unfinished().empty());
  const auto recent = log->recent(10);
  REQUIRE(recent.size() == 1);
  CHECK(recent[0].committed_at);
  CHECK(recent[0].branches[0].evidence == "COMMIT PREPARED");
  CHECK(recent[0].branches[1].outcome == BranchOutcome::already_committed);
}

TEST_CASE_METHOD(Fixture, "outcomes of a branch the checkpoint does not have are refused as a whole") {
  const auto log = open();
  const LogIdentity identity = log->raise_epoch(3);
  log->decide(identity.epoch, {1, "p", {branch(identity, 1)}, false}, 4);
  const std::vector<LoggedBranch> outcomes = {{branch(identity, 1), BranchOutcome::committed, "x"},
                                              {branch(identity, 2), BranchOutcome::committed, "x"}};
  CHECK_THROWS_AS(log->record_outcomes(1, outcomes), Error);
  CHECK(log->unfinished().size() == 1);
}

TEST_CASE_METHOD(Fixture, "one branch can't be in two decisions") {
  const auto log = open();
  const LogIdentity identity = log->raise_epoch(3);
  log->decide(identity.epoch, {1, "p", {branch(identity, 1)}, false}, 4);
  CHECK_THROWS_AS(log->decide(identity.epoch, {2, "q", {branch(identity, 1)}, false}, 5), Error);
  CHECK(log->last_decision()->checkpoint == 1);
}

TEST_CASE_METHOD(Fixture, "pruning removes committed checkpoints, but neither open ones nor the newest decision") {
  const auto log = open();
  const LogIdentity identity = log->raise_epoch(3);
  for (std::uint64_t id = 1; id <= 4; ++id) {
    log->decide(identity.epoch, {id, "p" + std::to_string(id), {branch(identity, id)}, false}, id + 3);
    if (id != 2) log->record_outcomes(id, std::vector<LoggedBranch>{{branch(identity, id), BranchOutcome::committed, "x"}});
  }
  log->prune(100);
  const auto left = log->recent(10);
  REQUIRE(left.size() == 2);
  CHECK(left[0].checkpoint == 4);
  CHECK(left[1].checkpoint == 2);
  CHECK_FALSE(log->decided(branch(identity, 1).xid));
  CHECK(log->decided(branch(identity, 2).xid));
}

TEST_CASE_METHOD(Fixture, "a log in use is refused to a second writer and open to a reader") {
  const auto log = open();
  const LogIdentity identity = log->raise_epoch(3);
  CHECK_THROWS_WITH(open(), contains("is in use by process " + std::to_string(getpid())));
  const auto reader = open("orders", LogAccess::read);
  log->decide(identity.epoch, {1, "p", {}, false}, 4);
  CHECK(reader->last_decision()->checkpoint == 1);
}

TEST_CASE_METHOD(Fixture, "the files of a log are private") {
  const mode_t before = umask(0);
  const auto log = open();
  static_cast<void>(log->raise_epoch(1));
  umask(before);
  for (const char* suffix : {"", "-wal", "-shm", ".lock"}) {
    struct stat status {};
    INFO(suffix);
    REQUIRE(stat((file.string() + suffix).c_str(), &status) == 0);
    CHECK((status.st_mode & 0777) == 0600);
  }
}

TEST_CASE_METHOD(Fixture, "the log of another job is refused by name") {
  open();
  CHECK_THROWS_WITH(open("invoices"), contains("belongs to job \"orders\", not to \"invoices\""));
  CHECK(category_of([&] { open("invoices"); }) == Category::preflight);
}

TEST_CASE_METHOD(Fixture, "a log of a newer version is refused and left as it is") {
  open();
  sql("PRAGMA user_version = 9");
  CHECK_THROWS_WITH(open(), contains("has version 9"));
  CHECK(category_of([&] { open(); }) == Category::preflight);
}

TEST_CASE_METHOD(Fixture, "a file that is no log, an empty one and a damaged one are refused, never replaced") {
  SECTION("text") { std::ofstream(file) << std::string(5000, 'x'); }
  SECTION("empty") { std::ofstream{file}; }
  SECTION("another program's database") { sql("CREATE TABLE t (a)"); }
  SECTION("overwritten in the middle") {
    {
      const auto log = open();
      const LogIdentity identity = log->raise_epoch(3);
      for (std::uint64_t id = 1; id < 200; ++id) log->decide(identity.epoch, {id, "p", {branch(identity, id)}, false}, id);
    }
    std::fstream damage(file, std::ios::in | std::ios::out | std::ios::binary);
    damage.seekp(3 * 4096);
    damage << std::string(4096 * 4, '\x5a');
  }
  const auto size = std::filesystem::file_size(file);
  CHECK(category_of([&] { open(); }) == Category::corrupt);
  CHECK(std::filesystem::file_size(file) == size);
}

TEST_CASE_METHOD(Fixture, "a log that vanished while its write-ahead file stayed is not replaced") {
  open();
  std::filesystem::rename(file, folder.path() / "away.db");
  std::ofstream(file.string() + "-wal") << "x";
  CHECK_THROWS_WITH(open(), contains("is missing, but its"));
}

TEST_CASE_METHOD(Fixture, "reading a log that is not there says so and makes none") {
  CHECK(category_of([&] { open("orders", LogAccess::read); }) == Category::preflight);
  CHECK_FALSE(std::filesystem::exists(file));
}

TEST_CASE_METHOD(Fixture, "audit records come back newest first") {
  const auto log = open();
  const auto now = std::chrono::system_clock::now();
  log->audit({now, "ana@db1", "rollback", "x1", "prepared", "stale", "done"});
  log->audit({now, "recovery", "rolled back", "x2", "prepared", "orphan", "done"});
  const auto records = log->audit_records(10);
  REQUIRE(records.size() == 2);
  CHECK(records[0].xid == "x2");
  CHECK(records[1].actor == "ana@db1");
  CHECK(records[1].reason == "stale");
}
