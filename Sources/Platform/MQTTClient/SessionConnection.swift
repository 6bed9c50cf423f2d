/// A connection as the logger requests it from the process that makes it.
struct SessionConnection: Equatable, Sendable {
  var broker: MQTTBroker
  var version: MQTTVersion
  var will: MQTTMessage?
  var subscription: String?
}

/// A request of the logger to the process of a connection.
enum SessionRequest: Equatable, Sendable {
  case connect(SessionConnection)
  /// The message with the number that its reports have.
  case publish(Int32, MQTTMessage)
  /// Sends DISCONNECT and ends.
  case close
}

/// A report of the process of a connection to the logger.
enum SessionReport: Equatable, Sendable {
  /// The process runs.
  case started
  /// The TCP connection exists.
  case reached
  /// The broker accepted the connection, and takes so many messages without an acknowledgement.
  case connected(receiveMaximum: UInt16)
  case published(Int32)
  case unrouted(Int32)
  case refused(Int32, MQTTFailure)
  case received(MQTTMessage)
  case notSubscribed(String)
  case ended(MQTTFailure)
}
