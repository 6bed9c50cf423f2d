import Foundation
import Quantities
import TestSupport
import Testing

import Motion

/// The motion state by speed alone, scored on labelled recordings, and compared with the classifier that uses the
/// accelerometer, too.
///
/// The table was fitted on these recordings; `scripts/fit-speed --cross-validate` prints the figures for sources that
/// were excluded from the fit.
@Suite(
  .enabled(
    if: SharedRecordings.exists("motion") && SharedRecordings.exists("tracks"),
    "recordings are absent: put them in ../shared, or name their folder in OUTRIDER_SHARED"))
struct SpeedRecordingTests {
  @Test func theSpeedOfPhonesGivesTheMotionStateAlmostAsWellAsAnAccelerometer() throws {
    var (bySpeed, withAccelerometer) = (MotionScore(), MotionScore())
    for name in try names(in: "motion") where !name.hasPrefix("steps_") && !name.hasPrefix("hirate_") {
      guard let recording = try MotionRecording(name) else { continue }
      bySpeed.add(recording.statesBySpeed, to: recording.labels)
      withAccelerometer.add(recording.statesWithAccelerometer(), to: recording.labels)
    }
    print("motion recordings, speed alone:        \(bySpeed)")
    print("motion recordings, with accelerometer: \(withAccelerometer)")
    #expect(!bySpeed.values.isEmpty && bySpeed.values.keys == withAccelerometer.values.keys)
    #expect(bySpeed.macro > 0.85 && bySpeed.values.allSatisfy { $0.value > 0.77 })
    #expect(withAccelerometer.macro > 0.88)
  }

  @Test func theMotionStateOfTracksIsDetected() throws {
    var score = MotionScore()
    for name in try names(in: "tracks") {
      let track = try LabelledTrack(name)
      score.add(track.words, to: track.labels, seconds: track.seconds, includesStationary: false)
    }
    print("tracks, speed alone: \(score)")
    #expect(score.macro > 0.68)
    for (activity, least) in [("walking", 0.83), ("running", 0.4), ("cycling", 0.6), ("driving", 0.85)] {
      #expect(score.values[activity] ?? 0 > least, "\(activity)")
    }
  }

  private func names(in folder: String) throws -> [String] {
    let url = try #require(SharedRecordings.folder).appendingPathComponent(folder)
    return try FileManager.default.contentsOfDirectory(atPath: url.path).filter { $0.hasSuffix(".csv.gz") }
      .sorted()
  }
}

/// Rows of comma-separated numbers and one label.
private struct RecordingTable {
  let names: [String]
  private let rows: [ArraySlice<UInt8>]

  init(_ path: String) throws {
    let lines = [UInt8](try SharedRecordings.contents(of: path)).split(separator: UInt8(ascii: "\n"))
    names =
      lines.first.map { String(decoding: $0, as: UTF8.self).split(separator: ",").map(String.init) } ?? []
    rows = Array(lines.dropFirst())
  }

  /// Calls `body` with the cells of every row, in the order of the names.
  func forEach(_ body: ([ArraySlice<UInt8>]) -> Void) {
    for row in rows { body(row.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false)) }
  }

  static func number(_ cell: ArraySlice<UInt8>) -> Double? { Double(String(decoding: cell, as: UTF8.self)) }
  static func text(_ cell: ArraySlice<UInt8>) -> String {
    String(decoding: cell.filter { $0 != UInt8(ascii: "\r") }, as: UTF8.self)
  }
}

/// A phone's accelerometer and ground speed; nil for a recording without a speed.
private struct MotionRecording {
  /// One entry per second, by its first sample.
  private(set) var labels: [String] = []
  private(set) var statesBySpeed: [MotionStates?] = []
  private var samples: [(time: Double, vector: SIMD3<Float>, speed: Double?)] = []
  private var isFirst: [Int] = []

  init?(_ name: String) throws {
    let table = try RecordingTable("motion/\(name)")
    guard let speedColumn = table.names.firstIndex(of: "speed_mps"),
      let labelColumn = table.names.firstIndex(of: "label")
    else { return nil }
    var (second, classifier) = (-1, SpeedClassifier())
    var (labels, words, samples, firsts):
      ([String], [MotionStates?], [(Double, SIMD3<Float>, Double?)], [Int]) =
        ([], [], [], [])
    table.forEach { cells in
      guard cells.count == table.names.count, let time = RecordingTable.number(cells[0]) else { return }
      let axes = cells[1...3].map { Float(RecordingTable.number($0) ?? 0) }
      let speed = RecordingTable.number(cells[speedColumn])
      samples.append((time, SIMD3(axes[0], axes[1], axes[2]), speed))
      guard Int(time) != second else { return }
      second = Int(time)
      firsts.append(second)
      labels.append(RecordingTable.text(cells[labelColumn]))
      let moment = Moment(nanoseconds: Int64(time * 1e9))
      classifier.take(speed: speed, accuracy: nil, at: moment)
      words.append(speed == nil ? nil : classifier.answer(at: moment)?.states)
    }
    (self.labels, statesBySpeed, self.samples, isFirst) = (labels, words, samples, firsts)
  }

