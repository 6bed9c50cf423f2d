// libpq, the client library of PostgreSQL, and constants that Swift does not import.
#pragma once
#include <libpq-fe.h>

// The fields of an error are characters (PQresultErrorField).
static inline const char *outrider_pq_state(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_SQLSTATE);
}

static inline const char *outrider_pq_message(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
}

static inline const char *outrider_pq_detail(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_MESSAGE_DETAIL);
}

static inline const char *outrider_pq_constraint(const PGresult *result) {
  return PQresultErrorField(result, PG_DIAG_CONSTRAINT_NAME);
}

static inline void outrider_pq_ignore(void *context, const char *message) {
  (void)context;
  (void)message;
}

// By default, libpq prints notices of the server to standard error.
static inline void outrider_pq_silence(PGconn *connection) {
  PQsetNoticeProcessor(connection, outrider_pq_ignore, NULL);
}
