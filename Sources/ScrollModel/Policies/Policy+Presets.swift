extension Policy {
  /// The plain rule of the delegate callbacks, for comparison and for apps that want nothing more.
  public static let classic = Policy(name: "classic", rule: .classic(ClassicRule()))

  /// The default: the same five triggers, made robust for use in the field.
  public static let safari = Policy(name: "safari", rule: .safari(SafariRule()))

  /// The default, except that the bar returns as soon as the user reaches the bottom. This suits apps in which the user's
  /// next step is always in the bar.
  public static let safariArrival = Policy(name: "safari-arrival") { rule in
    rule.revealAtBottom = .arrival
  }

  /// Imitates headroom.js with its default options: `tolerance` 0 both ways, `offset` 0. It rounds the offset to whole
  /// CSS pixels, so a single pixel turns the bar. It ignores the bottom, zooming, and the length of the page.
  ///
  /// Unlike this policy, headroom.js sees only the page's offset, and so treats a jump to an anchor and the scrolling
  /// within a pinch as the user's scrolling.
  public static let headroom = Policy(name: "headroom") { rule in
    rule.hideDistance = 1
    rule.showDistance = 1
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates Material's bottom bars that hide on scroll, and its top bars that always enter: any consumed pixel of the
  /// screen turns them, which is a third of a point on a screen with three pixels per point.
  ///
  /// Unlike with this policy, Material's top bar moves with the content, pixel by pixel, until the finger leaves, and a
  /// bottom bar that something else hid at the top stays hidden until the user has scrolled.
  public static let material = Policy(name: "material") { rule in
    rule.hideDistance = 0.33
    rule.showDistance = 0.33
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates Chrome's browser controls on Android: a bar of 56 points that moves with the content and snaps to the nearer
  /// side when the finger leaves, so that half its height decides.
  ///
  /// Unlike with this policy, a user of Chrome who has scrolled 300 points past the hidden bar must scroll 300 points back
  /// within the same gesture before the bar moves. Here half the bar's height from the lowest point is enough.
  public static let chrome = Policy(name: "chrome") { rule in
    rule.hideDistance = 28
    rule.showDistance = 28
    rule.edgeTolerance = 0
    rule.minimumRange = 56
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// A policy that needs no configuration, with a summary.
  public struct Preset: Equatable, Sendable {
    /// The policy.
    public var policy: Policy
    /// What the policy does, in one line of words that follow its name.
    public var summary: String
  }

  /// Every preset with its summary, the default first.
  public static let describedPresets = [
    Preset(
      policy: safari, summary: "hides on the way down, shows on the way up, and at the bottom with a second pull"),
    Preset(policy: safariArrival, summary: "as safari, and shows as soon as the bottom is reached"),
    Preset(policy: classic, summary: "the plain rule of the delegate callbacks: the finger's direction decides"),
    Preset(policy: headroom, summary: "imitates headroom.js with its default options: one pixel turns it"),
    Preset(
      policy: material, summary: "imitates Material's bars that hide on scroll: a third of a point turns it"),
    Preset(policy: chrome, summary: "imitates Chrome's controls on Android: half of the bar's 56 points decides"),
  ]

  /// Every preset, the default first.
  public static let presets: [Policy] = describedPresets.map(\.policy)

  /// Returns the preset with a name such as `safari-arrival`, or `nil` if no preset has this name.
  public static func preset(named name: String) -> Policy? {
    presets.first { $0.name == name }
  }

  /// A zoom distance that no scroll view reaches, for bars that zooming doesn't hide.
  private static let neverByZoom: Double = 1_000_000

  /// Creates a policy of the default rule with some parameters changed.
  private init(name: String, _ change: (inout SafariRule) -> Void) {
    var rule = SafariRule()
    change(&rule)
    self.init(name: name, rule: .safari(rule))
  }
}
