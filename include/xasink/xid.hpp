// The name of a transaction branch.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace xasink {

/// gtrid `xasink1.<job>.<owner>.<epoch>`, bqual `<writer>.<checkpoint>.<part>.<check>`; PostgreSQL's gid is gtrid `/` bqual.
/// Printable ASCII, gtrid and bqual at most 64 bytes each. All that identifies a branch is in these bytes. `check` is a
/// checksum of everything before it, so that a cut or foreign name is never taken for one of ours.
/// Immutable once made; a plain value.
struct Xid {
  std::string job;               ///< `[a-z0-9_-]{1,24}`
  std::string owner;             ///< `[0-9a-z]{10}`, random, made with the log: two jobs of one name never share it
  std::uint64_t epoch = 0;       ///< incarnation of the job, 1 or more
  std::uint32_t writer = 0;      ///< index of the writer over all targets of the job
  std::uint64_t checkpoint = 0;  ///< 1 or more
  std::uint32_t part = 0;        ///< 0 for the first branch of a writer in a checkpoint, then counted up

  [[nodiscard]] std::string gtrid() const;
  [[nodiscard]] std::string bqual() const;
  /// gtrid `/` bqual: PostgreSQL's identifier, and the form used in messages, logs and file names' sources.
  [[nodiscard]] std::string gid() const;

  /// Strict: exactly what gtrid() and bqual() write (no leading zeros, right checksum), else empty.
  [[nodiscard]] static std::optional<Xid> parse(std::string_view gtrid, std::string_view bqual);
  [[nodiscard]] static std::optional<Xid> parse_gid(std::string_view gid);

  friend bool operator==(const Xid&, const Xid&) = default;
};

[[nodiscard]] bool valid_job_name(std::string_view name) noexcept;
[[nodiscard]] bool valid_owner(std::string_view owner) noexcept;
/// A fresh random owner tag. \throws Error (io) if the system has no randomness
[[nodiscard]] std::string make_owner();

}  // namespace xasink
