#include "src/cli/error_report.hpp"

#include <cstdio>
#include <filesystem>
#include <new>

namespace xasink::cli {
namespace {

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

}  // namespace

std::string error_text(const Error& error) {
  std::string text = std::string("xasink: ") + error.what() + "\n";
  if (!error.details().hint.empty()) text += "  hint: " + error.details().hint + "\n";
  return text;
}

Json error_json(const Error& error) {
  const ErrorDetails& details = error.details();
  Json json;
  json["category"] = category_name(details.category);
  json["message"] = error.what();
  json["hint"] = or_null(details.hint);
  json["sqlstate"] = or_null(details.sqlstate);
  json["vendor_code"] = details.vendor_code == 0 ? Json(nullptr) : Json(details.vendor_code);
  json["xid"] = or_null(details.xid);
  DataError::Origin origin;
  if (const auto* data = dynamic_cast<const DataError*>(&error)) origin = data->origin();
  json["file"] = or_null(origin.file);
  json["line"] = origin.line == 0 ? Json(nullptr) : Json(origin.line);
  json["column"] = or_null(origin.column);
  return Json{{"error", std::move(json)}, {"exit_code", static_cast<int>(exit_code(details.category))}};
}

ExitCode report(const Error& error, bool json) noexcept {
  bool told = false;
  try {
    if (json) {
      write_json(error_json(error));
      told = true;
    }
  } catch (const std::exception&) {
    // Nobody reads standard output: then on standard error.
  }
  try {
    if (!told) std::fputs(error_text(error).c_str(), stderr);
  } catch (const std::exception&) {
    std::fputs(error.what(), stderr);
  }
  return exit_code(error.category());
}

ExitCode report(const std::exception_ptr& thrown, bool json) noexcept {
  try {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      return report(error, json);
    } catch (const std::bad_alloc&) {
      return report(Error(Category::resources, "out of memory", "give the process more memory, then run it again"),
                    json);
    } catch (const std::filesystem::filesystem_error& error) {
      return report(Error(Category::io, error.what()), json);
    } catch (const std::exception& error) {
      return report(Error(Category::internal, std::string("an error that xasink should have caught: ") + error.what(),
                          "please report this; running again is safe"),
                    json);
    } catch (...) {
      return report(Error(Category::internal, "something that is not an exception was thrown",
                          "please report this; running again is safe"),
                    json);
    }
  } catch (...) {
    std::fputs("xasink: out of memory\n", stderr);
    return ExitCode::failed;
  }
}

}  // namespace xasink::cli
