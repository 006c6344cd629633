import Glibc

/// A thread that runs one closure (`pthread_create(3)`).
public struct WorkerThread: Sendable {
  private let thread: pthread_t

  /// Starts the thread, in which all signals are blocked: they are for the main thread.
  public init(_ body: @escaping @Sendable () -> Void) throws(Errno) {
    var all = sigset_t()
    var before = sigset_t()
    sigfillset(&all)
    pthread_sigmask(SIG_SETMASK, &all, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    let context = Unmanaged.passRetained(Body(body))
    var thread = pthread_t()
    let code = pthread_create(
      &thread, nil,
      { context in
        guard let context else { return nil }
        Unmanaged<Body>.fromOpaque(context).takeRetainedValue().run()
        return nil
      }, context.toOpaque())
    if code != 0 {
      context.release()
      throw Errno(rawValue: code)
    }
    self.thread = thread
  }

  /// Waits for the thread's end; to be called once (pthread_join(3)).
  public func join() { pthread_join(thread, nil) }

  /// The closure as an object, which fits through a C pointer.
  private final class Body: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
  }
}
