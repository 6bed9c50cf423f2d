import Database
import Records

/// Records to send together, and what has to happen before.
public struct LogBatch: Equatable, Sendable {
  /// In the order of their ids.
  public var records: [StoredRecord]
  /// The last id of the batch: what is acknowledged.
  public var through: RecordID
  /// True when it holds as many records as a batch can; its border then follows from the cursor alone.
  public var isFull: Bool
  /// True when records are queued beyond this batch.
  public var hasMore: Bool
  /// True for records that were dated after they had been written.
  public var isLate: Bool
  /// True when ``LogDatabase/commitBorder(_:through:late:)`` has to succeed before the first byte is sent.
  public var needsBorder: Bool

  public init(
    records: [StoredRecord], through: RecordID, isFull: Bool, hasMore: Bool, isLate: Bool, needsBorder: Bool
  ) {
    self.records = records
    self.through = through
    self.isFull = isFull
    self.hasMore = hasMore
    self.isLate = isLate
    self.needsBorder = needsBorder
  }
}

/// The end of a batch that is under way: what follows it is asked for while it is not yet acknowledged.
public struct BatchPosition: Equatable, Sendable {
  public var through: RecordID
  /// True for records that were dated after they had been written.
  public var isLate: Bool

  public init(through: RecordID, isLate: Bool) {
    self.through = through
    self.isLate = isLate
  }
}

extension LogDatabase {
  /// Adds cursors for new destinations, at the start of the log, and lets only those named hold retention back.
  /// `batchSizes` is what a new cursor starts with, by the destination's name.
  @discardableResult
  public func register(batchSizes: [String: Int]) throws(DatabaseError) -> RegistrationReport {
    var report = RegistrationReport()
    for (name, size) in batchSizes where cursors[name] == nil {
      let cursor = CursorRow(destination: name, batchSize: Self.bounded(size))
      try save(cursor)
      report.new.append(
        LogStatus.Destination(name: name, acknowledged: .zero, queued: try queued(cursor)))
    }
    registered = Set(batchSizes.keys)
    report.new.sort { $0.name < $1.name }
    report.unserved = cursors.keys.filter { !registered.contains($0) }.sorted()
    if !report.new.isEmpty { report.through = RecordID(try LogQueries.lastQueued(connection)) }
    return report
  }

  /// The next records for a destination, the same ones each time until they are acknowledged; nil when none wait.
  ///
  /// A destination that is not known yet gets a cursor with this batch size. For all others the size that counts is
  /// the stored one; ``acknowledge(_:through:late:newBatchSize:)`` changes it. With `after` the batch behind one
  /// that is under way is handed out. Records that do not fit their checksum are taken out of the log, with an event; `damaged` names them.
  public func batch(
    for destination: String, after: BatchPosition? = nil, size: Int, damaged: inout [RecordID]
  ) throws(DatabaseError) -> LogBatch? {
    if cursors[destination] == nil {
      try save(CursorRow(destination: destination, batchSize: Self.bounded(size)))
    }
    guard let cursor = cursors[destination] else { return nil }
    // Rows that cannot be read are taken out, and then there may be nothing left to send: look again.
    for _ in 0..<1000 {
      var search = BatchSearch(limit: Self.bounded(cursor.batchSize))
      var batch = try lateBatch(cursor, after: after, &search)
      if batch == nil { batch = try ordinaryBatch(cursor, after: after, &search) }
      try takeOut(search.damaged, from: destination, batch: batch)
      damaged += search.damaged
      let isWorthSending = batch.map { !$0.records.isEmpty } ?? false
      if search.damaged.isEmpty || (isWorthSending && !search.isDrowned) { return batch }
    }
    return nil
  }

  static func bounded(_ size: Int) -> Int { min(max(size, 1), 10_000) }

  private func lateBatch(
    _ cursor: CursorRow, after: BatchPosition?, _ search: inout BatchSearch
  ) throws(DatabaseError) -> LogBatch? {
    let passed = after.flatMap { $0.isLate ? $0.through.rawValue : nil } ?? 0
    search.border = cursor.lateBorder.flatMap { $0 > passed ? $0 : nil }
    let statement = try connection.statement(
      """
      SELECT \(RecordRow.columns) FROM late CROSS JOIN record USING (id) WHERE id > ? ORDER BY id
      """)
    try statement.bind([.integer(max(cursor.lateAcknowledged, passed))])
    defer { statement.reset() }
    while !search.isComplete, try statement.step() { search.take(statement.values, isQueued: true) }
    defer { search.startAgain() }
    guard let through = search.through else { return nil }
    var hasMore = search.hasMore
    if !hasMore {
      var probe = BatchSearch(limit: 1)
      hasMore = try ordinaryBatch(cursor, after: after, &probe) != nil
    }
    return LogBatch(
      records: search.records, through: RecordID(through), isFull: search.isFull, hasMore: hasMore,
      isLate: true, needsBorder: cursor.lateBorder != through)
  }

