// Standard input, output and error, whichever of them are closed.

import Glibc

/// The descriptors 0, 1 and 2.
public enum StandardDescriptors {
  /// Takes the places of those that are closed, so that no file or socket comes to stand there and gets what was meant for
  /// people. What is read or written there fails, as it would with the closed ones (EBADF).
  public static func occupy() {
    for descriptor: Int32 in 0...2 where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest that is free is this one.
      _ = open("/dev/null", descriptor == 0 ? O_WRONLY : O_RDONLY)
    }
  }
}
