#include "drivers/postgresql/bulk_writer.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "drivers/postgresql/dialect.hpp"
#include "schema/parse_value.hpp"

namespace xasink::postgresql {
namespace {

// Messages of PQputCopyData carry a signed 32-bit length; pieces may end anywhere.
constexpr std::size_t kMaxPiece = 64 << 20;
constexpr std::size_t kWorthSending = 128 << 10;
constexpr std::size_t kMaxDetail = 200;

std::string cut(std::string text) {
  if (text.size() <= kMaxDetail) return text;
  std::size_t end = kMaxDetail;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;  // not inside a character
  return text.substr(0, end) + "…";
}

}  // namespace

std::optional<CopyPlace> copy_place(std::string_view context, std::string_view relname) {
  const std::string begin = "COPY " + std::string(relname) + ", ";
  const auto at = context.find(begin);
  if (at == std::string_view::npos || (at > 0 && context[at - 1] != '\n')) return std::nullopt;
  std::string_view line = context.substr(at + begin.size());
  line = line.substr(0, line.find('\n'));
  const auto digits = line.find_first_of("0123456789");
  if (digits == std::string_view::npos) return std::nullopt;
  CopyPlace place;
  const auto [end, error] = std::from_chars(line.data() + digits, line.data() + line.size(), place.row);
  if (error != std::errc{} || place.row == 0) return std::nullopt;
  line.remove_prefix(static_cast<std::size_t>(end - line.data()));
  // What is left: nothing, or `, column NAME`, the word in the server's language.
  if (line.starts_with(", ")) {
    const auto space = line.find(' ', 2);
    if (space != std::string_view::npos) place.column = line.substr(space + 1);
  }
  return place;
}

LookedUp look_up(Connection& connection, const std::string& table) {
  const std::string doing = "looking up the table " + table;
  auto found = read_table(connection.exec(table_query(table), doing).all(), connection.resource());
  if (!found) {
    throw Error(Category::preflight, connection.resource() + ": there is no table " + table,
                "create the table, or let xasink do it with `create: true`");
  }
  LookedUp out{std::move(*found), {}};
  out.columns = connection.exec(columns_query(out.table), doing).all();
  read_columns(out.columns, out.table);
  return out;
}

void BulkWriter::prepare_for(const RowBatch& batch) {
  const bool same = encoder_ && (schema_ == batch.shared_schema() || *schema_ == batch.schema());
  if (used_ && !same) {
    throw Error(Category::usage, "batches of one branch must have one schema",
                "begin a new branch for the other schema");
  }
  if (same) return;
  encoder_.reset();
  target_ = look_up(connection_, batch.schema().table);
  schema_ = batch.shared_schema();
  encoder_.emplace(batch.schema(), target_.table);
}

void BulkWriter::start_copy() {
  std::string sql = "COPY " + target_.table.qualified + " (";
  const char* separator = "";
  for (const Column& column : schema_->columns) {
    sql += separator + quote_identifier(column.name);
    separator = ", ";
  }
  const Result result = connection_.try_exec(sql + ") FROM STDIN (FORMAT binary)");
  if (result.status() != PGRES_COPY_IN) fail(connection_.error_of(result));
  copying_ = true;
  copy_first_ = rows_;
  encoder_->clear();
  encoder_->header();
}

void BulkWriter::write(const RowBatch& batch) {
  if (batch.empty()) return;
  prepare_for(batch);
  used_ = true;
  trail_.add(batch);
  for (std::size_t row = 0; row < batch.rows();) {
    if (!copying_) start_copy();
    const std::size_t next = encoder_->encode(batch, row);
    rows_ += next - row;
    row = next;
    if (encoder_->bytes().size() >= kWorthSending) {
      // During COPY the server is silent unless it has given up, and would then throw away all the rest of the branch
      // before it could say so. Whatever it said, ending this statement and beginning another is right.
      if (connection_.server_has_spoken()) {
        end_copy();
      } else {
        send();
      }
    }
  }
}

void BulkWriter::send() {
  std::string_view bytes = encoder_->bytes();
  while (!bytes.empty()) {
    const std::size_t piece = std::min(bytes.size(), kMaxPiece);
    if (PQputCopyData(connection_.raw(), bytes.data(), static_cast<int>(piece)) != 1) fail_lost();
    connection_.flush();
    bytes.remove_prefix(piece);
  }
  encoder_->clear();
}

void BulkWriter::end_copy() {
  encoder_->trailer();
  send();
  if (PQputCopyEnd(connection_.raw(), nullptr) != 1) fail_lost();
  copying_ = false;
  const Result result = connection_.next_result();
  connection_.drain();
  if (!result.ok()) fail(connection_.error_of(result));
  const std::uint64_t sent = rows_ - copy_first_;
  if (!result.tag().starts_with("COPY ") || result.touched() != sent) {
    throw Error(connection_.resource() + ": " + target_.table.qualified + " took '" + result.tag() + "' where " +
                    std::to_string(sent) + " rows were sent",
                {.category = Category::server,
                 .retryable = false,
                 .session_usable = true,
                 .branch_usable = false,
                 .sqlstate = {},
                 .vendor_code = 0,
                 .xid = {},
                 .hint = "a trigger of the table drops rows; exactly-once loading needs every row kept"});
  }
}

std::uint64_t BulkWriter::finish() {
  if (!used_) return 0;
  if (copying_) end_copy();
  // COPY's lock keeps the table's columns as they were when the statement began until this transaction ends, so what is
  // read now is what the bytes were read as. Without this, an ALTER TABLE since the look-up could store 8 bytes of a
  // timestamp as a bigint.
  const TextRows now = connection_.exec(columns_query(target_.table), "checking the table").all();
  if (now != target_.columns) {
    encoder_.reset();
    ErrorDetails details;
    details.category = Category::contention;
    details.retryable = true;
    details.session_usable = true;
    throw Error(connection_.resource() + ": the columns of " + target_.table.qualified +
                    " were changed while rows were on their way",
                details);
  }
  used_ = false;
  trail_.clear();
  return std::exchange(rows_, 0);
}

void BulkWriter::abandon() noexcept {
  if (copying_) {
    copying_ = false;
    if (PQputCopyEnd(connection_.raw(), "the branch is given up") == 1) connection_.drain();
  }
  used_ = false;
  rows_ = 0;
  copy_first_ = 0;
  trail_.clear();
  if (encoder_) encoder_->clear();
}

void BulkWriter::fail_lost() {
  // The server may have said why before it hung up; libpq hands that over once COPY has ended.
  if (copying_ && PQputCopyEnd(connection_.raw(), "lost") == 1) {
    copying_ = false;
    const Result result = connection_.next_result();
    if (result.get() != nullptr && result.status() != PGRES_COPY_IN) fail(connection_.error_of(result));
  }
  ServerError error;
  error.message = PQerrorMessage(connection_.raw());
  error.connection_ok = false;
  fail(error);
}

void BulkWriter::fail(const ServerError& error) {
  encoder_.reset();  // the look-up may be out of date: the next branch makes its own
  ErrorDetails details = map_error(error);
  if (error.sqlstate == "22P03") {  // a value came in another type's size: ours is an old idea of the column
    details.category = Category::contention;
    details.retryable = true;
    details.hint = "the columns of the table may have been changed while rows were on their way";
  }
  ServerError shown = error;
  shown.detail = cut(shown.detail);
  const std::string what = target_.table.qualified + ": " + in_one_line(shown);

  DataError::Origin origin;
  origin.column = error.column;
  std::string where;
  if (const auto place = copy_place(error.context, target_.table.relname)) {
    const RowTrail::Place row = trail_.find(copy_first_ + place->row - 1);
    if (row.file) origin.file = *row.file;
    origin.line = row.line;
    if (origin.column.empty() && schema_->find(place->column)) origin.column = place->column;
    where = origin.file + (origin.line > 0 ? ":" + std::to_string(origin.line) : "");
    if (!where.empty()) where += ": ";
  }
  // The row is told here, too: one that waits for a lock may be one whose key came before.
  if (details.category != Category::data) throw Error(connection_.resource() + ": " + where + what, details);
  throw DataError(where + (origin.column.empty() ? "" : "column " + origin.column + " of ") + what, details, origin);
}

}  // namespace xasink::postgresql
