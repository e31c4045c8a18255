#include "drivers/sqlite/error_map.hpp"

#include <sqlite3.h>

namespace xasink::sqlite {
namespace {

struct Answer {
  Category category;
  bool retryable;
  bool session_usable;
  const char* hint;
};

Answer answer(int code) {
  // Extended codes that differ from their family come first.
  if (code == SQLITE_IOERR_NOMEM) return {Category::resources, false, false, "free memory and run again"};
  if (code == SQLITE_READONLY_DBMOVED) {
    return {Category::io, false, false, "the file was moved or removed while it was open; put it back and run again"};
  }
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {Category::contention, true, true, "another connection holds the database; end it or wait"};
    case SQLITE_SCHEMA: return {Category::contention, true, true, "the schema changed meanwhile; run again"};
    case SQLITE_INTERRUPT:
    case SQLITE_ABORT: return {Category::contention, true, true, "the statement was interrupted; run again"};
    case SQLITE_FULL:
      return {Category::resources, false, true, "free disk space (or raise max_page_count) and run again"};
    case SQLITE_NOMEM: return {Category::resources, false, false, "free memory and run again"};
    case SQLITE_IOERR:
    case SQLITE_PROTOCOL:
    case SQLITE_NOLFS: return {Category::io, false, false, "check the disk and the file system below the database"};
    case SQLITE_CORRUPT:
      return {Category::corrupt, false, false, "check the file with PRAGMA integrity_check and restore it if need be"};
    case SQLITE_NOTADB: return {Category::corrupt, false, false, "the file is no SQLite database, or an encrypted one"};
    case SQLITE_CONSTRAINT:
      return {Category::data, false, true, "correct or remove the row, or change what the table asks for"};
    case SQLITE_MISMATCH:
    case SQLITE_TOOBIG: return {Category::data, false, true, "correct the value, or change the column to take it"};
    case SQLITE_READONLY:
      return {Category::configuration, false, false, "give this user write access to the file and its folder"};
    case SQLITE_CANTOPEN:
      return {Category::configuration, false, false, "check the path and the rights on the file and its folder"};
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {Category::configuration, false, false, "give this user read and write access to the file"};
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
    case SQLITE_INTERNAL: return {Category::internal, false, false, ""};
    default: return {Category::server, false, true, ""};
  }
}

}  // namespace

ErrorDetails classify(int code) {
  const Answer found = answer(code);
  ErrorDetails details;
  details.category = found.category;
  details.retryable = found.retryable;
  details.session_usable = found.session_usable;
  details.vendor_code = code;
  details.hint = found.hint;
  return details;
}

}  // namespace xasink::sqlite
