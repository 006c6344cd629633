extension String {
  /// Whether it stands for all clients whose names match, rather than for a client.
  var isClientPattern: Bool { contains { "*?[".contains($0) } }
}