  /// The results with the accelerometer, for the seconds for which ``statesBySpeed`` has a result.
  func statesWithAccelerometer() -> [MotionStates?] {
    guard let first = samples.first, let last = samples.last, samples.count > 1 else { return [] }
    let rate = Double(samples.count - 1) / (last.time - first.time)
    var classifier = MotionClassifier()
    var reported: [Int: MotionStates] = [:]
    func record(_ answer: MotionAnswer) {
      reported[Int(answer.second.nanoseconds / 1_000_000_000)] = answer.states
    }
    for sample in samples {
      let moment = Moment(nanoseconds: Int64(sample.time * 1e9))
      if let speed = sample.speed { classifier.take(SpeedReading(speed: Float(speed), at: moment)) }
      classifier.take(CollectionOfOne(sample.vector), first: moment, rate: rate, record)
    }
    classifier.finish(record)
    return zip(isFirst, statesBySpeed).map { $1 == nil ? nil : reported[$0] ?? [] }
  }
}

/// A day or a trip of positions; the speed is the distance from the fix at least four seconds before.
private struct LabelledTrack {
  private(set) var labels: [String] = []
  private(set) var words: [MotionStates?] = []
  /// The seconds since the previous speed, at most five.
  private(set) var seconds: [Double] = []

  init(_ name: String) throws {
    let table = try RecordingTable("tracks/\(name)")
    var fixes: [(time: Double, coordinate: Coordinate)] = []
    var labels: [String] = []
    table.forEach { cells in
      guard cells.count >= 5, let time = RecordingTable.number(cells[0]),
        let latitude = RecordingTable.number(cells[1]), let longitude = RecordingTable.number(cells[2]),
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { return }
      fixes.append((time, coordinate))
      labels.append(RecordingTable.text(cells[4]))
    }
    var classifier = SpeedClassifier()
    let start = fixes.first?.time ?? 0
    var last: Double?
    for (index, fix) in fixes.enumerated() {
      var before = index
      while before > 0, fix.time - fixes[before].time < 4 { before -= 1 }
      let pause = fix.time - fixes[before].time
      let speed =
        (4...12).contains(pause) ? fixes[before].coordinate.distance(to: fix.coordinate) / pause : nil
      let moment = Moment(nanoseconds: Int64((fix.time - start) * 1e9))
      classifier.take(speed: speed, accuracy: nil, at: moment)
      words.append(speed == nil ? nil : classifier.answer(at: moment)?.states)
      seconds.append(min(last.map { fix.time - $0 } ?? 5, 5))
      if speed != nil { last = fix.time }
    }
    self.labels = labels
  }
}

/// The F1 score of every activity and their mean. Either of two true labels is correct, and the first word counts.
private struct MotionScore: CustomStringConvertible {
  private var right: [String: Double] = [:]
  private var wrong: [String: Double] = [:]
  private var missed: [String: Double] = [:]

  private static let activities = MotionStates.words.map { "\($0.word)" }

  /// `includesStationary` is false for labels without stationary: a result of stationary alone is then ignored.
  mutating func add(
    _ words: [MotionStates?], to labels: [String], seconds: [Double]? = nil, includesStationary: Bool = true
  ) {
    for index in words.indices {
      let truth = labels[index].split(separator: ";").map(String.init)
      guard let states = words[index], let actual = truth.first, Self.activities.contains(actual) else {
        continue
      }
      if !includesStationary, states == .stationary { continue }
      let time = seconds?[index] ?? 1
      let first = MotionStates.words.first { states.contains($0.state) }.map { "\($0.word)" }
      if let first, truth.contains(first) {
        right[first, default: 0] += time
      } else {
        missed[actual, default: 0] += time
        if let first { wrong[first, default: 0] += time }
      }
    }
  }

  var values: [String: Double] {
    var values: [String: Double] = [:]
    for activity in Self.activities {
      let (hits, misses) = (right[activity] ?? 0, missed[activity] ?? 0)
      guard hits + misses > 0 else { continue }
      values[activity] = 2 * hits / (2 * hits + misses + (wrong[activity] ?? 0))
    }
    return values
  }

  var macro: Double { values.values.reduce(0, +) / Double(max(values.count, 1)) }

  var description: String {
    let rows = Self.activities.compactMap { name in
      values[name].map { "\(name) \(String(format: "%.3f", $0))" }
    }
    return rows.joined(separator: ", ") + ", macro-F1 " + String(format: "%.3f", macro)
  }
}
