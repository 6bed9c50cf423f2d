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
    var bodies: [Key: (submission: Submission, times: ClosedRange<Timestamp>)] = [:]
    for submission in group {
      guard submission.upload.body != nil, let device = submission.owner?.device.number.value,
        let (digest, times) = Self.identity(of: submission.upload, submission.received)
      else { continue }
      bodies[Key(device: device, digest: digest)] = (submission, times)
    }
    guard !bodies.isEmpty else { return }
    let (devices, received, keys) = (ArrayColumn(.int4), ArrayColumn(.timestamptz), ArrayColumn(.bytea))
    let (firsts, lasts, texts) = (ArrayColumn(.timestamptz), ArrayColumn(.timestamptz), ArrayColumn(.bytea))
    let (owners, times, records) = (ArrayColumn(.int4), ArrayColumn(.timestamptz), ArrayColumn(.int8))
    let numbers = ArrayColumn(.int4)
    for (number, (key, value)) in bodies.sorted(by: { $0.key < $1.key }).enumerated() {
      devices.append(key.device)
      received.append(value.submission.received)
      keys.append(key.digest)
      firsts.append(value.times.lowerBound)
      lasts.append(value.times.upperBound)
      texts.append(value.submission.upload.body ?? [])
      for id in Self.identities(of: value.submission.upload).joined() {
        numbers.append(Int32(clamping: number + 1))
        owners.append(key.device)
        times.append(id.time)
        records.append(id.record)
      }
    }
    command = PostgresCommand(
      Self.sql,
      [
        .array(devices), .array(received), .array(keys), .array(firsts), .array(lasts), .array(texts),
        .array(numbers), .array(owners), .array(times), .array(records),
      ])
  }

  /// The identities of all records, by table.
  private static func identities(of upload: Upload) -> [[RowID]] {
    [
      upload.locations.map(\.id), upload.visits.map(\.id), upload.trips.map(\.id), upload.actions.map(\.id),
      upload.events.map(\.id),
    ]
  }

  /// The digest of the identities of all records, and the times from the oldest one to the arrival; nil without records.
  ///
  /// A repetition has the same records, but may have another report and another position of the moment, which is at most as
  /// old as the arrival.
  private static func identity(
    of upload: Upload, _ received: Timestamp
  ) -> (digest: [UInt8], times: ClosedRange<Timestamp>)? {
    var bytes: [UInt8] = []
    var (first, last) = (received, received)
    for (index, list) in identities(of: upload).enumerated() {
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

  /// A body that may contain something of an erased period is not stored, nor one with a record that was erased by
  /// its identity.
  private static let sql = """
    WITH erased AS MATERIALIZED (
      SELECT c.body FROM unnest($7::int4[], $8::int4[], $9::timestamptz[], $10::int8[]) AS c (body, device, time, record)
      JOIN outrider.erased_record r ON r.number = c.device AND r.time = c.time AND r.record = c.record)
    INSERT INTO outrider.batch (device, received, key, first_time, last_time, body)
    SELECT i.device, i.received, i.key, i.first_time, i.last_time, i.body
    FROM unnest($1::int4[], $2::timestamptz[], $3::bytea[], $4::timestamptz[], $5::timestamptz[], $6::bytea[])
      WITH ORDINALITY AS i (device, received, key, first_time, last_time, body, n)
    WHERE NOT EXISTS (SELECT FROM erased e WHERE e.body = i.n)
      AND NOT EXISTS (SELECT FROM outrider.batch b WHERE b.device = i.device AND b.key = i.key)
      AND NOT EXISTS (SELECT FROM outrider.erasure e WHERE e.number = i.device AND i.first_time < e.before
        AND i.last_time >= coalesce(e.from_time, '-infinity'))
    """
}
