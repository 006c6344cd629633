/// The beginning of a session. It contains the policy with all its parameters, so that editing a policy does not change
/// history.
public struct Opening: Equatable, Sendable {
  /// The client whose session it is.
  public var client: ClientID
  /// When it was opened, in microseconds since the Unix epoch by the daemon's clock.
  public var time: Int64
  /// The application's name and version, for people.
  public var application: String?
  /// What the scroll view shows, for people.
  public var title: String?
  /// Whether the session ends with the connection that opened it.
  public var closeOnDisconnect: Bool
  /// The rule and all its parameters.
  public var policy: Policy

  /// Creates an opening from its parts.
  public init(
    client: ClientID, time: Int64, application: String? = nil, title: String? = nil, closeOnDisconnect: Bool = false,
    policy: Policy
  ) {
    self.client = client
    self.time = time
    self.application = application
    self.title = title
    self.closeOnDisconnect = closeOnDisconnect
    self.policy = policy
  }
}
