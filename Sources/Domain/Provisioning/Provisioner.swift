import Settings

/// Applies a file of the boot partition: validates it, installs the configuration and replaces the file by a copy without
/// secrets.
///
/// The file is removed only after the new configuration is durable. After a power cut at any step, the next start finds
/// either the file or the new configuration, and repeats the rest. Repeating does no harm.
public struct Provisioner<System: ProvisioningSystem> {
  public private(set) var system: System

  public init(_ system: System) { self.system = system }

  /// The result for the exit status.
  public enum Outcome: Equatable, Sendable {
    case nothingToDo, applied, failed
    /// The download failed for a reason that can pass. The file is still there for the next attempt.
    case postponed
  }

  /// Applies the file of the first directory that has one.
  public mutating func run() -> Outcome {
    let record = (try? system.read(ProvisionRecord.path, limit: ProvisionRecord.largest)).flatMap {
      ProvisionRecord(json: $0)
    }
    for directory in BootFile.directories {
      let findings = BootFindings(names: system.names(in: directory))
      if findings.isEmpty { continue }
      do throws(BootFault) {
        return try apply(findings, in: directory, record)
      } catch {
        fail(error, in: directory)
        return .failed
      }
    }
    // A power cut after the removal may have left the record behind.
    if let record, !record.isRemoved { markRemoved(record) }
    return .nothingToDo
  }

  // MARK: One directory

  /// A file of the boot partition.
  private struct Finding {
    var file: BootFile
    var path: String
    var content: [UInt8]
  }

  private mutating func apply(
    _ findings: BootFindings, in directory: String, _ record: ProvisionRecord?
  ) throws(BootFault) -> Outcome {
    var fresh: [Finding] = []
    var left: [Finding] = []
    for file in BootFile.allCases {
      guard let name = findings.files[file] else { continue }
      let finding = try read(file, "\(directory)/\(name)")
      let isKnown = record.map { $0.file == file.rawValue && !$0.isRemoved } ?? false
      if isKnown, record?.digest == system.digest(finding.content) || Self.isErased(finding.content) {
        left.append(finding)
      } else {
        fresh.append(finding)
      }
    }
    for finding in left { clear(finding, in: directory, record) }
    if fresh.count > 1 { throw .twoFiles(fresh[0].path, fresh[1].path) }
    if let finding = fresh.first { return try apply(finding, in: directory) }
    guard left.isEmpty else { return .nothingToDo }
    guard let (name, meant) = findings.mistaken.min(by: { $0.key < $1.key }) else { return .nothingToDo }
    throw .mistakenName(path: "\(directory)/\(name)", meant: meant)
  }

  private func read(_ file: BootFile, _ path: String) throws(BootFault) -> Finding {
    do throws(FileFault) {
      return Finding(file: file, path: path, content: try system.read(path, limit: BootFile.largest))
    } catch {
      switch error {
      case .tooLarge: throw .tooLarge(path: path)
      case .notAFile: throw .notAFile(path: path)
      case .absent, .readOnly, .other: throw .unreadable(path: path, reason: error.reason)
      }
    }
  }

