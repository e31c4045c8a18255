// Which file a `sqlite:` URL means.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace xasink::sqlite {

[[nodiscard]] bool is_sqlite_url(std::string_view url) noexcept;

/// The absolute path, with links and dots resolved as far as the file system has them, so that every spelling of one
/// file gives one path. Touches nothing. \throws Error (configuration) if the URL names no file
[[nodiscard]] std::filesystem::path path_of(std::string_view url);

/// `sqlite:///abs/path.db`
[[nodiscard]] std::string url_of(const std::filesystem::path& path);

}  // namespace xasink::sqlite
