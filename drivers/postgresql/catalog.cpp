#include "drivers/postgresql/catalog.hpp"

#include <fcntl.h>
#include <pqxx/pqxx>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "drivers/postgresql/dialect.hpp"
#include "drivers/postgresql/error_map.hpp"
#include "drivers/postgresql/target_table.hpp"

// Only what libpqxx 6.4 and 7.10 share is used here.

namespace xasink::postgresql {
namespace {

// libpqxx 6.4 tells most of the SQLSTATEs by the exception's type alone.
std::string sqlstate_of(const pqxx::sql_error& error) {
  if (!error.sqlstate().empty()) return error.sqlstate();
  const auto is = [&error](const auto* type) { return dynamic_cast<decltype(type)>(&error) != nullptr; };
  if (is(static_cast<const pqxx::insufficient_privilege*>(nullptr))) return "42501";
  if (is(static_cast<const pqxx::undefined_table*>(nullptr))) return "42P01";
  if (is(static_cast<const pqxx::undefined_column*>(nullptr))) return "42703";
  if (is(static_cast<const pqxx::syntax_error*>(nullptr))) return "42601";
  if (is(static_cast<const pqxx::unique_violation*>(nullptr))) return "23505";
  if (is(static_cast<const pqxx::data_exception*>(nullptr))) return "22000";
  if (is(static_cast<const pqxx::feature_not_supported*>(nullptr))) return "0A000";
  if (is(static_cast<const pqxx::disk_full*>(nullptr))) return "53100";
  if (is(static_cast<const pqxx::insufficient_resources*>(nullptr))) return "53000";
  return "XX000";
}

// Ends a connection whose server does not answer. libpqxx waits without end; what it is asked for here takes moments,
// or is refused by lock_timeout.
class Watchdog {
 public:
  explicit Watchdog(int socket) : socket_(fcntl(socket, F_DUPFD_CLOEXEC, 0)), thread_([this] { watch(); }) {}
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;
  ~Watchdog() {
    {
      const std::lock_guard lock(mutex_);
      done_ = true;
    }
    changed_.notify_one();
    thread_.join();
    if (socket_ >= 0) ::close(socket_);
  }

 private:
  void watch() noexcept {
    std::unique_lock lock(mutex_);
    if (!changed_.wait_for(lock, std::chrono::seconds(60), [this] { return done_; })) ::shutdown(socket_, SHUT_RDWR);
  }

  int socket_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool done_ = false;
  std::thread thread_;
};

class PostgresqlCatalog final : public Catalog {
 public:
  explicit PostgresqlCatalog(const Conninfo& info) : resource_(info.resource_name()) {
    connection_ = mapped("connecting", [&] { return std::make_unique<pqxx::connection>(info.connect_string()); });
  }

  [[nodiscard]] Capabilities capabilities() override;
  [[nodiscard]] std::optional<TableSchema> describe(const std::string& table) override;
  void create_table(const TableSchema& schema, const std::vector<std::string>& primary_key) override;

 private:
  /// Runs a step and turns every exception of libpqxx into an Error.
  template <typename Step>
  auto mapped(std::string_view doing, Step step) -> decltype(step());
  [[noreturn]] void fail(std::string_view doing, std::string_view sqlstate, const std::string& message,
                         bool connection_ok) const;
  static TextRows rows_of(const pqxx::result& result);
  TextRows query(std::string_view doing, const std::string& sql);

