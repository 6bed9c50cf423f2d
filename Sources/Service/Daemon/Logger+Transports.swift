import LoggerConfiguration
import Formats
import MQTTClient
import Records
import Settings
import Store
import System
import Tracking
import Uplink

extension Logger {
  /// The transport to a destination.
  func transport(for destination: DestinationSettings) -> any BatchTransport {
    throughRadio(plainTransport(for: destination), to: destination)
  }

  private func plainTransport(for destination: DestinationSettings) -> any BatchTransport {
    switch destination.form {
    case .owntracks where destination.url.isBroker:
      return MQTTTransport(
        MQTTBroker(destination, deviceID: configuration.deviceID),
        deviceID: destination.deviceID ?? configuration.deviceID,
        trackerID: destination.trackerID, isNewestOnly: destination.isNewestOnly,
        acceptsUnrouted: destination.acceptsUnrouted, loop: loop)
    case .overland, .owntracks, .query:
      var endpoint = HTTPEndpoint(destination)
      if case .overland = endpoint.form { endpoint.form = .overland(profile(of: destination)) }
      for held in settingsState.destinationStates[destination.name]?.held ?? [] {
        endpoint.retainedProfiles[RecordID(held.through)] = held.form.profile(
          uniqueID: MachineIdentity.uniqueID)
      }
      return HTTPTransport(endpoint, loop: loop, client: client, version: Release.version)
    case .file:
      let directory = destination.directory ?? configuration.storage.directory
      return FileTransport(
        directory: directory, formats: destination.trackFileFormats,
        isNewestOnly: destination.isNewestOnly,
        uniqueID: configuration.sendsUniqueID ? MachineIdentity.uniqueID : nil,
        reconstructedTrips: destination.hasReconstructedTrips,
        longestPause: max(.seconds(300), configuration.main.minTime * 3)
      ) { [weak self] files, done in self?.write(files, in: directory, done) }
    }
  }

  /// The profile of the destination's format, with the unique ID of this installation if `unique_id` is set.
  func profile(of destination: DestinationSettings) -> OverlandProfile {
    RecordForm(destination, under: configuration)?.profile(uniqueID: MachineIdentity.uniqueID)
      ?? destination.overlandProfile
  }

  /// Passes lines to the worker, whose thread may wait for slow flash.
  private func write(_ files: [TrackFile], in directory: String, _ done: @escaping (String?) -> Void) {
    let lines = files.map { file in
      LineFile(file, in: directory)
    }
    storeState.lastFileNumber &+= 1
    storeState.filesRequested[storeState.lastFileNumber] = done
    post(.write(lines, storeState.lastFileNumber))
  }
}

extension LineFile {
  init(_ file: TrackFile, in directory: String) {
    self.init(
      path: "\(directory)/\(file.name)", head: file.head, separator: file.separator, tail: file.tail,
      section: Section(mark: file.mark, end: file.end, lines: file.lines))
    olderHeads = file.olderHeads
    bridge = file.bridge
    if !file.waypointMark.isEmpty {
      early = Section(mark: file.waypointMark, end: file.waypointEnd, lines: file.waypoints)
    }
    interruption = file.interruption
    interrupted = file.interrupted
  }
}
