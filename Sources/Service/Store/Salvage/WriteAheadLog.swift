/// SQLite's write-ahead log, read without SQLite (sqlite.org/fileformat2.html, section 4).
///
/// SQLite accepts the frames before the first one with a wrong checksum and silently discards the rest. That is correct
/// after a torn write, but after a flipped bit it loses later commits.
struct WriteAheadLog {
  static let headerSize = 32
  static let frameHeaderSize = 24
  static let frameSize = frameHeaderSize + LogSchema.pageSize

  /// Number of frames up to the last commit that SQLite will accept.
  private(set) var validFrames = 0
  /// Number of frames in the file.
  let frameCount: Int
  /// The generation of the log. It changes whenever the log is restarted from its beginning.
  private(set) var salts: [UInt8] = []
  /// Number of commits of the same generation after the first frame with a wrong checksum.
  private(set) var lostCommits = 0

  init(_ file: PagedFile) {
    frameCount = max(0, file.size - Self.headerSize) / Self.frameSize
    var header = [UInt8](repeating: 0, count: Self.headerSize)
    guard file.read(into: &header, at: 0) else { return }
    let magic = header.bigEndian32(at: 0)
    var sum = RunningSum(isBigEndian: magic & 1 == 1)
    sum.add(header[..<24])
    let isTrusted = magic & ~1 == 0x377F_0682 && sum.fits(header, at: 24)
    let salts = header[16..<24]
    self.salts = Array(salts)
    var isWhole = isTrusted
    var frame = [UInt8](repeating: 0, count: Self.frameSize)
    for index in 0..<frameCount {
      guard file.read(into: &frame, at: Self.headerSize + index * Self.frameSize) else {
        isWhole = false
        continue
      }
      let isCommit = frame.bigEndian32(at: 4) != 0
      let isOfThisGeneration = frame[8..<16].elementsEqual(salts)
      if isWhole {
        sum.add(frame[..<8])
        sum.add(frame[Self.frameHeaderSize...])
        isWhole = isOfThisGeneration && sum.fits(frame, at: 16)
      }
      if isWhole, isCommit { validFrames = index + 1 }
      if !isWhole, isCommit, isOfThisGeneration { lostCommits += 1 }
    }
    // A damaged header makes SQLite discard the whole log.
    if !isTrusted, frameCount > 0 { lostCommits = max(lostCommits, 2) }
  }

  /// True if the log was damaged after it was written.
  ///
  /// One commit after the end is a torn write of an unconfirmed commit. Further commits show damage, because each one
  /// started after the one before was durable.
  var isDamaged: Bool { lostCommits > 1 }

  static func pageOffset(ofFrame index: Int) -> Int { headerSize + index * frameSize + frameHeaderSize }
}

/// The index of the write-ahead log, `outrider.db-shm` (sqlite.org/walformat.html, section 2).
///
/// It is written after its frames are durable, so it never contains more frames than existed. Within one boot it is
/// exact; after a power cut it may be older than the log.
struct WriteAheadLogIndex {
  /// The frame of the last commit.
  private(set) var lastFrame = 0
  /// Number of frames from the start that are durable in the database itself.
  private(set) var playedFrames = 0
  private(set) var salts: [UInt8] = []

  private static let headerSize = 48
  private static let version: UInt32 = 3_007_000

  /// Reads the index of a log; nil if it does not exist or is incomplete.
  init?(_ path: String) {
    guard let file = PagedFile(path) else { return nil }
    var bytes = [UInt8](repeating: 0, count: 2 * Self.headerSize + 8)
    guard file.size >= bytes.count, file.read(into: &bytes, at: 0),
      bytes[..<Self.headerSize].elementsEqual(bytes[Self.headerSize..<(2 * Self.headerSize)])
    else { return nil }
    // The index uses the host's byte order, and so does its checksum.
    let isBigEndian = Int(1).bigEndian == 1
    func word(_ offset: Int) -> UInt32 {
      isBigEndian ? bytes.bigEndian32(at: offset) : bytes.bigEndian32(at: offset).byteSwapped
    }
    var sum = RunningSum(isBigEndian: isBigEndian)
    sum.add(bytes[..<40])
    guard word(0) == Self.version, bytes[12] == 1, sum.first == word(40), sum.second == word(44) else {
      return nil
    }
    lastFrame = Int(word(16))
    salts = Array(bytes[32..<40])
    playedFrames = Int(word(96))
  }
}

/// The lost part of a write-ahead log, according to its index and the database.
struct WriteAheadLogLoss: Equatable {
  /// Number of pages that are in the index but in no file.
  var pages: Int
  /// Number of pages in the index.
  var outOf: Int
  /// True if the write-ahead log does not exist.
  var isGone: Bool

  /// The loss; nil if nothing is lost. `isSameBoot` is true if the index was written in the current boot.
  static func find(isSameBoot: Bool, evidence: Evidence) -> WriteAheadLogLoss? {
    guard let index = evidence.index, index.lastFrame > index.playedFrames else { return nil }
    let isOfIndex = evidence.salts == index.salts
    guard isOfIndex || isSameBoot else { return nil }
    let present = max(index.playedFrames, isOfIndex ? evidence.validFrames : 0)
    guard present < index.lastFrame else { return nil }
    return WriteAheadLogLoss(
      pages: index.lastFrame - present, outOf: index.lastFrame, isGone: evidence.isGone)
  }

  /// The state of the files before SQLite opens them, which recreates the index.
  struct Evidence {
    var index: WriteAheadLogIndex?
    var isGone: Bool
    var validFrames = 0
    var salts: [UInt8] = []

    init(_ directory: StorageDirectory, log: WriteAheadLog?) {
      index = WriteAheadLogIndex(directory.sharedMemory)
      isGone = log == nil && !directory.exists(directory.writeAheadLog)
      validFrames = log?.validFrames ?? 0
      salts = log?.salts ?? []
    }
  }
}

/// The checksum of the write-ahead log: two sums over pairs of 32-bit words.
private struct RunningSum {
  let isBigEndian: Bool
  var first: UInt32 = 0
  var second: UInt32 = 0

  init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

  mutating func add(_ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { buffer in
      for offset in stride(from: 0, to: buffer.count - 7, by: 8) {
        first &+= word(buffer, offset) &+ second
        second &+= word(buffer, offset + 4) &+ first
      }
    }
  }

  private func word(_ buffer: UnsafeRawBufferPointer, _ offset: Int) -> UInt32 {
    let word = buffer.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
    return isBigEndian ? UInt32(bigEndian: word) : UInt32(littleEndian: word)
  }

  func fits(_ bytes: [UInt8], at offset: Int) -> Bool {
    first == bytes.bigEndian32(at: offset) && second == bytes.bigEndian32(at: offset + 4)
  }
}

extension [UInt8] {
  /// Four bytes at an offset within bounds, as a big-endian number.
  func bigEndian32(at offset: Int) -> UInt32 {
    UInt32(self[offset]) << 24 | UInt32(self[offset + 1]) << 16 | UInt32(self[offset + 2]) << 8
      | UInt32(self[offset + 3])
  }
}
