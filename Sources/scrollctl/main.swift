// scrollctl: what people and scripts ask the daemon with, and what works on recordings without one.

import Platform

StandardDescriptors.occupy()
CurrentProcess.exit(Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
