import Glibc

/// The descriptors 0, 1 and 2.
public enum StandardDescriptors {
  /// Opens the null device in place of each closed one, so that no file or socket gets the number and with it the text
  /// meant for people. Reads and writes still fail, as on a closed descriptor (EBADF).
  public static func occupy() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}

/// Standard error, unbuffered.
public enum StandardError {
  /// Writes a text. A failure is ignored, since there is nowhere to report it.
  public static func write(_ text: String) { try? BorrowedDescriptor.standardError.write(text) }
}
