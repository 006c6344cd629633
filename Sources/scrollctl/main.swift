// scrollctl: what people and scripts ask the daemon with, and what works on recordings without one.

import Glibc
import ScrollService

StandardDescriptors.occupy()
exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
