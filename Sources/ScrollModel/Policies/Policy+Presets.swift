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

  /// Imitates headroom.js 0.12 with its default options: `tolerance` 0 both ways, `offset` 0. It rounds the offset to
  /// whole CSS pixels, so a single pixel turns the bar. It ignores zooming and the length of the page, and at the bottom it
  /// only sets a class.
  ///
  /// An app's `offset` of N pixels for scrolling down is a `hideOffset` of N + 1, because headroom.js hides beyond it.
  ///
  /// What this policy can't imitate:
  /// - headroom.js compares its `tolerance` with the movement since the last frame, not with the distance from where the
  ///   user turned round. With a tolerance, slow scrolling never turns its bar.
  /// - Its bar returns as soon as the offset is within `offset`, by any scrolling. Here that is so only at the top.
  /// - It sees only the page's offset, and so treats a jump to an anchor, the browser's scroll anchoring and the scrolling
  ///   within a pinch as the user's scrolling.
  public static let headroom = Policy(name: "headroom") { rule in
    rule.hideDistance = 1
    rule.showDistance = 1
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates the bars of Material Components for Android that hide on scroll (`HideViewOnScrollBehavior`, and its
  /// deprecated predecessor `HideBottomViewOnScrollBehavior`): any pixel of the screen that the content consumes turns
  /// them, which is a third of a point on a screen with three pixels per point. Pushes at an edge, which the content does
  /// not consume, turn nothing.
  ///
  /// While touch exploration is on, Material shows the bar and keeps it. A feeder says so with `toolbarPinned`.
  ///
  /// What this policy can't imitate:
  /// - Material's top bar that always enters (`AppBarLayout`) moves with the content, pixel by pixel, until the finger
  ///   leaves.
  /// - Its bar that was hidden when the content became too short to scroll, or was scrolled to the top by the app, stays
  ///   hidden until the user has scrolled up.
  public static let material = Policy(name: "material") { rule in
    rule.hideDistance = 0.33
    rule.showDistance = 0.33
    rule.edgeTolerance = 0
    rule.minimumRange = 0
    rule.zoomInDistance = neverByZoom
    rule.revealAtBottom = .never
  }

  /// Imitates Chrome's browser controls on Android (`BrowserControlsOffsetManager`): a bar of 56 points that moves with the
  /// finger and snaps to the nearer side when the finger leaves, so that half its height decides. A pinch does not move it.
  ///
  /// Chrome shows its controls and keeps them, for example while a screen reader is on. A feeder says so with
  /// `toolbarPinned`.
  ///
  /// What this policy can't imitate:
  /// - Chrome spends the first 56 points of a gesture on the bar, and moves the page only after them.
  /// - Each gesture starts from 0: after two drags of 20 points, each snapped back, Chrome's bar is still shown. Here it is
  ///   hidden, because the distance counts from where the user turned round.
  /// - A user who has scrolled 300 points past the hidden bar must scroll 300 points back within the same gesture before
  ///   Chrome's bar moves. Here half the bar's height from the lowest point is enough.
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
