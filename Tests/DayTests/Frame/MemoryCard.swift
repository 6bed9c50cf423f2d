import CSQLite
import Foundation
import Synchronization

/// A simulated memory card with a real log: SQLite writes to it through a file system layer that intercepts only the calls
/// that write (sqlite.org/vfs.html). Files of other directories are not affected.
final class MemoryCard: Sendable {
  struct Faults {
    /// Writes fail, as after the kernel has remounted a failing card read-only.
    var isReadOnly = false
    /// Files cannot grow.
    var isFull = false
    /// The number of writes before the card gets another fault, which then stays: deterministic faults of any write.
    var nextFault: (writesLeft: Int, fault: Fault)?
    /// The number of writes to the main file of the log, as checkpoints make them, before the power fails during the next one.
    var checkpointWritesLeft: Int?
  }

  enum Fault: Sendable, CaseIterable { case full, readOnly }

  /// The calls to the card.
  struct Tally {
    var flushes = 0
    var writes = 0
    var checkpointWrites = 0
    var powerFailed = false
  }

  private struct State {
    var faults = Faults()
    var tally = Tally()
  }

  let path: String
  private let state = Mutex(State())

  init() throws {
    path = NSTemporaryDirectory() + "outrider-day-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    CardFiles.insert(self)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Removes the card for good.
  func remove() { CardFiles.remove(path) }

  var database: String { path + "/outrider.db" }
  var tally: Tally { state.withLock { $0.tally } }

  var faults: Faults {
    get { state.withLock { $0.faults } }
    set { state.withLock { $0.faults = newValue } }
  }

  /// Restores the power.
  func repower() {
    state.withLock {
      $0.tally.powerFailed = false
      $0.faults.checkpointWritesLeft = nil
    }
  }

  fileprivate var refusesToOpen: Bool {
    state.withLock { $0.faults.isReadOnly || $0.tally.powerFailed }
  }

  /// Returns the number of `count` bytes at `offset` that are written, and the result.
  fileprivate func admits(_ count: Int32, at offset: Int64, size: Int64, isMain: Bool) -> (Int32, Int32) {
    state.withLock { state in
      if state.tally.powerFailed { return (0, SQLITE_IOERR) }
      state.tally.writes += 1
      if let (left, fault) = state.faults.nextFault {
        state.faults.nextFault = left > 0 ? (left - 1, fault) : nil
        if left == 0 {
          switch fault {
          case .full: state.faults.isFull = true
          case .readOnly: state.faults.isReadOnly = true
          }
        }
      }
      if state.faults.isReadOnly { return (0, SQLITE_READONLY) }
      if state.faults.isFull, offset + Int64(count) > size { return (0, SQLITE_FULL) }
      guard isMain else { return (count, SQLITE_OK) }
      state.tally.checkpointWrites += 1
      guard let left = state.faults.checkpointWritesLeft else { return (count, SQLITE_OK) }
      state.faults.checkpointWritesLeft = left - 1
      guard left <= 0 else { return (count, SQLITE_OK) }
      state.tally.powerFailed = true
      return (count / 2, SQLITE_IOERR)
    }
  }

  fileprivate func flushes() -> Bool {
    state.withLock { state in
      state.tally.flushes += 1
      return !state.tally.powerFailed && !state.faults.isReadOnly
    }
  }
}

/// The open files of all cards, and the layer between SQLite and them.
private enum CardFiles {
  /// Created once and never changed or freed.
  struct Calls: @unchecked Sendable {
    var table: UnsafePointer<sqlite3_io_methods>
  }

  struct Open: Sendable {
    var card: MemoryCard
    var isMain: Bool
    var usual: Calls
  }

  struct Table: Sendable {
    var cards: [String: Weak] = [:]
    /// By the address of the SQLite handle.
    var files: [Int: Open] = [:]
    /// By the address of the default methods.
    var layers: [Int: Calls] = [:]
  }

  struct Weak: Sendable { weak var card: MemoryCard? }

  static let table = Mutex(Table())

  static func insert(_ card: MemoryCard) {
    _ = layer
    table.withLock { $0.cards[card.path] = Weak(card: card) }
  }

  static func remove(_ path: String) { table.withLock { _ = $0.cards.removeValue(forKey: path) } }

  static func card(of file: String) -> MemoryCard? {
    guard let slash = file.lastIndex(of: "/") else { return nil }
    return table.withLock { $0.cards[String(file[..<slash])]?.card }
  }

  static func open(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Open? {
    let address = Int(bitPattern: file)
    return table.withLock { $0.files[address] }
  }

  /// Installs the default layer with another method to open files as the new default.
  static let layer: Bool = {
    guard let usual = sqlite3_vfs_find(nil) else { return false }
    let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    layer.initialize(to: usual.pointee)
    layer.pointee.pNext = nil
    layer.pointee.zName = UnsafePointer(strdup("outrider-card"))
    layer.pointee.xOpen = { layer, name, file, flags, outFlags in
      guard let usual = sqlite3_vfs_find("unix"), let open = usual.pointee.xOpen else {
        return SQLITE_CANTOPEN
      }
      let path = name.map { String(cString: $0) }
      let card = path.flatMap { CardFiles.card(of: $0) }
      if let card, card.refusesToOpen { return SQLITE_CANTOPEN }
      let code = open(usual, name, file, flags, outFlags)
      guard code == SQLITE_OK, let card, let file, let methods = file.pointee.pMethods else { return code }
      file.pointee.pMethods = CardFiles.watched(methods)
      let opened = Open(card: card, isMain: flags & SQLITE_OPEN_MAIN_DB != 0, usual: Calls(table: methods))
      let address = Int(bitPattern: file)
      CardFiles.table.withLock { $0.files[address] = opened }
      return code
    }
    return sqlite3_vfs_register(layer, 1) == SQLITE_OK
  }()

  /// The default methods, except those that write.
  static func watched(_ methods: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
    let address = Int(bitPattern: methods)
    if let known = table.withLock({ $0.layers[address] }) { return known.table }
    let layer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    layer.initialize(to: methods.pointee)
    layer.pointee.xClose = { file in
      guard let open = CardFiles.open(file), let close = open.usual.table.pointee.xClose else {
        return SQLITE_IOERR
      }
      let address = Int(bitPattern: file)
      CardFiles.table.withLock { _ = $0.files.removeValue(forKey: address) }
      return close(file)
    }
    layer.pointee.xWrite = { file, bytes, count, offset in
      guard let open = CardFiles.open(file), let write = open.usual.table.pointee.xWrite else {
        return SQLITE_IOERR
      }
      var size: Int64 = 0
      _ = open.usual.table.pointee.xFileSize?(file, &size)
      let (admitted, code) = open.card.admits(count, at: offset, size: size, isMain: open.isMain)
      guard admitted > 0 else { return code }
      let written = write(file, bytes, admitted, offset)
      return code == SQLITE_OK ? written : code
    }
    layer.pointee.xSync = { file, _ in
      // Written data is visible to all readers, so no test waits for the real disk.
      CardFiles.open(file)?.card.flushes() == true ? SQLITE_OK : SQLITE_IOERR
    }
    layer.pointee.xTruncate = { file, size in
      guard let open = CardFiles.open(file), let truncate = open.usual.table.pointee.xTruncate else {
        return SQLITE_IOERR
      }
      return open.card.refusesToOpen ? SQLITE_IOERR : truncate(file, size)
    }
    let calls = Calls(table: UnsafePointer(layer))
    table.withLock { $0.layers[address] = calls }
    return calls.table
  }
}
