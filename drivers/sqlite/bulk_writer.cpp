#include "drivers/sqlite/bulk_writer.hpp"

#include <sqlite3.h>

#include <utility>

#include "drivers/sqlite/dialect.hpp"
#include "drivers/sqlite/error_map.hpp"
#include "schema/calendar.hpp"
#include "schema/hex.hpp"
#include "xasink/error.hpp"

namespace xasink::sqlite {
namespace {

int bind_text(sqlite3_stmt* statement, int parameter, const char* begin, std::size_t size) {
  return sqlite3_bind_text64(statement, parameter, begin, size, SQLITE_STATIC, SQLITE_UTF8);
}

char* format_timestamptz(char* to, std::int64_t micros) {
  to = schema::format_timestamp(to, micros);
  for (const char c : std::string_view("+00:00")) *to++ = c;
  return to;
}

}  // namespace

BulkWriter::BulkWriter(Connection& connection, std::shared_ptr<const TableSchema> schema)
    : connection_(connection),
      schema_(std::move(schema)),
      plan_(plan_columns(connection, *schema_)),
      statement_(connection.prepare(insert_statement(*schema_))),
      texts_(plan_.size()) {}

void BulkWriter::write(const RowBatch& batch) {
  if (batch.shared_schema() != schema_ && batch.schema() != *schema_) {
    throw Error(Category::usage, "a batch for table " + batch.schema().table +
                                     " came into a branch whose rows are for " + schema_->table +
                                     " or have other columns");
  }
  check_values(plan_, batch);
  for (std::size_t row = 0; row < batch.rows(); ++row) {
    bind_row(batch, batch.row(row));
    insert(batch, row);
  }
}

void BulkWriter::bind_row(const RowBatch& batch, const Cell* row) {
  sqlite3_stmt* const statement = statement_.handle();
  for (std::size_t i = 0; i < plan_.size(); ++i) {
    const Cell& cell = row[i];
    const int parameter = static_cast<int>(i) + 1;
    char* const text = texts_[i].data();
    const auto bind_formatted = [&](const char* end) {
      return bind_text(statement, parameter, text, static_cast<std::size_t>(end - text));
    };
    int code = SQLITE_OK;
    if (cell.null != 0) {
      code = sqlite3_bind_null(statement, parameter);
    } else {
      switch (plan_[i].binding) {
        case Binding::integer:
        case Binding::integer_in_real:
        case Binding::unsigned_integer:
        case Binding::unsigned_in_real: code = sqlite3_bind_int64(statement, parameter, cell.i); break;
        case Binding::real: code = sqlite3_bind_double(statement, parameter, cell.d); break;
        case Binding::text:
        case Binding::text_not_number:
        case Binding::decimal_text:
        case Binding::decimal_numeric:
        case Binding::decimal_real:
          code = bind_text(statement, parameter, batch.bytes_of(cell).data(), cell.length);
          break;
        case Binding::bytes:
          code = sqlite3_bind_blob64(statement, parameter, batch.bytes_of(cell).data(), cell.length, SQLITE_STATIC);
          break;
        case Binding::date: code = bind_formatted(schema::format_date(text, cell.i)); break;
        case Binding::time: code = bind_formatted(schema::format_time(text, cell.i)); break;
        case Binding::timestamp: code = bind_formatted(schema::format_timestamp(text, cell.i)); break;
        case Binding::timestamptz: code = bind_formatted(format_timestamptz(text, cell.i)); break;
        case Binding::uuid: code = bind_formatted(schema::format_uuid(text, batch.bytes_of(cell))); break;
      }
    }
    if (code != SQLITE_OK) connection_.fail(code);
  }
}

void BulkWriter::insert(const RowBatch& batch, std::size_t row) {
  const int code = sqlite3_step(statement_.handle());
  if (code != SQLITE_DONE) {
    ErrorDetails details = classify(code);
    const std::string message =
        origin_prefix(batch, row) + "table " + schema_->table + ", " + connection_.message(code);
    sqlite3_reset(statement_.handle());
    if (details.category == Category::data) throw DataError(message, std::move(details), origin_of(batch, row));
    throw Error(message, std::move(details));
  }
  // A trigger that says RAISE(IGNORE) drops a row without an error.
  const bool taken = connection_.changes() == 1;
  sqlite3_reset(statement_.handle());
  if (!taken) {
    ErrorDetails details = classify(SQLITE_CONSTRAINT_TRIGGER);
    details.hint = "look at the table's triggers";
    throw DataError(origin_prefix(batch, row) + "table " + schema_->table + ", " + connection_.path().string() +
                        ": SQLite left the row out without an error",
                    std::move(details), origin_of(batch, row));
  }
  ++rows_;
}

}  // namespace xasink::sqlite
