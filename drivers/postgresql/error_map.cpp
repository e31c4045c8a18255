#include "drivers/postgresql/error_map.hpp"

#include <algorithm>
#include <iterator>

namespace xasink::postgresql {
namespace {

constexpr const char* kTwoPhaseOff =
    "set max_prepared_transactions to more than the branches in flight and restart the server, or use `protocol: "
    "staged`";
constexpr const char* kLockTimeout =
    "another transaction has the lock, or a row with the same key: `xasink list` shows prepared ones; if the input holds a "
    "key twice, it may be a branch of this very job";
constexpr const char* kTooManyConnections =
    "raise max_connections on the server, or use fewer writers and commit sessions";

bool has(std::string_view text, std::string_view part) { return text.find(part) != std::string_view::npos; }

ErrorDetails details(Category category, bool retryable, bool session_usable, std::string hint = {}) {
  ErrorDetails out;
  out.category = category;
  out.retryable = retryable;
  out.session_usable = session_usable;
  out.hint = std::move(hint);
  return out;
}

ErrorDetails lost() { return details(Category::connection, true, false); }

ErrorDetails map_resources(const ServerError& error) {
  auto out = details(Category::resources, true, true);
  if (error.sqlstate == "53100") out.hint = "free disk space on the server";
  if (error.sqlstate == "53300") out.hint = kTooManyConnections;
  if (error.sqlstate == "53200" && (error.source == "MarkAsPreparing" || has(error.message, "prepared transactions"))) {
    out.hint = "raise max_prepared_transactions and restart the server; `xasink list` shows what takes the slots";
  }
  return out;
}

// Class 42 and friends: the objects or the rights are not what the job file says. LockGXact is where the server looks a
// prepared transaction up.
ErrorDetails map_refusal(const ServerError& error) {
  const bool finishing = error.source == "LockGXact";
  if (error.sqlstate == "42501") {
    return details(Category::preflight, false, true,
                   finishing || has(error.message, "finish prepared transaction")
                       ? "connect as the role that prepared it, or as a superuser"
                       : "GRANT the role of the URL what it lacks, or have an administrator do it");
  }
  if (error.sqlstate == "42P01") {
    return details(Category::preflight, false, true, "create the table, or let xasink do it with `create: true`");
  }
  if (error.sqlstate == "3F000")
    return details(Category::preflight, false, true, "create the schema, or put one that exists into search_path");
  if (error.sqlstate == "42703") return details(Category::preflight, false, true, "name only columns the table has");
  if (error.sqlstate == "42710") {
    return details(Category::server, false, true, "a prepared transaction of this name exists; `xasink list` shows it");
  }
  if (error.sqlstate == "0A000" && (finishing || has(error.message, "another database"))) {
    return details(Category::preflight, false, true, "connect to the database that it was prepared in");
  }
  return details(Category::server, false, true);
}

ErrorDetails map_sqlstate(const ServerError& error) {
  const std::string_view state = error.sqlstate;
  const auto any_of = [state](auto... states) { return ((state == states) || ...); };
  if (state.starts_with("08") || any_of("57P01", "57P02", "57P03", "57P05")) return lost();
  if (any_of("25P03", "25P04")) {  // the server ended the session, although these limits are set to 0 at connect
    auto out = lost();
    out.hint = "a timeout of the server ended the session in the middle of a branch; raise it for this role";
    return out;
  }
  if (state == "55P03") return details(Category::contention, true, true, kLockTimeout);
  if (any_of("40001", "40P01", "40003", "57014")) return details(Category::contention, true, true);
  if (state.starts_with("53") || any_of("58030")) return map_resources(error);
  if (two_phase_is_off(error)) return details(Category::preflight, false, true, kTwoPhaseOff);
  if (is_busy(error)) return details(Category::contention, true, true);
  if (state.starts_with("28")) {
    return details(Category::configuration, false, false, "check user, password and the server's pg_hba.conf");
  }
  if (state == "3D000")
    return details(Category::configuration, false, false, "create the database, or correct the URL");
  if (state == "25006") {
    return details(Category::server, true, true, "the server is read-only: a standby, or in the middle of a failover");
  }
  if (state.starts_with("22"))
    return details(Category::data, false, true, "correct the value, or change the column to take it");
  if (state.starts_with("23"))
    return details(Category::data, false, true, "correct or remove the row, or change what the table asks for");
  return map_refusal(error);
}

}  // namespace

bool two_phase_is_off(const ServerError& error) {
  return error.sqlstate == "55000" &&
         (error.source == "MarkAsPreparing" || has(error.message, "prepared transactions are disabled"));
}

bool is_busy(const ServerError& error) {
  return error.sqlstate == "55000" && (error.source == "LockGXact" || has(error.message, "is busy"));
}

ErrorDetails map_error(const ServerError& error) {
  ErrorDetails out;
  if (!error.connection_ok) {
    out = lost();
  } else if (error.sqlstate.empty()) {
    // libpq itself gave up on a live connection; what the two sides think of each other is unknown.
    out = details(Category::server, true, false);
  } else {
    out = map_sqlstate(error);
  }
  out.sqlstate = error.sqlstate;
  if (out.hint.empty()) out.hint = error.hint;
  return out;
}

ErrorDetails map_connect_error(std::string_view message, bool needs_password) {
  if (needs_password || has(message, "no password supplied")) {
    return details(Category::configuration, false, false,
                   "the server asks for a password: put it into the URL, PGPASSWORD or a passfile");
  }
  constexpr std::string_view kFull[] = {"too many clients already", "connection slots are reserved",
                                        "too many connections for"};
  constexpr std::string_view kRefused[] = {
      "authentication failed",     "no pg_hba.conf entry", "pg_hba.conf rejects",   "is not permitted to log in",
      "certificate verify failed", "SSL was required",     "root certificate file", "could not load"};
  constexpr std::string_view kWrong[] = {"invalid connection option", "invalid port number",
                                         "invalid integer value",     " value: \"",
                                         "invalid sslmode",           "could not match"};
  const auto holds = [message](std::string_view part) { return has(message, part); };
  const auto any = [&](const auto& list) { return std::any_of(std::begin(list), std::end(list), holds); };
  if (any(kFull)) {
    return details(Category::resources, true, false, kTooManyConnections);
  }
  const bool starting =
      has(message, "starting up") || has(message, "shutting down") || has(message, "in recovery mode");
  if (starting) return lost();
  if (any(kRefused))
    return details(Category::configuration, false, false,
                   "check user, password, TLS options and the server's pg_hba.conf");
  if (has(message, "FATAL:") && has(message, "does not exist")) {
    return details(Category::configuration, false, false, "create the role or database, or correct the URL");
  }
  if (has(message, "permission denied for database")) {
    return details(Category::configuration, false, false, "GRANT CONNECT on the database to the role");
  }
  if (any(kWrong)) return details(Category::configuration, false, false, "correct the options of the URL");
  ErrorDetails unreachable = lost();
  unreachable.hint = "start the server, or correct host and port of the URL; nothing is lost, the job can be run again";
  return unreachable;
}

std::string in_one_line(const ServerError& error) {
  std::string out = error.message.empty() ? "no words from the server" : error.message;
  if (!error.detail.empty()) out += " (" + error.detail + ")";
  while (!out.empty() && out.back() == '\n') out.pop_back();
  // libpq indents the second line of some messages with a tab.
  std::string line;
  for (const char c : out) {
    if (c == '\n' || c == '\t' || c == ' ') {
      if (!line.empty() && line.back() != ' ') line += ' ';
    } else {
      line += c;
    }
  }
  return line;
}

}  // namespace xasink::postgresql
