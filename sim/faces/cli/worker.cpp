// ptosim worker: devices for the program that has started this one.
#include <sys/socket.h>

#include <iostream>
#include <memory>

#include "sim/faces/cli/commands.h"
#include "sim/faces/worker/worker.h"
#include "sim/session/option_rows.h"

namespace ptosim::cli {
namespace {

int worker(bool options) {
    if (options) {
        std::cout << dump_json(option_table()) << "\n";
        return kOk;
    }
    int type = 0;
    socklen_t size = sizeof type;
    if (getsockopt(0, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_SEQPACKET)
        fail_input("I00", "standard input is not the socket of a client program",
                   "the Python package starts this command; docs/python.md describes how other programs do");
    return worker::serve(0);
}

}  // namespace

void add_worker(const Command& app, Action& action) {
    const Command command =
        app.add_subcommand("worker", "Serve devices to the program that started this one");
    auto options = std::make_shared<bool>(false);
    command.add_flag("--options", *options, "Print the options of a device as JSON, and end");
    command.callback([options, &action] { action = [options] { return worker(*options); }; });
}

}  // namespace ptosim::cli
