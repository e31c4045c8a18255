// One libpq connection, owned; results, owned; errors mapped. Not thread-safe.
#pragma once

#include <libpq-fe.h>

#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "drivers/postgresql/conninfo.hpp"
#include "drivers/postgresql/error_map.hpp"
#include "drivers/postgresql/target_table.hpp"
#include "xasink/error.hpp"

namespace xasink::postgresql {

class Result {
 public:
  explicit Result(PGresult* result) noexcept : result_(result) {}

  [[nodiscard]] const PGresult* get() const noexcept { return result_.get(); }
  [[nodiscard]] ExecStatusType status() const noexcept { return PQresultStatus(result_.get()); }
  [[nodiscard]] bool ok() const noexcept { return status() == PGRES_COMMAND_OK || status() == PGRES_TUPLES_OK; }
  /// The command tag, e.g. `COPY 3`.
  [[nodiscard]] std::string tag() const { return PQcmdStatus(result_.get()); }
  /// Rows the command touched, by its tag.
  [[nodiscard]] std::uint64_t touched() const;
  [[nodiscard]] int rows() const noexcept { return PQntuples(result_.get()); }
  /// NULL is empty. \pre row and column exist
  [[nodiscard]] std::optional<std::string> text(int row, int column) const;
  [[nodiscard]] TextRows all() const;

 private:
  struct Clear {
    void operator()(PGresult* result) const noexcept { PQclear(result); }
  };
  std::unique_ptr<PGresult, Clear> result_;
};

/// libpq in non-blocking mode: every wait for the server is this class's own, and ends.
class Connection {
 public:
  /// Opens the connection and sets what would otherwise end a branch or change the meaning of what is sent.
  /// \throws Error (connection, retryable; configuration; resources) as map_connect_error says
  [[nodiscard]] static Connection open(const Conninfo& info);

  [[nodiscard]] PGconn* raw() const noexcept { return conn_.get(); }
  /// The resource's name, for messages.
  [[nodiscard]] const std::string& resource() const noexcept { return resource_; }
  [[nodiscard]] bool alive() const noexcept { return PQstatus(conn_.get()) == CONNECTION_OK; }

  /// One statement, with parameters as text. \returns whatever came, errors too
  [[nodiscard]] Result try_exec(const std::string& sql, std::initializer_list<std::string> parameters = {});
  /// The same. \throws Error "resource: doing: the server's words"
  Result exec(const std::string& sql, std::string_view doing, std::initializer_list<std::string> parameters = {});

  /// How long the server may say nothing, and take nothing, before the connection is given up. The call under way then
  /// fails like one whose connection was lost.
  void limit_silence(std::chrono::milliseconds limit) noexcept { silence_ = limit; }
  /// Sends what libpq has buffered. What goes wrong shows in the next result.
  void flush() noexcept { wait(false); }
  /// Whether the server has said something since the last call, although no answer is due.
  [[nodiscard]] bool server_has_spoken() noexcept;
  /// The next result of the statement under way; null when there are no more. As PQgetResult, but bounded in time.
  [[nodiscard]] Result next_result() noexcept;

  /// From any thread: ends the connection under whatever call is in progress, which then fails.
  void shut_down() const noexcept;

  /// Takes what is left of the results of a statement.
  void drain() noexcept;

  /// The error of a result (or of the connection, without one).
  [[nodiscard]] ServerError error_of(const Result& result) const;
  [[nodiscard]] Error as_error(const ServerError& error, std::string_view doing) const;

 private:
  struct Finish {
    void operator()(PGconn* conn) const noexcept { PQfinish(conn); }
  };
  Connection(PGconn* conn, std::string resource);
  void set_session();
  void wait(bool for_answer) noexcept;

  struct Descriptor {
    Descriptor() = default;
    explicit Descriptor(int number) noexcept : fd(number) {}
    Descriptor(Descriptor&& other) noexcept : fd(std::exchange(other.fd, -1)) {}
    Descriptor& operator=(Descriptor&&) = delete;
    ~Descriptor();
    int fd = -1;
  };

  std::unique_ptr<PGconn, Finish> conn_;
  Descriptor socket_;  // a second name of the connection's socket: libpq may close its own at any time
  std::string resource_;
  std::chrono::milliseconds silence_{60'000};
  bool silent_ = false;  // the limit was reached
  bool heard_ = false;   // something came while a flush waited
};

}  // namespace xasink::postgresql
