// What is wrong with the daemon and stays so until somebody does something.

extension Service {
  /// What is wrong with the daemon and stays so until somebody does something.
  struct Troubles: OptionSet {
    let rawValue: UInt8

    /// Appends are refused.
    static let diskFull = Troubles(rawValue: 1)
    /// The configuration that is in force is not the one that was written last.
    static let configurationBad = Troubles(rawValue: 2)
  }

  /// What is wrong now.
  var troubles: Troubles {
    var troubles: Troubles = []
    if isOutOfSpace { troubles.insert(.diskFull) }
    if keepsOldConfiguration { troubles.insert(.configurationBad) }
    return troubles
  }
}
