// What an error of the server or of libpq means for the caller. Pure functions; a table test pins them.
#pragma once

#include <string>
#include <string_view>

#include "xasink/error.hpp"

namespace xasink::postgresql {

/// An error in the server's words; members are empty where the server said nothing.
struct ServerError {
  std::string sqlstate;
  std::string message;
  std::string detail;
  std::string hint;
  std::string context;
  std::string column;
  std::string constraint;
  std::string source;         ///< the server's own function that raised it: the same in every language of messages
  bool connection_ok = true;  ///< false: the connection is gone, whatever else is said
};

/// \returns category, the three answers, SQLSTATE and a hint; `xid` is left to the caller
[[nodiscard]] ErrorDetails map_error(const ServerError& error);

/// A connection that could not be opened. libpq gives no SQLSTATE then, only text.
/// \param needs_password the server asked for a password and none was given
[[nodiscard]] ErrorDetails map_connect_error(std::string_view message, bool needs_password);

/// True if PREPARE TRANSACTION failed because the feature is off, not because the branch is busy (both are 55000).
[[nodiscard]] bool two_phase_is_off(const ServerError& error);
/// True if somebody else is finishing the prepared transaction just now.
[[nodiscard]] bool is_busy(const ServerError& error);

/// `message (detail)`, in one line.
[[nodiscard]] std::string in_one_line(const ServerError& error);

}  // namespace xasink::postgresql
