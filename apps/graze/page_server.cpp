#include "page_server.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string_view>
#include <system_error>

#include "graze/error.h"
#include "packed_recording.h"
#include "run_page.h"

namespace graze::app {

namespace {

constexpr std::size_t kLongestRequest = 16384;
constexpr int kPatience = 200;  // [ms] between questions whether the user interrupted
constexpr int kServedLevel =
    1;  // blocks never leave the computer, so that fast is better than small

class Socket {
public:
    explicit Socket(int descriptor) : descriptor_(descriptor) {}
    ~Socket() {
        if (descriptor_ >= 0) ::close(descriptor_);
    }
    Socket(const Socket&) = delete;
    Socket& operator=(const Socket&) = delete;
    int get() const { return descriptor_; }

private:
    int descriptor_;
};

[[noreturn]] void fail(const std::string& what) {
    throw Error(what + ": " + std::generic_category().message(errno));
}

// Returns the port.
int listen_at(const Socket& socket, int port) {
    const int yes = 1;
    ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    auto* any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(socket.get(), any, sizeof address) != 0 || ::listen(socket.get(), 16) != 0)
        fail("port " + std::to_string(port) + ": cannot serve there; give another --port");
    socklen_t size = sizeof address;
    ::getsockname(socket.get(), any, &size);
    return ntohs(address.sin_port);
}

// The first lines of a request; empty where they do not come, or are too long.
std::string receive_request(const Socket& socket) {
    std::string request;
    char piece[4096];
    while (request.find("\r\n\r\n") == request.npos) {
        pollfd waiting{socket.get(), POLLIN, 0};
        if (request.size() > kLongestRequest || ::poll(&waiting, 1, 5 * kPatience) <= 0) return {};
        const ssize_t count = ::recv(socket.get(), piece, sizeof piece, 0);
        if (count <= 0) return {};
        request.append(piece, static_cast<std::size_t>(count));
    }
    return request;
}

void send_all(const Socket& socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::send(socket.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (count <= 0) return;  // the browser went away
        bytes.remove_prefix(static_cast<std::size_t>(count));
    }
}

void answer(const Socket& socket, const char* status, const char* type, std::string_view content) {
    send_all(socket, std::string("HTTP/1.1 ") + status + "\r\nContent-Type: " + type +
                         "\r\nContent-Length: " + std::to_string(content.size()) +
                         "\r\nCache-Control: no-store\r\nX-Content-Type-Options: nosniff\r\n"
                         "Connection: close\r\n\r\n");
    send_all(socket, content);
}

class RunServer {
public:
    RunServer(const std::filesystem::path& recording, std::string host)
        : packed_(Recording(recording), recording),
          page_(served_page(recording)),
          host_(std::move(host)) {}

    void answer_one(const Socket& socket) const {
        const std::string request = receive_request(socket);
        // Pages from elsewhere whose name leads here do not get the run.
        if (request.find("\r\nHost: " + host_ + "\r\n") == request.npos)
            return answer(socket, "403 Forbidden", "text/plain", "graze: open " + host_ + "\n");
        constexpr std::string_view kBlock = "GET /block/";
        if (request.starts_with("GET / "))
            return answer(socket, "200 OK", "text/html; charset=utf-8", page_);
        std::size_t block = packed_.blocks().size();
        if (request.starts_with(kBlock))
            std::from_chars(request.data() + kBlock.size(), request.data() + request.size(), block);
        if (block >= packed_.blocks().size())
            return answer(socket, "404 Not Found", "text/plain", "graze: there is no such thing\n");
        answer(socket, "200 OK", "application/octet-stream",
               PackedRecording::deflate(packed_.raw(block), kServedLevel));
    }

private:
    PackedRecording packed_;
    std::string page_, host_;
};

}  // namespace

void serve_run(const std::filesystem::path& recording, int port, const Interrupt& interrupt,
               const std::function<void(const std::string& address)>& ready) {
    check_page();
    const Socket listening(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (listening.get() < 0) fail("cannot serve");
    const std::string host = "127.0.0.1:" + std::to_string(listen_at(listening, port));
    const RunServer server(recording, host);
    ready("http://" + host + "/");
    while (!interrupt.is_requested()) {
        pollfd waiting{listening.get(), POLLIN, 0};
        if (::poll(&waiting, 1, kPatience) <= 0) continue;
        const Socket socket(::accept4(listening.get(), nullptr, nullptr, SOCK_CLOEXEC));
        if (socket.get() >= 0) server.answer_one(socket);
    }
}

}  // namespace graze::app
