// Typed wrappers for functions that Swift cannot call, variadic ones: of libmicrohttpd 0.9.75 and 1.0.1, and ioctl(2).
#pragma once
#include <microhttpd.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

/// A callback with the request target as it was sent, before its query is parsed. Its result is stored in the request's
/// context pointer before the access handler is called for the first time.
typedef void *(*outrider_MHD_line_callback)(void *context, const char *target, struct MHD_Connection *connection);

/// Starts a daemon without a listening socket and without a thread, with its own epoll descriptor. `memory` is the size of a
/// connection's buffer in bytes, for the head of a request and the pieces of its body.
static inline struct MHD_Daemon *outrider_MHD_start(
    unsigned int connections, unsigned int idle_seconds, size_t memory,
    MHD_AccessHandlerCallback access, MHD_RequestCompletedCallback completed,
    MHD_NotifyConnectionCallback connection, outrider_MHD_line_callback line, void *context) {
  return MHD_start_daemon(
      MHD_USE_EPOLL | MHD_USE_NO_LISTEN_SOCKET | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL, access, context,
      MHD_OPTION_CONNECTION_LIMIT, connections,
      MHD_OPTION_CONNECTION_TIMEOUT, idle_seconds,
      MHD_OPTION_CONNECTION_MEMORY_LIMIT, memory,
      MHD_OPTION_NOTIFY_COMPLETED, completed, context,
      MHD_OPTION_NOTIFY_CONNECTION, connection, context,
      MHD_OPTION_URI_LOG_CALLBACK, line, context,
      MHD_OPTION_END);
}

/// The results of a content reader at the end of the stream and after an error.
static const ssize_t outrider_MHD_end_of_stream = MHD_CONTENT_READER_END_OF_STREAM;
static const ssize_t outrider_MHD_end_with_error = MHD_CONTENT_READER_END_WITH_ERROR;

/// Passes the socket of a client to a daemon, which owns it from now on, also if it refuses the client. Version 1.0 counts the
/// connection only in its next run.
static inline void outrider_MHD_add(struct MHD_Daemon *daemon, int client) {
  // The address is for the library's own limits, which are not used.
  struct sockaddr none = {.sa_family = AF_UNSPEC};
  MHD_add_connection(daemon, (MHD_socket)client, &none, 0);
}

/// The epoll descriptor of a daemon, or -1 if it has none.
static inline int outrider_MHD_epoll_descriptor(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_EPOLL_FD);
  return info ? info->epoll_fd : -1;
}

/// The number of connected clients.
static inline unsigned int outrider_MHD_connections(struct MHD_Daemon *daemon) {
  const union MHD_DaemonInfo *info = MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);
  return info ? info->num_connections : 0;
}

/// The socket of a connection, or -1 if it is not known.
static inline int outrider_MHD_socket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

/// Changes the time without traffic after which a connection is closed; it does not pass while it is suspended.
static inline void outrider_MHD_set_idle_seconds(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// Begins the time without traffic anew. The library notes the time only when it is set on a connection without one.
static inline void outrider_MHD_renew_idle_seconds(struct MHD_Connection *connection, unsigned int seconds) {
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
  MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, seconds);
}

/// The bytes of a socket that the kernel holds for its peer, or -1 after an error. On TCP they are those that the peer's
/// kernel has not acknowledged (tcp(7)); on a Unix socket they include the kernel's own for each packet.
static inline int outrider_held_bytes(int socket) {
  int bytes = 0;
  return ioctl(socket, TIOCOUTQ, &bytes) == 0 ? bytes : -1;
}

/// The value of a request header, or NULL if there is none of that name. It is valid as long as the request.
static inline const char *outrider_MHD_header(struct MHD_Connection *connection, const char *name) {
  return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/// Calls `take` for every header of the request.
static inline void outrider_MHD_headers(
    struct MHD_Connection *connection, MHD_KeyValueIterator take, void *context) {
  MHD_get_connection_values(connection, MHD_HEADER_KIND, take, context);
}

/// Calls `take` for every item of the query, in the order of the request.
static inline void outrider_MHD_query(
    struct MHD_Connection *connection, MHD_KeyValueIterator take, void *context) {
  MHD_get_connection_values(connection, MHD_GET_ARGUMENT_KIND, take, context);
}
