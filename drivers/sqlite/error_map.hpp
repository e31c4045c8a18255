// SQLite's result codes as answers to "what now".
#pragma once

#include "xasink/error.hpp"

namespace xasink::sqlite {

/// Pure. `code` is an extended result code (a primary one counts as such). Fills category, retryable, session_usable,
/// vendor_code and hint; branch_usable stays false: an error poisons the branch.
[[nodiscard]] ErrorDetails classify(int code);

}  // namespace xasink::sqlite
