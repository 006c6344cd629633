// The policies that need no configuration: the two rules as they are, and what other makers' bars do.

extension Policy {
  /// The plain rule of the delegate callbacks, for comparison and for apps that want just it.
  public static let classic = Policy(name: "classic", rule: .classic(ClassicRule()))

  /// The default: the same five triggers, made to hold up in the field.
  public static let safari = Policy(name: "safari", rule: .safari(SafariRule()))

  /// The default, save that the bar comes back as soon as the bottom is reached, as readers like it whose next step
  /// is always in the bar.
  public static let safariArrival = Policy(name: "safari-arrival") { rule in
    rule.revealAtBottom = .arrival
  }

  /// Imitates headroom.js with its default options: `tolerance` 0 both ways, `offset` 0. It rounds the offset to whole
  /// CSS pixels, so that one pixel turns the bar; it knows no bottom, no zoom and no shortest page.
  ///
  /// It can't imitate that headroom.js, which sees no more than the page's offset, takes an anchor's jump and the
  /// scrolling within a pinch for the reader's.
  public static let headroom = Policy(name: "headroom") { rule in
    rule.hideDistance = 1
    rule.showDistance = 1
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates Material's bottom bars that hide on scroll, and its top bars that enter always: any consumed pixel of the
  /// screen turns them, and at three pixels a point that is a third of a point.
  ///
  /// It can't imitate that a top bar moves with the content, pixel by pixel, until it is let go; nor that at the top a
  /// bottom bar which something else hid stays hidden until one has scrolled.
  public static let material = Policy(name: "material") { rule in
    rule.hideDistance = 0.33
    rule.showDistance = 0.33
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates Chrome's browser controls on Android: a bar of 56 points that moves with the content and, let go halfway,
  /// snaps to the nearer side, so that half its height decides.
  ///
  /// It can't imitate that within one gesture Chrome wants the over-travel undone: who has scrolled 300 points past the
  /// hidden bar scrolls 300 back before it moves. Here half the bar's height from the lowest point is enough.
  public static let chrome = Policy(name: "chrome") { rule in
    rule.hideDistance = 28
    rule.showDistance = 28
    rule.edgeTolerance = 0
    rule.minimumRange = 56
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// A policy that needs no configuration, and what it does.
  public struct Preset: Equatable, Sendable {
    /// The policy.
    public var policy: Policy
    /// What it does, in a line for people, worded to follow its name.
    public var summary: String
  }

  /// Every preset with what it does, the default first.
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

  /// The preset of a name, such as `safari-arrival`; `nil` when there is none.
  public static func preset(named name: String) -> Policy? {
    presets.first { $0.name == name }
  }

  /// A zoom distance that no scroll view reaches, for bars that zooming doesn't hide.
  private static let neverByZoom: Double = 1_000_000

  /// A policy of the default rule with some parameters changed.
  private init(name: String, _ change: (inout SafariRule) -> Void) {
    var rule = SafariRule()
    change(&rule)
    self.init(name: name, rule: .safari(rule))
  }
}
