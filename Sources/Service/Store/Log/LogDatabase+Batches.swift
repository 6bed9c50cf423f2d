import Database
import Records

extension LogDatabase {
  /// Registers the configured destinations, with the batch size of a new cursor by name.
  ///
  /// `events` are those that are part of their queues. New destinations get a cursor at the start of the log, all in one
  /// transaction. Retention deletes nothing before the first registration has succeeded, nor while a changed one has not.
  @discardableResult
  public func register(
    batchSizes: [String: Int], events: [String: EventSelection] = [:]
  ) throws(DatabaseError) -> RegistrationReport {
    announce(batchSizes: batchSizes, events: events)
    var report = RegistrationReport()
    let new = batchSizes.filter { queues[$0.key] == nil }.map { name, size in
      var cursor = CursorRow(destination: name, batchSize: Self.bounded(size))
      cursor.version = 1
      return cursor
    }.sorted { $0.destination < $1.destination }
    if !new.isEmpty {
      try connection.transaction { () throws(DatabaseError) in
        for cursor in new { try cursor.save(to: connection) }
      }
    }
    for cursor in new { queues.store(cursor) }
    for cursor in new {
      report.new.append(
        LogStatus.Destination(name: cursor.destination, acknowledged: .zero, queued: try queued(cursor)))
    }
    report.unserved = queues.cursors.keys.filter { batchSizes[$0] == nil }.sorted()
    if !new.isEmpty { report.through = RecordID(try LogQueries.lastQueued(connection)) }
    report.held = try held()
    queues.endRegistration()
    return report
  }

  /// Keeps the queues of these destinations from being deleted, although ``register(batchSizes:events:)`` has not
  /// succeeded yet. Cannot fail.
  func announce(batchSizes: [String: Int], events: [String: EventSelection]) {
    queues.announce(Dictionary(batchSizes.keys.map { ($0, events[$0] ?? .none) }) { first, _ in first })
  }

  /// The next batch for a destination, the same on every call until it is acknowledged; nil if there is nothing to send.
  ///
  /// If it is not larger than ``BatchRequest/largestToSend``, its boundary is durable when the function returns. An
  /// unknown destination gets a cursor with the requested size. All others use the stored size, which
  /// ``acknowledge(_:through:late:newBatchSize:)`` changes. Records that fail their checksum are removed from the log,
  /// with an event; their ids are added to `damaged`.
  public func batch(
    for destination: String, _ request: BatchRequest, damaged: inout [RecordID]
  ) throws(DatabaseError) -> Batch? {
    if queues[destination] == nil {
      try save(CursorRow(destination: destination, batchSize: Self.bounded(request.size)))
    }
    queues.setEvents(request.events, for: destination)
    if let id = request.held { return try heldBatch(of: destination, id) }
    guard let found = try wholeBatch(for: destination, after: request.after, damaged: &damaged) else {
      return nil
    }
    let batch = if let cut = request.cut { found.cut(by: cut) } else { Optional(found) }
    guard let batch else { return nil }
    return try prepared(batch, for: destination, request)
  }

  /// The batch with a stored boundary, if it will be sent as it is and the boundary does not follow from its size.
  private func prepared(
    _ batch: Batch, for destination: String, _ request: BatchRequest
  ) throws(DatabaseError) -> Batch {
    guard !batch.isReproducible(size: request.size), batch.records.count <= request.largestToSend,
      batch.records.contains(where: { $0.record.body.isSent || request.events != .none })
    else { return batch }
    try commitBatchBoundary(destination, through: batch.through, late: batch.isLate)
    var batch = batch
    batch.boundary = .stored
    return batch
  }

  /// The next batch before any cut; nil if the queue is empty. Stores no boundary, except of a batch with damaged records.
  func wholeBatch(
    for destination: String, after: BatchPosition?, damaged: inout [RecordID]
  ) throws(DatabaseError) -> Batch? {
    guard let cursor = queues[destination] else { return nil }
    // If removing damaged rows leaves nothing to send, search again.
    for _ in 0..<1000 {
      var search = BatchSearch(limit: Self.bounded(cursor.batchSize))
      var batch = try lateBatch(cursor, after: after, &search)
      if batch == nil { batch = try ordinaryBatch(cursor, after: after, &search) }
      try takeOut(search.damaged, from: destination, batch: batch)
      damaged += search.damaged
      let isWorthSending = batch.map { !$0.records.isEmpty } ?? false
      if search.damaged.isEmpty || (isWorthSending && !search.isAborted) { return batch }
    }
    return nil
  }

