#include "drivers/postgresql/connection.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <new>
#include <vector>

namespace xasink::postgresql {
namespace {

std::string field(const PGresult* result, int code) {
  const char* text = PQresultErrorField(result, code);
  return text != nullptr ? text : "";
}

}  // namespace

std::uint64_t Result::touched() const {
  const char* text = PQcmdTuples(const_cast<PGresult*>(result_.get()));  // libpq's signature lacks the const
  std::uint64_t count = 0;
  std::from_chars(text, text + std::strlen(text), count);
  return count;
}

std::optional<std::string> Result::text(int row, int column) const {
  if (PQgetisnull(result_.get(), row, column) != 0) return std::nullopt;
  return std::string(PQgetvalue(result_.get(), row, column),
                     static_cast<std::size_t>(PQgetlength(result_.get(), row, column)));
}

TextRows Result::all() const {
  TextRows rows_out(static_cast<std::size_t>(rows()));
  for (int row = 0; row < rows(); ++row) {
    for (int column = 0; column < PQnfields(result_.get()); ++column) {
      rows_out[static_cast<std::size_t>(row)].push_back(text(row, column));
    }
  }
  return rows_out;
}

Connection::Descriptor::~Descriptor() {
  if (fd >= 0) ::close(fd);
}

Connection::Connection(PGconn* conn, std::string resource)
    : conn_(conn), socket_(fcntl(PQsocket(conn), F_DUPFD_CLOEXEC, 0)), resource_(std::move(resource)) {}

void Connection::shut_down() const noexcept {
  if (socket_.fd >= 0) ::shutdown(socket_.fd, SHUT_RDWR);
}

Connection Connection::open(const Conninfo& info) {
  std::vector<const char*> keys;
  std::vector<const char*> values;
  const auto options = info.connect_options();
  for (const auto& [key, value] : options) {
    keys.push_back(key.c_str());
    values.push_back(value.c_str());
  }
  keys.push_back(nullptr);
  values.push_back(nullptr);
  Connection connection(PQconnectdbParams(keys.data(), values.data(), 0), info.resource_name());
  if (!connection.alive()) {
    ServerError words;
    words.message = connection.conn_ ? PQerrorMessage(connection.raw()) : "out of memory";
    throw Error(connection.resource() + ": can't connect: " + in_one_line(words),
                map_connect_error(words.message, connection.conn_ && PQconnectionNeedsPassword(connection.raw()) != 0));
  }
  if (PQsetnonblocking(connection.raw(), 1) != 0) throw std::bad_alloc();
  connection.set_session();
  return connection;
}

void Connection::set_session() {
  PQsetNoticeReceiver(
      raw(), [](void*, const PGresult*) {}, nullptr);  // a library prints nothing
  const int version = PQserverVersion(raw());
  if (version < 120000) {
    throw Error(Category::preflight, resource_ + ": the server is older than PostgreSQL 12",
                "use PostgreSQL 12 or later");
  }
  // Timeouts: a branch is one statement (COPY) for as long as a checkpoint interval, and the session idles between
  // them. But no lock is waited for without end: its holder may be a prepared branch that waits for this very session,
  // which the server can't see. If a lock is not to be had, the branch is poisoned and the job goes back. No notices:
  // during COPY the server then says nothing unless something is wrong, which the bulk writer listens for.
  std::string sql =
      "SET statement_timeout = 0; SET idle_in_transaction_session_timeout = 0; SET client_min_messages = error; "
      "SET DateStyle = 'ISO, YMD'; SET TimeZone = 'UTC'; SET standard_conforming_strings = on; "
      "SET default_transaction_isolation = 'read committed'; ";
  if (version >= 140000) sql += "SET idle_session_timeout = 0; ";
  if (version >= 170000) sql += "SET transaction_timeout = 0; ";
  // Epochs and staged commits must be durable when the call returns; the levels above and beside `off` all are,
  // locally.
  sql +=
      "SELECT pg_catalog.set_config('synchronous_commit', 'on', false) "
      "WHERE pg_catalog.current_setting('synchronous_commit') = 'off'; "
      "SELECT pg_catalog.set_config('lock_timeout', '30s', false) "
      "WHERE pg_catalog.current_setting('lock_timeout') = '0'";
  exec(sql, "setting up the session");
  // A session that was shut down while it waits for a lock should not wait on: it holds locks itself. Not every system
  // can watch a socket, and there the server refuses the setting.
  if (version >= 140000) static_cast<void>(try_exec("SET client_connection_check_interval = '1s'"));
}

void Connection::wait(bool for_answer) noexcept {
  using Clock = std::chrono::steady_clock;
  auto end = Clock::now() + silence_;
  for (;;) {
    const int unsent = PQflush(raw());
    if (unsent < 0 || PQsocket(raw()) < 0) return;
    if (unsent == 0 && (!for_answer || PQisBusy(raw()) == 0)) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0) {
      silent_ = true;
      return shut_down();  // libpq finds the end of the connection where it looks for the answer
    }
    pollfd socket{PQsocket(raw()), static_cast<short>(unsent > 0 ? POLLIN | POLLOUT : POLLIN), 0};
    const int ready = poll(&socket, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
    if (ready < 0 && errno != EINTR) return;
    if (ready <= 0) continue;
    if ((socket.revents & ~POLLOUT) != 0) {
      heard_ = heard_ || !for_answer;
      if (PQconsumeInput(raw()) == 0) return;
    }
    end = Clock::now() + silence_;
  }
}

bool Connection::server_has_spoken() noexcept {
  pollfd socket{PQsocket(raw()), POLLIN, 0};
  if (!heard_ && poll(&socket, 1, 0) > 0) {
    heard_ = true;
    static_cast<void>(PQconsumeInput(raw()));  // its failure shows at the end of the statement
  }
  return std::exchange(heard_, false);
}

Result Connection::next_result() noexcept {
  wait(true);
  return Result(PQgetResult(raw()));
}

Result Connection::try_exec(const std::string& sql, std::initializer_list<std::string> parameters) {
  if (PQtransactionStatus(raw()) == PQTRANS_ACTIVE) drain();
  int sent = 0;
  if (parameters.size() == 0) {
    sent = PQsendQuery(raw(), sql.c_str());
  } else {
    std::vector<const char*> values;
    for (const std::string& parameter : parameters) values.push_back(parameter.c_str());
    sent = PQsendQueryParams(raw(), sql.c_str(), static_cast<int>(values.size()), nullptr, values.data(), nullptr,
                             nullptr, 0);
  }
  Result last(nullptr);
  while (sent != 0) {
    Result next = next_result();
    if (next.get() == nullptr) break;
    const bool more = next.status() != PGRES_COPY_IN && alive();
    // Of a connection that ended, the server's own reason says more than libpq's notice that it did.
    if (alive() || field(last.get(), PG_DIAG_SQLSTATE).empty()) last = std::move(next);
    if (!more) break;
  }
  return last;
}

Result Connection::exec(const std::string& sql, std::string_view doing, std::initializer_list<std::string> parameters) {
  Result result = try_exec(sql, parameters);
  if (!result.ok()) throw as_error(error_of(result), doing);
  return result;
}

void Connection::drain() noexcept {
  for (Result more = next_result(); more.get() != nullptr; more = next_result()) {
    if (more.status() == PGRES_COPY_IN) return;  // libpq is stuck in COPY: the connection is of no use any more
  }
}

ServerError Connection::error_of(const Result& result) const {
  ServerError error;
  const PGresult* raw_result = result.get();
  error.sqlstate = field(raw_result, PG_DIAG_SQLSTATE);
  error.message = field(raw_result, PG_DIAG_MESSAGE_PRIMARY);
  error.detail = field(raw_result, PG_DIAG_MESSAGE_DETAIL);
  error.hint = field(raw_result, PG_DIAG_MESSAGE_HINT);
  error.context = field(raw_result, PG_DIAG_CONTEXT);
  error.column = field(raw_result, PG_DIAG_COLUMN_NAME);
  error.constraint = field(raw_result, PG_DIAG_CONSTRAINT_NAME);
  error.source = field(raw_result, PG_DIAG_SOURCE_FUNCTION);
  if (silent_) error.message = "no answer for " + std::to_string(silence_.count()) + " ms";
  if (error.message.empty()) error.message = raw_result != nullptr ? PQresultErrorMessage(raw_result) : "";
  if (error.message.empty()) error.message = PQerrorMessage(raw());
  error.connection_ok = alive();
  return error;
}

Error Connection::as_error(const ServerError& error, std::string_view doing) const {
  return Error(resource_ + ": " + std::string(doing) + ": " + in_one_line(error), map_error(error));
}

}  // namespace xasink::postgresql
