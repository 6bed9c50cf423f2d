/// The dialect of a receiver that has said who it is.
public func dialect(for identity: ReceiverIdentity) -> any Dialect {
  switch identity.family {
  case .ubloxMessages: UBloxMessagesDialect(identity: identity)
  case .ubloxKeys: UBloxKeysDialect(identity: identity)
  case .mediaTek: MediaTekDialect(identity: identity)
  case .airoha: UnknownDialect(identity: identity)
  case .quectel: UnknownDialect(identity: identity)
  case .casic: UnknownDialect(identity: identity)
  case .sirf: UnknownDialect(identity: identity)
  case .unknown: UnknownDialect(identity: identity)
  }
}
