import CCurl
import Glibc
import Quantities
import System

/// A running request: libcurl's handle and all data that the handle points to.
///
/// libcurl keeps unretained pointers to this object. ``HTTPClient`` retains it until the handle is released.
final class Transfer {
  let easy: UnsafeMutableRawPointer
  let request: HTTPClientRequest
  let completion: (HTTPOutcome) -> Void
  /// The moment of the request, from which its time limits count.
  let start: Moment
  var needs: ConnectionNeeds
  private(set) var received: [UInt8] = []
  private(set) var isCut = false
  /// The size of the header lines of all responses and of the trailers, in bytes.
  private var headerBytes = 0
  private var headers: UnsafeMutablePointer<curl_slist>?
  private var addresses: UnsafeMutablePointer<curl_slist>?
  private let errorText: UnsafeMutablePointer<CChar>
  private var part = 0
  private var offset = 0

  /// The largest size of all header lines of a response and of its trailers, in bytes. Servers send less than 8 KiB.
  static let headerLimit = 128 * 1024

  init?(_ request: HTTPClientRequest, start: Moment, completion: @escaping (HTTPOutcome) -> Void) {
    guard let easy = curl_easy_init() else { return nil }
    self.easy = easy
    self.request = request
    self.completion = completion
    self.start = start
    needs = ConnectionNeeds(
      ConnectionHosts(request, environment: ProcessEnvironment.variable),
      hasOldFiles: TLSFiles(request) != nil)
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    // In this order: releasing the handle may still read the other two.
    curl_easy_cleanup(easy)
    curl_slist_free_all(headers)
    curl_slist_free_all(addresses)
    errorText.deallocate()
  }

  /// The end of the time for a new connection: name resolution, connection and TLS.
  var connectDeadline: Moment { start + min(request.timeout, request.connectTimeout, .seconds(30)) }

  /// True if the server sent more header lines than are read.
  var hasTooManyHeaders: Bool { headerBytes > Self.headerLimit }

  /// libcurl's description of the error; empty if there is none.
  var errorMessage: String { String(cString: errorText) }

  // MARK: Options

  /// Sets all options of the request; returns false if libcurl rejects one.
  func prepare(share: UnsafeMutableRawPointer?, authorities: TrustedAuthorities) -> Bool {
    let common =
      set(CURLOPT_URL, request.url) && set(CURLOPT_PROTOCOLS_STR, "http,https") && set(CURLOPT_NOSIGNAL, 1)
      && set(CURLOPT_FOLLOWLOCATION, 0) && set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
      && set(CURLOPT_SSL_VERIFYPEER, 1) && set(CURLOPT_SSL_VERIFYHOST, 2)
      // An address is asked for again for every new connection; one that was supplied does not expire.
      && set(CURLOPT_DNS_CACHE_TIMEOUT, 0)
      && set(CURLOPT_BUFFERSIZE, 16 * 1024) && set(CURLOPT_UPLOAD_BUFFERSIZE, 16 * 1024)
      && set(CURLOPT_FORBID_REUSE, request.keepsConnection ? 0 : 1)
      && set(CURLOPT_ERRORBUFFER, pointer: errorText)
    guard common, setAuthorities(authorities), setHeaders(), setMethod(), setResponse() else { return false }
    if let share, !set(CURLOPT_SHARE, pointer: share) { return false }
    guard setLookUp(), outrider_easy_limit_handshake(easy) == CURLE_OK else { return false }
    if request.readsCertificates, !set(CURLOPT_CERTINFO, 1) { return false }
    if let proxy = request.proxy, !set(CURLOPT_PROXY, proxy) { return false }
    if let path = request.socketPath, !set(CURLOPT_UNIX_SOCKET_PATH, path) { return false }
    return true
  }

  private func setAuthorities(_ authorities: TrustedAuthorities) -> Bool {
    if request.authorityFile != nil { return set(CURLOPT_CAINFO, nil) && set(CURLOPT_CAPATH, nil) }
    switch authorities {
    case .builtIn: return true
    case .directory(let path): return set(CURLOPT_CAINFO, nil) && set(CURLOPT_CAPATH, path)
    }
  }

  private func setLookUp() -> Bool {
    outrider_easy_set_lookup(
      easy,
      { _, _, context in
        guard let context else { return 1 }
        return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().needs.allowsLookup() ? 0 : 1
      }, Unmanaged.passUnretained(self).toOpaque()) == CURLE_OK
  }

  /// Gives libcurl the contents of the files of the request; returns false if it rejects them.
  func setFiles(_ files: TLSFiles.Bytes) -> Bool {
    for (option, bytes) in [
      (CURLOPT_CAINFO_BLOB, files.authority), (CURLOPT_SSLCERT_BLOB, files.certificate),
      (CURLOPT_SSLKEY_BLOB, files.key),
    ] {
      guard let bytes else { continue }
      guard outrider_easy_set_blob(easy, option, bytes, bytes.count) == CURLE_OK else { return false }
    }
    // Without a passphrase OpenSSL would ask for the one of an encrypted key at the terminal.
    return set(CURLOPT_KEYPASSWD, "")
  }

