/// placeholder
public struct ReceiverScheme: Equatable, Sendable { public init() {} }
