// SystemC's library wants sc_main; in programs of users the simulation begins with their launches.
#include <systemc>

__attribute__((visibility("default"))) int sc_main(int, char*[]) { return 0; }
