// Communication between a worker and its caller: one JSON object per line over a Unix stream socket. Files (shared
// memory, further sockets) are sent with a line (SCM_RIGHTS).
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/files/json.h"

namespace ptosim::worker {

class Channel {
 public:
    // Takes ownership of the socket.
    explicit Channel(int socket) : socket_{socket} {}
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // The next line; empty at the end of the connection. Throws Json::Error for a line that is not
    // JSON.
    std::optional<Json> receive();
    // The next file received with a line, open; -1 if there is none. The caller closes it.
    int take_file();
    // Sends an answer, but holds it back while further requests have already arrived, so that a batch of requests costs
    // one system call.
    void send(const Json& line);
    int socket() const { return socket_; }

 private:
    bool fill();  // reads more; false at the end of the connection
    void flush();

    int socket_;
    std::string received_, answers_;
    std::deque<int> files_;
};

// Receives a message of a SOCK_SEQPACKET socket: its text (at most 64 KiB) and its file, open; -1 without one. `text`
// is empty at the end of the connection.
int receive_file(int socket, std::string& text);
// Sends such a message; `text` must not be empty. Returns false if the other end is closed.
bool send_file(int socket, int file, const std::string& text);

// Writes all bytes. Returns false if the other end is closed.
bool write_all(int file, const char* data, size_t size);

// Closes all files of this process except these, because a kernel could use inherited files, and the sockets of the
// worker belong to other devices.
void close_others(std::vector<int> kept);

}  // namespace ptosim::worker
