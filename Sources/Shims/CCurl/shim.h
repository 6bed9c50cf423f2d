// Wrappers for the variadic functions of libcurl, which Swift does not import: one inline function per argument type.
#pragma once
#include <curl/curl.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <string.h>

typedef size_t (*outrider_curl_transfer)(char *bytes, size_t size, size_t count, void *context);
typedef int (*outrider_curl_seek)(void *context, curl_off_t offset, int origin);

static inline CURLcode outrider_curl_start(void) { return curl_global_init(CURL_GLOBAL_DEFAULT); }

static inline CURLcode outrider_easy_set_number(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode outrider_easy_set_size(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode outrider_easy_set_text(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode outrider_easy_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode outrider_easy_set_transfer(CURL *easy, CURLoption option, outrider_curl_transfer value) {
  return curl_easy_setopt(easy, option, value);
}

static inline CURLcode outrider_easy_set_seek(CURL *easy, outrider_curl_seek value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}

static inline CURLcode outrider_easy_number(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode outrider_easy_size(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}

static inline CURLcode outrider_easy_text(CURL *easy, CURLINFO info, const char **value) {
  return curl_easy_getinfo(easy, info, value);
}

// The end of validity of a certificate of the chain, counted from 0 (CURLINFO_CERTINFO); NULL beyond the last one.
static inline const char *outrider_easy_certificate_end(CURL *easy, int number) {
  struct curl_certinfo *chain = NULL;
  if (curl_easy_getinfo(easy, CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain) return NULL;
  if (number < 0 || number >= chain->num_of_certs) return NULL;
  for (struct curl_slist *line = chain->certinfo[number]; line; line = line->next)
    if (!strncmp(line->data, "Expire date:", 12)) return line->data + 12;
  return "";
}

static inline CURLMcode outrider_multi_set_number(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}

static inline CURLMcode outrider_multi_set_socket_callback(CURLM *multi, curl_socket_callback call, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, context);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, call) : code;
}

static inline CURLMcode outrider_multi_set_timer_callback(CURLM *multi, curl_multi_timer_callback call, void *context) {
  CURLMcode code = curl_multi_setopt(multi, CURLMOPT_TIMERDATA, context);
  return code == CURLM_OK ? curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, call) : code;
}

static inline CURLSHcode outrider_share_sessions(CURLSH *share) {
  return curl_share_setopt(share, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
}

// Bytes instead of a file, which libcurl copies (CURLOPT_CAINFO_BLOB).
static inline CURLcode outrider_easy_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t count) {
  struct curl_blob blob = {.data = (void *)bytes, .len = count, .flags = CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}

typedef int (*outrider_curl_lookup)(void *state, void *reserved, void *context);

// The function that is asked before each lookup of a host (CURLOPT_RESOLVER_START_FUNCTION).
static inline CURLcode outrider_easy_set_lookup(CURL *easy, outrider_curl_lookup value, void *context) {
  CURLcode code = curl_easy_setopt(easy, CURLOPT_RESOLVER_START_DATA, context);
  return code == CURLE_OK ? curl_easy_setopt(easy, CURLOPT_RESOLVER_START_FUNCTION, value) : code;
}

enum { outrider_most_handshake_messages = 100 };

// Called for each message of TLS (SSL_set_msg_callback); the context is the number of handshake messages received before.
static inline void outrider_count_message(
  int is_sent, int version, int type, const void *bytes, size_t size, SSL *connection, void *context) {
  if (is_sent || type != SSL3_RT_HANDSHAKE) return;
  uintptr_t count = (uintptr_t)context + 1;
  SSL_set_msg_callback_arg(connection, (void *)count);
  // OpenSSL then takes the connection for closed by the peer, and reads no further message.
  if (count > outrider_most_handshake_messages)
    SSL_set_shutdown(connection, SSL_get_shutdown(connection) | SSL_RECEIVED_SHUTDOWN);
}

static inline CURLcode outrider_watch_messages(CURL *easy, void *tls, void *context) {
  SSL_CTX_set_msg_callback((SSL_CTX *)tls, outrider_count_message);
  return CURLE_OK;
}

// Closes a connection of TLS that receives more than outrider_most_handshake_messages (CURLOPT_SSL_CTX_FUNCTION). Without
// effect if libcurl has another library than OpenSSL.
static inline CURLcode outrider_easy_limit_handshake(CURL *easy) {
  const char *library = curl_version_info(CURLVERSION_NOW)->ssl_version;
  if (!library || strncmp(library, "OpenSSL/", 8)) return CURLE_OK;
  return curl_easy_setopt(easy, CURLOPT_SSL_CTX_FUNCTION, outrider_watch_messages);
}
