#include "sim/files/command.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <span>
#include <sstream>

#include "isa/core/diagnostic.h"
#include "sim/files/files.h"
#include "sim/files/sha256.h"

extern char** environ;

namespace ptosim {
CommandResult run_command(const std::vector<std::string>& words) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return {127, "no pipe\n"};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    std::vector<char*> arguments;
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    pid_t child = 0;
    const int error =
        posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    CommandResult result;
    char buffer[4096];
    for (ssize_t n; error == 0 && (n = read(ends[0], buffer, sizeof buffer)) != 0;) {
        if (n > 0) result.messages.append(buffer, static_cast<size_t>(n));
        if (n < 0 && errno != EINTR) break;
    }
    close(ends[0]);
    if (error != 0) return {127, words[0] + ": cannot be run\n"};
    int status = 0;
    waitpid(child, &status, 0);
    result.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128;
    return result;
}

std::string to_text(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) {
        if (!text.empty()) text += ' ';
        const bool plain = word.find_first_of(" \t\"'\\$*?<>|&;()") == word.npos && !word.empty();
        text += plain ? word : "'" + word + "'";
    }
    return text;
}

Stamp::Stamp(std::string output) : output_{std::move(output)}, file_{output_ + ".stamp"} {}

bool Stamp::fresh(const std::string& origin) const {
    std::ifstream stream(file_);
    std::string from, made;
    return std::getline(stream, from) && std::getline(stream, made) &&
           from == sha256(std::as_bytes(std::span(origin))) && made == file_digest(output_) &&
           !made.empty();
}

void Stamp::write(const std::string& origin) const {
    write_file(file_,
               sha256(std::as_bytes(std::span(origin))) + "\n" + file_digest(output_) + "\n");
}

void Stamp::remove() const { std::remove(file_.c_str()); }

std::string file_digest(const std::string& file) {
    try {
        const std::string content = read_file(file);
        return sha256(std::as_bytes(std::span(content)));
    } catch (const DiagnosticError&) {
        return {};
    }
}

std::vector<std::string> read_dependencies(const std::string& file) {
    std::ifstream stream(file);
    std::ostringstream whole;
    whole << stream.rdbuf();
    const std::string text = whole.str();
    std::vector<std::string> files;
    std::string word;
    const auto finish = [&] {
        if (!word.empty() && word.back() != ':') files.push_back(word);
        word.clear();
    };
    for (size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (c == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
            finish();
            ++i;
        } else if (c == '\\' && i + 1 < text.size() && (text[i + 1] == ' ' || text[i + 1] == '#')) {
            word += text[++i];
        } else if (c == ' ' || c == '\n') {
            finish();
        } else {
            word += c;
        }
    }
    finish();
    return files;
}

}  // namespace ptosim
