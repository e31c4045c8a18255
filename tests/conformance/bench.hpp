// A table, a job and its branches, for the cases of the suite.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "tests/conformance/driver_under_test.hpp"
#include "tests/support/catch.hpp"
#include "xasink/error.hpp"

namespace xasink::test {

/// Runs the body once per driver, each as a section of its own.
#define XASINK_FOR_EACH_DRIVER(dut) \
  for (const ::xasink::test::DriverUnderTest& dut : drivers_under_test()) DYNAMIC_SECTION(dut.name)

/// Names no other test of the run uses, on servers that tests share.
inline std::string fresh_name(const std::string& stem) {
  static int count = 0;
  return stem + "_" + std::to_string(++count);
}

inline Error error_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const Error& error) {
    return error;
  }
  throw std::logic_error("nothing was thrown");
}

struct Bench {
  explicit Bench(const DriverUnderTest& dut)
      : target(dut.make()),
        resource(target->resource()),
        schema(std::make_shared<const TableSchema>(
            TableSchema{fresh_name("rows"), {{"id", {TypeKind::int64}, false}, {"name", {TypeKind::text}, true}}})) {
    target->driver().open_catalog(target->url())->create_table(*schema, {"id"});
    connect()->ensure_bookkeeping();
  }

  [[nodiscard]] std::unique_ptr<Session> connect() const { return target->driver().connect(target->url()); }

  [[nodiscard]] Xid xid(std::uint64_t checkpoint, std::uint32_t part = 0) const {
    return {"suite", owner, 1, 0, checkpoint, part};
  }

  /// Ids first, first + 1, …; every third name is NULL, every third empty.
  [[nodiscard]] RowBatch batch(std::int64_t first, int rows) const {
    RowBatch made(schema);
    made.set_file(std::make_shared<const std::string>("suite.csv"));
    for (int i = 0; i < rows; ++i) {
      made.append_int(first + i);
      if (i % 3 == 0)
        made.append_null();
      else
        made.append_bytes(i % 3 == 1 ? "" : "name " + std::to_string(i));
      made.end_row(static_cast<std::uint64_t>(i) + 2);
    }
    return made;
  }
  /// A batch whose second row has a NULL where none may be.
  [[nodiscard]] RowBatch bad_batch() const {
    RowBatch made = batch(900, 1);
    made.append_null();
    made.append_null();
    made.end_row(3);
    return made;
  }

  /// One prepared branch of `rows` rows in two batches.
  [[nodiscard]] Committable prepare(txn::BranchWriter& writer, const Xid& name, std::int64_t first, int rows) const {
    const RowBatch one = batch(first, rows / 2);
    const RowBatch two = batch(first + rows / 2, rows - rows / 2);
    const std::uint64_t bytes = one.bytes() + two.bytes();
    writer.begin(name);
    if (!one.empty()) writer.write(one);
    writer.write(two);
    writer.prepare({name, static_cast<std::uint64_t>(rows), bytes});
    return {resource->protocol(), resource->name(), schema->table, name, static_cast<std::uint64_t>(rows), bytes,
            writer.spool()};
  }
  [[nodiscard]] Committable prepare(std::uint64_t checkpoint, std::int64_t first = 1, int rows = 6) const {
    return prepare(*resource->open_writer(), xid(checkpoint), first, rows);
  }

  /// One branch by a session's local transaction, as the staged protocol applies it. \returns false if its marker is
  /// there
  [[nodiscard]] bool apply(Session& session, const Xid& name, std::int64_t first, int rows) const {
    const RowBatch made = batch(first, rows);
    session.begin(name);
    session.write(made);
    if (!session.write_marker({name, made.rows(), made.bytes()})) {
      session.rollback();
      return false;
    }
    session.commit();
    return true;
  }

  [[nodiscard]] std::vector<std::int64_t> ids() const {
    std::vector<std::int64_t> found;
    for (const TextRow& row : target->read(*schema)) found.push_back(std::stoll(row.at(0).value()));
    return found;
  }
  [[nodiscard]] std::size_t rows() const { return target->read(*schema).size(); }

  /// What the resource lists of this bench's job.
  [[nodiscard]] std::vector<PreparedTransaction> listed() const {
    auto all = resource->open_finisher()->list();
    std::erase_if(all, [&](const PreparedTransaction& one) { return !one.xid || one.xid->owner != owner; });
    return all;
  }

  std::unique_ptr<TestTarget> target;
  std::unique_ptr<txn::Resource> resource;
  std::shared_ptr<const TableSchema> schema;
  std::string owner = make_owner();
};

}  // namespace xasink::test
