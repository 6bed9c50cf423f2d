// SQLite, with wrappers for variadic functions and for macros that contain casts, which Swift does not import.
#pragma once
#include <sqlite3.h>

/// Keeps the write-ahead log when the last connection closes (sqlite3_db_config, which is variadic).
static inline int outrider_sqlite3_keep_wal_on_close(sqlite3 *database) {
  return sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, (int *)0);
}

/// Binds a text that SQLite copies (SQLITE_TRANSIENT is a cast).
static inline int outrider_sqlite3_bind_text(sqlite3_stmt *statement, int index, const char *bytes, int count) {
  return sqlite3_bind_text(statement, index, bytes, count, SQLITE_TRANSIENT);
}

/// Binds a blob that SQLite copies.
static inline int outrider_sqlite3_bind_blob(sqlite3_stmt *statement, int index, const void *bytes, int count) {
  return sqlite3_bind_blob(statement, index, bytes, count, SQLITE_TRANSIENT);
}