  /// True for the remains of a file that was being overwritten when the power was cut: empty, or with zeros at one end or
  /// in a run. UTF-16 has single zeros.
  private static func isErased(_ content: [UInt8]) -> Bool {
    let remainder = content.drop { $0 == 0 }
    let middle = remainder.prefix(upTo: (remainder.lastIndex { $0 != 0 } ?? remainder.startIndex - 1) + 1)
    if middle.isEmpty { return true }
    var run = 0
    var longest = 0
    for byte in middle {
      run = byte == 0 ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest >= 16 || longest == 0 && middle.count < content.count
  }

  private mutating func apply(_ finding: Finding, in directory: String) throws(BootFault) -> Outcome {
    let text = try BootText(finding.content, path: finding.path)
    let target: String
    var copy: [UInt8]
    var board: String?
    switch finding.file {
    case .configuration:
      let configuration = try BootConfiguration(text, name: finding.path, identity: system.identity)
      target = try install(configuration)
      copy = BootConfiguration.applied(text.bytes, name: finding.path, time: system.time, target: target)
      board = configuration.appliesBoard ? configuration.board : nil
    case .address:
      let address = try BootAddress(text, path: finding.path)
      switch address {
      case .setup(let url): target = try setUp(url, finding.path)
      case .download(let endpoint):
        guard let configuration = try download(endpoint, finding.path) else { return .postponed }
        target = try install(configuration)
        board = configuration.appliesBoard ? configuration.board : nil
      }
      copy = address.applied(time: system.time, target: target)
    }
    system.report("\(finding.path): applied as \(target)")
    let failure = board.flatMap { setUpBoard($0, besides: target) }
    var record = ProvisionRecord(
      file: finding.file.rawValue, digest: system.digest(finding.content), time: system.time, target: target)
    remember(record)
    if replace(finding, by: copy, in: directory) {
      record.isRemoved = true
      remember(record)
    }
    if let failure { throw failure }
    removeErrorPage(in: directory)
    return .applied
  }

  /// Sets up a board. A relative path counts from the directory of the configuration.
  private mutating func setUpBoard(_ name: String, besides target: String) -> BootFault? {
    let isRelative = name.contains("/") && !name.hasPrefix("/")
    switch system.setUpBoard(isRelative ? "\(target.directory)/\(name)" : name) {
    case .done(let line):
      system.report("board \(name): \(line)")
      return nil
    case .failed(let reason): return .board(name: name, reason: reason)
    }
  }

  // MARK: Configuration

  /// Validates and writes a configuration, and returns its path.
  private mutating func install(_ configuration: BootConfiguration) throws(BootFault) -> String {
    let location = ConfigurationLocation(system.mounts)
    do throws(InvalidConfiguration) {
      let warnings = try system.check(configuration.installed, for: location.target)
      warnings.forEach(system.report)
    } catch {
      throw .invalid(error.lines)
    }
    try write(configuration.installed.bytes, location)
    return location.target
  }

  private mutating func write(_ bytes: [UInt8], _ location: ConfigurationLocation) throws(BootFault) {
    do throws(FileFault) {
      try perform(.replacing(location.target, with: bytes, .configuration))
    } catch {
      throw .notWritten(path: location.target, reason: error.reason)
    }
    // A file in /var/lib from the time of a read-only root would precede again with the next one.
    guard location.target == ConfigurationLocation.usual, exists(ConfigurationLocation.lasting) else {
      return
    }
    do throws(FileFault) {
      try perform([
        .rename(ConfigurationLocation.lasting, to: ConfigurationLocation.lasting + ".old"),
        .syncDirectory(ConfigurationLocation.lasting.directory),
      ])
    } catch {
      system.report("\(ConfigurationLocation.lasting): cannot be renamed (\(error.reason)); remove it")
    }
  }

  private func exists(_ path: String) -> Bool {
    do throws(FileFault) {
      _ = try system.read(path, limit: 1 << 20)
      return true
    } catch {
      return error != .absent
    }
  }

  /// Applies a setup URL, and returns the path of the configuration. Without a configuration, a short one is written.
  private mutating func setUp(_ given: SetupURL, _ path: String) throws(BootFault) -> String {
    let location = ConfigurationLocation(system.mounts)
    var url = given
    if let name = url.deviceID {
      url.deviceID = try system.identity.substituted(name, at: "\(path): device_id")
    }
    if [url.url?.text, url.token?.revealed].contains(where: {
      $0.map(BootConfiguration.isPlaceholder) ?? false
    }) {
      throw .placeholder(location: path)
    }
    let existing = location.search.first(where: exists)
    if existing == nil {
      let draft = ConfigurationDraft(url, system.hardware)
      if draft.board == nil {
        system.report(
          "\(location.target): no receiver was detected; add board or receiver.port, then restart outrider")
      }
      if url.url == nil {
        system.report(
          "\(path): the setup URL contains no url, so no server is configured and nothing is sent")
      }
      let text = draft.text(comment: "Written by Outrider from the setup URL in \(path).")
      let source = SourceText(name: location.target, bytes: Array(text.utf8))
      do throws(InvalidConfiguration) { _ = try system.check(source, for: location.target) } catch {
        throw .invalid(error.lines)
      }
      try write(source.bytes, location)
    }
    // The settings are stored beside the log. If the directory cannot be created, applying reports it.
    _ = try? system.perform(.makeDirectory(ConfigurationLocation.lasting.directory))
    do throws(InvalidConfiguration) {
      let lines = try system.apply(url, to: existing ?? location.target, isNew: existing == nil)
      lines.forEach(system.report)
    } catch {
      throw .invalid(error.lines)
    }
    return existing ?? location.target
  }

  /// Downloads a configuration; nil, after a line in the journal, if a later attempt can succeed.
  private mutating func download(_ endpoint: Endpoint, _ path: String) throws(BootFault) -> BootConfiguration?
  {
    switch system.download(endpoint, limit: BootFile.largest) {
    case .content(let bytes):
      return try BootConfiguration(
        BootText(bytes, path: "\(endpoint)"), name: "\(endpoint)", identity: system.identity)
    case .tooLarge: throw .tooLarge(path: "\(endpoint)")
    case .rejected(let status):
      // The server may succeed later after these (RFC 9110).
      if [408, 425, 429].contains(status) || status >= 500 {
        system.report("\(path): \(endpoint) returned HTTP status \(status); tried again later")
        return nil
      }
      throw .rejectedByServer(path: path, server: "\(endpoint)", status: status)
    case .unreachable(let reason):
      system.report("\(path): \(reason); tried again later")
      return nil
    }
  }

  // MARK: Boot partition

  /// Replaces an applied file by its copy. Returns false, after a line in the journal, if the file is still there.
  private mutating func replace(_ finding: Finding, by copy: [UInt8], in directory: String) -> Bool {
    let name = "\(directory)/\(finding.file.appliedName)"
    let isWritten = (try? perform(.writingInPlace(name, copy))) != nil
    let isErased = erase(finding.path)
    guard !isWritten else { return isErased }
    // On a full partition, the removed file has made room.
    do throws(FileFault) {
      try perform(.writingInPlace(name, copy))
    } catch {
      system.report("\(name): not written (\(error.reason))")
      _ = try? perform([.remove(name), .syncDirectory(directory)])
    }
    return isErased
  }

  private mutating func erase(_ path: String) -> Bool {
    do throws(FileFault) {
      try perform(.erasing(path))
      return true
    } catch {
      let consequence = "it is applied already, and not applied again; everybody can read its secrets"
      switch error {
      case .readOnly:
        system.report("\(path): not removed, because the boot partition is read-only; \(consequence)")
      case .absent, .tooLarge, .notAFile, .other:
        system.report("\(path): not removed (\(error.reason)); \(consequence)")
      }
      return false
    }
  }

  /// Removes a file that was applied at an earlier start.
  private mutating func clear(_ finding: Finding, in directory: String, _ record: ProvisionRecord?) {
    let target = record?.target ?? ConfigurationLocation.usual
    let name = "\(directory)/\(finding.file.appliedName)"
    if !Self.isErased(finding.content), let text = try? BootText(finding.content, path: finding.path) {
      let copy: [UInt8]? =
        switch finding.file {
        case .configuration:
          BootConfiguration.applied(
            text.bytes, name: finding.path, time: record?.time ?? system.time, target: target)
        case .address:
          (try? BootAddress(text, path: finding.path))?.applied(
            time: record?.time ?? system.time, target: target)
        }
      if let copy { _ = try? perform(.writingInPlace(name, copy)) }
    }
    if erase(finding.path), let record { markRemoved(record) }
  }

  private mutating func markRemoved(_ record: ProvisionRecord) {
    var record = record
    record.isRemoved = true
    remember(record)
  }

  private mutating func remember(_ record: ProvisionRecord) {
    do throws(FileFault) {
      try perform(.replacing(ProvisionRecord.path, with: record.json, .state))
    } catch {
      system.report("\(ProvisionRecord.path): not written (\(error.reason)); check the storage medium")
    }
  }

  private mutating func fail(_ fault: BootFault, in directory: String) {
    system.report("\(fault)")
    let path = "\(directory)/\(BootFile.errorName)"
    let page = Array(fault.page.utf8)
    // An unchanged page is not written at every start, which would wear the card.
    if let present = try? system.read(path, limit: BootFile.largest), present == page { return }
    do throws(FileFault) {
      try perform(.writingInPlace(path, page))
    } catch {
      system.report("\(path): not written (\(error.reason))")
      // An empty page would explain nothing.
      _ = try? perform([.remove(path), .syncDirectory(directory)])
    }
  }

  private mutating func removeErrorPage(in directory: String) {
    let path = "\(directory)/\(BootFile.errorName)"
    guard exists(path) else { return }
    do throws(FileFault) {
      try perform([.remove(path), .syncDirectory(directory)])
    } catch {
      system.report("\(path): not removed (\(error.reason))")
    }
  }

  private mutating func perform(_ steps: [FileStep]) throws(FileFault) {
    do throws(FileFault) {
      for step in steps { try system.perform(step) }
    } catch {
      for step in steps.afterFailure { _ = try? system.perform(step) }
      throw error
    }
  }
}
