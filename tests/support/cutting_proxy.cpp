#include "tests/support/cutting_proxy.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <stdexcept>
#include <utility>

namespace xasink::test {
namespace {

constexpr int kTick = 50;  // ms between looks at closing

sockaddr_in loopback(int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

class Socket {
 public:
  explicit Socket(int descriptor) : descriptor_(descriptor) {
    const int on = 1;
    setsockopt(descriptor_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() { end(); }

  [[nodiscard]] int get() const noexcept { return descriptor_; }
  [[nodiscard]] bool open() const noexcept { return descriptor_ >= 0; }
  void end() noexcept {
    if (descriptor_ >= 0) ::close(std::exchange(descriptor_, -1));
  }
  bool send(std::string_view bytes) {
    while (!bytes.empty()) {
      const ssize_t sent = ::send(descriptor_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (sent <= 0) return false;
      bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }
  /// Appends what is there. False at the end.
  bool receive(std::string& to) {
    std::array<char, 65536> piece;
    const ssize_t got = recv(descriptor_, piece.data(), piece.size(), 0);
    if (got <= 0) return false;
    to.append(piece.data(), static_cast<std::size_t>(got));
    return true;
  }

 private:
  int descriptor_;
};

// Size of the message at the front, with its type byte if it has one; 0 while it is not whole.
std::size_t whole_message(std::string_view bytes, bool typed) {
  const std::size_t head = typed ? 5 : 4;
  if (bytes.size() < head) return 0;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + head - 4, 4);
  const std::size_t size = ntohl(length) + (typed ? 1U : 0U);
  return bytes.size() < size ? 0 : size;
}

}  // namespace

// One connection, with a thread of its own.
class CuttingProxy::Link {
 public:
  Link(CuttingProxy& proxy, int client, int server) : proxy_(proxy), client_(client), server_(server) {}

  void run() {
    while (!proxy_.closing_ && (client_.open() || server_.open())) {
      std::array<pollfd, 2> ready{pollfd{client_.get(), POLLIN, 0}, pollfd{stalled_ ? -1 : server_.get(), POLLIN, 0}};
      poll(ready.data(), ready.size(), kTick);
      if (ready[0].revents != 0 && !take_from_client()) return;
      if (ready[1].revents != 0 && !take_from_server()) return;
    }
  }

 private:
  // False when the connection is over.
  bool take_from_client() {
    if (!client_.receive(from_client_)) return false;
    if (stalled_) return true;
    for (std::size_t size = 0; (size = whole_message(from_client_, started_)) > 0 && !over();) {
      pass_on(std::exchange(from_client_, from_client_.substr(size)).substr(0, size));
    }
    return true;
  }

  void pass_on(const std::string& message) {
    const char type = started_ ? message[0] : '\0';
    started_ = true;
    if (!rule_) rule_ = proxy_.due(type, message);
    if (rule_ && rule_->where == Where::before) return act();
    server_.send(message);
    // Parse is one of several messages; what asks for the answer is the Sync behind them.
    if (!rule_ || (type == 'P' || type == 'B' || type == 'D' || type == 'E')) return;
    if (rule_->where == Where::after || type == 'd') return act();
    holding_ = true;
  }

  bool take_from_server() {
    const bool more = server_.receive(from_server_);
    for (std::size_t size = 0; (size = whole_message(from_server_, true)) > 0;) {
      const std::string message = std::exchange(from_server_, from_server_.substr(size)).substr(0, size);
      if (!client_.open()) continue;
      if (!holding_) {
        client_.send(message);
      } else if (message[0] == 'Z' || message[0] == 'G') {
        act();
      }
    }
    if (!more && holding_ && !over()) act();
    return more;
  }

  void act() {
    if (rule_->how == How::stall) {
      stalled_ = true;
      return;
    }
    client_.end();
    // Not closed: the server would not read what is still on its way.
    shutdown(server_.get(), SHUT_WR);
  }

  [[nodiscard]] bool over() const { return stalled_ || !client_.open(); }

  CuttingProxy& proxy_;
  Socket client_;
  Socket server_;
  std::string from_client_;
  std::string from_server_;
  bool started_ = false;  // the first message has no type
  std::optional<Rule> rule_;
  bool holding_ = false;
  bool stalled_ = false;
};

CuttingProxy::CuttingProxy(int server_port)
    : server_port_(server_port), listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address = loopback(0);
  socklen_t length = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (listener_ < 0 || bind(listener_, generic, length) != 0 || listen(listener_, 64) != 0 ||
      getsockname(listener_, generic, &length) != 0) {
    throw std::runtime_error("the proxy can't listen");
  }
  port_ = ntohs(address.sin_port);
  acceptor_ = std::thread([this] { accept_all(); });
}

CuttingProxy::~CuttingProxy() {
  closing_ = true;
  acceptor_.join();
  for (std::thread& link : links_) link.join();
  ::close(listener_);
}

std::string CuttingProxy::url(const std::string& more) const {
  return "postgresql://postgres@127.0.0.1:" + std::to_string(port_) +
         "/postgres?sslmode=disable&gssencmode=disable" + more;
}

void CuttingProxy::arm(Rule rule) {
  const std::lock_guard lock(mutex_);
  rule_ = std::move(rule);
  fired_ = false;
  messages_ = 0;
}

bool CuttingProxy::fired() const {
  const std::lock_guard lock(mutex_);
  return fired_;
}

unsigned CuttingProxy::messages() const {
  const std::lock_guard lock(mutex_);
  return messages_;
}

std::optional<CuttingProxy::Rule> CuttingProxy::due(char type, std::string_view message) {
  if (type != 'Q' && type != 'P' && type != 'd' && type != 'c') return std::nullopt;
  const std::lock_guard lock(mutex_);
  ++messages_;
  if (!rule_ || fired_ || (rule_->type != 0 && rule_->type != type)) return std::nullopt;
  if (message.find(rule_->text) == std::string_view::npos || --rule_->nth > 0) return std::nullopt;
  fired_ = true;
  return rule_;
}

void CuttingProxy::accept_all() {
  while (!closing_) {
    pollfd ready{listener_, POLLIN, 0};
    if (poll(&ready, 1, kTick) <= 0) continue;
    const int client = accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0) continue;
    const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_in address = loopback(server_port_);
    if (connect(server, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
      ::close(client);
      ::close(server);
      continue;
    }
    links_.emplace_back([this, client, server] { Link(*this, client, server).run(); });
  }
}

}  // namespace xasink::test
