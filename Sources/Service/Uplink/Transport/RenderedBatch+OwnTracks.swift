import Formats
import Records

extension RenderedBatch {
  /// The records as OwnTracks messages in the order of the log: all locations, or the newest, and every entry and exit of
  /// a zone. `deviceID` is the name of the device in messages without a location.
  init(
    ownTracks records: [StoredRecord], isNewestOnly: Bool, trackerID: String?, deviceID: String,
    isAnswer: ((StoredRecord) -> Bool)?
  ) {
    self.init(count: 0, bytes: [])
    let newest = isNewestOnly ? records.last { OwnTracksMessage($0.record) != nil }?.id : nil
    for stored in records {
      let start = bytes.count
      if let transition = OwnTracksTransition(stored.record) {
        transition.append(to: &bytes, deviceID: deviceID, trackerID: trackerID)
      } else if let message = OwnTracksMessage(stored.record), !isNewestOnly || stored.id == newest {
        message.append(to: &bytes, trackerID: trackerID, isRequested: isAnswer?(stored) ?? false)
      } else {
        continue
      }
      self.records.append(stored.record)
      messages.append(Message(id: stored.id, range: start..<bytes.count))
    }
    count = messages.count
  }
}

extension LogRecord {
  /// True for a message with a position of the device, false for an entry or exit of a zone.
  var isLocation: Bool {
    if case .location = body { true } else { false }
  }
}
