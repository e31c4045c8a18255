#include "txn/log/log_seal.hpp"

#include <xxhash.h>

#include <cstdint>
#include <memory>

namespace xasink::txn {
namespace {

struct FreeState {
  void operator()(XXH3_state_t* state) const noexcept { XXH3_freeState(state); }
};

void seal(sqlite3_context* context, int count, sqlite3_value** values) {
  const std::unique_ptr<XXH3_state_t, FreeState> state(XXH3_createState());
  if (state == nullptr) return sqlite3_result_error_nomem(context);
  XXH3_64bits_reset(state.get());
  const auto add = [&](const void* bytes, std::size_t size) { XXH3_64bits_update(state.get(), bytes, size); };
  for (int i = 0; i < count; ++i) {
    const int type = sqlite3_value_type(values[i]);
    add(&type, sizeof type);
    if (type == SQLITE_NULL) continue;
    if (type == SQLITE_INTEGER) {
      const std::int64_t number = sqlite3_value_int64(values[i]);
      add(&number, sizeof number);
      continue;
    }
    const void* bytes = sqlite3_value_blob(values[i]);  // before its length, which a conversion may change
    const std::int64_t size = sqlite3_value_bytes(values[i]);
    add(&size, sizeof size);
    if (size > 0) add(bytes, static_cast<std::size_t>(size));
  }
  sqlite3_result_int64(context, static_cast<std::int64_t>(XXH3_64bits_digest(state.get())));
}

}  // namespace

void add_seal_function(SqliteHandle& database) {
  const int code = sqlite3_create_function_v2(database.get(), "seal", -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, nullptr,
                                              &seal, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) throw_sqlite(database.get(), code, database.file(), "can't be used");
}

std::string find_broken_row(SqliteHandle& database) {
  return database.query_text(R"sql(
    SELECT 'the row of the job' FROM job
      WHERE seal IS NOT seal('job', job, owner, epoch, reserved_through, created_at)
    UNION ALL SELECT 'checkpoint ' || checkpoint FROM checkpoint
      WHERE seal IS NOT
            seal('checkpoint', checkpoint, epoch, position, final, rows, branches, decided_at, committed_at)
    UNION ALL SELECT 'a branch of checkpoint ' || checkpoint FROM checkpoint
      WHERE branches IS NOT (SELECT count(*) FROM branch WHERE branch.checkpoint = checkpoint.checkpoint)
    UNION ALL SELECT 'branch ' || gid FROM branch
      WHERE seal IS NOT seal('branch', gid, checkpoint, committable, outcome, evidence, finished_at)
    UNION ALL SELECT 'the checkpoint of branch ' || gid FROM branch
      WHERE checkpoint NOT IN (SELECT checkpoint FROM checkpoint)
    LIMIT 1)sql");
}

}  // namespace xasink::txn
