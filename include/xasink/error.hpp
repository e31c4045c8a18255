// Errors that tell the caller what to do next.
//
// Expected outcomes of a protocol step are [[nodiscard]] values (see driver.hpp and sink.hpp). Everything else is an
// Error. Subtypes exist only where a caller acts differently.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace xasink {

/// What went wrong, coarse enough to pick an exit code or an alert by.
enum class Category : std::uint8_t {
  usage,          ///< the caller called something wrongly (arguments, order of calls)
  configuration,  ///< a job file, URL or option is wrong
  preflight,      ///< the environment can't give what was asked (two-phase off, table missing, log of another job)
  data,           ///< a row can't be stored as it is
  connection,     ///< a session was lost or can't be opened
  contention,     ///< deadlock, lock or statement timeout, serialization failure: again from the last decision
  resources,      ///< slots, connections, disk or memory used up
  server,         ///< any other error of the server
  fenced,         ///< a newer incarnation owns the log or the target
  in_doubt,       ///< a second phase has no proof of its outcome yet
  lost,           ///< decided, but neither prepared nor marked any more
  corrupt,        ///< a log, spool file or committable is damaged or of an unknown version
  io,             ///< a local file can't be read or written
  internal,       ///< a broken promise inside xasink
};

/// The answers an Error carries. Defaults are the careful ones: nothing may be retried or used again.
struct ErrorDetails {
  Category category = Category::internal;
  bool retryable = false;       ///< the same work may succeed later, after going back to the last decision
  bool session_usable = false;  ///< the session may be used again after a rollback
  bool branch_usable = false;   ///< the open branch may still be written to and prepared
  std::string sqlstate;         ///< five characters, or empty
  int vendor_code = 0;          ///< the server's own number (MySQL, SQLite), 0 if it has none
  std::string xid;              ///< the branch concerned (Xid::gid form), or empty
  std::string hint;             ///< what to do about it, one sentence, or empty
};

/// Root of everything xasink throws. `what()` is one sentence with what and where; it never holds a secret.
class Error : public std::runtime_error {
 public:
  Error(const std::string& message, ErrorDetails details)
      : std::runtime_error(message), details_(std::move(details)) {}

  /// For errors that need no more than a category and a hint.
  Error(Category category, const std::string& message, std::string hint = {}) : std::runtime_error(message) {
    details_.category = category;
    details_.hint = std::move(hint);
  }

  [[nodiscard]] const ErrorDetails& details() const noexcept { return details_; }
  [[nodiscard]] Category category() const noexcept { return details_.category; }
  [[nodiscard]] bool retryable() const noexcept { return details_.retryable; }

 private:
  ErrorDetails details_;
};

/// A row that can't be stored as it is. Never retryable: the same row fails again.
class DataError : public Error {
 public:
  /// Where the row came from, as far as known: empty strings and 0 where it is not.
  struct Origin {
    std::string file;
    std::uint64_t line = 0;  ///< 1-based; the first line of a record that spans several
    std::string column;
    std::string value;  ///< shortened for display
  };

  DataError(const std::string& message, ErrorDetails details, Origin origin)
      : Error(message, std::move(details)), origin_(std::move(origin)) {}

  [[nodiscard]] const Origin& origin() const noexcept { return origin_; }

 private:
  Origin origin_;
};

/// A newer incarnation of the job owns the log or the target. The holder of the old one must stop; it may leave orphans
/// (the newer one sweeps them) but has decided nothing.
class FencedError : public Error {
 public:
  explicit FencedError(const std::string& message)
      : Error(Category::fenced, message, "another process has taken this job over; leave this one stopped") {}
};

}  // namespace xasink