  static func bounded(_ size: Int) -> Int { min(max(size, 1), 10_000) }

  private func lateBatch(
    _ cursor: CursorRow, after: BatchPosition?, _ search: inout BatchSearch
  ) throws(DatabaseError) -> Batch? {
    let passed = after.flatMap { $0.isLate ? $0.through.rawValue : nil } ?? 0
    search.boundary = cursor.lateBoundary.flatMap { $0 > passed ? $0 : nil }
    let statement = try connection.statement(
      """
      SELECT \(RecordRow.columns) FROM late CROSS JOIN record USING (id) WHERE id > ? ORDER BY id
      """)
    var last = max(cursor.lateAcknowledged, passed)
    try statement.bind([.integer(last)])
    defer { statement.reset() }
    let events = queues.events(of: cursor.destination)
    while !search.isComplete, try statement.step() {
      let row = statement.values
      last = try requireOrder(row, after: last)
      search.take(row, isQueued: RecordRow.isSelected(row, by: events))
    }
    defer { search.startAgain() }
    guard let through = search.through else { return nil }
    var hasMore = search.hasMore
    if !hasMore {
      var probe = BatchSearch(limit: 1)
      hasMore = try ordinaryBatch(cursor, after: after, &probe) != nil
    }
    return Batch(
      records: search.records, through: RecordID(through),
      boundary: cursor.lateBoundary == through ? .stored : .missing, hasMore: hasMore, isLate: true)
  }

  /// Returns the id of a row that follows `last`. A row with a damaged id must not be taken for the record of that id,
  /// which would be removed instead of it: the log is salvaged.
  private func requireOrder(_ row: [ColumnValue], after last: Int64) throws(DatabaseError) -> Int64 {
    guard let id = row.first?.integer, id > last else {
      throw .damaged(path: connection.path, "the records are out of order after id \(last)")
    }
    return id
  }

  func ordinaryBatch(
    _ cursor: CursorRow, after: BatchPosition? = nil, _ search: inout BatchSearch
  ) throws(DatabaseError) -> Batch? {
    let inFlight = after.flatMap { $0.isLate ? nil : $0.through.rawValue } ?? 0
    search.boundary = cursor.boundary.flatMap { $0 > inFlight ? $0 : nil }
    var passed = max(cursor.acknowledged, queues.searchedThrough(cursor.destination), inFlight)
    let statement = try connection.statement(
      "SELECT \(RecordRow.columns) FROM record WHERE id > ? ORDER BY id")
    try statement.bind([.integer(passed)])
    defer { statement.reset() }
    let events = queues.events(of: cursor.destination)
    let from = RecordID(max(cursor.acknowledged, inFlight) + 1)
    var last = passed
    while !search.isComplete, try statement.step() {
      let row = statement.values
      last = try requireOrder(row, after: last)
      let isQueued = RecordRow.isMarkedAsQueued(row, with: events)
      search.take(row, isQueued: isQueued)
      if search.through == nil, let id = row.first?.integer { passed = id }
    }
    // A record that is not queued now never will be in this queue: when it is dated it becomes a late record.
    if inFlight == 0 { queues.recordSearch(of: cursor.destination, through: passed) }
    guard let through = search.through else { return nil }
    var batch = Batch(
      records: search.records, through: RecordID(through),
      boundary: search.isFull ? .counted : cursor.boundary == through ? .stored : .missing,
      hasMore: search.hasMore, isLate: false)
    batch.from = from
    return batch
  }

  /// Makes the batch boundary `through` durable, so that a retry sends the same batch.
  ///
  /// Call it for a batch whose boundary is missing, or to send a part of a batch.
  public func commitBatchBoundary(_ destination: String, through: RecordID, late: Bool) throws(DatabaseError)
  {
    guard var cursor = queues[destination] else { return }
    if late {
      guard through.rawValue > cursor.lateAcknowledged else { return }
      cursor.lateBoundary = through.rawValue
    } else {
      guard through.rawValue > cursor.acknowledged else { return }
      cursor.boundary = through.rawValue
    }
    try save(cursor)
  }

