// SystemC's library requires sc_main; in users' programs the simulation begins with their launches.
#include <systemc>

__attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }
