// A job over a fake database: what the tests of committer, recovery, coordinator and sink begin with.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/fake_driver.hpp"
#include "tests/support/temp_dir.hpp"
#include "txn/log/sqlite_log.hpp"
#include "txn/recovery.hpp"
#include "xasink/sink.hpp"

namespace xasink::test {

inline constexpr RetryPolicy quick_retry{std::chrono::milliseconds(1), std::chrono::milliseconds(5),
                                         std::chrono::milliseconds(150)};

struct Stage {
  Stage() {
    auto made = std::make_unique<FakeDriver>();
    driver = made.get();
    drivers.add(std::move(made));
    server().add_table(*schema);
  }

  [[nodiscard]] FakeServer& server() const { return driver->server("shop"); }

  [[nodiscard]] std::unique_ptr<TransactionLog> open_log() const {
    return txn::open_sqlite_log(folder.path() / "log.db", "orders", txn::LogAccess::exclusive);
  }
  /// The log as another process sees it that holds no lock any more, because somebody removed the file.
  [[nodiscard]] std::unique_ptr<TransactionLog> open_log_in_spite_of_the_lock() const {
    std::filesystem::remove(folder.path() / "log.db.lock");
    return open_log();
  }
  [[nodiscard]] txn::Targets open_targets() const {
    return {std::make_shared<txn::Target>(
        drivers, txn::TargetOptions{"fake:shop", {}, (folder.path() / "spool").string(), quick_retry, 2})};
  }

  /// Ids first, first + 1, …
  [[nodiscard]] RowBatch batch(std::int64_t first, int rows) const {
    RowBatch made(schema);
    fill(made, first, rows);
    return made;
  }
  static void fill(RowBatch& batch, std::int64_t first, int rows) {
    for (int i = 0; i < rows; ++i) {
      batch.append_int(first + i);
      batch.end_row();
    }
  }

  /// A branch prepared and handed over by nobody.
  [[nodiscard]] Committable prepare(const Xid& xid, std::int64_t first = 0, int rows = 1) const {
    const auto session = driver->connect("fake:shop");
    const RowBatch made = batch(first, rows);
    session->begin(xid);
    session->write(made);
    REQUIRE(session->write_marker({xid, made.rows(), made.bytes()}));
    static_cast<void>(session->prepare());
    return {Protocol::prepared, "fake:shop", "rows", xid, made.rows(), made.bytes(), ""};
  }

  [[nodiscard]] std::vector<std::int64_t> ids() const {
    std::vector<std::int64_t> found;
    for (const FakeRow& row : server().rows("rows")) found.push_back(std::stoll(row.at(0).value()));
    return found;
  }

  TempDir folder;
  DriverRegistry drivers;
  FakeDriver* driver = nullptr;
  std::shared_ptr<const TableSchema> schema =
      std::make_shared<const TableSchema>(TableSchema{"rows", {{"id", {TypeKind::int64}, false}}});
};

inline Error refusal() {
  ErrorDetails details;
  details.category = Category::preflight;
  details.session_usable = true;
  details.hint = "connect as the role that prepared it";
  return {"permission denied", std::move(details)};
}

inline std::vector<std::int64_t> counted(std::int64_t first, std::int64_t end) {
  std::vector<std::int64_t> numbers;
  for (; first < end; ++first) numbers.push_back(first);
  return numbers;
}

}  // namespace xasink::test