  func ordinaryBatch(
    _ cursor: CursorRow, after: BatchPosition? = nil, _ search: inout BatchSearch
  ) throws(DatabaseError) -> LogBatch? {
    let underWay = after.flatMap { $0.isLate ? nil : $0.through.rawValue } ?? 0
    search.border = cursor.border.flatMap { $0 > underWay ? $0 : nil }
    var passed = max(cursor.acknowledged, searched[cursor.destination] ?? 0, underWay)
    let statement = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE id > ? ORDER BY id")
    try statement.bind([.integer(passed)])
    defer { statement.reset() }
    while !search.isComplete, try statement.step() {
      let row = statement.values
      let isQueued = RecordRow.claimsToBeQueued(row)
      search.take(row, isQueued: isQueued)
      if search.through == nil, let id = row.first?.integer { passed = id }
    }
    // What is not queued now never will be: a date that comes later makes a late record of it.
    if underWay == 0 { searched[cursor.destination] = passed }
    guard let through = search.through else { return nil }
    return LogBatch(
      records: search.records, through: RecordID(through), isFull: search.isFull, hasMore: search.hasMore,
      isLate: false, needsBorder: !search.isFull && cursor.border != through)
  }

  /// Makes durable that a batch ends at `through`, so that it is sent again with the same end. Call it for a batch
  /// that ``LogBatch/needsBorder``, or to send a shorter piece of one that the server does not take.
  public func commitBorder(_ destination: String, through: RecordID, late: Bool) throws(DatabaseError) {
    guard var cursor = cursors[destination] else { return }
    if late {
      guard through.rawValue > cursor.lateAcknowledged else { return }
      cursor.lateBorder = through.rawValue
    } else {
      guard through.rawValue > cursor.acknowledged else { return }
      cursor.border = through.rawValue
    }
    try save(cursor)
  }

  /// Makes durable that the destination has everything of that queue through an id. A cursor never goes back.
  public func acknowledge(_ destination: String, through: RecordID, late: Bool, newBatchSize: Int?)
    throws(DatabaseError)
  {
    guard var cursor = cursors[destination] else { return }
    // Never beyond what was written, or records to come would count as delivered.
    let through = min(through.rawValue, nextID - 1)
    if late {
      cursor.lateAcknowledged = max(cursor.lateAcknowledged, through)
      if let border = cursor.lateBorder, border <= through { cursor.lateBorder = nil }
    } else {
      if let count = queuedCounts[destination], through > cursor.acknowledged {
        let taken = try LogQueries.queued(connection, after: cursor.acknowledged, through: through)
        queuedCounts[destination] = count - taken
      }
      cursor.acknowledged = max(cursor.acknowledged, through)
      if let border = cursor.border, border <= through { cursor.border = nil }
    }
    if let newBatchSize { cursor.batchSize = Self.bounded(newBatchSize) }
    do throws(DatabaseError) {
      try save(cursor)
    } catch {
      queuedCounts[destination] = nil
      throw error
    }
  }

  /// Makes durable that a destination gets nothing of what is written, dated or not, and answers how many records had
  /// been waiting for it. They stay in the log.
  public func drop(_ destination: String) throws(DatabaseError) -> Int {
    guard var cursor = cursors[destination] else { return 0 }
    let count = try queued(cursor)
    cursor.acknowledged = max(cursor.acknowledged, nextID - 1)
    cursor.lateAcknowledged = max(cursor.lateAcknowledged, nextID - 1)
    (cursor.border, cursor.lateBorder) = (nil, nil)
    queuedCounts[destination] = nil
    try save(cursor)
    return count
  }

  /// Makes durable that the log knows no such destination, and answers how many records had been waiting for it. They
  /// stay in the log; one that comes under this name later is new.
  public func forget(_ destination: String) throws(DatabaseError) -> Int {
    guard let cursor = cursors[destination] else { return 0 }
    let count = try queued(cursor)
    try connection.transaction { () throws(DatabaseError) in
      try connection.run("DELETE FROM cursor WHERE destination = ?", [.text(destination)])
    }
    cursors[destination] = nil
    queuedCounts[destination] = nil
    registered.remove(destination)
    return count
  }

  func save(_ cursor: CursorRow) throws(DatabaseError) {
    var cursor = cursor
    cursor.version &+= 1
    try connection.transaction { () throws(DatabaseError) in try cursor.save(to: connection) }
    cursors[cursor.destination] = cursor
  }
}
