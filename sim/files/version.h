// The version of the program.
#pragma once

namespace ptosim {

const char* program_version();  // "0.1.0"
// The commit that was configured, abbreviated; empty if it was built outside of a repository.
const char* program_commit();

}  // namespace ptosim
