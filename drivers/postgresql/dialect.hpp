// PostgreSQL's SQL: quoting, types, and the bookkeeping tables. Pure functions.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "xasink/schema.hpp"

namespace xasink::postgresql {

/// Inside quotes whatever the name is; keeps the case.
[[nodiscard]] std::string quote_identifier(std::string_view name);
/// Right under either setting of standard_conforming_strings, for text in UTF-8.
[[nodiscard]] std::string quote_literal(std::string_view text);

/// The type that a column of this kind is created with.
[[nodiscard]] std::string sql_type(const ColumnType& type);
/// `CREATE TABLE IF NOT EXISTS …`. \param table quoted already
[[nodiscard]] std::string create_table_sql(const std::string& table, const TableSchema& schema,
                                           const std::vector<std::string>& primary_key);

/// One of xasink's tables is made at a time: PostgreSQL's IF NOT EXISTS alone loses that race with an error. Held until
/// the transaction ends.
inline constexpr const char* kLockDdl = "SELECT pg_catalog.pg_advisory_xact_lock(8746131270937411)";

// The bookkeeping tables are made in the role's current schema, and found again by its search_path. A marker's key
// begins with what pruning asks for.
inline constexpr const char* kBookkeepingExists =
    "SELECT pg_catalog.to_regclass('xasink_markers') IS NOT NULL AND pg_catalog.to_regclass('xasink_epochs') IS NOT "
    "NULL, "
    "pg_catalog.current_schema()";
inline constexpr const char* kCreateMarkers =
    "CREATE TABLE IF NOT EXISTS xasink_markers (owner text NOT NULL, checkpoint bigint NOT NULL, writer bigint NOT "
    "NULL, "
    "part bigint NOT NULL, epoch bigint NOT NULL, job text NOT NULL, rows bigint NOT NULL, bytes bigint NOT NULL, "
    "written_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, checkpoint, writer, part, epoch))";
inline constexpr const char* kCreateEpochs =
    "CREATE TABLE IF NOT EXISTS xasink_epochs (owner text NOT NULL, job text NOT NULL, epoch bigint NOT NULL, "
    "raised_at timestamptz NOT NULL DEFAULT now(), PRIMARY KEY (owner, job))";
inline constexpr const char* kInsertMarker =
    "INSERT INTO xasink_markers (owner, checkpoint, writer, part, epoch, job, rows, bytes) "
    "VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING";
inline constexpr const char* kFindMarker =
    "SELECT 1 FROM xasink_markers WHERE owner = $1 AND checkpoint = $2 AND writer = $3 AND part = $4 AND epoch = $5 "
    "AND job = $6";
inline constexpr const char* kNewestMarker =
    "SELECT coalesce(max(checkpoint), 0) FROM xasink_markers WHERE owner = $1";
inline constexpr const char* kPruneMarkers = "DELETE FROM xasink_markers WHERE owner = $1 AND checkpoint <= $2";
inline constexpr const char* kRaiseEpoch =
    "INSERT INTO xasink_epochs AS e (owner, job, epoch) VALUES ($1, $2, $3) ON CONFLICT (owner, job) DO UPDATE "
    "SET epoch = greatest(e.epoch, excluded.epoch), raised_at = now() RETURNING epoch";
/// The server lets only the role that prepared it, or a superuser, finish a transaction, and only in its own database.
inline constexpr const char* kListPrepared =
    "SELECT gid, owner, database, (extract(epoch FROM prepared) * 1000000)::bigint, "
    "database = pg_catalog.current_database() AND "
    "(owner = current_user OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user)) "
    "FROM pg_catalog.pg_prepared_xacts ORDER BY prepared, gid";

}  // namespace xasink::postgresql
