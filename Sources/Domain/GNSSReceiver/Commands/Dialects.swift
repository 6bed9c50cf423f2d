import GNSSProtocol

/// The dialect of an identified receiver.
public func dialect(for identity: ReceiverIdentity) -> any Dialect {
  switch identity.family {
  case .ubloxMessages: UBloxMessagesDialect(identity: identity)
  case .ubloxKeys: UBloxKeysDialect(identity: identity)
  case .mediaTek: MediaTekDialect(identity: identity)
  case .airoha: AirohaDialect(identity: identity)
  case .quectel: QuectelDialect(identity: identity)
  case .casic: CasicDialect(identity: identity)
  case .sirf: SirfDialect(identity: identity)
  case .unknown: UnknownDialect(identity: identity)
  }
}
