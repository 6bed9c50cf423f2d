import FleetRecords
import PostgreSQL
import Quantities

/// The bodies of a group that are kept as received, one for each set of records.
struct KeptBodies {
  /// The statement; nil without bodies. It follows those of the records: a repetition in another collector has waited for
  /// its rows, and sees the body.
  private(set) var command: PostgresCommand?

  private struct Key: Hashable, Comparable {
    let device: Int32
    let digest: [UInt8]

    static func < (a: Key, b: Key) -> Bool {
      a.device != b.device ? a.device < b.device : a.digest.lexicographicallyPrecedes(b.digest)
    }
  }

  init(_ group: [Submission]) {
    var bodies: [Key: (body: [UInt8], received: Timestamp, times: ClosedRange<Timestamp>)] = [:]
    for submission in group {
      guard let body = submission.upload.body, let device = submission.owner?.device.number.value,
        let (digest, times) = Self.identity(of: submission.upload, submission.received)
      else { continue }
      bodies[Key(device: device, digest: digest)] = (body, submission.received, times)
    }
    guard !bodies.isEmpty else { return }
    let (devices, received, keys) = (ArrayColumn(.int4), ArrayColumn(.timestamptz), ArrayColumn(.bytea))
    let (firsts, lasts, texts) = (ArrayColumn(.timestamptz), ArrayColumn(.timestamptz), ArrayColumn(.bytea))
    for (key, value) in bodies.sorted(by: { $0.key < $1.key }) {
      devices.append(key.device)
      received.append(value.received)
      keys.append(key.digest)
      firsts.append(value.times.lowerBound)
      lasts.append(value.times.upperBound)
      texts.append(value.body)
    }
    command = PostgresCommand(
      Self.sql,
      [
        .array(devices), .array(received), .array(keys), .array(firsts), .array(lasts), .array(texts),
      ])
  }

  /// The digest of the identities of all records, and the times from the oldest one to the arrival; nil without records.
  ///
  /// A repetition has the same records, but may have another report and another position of the moment, which is at most as
  /// old as the arrival.
  private static func identity(
    of upload: Upload, _ received: Timestamp
  ) -> (digest: [UInt8], times: ClosedRange<Timestamp>)? {
    let lists = [
      upload.locations.map(\.id), upload.visits.map(\.id), upload.trips.map(\.id), upload.actions.map(\.id),
      upload.events.map(\.id),
    ]
    var bytes: [UInt8] = []
    var (first, last) = (received, received)
    for (index, list) in lists.enumerated() {
      for id in list {
        bytes.append(UInt8(clamping: index))
        for value in [id.time.milliseconds, id.record] {
          withUnsafeBytes(of: value.bigEndian) { bytes += $0 }
        }
        (first, last) = (min(first, id.time), max(last, id.time))
      }
    }
    return bytes.isEmpty ? nil : (Digest.sha256(bytes), first...last)
  }

  /// A body that may contain something of an erased period is not stored.
  private static let sql = """
    INSERT INTO outrider.batch (device, received, key, first_time, last_time, body)
    SELECT i.* FROM unnest($1::int4[], $2::timestamptz[], $3::bytea[], $4::timestamptz[], $5::timestamptz[], $6::bytea[])
      AS i (device, received, key, first_time, last_time, body)
    WHERE NOT EXISTS (SELECT FROM outrider.batch b WHERE b.device = i.device AND b.key = i.key)
      AND NOT EXISTS (SELECT FROM outrider.erasure e WHERE e.number = i.device AND i.first_time < e.before
        AND i.last_time >= coalesce(e.from_time, '-infinity'))
    """
}
