/// The beginning of a session. It contains the policy with all its parameters, so that editing a policy does not change
/// history.
public struct Opening: Equatable, Sendable {
  /// The client whose session it is.
  public var client: ClientID
  /// When it was opened, in microseconds since the Unix epoch, by the client's clock if the client gave a time, else by the
  /// daemon's.
  public var time: Int64
  /// The application's name and version, for people.
  public var application: String?
  /// What the scroll view shows, for people.
  public var title: String?
  /// Whether the session ends with the connection that opened it.
  public var closeOnDisconnect: Bool
  /// The id that its user gave the session; `nil` if that is the id under which the log has it.
  public var givenID: SessionID?
  /// Whether it was recorded elsewhere and imported. Only such a session ends as it was recorded.
  public var isImported: Bool
  /// The rule and all its parameters.
  public var policy: Policy

  /// The maximum length of ``application``, of ``title``, and of a policy's name, in bytes of UTF-8.
  public static let maximumTextLength = 4096

  /// Creates an opening from its parts.
  public init(
    client: ClientID, time: Int64, application: String? = nil, title: String? = nil, closeOnDisconnect: Bool = false,
    givenID: SessionID? = nil, isImported: Bool = false, policy: Policy
  ) {
    self.client = client
    self.time = time
    self.application = application
    self.title = title
    self.closeOnDisconnect = closeOnDisconnect
    self.givenID = givenID
    self.isImported = isImported
    self.policy = policy
  }
}
