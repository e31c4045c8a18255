#include "src/cli/result_output.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>

#include "xasink/error.hpp"

namespace xasink::cli {

std::string to_text(const Json& value) { return value.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void write_result(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      throw Error(
          Category::io, std::string("can't write the result to standard output: ") + std::strerror(errno),
          "the command itself is done; see that its output has somewhere to go, then look with `xasink status`");
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_json(const Json& value) { write_result(to_text(value)); }

}  // namespace xasink::cli
