// Modules of CMake look for this header of the profiler, which operators do not call.
#pragma once
