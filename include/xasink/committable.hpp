// What alone is enough to finish a branch, from any process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "xasink/xid.hpp"

namespace xasink {

/// How a branch is made durable before the decision.
enum class Protocol : std::uint8_t {
  prepared = 1,  ///< the database's own two-phase commit
  staged = 2,    ///< a spool file, applied with its marker in one local transaction
};
[[nodiscard]] std::string_view to_string(Protocol protocol) noexcept;

/// Immutable value handed over by SinkWriter::prepare_commit. The branch it names is durable: it survives this process, the
/// session and the server, until it is committed or rolled back.
struct Committable {
  Protocol protocol = Protocol::prepared;
  std::string resource;  ///< where the branch is: URL without password, e.g. `postgresql://app@db:5432/shop`
  std::string table;     ///< the target table, as in TableSchema::table
  Xid xid;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  ///< size of the rows as RowBatch::bytes counts
  std::string spool;        ///< staged: absolute path of the `.prepared` file; empty otherwise

  /// Versioned and checksummed bytes; docs/formats.md describes them, a golden test pins them.
  [[nodiscard]] std::string serialize() const;
  /// \throws Error (corrupt) if the bytes are damaged or of a version this build doesn't know; never a guess
  [[nodiscard]] static Committable deserialize(std::string_view bytes);

  friend bool operator==(const Committable&, const Committable&) = default;
};

}  // namespace xasink
