// gdb as a reader of compiled code: stack frames and values of variables at the stopped places of a kernel's cores.
//
// gdb debugs no process. It is connected to a server of the remote protocol in this one, which presents the registers of
// one core and the memory of the machine's process, both read only. So it needs no permission to attach, and the machine
// can go back and forth in time by processes of its own.
#pragma once

#include <sys/types.h>

#include <array>
#include <functional>
#include <set>
#include <string>

#include "sim/debug/channel.h"
#include "sim/files/temporary_folder.h"

namespace ptosim::debug {

// What gdb can read.
struct CodeState {
    std::string library;     // a file with its symbols
    uint64_t base = 0;       // of the library in memory
    std::vector<uint64_t> registers;  // by numbers of DWARF for x86-64: 16, and the program counter
    uint32_t known = 0;      // a bit for each known register
    // The bytes at an address in hexadecimal; empty if they cannot be read.
    std::function<std::string(uint64_t address, uint64_t size)> memory;
};

class Gdb {
 public:
    Gdb() = default;
    ~Gdb();
    Gdb(const Gdb&) = delete;
    Gdb& operator=(const Gdb&) = delete;

    // Shows another state to gdb, which is started if needed. Throws DiagnosticError (I69) if it is missing.
    void show(CodeState state);
    // Carries out a command of gdb's machine interface; the result is that of its record. Throws DiagnosticError (I69)
    // with gdb's message.
    Json command(const std::string& text);
    // Carries out a command of gdb's console, and returns its output.
    std::string console(const std::string& where, const std::string& text);

 private:
    void start();
    void connect();
    void serve();
    std::string answer(const std::string& packet);
    std::string registers() const;

    pid_t child_ = 0;
    Descriptor to_, from_, listener_, client_;
    std::string unread_, packets_, printed_;
    TemporaryFolder folder_;
    CodeState state_;
    std::set<std::pair<std::string, uint64_t>> loaded_;
    bool connected_ = false;
};

// "name={a="1",b=["x","y"]}" of gdb's machine interface as JSON. Elements of lists lose their names.
Json parse_machine_interface(std::string_view results);

}  // namespace ptosim::debug
