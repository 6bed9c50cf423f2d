import Provisioning

/// A disk in memory that loses power: what was not flushed may be lost, torn or kept.
struct ModelDisk {
  /// A file: the content that programs see, and the content that survives a power cut for certain.
  private struct File {
    var seen: [UInt8]
    var durable: [UInt8]
  }

  /// A directory whose writes fail.
  var readOnly: Set<String> = []
  /// A directory whose file system is full until a file with content is removed from it.
  var full: Set<String> = []
  private var entries: [String: File] = [:]
  /// The entries after the last flush of their directory.
  private var durableNames: [String: File] = [:]
  private(set) var steps: [FileStep] = []

  init(_ files: [String: [UInt8]] = [:]) {
    for (path, bytes) in files { put(path, bytes) }
  }

  /// Writes a durable file, as a technician does.
  mutating func put(_ path: String, _ bytes: [UInt8]) {
    let file = File(seen: bytes, durable: bytes)
    (entries[path], durableNames[path]) = (file, file)
  }

  mutating func delete(_ path: String) { (entries[path], durableNames[path]) = (nil, nil) }

  subscript(path: String) -> [UInt8]? { entries[path]?.seen }

  func text(_ path: String) -> String? { self[path].map { String(decoding: $0, as: UTF8.self) } }

  var paths: [String] { entries.keys.sorted() }

  func names(in directory: String) -> [String] {
    entries.keys.filter { Self.directory($0) == directory }.map { String($0.dropFirst(directory.count + 1)) }
  }

  func read(_ path: String, limit: Int) throws(FileFault) -> [UInt8] {
    guard let file = entries[path] else { throw .absent }
    guard file.seen.count <= limit else { throw .tooLarge }
    return file.seen
  }

  mutating func perform(_ step: FileStep) throws(FileFault) {
    steps.append(step)
    switch step {
    case .makeDirectory: break
    case .write(let path, let bytes, _):
      try check(path)
      guard !full.contains(Self.directory(path)) else {
        entries[path] = File(seen: [], durable: [])
        throw .other(reason: "\(path): write: No space left on device")
      }
      entries[path] = File(seen: bytes, durable: entries[path]?.durable ?? [])
    case .erase(let path):
      try check(path)
      guard let file = entries[path] else { throw .absent }
      let zeros = [UInt8](repeating: 0, count: file.seen.count)
      set(path, File(seen: zeros, durable: zeros))
    case .sync(let path):
      guard var file = entries[path] else { throw .absent }
      file.durable = file.seen
      set(path, file)
    case .rename(let path, let target):
      try check(target)
      guard let file = entries.removeValue(forKey: path) else { throw .absent }
      entries[target] = file
    case .syncDirectory(let directory):
      let inside = { Self.directory($0) == directory }
      for path in durableNames.keys.filter(inside) where entries[path] == nil { durableNames[path] = nil }
      for (path, file) in entries where inside(path) { durableNames[path] = file }
    case .remove(let path):
      try check(path)
      if entries[path].map({ !$0.seen.isEmpty }) ?? false { full.remove(Self.directory(path)) }
      entries[path] = nil
    }
  }

  /// Performs a step that the power cut interrupts: nothing of it is flushed.
  mutating func begin(_ step: FileStep) {
    if case .erase(let path) = step, let file = entries[path] {
      set(path, File(seen: [UInt8](repeating: 0, count: file.seen.count), durable: file.durable))
    } else {
      try? perform(step)
    }
  }

  /// Cuts the power. Every file keeps its flushed content, a part of the newer one, or all of it. Every directory whose
  /// entries were not flushed has the old or the new ones. A boot partition can also lose or keep both names of a rename.
  mutating func cut(using random: inout some RandomNumberGenerator) {
    var survivors: [String: File] = [:]
    for path in Set(entries.keys).union(durableNames.keys).sorted() {
      let (old, new) = (durableNames[path], entries[path])
      guard var file = [old, new].randomElement(using: &random) ?? nil else { continue }
      if file.seen != file.durable {
        let length = Int.random(in: 0...file.seen.count, using: &random)
        file.seen =
          Bool.random(using: &random)
          ? Array(file.seen.prefix(length)) + file.durable.dropFirst(length)
          : Array(file.durable.prefix(length)) + file.seen.dropFirst(length)
      }
      file.durable = file.seen
      survivors[path] = file
    }
    // A rename within a directory is atomic on the file systems of Linux (rename(2)): the target is never missing.
    for path in durableNames.keys
    where survivors[path] == nil && entries[path] != nil && !path.hasPrefix("/boot") {
      survivors[path] = durableNames[path]
    }
    (entries, durableNames) = (survivors, survivors)
  }

  private mutating func set(_ path: String, _ file: File) {
    entries[path] = file
    if durableNames[path] != nil { durableNames[path] = file }
  }

  private func check(_ path: String) throws(FileFault) {
    let directory = Self.directory(path)
    if readOnly.contains(directory) { throw .readOnly(reason: "\(path): open: Read-only file system") }
  }

  private static func directory(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }
}

extension ModelDisk: CustomStringConvertible {
  var description: String { "disk with \(paths.joined(separator: ", "))" }
}
