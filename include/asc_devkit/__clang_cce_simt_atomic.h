// The device's compiler has these functions itself: cce/threads.hpp.