  std::string resource_;
  std::unique_ptr<pqxx::connection> connection_;  // null while it is being opened
};

void PostgresqlCatalog::fail(std::string_view doing, std::string_view sqlstate, const std::string& message,
                             bool connection_ok) const {
  ServerError error;
  error.sqlstate = sqlstate;
  error.message = message;
  error.connection_ok = connection_ok;
  // libpqxx hands over the whole text; the severity in front says nothing new.
  if (const auto colon = error.message.find(":  "); colon != std::string::npos && colon < 16)
    error.message.erase(0, colon + 3);
  // Nor does the piece of our own statement behind it, with a caret below.
  error.message = error.message.substr(0, error.message.find("\nLINE "));
  throw Error(resource_ + ": " + std::string(doing) + ": " + in_one_line(error), map_error(error));
}

template <typename Step>
auto PostgresqlCatalog::mapped(std::string_view doing, Step step) -> decltype(step()) {
  try {
    return step();
  } catch (const Error&) {
    throw;
  } catch (const pqxx::broken_connection& e) {
    if (connection_) fail(doing, "", e.what(), false);
    ServerError words;
    words.message = e.what();
    throw Error(resource_ + ": can't connect: " + in_one_line(words), map_connect_error(words.message, false));
  } catch (const pqxx::deadlock_detected& e) {
    fail(doing, "40P01", e.what(), true);
  } catch (const pqxx::transaction_rollback& e) {
    fail(doing, "40001", e.what(), true);
  } catch (const pqxx::sql_error& e) {
    fail(doing, sqlstate_of(e), e.what(), true);
  } catch (const std::exception& e) {
    fail(doing, "", e.what(), false);
  }
}

TextRows PostgresqlCatalog::rows_of(const pqxx::result& result) {
  TextRows out;
  for (const auto& row : result) {
    out.emplace_back();
    for (const auto& field : row) {
      out.back().push_back(field.is_null() ? std::nullopt : std::optional<std::string>(field.c_str()));
    }
  }
  return out;
}

TextRows PostgresqlCatalog::query(std::string_view doing, const std::string& sql) {
  return mapped(doing, [&] {
    const Watchdog watchdog(connection_->sock());
    pqxx::nontransaction work(*connection_);
    return rows_of(work.exec(sql));
  });
}

Capabilities PostgresqlCatalog::capabilities() {
  const TextRows rows =
      query("asking for the server's settings",
            "SELECT pg_catalog.current_setting('server_version'), "
            "pg_catalog.current_setting('max_prepared_transactions'), pg_catalog.pg_is_in_recovery()");
  const auto& row = rows.at(0);
  const std::string version = row.at(0).value_or("");
  Capabilities out;
  out.version = "PostgreSQL " + version.substr(0, version.find(' '));
  out.bulk_path = "binary COPY";
  out.detaches_on_prepare = true;
  out.session_per_branch = false;
  if (row.at(2) == "t") {
    out.two_phase_reason = "the server is a standby and read-only; connect to the primary";
  } else if (row.at(1) == "0") {
    out.two_phase_reason =
        "max_prepared_transactions is 0; set it to more than the branches in flight and restart the server, or use "
        "`protocol: staged`";
  } else {
    out.two_phase = true;
  }
  return out;
}

std::optional<TableSchema> PostgresqlCatalog::describe(const std::string& table) {
  const std::string doing = "looking up the table " + table;
  auto target = read_table(query(doing, table_query(table)), resource_);
  if (!target) return std::nullopt;
  read_columns(query(doing, columns_query(*target)), *target);
  TableSchema schema;
  schema.table = table;
  for (const TargetColumn& column : target->columns) {
    if (!column.writable) continue;
    if (!column.form) {
      if (!column.required || column.filled) continue;
      throw Error(Category::preflight,
                  resource_ + ": column " + column.name + " of " + target->qualified + " is of type " + column.type +
                      ", which can't be written yet, and has to be given",
                  "give the column a default, let it be NULL, or change its type");
    }
    schema.columns.push_back({column.name, column_type(column), !column.required});
  }
  return schema;
}

void PostgresqlCatalog::create_table(const TableSchema& schema, const std::vector<std::string>& primary_key) {
  const std::string doing = "creating the table " + schema.table;
  // The name is taken apart by the server's own rules and put together again quoted, so that nothing but a name gets
  // in.
  const TextRows name = query(doing,
                              "SELECT pg_catalog.string_agg(pg_catalog.quote_ident(part), '.' ORDER BY place) "
                              "FROM pg_catalog.unnest(pg_catalog.parse_ident(" +
                                  quote_literal(schema.table) + ")) WITH ORDINALITY AS parts (part, place)");
  const std::string sql = create_table_sql(name.at(0).at(0).value_or(""), schema, primary_key);
  mapped(doing, [&] {
    const Watchdog watchdog(connection_->sock());
    pqxx::work work(*connection_);
    work.exec("SET LOCAL lock_timeout = '30s'");
    work.exec(std::string(kLockDdl));
    work.exec(sql);
    work.commit();
  });
}

}  // namespace

std::unique_ptr<Catalog> open_catalog(const Conninfo& info) { return std::make_unique<PostgresqlCatalog>(info); }

}  // namespace xasink::postgresql
