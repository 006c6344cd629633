import ScrollModel

/// The picture's colours. Readers with a red-green colour deficiency can tell them apart.
enum TimelinePalette {
  static let paper = "#ffffff"
  static let plot = "#f8fafc"
  static let shade = "#e7ecf2"
  static let grid = "#dbe2ea"
  static let hairline = "#cbd5e166"
  static let ink = "#1e293b"
  static let faint = "#64748b"
  static let curve = "#0f172a"
  static let shown = "#7db3f0"
  static let hidden = "#dde3ea"
  static let latch = "#f59e0b"
  static let flicker = "#dc2626"
  static let zoom = "#d8c7f5"
  static let page = "#c9e7dc"

  static func color(_ trigger: Trigger) -> String {
    switch trigger {
    case .scrollDown: "#475569"
    case .scrollUp: "#1d6fd8"
    case .zoomIn: "#7c3aed"
    case .zoomOut: "#b14fc5"
    case .reachBottom: "#d97706"
    case .pinned: "#0f766e"
    }
  }
}
