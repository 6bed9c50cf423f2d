import Foundation
import Records
import Settings
import Store
import TestSupport
import Testing
import TextSnapshots

@testable import Daemon

/// A destination that writes the records into hourly files of a directory.
@Suite struct FileDestinationTests {
  static func configuration(_ bench: HTTPBench, directory: String) throws -> Configuration {
    try Configuration.read(
      board: nil, file: nil,
      overrides: [
        "storage.directory=\(bench.directory)/log", "storage.allow_volatile=true", "api.enabled=false",
        "send_interval=1s",
        "destinations=[{ name: \"local\", kind: \"file\", directory: \"\(directory)\", file_format: \"both\" }]",
      ], fallbacks: Fallbacks(deviceID: "van", apiSocket: "/nowhere"))
  }

  @Test func everyRecordIsOnceInTheFileOfItsHour() throws {
    let bench = try HTTPBench.simulated()
    let count = 9000
    LoggerTests.fill(bench, count: count)
    let directory = bench.directory + "/tracks"
    let logger = try Logger(
      loop: bench.loop, configuration: try Self.configuration(bench, directory: directory),
      journal: LoggerTests.quiet)
    logger.start()
    #expect(
      try bench.run(for: .seconds(60)) {
        logger.status.destinations.first.map { $0.delivered >= count } ?? false
      })
    logger.stop()
    let names = try FileManager.default.contentsOfDirectory(atPath: directory).sorted()
    let hours = Set((0..<count).compactMap { location($0).time?.iso8601().prefix(13) })
    #expect(names == hours.flatMap { ["\($0).geojson", "\($0).gpx"] }.sorted())
    var times: [String] = []
    for name in names where name.hasSuffix("geojson") {
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(directory)/\(name)"))
      let object = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
      #expect(object["type"] as? String == "FeatureCollection")
      let features = try #require(object["features"] as? [[String: Any]])
      times += features.compactMap { ($0["properties"] as? [String: Any])?["timestamp"] as? String }
    }
    #expect(times == (0..<count).compactMap { location($0).time?.iso8601() })
  }

  @Test func aFileOfAnotherProgramIsLeftUnchanged() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let directory = bench.directory + "/tracks"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let time = try #require(location(0).time)
    let hour = time.iso8601().prefix(13)
    let path = "\(directory)/\(hour).gpx"
    try "<gpx>\n<wpt lat='1' lon='2'/>\n</gpx>\n".write(toFile: path, atomically: true, encoding: .utf8)
    let logger = try Logger(
      loop: bench.loop, configuration: try Self.configuration(bench, directory: directory),
      journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.destinations.first?.delivered == 3 })
    logger.stop()
    #expect(try String(contentsOfFile: path, encoding: .utf8).contains("lat='1'"))
    let own = try String(contentsOfFile: "\(directory)/\(hour)-2.gpx", encoding: .utf8)
    #expect(own.split(separator: "<trkpt ").count == 4 && own.hasSuffix("</gpx>\n"))
  }

  @Test func aTrackIsInterruptedByAGapAndByARestartAndNotByTheEndOfABatch() throws {
    let bench = try HTTPBench.simulated()
    let directory = bench.directory + "/tracks"
    func write(_ total: Int) throws {
      let logger = try Logger(
        loop: bench.loop, configuration: try Self.configuration(bench, directory: directory),
        journal: LoggerTests.quiet)
      logger.start()
      #expect(try bench.run { logger.supervision.isReady })
      // Two batches in one run.
      logger.tracking.outputs.execute(
        (total..<(total + 5)).map { .keep(location($0), .routine) }, bench.loop.now)
      logger.log.commit(now: bench.loop.now)
      #expect(try bench.run { logger.log.recordsWaiting == 0 })
      logger.delivery.pipelines["local"]?.delivery?.sendNow()
      #expect(
        try bench.run {
          (try? LogReader(directory: bench.directory + "/log").status().destinations.first?.queued) == 0
        })
      logger.stop()
    }
    LoggerTests.fill(bench, 0..<10)
    LoggerTests.fill(bench, 610..<620)
    try write(620)
    try write(625)
    let time = try #require(location(0).time)
    let text = try String(contentsOfFile: "\(directory)/\(time.iso8601().prefix(13)).gpx", encoding: .utf8)
    let segments = text.components(separatedBy: "<trkseg>").dropFirst()
    #expect(segments.map { $0.components(separatedBy: "<trkpt ").count - 1 } == [10, 15, 5])
  }

  @Test func theUniqueIDIsInTheFilesToo() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    let directory = bench.directory + "/tracks"
    var configuration = try Self.configuration(bench, directory: directory)
    configuration.sendsUniqueID = true
    let logger = try Logger(loop: bench.loop, configuration: configuration, journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.destinations.first?.delivered == 3 })
    logger.stop()
    let time = try #require(location(0).time)
    let hour = time.iso8601().prefix(13)
    let text = try String(contentsOfFile: "\(directory)/\(hour).geojson", encoding: .utf8)
    #expect(text.split(separator: #""unique_id":""#).count == 4)
  }

  @Test func aDirectoryThatCannotBeWrittenKeepsTheRecords() throws {
    let bench = try HTTPBench.simulated()
    LoggerTests.fill(bench, count: 3)
    try "".write(toFile: bench.directory + "/file", atomically: true, encoding: .utf8)
    let logger = try Logger(
      loop: bench.loop,
      configuration: try Self.configuration(bench, directory: bench.directory + "/file/tracks"),
      journal: LoggerTests.quiet)
    logger.start()
    #expect(try bench.run { logger.status.destinations.first?.trouble != nil })
    let trouble = try #require(logger.status.destinations.first?.trouble)
      .replacing(bench.directory, with: "DIRECTORY")
    #expect(
      trouble == TextSnapshot("daemon").expected("directory of a destination that cannot be written", trouble)
    )
    try FileManager.default.removeItem(atPath: bench.directory + "/file")
    #expect(try bench.run(for: .seconds(60)) { logger.status.destinations.first?.delivered == 3 })
    logger.stop()
  }
}
