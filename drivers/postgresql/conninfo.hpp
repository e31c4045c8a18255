// Connection URLs: libpq's options out of them, and the name of the resource without anything secret.
//
// Pure but for the environment, which libpq takes defaults from (PGHOST, PGUSER, …). Thread-safe.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace xasink::postgresql {

/// The options of one URL under libpq's names, as written: defaults are not filled in. Holds the password: never print
/// it.
class Conninfo {
 public:
  /// \throws Error (configuration) without any part of the URL that could be a secret
  [[nodiscard]] static Conninfo parse(const std::string& url);

  [[nodiscard]] std::optional<std::string> find(std::string_view key) const;
  /// `postgresql://user@host:port/database`, with libpq's defaults where the URL is silent. Several hosts are listed in
  /// their order, IPv6 addresses are bracketed, socket folders percent-encoded; libpq reads it back as the same server.
  [[nodiscard]] std::string resource_name() const;
  /// What a session is opened with: the options, and ours where neither the URL nor the environment says otherwise.
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> connect_options() const;
  /// connect_options() as a `key='value' …` string, for clients that take nothing else.
  [[nodiscard]] std::string connect_string() const;

 private:
  std::vector<std::pair<std::string, std::string>> options_;
};

[[nodiscard]] bool has_postgresql_scheme(std::string_view url) noexcept;

}  // namespace xasink::postgresql
