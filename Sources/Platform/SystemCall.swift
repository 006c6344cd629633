import Glibc

/// Makes a system call, again while signals interrupt it.
///
/// - Parameter call: Returns -1 and sets `errno` when it fails.
/// - Returns: The call's result, never -1.
public func retryingInterrupts<Result: SignedInteger>(_ call: () -> Result) throws(Errno) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = Errno.last
    if error != .interrupted { throw error }
  }
}

/// Makes a system call once.
///
/// - Parameter call: Returns -1 and sets `errno` when it fails.
func check<Result: SignedInteger>(_ result: Result) throws(Errno) {
  if result == -1 { throw Errno.last }
}
