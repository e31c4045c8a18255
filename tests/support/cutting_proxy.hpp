// A TCP proxy before a PostgreSQL server that ends or stalls a connection at a chosen message.
#pragma once

#include <atomic>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

namespace xasink::test {

/// Listens on 127.0.0.1 on a port of its own. Understands just enough of the protocol to tell messages apart: no TLS,
/// no passwords. The server carries out what it was sent, whatever becomes of the connection. Thread-safe.
class CuttingProxy {
 public:
  enum class Where : std::uint8_t {
    before,  ///< the message does not reach the server
    after,   ///< it does, and nothing after it does
    answer,  ///< it does, the server has answered, and the answer does not reach the client
  };
  enum class How : std::uint8_t {
    cut,    ///< both ends see the connection end
    stall,  ///< nothing passes any more, until the client gives up
  };
  struct Rule {
    std::string text;  ///< part of the message; empty: any
    Where where = Where::before;
    How how = How::cut;
    unsigned nth = 1;  ///< which of the matching ones, over all connections
    char type = 0;     ///< `Q` simple query, `P` parse, `d` rows of COPY, `c` end of COPY; 0: any of them
  };

  explicit CuttingProxy(int server_port);
  ~CuttingProxy();
  CuttingProxy(const CuttingProxy&) = delete;
  CuttingProxy& operator=(const CuttingProxy&) = delete;

  /// `postgresql://postgres@127.0.0.1:port/postgres` through the proxy. \param more further options, as in `&a=b`
  [[nodiscard]] std::string url(const std::string& more = {}) const;

  /// One rule at a time; it works once.
  void arm(Rule rule);
  [[nodiscard]] bool fired() const;
  /// Messages of the kinds a rule may name since it was armed.
  [[nodiscard]] unsigned messages() const;

 private:
  class Link;

  void accept_all();
  /// Counts a message. \returns the rule if this is the one it waits for
  [[nodiscard]] std::optional<Rule> due(char type, std::string_view message);

  int server_port_;
  int listener_ = -1;
  int port_ = 0;
  mutable std::mutex mutex_;
  std::optional<Rule> rule_;
  bool fired_ = false;
  unsigned messages_ = 0;
  std::atomic<bool> closing_{false};
  std::list<std::thread> links_;
  std::thread acceptor_;
};

}  // namespace xasink::test
