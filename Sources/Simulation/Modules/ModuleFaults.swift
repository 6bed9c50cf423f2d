import Quantities

/// What is wrong with a virtual module; without any it does what its data sheet says.
public struct ModuleFaults: Sendable, Equatable {
  /// Answers commands as if they had been done, and does none of them. Version questions are answered truly.
  public var lies = false
  /// Refuses each setting, in the words of its dialect where there are any; sleep and restart are not obeyed.
  public var refusesAll = false
  /// Neither answers nor obeys. Bytes still wake it.
  public var ignoresCommands = false
  /// Takes neither time nor place from the host, and says so.
  public var refusesAid = false
  /// Runs on when told to sleep, as a u-blox with a cable on its USB port does.
  public var staysAwake = false
  /// What its antenna supervisor sees, in the numbers of UBX (2 good, 3 short, 4 open).
  public var antennaStatus: UInt8 = 2
  /// How much it believes to be jammed, in the numbers of UBX (0 not watched, 1 not, 2 warning, 3 critical).
  public var jammingState: UInt8 = 1
  /// Whether it believes that its signals are forged, in the numbers of UBX (0 not told, 1 not, 2 indicated, 3 by several
  /// signs).
  public var spoofingState: UInt8 = 1
  /// Stays silent where it would refuse (some u-blox 10 at legacy messages).
  public var hidesRefusals = false
  /// Says nothing in this span, but obeys.
  public var mute: Range<Moment>?
  /// Loses supply and backup at this moment and is back at once, at factory settings.
  public var restartsAt: Moment?
  /// Changes its rate by itself at `at`.
  public var speedChange: SpeedChange?
  /// Sends 0x00 and 0xFF and the rest of a torn sentence first after each waking.
  public var wakesTorn = false
  /// Share of the answers (not of the periodic output) that get lost, 0...1.
  public var lostAnswers = 0.0
  /// Answers come this much later.
  public var answerDelay = Duration.zero
  /// What a clone says instead of its software version.
  public var versionText: String?
  /// Only the wake pin, a timer or the supply wakes it.
  public var wakesOnlyByPin = false

  public init() {}

  /// A rate taken without being told.
  public struct SpeedChange: Sendable, Equatable {
    public var at: Moment
    /// bit/s
    public var speed: UInt32

    public init(at: Moment, speed: UInt32) {
      self.at = at
      self.speed = speed
    }
  }
}
