#include "drivers/postgresql/conninfo.hpp"

#include <libpq-fe.h>

#include <algorithm>
#include <memory>

#include "xasink/error.hpp"

namespace xasink::postgresql {
namespace {

using OptionList = std::unique_ptr<PQconninfoOption, decltype(&PQconninfoFree)>;

constexpr std::string_view kSchemes[] = {"postgresql://", "postgres://"};

std::optional<std::string> value_in(const PQconninfoOption* list, std::string_view key) {
  for (const PQconninfoOption* option = list; option != nullptr && option->keyword != nullptr; ++option) {
    if (key == option->keyword && option->val != nullptr) return option->val;
  }
  return std::nullopt;
}

[[noreturn]] void refuse(const std::string& why, const std::string& hint) {
  throw Error(Category::configuration, "the PostgreSQL URL " + why, hint);
}

// libpq quotes what it can't read, and that may be the password: nothing between quotes is passed on, except the one
// message that quotes an option's name only.
std::string without_quoted(std::string text) {
  while (!text.empty() && text.back() == '\n') text.pop_back();
  if (text.starts_with("invalid URI query parameter")) return text;
  const auto first = text.find('"');
  const auto last = text.rfind('"');
  if (first != std::string::npos) text.replace(first, last - first + 1, "(not shown)");
  return text;
}

// With an unescaped `/` in the password libpq takes its first half for the port and the rest for the database, and says
// both in messages. Such a URL is refused before anything of it is shown.
void refuse_unescaped_password(const std::string& url, const std::optional<std::string>& port) {
  constexpr const char* kHint =
      "write special characters in user and password percent-encoded: %2F for /, %40 for @, %3A for :";
  if (port && port->find_first_not_of("0123456789,") != std::string::npos)
    refuse("has a port that is not a number", kHint);
  const auto begin = url.find("://") + 3;
  const auto path = url.find('/', begin);
  if (path == std::string::npos) return;
  const auto at = url.find('@', path);
  if (at != std::string::npos && at < std::min(url.find('?', path), url.size()))
    refuse("has an @ behind the first /", kHint);
}

std::string percent_encoded(std::string_view text) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '_' || c == '.' || c == '~';
    if (plain) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

std::string host_in_url(std::string_view host) {
  if (host.find(':') != std::string_view::npos) {
    std::string out = "[";
    for (const char c : host) out += c == '%' ? std::string("%25") : std::string(1, c);
    return out + "]";
  }
  std::string out(host);
  const bool socket = host.starts_with('/') || host.starts_with('@');
  if (!socket) {
    std::transform(out.begin(), out.end(), out.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  }
  return percent_encoded(out);
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> parts(1);
  for (const char c : list) {
    if (c == ',') {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

}  // namespace

bool has_postgresql_scheme(std::string_view url) noexcept {
  return std::any_of(std::begin(kSchemes), std::end(kSchemes),
                     [url](std::string_view s) { return url.starts_with(s); });
}

Conninfo Conninfo::parse(const std::string& url) {
  if (!has_postgresql_scheme(url)) refuse("must begin with postgresql://", "for example postgresql://app@db:5432/shop");
  if (url.find('\0') != std::string::npos) refuse("has a zero byte in it", {});
  char* message = nullptr;
  const OptionList list(PQconninfoParse(url.c_str(), &message), &PQconninfoFree);
  if (!list) {
    const std::unique_ptr<char, decltype(&PQfreemem)> owned(message, &PQfreemem);
    refuse("can't be read: " + without_quoted(message != nullptr ? message : "out of memory"),
           "for example postgresql://app@db:5432/shop; special characters are percent-encoded");
  }
  refuse_unescaped_password(url, value_in(list.get(), "port"));
  Conninfo info;
  for (const PQconninfoOption* option = list.get(); option->keyword != nullptr; ++option) {
    if (option->val != nullptr) info.options_.emplace_back(option->keyword, option->val);
  }
  // A service names a server in a file of the machine: the URL would no longer say where a branch is.
  if (info.find("service")) refuse("names a service", "write host, port and database into the URL");
  return info;
}

std::optional<std::string> Conninfo::find(std::string_view key) const {
  for (const auto& [name, value] : options_) {
    if (name == key) return value;
  }
  return std::nullopt;
}

std::string Conninfo::resource_name() const {
  const OptionList defaults(PQconndefaults(), &PQconninfoFree);
  const auto get = [&](std::string_view key) {
    const auto given = find(key);
    return given ? *given : value_in(defaults.get(), key).value_or("");
  };
  const std::string user = get("user");
  std::string database = get("dbname");
  if (database.empty()) database = user;
  // An address alone (`?hostaddr=`) names the server as well as a host does.
  std::string host = find("host").value_or("");
  if (host.empty()) host = find("hostaddr").value_or("");
  if (host.empty()) host = get("host");
  const auto hosts = split(host);
  const auto ports = split(get("port"));
  std::string name = "postgresql://";
  if (!user.empty()) name += percent_encoded(user) + "@";
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    // One port serves all hosts, as with libpq.
    const std::string& port = ports[ports.size() == hosts.size() ? i : 0];
    if (i > 0) name += ',';
    name += host_in_url(hosts[i]) + ":" + (port.empty() ? "5432" : port);
  }
  return name + "/" + percent_encoded(database);
}

std::vector<std::pair<std::string, std::string>> Conninfo::connect_options() const {
  const OptionList defaults(PQconndefaults(), &PQconninfoFree);
  auto options = options_;
  std::erase_if(options, [](const auto& option) { return option.first == "client_encoding"; });
  options.emplace_back("client_encoding", "UTF8");
  const auto unless_given = [&](const char* key, const char* value) {
    if (!find(key) && !value_in(defaults.get(), key)) options.emplace_back(key, value);
  };
  unless_given("connect_timeout", "10");
  // A server that vanished without a word is noticed after this long, not after the kernel's quarter of an hour.
  unless_given("tcp_user_timeout", "30000");
  unless_given("fallback_application_name", "xasink");
  return options;
}

std::string Conninfo::connect_string() const {
  std::string out;
  for (const auto& [key, value] : connect_options()) {
    if (!out.empty()) out += ' ';
    out += key + "='";
    for (const char c : value) {
      if (c == '\'' || c == '\\') out += '\\';
      out += c;
    }
    out += '\'';
  }
  return out;
}

}  // namespace xasink::postgresql
