// What is to become of a prepared transaction, and why.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "xasink/driver.hpp"
#include "xasink/transaction_log.hpp"

namespace xasink::cli {

struct Verdict {
  enum class Kind : std::uint8_t {
    commit,            ///< a decision names it: recovery commits it
    rollback,          ///< an orphan: recovery rolls it back
    live_or_rollback,  ///< of the log's own epoch: a running job may still decide it, else recovery rolls it back
    leave,             ///< not the job's
    unknown,           ///< no log to tell
  } kind = Kind::unknown;
  std::string reason;  ///< one clause
};
[[nodiscard]] std::string_view to_string(Verdict::Kind kind) noexcept;

/// What the log of a job says. It must have been read after the transaction was listed: a branch of an epoch that was
/// over then can't be named by a later decision.
struct LogView {
  LogIdentity identity;
  std::function<bool(const Xid&)> decided;
};

/// \param log empty if there is none at hand
[[nodiscard]] Verdict judge(const PreparedTransaction& transaction, const std::optional<LogView>& log);

}  // namespace xasink::cli