  /// Makes durable that the destination has acknowledged one of its queues up to an id. A cursor never moves back.
  ///
  /// `held` is a change of a held record that becomes durable in the same step.
  public func acknowledge(
    _ destination: String, through: RecordID, late: Bool, newBatchSize: Int?, held: HeldChange? = nil
  ) throws(DatabaseError) {
    guard var cursor = queues[destination] else { return }
    switch held {
    case .update(let record):
      return try connection.transaction { () throws(DatabaseError) in
        try save(.update(record), of: destination)
      }
    case .end(let id):
      return try connection.transaction { () throws(DatabaseError) in try save(.end(id), of: destination) }
    case .hold, nil: break
    }
    // Never beyond the last record, or future records would count as delivered.
    let through = min(through.rawValue, nextID - 1)
    if late {
      cursor.lateAcknowledged = max(cursor.lateAcknowledged, through)
      if let boundary = cursor.lateBoundary, boundary <= through { cursor.lateBoundary = nil }
    } else {
      if let count = queues.count(of: destination), through > cursor.acknowledged {
        let taken = try LogQueries.queued(connection, after: cursor.acknowledged, through: through)
        queues.recordCount(count - taken, of: destination)
      }
      cursor.acknowledged = max(cursor.acknowledged, through)
      if let boundary = cursor.boundary, boundary <= through { cursor.boundary = nil }
    }
    if let newBatchSize { cursor.batchSize = Self.bounded(newBatchSize) }
    do throws(DatabaseError) {
      try save(cursor, held)
    } catch {
      queues.forgetCount(of: destination)
      throw error
    }
  }

  /// Moves the cursor of a destination back, durably, so that the records after `id` are sent again, as far as they exist.
  /// Returns the first and the last of these ids; nil if the cursor is not beyond `id`.
  public func rewind(_ destination: String, to id: RecordID) throws(DatabaseError) -> ClosedRange<RecordID>? {
    guard var cursor = queues[destination], id.rawValue >= 0, id.rawValue < cursor.acknowledged else {
      return nil
    }
    let sent = RecordID(id.rawValue + 1)...RecordID(cursor.acknowledged)
    cursor.acknowledged = id.rawValue
    cursor.lateAcknowledged = min(cursor.lateAcknowledged, id.rawValue)
    (cursor.boundary, cursor.lateBoundary) = (nil, nil)
    queues.forgetCount(of: destination)
    queues.recordSearch(of: destination, through: 0)
    try save(cursor)
    // The held records after it are in the queue again.
    try endHeld(of: destination, after: id.rawValue)
    return sent
  }

  /// Discards the queue of a destination, durably, and returns the number of discarded records.
  ///
  /// Undated records of the log are excluded as well. All records stay in the log.
  public func drop(_ destination: String) throws(DatabaseError) -> Int {
    guard var cursor = queues[destination] else { return 0 }
    let count = try queued(cursor)
    cursor.acknowledged = max(cursor.acknowledged, nextID - 1)
    cursor.lateAcknowledged = max(cursor.lateAcknowledged, nextID - 1)
    (cursor.boundary, cursor.lateBoundary) = (nil, nil)
    queues.forgetCount(of: destination)
    try save(cursor)
    try endHeld(of: destination, after: 0)
    return count
  }

  /// Removes the cursor of a destination, durably, and returns the number of records in its queue.
  ///
  /// The records stay in the log. A destination that later has the same name starts as a new one.
  public func forget(_ destination: String) throws(DatabaseError) -> Int {
    guard let cursor = queues[destination] else { return 0 }
    let count = try queued(cursor)
    try connection.transaction { () throws(DatabaseError) in
      try connection.run("DELETE FROM cursor WHERE destination = ?", [.text(destination)])
      try connection.run("DELETE FROM held WHERE destination = ?", [.text(destination)])
    }
    queues.remove(destination)
    return count
  }

  func save(_ cursor: CursorRow, _ held: HeldChange? = nil) throws(DatabaseError) {
    var cursor = cursor
    cursor.version &+= 1
    try connection.transaction { () throws(DatabaseError) in
      try cursor.save(to: connection)
      if let held { try save(held, of: cursor.destination) }
    }
    queues.store(cursor)
  }
}
