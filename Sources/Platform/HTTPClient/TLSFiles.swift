import System

/// The files of a request that a setting names. libcurl gets their bytes: it would wait for the writer of a pipe.
struct TLSFiles: Hashable, Sendable {
  /// The certificates of the authorities to trust, of the client, and the client's private key.
  enum Part: Sendable { case authority, certificate, key }

  /// A file that cannot be used.
  struct Failure: Error, Equatable, Sendable {
    let part: Part
    let cause: CertificateFile.Failure
  }

  /// The contents of the files; nil for a file that is not named.
  struct Bytes: Equatable, Sendable {
    var authority: [UInt8]?
    var certificate: [UInt8]?
    var key: [UInt8]?
  }

  let authority: String?
  let certificate: String?
  let key: String?

  /// The files of a request; nil if it names none.
  init?(_ request: HTTPClientRequest) {
    authority = request.authorityFile
    certificate = request.clientCertificateFile
    key = request.clientKeyFile
    guard authority != nil || certificate != nil || key != nil else { return nil }
  }

  /// Reads all files. A network file system that does not respond blocks the caller.
  func read() -> Result<Bytes, Failure> {
    do throws(Failure) {
      return .success(
        Bytes(
          authority: try Self.read(authority, .authority),
          certificate: try Self.read(certificate, .certificate), key: try Self.read(key, .key)))
    } catch {
      return .failure(error)
    }
  }

  /// The failure of the first file, for a reason that concerns all of them.
  func failure(_ reason: String) -> Failure {
    let (part, path): (Part, String) =
      if let authority { (.authority, authority) } else if let certificate {
        (.certificate, certificate)
      } else { (.key, key ?? "") }
    return Failure(part: part, cause: CertificateFile.Failure(path: path, reason: reason))
  }

  private static func read(_ path: String?, _ part: Part) throws(Failure) -> [UInt8]? {
    guard let path else { return nil }
    do throws(CertificateFile.Failure) {
      return try CertificateFile.read(path)
    } catch {
      throw Failure(part: part, cause: error)
    }
  }
}
