import Quantities

/// Faults of a simulated module; by default it behaves as its data sheet says.
public struct ModuleFaults: Sendable, Equatable {
  /// Acknowledges commands without executing them. Version queries are answered correctly.
  public var lies = false
  /// Rejects each setting by the response of its family, if there is one; ignores sleep and restart.
  public var refusesAll = false
  /// Neither answers nor executes commands. Input still wakes the module.
  public var ignoresCommands = false
  /// Rejects aiding with time and position, and reports it.
  public var refusesAid = false
  /// Ignores the command to sleep, as a u-blox with a cable on its USB port does.
  public var staysAwake = false
  /// State of the antenna supervisor in UBX numbers (2 good, 3 short, 4 open).
  public var antennaStatus: UInt8 = 2
  /// Jamming state in UBX numbers (0 unknown, 1 none, 2 warning, 3 critical).
  public var jammingState: UInt8 = 1
  /// Spoofing state in UBX numbers (0 unknown, 1 none, 2 indicated, 3 multiple indications).
  public var spoofingState: UInt8 = 1
  /// Stays silent instead of rejecting (some u-blox 10 for legacy messages).
  public var hidesRefusals = false
  /// Sends nothing in this span, but executes commands.
  public var mute: Range<Moment>?
  /// Loses supply and backup at this time and restarts immediately with factory settings.
  public var restartsAt: Moment?
  /// Changes its baud rate spontaneously at `at`.
  public var speedChange: SpeedChange?
  /// Sends 0x00, 0xFF and the end of a torn sentence first after each wake-up.
  public var wakesTorn = false
  /// Fraction of the answers (not of the periodic output) that is lost, 0...1.
  public var lostAnswers = 0.0
  /// Additional delay of answers.
  public var answerDelay = Duration.zero
  /// The text of a clone instead of the software version.
  public var versionText: String?
  /// Wakes only by the wake pin, a timer or the supply.
  public var wakesOnlyByPin = false

  public init() {}

  /// A spontaneous change of the baud rate.
  public struct SpeedChange: Sendable, Equatable {
    public var at: Moment
    /// Baud rate in bit/s.
    public var speed: UInt32

    public init(at: Moment, speed: UInt32) {
      self.at = at
      self.speed = speed
    }
  }
}
