import CMosquitto
import Glibc
import Synchronization

/// A client that subscribes to topics, on a thread of libmosquitto.
public final class MQTTListener: Sendable {
  public struct Message: Equatable, Sendable {
    public var topic: String
    public var payload: String
    public var isRetained: Bool

    public init(topic: String, payload: String, isRetained: Bool) {
      self.topic = topic
      self.payload = payload
      self.isRetained = isRetained
    }
  }

  private final class Box: Sendable {
    let messages = Mutex<[Message]>([])
    let isSubscribed = Mutex(false)
    let topic: String

    init(topic: String) { self.topic = topic }
  }

  private let box: Box
  private nonisolated(unsafe) let raw: OpaquePointer

  /// Returns once the broker has confirmed the subscription.
  public init?(port: UInt16, user: String? = nil, password: String? = nil, topic: String = "#") {
    mosquitto_lib_init()
    box = Box(topic: topic)
    guard let raw = mosquitto_new(nil, true, Unmanaged.passUnretained(box).toOpaque()) else { return nil }
    self.raw = raw
    mosquitto_username_pw_set(raw, user, password)
    mosquitto_connect_callback_set(raw) { raw, context, _ in
      guard let context else { return }
      let topic = Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().topic
      _ = mosquitto_subscribe(raw, nil, topic, 1)
    }
    mosquitto_subscribe_callback_set(raw) { _, context, _, _, _ in
      guard let context else { return }
      Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().isSubscribed.withLock { $0 = true }
    }
    mosquitto_message_callback_set(raw) { _, context, message in
      guard let context, let message else { return }
      let bytes = UnsafeRawBufferPointer(
        start: message.pointee.payload, count: Int(message.pointee.payloadlen))
      let received = Message(
        topic: String(cString: message.pointee.topic), payload: String(decoding: bytes, as: UTF8.self),
        isRetained: message.pointee.retain)
      Unmanaged<Box>.fromOpaque(context).takeUnretainedValue().messages.withLock { $0.append(received) }
    }
    guard mosquitto_connect(raw, "127.0.0.1", Int32(port), 60) == 0, mosquitto_loop_start(raw) == 0 else {
      return nil
    }
    var attempts = 0
    while !box.isSubscribed.withLock({ $0 }), attempts < 2000 {
      attempts += 1
      poll(nil, 0, 5)
    }
  }

  deinit {
    mosquitto_disconnect(raw)
    mosquitto_loop_stop(raw, true)
    mosquitto_destroy(raw)
  }

  /// Publishes a message with QoS 1.
  public func publish(_ text: String, to topic: String, isRetained: Bool = false) {
    let bytes = Array(text.utf8)
    _ = mosquitto_publish(raw, nil, topic, Int32(bytes.count), bytes, 1, isRetained)
  }

  public var messages: [Message] { box.messages.withLock { $0 } }
}