  /// Gives libcurl the addresses of a host; returns false if it rejects them.
  func setAddresses(_ found: [NetworkAddress], of host: ConnectionHosts.Host) -> Bool {
    // libcurl has one interface for all link-local addresses.
    let scope = found.first { $0.scope != 0 }?.scope ?? 0
    let usable = found.filter { $0.scope == 0 || $0.scope == scope }
    let list = usable.map { $0.isIPv6 ? "[\($0.text)]" : $0.text }.joined(separator: ",")
    // With a plus sign the entry is not permanent (CURLOPT_RESOLVE).
    guard let longer = curl_slist_append(addresses, "+\(host.name):\(host.port):\(list)") else {
      return false
    }
    addresses = longer
    if scope != 0, !set(CURLOPT_ADDRESS_SCOPE, Int(scope)) { return false }
    needs.supply(host)
    return set(CURLOPT_DNS_CACHE_TIMEOUT, -1)
  }

  /// Prepares the handle for an attempt that begins now; returns false if no time remains or libcurl rejects it.
  func begin(now: Moment) -> Bool {
    let remaining = start + request.timeout - now
    let connecting = connectDeadline - now
    guard remaining > .zero, connecting > .zero else { return false }
    rewind()
    (received, isCut, headerBytes) = ([], false, 0)
    errorText.pointee = 0
    return set(CURLOPT_TIMEOUT_MS, Self.milliseconds(remaining))
      && set(CURLOPT_CONNECTTIMEOUT_MS, Self.milliseconds(connecting))
      && set(CURLOPT_RESOLVE, pointer: addresses)
  }

  private func setHeaders() -> Bool {
    // Waiting for "100 Continue" costs a round trip, and one second with servers that do not support it.
    for (name, value) in [("Expect", "")] + request.headers {
      guard let longer = curl_slist_append(headers, value.isEmpty ? "\(name):" : "\(name): \(value)") else {
        return false
      }
      headers = longer
    }
    return set(CURLOPT_HTTPHEADER, pointer: headers)
  }

  private func setMethod() -> Bool {
    switch request.method {
    case .get: return set(CURLOPT_HTTPGET, 1)
    case .post, .patch:
      let size = request.body.reduce(0) { $0 + $1.count }
      let context = Unmanaged.passUnretained(self).toOpaque()
      return set(CURLOPT_POST, 1) && (request.method == .post || set(CURLOPT_CUSTOMREQUEST, "PATCH"))
        && outrider_easy_set_size(easy, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(size)) == CURLE_OK
        && set(CURLOPT_READDATA, pointer: context) && set(CURLOPT_SEEKDATA, pointer: context)
        && outrider_easy_set_transfer(
          easy, CURLOPT_READFUNCTION,
          { bytes, size, count, context in
            guard let bytes, let context else { return 0 }
            let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
            return transfer.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
          }) == CURLE_OK
        && outrider_easy_set_seek(
          easy,
          { context, offset, origin in
            guard let context, offset == 0, origin == SEEK_SET else { return CURL_SEEKFUNC_CANTSEEK }
            Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().rewind()
            return CURL_SEEKFUNC_OK
          }) == CURLE_OK
    }
  }

  private func setResponse() -> Bool {
    set(CURLOPT_WRITEDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
      && outrider_easy_set_transfer(
        easy, CURLOPT_WRITEFUNCTION,
        { bytes, size, count, context in
          guard let bytes, let context else { return 0 }
          let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
          return transfer.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
        }) == CURLE_OK
      && set(CURLOPT_HEADERDATA, pointer: Unmanaged.passUnretained(self).toOpaque())
      && outrider_easy_set_transfer(
        easy, CURLOPT_HEADERFUNCTION,
        { _, size, count, context in
          guard let context else { return 0 }
          return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().countHeader(size * count)
        }) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ value: Int) -> Bool {
    outrider_easy_set_number(easy, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, _ value: String?) -> Bool {
    outrider_easy_set_text(easy, option, value) == CURLE_OK
  }

  private func set(_ option: CURLoption, pointer: UnsafeMutableRawPointer?) -> Bool {
    outrider_easy_set_pointer(easy, option, pointer) == CURLE_OK
  }

  /// Returns at least 1, because 0 means "no limit" to libcurl.
  private static func milliseconds(_ duration: Duration) -> Int {
    Int(min(max(duration.wholeMilliseconds, 1), Int64(Int32.max)))
  }

  // MARK: Bytes

  /// Copies the next bytes of the body, as many as fit.
  private func fill(_ room: UnsafeMutableRawBufferPointer) -> Int {
    var filled = 0
    while filled < room.count, part < request.body.count {
      let bytes = request.body[part][offset...].prefix(room.count - filled)
      UnsafeMutableRawBufferPointer(rebasing: room[filled...]).copyBytes(from: bytes)
      filled += bytes.count
      offset += bytes.count
      if offset == request.body[part].count {
        part += 1
        offset = 0
      }
    }
    return filled
  }

  /// Restarts the body, which libcurl requires if a cached connection turns out to be closed.
  private func rewind() {
    part = 0
    offset = 0
  }

  /// Counts a header line. Accepting none of its bytes makes libcurl end the transfer (CURLOPT_HEADERFUNCTION).
  private func countHeader(_ size: Int) -> Int {
    headerBytes += size
    return hasTooManyHeaders ? 0 : size
  }

  /// Stores bytes of the response. Accepting fewer than offered makes libcurl end the transfer (CURLOPT_WRITEFUNCTION).
  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    let taken = bytes.prefix(max(request.responseLimit - received.count, 0))
    received.append(contentsOf: taken)
    isCut = taken.count < bytes.count
    return taken.count
  }
}
