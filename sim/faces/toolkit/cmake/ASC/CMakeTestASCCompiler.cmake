# The compiler is a part of the toolkit: nothing is tried.
set(CMAKE_ASC_COMPILER_WORKS TRUE CACHE INTERNAL "")
