import Formats
import MQTTClient
import Settings
import Store
import Tracking
import Uplink

extension Logger {
  /// What carries records to a destination.
  func transport(for destination: DestinationSettings) -> any BatchTransport {
    switch destination.form {
    case .owntracks where destination.url.isBroker:
      return MQTTTransport(
        MQTTBroker(destination, deviceID: configuration.deviceID), deviceID: configuration.deviceID,
        trackerID: destination.trackerID, isNewestOnly: destination.records != .all, loop: loop)
    case .overland, .owntracks, .query:
      return HTTPTransport(HTTPEndpoint(destination), loop: loop, client: client, version: Release.version)
    case .file:
      let directory = destination.directory ?? configuration.storage.directory
      return FileTransport(
        directory: directory, formats: destination.trackFileFormats,
        isNewestOnly: destination.records != .all
      ) { [weak self] files, done in self?.write(files, in: directory, done) }
    }
  }

  /// Hands lines to the worker, which has time for slow flash.
  private func write(_ files: [TrackFile], in directory: String, _ done: @escaping (String?) -> Void) {
    let lines = files.map { file in
      LineFile(
        path: "\(directory)/\(file.name)", head: file.head, separator: file.separator, tail: file.tail,
        mark: file.mark, lines: file.lines)
    }
    storeState.lastFileNumber &+= 1
    storeState.filesAsked[storeState.lastFileNumber] = done
    post(.write(lines, storeState.lastFileNumber))
  }
}
