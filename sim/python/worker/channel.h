// What a worker and its caller say to each other: one JSON object a line over a Unix stream
// socket. Files (shared memory, further sockets) travel beside a line (SCM_RIGHTS).
#pragma once

#include <deque>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace ptosim::worker {

using Json = nlohmann::ordered_json;

class Channel {
 public:
    // Takes the socket and closes it.
    explicit Channel(int socket) : socket_{socket} {}
    ~Channel();
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    // The next line; nothing at the end of the connection. Throws Json::exception for a line that
    // is no JSON.
    std::optional<Json> receive();
    // The next file that has come with a line, open; -1 if there is none. The caller closes it.
    int take_file();
    // Answers are held back while further requests have arrived already: a batch of requests costs
    // one system call.
    void send(const Json& line);
    int socket() const { return socket_; }

 private:
    bool fill();  // reads more; false at the end
    void flush();

    int socket_;
    std::string received_, answers_;
    std::deque<int> files_;
};

// One message of a SOCK_SEQPACKET socket: its text (of at most 64 KiB) and the file that it
// carries, open; -1 without one. `text` is empty at the end of the connection.
int receive_file(int socket, std::string& text);
// Sends such a message; `text` is not empty. False if the other end has gone.
bool send_file(int socket, int file, const std::string& text);

// Writes all bytes; false if the other end has gone.
bool write_all(int file, const char* data, size_t size);

// Closes all files of this process but these: what it has inherited could be used by a kernel, and
// the sockets of the worker carry other devices.
void close_others(std::vector<int> kept);

}  // namespace ptosim::worker
