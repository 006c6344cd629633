import CLinux
import Glibc

/// This process: its environment, its user, its limits.
public enum CurrentProcess {
  /// The value of an environment variable; `nil` when it isn't set (getenv(3)).
  public static func variable(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }

  /// All environment variables, as `NAME=value`.
  public static var environment: [String] {
    var variables: [String] = []
    var next = environ
    while let variable = next.pointee {
      variables.append(String(cString: variable))
      next += 1
    }
    return variables
  }

  /// The path of the running program (proc(5)).
  public static func executablePath() throws(Errno) -> String {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = readlink("/proc/self/exe", &buffer, buffer.count)
    try check(count)
    return String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  /// The process's id (getpid(2)).
  public static var id: Int32 { getpid() }

  /// The id of the user who started the process (getuid(2)).
  public static var user: UInt32 { getuid() }

  /// The id of the user whose permissions the process has (geteuid(2)).
  public static var effectiveUser: UInt32 { geteuid() }

  /// Raises the limit of open descriptors as far as the system allows (setrlimit(2)).
  ///
  /// - Returns: The limit now.
  public static func raiseDescriptorLimit() throws(Errno) -> Int {
    var limit = rlimit()
    let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    try check(getrlimit(resource, &limit))
    if limit.rlim_cur < limit.rlim_max {
      var raised = limit
      raised.rlim_cur = limit.rlim_max
      // Where the system refuses a higher limit, the current one stays.
      if setrlimit(resource, &raised) == 0 { limit = raised }
    }
    return Int(clamping: limit.rlim_cur)
  }

  /// Gives the calling thread the lowest priority (setpriority(2)). It can't be raised again without a privilege.
  public static func lowerThreadPriority() {
    // On Linux, this is the thread's own niceness, whatever POSIX says of processes. Where the system refuses it, the
    // thread runs all the same.
    _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
  }

  /// The processors on which the calling thread may run, by number, up to 63 (sched_getaffinity(2)).
  public static func processors() throws(Errno) -> [Int] {
    var mask: UInt = 0
    try check(clinux_get_affinity(&mask))
    return (0..<UInt.bitWidth).filter { mask & 1 << UInt($0) != 0 }
  }

  /// Lets the calling thread, and the programs that it starts, run on these processors only (sched_setaffinity(2)).
  public static func run(onProcessors processors: [Int]) throws(Errno) {
    try check(clinux_set_affinity(processors.reduce(0) { $0 | 1 << UInt($1) }))
  }

  /// The number of processors that the machine has online (sysconf(3)).
  public static var onlineProcessors: Int { sysconf(Int32(_SC_NPROCESSORS_ONLN)) }

  /// How many ticks of processor time /proc counts in a second (sysconf(3)).
  public static var ticksPerSecond: Int { sysconf(Int32(_SC_CLK_TCK)) }

  /// Ends the process (exit(3)).
  public static func exit(_ status: Int32) -> Never { Glibc.exit(status) }

  /// The name of the host (gethostname(2)).
  public static var hostName: String {
    var name = [CChar](repeating: 0, count: 256)
    // A longer name than that does not exist on Linux.
    guard gethostname(&name, name.count - 1) == 0 else { return "localhost" }
    return String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}
